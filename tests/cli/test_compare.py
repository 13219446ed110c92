import csv
import json
import os
import signal

import numpy as np
import pytest

from entryprune.methods import METHODS
from entryprune.reporting import DEFAULT_METHODS


@pytest.fixture
def table(tmp_path):
    """Two of eight columns tell two classes apart."""
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, size=120)
    X = rng.normal(size=(120, 8))
    X[:, 2] += 2.5 * y
    X[:, 5] -= 2.5 * y
    path = tmp_path / "table.csv"
    with path.open("w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow([f"x{i}" for i in range(8)] + ["label"])
        writer.writerows([*row, label] for row, label in zip(X.tolist(), y, strict=True))
    return path


def compare(entryprune, table, *arguments):
    return entryprune(
        "compare", table, "--target", "label", "--methods", "fisher,mrmr", "-k", "1,2",
        "--repeats", "1", *arguments,
    )  # fmt: skip


def test_it_ends_in_a_table_and_a_recommendation(entryprune, table, tmp_path):
    out, page = tmp_path / "table_of_scores.csv", tmp_path / "page.html"
    code, shown, err = compare(entryprune, table, "-o", out, "--report", page)
    assert code == 0, err
    rows = list(csv.DictReader(out.read_text().splitlines()))
    assert [(row["method"], row["K"]) for row in rows] == [
        ("Fisher score", "1"),
        ("Fisher score", "2"),
        ("mRMR", "1"),
        ("mRMR", "2"),
        ("all features", "8"),
        ("random features", "1"),
        ("random features", "2"),
        ("guessing", "0"),
    ]
    means = {(row["method"], row["K"]): float(row["mean"]) for row in rows}
    assert means["Fisher score", "2"] > means["Fisher score", "1"]
    verdict = shown.splitlines()[0]
    assert "with K = 2" in verdict
    assert f", guessing {means['guessing', '0']:.1f} %)" in verdict
    content = page.read_text(encoding="utf-8")
    assert verdict in content
    assert "x2" in content
    # What is seen of the folds names the measure.
    assert "fold 5 of 5, mRMR, K = 2: accuracy (%) of support vector machine " in err


def test_the_measure_the_learner_and_the_seed_can_be_chosen(entryprune, table, tmp_path):
    out = tmp_path / "scores.csv"
    code, _, err = entryprune(
        "compare", table, "-t", "label", "--methods", "l1", "-k", "2", "--repeats", "1",
        "--metric", "auc", "--learner", "logistic", "--seed", "3", "--set", "scale=standard",
        "-o", out,
    )  # fmt: skip
    assert code == 0, err
    rows = list(csv.DictReader(out.read_text().splitlines()))
    learner = "logistic regression with classes of equal weight"
    assert {(row["metric"], row["learner"]) for row in rows} == {("AUC", learner)}
    assert [float(row["mean"]) for row in rows if row["method"] == "guessing"] == [0.5]
    assert 0.9 < float(rows[0]["mean"]) <= 1.0
    assert "AUC of logistic regression" in err


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--metric", "acuracy"), "Did you mean 'accuracy'"),
        (("--learner", "forest"), "The learners are: svm,"),
        (("--metric", "rmse"), "rmse is a measure for regression, and this is classification"),
        (("--set", "trees=5"), "(fisher, mrmr) has a parameter 'trees'"),
        (("--set", "task=regression"), "--task does it"),
    ],
)
def test_what_cannot_be_asked_is_told_before_anything_runs(entryprune, table, arguments, message):
    code, _, err = compare(entryprune, table, *arguments)
    assert code == 2
    assert message in err
    assert "fold 1" not in err


@pytest.mark.usefixtures("threads_for_processes")
def test_an_interrupted_comparison_goes_on_from_its_store(entryprune, table, tmp_path):
    store = tmp_path / "done.jsonl"
    compare(entryprune, table, "--store", store)
    before = store.read_bytes()
    assert before.count(b"\n") == 7 * 5
    # No copy of the data is left behind.
    assert sorted(path.name for path in tmp_path.iterdir()) == ["done.jsonl", "table.csv"]
    code, _, err = compare(entryprune, table, "--store", store)
    assert code == 0, err
    assert store.read_bytes() == before


@pytest.mark.usefixtures("threads_for_processes")
def test_the_default_method_is_among_those_compared_by_default(entryprune, table, tmp_path):
    out = tmp_path / "scores.csv"
    code, _, err = entryprune(
        "compare", table, "-t", "label", "-k", "2", "--repeats", "1", "-o", out
    )
    assert code == 0, err
    rows = list(csv.DictReader(out.read_text().splitlines()))
    means = {row["method"]: row["mean"] for row in rows}
    assert list(means) == [
        "EntryPrune exchange", "Fisher score", "mRMR", "L1", "ExtraTrees",
        "all features", "random features", "guessing",
    ]  # fmt: skip
    assert float(means["EntryPrune exchange"]) > 80


@pytest.mark.parametrize("task", DEFAULT_METHODS)
def test_by_default_only_methods_that_can_do_the_task_are_compared(entryprune, task):
    assert all(task in METHODS[name].tasks for name in DEFAULT_METHODS[task])
    _, shown, _ = entryprune("compare", "--help")
    for name in DEFAULT_METHODS[task]:
        assert name in "".join(shown.split())  # lines may be broken at hyphens


