import math
from dataclasses import replace

import numpy as np
import pytest

from entryprune.report import Contender
from entryprune.report.verdict import gain_over, judge, short_gain_text, statement, sureness


def of(k, scores, method="STG", **changes):
    facts = {"learner": "ridge", "metric": "accuracy (%)", "fold_scores": scores}
    mean = float(np.mean(scores)) if len(scores) else None
    return Contender(**{**facts, "method": method, "k": k, "mean": mean, **changes})


def around(mean, spread=1.0, n_folds=10):
    """Scores with a mean and a spread that do not go together with those of another spread."""
    return mean + spread * np.resize([-1.0, 1.0], n_folds)


CHANCE = of(0, around(50, 0), "guessing")


def said(ones, everything=None, guess=None):
    verdict = judge(ones, everything, guess)
    return statement(ones, verdict, everything, guess)


# -- differences --------------------------------------------------------------------------------


def test_a_difference_allows_for_the_samples_that_folds_share():
    gain = gain_over(of(9, [3.0, 5.0, 4.0, 8.0]), of(5, [1.0, 2.0, 3.0, 2.0]), test_ratio=0.25)
    # Differences 2, 3, 1, 6: mean 3, variance 14/3; corrected by 1/4 + 1/4 instead of 1/4.
    error = math.sqrt(14 / 3 * 0.5)
    assert gain.mean == 3.0
    assert gain.standard_error == pytest.approx(error)
    # 3.1824 is the 97.5 % quantile of Student's distribution with 3 degrees of freedom.
    assert (gain.low, gain.high) == pytest.approx((3 - 3.182446 * error, 3 + 3.182446 * error))
    assert not gain.is_gain
    assert not gain.is_loss


def test_lower_is_better_turns_the_difference():
    one, other = (of(9, s, higher_is_better=False) for s in ([1.0, 1.1, 1.2], [3.0, 3.0, 3.0]))
    assert gain_over(one, other, 0.25).mean == pytest.approx(1.9)
    assert judge([other, one]).best == 1


@pytest.mark.parametrize("scores", [(), (0.5,), (0.5, 0.6, 0.7), (0.5, float("nan"))])
def test_without_the_same_folds_there_is_no_difference(scores):
    other = of(5, scores, mean=0.4)
    assert gain_over(of(9, [0.5, 0.6]), other, 0.25) is None
    standings = judge([of(9, [0.5, 0.6]), other]).standings
    assert {one.verdict for one in standings} == {"best", "not known"}


def test_the_error_is_that_of_new_samples_in_simulated_folds():
    # A model that is the same in all folds but for the samples that it is tested on: five folds,
    # twice. Its accuracy on 100 samples varies by 5, so the errors must be of that size.
    rng = np.random.default_rng(0)
    errors, means = [], []
    for _ in range(200):
        right = rng.random(100) < 0.5
        folds = [
            100 * right[fold].mean() for _ in range(2) for fold in np.split(rng.permutation(100), 5)
        ]
        gain = gain_over(of(9, folds), of(5, [50.0] * 10), 0.25)
        errors.append(gain.standard_error)
        means.append(gain.mean)
    assert np.std(means) == pytest.approx(5, rel=0.1)
    assert np.mean(errors) == pytest.approx(6, rel=0.15)  # uncorrected it would be 3


# -- the rule -----------------------------------------------------------------------------------


def test_all_features_are_kept_where_every_selection_clearly_loses():
    everything = of(64, around(97, 0.5), "all features")
    ones = [of(4, around(65, 0.6)), of(16, around(95, 0.4), "L1")]
    verdict = judge(ones, everything, CHANCE)
    assert (verdict.kind, verdict.named) == ("keep all", 1)
    assert said(ones, everything, CHANCE) == (
        "Keep all 64 features (accuracy 97.0 %, guessing 50.0 %): the best selection, L1 with "
        "K = 16 (95.0 %), is worse by 2.0 (95 % interval 1.9 to 2.1)."
    )


def test_a_clear_gain_is_recommended():
    everything, one = of(500, around(60), "all features"), of(10, around(80, 2.0))
    assert judge([one], everything, CHANCE).kind == "use"
    assert said([one], everything, CHANCE).startswith(
        "Use STG with K = 10 (accuracy 80.0 %, guessing 50.0 %): better than all 500 features "
        "(60.0 %) by 20.0 (95 % interval 1"
    )


