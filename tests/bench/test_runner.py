import json
import os
import signal
import subprocess
import sys
import time
from dataclasses import replace
from multiprocessing.connection import wait

import numpy as np
import pytest

from entryprune.baselines import FisherSelector
from entryprune.baselines._base import RefusalError
from entryprune.bench import runner, worker
from entryprune.bench.environment import load_plugins
from entryprune.bench.learners import get_learner
from entryprune.bench.runner import Options, describe, outstanding, run, run_all
from entryprune.bench.store import DONE, FAILED, OVERDUE, REFUSED, Case, Record, Store, grid
from entryprune.bench.worker import Circumstances, Job, execute
from entryprune.data import load_dataset

PLUGIN = """
import time
from entryprune.baselines import FisherSelector, register_method

class Sleeper(FisherSelector):
    def _rank(self, data, n_selected, rng):
        time.sleep(60)

class Crasher(FisherSelector):
    def _rank(self, data, n_selected, rng):
        import os
        os._exit(3)

class Fails(FisherSelector):
    def _rank(self, data, n_selected, rng):
        raise RuntimeError("no luck")

for kind in (Sleeper, Crasher, Fails):
    register_method(kind.__name__.lower(), kind, is_random=False)
"""


def silent(case, record):
    """Watch nothing."""


@pytest.fixture
def plugin(tmp_path):
    path = tmp_path / "odd_methods.py"
    path.write_text(PLUGIN)
    return path


@pytest.fixture
def store(tmp_path):
    return Store(tmp_path / "results.jsonl")


def job(method, **details):
    return Job(Case("breast_cancer", method, 3, 0, **details), ("svm",))


def test_a_known_selection_is_scored_and_not_made_again(make_record):
    case = Case("breast_cancer", "fisher", 3, 0)
    # A selection that Fisher would never make: if it stays, nothing was selected anew.
    known = make_record("breast_cancer", "fisher", 3, selected=[9, 11, 14], accuracies={})
    record = execute(Job(case, ("svm", "knn"), known), Circumstances())
    assert record.selected == [9, 11, 14]
    assert set(record.accuracies) == {"svm", "knn"}


def test_what_the_store_has_is_not_run_again(make_record, as_read):
    cases = grid(["usps"], ["rigl"], [50], range(4))
    records = as_read(
        [
            make_record(seed=0),
            replace(make_record(seed=1), status=FAILED, accuracies={}),
            replace(make_record(seed=2), status=REFUSED, accuracies={}),
        ]
    )
    assert [j.case.seed for j in outstanding(cases, ["svm"], records)] == [3]
    assert [j.case.seed for j in outstanding(cases, ["svm"], records, retry=True)] == [1, 3]
    (scoring, _) = outstanding(cases, ["svm", "knn"], records)
    assert scoring.learners == ("knn",)
    assert scoring.known == records[scoring.case.key]


def test_for_times_a_case_that_did_not_run_alone_is_run_again(make_record, as_read):
    cases = grid(["usps"], ["rigl"], [50], range(2))
    records = as_read([make_record(seed=0, is_alone=True), make_record(seed=1)])
    assert [j.case.seed for j in outstanding(cases, ["svm"], records, is_timed=True)] == [1]


def test_whatever_happens_to_a_case_is_a_row_and_the_others_go_on(store, plugin):
    jobs = [job(name) for name in ("sleeper", "crasher", "fails", "fisher")]
    jobs.append(Job(Case("breast_cancer", "lightgbm", 999, 0), ("svm",)))
    # Less than a process takes to start: that time must not count.
    options = Options(n_jobs=2, limit=1.0, circumstances=Circumstances(plugins=(plugin,)))
    run(jobs, store, options, silent)
    records = {record.case.method: record for record in store.read().values()}
    assert records["fisher"].status == DONE
    assert len(records["fisher"].selected) == 3
    assert records["fisher"].is_alone is False
    assert (records["sleeper"].status, records["sleeper"].reason) == (
        OVERDUE,
        "not finished after 1 s",
    )
    assert records["crasher"].status == FAILED
    assert "process died" in records["crasher"].reason
    assert (records["fails"].status, records["fails"].reason) == (FAILED, "RuntimeError: no luck")
    assert records["lightgbm"].status == FAILED
    assert "from 1 to 30" in records["lightgbm"].reason


