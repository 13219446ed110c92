import numpy as np
import pytest

from entryprune.report.plots import (
    plot_comparison,
    plot_correlation,
    plot_feature_distributions,
    plot_scores,
)
from entryprune.report.style import svg_bytes

NAN = float("nan")
NASTY = ["$x$", r"$\nonsense{$", "_hidden", "名前", "x" * 300, "a\x00\ud800b", ""]


# -- names --------------------------------------------------------------------------------------

N = len(NASTY)
LABELS = np.resize(np.array(NASTY, dtype=object), 3 * N)
X = np.random.default_rng(0).normal(size=(3 * N, N))
PLOTS = {
    "scores": lambda: plot_scores(NASTY, [0.5] * N),
    "distributions": lambda: plot_feature_distributions(X, LABELS, NASTY)[0],
    "correlation": lambda: plot_correlation(X, NASTY),
    "comparison": lambda: plot_comparison(NASTY, [5] * N, [0.5] * N, metric="$y$"),
}


@pytest.mark.parametrize("draw", PLOTS.values(), ids=PLOTS)
def test_names_are_shown_as_they_are(draw):
    svg = svg_bytes(draw().figure).decode("utf-8")
    for text in ("$x$", r"$\nonsense{$", "_hidden", "名前", "a\ufffd\ufffdb"):
        assert f"{text}<" in svg or f"{text}  " in svg, text
    assert "x" * 100 not in svg
