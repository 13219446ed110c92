"""The pages as a real browser shows them."""

import base64
import csv
import time

import numpy as np
import pytest

from entryprune.report import Samples
from entryprune.report.confidence import Standing, Sureness
from entryprune.report.page import render_comparison_page, render_selection_page

NAMES = [
    "beta",
    "<script>alert(1)</script>",
    "Alpha",
    "f10",
    "f2",
    '"><img src=x onerror=alert(1)>',
]
SCORES = [0.5, 0.4, None, 0.2, 0.1, -0.3]

TEXTS = """
const rows = document.querySelectorAll("#ranking thead + tbody tr:not([hidden])");
return Array.from(rows, (row) => row.cells[arguments[0]].textContent);
"""


@pytest.fixture(scope="module")
def pages(build, tmp_path_factory):
    rng = np.random.default_rng(0)
    selected = build.full_selection(NAMES).selected
    changed = type(selected)(
        names=NAMES,
        columns=range(1, 7),
        scores=SCORES,
        near_duplicates=[[(f"twin {i}", 0.99)] * (i % 3) for i in range(6)],
        runners_up=[("f1", 7, 0.9), ("next", 8, 0.8)],
    )
    report = build.full_selection(
        NAMES, selected=changed, samples=Samples(rng.normal(size=(60, 6)), build.samples(6).y)
    )
    folder = tmp_path_factory.mktemp("pages")
    texts = {
        "selection": render_selection_page(report),
        "comparison": render_comparison_page(build.comparison()),
    }
    paths = {name: folder / f"{name}.html" for name in texts}
    for name, path in paths.items():
        path.write_text(texts[name], encoding="utf-8")
    return paths


@pytest.fixture
def selection(browser, pages):
    browser.open(pages["selection"])
    return browser


def heading(i):
    return f"#ranking thead th:nth-child({i}) button"


@pytest.mark.parametrize("name", ["selection", "comparison"])
def test_there_is_no_error_and_no_request(browser, pages, name):
    browser.open(pages[name])
    # All pictures are decoded, so that what they may ask for is asked for.
    assert browser.run(
        "return Array.from(document.images).every((image) => image.complete && image.naturalWidth)"
    )
    assert browser.log("browser") == []
    assert {address.split(":")[0] for address in browser.requests()} <= {"file", "data"}
    assert browser.run("return document.querySelectorAll('table').length") > 3


def test_what_escaped_all_care_would_be_refused_and_told(browser, pages, tmp_path):
    added = """<script>window.ran = true</script><img id="spy" src="http://127.0.0.1:9/a.png">
    <p id="styled" style="color: red" onclick="window.ran = true">text</p></main>"""
    path = tmp_path / "bad.html"
    text = pages["selection"].read_text(encoding="utf-8").replace("</main>", added)
    path.write_text(text, encoding="utf-8")
    browser.open(path)
    browser.click("#styled")
    assert browser.run("return window.ran === undefined")
    refused = [entry["message"] for entry in browser.log("browser") if entry["level"] == "SEVERE"]
    for what in ("script", "style", "127.0.0.1:9/a.png"):
        assert any(what in message for message in refused), what


def test_a_script_in_a_name_is_text(selection):
    assert selection.run(TEXTS, 1) == NAMES
    assert selection.run("return document.scripts.length") == 1
    assert selection.run("return document.querySelectorAll('img[src=x]').length") == 0


def test_the_table_sorts_by_number_both_ways_with_missing_ones_last(selection):
    selection.click(heading(3))
    assert selection.run(TEXTS, 2) == ["-0.300", "0.100", "0.200", "0.400", "0.500", "—"]
    assert selection.run(
        "return document.querySelector('#ranking th:nth-child(3)').getAttribute('aria-sort')"
    ) == ("ascending")
    selection.click(heading(3))
    assert selection.run(TEXTS, 2) == ["0.500", "0.400", "0.200", "0.100", "-0.300", "—"]
    selection.click(heading(1))
    assert selection.run(TEXTS, 0) == ["1", "2", "3", "4", "5", "6"]
    assert selection.run("return document.querySelectorAll('#ranking [aria-sort]').length") == 1


def test_runners_up_stay_below_the_rule_whatever_is_sorted_or_searched(selection):
    below = """const rows = document.querySelectorAll("#ranking tbody + tbody tr:not([hidden])");
    return Array.from(rows, (row) => row.cells[row.cells.length > 1 ? 1 : 0].textContent);"""
    selection.click(heading(3))
    selection.write("#ranking input", "beta")
    assert selection.run(below) == ["Next, not selected", "f1", "next"]
    assert selection.run(TEXTS, 1) == ["beta"]


def test_the_table_sorts_by_name_as_people_do(selection):
    # Anywhere on the heading, not on its arrow alone.
    selection.click("#ranking thead th:nth-child(2)")
    assert selection.run(TEXTS, 1)[2:] == ["Alpha", "beta", "f2", "f10"]


def test_near_duplicates_sort_by_their_number(selection):
    selection.click(heading(7))
    selection.click(heading(7))
    assert selection.run(TEXTS, 6) == ["2", "2", "1", "1", "0", "0"]