@pytest.mark.skipif(os.name == "nt", reason="Windows sends signals differently")
def test_an_interrupt_is_for_the_process_that_started_the_others():
    started = runner._Worker(Circumstances(), Options())
    try:
        started.start()
        # A terminal sends it to all, also to those that are still starting.
        os.kill(started._process.pid, signal.SIGINT)
        started.begin(job("fisher"))
        record = None
        while record is None:
            assert wait([started.connection], timeout=60)
            record = started.poll()
        assert record.status == DONE, record.reason
    finally:
        started.job = None
        started.end()


@pytest.mark.parametrize("found", [(3, 20), ()])
def test_on_clean_splits_a_method_is_scored_with_the_columns_it_finds(monkeypatch, found):
    class Finder(FisherSelector):
        def fit(self, X, y):
            raise RefusalError("Finder", "too_few", "it found fewer", found=found)

    monkeypatch.setattr(worker, "make_selector", lambda *_, **__: Finder(5))
    clean = execute(Job(Case("breast_cancer", "fisher", 5, 0, "clean"), ("knn",)), Circumstances())
    assert (clean.status, tuple(clean.selected), clean.reason) == (DONE, found, "it found fewer")
    if found:
        assert clean.accuracies["knn"] > 80
    else:  # 72 of 114 test cases are of the larger class
        assert clean.accuracies["knn"] == pytest.approx(100 * 72 / 114)
    paper = execute(Job(Case("breast_cancer", "fisher", 5, 0, "paper"), ("knn",)), Circumstances())
    assert (paper.status, paper.reason) == (REFUSED, "too_few: it found fewer")


def test_a_refusal_is_a_row_with_its_reason():
    record = execute(job("fisher", settings={"task": "regression"}), Circumstances())
    assert record.status == REFUSED
    assert record.reason.startswith("task: it does classification only")
    assert not record.selected


def test_a_record_says_what_it_ran_on():
    record = execute(job("fisher"), Circumstances())
    assert record.versions["scikit-learn"]
    assert record.machine["cores"] == os.cpu_count()
    assert record.shape == {"n_features": 30, "n_train": 455, "n_test": 114}
    assert record.settings["n_features_to_select"] == 3
    assert record.started.endswith("+00:00")
    json.dumps(record.to_json())


SCALES = """
from entryprune.baselines import L1Selector, register_method

class OwnScale(L1Selector):
    pass

register_method("own-scale", OwnScale, is_random=False, keeps_scale=True)
"""


def test_only_a_scaling_that_repeats_the_protocols_is_switched_off(tmp_path):
    (tmp_path / "scales.py").write_text(SCALES)
    load_plugins([tmp_path / "scales.py"])
    assert execute(job("l1"), Circumstances()).settings["scale"] is None
    assert execute(job("own-scale"), Circumstances()).settings["scale"] == "minmax"
    asked = execute(job("l1", settings={"scale": "standard"}), Circumstances())
    assert asked.settings["scale"] == "standard"


@pytest.mark.usefixtures("threads_for_processes")
def test_a_record_says_how_many_threads_a_case_had(store):
    options = Options(circumstances=Circumstances(n_threads=2))
    jobs = [job("extra-trees"), Job(Case("breast_cancer", "fisher", 999, 0), ("svm",))]
    run(jobs, store, options, silent)
    records = [json.loads(line) for line in store.path.read_text().splitlines()]
    assert [record["n_threads"] for record in records] == [2, 2]
    assert next(r for r in records if r["status"] == DONE)["settings"]["n_jobs"] == 2
    # One thread is said too, not left out as a default.
    assert execute(job("fisher"), Circumstances()).to_json()["n_threads"] == 1


def truth(dataset, method, k, seed=0):
    return execute(Job(Case(dataset, method, k, seed, "truth"), ()), Circumstances())


def test_recall_is_the_share_of_the_true_columns_whatever_their_order():
    # A forest sees an exclusive-or among few columns; the selected ones are named as in the table.
    record = truth("xor-4", "extra-trees", 2, seed=3)
    assert (sorted(record.selected), record.measures["recall"]) == ([0, 1], 1.0)
    # The score that sees one column at a time finds both effects of the sum, and two others.
    record = truth("ring-xor-sum-8", "fisher", 4)
    assert {4, 5} <= set(record.selected)
    assert record.measures["recall"] == len(set(record.selected) & set(range(6))) / 6


def test_after_six_folds_the_data_are_made_anew(monkeypatch):
    loaded = []
    monkeypatch.setattr(
        worker, "load_dataset", lambda name, folder: loaded.append(name) or load_dataset(name)
    )
    worker._dataset.cache_clear()
    for seed in (0, 5, 6, 12):
        truth("xor-5", "fisher", 2, seed)
    assert loaded == ["xor-5", "xor-5-seed1", "xor-5-seed2"]


