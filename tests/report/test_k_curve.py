from types import SimpleNamespace

import numpy as np
import pytest

from entryprune.report import KCurve

FOUND = SimpleNamespace(
    ks=np.array([2, 4, 8, 16]),
    scores=np.array([0.70, 0.89, 0.90, 0.905]),
    errors=np.array([0.01, 0.01, 0.02, 0.02]),
    best=np.int64(16),
    parsimonious=np.int64(4),
    is_at_edge=np.bool_(True),
    measure="accuracy",
)


def changed(**changes):
    return KCurve.of(SimpleNamespace(**vars(FOUND) | changes))


def test_the_best_the_enough_and_the_edge_are_told():
    assert KCurve.of(FOUND).sentences == [
        "Accuracy is best with K = 16: 0.905 ± 0.020.",
        "K = 4 is enough: no fewer features come within one standard error of the best (0.89).",
        "The best K is at the edge of what was tried (2 to 16), so more features may do better "
        "still.",
    ]
    low = changed(best=2, parsimonious=2, scores=[0.9, 0.8, 0.8, 0.8])
    assert len(low.sentences) == 2
    assert "so fewer features may do" in low.sentences[-1]
    assert len(changed(best=8, is_at_edge=False).sentences) == 2


def test_what_does_not_fit_is_refused():
    with pytest.raises(ValueError, match="got 4 K, 1 scores and 4 errors"):
        changed(scores=[1.0])
    with pytest.raises(ValueError, match=r"K = 5 is not among those tried: \[2, 4, 8, 16\]"):
        changed(parsimonious=5)