def test_the_table_can_be_searched_and_sorted_together(selection):
    selection.write("#ranking input", "F")
    assert selection.run(TEXTS, 1) == ["f10", "f2"]
    status = "return document.querySelector('#ranking [role=status]').textContent"
    assert selection.run(status) == "2 of 6 rows"
    selection.click(heading(2))
    assert selection.run(TEXTS, 1) == ["f2", "f10"]
    selection.write("#ranking input", "nothing has this")
    assert selection.run(TEXTS, 1) == []


def test_the_link_downloads_the_table(selection, tmp_path):
    selection.devtools("Browser.setDownloadBehavior", behavior="allow", downloadPath=str(tmp_path))
    selection.click("#ranking .download a")
    path = tmp_path / "selected-features.csv"
    deadline = time.monotonic() + 20
    while not path.exists() and time.monotonic() < deadline:
        time.sleep(0.05)
    with path.open(encoding="utf-8-sig", newline="") as file:
        rows = list(csv.reader(file))
    assert [row[1] for row in rows[1:]] == NAMES
    assert rows[3][3] == ""


def test_the_paragraph_on_methods_is_copied_and_says_so(selection):
    selection.click(".copy")
    shown = "return getSelection().toString().trim()"
    text = "return document.querySelector('[data-copy]').textContent.trim()"
    assert selection.run(shown) == selection.run(text)
    label = selection.run("return document.querySelector('.copy').textContent")
    assert label in {"Copied", "Selected: copy it with Ctrl-C"}
    assert selection.log("browser") == []


@pytest.mark.parametrize("name", ["selection", "comparison"])
def test_a_phone_scrolls_tables_in_their_boxes_and_not_the_page(browser, pages, name):
    browser.devtools(
        "Emulation.setDeviceMetricsOverride",
        width=390,
        height=800,
        deviceScaleFactor=1,
        mobile=True,
    )
    try:
        browser.open(pages[name])
        assert browser.run("return window.innerWidth") == 390
        assert browser.run("return document.documentElement.scrollWidth") <= 390
        wide = "return Array.from(document.querySelectorAll('.scroll'), (b) => b.scrollWidth)"
        assert max(browser.run(wide)) > 390
    finally:
        browser.devtools("Emulation.clearDeviceMetricsOverride")


def test_a_keyboard_reaches_the_scrolling_boxes(selection):
    assert selection.run(
        "return Array.from(document.querySelectorAll('.scroll')).every((b) => b.tabIndex === 0)"
    )


def test_all_is_there_without_javascript(browser, pages):
    browser.devtools("Emulation.setScriptExecutionDisabled", value=True)
    try:
        browser.open(pages["selection"])
        root = browser.devtools("DOM.getDocument")["root"]["nodeId"]

        def find(selector):
            found = browser.devtools("DOM.querySelectorAll", nodeId=root, selector=selector)
            return found["nodeIds"]

        assert find(".tools") == find("button") == []
        rows = find("#ranking thead + tbody tr")
        assert len(rows) == len(NAMES)
        for node in (rows[0], find(".download a")[0], find("#scores img")[0]):
            # What is not laid out has no box.
            assert browser.devtools("DOM.getBoxModel", nodeId=node)["model"]["height"] > 0
    finally:
        browser.devtools("Emulation.setScriptExecutionDisabled", value=False)


OVERFLOWS = """
return Array.from(document.querySelectorAll(".scroll"), (b) => b.scrollWidth - b.clientWidth);
"""


def test_a_full_table_needs_no_scrolling_on_a_desktop(browser, build, tmp_path):
    names = [f"copy_of_ENSG0000000012{i}.1_transcript" for i in range(6)]
    verdicts = {i: Standing(frequency=1.0, verdict="confirmed") for i in range(2, 8)}
    report = build.full_selection(
        names,
        samples=build.samples(6, labels=("healthy mucosa", "adenocarcinoma in situ")),
        sureness=Sureness(
            statement="All are confirmed.",
            standings=verdicts,
            threshold=0.8,
            n_half_samples=100,
            n_per_fit=6,
            n_confirmed=6,
            expected_false=0.1,
        ),
    )
    path = tmp_path / "page.html"
    path.write_text(render_selection_page(report), encoding="utf-8")
    browser.devtools(
        "Emulation.setDeviceMetricsOverride",
        width=1200,
        height=800,
        deviceScaleFactor=1,
        mobile=False,
    )
    try:
        browser.open(path)
        assert max(browser.run(OVERFLOWS)) <= 0
    finally:
        browser.devtools("Emulation.clearDeviceMetricsOverride")


def test_a_typed_space_finds_one_that_no_line_breaks_at(selection):
    (shown, *_) = selection.run(TEXTS, 4)
    assert "\u00a0" in shown
    selection.write("#ranking input", shown.replace("\u00a0", " "))
    assert selection.run(TEXTS, 4)[0] == shown


def test_details_are_open_on_paper_and_closed_again(selection):
    is_open = "return document.querySelector('details').open"
    assert not selection.run(is_open)
    selection.run("dispatchEvent(new Event('beforeprint'))")
    assert selection.run(is_open)
    selection.run("dispatchEvent(new Event('afterprint'))")
    assert not selection.run(is_open)


def test_the_page_prints(selection):
    pdf = base64.b64decode(selection.devtools("Page.printToPDF")["data"])
    assert pdf.startswith(b"%PDF")