def test_quantities_are_selected_for_as_such_and_noise_has_no_recall():
    record = truth("friedman1-10", "extra-trees", 5)
    assert record.settings["task"] == "regression"
    assert record.measures["recall"] == 1.0
    assert truth("friedman1-10", "fisher", 5).status == REFUSED
    assert "recall" not in truth("noise-10", "fisher", 3).measures


def test_where_data_are_not_scaled_a_selector_scales_as_it_would():
    assert truth("xor-5", "l1", 2).settings["scale"] == "minmax"


def test_logistic_regression_scores_whatever_the_scale():
    case = Case("breast_cancer", "fisher", 3, 0)
    record = execute(Job(case, ("logistic",)), Circumstances())
    assert record.accuracies["logistic"] > 85
    X = np.arange(20.0).reshape(-1, 1)
    y = (X.ravel() > 9.5).astype(int)
    one, other = (get_learner("logistic").make(0).fit(scale * X, y) for scale in (1, 1000))
    np.testing.assert_allclose(one[-1].coef_, other[-1].coef_)


def test_a_selector_that_reports_rotations_leaves_curves():
    settings = {"patience": 3, "batches_per_rotation": 3}
    record = execute(job("entryprune", settings=settings), Circumstances())
    assert record.status == DONE, record.reason
    n = int(record.measures["rotations"])
    assert {len(curve) for curve in record.curves.values()} == {n}
    assert record.measures["own_accuracy"] > 50
    assert record.measures["epochs"] > 0


@pytest.mark.usefixtures("threads_for_processes")
def test_a_plan_that_asks_for_more_as_results_come_in_is_followed_to_its_end(store):
    def plan(records):
        known = [k for k in (1, 2, 3) if Case("breast_cancer", "fisher", k, 0).key in records]
        return [Case("breast_cancer", "fisher", k, 0) for k in range(1, min(len(known) + 2, 4))]

    run_all(plan, ["svm"], store, Options(), lambda n: silent)
    assert [record.case.k for record in store.read().values()] == [1, 2, 3]


RUN = [
    "bench", "run", "--datasets", "breast_cancer,wine", "--methods", "fisher,mrmr,extra-trees",
    "-k", "2,4", "--seeds", "3", "--store",
]  # fmt: skip


def without_circumstances(store):
    """Return what a run found, without times."""
    return {
        key: (record.status, record.selected, record.accuracies)
        for key, record in store.read().items()
    }


@pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="there is no SIGKILL on this system")
@pytest.mark.usefixtures("threads_for_processes")
def test_a_killed_run_goes_on_where_it_stopped_and_repeats_nothing(entryprune, tmp_path):
    whole, broken = Store(tmp_path / "whole.jsonl"), Store(tmp_path / "broken.jsonl")
    code, first, err = entryprune(*RUN, whole.path)
    assert code == 0, err
    process = subprocess.Popen(
        [sys.executable, "-m", "entryprune.cli", *RUN, broken.path],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    deadline = time.monotonic() + 120
    while len(broken.read()) < 4 and time.monotonic() < deadline:
        time.sleep(0.02)
    process.send_signal(signal.SIGKILL)
    process.wait()
    n_before = broken.path.read_bytes().count(b"\n")
    assert 4 <= n_before < len(whole.read()), "killed too early or too late to show anything"
    code, again, err = entryprune(*RUN, broken.path)
    assert code == 0, err
    assert without_circumstances(broken) == without_circumstances(whole)
    # One line for each case: none was run twice.
    assert broken.path.read_bytes().count(b"\n") == len(whole.read())
    assert _accuracy_columns(again) == _accuracy_columns(first)


def _accuracy_columns(markdown):
    """Return the table without the columns of seconds."""
    rows = [line.split("|") for line in markdown.splitlines() if line.startswith("|")]
    kept = [place for place, cell in enumerate(rows[0]) if not cell.strip().startswith("seconds")]
    return [[row[place].strip() for place in kept] for row in rows if ":-" not in row[1]]


@pytest.mark.parametrize(
    ("status", "details", "expected"),
    [
        ("done", {"seconds": 1.25, "accuracies": {"svm": 91.5}}, "svm 91.50 % | 1.2 s"),
        ("done", {"measures": {"recall": 0.5}}, "recall 0.50"),
        ("overdue", {"reason": "after 60 s"}, "overdue, after 60 s"),
    ],
)
def test_a_case_that_ended_is_told_in_a_line(status, details, expected):
    assert describe(Record(Case("digits", "fisher", 10, 0), status, **details)) == expected
