import csv
import re
from pathlib import Path

import pytest

from entryprune.baselines import METHODS
from entryprune.bench.studies import STUDIES
from entryprune.data import DATASETS

GUIDE = Path(__file__).parents[2] / "docs" / "benchmark.md"
SMALL = ("--datasets", "breast_cancer", "--methods", "fisher,mrmr", "-k", "3", "--seeds", "1")


@pytest.fixture
def store(tmp_path):
    return tmp_path / "results.jsonl"


def test_the_list_has_every_data_set_method_and_study(entryprune, monkeypatch):
    monkeypatch.setenv("COLUMNS", "200")
    code, out, _ = entryprune("bench", "list")
    assert code == 0
    for name in (*DATASETS, *METHODS, *STUDIES):
        assert re.search(rf"\b{name}\b", out), name


@pytest.mark.usefixtures("threads_for_processes")
def test_run_ends_in_a_table_that_can_be_had_again_without_running(entryprune, store):
    code, out, err = entryprune("bench", "run", *SMALL, "--store", store)
    assert code == 0, err
    assert "| Fisher score | SVM" in out
    assert "all features" in out
    before = store.read_bytes()
    assert entryprune("bench", "table", *SMALL, "--store", store)[1] == out
    sheet = store.with_name("table.csv")
    entryprune("bench", "table", *SMALL, "--store", store, "-o", sheet)
    assert sheet.read_text().startswith("data set,K,method,")
    code, again, _ = entryprune("bench", "run", *SMALL, "--store", store)
    assert (code, again) == (0, out)
    assert store.read_bytes() == before


@pytest.mark.usefixtures("threads_for_processes")
def test_another_learner_scores_the_known_selections(entryprune, store):
    entryprune("bench", "run", *SMALL, "--store", store)
    n_before = store.read_bytes().count(b"\n")
    _, out, _ = entryprune("bench", "run", *SMALL, "--learners", "svm,knn", "--store", store)
    assert "1-NN" in out
    # The reference and both methods, scored once more.
    assert store.read_bytes().count(b"\n") == n_before + 3


@pytest.mark.usefixtures("threads_for_processes")
def test_a_study_writes_its_table_and_its_figures(entryprune, store, tmp_path):
    code, out, err = entryprune(
        "bench", "study", "accuracy", *SMALL, "--store", store, "-o", tmp_path / "out"
    )
    assert code == 0, err
    names = {path.name for path in (tmp_path / "out").iterdir()}
    assert names == {
        "accuracy.csv", "accuracy.md", "accuracy-by-k.png", "accuracy-by-k.svg",
        "average-accuracy.png", "average-accuracy.svg",
    }  # fmt: skip
    assert set(out.split()) == {str(tmp_path / "out" / name) for name in names}
    svg = (tmp_path / "out" / "accuracy-by-k.svg").read_text()
    assert "Fisher score" in svg


@pytest.mark.usefixtures("threads_for_processes")
def test_the_leaderboard_writes_both_tables_and_can_be_seen_from_another_method(
    entryprune, store, tmp_path
):
    small = ("--datasets", "breast_cancer,wine", "--methods", "fisher,mrmr", "-k", "3")
    code, out, err = entryprune(
        *("bench", "study", "leaderboard", *small, "--seeds", "2"),
        *("--store", store, "-o", tmp_path / "out"),
    )
    assert code == 0, err
    assert {path.name for path in (tmp_path / "out").iterdir()} == {
        "leaderboard.csv", "leaderboard.md", "leaderboard-sets.csv", "leaderboard-sets.md",
        "critical-difference.png", "critical-difference.svg",
    }  # fmt: skip
    assert '"protocol":"clean"' in store.read_text()
    again = ("--seeds", "2", *small, "--store", store, "--format", "csv")
    _, out, _ = entryprune("bench", "table", "leaderboard", "--reference", "fisher", *again)
    rows = list(csv.DictReader(out.splitlines()))
    assert [row["method"] for row in rows if not row["wins"]] == ["Fisher score"]
    _, out, _ = entryprune("bench", "table", "leaderboard-sets", *again)
    assert [row["data set"] for row in csv.DictReader(out.splitlines())] == [
        "Breast cancer",
        "Wine",
    ]


@pytest.mark.usefixtures("threads_for_processes")
def test_the_truth_is_found_or_not(entryprune, store, tmp_path):
    code, _, err = entryprune(
        *("bench", "study", "truth", "--datasets", "xor-4,ring-4", "--methods", "mrmr,extra-trees"),
        *("--seeds", "1", "--store", store, "-o", tmp_path / "out"),
    )
    assert code == 0, err
    rows = list(csv.DictReader((tmp_path / "out" / "truth.csv").read_text().splitlines()))
    assert [(row["data set"], row["K"], row["ExtraTrees"]) for row in rows] == [
        ("XOR", "2", "1.0"),
        ("RING", "2", "1.0"),
    ]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("study", "truth", "--datasets", "wine"), "of 'wine' nobody knows which matter"),
        (("study", "leaderboard", "--reference", "mrrm"), "Did you mean 'mrmr'"),
        (("table", "leaderboard-sets"), "no results for this table.*bench study leaderboard"),
        (("study", "time", "--quick", "--jobs", "2"), "measures times.*Leave out --jobs"),
        (("run",), "No data set was named. Name some with --datasets"),
        (("run", "--datasets", "uspss"), "no data set 'uspss'.*Did you mean 'usps'"),
        (("run", "--datasets", "usps", "--methods", "fischer"), "Did you mean 'fisher'"),
        (("run", "--datasets", "usps", "--learners", "knnn"), "Did you mean 'knn'"),
        (("run", "--datasets", "usps", "-k", "ten"), "-k takes whole numbers from 1"),
        (
            ("run", "--datasets", "usps", "--protocol", "fair"),
            "The protocols are: paper, clean, cv, truth",
        ),
        (("study", "spede"), "Did you mean 'speed'"),
        (("study", "speed", "--quick", "--jobs", "2"), "measures times.*Leave out --jobs"),
        (("figure", "nonsense"), "The figures are: accuracy-by-k"),
        (("table", "--format", "pdf"), "The formats are: markdown, csv"),
        (("table",), "has no results for this table.*bench study accuracy"),
        (("figure", "speed", "--quick"), "no results for the figure 'speed'"),
        (("run", "--quick", "--with", "none.py"), "none.py is not a Python file"),
    ],
)
def test_an_error_is_one_line_that_says_what_to_do(entryprune, store, arguments, message):
    code, out, err = entryprune("bench", *arguments, "--store", store)
    assert (code, out) == (2, "")
    assert err.startswith("entryprune: ")
    assert err.count("\n") == 1
    assert re.search(message, err)
    assert not store.exists()


def test_the_guides_examples_of_a_method_and_a_data_set_of_ones_own(entryprune, store, tmp_path):
    text = GUIDE.read_text(encoding="utf-8")
    files = re.findall(r"```python\n# (\w+\.py)\n(.*?)```", text, re.DOTALL)
    assert [name for name, _ in files] == ["quartiles.py", "noisy_digits.py"]
    for name, code in files:
        (tmp_path / name).write_text(code)
    commands = re.findall(r"^entryprune (bench run --with .*)$", text, re.MULTILINE)
    assert len(commands) == 2
    for command in commands:
        arguments = [
            str(tmp_path / word) if word.endswith(".py") else word for word in command.split()
        ]
        code, out, err = entryprune(*arguments, "--store", store)
        assert code == 0, err
        assert "failed" not in out
    assert "| Digits and noise | 10" in out
