"""Data and protocol are the paper's if learners on all features have exactly its accuracy."""

import os
from pathlib import Path

import pytest

from entryprune.bench.standings import published
from entryprune.bench.store import Case, all_features
from entryprune.bench.worker import Circumstances, Job, execute

FOLDER = Path(os.environ.get("ENTRYPRUNE_DATA", Path(__file__).parents[3] / "shared" / "data"))
# MNIST and Fashion-MNIST take minutes: they are in the results that the docs show.
COMPLETE = ("arcene", "prostate_ge", "coil20", "basehock", "usps")


@pytest.mark.parametrize("dataset", COMPLETE)
def test_learners_on_all_features_are_as_accurate_as_published(dataset):
    if not (FOLDER / f"{dataset}.npz").exists():
        pytest.skip(f"needs {dataset}.npz in ENTRYPRUNE_DATA")
    (case,) = all_features([dataset])
    learners = ("svm", "knn")
    record = execute(Job(case, learners), Circumstances(data_folder=FOLDER))
    for learner in learners:
        known = published(dataset, "all", 0, learner)
        assert round(record.accuracies[learner], 2) == known.mean, learner


def test_the_fisher_score_on_usps_is_as_accurate_as_published():
    # It comes out only on the smoothed digits in their original order.
    if not (FOLDER / "usps.npz").exists():
        pytest.skip("needs usps.npz in ENTRYPRUNE_DATA")
    for k in (25, 50, 75, 100):
        job = Job(Case("usps", "fisher", k, 0), ("svm",))
        record = execute(job, Circumstances(data_folder=FOLDER))
        found = record.accuracies["svm"]
        assert found == pytest.approx(published("usps", "fisher", k).mean, abs=0.051), k
