"""Ways in which any report can be seen."""

import io
import subprocess
import sys
import types

import numpy as np
import pytest
from rich.console import Console

from entryprune.report import (
    ComparisonReport,
    Contender,
    DataFacts,
    Pair,
    Provenance,
    Selected,
    SelectionReport,
)


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


def test_a_report_is_written_in_a_few_lines(build):
    assert repr(a_report()) == (
        "<SelectionReport: Of 99 features, STG selected these 2 to predict “y”. How well they "
        "predict was not checked.>"
    )
    full = build.full_selection()
    assert repr(full).endswith(f"{full.verdict or full.unchecked()}>")
    comparison = build.comparison()
    written = repr(comparison)
    assert written.startswith("<ComparisonReport: EntryPrune, ")
    assert " with K = 5, " in written
    assert written.endswith(f"{comparison.judgements[0].statement}>")
    assert max(len(written), len(repr(full))) < 600


@pytest.mark.parametrize("metric", ["log loss", "AUC", "accuracy (%)"])
def test_no_cell_of_a_comparison_is_broken_on_80_columns(metric):
    scale = 100 if metric.endswith("(%)") else 1
    scores = scale * np.array([0.1873, 0.2012, 0.1791, 0.1955, 0.1902])

    def one(method, k, off):
        folds = scores + scale * off * np.array([1.0, 1.01, 0.98, 1.2, 0.9])
        return Contender(
            method=method,
            k=k,
            learner="logistic regression",
            metric=metric,
            mean=float(folds.mean()),
            sd=float(folds.std(ddof=1)),
            fold_scores=folds.tolist(),
            stability=0.5,
            seconds=75.0,
        )

    report = ComparisonReport(
        data=DataFacts(file_name="", n_samples=9, n_features=99, target="y", task="regression"),
        contenders=[one("EntryPrune exchange", 50, 0.00381), one("Fisher score", 10, -0.000231)],
        references=[one("all features", 5966, 0.0)],
        controls=[one("random features", 50, 0.0223)],
        guesses=[one("guessing", 0, 0.0631)],
        provenance=Provenance(),
    )
    stream = io.StringIO()
    report._print(Console(file=stream, width=80))
    lines = stream.getvalue().splitlines()
    # A name may go on in the next line.
    for name in ("EntryPrune", "Fisher", "random", "guessing"):
        (row,) = [line for line in lines if line.strip().startswith(name) and "±" in line]
        assert row.count("±") == 2
        assert row.rstrip().endswith("0.50  1 min 15 s")
        assert len(row) <= 80
