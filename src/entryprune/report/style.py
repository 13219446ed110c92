"""One look for all figures, readable in black and white, and the parts that they share."""

from __future__ import annotations

import io
import math
import warnings
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, TypeVar

import matplotlib as mpl
import numpy as np
from matplotlib.colors import to_hex, to_rgb
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from entryprune._files import write_bytes

if TYPE_CHECKING:
    import os
    from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence

    from matplotlib.artist import Artist
    from matplotlib.axes import Axes
    from matplotlib.legend import Legend
    from numpy.typing import ArrayLike, NDArray

    FloatArray = NDArray[np.float64]

T = TypeVar("T")
K = TypeVar("K", bound="Hashable")

# Sizes of text, in points.
SMALL, NORMAL = 8.0, 9.0

Line = Literal["-", "--", "-.", ":"]
# A name, or how many corners, of a polygon (0) or a star (1), and by how much it is turned.
Marker = str | tuple[int, Literal[0, 1, 2], int]

# Close to Paul Tol's muted colours, the palest of them darker so that thin lines are seen on white,
# in an order in which neighbours differ in lightness too.
_COLOURS = (
    *("#332288", "#CC6677", "#117733", "#56B4E9", "#882255", "#999933"),
    *("#44AA99", "#AA4499", "#C8A415", "#000000", "#E07020", "#808080"),
)
# Only markers that have an inside: hollow ones stand for published results. One for each method
# that is registered, and one for all features.
_MARKERS: tuple[Marker, ...] = (
    *("o", "s", "^", "D", "v", "h", "X", "<", ">", "p", "*", "d", "P"),
    *((4, 1, 0), "$\\spadesuit$", (6, 1, 0), (5, 0, 180), (4, 1, 45), "$\\clubsuit$"),
    # A heart, a flat and an upright bar, the right half of a disc, and half a square.
    *("$\u2665$", (8, 1, 0), "$\u25ac$", "8", "$\u25d7$", (5, 1, 180), "$\u25ae$", "$\u25e2$"),
    (3, 1, 0),
)
_LINES: tuple[Line, ...] = ("-", "--", "-.", ":")
_HATCHES = (
    *("", "///", "...", "\\\\\\", "xxx", "---", "|||", "ooo", "+++", "OO", "**", "//..", "xx.."),
)

# One point a sample, seen through one another.
POINTS: dict[str, Any] = {
    "linestyle": "none",
    "marker": "o",
    "markeredgewidth": 0,
    "alpha": 0.5,
    "rasterized": True,
}
# The line of what others are compared with.
REFERENCE: dict[str, Any] = {"color": "0.3", "linestyle": (0, (7, 3)), "linewidth": 1.0}

_DOTS_PER_INCH = 150
# Without a fixed salt the names inside an SVG differ from one writing to the next.
_SVG: dict[Any, Any] = {"svg.fonttype": "none", "svg.hashsalt": "entryprune"}


@dataclass(frozen=True)
class Look:
    """How one method is drawn: any one of these tells it from its neighbours."""

    colour: str
    marker: Marker
    line: Line
    hatch: str

    @property
    def fill(self) -> str:
        """A paler colour, on which a black hatch can be seen."""
        red, green, blue = (0.4 * part + 0.6 for part in to_rgb(self.colour))
        return to_hex((red, green, blue))


def looks(names: Iterable[str]) -> dict[str, Look]:
    """Give each name a look of its own, by its position."""
    # The four lists differ in length, so looks repeat only long after each list does.
    return {
        name: Look(
            _COLOURS[i % len(_COLOURS)],
            _MARKERS[i % len(_MARKERS)],
            _LINES[i % len(_LINES)],
            _HATCHES[i % len(_HATCHES)],
        )
        for i, name in enumerate(dict.fromkeys(names))
    }


def new_figure(width: float, height: float) -> Figure:
    """Return an empty figure that fits its parts so that nothing is cut off or overlaps."""
    return Figure(figsize=(width, height), layout="constrained", facecolor="white")


