import json
import math
from dataclasses import asdict

import numpy as np
import pytest

from entryprune.report import (
    ComparisonReport,
    Contender,
    DataFacts,
    Frequencies,
    Provenance,
)
from entryprune.report.comparison import judge, stability


def of(k, scores, method="STG", **changes):
    facts = {"learner": "ridge", "metric": "accuracy", "fold_scores": scores, "sd": 0.1}
    mean = float(np.mean(scores)) if len(scores) else None
    return Contender(**{**facts, "method": method, "k": k, "mean": mean, **changes})


def summary(contenders, **changes):
    data = DataFacts(
        file_name="a.csv", n_samples=9, n_features=99, target="y", task="classification"
    )
    provenance = Provenance(command="entryprune compare a.csv")
    return ComparisonReport(data=data, contenders=contenders, provenance=provenance, **changes)


# -- the rule -----------------------------------------------------------------------------------


def test_the_rule_goes_by_differences_over_the_same_folds():
    # Folds differ much more than contenders do: apart, the means could not be told from each other.
    folds = np.array([0.5, 0.7, 0.9])
    verdict = judge([of(5, folds), of(9, folds + np.array([0.010, 0.011, 0.012]))])
    assert verdict.choice == verdict.best == 1
    assert verdict.standings[0].verdict == "worse"
    assert verdict.standings[0].behind == pytest.approx(0.011)
    assert verdict.standings[0].standard_error == pytest.approx(0.001 / math.sqrt(3))


def test_the_smallest_within_one_standard_error_is_chosen():
    best = [0.80, 0.90, 0.85, 0.95]
    near = [0.79, 0.91, 0.84, 0.95]
    far = [0.5, 0.6, 0.5, 0.6]
    verdict = judge([of(50, best), of(20, near), of(10, near), of(5, far)])
    assert (verdict.best, verdict.choice) == (0, 2)
    assert [one.verdict for one in verdict.standings] == [
        "best",
        "not clearly worse",
        "not clearly worse",
        "worse",
    ]


def test_lower_is_better_turns_all_round():
    ones = [
        of(5, [3.0, 3.1, 3.2], higher_is_better=False),
        of(9, [1, 1, 1], higher_is_better=False),
    ]
    assert judge(ones).best == 1
    assert judge(ones).standings[0].behind > 0


def test_of_equals_the_one_with_fewer_features_is_best():
    verdict = judge([of(9, [0.5, 0.7]), of(5, [0.5, 0.7])])
    assert verdict.best == verdict.choice == 1
    # No difference at all is none that is clear.
    assert verdict.standings[0].verdict == "not clearly worse"


def test_a_constant_difference_is_clear():
    assert judge([of(5, [0.25, 0.25]), of(9, [0.5, 0.5])]).standings[0].verdict == "worse"


@pytest.mark.parametrize("scores", [(), (0.5,), (0.5, 0.6, 0.7), (0.5, float("nan"))])
def test_without_the_same_folds_it_cannot_be_told(scores):
    other = of(5, scores, mean=0.4)
    assert judge([of(9, [0.5, 0.6]), other]).standings[1].verdict == "not known"


def test_missing_scores_are_passed_over():
    gone = of(1, (), mean=None)
    nan = of(2, (), mean=float("nan"))
    verdict = judge([gone, nan, of(9, [0.5, 0.6])])
    assert verdict.best == 2
    assert [one.verdict for one in verdict.standings[:2]] == ["no score"] * 2
    assert judge([gone, nan]) is None


# -- the facts ----------------------------------------------------------------------------------


def test_the_facts_are_plain():
    facts = summary(
        [of(5, np.array([0.5, 0.6])), of(np.int64(9), [0.5, float("nan")], mean=float("nan"))],
        references=[of(99, [0.5, 0.6])],
        frequencies=[Frequencies(method="STG", k=1, n_times=2, counts=[("a", 1, np.int64(2))])],
    )
    plain = [asdict(one) for one in (*facts.judgements, *facts.selected_often)]
    assert len(json.loads(json.dumps([*plain, facts.rows()], allow_nan=False))) == 3


def test_the_best_itself_needs_no_explanation():
    (one,) = summary([of(5, [0.9, 0.8, 0.9]), of(9, [0.5, 0.5, 0.6])]).judgements
    assert one.sureness[0] == "It has the best (highest) mean of all."
    assert one.sureness[1].endswith("1 of 1 other.")


def test_those_that_are_as_good_are_named_but_not_all_of_many():
    ones = [of(5 + i, np.roll([0.9, 0.5, 0.7], i) - 0.001 * (i != 20)) for i in range(30)]
    (judgement,) = summary(ones).judgements
    (named,) = [text for text in judgement.sureness if text.startswith("Not clearly worse")]
    assert named.count("STG") == 5
    assert " more." in named


def test_one_contender_has_nothing_to_be_compared_with():
    (judgement,) = summary([of(5, [0.9, 0.8])]).judgements
    assert judgement.sureness == ()
    assert judgement.statement.startswith("Use STG with K = 5")


def test_each_learner_and_metric_is_judged_apart():
    facts = summary(
        [of(5, [0.9, 0.8]), of(5, [3.0, 4.0], metric="log loss", higher_is_better=False)]
    )
    assert [one.metric for one in facts.judgements] == ["accuracy", "log loss"]


def test_nothing_to_compare_is_refused():
    with pytest.raises(ValueError, match="nothing to compare"):
        summary([])


# -- stability ----------------------------------------------------------------------------------


def by_definition(masks):
    """Return the measure of Nogueira and others from the selections themselves."""
    n_times, n_features = masks.shape
    k = masks.sum() / n_times
    return 1 - masks.var(axis=0, ddof=1).mean() / (k / n_features * (1 - k / n_features))


def counted(masks):
    counts = [(f"f{i}", i, int(n)) for i, n in enumerate(masks.sum(axis=0)) if n]
    return Frequencies(method="STG", k=int(masks[0].sum()), n_times=len(masks), counts=counts)


def test_stability_is_that_of_the_selections():
    rng = np.random.default_rng(0)
    masks = np.array([rng.permutation(40) < 7 for _ in range(6)])
    assert stability(counted(masks), 40) == pytest.approx(by_definition(masks))


def test_random_sets_have_about_none():
    rng = np.random.default_rng(0)
    values = [
        stability(counted(np.array([rng.permutation(50) < 10 for _ in range(5)])), 50)
        for _ in range(200)
    ]
    assert abs(np.mean(values)) < 0.02


@pytest.mark.parametrize(
    ("n_times", "k", "n_features"), [(1, 1, 9), (2, 2, 9), (2, 1, 1)], ids=["once", "part", "all"]
)
def test_stability_that_cannot_be_told_is_not(n_times, k, n_features):
    one = Frequencies(method="STG", k=k, n_times=n_times, counts=[("a", 1, n_times)])
    assert stability(one, n_features) is None
