import base64
import re

import numpy as np
import pytest

from entryprune.report.page._markup import Html, escape, join, tag
from entryprune.report.page._pictures import picture
from entryprune.report.style import new_figure


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
    assert 'alt="a &quot;quoted&quot; &lt;b&gt;"' in shown
    assert "<figcaption>&lt;i&gt;</figcaption>" in shown


def test_axes_on_no_figure_are_refused():
    ax = new_figure(2, 2).add_subplot()
    ax.remove()
    with pytest.raises(ValueError, match="on no figure"):
        picture(ax, "alt")


# -- HTML ---------------------------------------------------------------------------------------


def test_only_what_is_html_already_is_not_escaped():
    assert tag("p", "<b>", Html("<b>")) == "<p>&lt;b&gt;<b></p>"
    assert join(["&", Html("&amp;")]) == "&amp;&amp;"
    # Put together by hand it is a text again, so that nobody forgets.
    assert escape(f"{Html('<b>')}<i>") == "&lt;b&gt;&lt;i&gt;"
    assert escape(Html("<b>") + "<i>") == "&lt;b&gt;&lt;i&gt;"


def test_attributes_are_always_escaped():
    assert tag("a", title=Html('"<b>"')) == '<a title="&quot;&lt;b&gt;&quot;"></a>'
    assert tag("a", hidden=True, title=None, dir=False, data_n=1) == '<a hidden data-n="1"></a>'
    assert tag("img", alt="'") == '<img alt="&#x27;">'
