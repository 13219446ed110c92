"""Plots as parts of a page."""

from __future__ import annotations

import base64
from typing import TYPE_CHECKING

from matplotlib.figure import Figure

from entryprune.report.page._markup import Html, tag
from entryprune.report.style import png_bytes, svg_bytes

if TYPE_CHECKING:
    from collections.abc import Iterable

    from matplotlib.axes import Axes

# Bytes above which a drawing is cheaper as a picture.
_MOST_SVG = 150_000
_DOTS_PER_INCH = 96


def picture(ax: Axes, alt: str, caption: str = "") -> Html:
    """Return the figure that axes are on.

    It is an image and not a part of the page's own HTML, so that no name in it can do anything.

    Parameters
    ----------
    ax : matplotlib.axes.Axes
        A drawing; a PNG if it would be large as SVG.
    alt : str
        What it shows, for those who cannot see it.
    caption : str, default=""
        What stands below.

    Examples
    --------
    >>> from entryprune.report.style import new_figure
    >>> picture(new_figure(2, 1).add_subplot(), "an empty plot")[:40]
    '<figure><img src="data:image/svg+xml;bas'
    """
    figure = ax.figure
    if not isinstance(figure, Figure):
        raise ValueError("The axes are on no figure of their own, so there is nothing to show.")
    content, kind = svg_bytes(figure), "svg+xml"
    if len(content) >= _MOST_SVG:
        content, kind = png_bytes(figure), "png"
    width, height = (round(_DOTS_PER_INCH * size) for size in figure.get_size_inches())
    image = tag(
        "img",
        src=f"data:image/{kind};base64,{base64.b64encode(content).decode('ascii')}",
        alt=alt,
        width=width,
        height=height,
    )
    return tag("figure", image, tag("figcaption", caption) if caption else Html())


def side_by_side(pictures: Iterable[Html], *, is_small: bool = False) -> Html:
    """Return pictures in rows as long as the screen is wide; small ones also stand so on paper."""
    return tag("div", *pictures, class_="pictures small" if is_small else "pictures")
