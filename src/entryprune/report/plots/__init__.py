"""Plots of a selection or a comparison, each on axes of its own.

All take plain arrays and return the axes. Without axes they make a new figure, which is known to
nobody else: save it with ``ax.figure.savefig("plot.png")``.
"""

from entryprune.report.plots.comparison import plot_comparison
from entryprune.report.plots.convergence import plot_convergence, plot_loss, plot_threshold
from entryprune.report.plots.correlation import plot_correlation
from entryprune.report.plots.distributions import plot_feature_distributions
from entryprune.report.plots.growth import plot_growth
from entryprune.report.plots.mask import plot_mask
from entryprune.report.plots.pair import plot_pair
from entryprune.report.plots.scores import plot_scores

__all__ = [
    "plot_comparison",
    "plot_convergence",
    "plot_correlation",
    "plot_feature_distributions",
    "plot_growth",
    "plot_loss",
    "plot_mask",
    "plot_pair",
    "plot_scores",
    "plot_threshold",
]