def test_a_selection_that_cannot_lose_much_is_recommended():
    # All features gain 40 over guessing, so 2 may be lost.
    everything = of(500, around(90), "all features")
    near, far = of(10, around(89.9, 0.5)), of(10, around(89.9, 4.0))
    assert judge([near], everything, CHANCE).kind == "use"
    assert "as good as all 500 features (90.0 %), worse by 0.1" in said([near], everything, CHANCE)
    # The same loss, less certain, is none to rely on.
    assert judge([far], everything, CHANCE).kind == "too close"
    assert said([far], everything, CHANCE).startswith(
        "Too close to call between all 500 features (accuracy 90.0 %, guessing 50.0 %) and STG"
    )
    # Nor is one of which it is not known what guessing gives.
    assert judge([near], everything).kind == "too close"


def test_a_difference_that_would_be_written_as_0_is_none():
    everything = of(500, around(90), "all features")
    same = of(10, around(90))
    assert said([same], everything, CHANCE) == (
        "Use STG with K = 10 (accuracy 90.0 %, guessing 50.0 %): as good as all 500 features "
        "(90.0 %), with the same score."
    )
    far = of(10, around(89.99, 4.0))
    verdict = judge([far], everything, CHANCE)
    assert verdict.kind == "too close"
    assert said([far], everything, CHANCE).endswith(
        "(90.0 %): with the same score (95 % interval -4.2 to 4.2)."
    )
    # There is no difference that few features could be worth.
    assert sureness([far], verdict)[0] == "More samples would tell."
    assert not any("that difference" in text for text in sureness([far], verdict))
    # A clear one is one, however small.
    assert "is worse by less than 0.1 (95" in said([of(10, around(89.97))], everything, CHANCE)
    # Nor is rounding a difference by a measure that is not in percent.
    ones = [of(k, around(0.9 + k * 1e-17, 0.01), metric="AUC") for k in (5, 500)]
    assert said(ones[:1], ones[1]).endswith("with the same score.")


def test_folds_that_cannot_be_compared_are_not_said_to_differ():
    everything, one = of(500, (), "all features", mean=90.0), of(10, around(89))
    verdict = judge([one], everything, CHANCE)
    assert (verdict.kind, verdict.best, verdict.named) == ("not known", 0, None)
    assert said([one], everything, CHANCE) == (
        "Nothing can be recommended, for there are not enough folds to compare by; the best mean "
        "so far is that of STG with K = 10 (accuracy 89.0 %, guessing 50.0 %)."
    )
    assert not any("difference" in text or "More" in text for text in sureness([one], verdict))


def test_too_few_folds_are_not_taken_for_nothing_to_be_found():
    ones = [of(10, (), mean=90.0), of(5, (95.0,), "L1")]
    for everything in (None, of(500, (), "all features", mean=91.0)):
        verdict = judge(ones, everything, CHANCE)
        assert (verdict.kind, verdict.named) == ("not known", None)
        assert not any("tell nothing" in text for text in sureness(ones, verdict, CHANCE))


def test_nothing_is_recommended_where_nothing_beats_guessing():
    everything = of(30, around(50.5, 3.0), "all features")
    ones = [of(5, around(52, 3.0)), of(10, around(49, 2.0))]
    verdict = judge(ones, everything, CHANCE)
    assert (verdict.kind, verdict.named) == ("nothing", None)
    assert said(ones, everything, CHANCE) == (
        "By accuracy, nothing here predicts clearly better than guessing (50.0 %), so nothing is "
        "recommended: the best, STG with K = 5, has 52.0 %."
    )
    assert "By this measure" in sureness(ones, verdict)[0]


def test_all_features_alone_can_beat_guessing():
    everything = of(30, around(70, 2.0), "all features")
    assert judge([of(5, around(50, 3.0))], everything, CHANCE).kind == "keep all"


def test_the_best_of_many_must_be_better_than_one_alone():
    # By chance the best of 40 is better, so that what is clear for one is not for the best of them.
    good = of(5, around(52, 1.5))
    worse = [of(5, around(49.9, 1.5), f"method {i}") for i in range(40)]
    assert judge([good], None, CHANCE).kind == "use"
    assert judge([good, *worse], None, CHANCE).kind == "nothing"


