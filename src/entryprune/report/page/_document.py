"""The frame of a page: one file with all that it needs, and no right to load anything else."""

from __future__ import annotations

import base64
import hashlib
from dataclasses import dataclass
from importlib import resources
from typing import TYPE_CHECKING

from entryprune.report.page._markup import Html, join, tag

if TYPE_CHECKING:
    from collections.abc import Sequence


@dataclass(frozen=True)
class Section:
    """A part of a page.

    Attributes
    ----------
    name : str
        By which links find it.
    heading : str
        What stands above.
    content : Html
        What it tells.
    """

    name: str
    heading: str
    content: Html


def document(title: str, opening: Html, sections: Sequence[Section]) -> str:
    """Return a whole page.

    Parameters
    ----------
    title : str
        Of the page.
    opening : Html
        What comes before all sections.
    sections : sequence of Section
        The parts, in order.

    Examples
    --------
    >>> page = document("A & B", Html("<p>Hello</p>"), [])
    >>> page[:15], "<title>A &amp; B</title>" in page
    ('<!doctype html>', True)
    """
    style, script = (_resource(name) for name in ("page.css", "page.js"))
    head = tag(
        "head",
        tag("meta", charset="utf-8"),
        tag("meta", http_equiv="Content-Security-Policy", content=_policy(style, script)),
        tag("meta", name="viewport", content="width=device-width, initial-scale=1"),
        tag("title", title),
        # Neither file is from outside, so neither is escaped: < and & are themselves in both.
        tag("style", Html(style)),
    )
    links = [tag("li", tag("a", one.heading, href=f"#{one.name}")) for one in sections]
    main = tag(
        "main",
        tag("h1", title),
        opening,
        tag("nav", tag("ul", *links), aria_label="On this page") if links else Html(),
        *(tag("section", tag("h2", one.heading), one.content, id=one.name) for one in sections),
    )
    body = tag("body", main, tag("script", Html(script)))
    return join([Html("<!doctype html>\n"), tag("html", head, body, lang="en"), Html("\n")])


def _policy(style: str, script: str) -> str:
    """Allow this style, this script and pictures that are part of the page."""
    return "; ".join(
        [
            "default-src 'none'",
            f"style-src '{_fingerprint(style)}'",
            f"script-src '{_fingerprint(script)}'",
            "img-src data:",
            "base-uri 'none'",
            "form-action 'none'",
        ]
    )


def _fingerprint(text: str) -> str:
    digest = hashlib.sha256(text.encode("utf-8")).digest()
    return f"sha256-{base64.b64encode(digest).decode('ascii')}"


def _resource(name: str) -> str:
    file = resources.files("entryprune.report.page").joinpath(name)
    return file.read_text(encoding="utf-8")
