import json
from dataclasses import asdict

import numpy as np
import pytest

from entryprune.report import (
    ComparisonReport,
    Contender,
    DataFacts,
    Frequencies,
    Interruption,
    Provenance,
)


def of(k, scores, method="STG", **changes):
    facts = {"learner": "ridge", "metric": "accuracy", "fold_scores": scores, "sd": 0.1}
    mean = float(np.mean(scores)) if len(scores) else None
    return Contender(**{**facts, "method": method, "k": k, "mean": mean, **changes})


def summary(contenders, counts=(), command="entryprune compare a.csv", **changes):
    data = DataFacts(
        file_name="a.csv",
        n_samples=9,
        n_features=99,
        target="y",
        task="classification",
        class_counts=counts,
    )
    provenance = Provenance(command=command)
    return ComparisonReport(data=data, contenders=contenders, provenance=provenance, **changes)


def test_the_facts_are_plain():
    facts = summary(
        [of(5, np.array([0.5, 0.6])), of(np.int64(9), [0.5, float("nan")], mean=float("nan"))],
        references=[of(99, [0.5, 0.6])],
        controls=[of(5, [0.4, 0.7])],
        guesses=[of(0, [0.5, 0.5])],
        frequencies=[Frequencies(method="STG", k=1, n_times=2, counts=[("a", 1, np.int64(2))])],
    )
    plain = [asdict(one) for one in (*facts.judgements, *facts.selected_often)]
    assert len(json.loads(json.dumps([*plain, facts.rows()], allow_nan=False))) == 3


def test_rows_are_the_methods_and_what_to_compare_them_with():
    report = summary(
        [of(5, [0.5, 0.6]), of(9, [0.7, 0.9], "L1")],
        references=[of(99, [0.5, 0.6], "all features")],
        controls=[of(5, [0.4, 0.7], "random features")],
        guesses=[of(0, [0.5, 0.5], "guessing")],
    )
    rows = report.rows()
    assert [(row["method"], row["K"]) for row in rows] == [
        ("STG", 5), ("L1", 9), ("all features", 99), ("random features", 5), ("guessing", 0),
    ]  # fmt: skip
    assert [row["gain"] for row in rows] == pytest.approx([0.0, 0.25, None, 0.0, -0.05])
    assert rows[1]["gain_low"] < 0.25 < rows[1]["gain_high"]


def test_those_that_are_as_good_are_named_but_not_all_of_many():
    ones = [of(5 + i, np.roll([0.9, 0.5, 0.7], i) - 0.001 * (i != 20)) for i in range(30)]
    (judgement,) = summary(ones).judgements
    (named,) = [text for text in judgement.sureness if text.startswith("Not clearly worse")]
    assert named.count("STG") == 5
    assert " more." in named


def test_each_learner_and_metric_is_judged_apart():
    facts = summary(
        [of(5, [0.9, 0.8]), of(5, [3.0, 4.0], metric="log loss", higher_is_better=False)]
    )
    assert [one.metric for one in facts.judgements] == ["accuracy", "log loss"]


def test_only_what_is_to_be_used_is_a_choice():
    everything = of(99, [0.9, 0.9, 0.9], "all features")
    (kept,) = summary([of(5, [0.5, 0.5, 0.5])], references=[everything]).judgements
    assert (kept.kind, kept.named, kept.choice) == ("keep all", 0, None)
    (used,) = summary([of(5, [0.95, 0.95, 0.95])], references=[everything]).judgements
    assert (used.kind, used.choice) == ("use", 0)


def test_nothing_to_compare_is_refused():
    with pytest.raises(ValueError, match="nothing to compare"):
        summary([])


# -- uneven classes -----------------------------------------------------------------------------


def test_uneven_classes_are_told_unless_another_measure_is_taken():
    counts = [("no", 90), ("yes", 10)]
    (remark,) = summary([of(5, [0.9, 0.8])], counts).remarks
    assert "--metric balanced-accuracy or --metric auc says more" in remark
    balanced = summary([of(5, [0.9, 0.8], metric="balanced accuracy (%)")], counts)
    assert not balanced.remarks
    # How large the largest class is is told all the same.
    majority = "The most frequent class, no, has 90.0 % of the samples."
    assert balanced.judgements[0].sureness[-1] == majority


# -- runs that were interrupted -----------------------------------------------------------------


def test_who_has_fewer_folds_is_told_by_method_and_k():
    full, few = {"n_folds": 7}, {"n_folds": 2}
    ones = [
        of(5, [0.5] * 7, "L1", **full),
        of(9, [], "L1", mean=0.6, **few),
        of(5, [], mean=0.6, **few),
        of(9, [], n_folds=0),
    ]
    report = summary(
        ones,
        references=[of(99, [0.6] * 7, "all features", **full)],
        interrupted=Interruption(n_folds=10, n_compared=7),
    )
    assert report.interruption == (
        "Interrupted: all that is said here comes from 7 of 10 folds, those that were finished by "
        "then. Fewer are finished, so that these are not compared: 2 folds of L1 (K = 9), STG "
        "(K = 5); none of STG (K = 9)."
    )
    assert summary(ones).interruption == ""


def test_before_a_whole_round_all_are_told_with_their_folds():
    ones = [of(5, [], "L1", mean=0.6, n_folds=1), of(9, [], n_folds=0)]
    report = summary(
        ones,
        references=[of(99, [], "all features", mean=0.7, n_folds=1)],
        guesses=[of(0, [0.5] * 10, "guessing")],
        interrupted=Interruption(n_folds=10, n_compared=0),
    )
    assert report.interruption == (
        "Interrupted: this is what was finished of 10 folds, less than the 5 of each that a "
        "verdict takes. Finished: 1 fold of all features, L1 (K = 5); none of STG (K = 9)."
    )
    assert report.judgements[0].kind == "not known"
    assert "Use " not in report.judgements[0].statement
