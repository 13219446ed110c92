"""Which pixels are selected."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from entryprune.report.figures.masks import aspect, check_mask, draw_mask
from entryprune.report.plots._axes import WIDTH, axes_or_new

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from numpy.typing import ArrayLike, NDArray

    FloatArray = NDArray[np.float64]


def plot_mask(
    mask: ArrayLike,
    shape: tuple[int, ...],
    ax: Axes | None = None,
    *,
    samples: ArrayLike | None = None,
) -> Axes:
    """Plot the selected pixels, and what they show of some images.

    Parameters
    ----------
    mask : array of bool of shape (n_features,)
        True where a feature is selected: drawn light, in its own colour if there are channels.
    shape : (height, width) or (3, height, width)
        Of an image. With three channels a row holds all of red, then green, then blue.
    ax : matplotlib.axes.Axes, optional
        Where to draw; a new figure if not given.
    samples : array of shape (n_samples, n_features), optional
        Images to show after the mask, from black for their smallest value to white for their
        largest; what is not selected is grey.

    Returns
    -------
    ax : matplotlib.axes.Axes
        With one picture.

    Examples
    --------
    >>> ax = plot_mask([True, False, False, True], shape=(2, 2))
    >>> ax.images[0].get_array()[:, :, 0].tolist()
    [[1.0, 0.0], [0.0, 1.0]]
    """
    n_features = math.prod(shape)
    images = np.empty((0, n_features)) if samples is None else _from_0_to_1(samples)
    check_mask(mask, images, shape, "the selection")
    ax = axes_or_new(ax, WIDTH, WIDTH * min(2.0, aspect(len(images), shape)))
    draw_mask(ax, mask, images, shape)
    return ax


def _from_0_to_1(samples: ArrayLike) -> FloatArray:
    images: FloatArray = np.asarray(samples, dtype=np.float64)
    known = images[np.isfinite(images)]
    if not len(known) or known.min() == known.max():
        return images
    low, high = float(known.min()), float(known.max())
    return (images - low) / (high - low)