def dress(axes: Axes, grid: Literal["x", "y", "both", "none"] = "y") -> None:
    """Give axes the sizes of text, the frame and the grid of all figures."""
    axes.tick_params(which="both", labelsize=SMALL)
    axes.title.set_fontsize(NORMAL)
    axes.xaxis.label.set_fontsize(NORMAL)
    axes.yaxis.label.set_fontsize(NORMAL)
    axes.spines[["top", "right"]].set_visible(False)
    axes.set_axisbelow(True)
    if grid != "none":
        axes.grid(visible=True, axis=grid, color="0.88", linewidth=0.6)


# -- rows to draw ----------------------------------------------------------------------------------


def in_order(names: Iterable[K]) -> list[K]:
    """Return each name once, where it came first."""
    return list(dict.fromkeys(names))


def number(value: float | None) -> float:
    """Return a number; NaN if there is none or it is infinite, for neither can be drawn."""
    return float(value) if value is not None and math.isfinite(value) else math.nan


def by_key(items: Sequence[T], key: Callable[[T], K], what: str) -> dict[K, T]:
    """Return the items by a key that no two of them share."""
    if not items:
        raise ValueError(f"There are no {what}, so there is nothing to draw. Give at least one.")
    found: dict[K, T] = {}
    for item in items:
        if key(item) in found:
            raise ValueError(f"There are two {what} for {key(item)}. Give one, such as their mean.")
        found[key(item)] = item
    return found


# -- legends, panels and axes ----------------------------------------------------------------------

# Inches that a letter, an entry's sample with the gaps around it, and a line take in small text.
_LETTER, _SAMPLE, _LEGEND_LINE = 0.066, 0.62, 0.19


def line_handles(looks: Mapping[str, Look]) -> list[Artist]:
    """Return samples of lines with markers."""
    return [
        Line2D([], [], color=look.colour, marker=look.marker, linestyle=look.line, label=name)
        for name, look in looks.items()
    ]


def dot_handles(looks: Mapping[str, Look]) -> list[Artist]:
    """Return samples of markers without lines."""
    return [
        Line2D([], [], color=look.colour, marker=look.marker, linestyle="none", label=name)
        for name, look in looks.items()
    ]


def legend_columns(labels: Sequence[str], width: float) -> int:
    """Return how many entries of equal width stand side by side, in lines of similar length."""
    longest = max(len(label) for label in labels)
    fitting = max(1, int(width / (_LETTER * longest + _SAMPLE)))
    n_lines = math.ceil(len(labels) / fitting)
    return math.ceil(len(labels) / n_lines)


def legend_height(labels: Sequence[str], width: float) -> float:
    """Return the inches that a legend takes below a figure of this width."""
    if not labels:
        return 0.0
    return _LEGEND_LINE * math.ceil(len(labels) / legend_columns(labels, width)) + 0.1


def legend_below(figure: Figure, handles: Sequence[Artist], title: str | None = None) -> None:
    """Put one legend for all panels below them."""
    labels = [str(handle.get_label()) for handle in handles]
    legend = figure.legend(
        handles=handles,
        labels=[str(i) for i in range(len(labels))],
        loc="outside lower center",
        ncols=legend_columns(labels, figure.get_figwidth()),
        fontsize=SMALL,
        title=title,
        title_fontsize=SMALL,
        frameon=False,
        handlelength=2.8,  # so that a line's style can be told
    )
    _set_texts(legend, labels)
    legend.set_in_layout(True)


def legend_inside(axes: Axes, handles: Sequence[Artist]) -> None:
    """Put a legend where it hides least."""
    labels = [str(handle.get_label()) for handle in handles]
    numbers = [str(i) for i in range(len(labels))]
    legend = axes.legend(handles, numbers, fontsize=SMALL, frameon=False, handlelength=2.8)
    _set_texts(legend, labels)


def _set_texts(legend: Legend, labels: Sequence[str]) -> None:
    # Only now, for a label that begins with "_" would be left out, and "$x$" taken for a formula.
    for text, label in zip(legend.get_texts(), labels, strict=True):
        text.set(text=label, parse_math=False)


# A figure of one small panel must still hold a legend.
_LEAST_WIDTH = 4.5


