"""`entryprune select --stability`: how sure each feature is, beside the same selection."""

import csv
import json

import numpy as np
import pytest

from entryprune import EntryPruneRegressor, Report
from entryprune.cli._stability import with_stability

FAST = ("--method", "fisher", "--stability", "--pairs", "6", "--repeats", "0")


@pytest.fixture
def table(tmp_path):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 12))
    y = np.where(X[:, 3] + 0.2 * rng.normal(size=60) > 0, "ill", "well")
    path = tmp_path / "table.csv"
    with path.open("w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow([*(f"g{i}" for i in range(12)), "y"])
        writer.writerows([*row, label] for row, label in zip(X.tolist(), y, strict=True))
    return path


def test_the_selection_stays_and_each_feature_gets_a_frequency_and_a_verdict(
    entryprune, table, tmp_path
):
    page, output = tmp_path / "page.html", tmp_path / "list.csv"
    common = ("select", table, "-t", "y", "-k", "2")
    code, out, err = entryprune(*common, *FAST, "--output", output, "--report", page)
    assert code == 0, err
    assert "Selecting on 12 half samples" in err
    assert "Of 12 features one is confirmed" in " ".join(out.split())
    with output.open() as file:
        rows = list(csv.DictReader(file))
    assert (rows[0]["feature"], rows[0]["frequency"], rows[0]["verdict"]) == (
        "g3",
        "1.0",
        "confirmed",
    )
    assert "How sure each feature is" in page.read_text(encoding="utf-8")
    code, out, _ = entryprune(*common, *FAST, "--json")
    answer = json.loads(out)
    assert answer["selected"][0]["verdict"] == "confirmed"
    assert "frequency" in answer["runners_up"][0]
    facts = answer["stability"]
    assert (facts["half_samples"], facts["features_per_fit"], facts["confirmed"]) == (12, 3, 1)
    assert facts["expected_false"] < 1
    _, out, _ = entryprune(*common, "--method", "fisher", "--json")
    alone = json.loads(out)
    assert "stability" not in alone
    assert [one["feature"] for one in alone["selected"]] == [
        one["feature"] for one in answer["selected"]
    ]


def test_whole_numbers_that_are_a_quantity_are_one_on_half_samples_too(entryprune, tmp_path):
    x = np.random.default_rng(0).normal(size=(50, 3))
    path = tmp_path / "numbers.csv"
    rows = np.column_stack([x, np.argsort(np.argsort(x[:, 1]))])
    np.savetxt(path, rows, delimiter=",", header="a,b,c,y", comments="", fmt="%g")
    code, out, err = entryprune(
        *("select", path, "-t", "y", "-k", "1", "--task", "regression"),
        *("--method", "l1", "--stability", "--pairs", "2", "--json"),
    )
    assert code == 0, err
    best = json.loads(out)["selected"][0]
    assert (best["rank"], best["feature"], best["column"]) == (1, "b", 2)
    assert (best["frequency"], best["verdict"]) == (1.0, "confirmed")


def test_pairs_without_stability_are_refused(entryprune, table):
    code, _, err = entryprune("select", table, "-t", "y", "-k", "2", "--pairs", "6")
    assert code == 2
    assert err.strip() == (
        "entryprune: --pairs is for --stability: add that, or leave out --pairs."
    )


def test_classes_too_small_for_halves_are_told_beside_the_selection(entryprune, tmp_path):
    path, output = tmp_path / "few.csv", tmp_path / "list.csv"
    path.write_text("a,b,y\n" + "".join(f"{i},{i % 3},u\n" for i in range(9)) + "9,1,v\n")
    code, out, err = entryprune(
        *("select", path, "-t", "y", "-k", "1", "--method", "fisher", "--stability"),
        *("--output", output, "--json"),
    )
    assert code == 0, err
    note = (
        "How sure each feature is cannot be told. Half of the samples must have two classes, but "
        "only 1 of the 2 classes in the target have two samples or more. Bring more samples of "
        "each class."
    )
    answer = json.loads(out)
    assert answer["notes"][-1] == note
    assert note in err
    assert "stability" not in answer
    assert answer["selected"][0]["feature"] == "a"
    with output.open() as file:
        assert [row["feature"] for row in csv.DictReader(file)] == ["a"]


def test_an_interrupt_leaves_the_selection(entryprune, table, monkeypatch):
    def interrupted(*_, **__):
        raise KeyboardInterrupt
        yield

    monkeypatch.setattr("entryprune.confidence.stability.select_on_each", interrupted)
    code, out, err = entryprune("select", table, "-t", "y", "-k", "2", *FAST, "--json")
    assert code == 0
    answer = json.loads(out)
    assert answer["selected"][0]["feature"] == "g3"
    assert "stability" not in answer
    assert answer["notes"][-1] == (
        "How sure each feature is was interrupted, and is left out; the selection is complete."
    )
    assert answer["notes"][-1] in err


def test_few_selected_features_leave_seats_for_others_on_half_samples():
    # One feature is enough to the curve, and the two that matter together had no seat beside it.
    rng = np.random.default_rng(7)
    X = rng.normal(size=(500, 40))
    y = X[:, 0] + X[:, 1] * X[:, 2] + 0.5 * rng.normal(size=500)

    def told(k):
        report = Report.from_selector(EntryPruneRegressor(k, random_state=0).fit(X, y), X, y)
        facts = with_stability(report, n_pairs=10, n_jobs=1, seed=0).sureness
        return len(report.features), facts

    n_selected, facts = told("auto")
    # As many as leave half a false one to be expected: the root of 40.
    assert (n_selected, facts.n_per_fit) == (1, 6)
    assert facts.standings[1].verdict == "confirmed"
    for column in (2, 3):
        assert facts.standings[column].verdict in ("confirmed", "tentative")
    # Where more are selected, each of them has a seat.
    assert told(9)[1].n_per_fit == 9
