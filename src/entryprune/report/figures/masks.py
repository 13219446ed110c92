"""Which pixels are selected, and what remains of sample images."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from entryprune.report.style import NORMAL, SMALL, number, panel_grid

if TYPE_CHECKING:
    from collections.abc import Sequence

    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
    from numpy.typing import ArrayLike, NDArray

    from entryprune.report.figures.rows import MaskPanels

    FloatArray = NDArray[np.float64]

# Grey is between the black and the white that a selected pixel may have.
_NOT_SELECTED = 0.5
_BETWEEN_TILES = 1.0
# Inches: of a panel, of its title, and of the note below all.
_PANEL_WIDTH, _TITLE, _NOTE = 2.4, 0.3, 0.4
_N_CHANNELS = 3


def draw_masks(masks: MaskPanels) -> Figure:
    """Draw a panel for each method: its mask, then the images as far as it sees them.

    In the mask, top left in each panel, what is selected is light, in its own colour if there are
    channels. In the images what is not selected is grey.
    """
    panels, shape = masks.panels, masks.shape
    images = np.asarray(masks.samples, dtype=np.float64)
    if not panels:
        raise ValueError("There are no panels, so there is nothing to draw. Give at least one.")
    for panel in panels:
        check_mask(panel.mask, images, shape, panel.title)
    height = _PANEL_WIDTH * aspect(len(images), shape) + _TITLE
    grid = panel_grid(len(panels), panel_size=(_PANEL_WIDTH, height), note_height=_NOTE)
    for axes, panel in zip(grid.panels, panels, strict=True):
        draw_mask(axes, panel.mask, images, shape)
        accuracy = number(panel.accuracy)
        known = "" if math.isnan(accuracy) else f": {accuracy:.1f} %"
        axes.set_title(f"{panel.title}{known}", fontsize=NORMAL, parse_math=False)
    grid.figure.supxlabel(
        "Top left: the mask, selected features light.\nSamples: features not selected are grey.",
        fontsize=SMALL,
    )
    return grid.figure


def draw_mask(axes: Axes, mask: ArrayLike, images: FloatArray, shape: tuple[int, ...]) -> None:
    """Draw a mask, then the images as far as it sees them, side by side in rows."""
    chosen = np.asarray(mask, dtype=bool)
    seen = np.where(chosen & np.isfinite(images), images, _NOT_SELECTED)
    tiles = [_picture(row, shape) for row in (chosen.astype(np.float64), *seen)]
    axes.imshow(_mosaic(tiles, _n_across(len(images))), interpolation="nearest", vmin=0, vmax=1)
    axes.set(xticks=[], yticks=[])
    axes.spines[:].set_visible(False)
    # At the top of its place, or the layout takes empty room above for room for the title.
    axes.set_anchor("N")


def aspect(n_images: int, shape: tuple[int, ...]) -> float:
    """Return how high a mask with its images is, as a multiple of its width."""
    n_across = _n_across(n_images)
    n_down = math.ceil((1 + n_images) / n_across)
    return (n_down * shape[-2]) / (n_across * shape[-1])


def check_mask(mask: ArrayLike, images: FloatArray, shape: tuple[int, ...], title: str) -> None:
    """Refuse a mask or images that do not have an image's number of features."""
    is_image = len(shape) == 2 or (len(shape) == 3 and shape[0] == _N_CHANNELS)
    if not is_image:
        raise ValueError(f"shape must be (height, width) or (3, height, width); got {shape}.")
    n_features = math.prod(shape)
    if images.ndim != 2 or images.shape[1] != n_features:
        raise ValueError(
            f"Images of shape {shape} have {n_features} features, so samples must have the shape "
            f"(n_samples, {n_features}); got {images.shape}."
        )
    if np.shape(mask) != (n_features,):
        raise ValueError(
            f"The mask of {title!r} has the shape {np.shape(mask)}, but there are "
            f"{n_features} features. Give one true or false for each."
        )


def _n_across(n_images: int) -> int:
    return math.ceil(math.sqrt(1 + n_images))


def _picture(row: FloatArray, shape: tuple[int, ...]) -> FloatArray:
    """Return one row of features as red, green and blue."""
    if len(shape) == 2:
        return np.repeat(row.reshape(shape)[:, :, np.newaxis], _N_CHANNELS, axis=2)
    return np.moveaxis(row.reshape(shape), 0, 2)


def _mosaic(tiles: Sequence[FloatArray], n_across: int) -> FloatArray:
    """Set tiles of one size in rows, with a white gap in between."""
    height, width, _ = tiles[0].shape
    gap = max(1, round(0.06 * width))
    n_down = math.ceil(len(tiles) / n_across)
    shape = (n_down * (height + gap) - gap, n_across * (width + gap) - gap, _N_CHANNELS)
    whole = np.full(shape, _BETWEEN_TILES)
    for i, tile in enumerate(tiles):
        row, column = divmod(i, n_across)
        top, left = row * (height + gap), column * (width + gap)
        whole[top : top + height, left : left + width] = np.clip(tile, 0.0, 1.0)
    return whole
