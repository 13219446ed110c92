import math

import numpy as np
import pytest

from entryprune.report import Predictions, Validation
from entryprune.report.validation import gain_over, headline, roc_curve


def test_the_roc_curve_takes_samples_of_one_score_together():
    false, true = roc_curve([True, False, True, False], [3, 2, 2, 1])
    assert false.tolist() == [0, 0, 0.5, 1]
    assert true.tolist() == [0, 0.5, 1, 1]
    with pytest.raises(ValueError, match="samples of two classes"):
        roc_curve([True, True], [1, 2])


def test_the_area_is_the_share_of_pairs_in_the_right_order():
    rng = np.random.default_rng(0)
    scores, true = rng.integers(0, 9, 60), rng.choice(["a", "b"], 60)
    found = Predictions(task="classification", true=true, predicted=true, scores=scores, second="b")
    b, a = scores[true == "b"], scores[true == "a"]
    pairs = (b[:, None] > a) + 0.5 * (b[:, None] == a)
    assert found.auc == pytest.approx(pairs.mean())
    assert not found.ranks_better_than_chance


@pytest.mark.parametrize(("n_repeats", "is_clear"), [(1, True), (20, False)])
def test_repetitions_are_no_further_samples(n_repeats, is_clear):
    # The area is 0.7: of 80 samples that is clear, of four samples that were predicted often not.
    scores = np.tile([0, 1, 2, 3, 4, 5, 6, 7, 8, 9], 8)
    true = np.tile(["a", "b", "a", "b", "b", "a", "b", "a", "b", "b"], 8)
    found = Predictions(
        task="classification",
        true=true,
        predicted=true,
        scores=scores,
        second="b",
        n_repeats=n_repeats,
    )
    assert 0.6 < found.auc < 0.75
    assert found.ranks_better_than_chance == is_clear


def test_chance_ranks_few_samples_no_better_than_it_should():
    # Two standard errors are exceeded by chance once in 44 times, however few a class has.
    rng = np.random.default_rng(0)
    true = np.repeat(["a", "b"], [30, 3])
    facts = {"task": "classification", "true": true, "predicted": true, "second": "b"}
    clear = [
        Predictions(**facts, scores=rng.normal(size=33)).ranks_better_than_chance
        for _ in range(2000)
    ]
    assert np.mean(clear) < 0.03


def test_the_most_frequent_mistake_is_named():
    found = Predictions(task="classification", true=[*"aabbb", "c"], predicted=[*"abbaa", "c"])
    assert found.sentences == ["The most frequent mistake: b taken for a, 2 times of 3."]
    right = Predictions(task="classification", true=["a"], predicted=["a"])
    assert right.sentences == ["Every sample was predicted right."]
    assert np.isnan(right.auc)


def test_a_quantity_is_off_in_its_own_units():
    found = Predictions(task="regression", true=[0.0, 10.0, 20.0], predicted=[1.0, 11.0, 19.0])
    (text,) = found.sentences
    assert text.startswith(
        "On average a prediction is off by 1, in the target's own units; always guessing the mean "
        "is off by 6.667."
    )
    assert "correlation of 1.00" in text
    flat = Predictions(task="regression", true=[0.0, 10.0], predicted=[5.0, 5.0])
    assert "correlation" not in flat.sentences[0]


def test_lists_of_other_lengths_are_refused():
    with pytest.raises(ValueError, match=r"as many predictions and scores .* got 1, 2"):
        Predictions(task="classification", true=["a", "b"], predicted=["a"])


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


def test_who_cannot_lose_much_does_as_well_and_others_are_too_close(build):
    # A twentieth of the 37.4 points that all features gain is 1.9.
    as_well = folds([97.5, 98.5, 96.5, 98, 97])
    assert gain_over(as_well, ALL.fold_scores).low > -1.9
    assert text_of(build, as_well).startswith(
        "10 features do as well as all 64: accuracy 97.5 % instead of 97.4 %, where "
    )
    close = folds([93, 99, 96, 99, 94])
    gap = gain_over(close, ALL.fold_scores)
    assert gap.low < -1.9 < 0 < gap.high
    assert text_of(build, close).startswith(
        f"10 features are too close to call against all 64 with 60 samples: accuracy 96.2 % "
        f"instead of 97.4 % (95 % interval of the difference {gap.low:+.1f} to {gap.high:+.1f}), "
        f"where "
    )
    one = headline([ALL, close], build.data(n_features=64), 1)
    assert one.text.startswith("1 feature is too close to call against all 64 with ")


