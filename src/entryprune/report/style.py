"""One look for all figures, readable in black and white."""

from __future__ import annotations

import io
import warnings
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import matplotlib as mpl
from matplotlib.colors import to_hex, to_rgb
from matplotlib.figure import Figure

from entryprune._files import write_bytes

if TYPE_CHECKING:
    import os
    from collections.abc import Iterable

    from matplotlib.axes import Axes

# Sizes of text, in points.
SMALL, NORMAL = 8.0, 9.0

Line = Literal["-", "--", "-.", ":"]
# A name, or how many corners, of a polygon (0) or a star (1), and by how much it is turned.
Marker = str | tuple[int, Literal[0, 1, 2], int]

# Close to Paul Tol's muted colours, the palest of them darker so that thin lines are seen on white,
# in an order in which neighbours differ in lightness too.
_COLOURS = (
    "#332288",
    "#CC6677",
    "#117733",
    "#56B4E9",
    "#882255",
    "#999933",
    "#44AA99",
    "#AA4499",
    "#C8A415",
    "#000000",
    "#E07020",
    "#808080",
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
    "",
    "///",
    "...",
    "\\\\\\",
    "xxx",
    "---",
    "|||",
    "ooo",
    "+++",
    "OO",
    "**",
    "//..",
    "xx..",
)

_DOTS_PER_INCH = 150
# Without a fixed salt the names inside an SVG differ from one writing to the next.
_SVG: dict[Any, Any] = {"svg.fonttype": "none", "svg.hashsalt": "entryprune"}


@dataclass(frozen=True)
class Look:
    """How one method is drawn: any one of these tells it from its neighbours.

    Attributes
    ----------
    colour : str
        Of its lines and markers.
    marker : str or tuple
        The shape of its points.
    line : str
        The style of its lines.
    hatch : str
        The pattern of its bars.
    """

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
    """Give each name a look of its own, by its position.

    Parameters
    ----------
    names : iterable of str
        In the order of the legend. A name that comes again keeps its look.

    Returns
    -------
    looks : dict of str to Look
        In the same order.

    Examples
    --------
    >>> chosen = looks(["EntryPrune", "STG", "EntryPrune"])
    >>> {name: look.marker for name, look in chosen.items()}
    {'EntryPrune': 'o', 'STG': 's'}
    """
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
    """Return an empty figure that fits its parts so that nothing is cut off or overlaps.

    Parameters
    ----------
    width, height : float
        In inches.

    Returns
    -------
    figure : matplotlib.figure.Figure
        Known to nobody else: there is nothing to close.

    Examples
    --------
    >>> new_figure(4, 3).get_size_inches().tolist()
    [4.0, 3.0]
    """
    return Figure(figsize=(width, height), layout="constrained", facecolor="white")


def dress(axes: Axes, grid: Literal["x", "y", "both", "none"] = "y") -> None:
    """Give axes the sizes of text, the frame and the grid of all figures.

    Parameters
    ----------
    axes : matplotlib.axes.Axes
        Changed in place.
    grid : {"x", "y", "both", "none"}, default="y"
        The axes that values are read from.

    Examples
    --------
    >>> axes = new_figure(4, 3).add_subplot()
    >>> dress(axes)
    >>> axes.spines["top"].get_visible()
    False
    """
    axes.tick_params(which="both", labelsize=SMALL)
    axes.title.set_fontsize(NORMAL)
    axes.xaxis.label.set_fontsize(NORMAL)
    axes.yaxis.label.set_fontsize(NORMAL)
    axes.spines[["top", "right"]].set_visible(False)
    axes.set_axisbelow(True)
    if grid != "none":
        axes.grid(visible=True, axis=grid, color="0.88", linewidth=0.6)


def save_figure(figure: Figure, stem: str | os.PathLike[str]) -> tuple[Path, Path]:
    """Write a figure as PNG and as SVG, each whole or not at all.

    The same figure gives the same bytes, and the text in the SVG stays text.

    Parameters
    ----------
    figure : matplotlib.figure.Figure
        What to write.
    stem : path-like
        Where, without the ending.

    Returns
    -------
    png, svg : pathlib.Path
        The files.

    Raises
    ------
    OSError
        If the folder is not there or cannot be written to.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     [path.name for path in save_figure(new_figure(2, 2), Path(folder, "figure-1"))]
    ['figure-1.png', 'figure-1.svg']
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
    r"""Return a figure as PNG.

    Parameters
    ----------
    figure : matplotlib.figure.Figure
        What to draw. The same figure gives the same bytes.

    Examples
    --------
    >>> png_bytes(new_figure(2, 2))[:4]
    b'\x89PNG'
    """
    return _bytes(figure, format="png")


def svg_bytes(figure: Figure) -> bytes:
    """Return a figure as SVG in which text stays text.

    Parameters
    ----------
    figure : matplotlib.figure.Figure
        What to draw. The same figure gives the same bytes.

    Examples
    --------
    >>> b"</svg>" in svg_bytes(new_figure(2, 2))
    True
    """
    with mpl.rc_context(_SVG):
        return _bytes(figure, format="svg", metadata={"Date": None})


def _bytes(figure: Figure, **how: Any) -> bytes:
    buffer = io.BytesIO()
    with warnings.catch_warnings():
        # A name may be in any script. In an SVG the reader's fonts show it all the same.
        warnings.filterwarnings("ignore", r"Glyph \d+", UserWarning)
        figure.savefig(buffer, dpi=_DOTS_PER_INCH, **how)
    return buffer.getvalue()