@pytest.mark.parametrize("n_contenders", [1, 8])
def test_on_noise_hardly_anything_is_recommended(n_contenders):
    rng = np.random.default_rng(0)
    kinds = []
    for _ in range(200):
        right = rng.random((n_contenders, 100)) < 0.5
        orders = [fold for _ in range(2) for fold in np.split(rng.permutation(100), 5)]
        ones = [of(5, [100 * row[fold].mean() for fold in orders]) for row in right]
        kinds.append(judge(ones, None, CHANCE).kind)
    assert kinds.count("use") <= 10


def test_missing_scores_are_passed_over():
    gone, nan = of(1, (), mean=None), of(2, (), mean=float("nan"))
    verdict = judge([gone, nan, of(9, [0.5, 0.6])])
    assert verdict.best == 2
    assert [one.verdict for one in verdict.standings[:2]] == ["no score"] * 2
    assert judge([gone, nan]).kind == "no score"
    assert said([gone]) == "None of them has a score, so none can be recommended."


@pytest.mark.parametrize("scores", [(), (95.0,)])
def test_one_with_few_folds_does_not_decide(scores):
    everything, full = of(500, around(60), "all features"), of(10, around(80, 2.0))
    few = of(5, scores, "L1", mean=95.0)
    verdict = judge([full, few], everything, CHANCE)
    assert (verdict.kind, verdict.best, verdict.named) == ("use", 0, 0)
    assert verdict.standings[1].verdict == "not known"
    assert said([full, few], everything, CHANCE) == said([full], everything, CHANCE)
    told = sureness([full, few], verdict)
    assert "STG with K = 10 has the best mean with a score in every fold." in told
    # If nobody has scores fold by fold, the means are all there is.
    assert judge([replace(full, fold_scores=()), replace(few, fold_scores=())]).best == 1


def test_of_equals_the_one_with_fewer_features_is_best():
    verdict = judge([of(9, [0.5, 0.7]), of(5, [0.5, 0.7])])
    assert verdict.best == verdict.named == 1
    # No difference at all is none that is clear.
    assert verdict.standings[0].verdict == "not clearly worse"


def test_a_constant_difference_is_clear():
    assert judge([of(5, [0.25, 0.25]), of(9, [0.5, 0.5])]).standings[0].verdict == "worse"


# -- ties ---------------------------------------------------------------------------------------


def test_a_tie_goes_to_the_more_stable_then_to_fewer_features():
    best = of(50, around(90), stability=0.5)
    near = [of(k, around(89.8, 1.5), stability=s) for k, s in ((20, 0.9), (10, 0.88), (5, 0.6))]
    far = of(2, around(60), stability=1.0)
    verdict = judge([best, *near, far])
    # Those at 0.9 and 0.88 are equally stable; the second has fewer features.
    assert (verdict.best, verdict.named) == (0, 2)
    (why,) = [text for text in sureness([best, *near, far], verdict) if "best mean" in text]
    assert "agree more (0.88 against 0.50" in why


def test_nobody_is_preferred_for_being_less_certain():
    best = of(50, around(90), stability=0.5)
    sure = of(40, around(89.9, 1.2), stability=0.5)
    # Behind by 3 with an error of more than 3 of its own: not clearly worse, and yet no equal.
    unsure = of(5, around(87, 12.0), stability=1.0)
    middling = of(30, around(89.9, 1.3), stability=0.5)
    verdict = judge([best, sure, unsure, middling])
    assert verdict.standings[2].verdict == "not clearly worse"
    assert verdict.standings[2].behind.standard_error > 3
    assert verdict.named == 3


def test_a_tie_never_goes_to_one_that_clearly_loses_against_all_features():
    everything = of(64, around(91), "all features")
    best = of(50, around(90.9, 1.6), stability=0.1)
    other = of(5, around(90.6), stability=1.0)
    verdict = judge([best, other], everything, CHANCE)
    assert verdict.standings[1].gain.is_loss
    assert verdict.named == 0