@pytest.mark.usefixtures("threads_for_processes")
def test_quantities_are_compared_by_default_without_a_word_on_others(entryprune, tmp_path):
    X = np.random.default_rng(0).normal(size=(60, 5))
    path, out = tmp_path / "numbers.csv", tmp_path / "scores.csv"
    rows = np.column_stack([X, X[:, 1] - X[:, 3]])
    np.savetxt(path, rows, delimiter=",", header="a,b,c,d,e,y", comments="")
    code, shown, err = entryprune(
        "compare", path, "-t", "y", "-k", "2", "--repeats", "1", "-o", out
    )
    assert code == 0, err
    assert "left out" not in shown
    rows = csv.DictReader(out.read_text().splitlines())
    assert [row["method"] for row in rows][:4] == [
        "EntryPrune exchange", "mRMR FCQ", "L1", "ExtraTrees"
    ]  # fmt: skip


def test_too_many_features_are_told_before_anything_runs(entryprune, table):
    code, _, err = entryprune("compare", table, "--target", "label", "-k", "9")
    assert code == 2
    assert "-k 9 asks for more features than table.csv has (8)" in err


# -- other files ----------------------------------------------------------------------------------


@pytest.mark.usefixtures("threads_for_processes")
def test_the_ending_of_the_file_says_what_it_is(entryprune, table, tmp_path):
    texts, shown = {}, ""
    for ending in ("csv", "tsv", "json"):
        path = tmp_path / f"scores.{ending}"
        code, shown, err = compare(entryprune, table, "-o", path)
        assert code == 0, err
        texts[ending] = path.read_text()
    rows = list(csv.DictReader(texts["csv"].splitlines()))
    tabbed = list(csv.DictReader(texts["tsv"].splitlines(), delimiter="\t"))
    (verdict,) = json.loads(texts["json"], parse_constant=pytest.fail)["verdicts"]
    ones = [*verdict["results"], *verdict["compared_with"]]
    assert shown.startswith(verdict["verdict"])
    for row, tab, one in zip(rows, tabbed, ones, strict=True):
        assert (row["method"], int(row["K"]), float(row["mean"]), int(row["folds"])) == (
            one["method"],
            one["k"],
            one["mean"],
            one["n_folds"],
        )
        assert tab["mean"] == row["mean"]
    code, _, err = compare(entryprune, table, "-o", tmp_path / "scores.xlsx")
    assert code == 2
    assert "must end in .csv or .tsv or .json" in err


# -- Ctrl-C ---------------------------------------------------------------------------------------


@pytest.fixture
def pressing(monkeypatch):
    """Return what presses Ctrl-C after so many records, twice if that stands there twice."""

    def press(*after):
        from entryprune.bench.store import MemoryStore

        n_records = 0
        keep = MemoryStore.append

        def append(store, record):
            nonlocal n_records
            keep(store, record)
            n_records += 1
            for _ in range(after.count(n_records)):
                os.kill(os.getpid(), signal.SIGINT)

        monkeypatch.setattr(MemoryStore, "append", append)

    # A command that was interrupted leaves it ignored, for it is about to end.
    before = signal.getsignal(signal.SIGINT)
    yield press
    signal.signal(signal.SIGINT, before)


# A fold has seven: all features, two methods and random features with two K each.
N_IN_A_FOLD = 7


@pytest.mark.skipif(os.name == "nt", reason="Windows sends signals differently")
@pytest.mark.usefixtures("threads_for_processes")
def test_an_interrupt_shows_and_writes_what_is_finished(entryprune, table, tmp_path, pressing):
    out, page = tmp_path / "scores.json", tmp_path / "page.html"
    pressing(6 * N_IN_A_FOLD + 2)
    code, shown, err = compare(
        entryprune, table, "--repeats", "3", "-o", out, "--report", page
    )  # the later --repeats counts
    assert code == 0, err
    assert "Stopping with the folds that are finished; Ctrl-C again to end at once." in err
    said = (
        "Interrupted: all that is said here comes from 6 of 15 folds, those that were finished by "
        "then."
    )
    first, verdict = shown.splitlines()[:2]
    assert first == said
    assert "with K = 2" in verdict
    content = json.loads(out.read_text())
    assert content["interrupted"] is True
    assert content["notes"][0] == said
    assert {one["n_folds"] for one in content["verdicts"][0]["results"]} == {6}
    assert content["verdicts"][0]["verdict"] == verdict
    text = page.read_text(encoding="utf-8")
    assert said in text
    assert verdict in text


@pytest.mark.skipif(os.name == "nt", reason="Windows sends signals differently")
@pytest.mark.usefixtures("threads_for_processes")
def test_an_interrupt_before_a_whole_round_recommends_nothing(entryprune, table, pressing):
    pressing(N_IN_A_FOLD + 2)
    code, shown, err = compare(entryprune, table)
    assert code == 0, err
    first, verdict = shown.splitlines()[:2]
    assert first.endswith(
        "Finished: 2 folds of all features, Fisher score (K = 1); 1 fold of Fisher score (K = 2), "
        "mRMR (K = 1, 2), random features (K = 1, 2)."
    )
    assert verdict.startswith("Nothing can be recommended, for there are not enough folds")
    assert "Use " not in shown


@pytest.mark.skipif(os.name == "nt", reason="Windows sends signals differently")
@pytest.mark.usefixtures("threads_for_processes")
@pytest.mark.parametrize(
    "presses", [(1,), (6 * N_IN_A_FOLD,) * 2], ids=["nothing to show", "the second"]
)
def test_a_second_interrupt_and_one_before_anything_end_at_once(
    entryprune, table, tmp_path, pressing, presses
):
    out = tmp_path / "scores.csv"
    pressing(*presses)
    code, shown, err = compare(entryprune, table, "--repeats", "2", "-o", out)
    assert (code, shown) == (130, ""), err
    assert err.splitlines()[-1] == "entryprune: interrupted"
    assert not out.exists()