def test_by_a_measure_that_falls_losses_are_told_apart_as_well(build):
    facts = {"metric": "log loss", "guess": 0.7, "higher_is_better": False}
    scores = [0.2, 0.21, 0.2, 0.21, 0.2]
    everything = folds(scores, is_all=True, **facts)
    for more, said in ((0.005, "do as well as all 64"), (0.2, "are too close to call against")):
        ones = [score + more * sign for score, sign in zip(scores, (1, -1, 0, 1, -1), strict=True)]
        assert said in text_of(build, folds(ones, **facts), everything)


def test_all_features_are_not_compared_with_themselves(build):
    ones = [ALL, folds(ALL.fold_scores)]
    found = headline(ones, build.data(n_features=10), 10)
    assert found.text == (
        "All 10 features predict “diagnosis” with accuracy 97.4 %, where always guessing the most "
        "frequent class gives 60.0 %."
    )
    assert found.sureness == ""
    one = headline(ones, build.data(n_features=1), 1).text
    assert one.startswith("The only feature predicts “diagnosis” with accuracy 97.4 %, where ")


def test_one_feature_is_one(build):
    data = build.data(n_features=64)
    assert headline([ALL, folds([85, 86, 85, 86, 85])], data, 1).text.startswith("1 feature loses ")


@pytest.mark.parametrize(
    ("scores", "said"),
    [
        ([50, 55, 60, 50, 55], "Nothing here: 10 features predict “diagnosis” no better than"),
        ([60, 80, 55, 75, 60], "Nothing sure here: 10 features do not predict “diagnosis” clearly"),
        ([60, 60, 60, 60, 60], "Nothing here: "),
    ],
)
def test_no_better_than_a_guess_is_told_first(build, scores, said):
    found = headline([folds([60, 61, 59, 60, 60], is_all=True), folds(scores)], build.data(), 10)
    assert found.text.startswith(said)
    assert "always guessing the most frequent class: accuracy" in found.text
    assert "instead of 60.0 %" in found.text
    assert found.is_nothing
    assert found.sureness.startswith("The difference from a guess is ")
    assert "all 10,000 reach" not in found.text


def test_selections_of_several_sizes_are_told_within_the_sentence(build):
    one = folds([50, 55, 60, 50, 55], sizes=(3, 5, 5, 5, 5))
    assert text_of(build, one).startswith("Nothing here: selections of 3 to 5 features, as each ")


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
        "accuracy 90.0 % instead of 90.0 %, though samples of all folds together are ranked better "
        "than by chance (AUC 1.00)."
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


def test_the_verdict_speaks_in_its_measure_and_names_the_largest_class(build):
    facts = {"metric": "AUC", "guess_how": "all samples alike", "guess": 0.5}
    text = text_of(
        build,
        folds([0.9, 0.91, 0.9, 0.91, 0.9], **facts),
        folds([0.9, 0.91, 0.9, 0.91, 0.9], is_all=True, **facts),
        class_counts=[("ill", 5), ("well", 95)],
        n_samples=100,
    )
    assert text == (
        "10 features do as well as all 64: AUC 0.904 instead of "
        "0.904, where guessing all samples alike gives 0.5 and the most frequent class, well, has "
        "95.0 % of the samples."
    )
    facts |= {"metric": "balanced accuracy (%)", "guess_how": "always the same class", "guess": 50}
    text = text_of(build, folds([50, 50, 51, 49, 50], **facts))
    assert (
        "no better than always guessing the same class: balanced accuracy 50.0 % instead of 50.0 %"
    ) in text
    assert text.endswith("; the most frequent class, benign, has 66.7 % of the samples.")
