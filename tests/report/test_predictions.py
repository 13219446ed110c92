import numpy as np
import pytest

from entryprune.report import Predictions
from entryprune.report.predictions import roc_curve


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
