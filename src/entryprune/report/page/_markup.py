"""HTML that cannot be broken by what is put into it."""

from __future__ import annotations

import html
from typing import TYPE_CHECKING

from entryprune.report._texts import clean

if TYPE_CHECKING:
    from collections.abc import Iterable

_WITHOUT_END = frozenset({"img", "meta"})


class Html(str):
    """A text that is HTML already. Any other text is escaped before it comes onto a page."""

    __slots__ = ()


def escape(text: str) -> Html:
    """Return a text as HTML that shows it.

    Examples
    --------
    >>> escape("<b> & co"), escape(Html("<b>bold</b>"))
    ('&lt;b&gt; &amp; co', '<b>bold</b>')
    """
    return text if isinstance(text, Html) else Html(html.escape(clean(text)))


def join(parts: Iterable[str]) -> Html:
    """Return parts one after the other, those that are not HTML escaped.

    Examples
    --------
    >>> join([Html("<br>"), "<br>"])
    '<br>&lt;br&gt;'
    """
    return Html("".join(escape(part) for part in parts))


def tag(name: str, /, *children: str, **attributes: str | float | bool | None) -> Html:
    """Return an element; only what is Html already is not escaped.

    Parameters
    ----------
    name : str
        Of the element.
    *children : str
        What it holds.
    **attributes : str, float, bool or None
        None and False are left out, True has no value. An underscore at the end of a name is
        dropped, others become hyphens.

    Examples
    --------
    >>> tag("td", "a < b", class_="name", data_value=3)
    '<td class="name" data-value="3">a &lt; b</td>'
    """
    texts = [name]
    for key, value in attributes.items():
        if value is None or value is False:
            continue
        written = key.removesuffix("_").replace("_", "-")
        texts.append(written if value is True else f'{written}="{_attribute(value)}"')
    start = f"<{' '.join(texts)}>"
    return Html(start if name in _WITHOUT_END else f"{start}{join(children)}</{name}>")


def paragraphs(texts: Iterable[str]) -> Html:
    """Return a paragraph for each text that is not empty."""
    return join(tag("p", text) for text in texts if text)


def bullets(texts: Iterable[str]) -> Html:
    """Return a list; nothing if it has no entries."""
    entries = [tag("li", text) for text in texts]
    return tag("ul", *entries) if entries else Html()


def _attribute(value: str | float) -> str:
    # Even what is Html: in an attribute it is a text.
    return html.escape(clean(value))
