"""The stability selector on tables with known truth, and as scikit-learn wants it."""

import inspect
import re

import numpy as np
import pandas as pd
import pytest
from sklearn.base import BaseEstimator, clone
from sklearn.feature_selection import SelectKBest, SelectorMixin
from sklearn.pipeline import make_pipeline
from sklearn.svm import SVC
from sklearn.utils.estimator_checks import parametrize_with_checks

from entryprune import (
    EntryPruneClassifier,
    EntryPruneRegressor,
    NothingLearnedWarning,
    StabilitySelector,
)
from entryprune.baselines import make_selector
from entryprune.confidence.alike import representatives
from entryprune.confidence.verdicts import expected_false


class Scripted(SelectorMixin, BaseEstimator):
    """Selects column 0, and column 1 or 2 by the sign of the first value."""

    def __init__(self, n_features_to_select=2):
        self.n_features_to_select = n_features_to_select

    def fit(self, X, y):
        self.n_features_in_ = X.shape[1]
        self.support_ = np.zeros(X.shape[1], dtype=bool)
        self.support_[[0, 1 if X[0, 0] > 0 else 2]] = True
        return self

    def _get_support_mask(self):
        return self.support_


@pytest.fixture
def table():
    """Two columns of forty decide, and one is a copy of the second with a little noise."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(160, 40))
    X[:, 2] = X[:, 1] + 0.05 * rng.normal(size=160)
    return X, (1.5 * X[:, 0] + X[:, 1] + 0.3 * rng.normal(size=160) > 0).astype(int)


def fast(n_features=None, **parameters):
    inner = make_selector("fisher", 3)
    parameters = {"estimator": inner, "n_pairs": 15, "random_state": 0, **parameters}
    return StabilitySelector(n_features, **parameters)


def test_frequencies_are_shares_of_the_half_samples():
    X = np.random.default_rng(0).normal(size=(20, 5))
    selector = StabilitySelector(
        estimator=Scripted(), n_features_per_fit=2, n_pairs=10, shadows=False, random_state=0
    ).fit(X, [0, 1] * 10)
    assert selector.frequencies_[0] == 1
    assert selector.frequencies_[1] + selector.frequencies_[2] == pytest.approx(1)
    assert selector.frequencies_[3:].tolist() == [0, 0]
    assert len(selector.selections_) == 20
    counted = np.bincount(np.concatenate(selector.selections_), minlength=5) / 20
    assert selector.frequencies_ == pytest.approx(counted)


def test_the_interval_of_a_frequency_is_wilsons():
    X = np.random.default_rng(0).normal(size=(20, 5))
    selector = StabilitySelector(estimator=Scripted(), n_pairs=10, shadows=False).fit(
        X, [0, 1] * 10
    )
    # Never in 20: from 0 to z^2 / (20 + z^2); always: the mirror image.
    limit = 1.959964**2 / (20 + 1.959964**2)
    assert selector.frequency_intervals_[4] == pytest.approx([0, limit])
    assert selector.frequency_intervals_[0] == pytest.approx([1 - limit, 1])


def test_what_matters_is_confirmed_and_noise_is_rejected(table):
    selector = fast().fit(*table)
    assert selector.verdicts_[0] == "confirmed"
    assert (selector.verdicts_[3:] != "confirmed").all()
    assert (selector.verdicts_[3:] == "rejected").mean() > 0.9
    assert len(selector.shadow_frequencies_) == 40
    assert selector.frequencies_[0] > selector.shadow_frequencies_.max()


def test_a_threshold_can_be_changed_after_the_fit(table):
    X, y = table
    selector = fast(threshold=0.3).fit(X, y)
    low, bound = selector.get_support(), selector.expected_false_
    frequencies = selector.frequencies_.copy()
    selector.set_params(threshold=1.0)
    assert selector.get_support().sum() <= low.sum()
    assert (selector.get_support() == (frequencies == 1)).all()
    assert selector.expected_false_ < bound
    assert (selector.frequencies_ == frequencies).all()


def test_the_bound_counts_shadows_and_what_each_fit_selects(table):
    selector = fast(threshold=0.9, n_features_per_fit=4).fit(*table)
    assert selector.expected_false_ == pytest.approx(expected_false(80, 4, 0.9, 15))
    assert selector.expected_false_at(0.8) == pytest.approx(expected_false(80, 4, 0.8, 15))
    threshold = selector.threshold_for(0.3)
    assert (
        selector.expected_false_at(threshold) <= 0.3 < selector.expected_false_at(threshold - 0.05)
    )


def test_the_share_of_false_ones_is_told_by_shadows():
    X = np.random.default_rng(0).normal(size=(20, 3))
    selector = StabilitySelector(estimator=Scripted(), n_pairs=10, threshold=0.5).fit(
        X, [0, 1] * 10
    )
    # The script never takes a shadow: one may be false of all at or above the threshold.
    above = (selector.frequencies_ >= 0.5).sum()
    assert selector.false_proportion_ == pytest.approx(1 / above)


def test_columns_that_stand_in_for_each_other_are_a_group_with_a_verdict(table):
    X, y = table
    selector = StabilitySelector(
        estimator=make_selector("mrmr", 2), n_features_per_fit=2, n_pairs=25, random_state=0
    ).fit(X, y)
    (group,) = [one for one in selector.groups_ if set(one.features) == {1, 2}]
    assert group.frequency > selector.frequencies_[[1, 2]].max()
    assert group.verdict == "confirmed"


def test_fits_count_as_far_as_they_agree_and_as_far_again():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(120, 500))
    y = np.arange(120) % 2
    X[:, 10:16] += 2 * y[:, None]

    def fitted(n_features=None, **parameters):
        return fast(n_features, **parameters).fit(X, y)

    selector = fitted()
    assert selector.n_features_per_fit_ == 12  # of 22
    assert {len(one) for one in selector.selections_} <= set(range(13))
    assert all((np.diff(one) > 0).all() for one in selector.selections_)
    assert selector.selected_indices_.tolist() == list(range(10, 16))
    assert selector.expected_false_ == pytest.approx(
        expected_false(1000, 12, selector._asked, n_pairs=15)
    )
    counted = np.bincount(np.concatenate(selector.selections_), minlength=500) / 30
    assert selector.frequencies_ == pytest.approx(counted)
    # What is asked for is taken as it is.
    assert fitted(n_features_per_fit=22).n_features_per_fit_ == 22
    assert fitted(20).n_features_per_fit_ == 20
    assert fitted(estimator=Scripted()).n_features_per_fit_ == 22  # in no order


def test_features_that_are_always_kept_are_no_agreement():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(40, 60)), np.arange(40) % 2
    kept = EntryPruneClassifier(8, keep=list(range(6)))
    with pytest.warns(NothingLearnedWarning):
        selector = StabilitySelector(estimator=kept, n_pairs=3, random_state=0).fit(X, y)
    assert selector.n_features_per_fit_ == 8 + 6  # the usual number and those that are kept


def test_exactly_as_many_as_are_asked_for(table):
    selector = fast(2, n_features_per_fit=3).fit(*table)
    assert selector.get_support().sum() == 2
    assert 0 in selector.selected_indices_
    assert not {1, 2} <= set(selector.selected_indices_)
    assert (selector.ranking_[selector.selected_indices_] == [1, 2]).all()
    assert sorted(selector.ranking_) == list(range(1, 41))


def test_exactly_so_many_are_chosen_on_all_samples_among_the_most_frequent(table):
    X, y = (some[:40] for some in table)  # no more samples than features
    selector = fast(3, n_features_per_fit=4).fit(X, y)
    often = np.argsort(-selector.frequencies_, kind="stable")[:6]
    best = often[make_selector("fisher", 3).fit(X[:, often], y).selected_indices_]
    assert set(selector.selected_indices_) == set(best)
    chosen = selector.frequencies_[selector.selected_indices_]
    assert (np.diff(chosen) <= 0).all()


def test_of_more_samples_than_features_those_are_taken_that_stand_for_the_others(table):
    X, y = table
    selector = fast(3, n_features_per_fit=4).fit(X, y)
    expected = representatives(selector.frequencies_, X, 3)
    assert selector.selected_indices_.tolist() == expected.tolist()


def test_fewer_can_be_taken_after_the_fit_but_not_more(table):
    selector = fast(3, n_features_per_fit=3).fit(*table)
    best = selector.selected_indices_[:2].tolist()
    assert selector.set_params(n_features_to_select=2).selected_indices_.tolist() == best
    with pytest.raises(ValueError, match="is 4 now, and the fit was asked for 3"):
        selector.set_params(n_features_to_select=4).get_support()


def test_what_noise_reaches_is_not_confirmed_however_low_the_threshold(table):
    selector = fast(threshold=0.01).fit(*table)
    limit = selector.noise_limit_
    assert 0.2 < limit < 0.9
    assert (selector.frequencies_[selector.verdicts_ == "confirmed"] >= limit).all()
    assert (selector.frequencies_[3:] > selector.shadow_frequencies_.max()).any()
    assert selector.expected_false_ == selector.expected_false_at(limit)
    assert f"on at least {limit:.0%}".replace("%", " %") in selector.statement_


@pytest.mark.parametrize("name", ["l1", "mrmr", "extra-trees", "entryprune"])
def test_any_registered_selector_will_do(table, name):
    quick = {"extra-trees": {"n_estimators": 20}, "entryprune": {"max_rotations": 5}}
    inner = make_selector(name, 3, **quick.get(name, {}))
    selector = StabilitySelector(
        1, estimator=inner, n_features_per_fit=3, n_pairs=3, random_state=0
    ).fit(*table)
    assert selector.get_support().sum() == 1
    assert selector.frequencies_.sum() + selector.shadow_frequencies_.sum() == pytest.approx(3)


def test_a_quantity_is_what_the_selector_takes_for_one(table):
    # Whole numbers that all differ: no half has two samples of a class.
    X, _ = table
    y = np.argsort(np.argsort(X[:, 4]))
    for inner in (make_selector("l1", 1, task="regression"), EntryPruneRegressor(1)):
        selector = StabilitySelector(estimator=inner, n_pairs=3, random_state=0).fit(X, y)
        assert selector.frequencies_.argmax() == 4
    with pytest.raises(ValueError, match="only 0 of the 160 classes"):
        StabilitySelector(estimator=make_selector("fisher", 1), n_pairs=3).fit(X, y)


def test_a_wrong_number_of_features_is_explained(table):
    with pytest.raises(ValueError, match="or None for all that are confirmed; got 41"):
        fast(41).fit(*table)


def test_verdicts_go_by_the_shadows_that_there_were(table):
    selector = fast().fit(*table)
    verdicts = selector.verdicts_.tolist()
    assert selector.set_params(shadows=False).verdicts_.tolist() == verdicts


def test_the_same_seed_gives_the_same_answer_with_any_number_of_jobs(table):
    one, two = fast().fit(*table), fast(n_jobs=2).fit(*table)
    assert (one.frequencies_ == two.frequencies_).all()
    assert (one.shadow_frequencies_ == two.shadow_frequencies_).all()
    other = fast(random_state=1).fit(*table)
    assert (one.frequencies_ != other.frequencies_).any()


@pytest.mark.parametrize(
    ("threshold", "remedy"),
    [(1.0, "Lower threshold, or bring more samples."), (0.05, "Bring more samples.")],
)
def test_a_fit_on_noise_warns_and_says_what_helps(threshold, remedy):
    rng = np.random.default_rng(3)
    selector = StabilitySelector(
        estimator=make_selector("fisher", 2), threshold=threshold, n_pairs=20, random_state=0
    )
    with pytest.warns(NothingLearnedWarning) as caught:
        selector.fit(rng.normal(size=(60, 300)), rng.integers(0, 2, 60))
    assert not selector.get_support().any()
    # A lower threshold is of no use where noise alone reaches it.
    assert (selector.noise_limit_ < threshold) == remedy.startswith("Lower")
    assert str(caught[0].message) == f"{selector.statement_} {remedy}"


def test_the_statement_says_what_was_done(table):
    selector = fast(threshold=0.9).fit(*table)
    n_confirmed = (selector.verdicts_ == "confirmed").sum()
    words = {1: "one is", 2: "2 are", 3: "3 are"}[n_confirmed]
    assert selector.statement_ == (
        f"Of 40 features {words} confirmed: selected on at least 90 % of 30 half samples, with 6 "
        f"selected on each, and more often than any feature that cannot matter. Of features that "
        f"matter no more than chance, at most {selector.expected_false_:.2g} are to be expected "
        f"among them, on the average of such tables."
    )


def test_the_default_finds_a_quantity_too():
    rng = np.random.default_rng(0)
    X = pd.DataFrame(rng.normal(size=(80, 12)), columns=[f"gene {i}" for i in range(12)])
    y = 2 * X["gene 3"] - X["gene 7"] + 0.1 * rng.normal(size=80)
    selector = StabilitySelector(n_pairs=5, random_state=0).fit(X, y)
    assert list(selector.get_feature_names_out()) == ["gene 3", "gene 7"]


def test_it_works_in_a_pipeline(table):
    pipeline = make_pipeline(fast(), SVC())
    assert clone(pipeline).fit(*table).score(*table) > 0.8


def test_a_selector_without_a_number_of_features_is_refused(table):
    with pytest.raises(
        ValueError, match="must have a parameter n_features_to_select, and SelectKB"
    ):
        StabilitySelector(estimator=SelectKBest()).fit(*table)


def test_classes_of_one_sample_are_refused():
    with pytest.raises(ValueError, match="only 1 of the 3 classes in y have two samples or more"):
        fast().fit(np.random.default_rng(0).normal(size=(6, 3)), [0, 0, 0, 0, 1, 2])


def test_an_interrupted_fit_leaves_the_selector_as_it_was(table, monkeypatch):
    selector = fast().fit(*table)
    before = selector.frequencies_
    monkeypatch.setattr(
        "entryprune.confidence.stability.select_on_each",
        lambda *_, **__: (_ for _ in ()).throw(KeyboardInterrupt),
    )
    with pytest.raises(KeyboardInterrupt):
        selector.fit(*table)
    assert selector.frequencies_ is before


@pytest.mark.filterwarnings("ignore::entryprune.NothingLearnedWarning")
@pytest.mark.filterwarnings("ignore:No features were selected")
@parametrize_with_checks(
    [
        StabilitySelector(estimator=make_selector("fisher", 1), n_pairs=2, threshold=0.1),
        StabilitySelector(1, estimator=make_selector("fisher", 1), n_pairs=2),
    ],
    expected_failed_checks=lambda _: {
        f"check_sample_weight{rest}": "the selector inside takes no weights"
        for rest in (
            *("s_pandas_series", "s_not_an_array", "s_list", "s_shape", "s_not_overwritten"),
            "_equivalence_on_dense_data",
        )
    },
)
def test_scikit_learn_check(estimator, check):
    check(estimator)


def test_documented_defaults_are_those_of_the_signature():
    documented = dict(
        re.findall(r"^ {4}(\w+) : .*?default=(\S+)$", StabilitySelector.__doc__, flags=re.MULTILINE)
    )
    assert documented == {
        name: f'"{p.default}"' if isinstance(p.default, str) else repr(p.default)
        for name, p in inspect.signature(StabilitySelector).parameters.items()
    }
