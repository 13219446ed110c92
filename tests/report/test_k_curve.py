import numpy as np
import pytest

from entryprune.report import KCurve

FOUND = {
    "k": np.array([2, 4, 8, 16]),
    "score": np.array([0.70, 0.89, 0.90, 0.905]),
    "behind_error": np.array([0.02, 0.02, 0.02, 0.0]),
}


def test_the_best_the_enough_and_the_edge_are_told():
    named = {"best": 16, "parsimonious": 4}
    assert KCurve.of(FOUND, 30, **named).sentences == [
        "The share of variance explained is best with K = 16: 0.905.",
        "K = 4 (0.89) is enough: the fewest features that are within one standard error of it.",
        "The best K is at the edge of what was tried (2 to 16), so more features may do better "
        "still.",
    ]
    # There are no more than all.
    assert len(KCurve.of(FOUND, 16, **named).sentences) == 2
    low = KCurve.of(FOUND, 30, best=2, parsimonious=2).sentences
    assert len(low) == 2
    assert "so fewer features may do" in low[-1]


def test_what_does_not_fit_is_refused():
    facts = {"ks": [2, 4], "scores": [0.5, 0.6], "behind_errors": [0.1, 0.0], "best": 4}
    with pytest.raises(ValueError, match="got 2 K, 1 scores and 2 errors"):
        KCurve(**facts | {"scores": [1.0]}, parsimonious=2)
    with pytest.raises(ValueError, match=r"K = 5 is not among those tried: \[2, 4\]"):
        KCurve(**facts, parsimonious=5)


def test_where_no_number_explains_anything_none_is_enough():
    curve = KCurve(ks=[1, 2], scores=[-0.2, -0.1], behind_errors=[0.2, 0.0], best=2, parsimonious=1)
    assert curve.sentences == [
        "No number of features up to 2 explains anything in samples that were left out."
    ]
