import math

import pytest

from entryprune.report import Predictions, Validation
from entryprune.report.headline import gain_over, headline


def folds(scores, *, is_all=False, guess=60.0, metric="accuracy (%)", **changes):
    facts = {"what": "all" if is_all else "selected", "learner": "svm", "metric": metric}
    facts |= {"mean": sum(scores) / len(scores), "sd": 1.0, "n_splits": 5, "is_all": is_all}
    facts |= {"guesses": [] if guess is None else [guess] * len(scores)}
    return Validation(**facts | {"fold_scores": scores} | changes)


ALL = folds([97, 98, 97, 98, 97], is_all=True)


def text_of(build, selected, everything=ALL, **changes):
    found = headline([everything, selected], build.data(n_features=64, **changes), 10)
    return found.text


def test_the_standard_error_allows_for_shared_samples():
    # Gaps of 1, 2, 3, 4 and 5 have the variance 2.5; one fold of five is 1 / 4 of the others.
    one = folds([11, 12, 13, 14, 15])
    gap = gain_over(one, [10] * 5)
    assert gap.mean == pytest.approx(3.0)
    assert gap.standard_error == pytest.approx(math.sqrt((1 / 5 + 1 / 4) * 2.5))
    assert gain_over(one, [10] * 4) is None
    assert gain_over(folds([10]), [5]) is None


def test_lower_may_be_better():
    one = folds([1, 2, 1, 2, 1], higher_is_better=False)
    assert gain_over(one, [5] * 5).is_gain


def test_a_clear_loss_is_told_with_its_size(build):
    assert text_of(build, folds([85, 86, 85, 86, 85])) == (
        "10 features lose 12.0 points of accuracy against all 64: 85.4 % instead of 97.4 %, where "
        "always guessing the most frequent class gives 60.0 %."
    )


def test_a_clear_gain_is_told_with_its_size(build):
    assert "10 features gain 2.0 points of accuracy over all 64: 99.4 %" in text_of(
        build, folds([99, 100, 99, 100, 99])
    )


def test_no_clear_difference_is_told_with_how_far_that_goes(build):
    assert text_of(build, folds([96, 99, 96, 99, 97])).startswith(
        "10 features do as well as all 64, as far as 60 samples can tell: accuracy 97.4 % instead "
        "of 97.4 %, where "
    )
    # More than one standard error behind, and 0 is within the interval.
    assert "10 features do not clearly worse than all 64, as" in text_of(
        build, folds([90, 98, 95, 98, 92])
    )


def test_one_feature_is_one(build):
    data = build.data(n_features=64)
    assert headline([ALL, folds([85, 86, 85, 86, 85])], data, 1).text.startswith("1 feature loses ")


@pytest.mark.parametrize(
    ("scores", "said"),
    [
        ([50, 55, 60, 50, 55], "Nothing here: 10 features predict “diagnosis” no better than"),
        ([60, 80, 55, 75, 60], "Nothing sure here: 10 features predict “diagnosis” not clearly"),
        ([60, 60, 60, 60, 60], "Nothing here: "),
    ],
)
def test_no_better_than_a_guess_is_told_first(build, scores, said):
    found = headline([folds([60, 61, 59, 60, 60], is_all=True), folds(scores)], build.data(), 10)
    assert found.text.startswith(said)
    assert "always guessing the most frequent class: accuracy" in found.text
    assert "instead of 60.0 %" in found.text
    assert found.is_nothing
    assert "all 10,000 reach" not in found.text


def test_all_features_that_do_better_than_a_guess_are_told(build):
    assert text_of(build, folds([60] * 5)).endswith("; all 64 reach 97.4 %.")


def test_a_rare_class_may_be_ranked_well_though_nobody_is_predicted_to_have_it(build):
    true = ["no"] * 90 + ["yes"] * 10
    scores = [i / 100 for i in range(100)]
    ranked = Predictions(
        task="classification", true=true, predicted=["no"] * 100, scores=scores, second="yes"
    )
    found = headline([folds([90] * 5, guess=90.0)], build.data(), 3, ranked)
    assert not found.is_nothing
    assert found.text == (
        "3 features predict “diagnosis” no better than always guessing the most frequent class: "
        "accuracy 90.0 % instead of 90.0 %, though samples are ranked better than by chance (AUC "
        "1.00)."
    )


def test_a_quantity_is_compared_with_its_mean(build):
    metric = "explained variance (%)"
    ones = [folds([40, 42, 41, 40, 43], guess=0.0, metric=metric)]
    found = headline(ones, build.data(task="regression", class_counts=()), 4)
    assert found.text == (
        "4 features predict “diagnosis” with explained variance 41.2 %, where always guessing the "
        "mean gives 0 %."
    )


def test_a_guess_is_beaten_fold_by_fold(build):
    # A mean of 3 is not clearly above -18.8 throughout, but above these, each in its fold.
    scores, guesses = [40, -60, 25, -20, 30], [20, -84, 4, -42, 8]
    facts = {"guesses": guesses, "metric": "explained variance (%)"}
    text = headline([folds(scores, **facts)], build.data(task="regression"), 4).text
    assert text.endswith("explained variance 3.0 %, where always guessing the mean gives -18.8 %.")
    assert headline([folds(scores, **facts | {"guesses": [-18.8] * 5})], build.data(), 4).is_nothing
    # A fold without a guess, as where all of its targets are the same, leaves the mean of the rest.
    assert folds([1.0, 2.0], guesses=[math.nan, 5.0]).guess == 5.0


def test_without_scores_there_is_no_verdict(build):
    assert headline([], build.data(), 3) is None
    assert headline([ALL], build.data(), 3) is None
    assert headline([folds([1.0], guess=None)], build.data(), 3) is None
    # One fold has no standard error, so that nothing is said of differences.
    one = headline([folds([90.0]), folds([95.0], is_all=True)], build.data(), 3).text
    assert one.startswith(
        "3 features predict “diagnosis” with accuracy 90.0 % (all 10,000: 95.0 %)"
    )


def test_numbers_that_the_folds_decided_on_are_told_with_their_score(build):
    found = text_of(build, folds([85, 86, 85, 86, 85], sizes=[3, 4, 9, 10, 10]))
    assert found.startswith(
        "Selections of 3 to 10 features, as each fold decides, lose 12.0 points of accuracy"
    )
    assert text_of(build, folds([85, 86, 85, 86, 85], sizes=[10] * 5)).startswith("10 features")
