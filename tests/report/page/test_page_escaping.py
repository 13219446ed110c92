"""Column names and values come from strangers' files."""

import xml.etree.ElementTree as ET

import numpy as np
import pytest

from entryprune.report import Frequencies, Pair, Provenance, Samples, Selected
from entryprune.report.page import (
    render_comparison_fragment,
    render_comparison_page,
    render_selection_fragment,
    render_selection_page,
)
from entryprune.report.text import clean

TAGS = {
    *("html", "head", "meta", "title", "style", "body", "main", "h1", "h2", "h3", "p", "ul", "li"),
    *("nav", "a", "section", "div", "table", "thead", "tbody", "tr", "th", "td", "span", "figure"),
    *("img", "figcaption", "pre", "script", "details", "summary"),
}
SVG = "{http://www.w3.org/2000/svg}"


def nasty_selection(build):
    nasty = list(build.nasty)
    n = len(nasty)
    selected = Selected(
        names=nasty,
        columns=range(n),
        scores=np.linspace(1, 0, n).tolist(),
        score_name=nasty[0],
        other_scores={name: [0.5] * n for name in nasty},
        near_duplicates=[[(name, 0.9) for name in nasty]] * n,
        runners_up=[(name, 1, 0.5) for name in nasty],
        runners_up_note=nasty[0],
        warnings=nasty,
    )
    everything = dict.fromkeys(nasty, "value") | {f"value {i}": x for i, x in enumerate(nasty)}
    labels = np.resize(np.array(nasty, dtype=object), 60)
    return build.full_selection(
        nasty,
        data=build.data(
            file_name=nasty[1],
            target=nasty[0],
            class_counts=[(name, 3) for name in nasty],
            notes=nasty,
        ),
        method=nasty[3],
        selected=selected,
        provenance=Provenance(
            command=nasty[0],
            command_again=nasty[1],
            settings=everything,
            versions=everything,
            machine=everything,
        ),
        validation=[
            one for name in nasty for one in build.validation(what=name, learner=name, metric=name)
        ],
        samples=Samples(np.random.default_rng(0).normal(size=(60, n)), labels),
        pairs=[
            Pair(
                names=(name, nasty[0]),
                columns=(1, 2),
                strength=9.0,
                p_value=0.01,
                values=np.random.default_rng(1).normal(size=(60, 2)),
            )
            for name in nasty
        ],
    )


def nasty_comparison(build):
    nasty = list(build.nasty)
    contenders = [
        build.contender(name, k, learner=learner, metric=learner, note=name)
        for name in nasty
        for k in (5, 10)
        for learner in nasty[:2]
    ]
    counts = [(name, i, 1) for i, name in enumerate(nasty)]
    return build.comparison(
        data=build.data(file_name=nasty[1], target=nasty[0]),
        contenders=contenders,
        references=[build.contender(nasty[0], 99, learner=nasty[0], metric=nasty[0])],
        frequencies=[Frequencies(method=name, k=9, n_times=2, counts=counts) for name in nasty],
        warnings=nasty,
    )


@pytest.fixture(scope="module", params=["selection", "comparison"])
def nasty_page(request, build):
    if request.param == "selection":
        return build.read(render_selection_page(nasty_selection(build)))
    return build.read(render_comparison_page(nasty_comparison(build)))


def test_names_make_no_elements_and_no_attributes(nasty_page):
    assert {tag for tag, _ in nasty_page.tags} <= TAGS
    assert len(nasty_page.scripts) == len(nasty_page.styles) == 1
    assert len(nasty_page.attributes("h1")) == 1
    for _, attributes in nasty_page.tags:
        assert not [name for name in attributes if name.startswith("on") or name == "style"]


def test_names_are_shown_as_they_are(build, nasty_page):
    cells = {cell for rows in nasty_page.tables.values() for row in rows for cell in row}
    for name in build.nasty:
        assert (clean(name) or "(no name)") in cells


def test_no_sign_is_on_the_page_that_may_not_be(nasty_page):
    nasty_page.text.encode("utf-8")
    assert not set(nasty_page.text) & {"\x00", "\x1b", "\r"}


def test_text_in_drawings_is_text(build, nasty_page):
    texts = []
    for kind, content, _ in nasty_page.pictures():
        if "svg" in kind:
            root = ET.fromstring(content)
            assert not [e.tag for e in root.iter() if e.tag.split("}")[-1] in {"script", "a"}]
            texts += ["".join(element.itertext()) for element in root.iter(f"{SVG}text")]
    shown = " ".join(texts)
    assert "$x$" in shown
    assert r"$\frac{1}$" in shown
    assert "<script>alert(1)</script>" in shown
    assert "_hidden" in shown
    assert "x" * 60 not in shown


def test_no_cell_of_a_download_is_a_formula(nasty_page):
    files = [file for file in nasty_page.downloads().values() if isinstance(file, list)]
    assert len(files) > 1
    for rows in files:
        cells = {cell for row in rows for cell in row}
        assert "'=cmd()" in cells
        assert "'-1+1" in cells
        assert "<script>alert(1)</script>" in cells
        for cell in cells:
            assert not cell.startswith(("=", "+", "@", "\t")), cell


def test_a_notebook_is_as_safe_as_the_page(build):
    for fragment in (
        render_selection_fragment(nasty_selection(build)),
        render_comparison_fragment(nasty_comparison(build)),
    ):
        assert not set(fragment) & {"\x00", "\x1b", "\r"}
        assert "&lt;script&gt;alert(1)&lt;/script&gt;" in fragment
        for tag in ("<script", "<img", "<h1", "<style", "onmouseover='"):
            assert tag not in fragment