def test_one_that_varies_much_does_not_save_selections_that_clearly_lose():
    everything = of(64, around(90), "all features")
    steady = of(5, around(80, 1.0), stability=1.0)
    wobbly = of(5, around(80.5, 40.0), "mRMR", stability=0.3)
    assert judge([steady], everything, CHANCE).kind == "keep all"
    assert judge([wobbly], everything, CHANCE).kind == "too close"
    verdict = judge([steady, wobbly], everything, CHANCE)
    assert (verdict.kind, verdict.best, verdict.named) == ("keep all", 1, 0)
    said = statement([steady, wobbly], verdict, everything, CHANCE)
    assert said.startswith("Keep all 64 features (")
    assert "): STG with K = 5 (80.0 %) is worse by 10.0 (" in said
    assert any(
        text.startswith("mRMR with K = 5 has the best mean, 80.5 %; STG with K = 5 is named")
        for text in sureness([steady, wobbly], verdict, CHANCE)
    )
    # Where the best loses next to nothing, one that clearly loses is not the better choice.
    near = of(5, around(89.8, 40.0), "mRMR", stability=0.3)
    loser = of(5, around(88, 1.0), stability=1.0)
    verdict = judge([near, loser], everything, CHANCE)
    assert verdict.standings[1].gain.is_loss
    assert (verdict.kind, verdict.named) == ("too close", 0)


# -- what is said -------------------------------------------------------------------------------


def test_random_columns_are_named_beside_the_selection():
    one = of(5, around(90))
    low, level = of(5, around(60), "random features"), of(5, around(89.9, 2.0), "random features")
    verdict = judge([one])
    assert "5 random features reach 60.0 %." in sureness([one], verdict, None, [low])
    assert "5 random features reach 89.9 %, which is not clearly worse." in sureness(
        [one], verdict, None, [level]
    )


def test_measures_without_percent_have_digits_that_tell():
    one, everything = (
        of(k, 0.5 + 0.001 * around(0, s), name, metric="log loss", higher_is_better=False)
        for k, s, name in ((5, 1, "STG"), (30, 20, "all features"))
    )
    chance = of(0, [0.693] * 10, "guessing", metric="log loss", higher_is_better=False)
    text = said([one], everything, chance)
    assert "(log loss 0.5, guessing 0.693)" in text
    assert "(%)" not in text


def test_large_errors_are_written_out():
    one, everything = (
        of(k, around(mean, 9), name, metric="mean absolute error", higher_is_better=False)
        for k, mean, name in ((5, 48_123, "STG"), (30, 51_456, "all features"))
    )
    text = said([one], everything)
    assert "(mean absolute error 48,123): better than all 30 features (51,456) by 3,333" in text


def test_of_equals_in_everything_the_best_is_named():
    ones = [of(5, around(90), name, stability=0.9) for name in ("STG", "L1", "mRMR")]
    verdict = judge(ones)
    assert verdict.best == verdict.named == 0
    assert sureness(ones, verdict)[0] == "STG with K = 5 has the best mean of all selections."


def test_the_reason_is_the_one_that_decided():
    best = of(50, around(90), stability=0.90)
    # Hardly steadier, so that it is for its size.
    small = of(5, around(89.9, 1.5), "L1", stability=0.92)
    (reason, *_) = sureness([best, small], judge([best, small]))
    assert reason.endswith("and it has fewer features.")
    (reason, *_) = sureness(
        [best, replace(small, stability=0.99)], judge([best, replace(small, stability=0.99)])
    )
    assert "its selections in the folds agree more (0.99 against 0.90" in reason


@pytest.mark.parametrize(
    ("gain", "high", "metric", "text"),
    [
        (0.0038, 0.0258, "log loss", "+0.004 ± 0.022"),
        (-0.00023, 0.01377, "log loss", "0.000 ± 0.014"),
        (0.00001, 0.02, "AUC", "0.000 ± 0.020"),
        (-0.022, 0.058, "AUC", "-0.022 ± 0.080"),
        (1234.5, 1334.5, "mean absolute error", "+1,234 ± 100"),
        (1.26, 2.51, "accuracy (%)", "+1.3 ± 1.2"),
    ],
)
def test_a_short_gain_has_no_more_digits_than_can_be_trusted(gain, high, metric, text):
    assert short_gain_text(gain, high, metric) == text
