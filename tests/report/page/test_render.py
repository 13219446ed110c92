import base64
import re

import numpy as np
import pytest
from jinja2 import UndefinedError
from markupsafe import Markup

from entryprune.report.page.render import _environment
from entryprune.report.style import new_figure


def picture(ax, alt, caption=""):
    return _environment().get_template("parts.html").module.picture(ax, alt, caption)


def test_small_drawings_are_svg_and_large_ones_png():
    small, large = (new_figure(3, 2).add_subplot() for _ in range(2))
    small.plot([1, 2])
    large.plot(np.random.default_rng(0).random(20_000), linewidth=0.1)
    large.scatter(range(3000), np.random.default_rng(0).random(3000), c=range(3000))
    for ax, kind, start in ((small, "svg+xml", b"<?xml"), (large, "png", b"\x89PNG")):
        shown = picture(ax, "alt")
        content = re.search(rf'src="data:image/{re.escape(kind)};base64,([^"]+)"', shown)[1]
        assert base64.b64decode(content).startswith(start)
        assert 'width="288" height="192"' in shown


def test_alternative_texts_and_captions_are_escaped():
    shown = picture(new_figure(2, 2).add_subplot(), 'a "quoted" <b>', "<i>")
    assert 'alt="a &#34;quoted&#34; &lt;b&gt;"' in shown
    assert "<figcaption>&lt;i&gt;</figcaption>" in shown


def test_axes_on_no_figure_are_refused():
    ax = new_figure(2, 2).add_subplot()
    ax.remove()
    with pytest.raises(ValueError, match="on no figure"):
        picture(ax, "alt")


# -- HTML ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ("<b> & 'co'", "&lt;b&gt; &amp; &#39;co&#39;"),
        (Markup("<b>bold</b>"), "<b>bold</b>"),
        ("a\x00b\r\nc", "a\ufffdb\nc"),
        (7, "7"),
    ],
)
def test_only_what_is_html_already_is_not_escaped(value, expected):
    assert _environment().from_string("{{ value }}").render(value=value) == expected


def test_a_name_that_is_missing_in_a_template_is_an_error():
    with pytest.raises(UndefinedError):
        _environment().from_string("{{ nonsense }}").render()