@dataclass(frozen=True)
class Grid:
    """Panels in rows; the last row may be shorter."""

    figure: Figure
    panels: tuple[Axes, ...]
    n_columns: int

    def label(self, x: str, y: str) -> None:
        """Name the axes, once for each row and column."""
        for i, axes in enumerate(self.panels):
            if i % self.n_columns == 0:
                axes.set_ylabel(y, fontsize=NORMAL)
            if i + self.n_columns >= len(self.panels):
                axes.set_xlabel(x, fontsize=NORMAL)


def grid_shape(n_panels: int, max_columns: int) -> tuple[int, int]:
    """Return the rows and columns in which panels leave few places empty."""
    n_rows = math.ceil(n_panels / max_columns)
    n_columns = math.ceil(n_panels / n_rows)
    if n_rows > 1 and n_panels % n_columns == 1:
        # Rather one panel more in each row than a row for one panel.
        n_rows = math.ceil(n_panels / (max_columns + 1))
        n_columns = math.ceil(n_panels / n_rows)
    return n_rows, n_columns


def panel_grid(
    n_panels: int,
    legend: Sequence[str] = (),
    max_columns: int = 4,
    panel_size: tuple[float, float] = (2.4, 2.0),
    note_height: float = 0.0,
) -> Grid:
    """Return a figure with panels in rows of similar length."""
    n_rows, n_columns = grid_shape(n_panels, max_columns)
    width = max(_LEAST_WIDTH, n_columns * panel_size[0])
    # A lone panel takes the least width, so it may be taller too.
    height = n_rows * panel_size[1] * (1.4 if n_panels == 1 else 1.0)
    figure = new_figure(width, height + legend_height(legend, width) + note_height)
    panels = tuple(figure.add_subplot(n_rows, n_columns, i + 1) for i in range(n_panels))
    return Grid(figure, panels, n_columns)


def say_empty(axes: Axes) -> None:
    """Write into a panel that there is nothing to show."""
    axes.text(
        0.5,
        0.5,
        "no results",
        transform=axes.transAxes,
        ha="center",
        va="center",
        fontsize=SMALL,
        color="0.4",
    )


# Inches. A page shows a plot of this width in full even on most phones.
WIDTH, HEIGHT = 4.6, 2.7
# Inches that a line of small text takes.
LINE = 0.17


def axes_or_new(ax: Axes | None, width: float = WIDTH, height: float = HEIGHT) -> Axes:
    """Return the axes that were given, or those of a new figure."""
    return new_figure(width, height).add_subplot() if ax is None else ax


def offsets(n: int, room: float) -> NDArray[np.float64]:
    """Return where n things of equal width stand in a room around zero."""
    return (np.arange(n) - (n - 1) / 2) * room / n


# -- pixels ----------------------------------------------------------------------------------------

# Grey is between the black and the white that a selected pixel may have.
_NOT_SELECTED = 0.5
_BETWEEN_TILES = 1.0
_N_CHANNELS = 3


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


# -- files -----------------------------------------------------------------------------------------


def save_figure(figure: Figure, stem: str | os.PathLike[str]) -> tuple[Path, Path]:
    """Write a figure as PNG and as SVG, each whole or not at all.

    The same figure gives the same bytes, and the text in the SVG stays text.
    """
    stem = Path(stem)
    # Not with_suffix: a name such as "k-0.5" has a point of its own.
    png, svg = (stem.with_name(f"{stem.name}.{ending}") for ending in ("png", "svg"))
    # Both are drawn before either is written, so that they are of one make.
    contents = {png: png_bytes(figure), svg: svg_bytes(figure)}
    for path, content in contents.items():
        write_bytes(path, content)
    return png, svg


def png_bytes(figure: Figure) -> bytes:
    """Return a figure as PNG."""
    return _bytes(figure, format="png")


def svg_bytes(figure: Figure) -> bytes:
    """Return a figure as SVG in which text stays text."""
    with mpl.rc_context(_SVG):
        return _bytes(figure, format="svg", metadata={"Date": None})


def _bytes(figure: Figure, **how: Any) -> bytes:
    buffer = io.BytesIO()
    with warnings.catch_warnings():
        # A name may be in any script. In an SVG the reader's fonts show it all the same.
        warnings.filterwarnings("ignore", r"Glyph \d+", UserWarning)
        figure.savefig(buffer, dpi=_DOTS_PER_INCH, **how)
    return buffer.getvalue()
