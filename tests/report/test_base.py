"""Ways in which any report can be seen."""

import subprocess
import sys
import types

import pytest

from entryprune.report import DataFacts, Pair, Provenance, Selected, SelectionReport


def a_report(n=2, **changes):
    facts = {
        "data": DataFacts(file_name="", n_samples=9, n_features=99, target="y", task="regression"),
        "k": n,
        "method": "STG",
        "selected": Selected(
            names=[f"f{i}" for i in range(n)],
            columns=range(n),
            scores=[0.5] * n,
            warnings=["Oh <b>"],
        ),
        "provenance": Provenance(),
    }
    return SelectionReport(**{**facts, **changes})


def test_a_frame_has_the_main_table():
    frame = a_report().to_frame()
    assert frame.to_dict("list") == {
        "rank": [1, 2],
        "feature": ["f0", "f1"],
        "column": [0, 1],
        "score": [0.5, 0.5],
    }


def test_without_pandas_there_is_no_frame_but_advice(monkeypatch):
    monkeypatch.setitem(sys.modules, "pandas", None)
    with pytest.raises(ImportError, match="Install it with: pip install pandas"):
        a_report().to_frame()


def test_the_page_is_html(tmp_path):
    with pytest.raises(ValueError, match=r"ends in \.html; got r\.pdf"):
        a_report().save("r.pdf")
    with pytest.raises(FileNotFoundError, match="there is no folder"):
        a_report().save(tmp_path / "none" / "r.html")


def test_a_terminal_shows_the_first_and_counts_the_rest(capsys):
    pairs = [
        Pair(names=("a", "\x1b[2J"), columns=(1, 2), strength=9.0, p_value=0.01) for _ in range(25)
    ]
    a_report(25, pairs=pairs).show()
    shown = capsys.readouterr().out
    assert "f19" in shown
    assert "f20" not in shown
    assert "and 5 more; to_frame() has all." in shown
    assert "and 5 more; pairs has all." in shown
    assert "\x1b" not in shown


def test_a_notebook_shows_a_table_without_scripts(monkeypatch, capsys):
    displayed = []
    ipython = types.ModuleType("IPython")
    ipython.get_ipython = lambda: types.SimpleNamespace(kernel=None)
    ipython.display = types.ModuleType("IPython.display")
    ipython.display.display = displayed.append
    monkeypatch.setitem(sys.modules, "IPython", ipython)
    monkeypatch.setitem(sys.modules, "IPython.display", ipython.display)
    report = a_report(25)
    report.show()
    assert displayed == [report]
    assert capsys.readouterr().out == ""
    fragment = report._repr_html_()
    assert "Oh &lt;b&gt;" in fragment
    assert fragment.count("<tr>") == 1 + 20
    assert "and 5 more" in fragment


def test_a_python_shell_is_no_notebook(monkeypatch, capsys):
    ipython = types.ModuleType("IPython")
    ipython.get_ipython = lambda: None
    monkeypatch.setitem(sys.modules, "IPython", ipython)
    a_report().show()
    assert "f0" in capsys.readouterr().out


def test_text_needs_neither_matplotlib_nor_templates():
    code = (
        "import sys\n"
        "from entryprune.report import DataFacts, Provenance, Selected, SelectionReport\n"
        "SelectionReport(data=DataFacts(file_name='', n_samples=9, n_features=9, target='y', "
        "task='regression'), k=1, method='STG', selected=Selected(names=['a'], columns=[1]), "
        "provenance=Provenance()).show()\n"
        "print(*[m for m in ('torch', 'sklearn', 'matplotlib', 'jinja2', 'pandas') "
        "if m in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines()[-1] == ""
