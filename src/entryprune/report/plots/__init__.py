"""Plots of a selection or a comparison, each on axes of its own.

All take plain arrays and return the axes. Without axes they make a new figure, which is known to
nobody else: save it with ``ax.figure.savefig("plot.png")``.
"""

from entryprune.report.plots.features import plot_feature_distributions, plot_mask, plot_scores
from entryprune.report.plots.history import (
    plot_convergence,
    plot_growth,
    plot_loss,
    plot_threshold,
)
from entryprune.report.plots.prediction import (
    plot_comparison,
    plot_confusion,
    plot_k_curve,
    plot_predicted,
    plot_roc,
)
from entryprune.report.plots.together import plot_correlation, plot_pair, plot_survival

__all__ = [
    "plot_comparison",
    "plot_confusion",
    "plot_convergence",
    "plot_correlation",
    "plot_feature_distributions",
    "plot_growth",
    "plot_k_curve",
    "plot_loss",
    "plot_mask",
    "plot_pair",
    "plot_predicted",
    "plot_roc",
    "plot_scores",
    "plot_survival",
    "plot_threshold",
]
