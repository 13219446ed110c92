"""What is to be predicted, as options say it."""

import csv
import json

import numpy as np
import pytest

from entryprune.cli._target import Aim, read_target
from entryprune.data import TableRequest, read_table

N = 120


@pytest.fixture(scope="module")
def clinic(tmp_path_factory):
    """Write a table of which g2 and g5 decide all."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(N, 6))
    risk = X[:, 2] + X[:, 5]
    time, watched = rng.exponential(np.exp(-2 * risk)), rng.exponential(2.0, size=N)
    columns = {f"g{i}": X[:, i].round(4) for i in range(6)}
    columns |= {
        "days": np.minimum(time, watched).round(6) + 0.001,
        "died": np.where(time <= watched, "yes", "no"),
        "status": np.where(time <= watched, 2, 1),
        "visits": rng.poisson(np.exp(risk / 2)).clip(0, 9),
        "stage": np.digitize(risk, [-1, 0, 1]),
        "cost": np.exp(4 * risk).round(6),
        "sick": np.where(X[:, 2] > 0, "yes", "no"),
        "late": (X[:, 5] > 0).astype(int),
        "w": np.arange(N) % 3,
    }
    path = tmp_path_factory.mktemp("clinic") / "clinic.csv"
    rows = [columns, *zip(*columns.values(), strict=True)]
    path.write_text("\n".join(",".join(map(str, row)) for row in rows))
    return path


OTHERS = ("days", "died", "status", "visits", "stage", "cost", "sick", "late", "w")


@pytest.fixture
def select(entryprune, clinic):
    """Select two columns; what is not asked about is left out."""

    def call(*asked):
        named = {part for text in map(str, asked) for part in text.split(",")}
        drop = ",".join(name for name in OTHERS if name not in named)
        return entryprune("select", clinic, "-k", "2", "--drop", drop, *asked)

    return call


def read(clinic, target, task="auto", **aim):
    one = Aim(**aim)
    one.check(task)
    table = read_table(one.asked_of(TableRequest(clinic, target=target)))
    return read_target(table, one, task)[1]


POISSON = {"loss": "poisson"}

# -- what is taken for what -----------------------------------------------------------------------


@pytest.mark.parametrize(
    ("target", "task", "expected", "what"),
    [
        ("visits", "auto", ("classification", {}), "Target visits: "),
        ("visits", "count", ("regression", POISSON), "Target visits: counts from 0 to"),
        ("stage", "ordinal", ("classification", {"ordinal": True}), "4 classes in this order: 0 ("),
        ("cost", "auto", ("regression", {}), "Target cost: numbers from "),
        ("sick,late", "auto", ("classification", {}), "Targets: 2 labels, with the samples that"),
        ("cost,visits", "auto", ("regression", {}), "Targets: 2 quantities: cost, visits."),
        ("cost,visits", "count", ("regression", POISSON), "Targets: 2 quantities"),
    ],
)
def test_a_target_is_what_it_is_said_to_be(clinic, target, task, expected, what):
    found = read(clinic, target, task)
    assert (found.task, found.settings) == expected
    assert what in found.facts[0]
    assert found.names == (tuple(target.split(",")) if "," in target else target)


def test_few_whole_numbers_are_asked_about_first_and_on_the_page(select, tmp_path):
    page = tmp_path / "page.html"
    code, _, err = select("-t", "stage", "--report", page, "--repeats", "0")
    assert code == 0, err
    first = err.splitlines()[0]
    assert first.startswith("stage has 4 different whole numbers, 0 to 3, and is taken for classes")
    assert "--task count" in first
    assert first.split(";")[0] in page.read_text()
    # Who says what it is, is not asked.
    assert "whole numbers" not in select("-t", "stage", "--task", "ordinal")[2]
    assert "whole numbers" not in select("-t", "late")[2]


def test_a_long_tail_is_told_with_what_helps(select):
    _, _, err = select("-t", "cost")
    assert "values far from the others" in err
    assert "--loss huber counts them less" in err
    code, out, _ = select("-t", "cost", "--loss", "huber", "--json")
    found = json.loads(out)
    assert (code, found["settings"]["loss"]) == (0, "huber")
    assert {one["feature"] for one in found["selected"]} == {"g2", "g5"}


# -- survival -------------------------------------------------------------------------------------


@pytest.mark.usefixtures("threads_for_processes")
def test_survival_from_the_file_to_the_page_and_to_risks(entryprune, select, clinic, tmp_path):
    page, model, risks = (tmp_path / name for name in ("p.html", "m.safetensors", "r.csv"))
    code, out, err = select(
        *("--time", "days", "--event", "died", "--report", page, "--model", model, "--json")
    )
    assert code == 0, err
    found = json.loads(out)
    assert {one["feature"] for one in found["selected"]} == {"g2", "g5"}
    assert (found["task"], found["effect"]) == ("survival", "hazard ratio per SD")
    events = [row["died"] for row in csv.DictReader(clinic.read_text().splitlines())]
    assert found["n_events"] == events.count("yes")
    assert {one["measure"] for one in found["validation"]} == {"concordance"}
    assert found["validation"][1]["mean"] > 0.7
    assert all(one["effect"] > 1.5 for one in found["selected"])
    assert "Kaplan-Meier curves" in page.read_text()
    code, _, err = entryprune(
        "apply", model, clinic, "-o", tmp_path / "o.csv", "--predictions", risks
    )
    assert code == 0, err
    rows = list(csv.DictReader(risks.read_text().splitlines()))
    assert rows[0].keys() == {"sample", "risk"}
    table = np.genfromtxt(clinic, delimiter=",", names=True)
    both = table["g2"] + table["g5"], [float(row["risk"]) for row in rows]
    assert np.corrcoef(*both)[0, 1] > 0.9


def test_another_value_may_be_the_event(clinic):
    yes = read(clinic, None, time="days", event="died").y
    two = read(clinic, None, time="days", event="status", event_value="2").y
    np.testing.assert_array_equal(yes, two)


@pytest.mark.usefixtures("threads_for_processes")
def test_survival_is_compared_by_who_can(entryprune, clinic):
    drop = ",".join(name for name in OTHERS if name not in ("days", "died"))
    code, out, err = entryprune(
        *("compare", clinic, "--time", "days", "--event", "died", "--drop", drop, "-k", "2"),
        *("--methods", "cox-score,l1", "--repeats", "1"),
    )
    assert code == 0, err
    assert "Cox score" in out
    assert "L1 is left out: it does classification and regression only." in out


@pytest.mark.parametrize(
    ("asked", "message"),
    [
        (("--time", "days"), "--time goes with --event"),
        (("--event", "died"), "--event goes with --time"),
        (("--time", "days", "--event", "died", "-t", "sick"), "Leave out --target, or them"),
        (("--time", "days", "--event", "died", "--task", "count"), "--task says count"),
        (("-t", "days", "--task", "survival"), "takes the columns --time and --event"),
        (("--time", "sick", "--event", "died"), "--time sick must hold numbers, and holds"),
        (("--time", "g1", "--event", "died"), "must hold finite times from 0 on; got -"),
        (("--time", "days", "--event", "status"), "it has '1', '2'. Say with --event-value"),
        (("--time", "days", "--event", "cost"), "Name the column that says whether the event"),
        (("--time", "days", "--event", "status", "--event-value", "7"), "is not among the values"),
        (("-t", "sick", "--event-value", "yes"), "--event-value is for --event"),
        (("--time", "days", "--event", "died", "--method", "l1"), "such as cox-score"),
        (
            ("--time", "days", "--event", "died", "--metric", "auc", "--report", "x.html"),
            "survival",
        ),
        (("-t", "cost", "--method", "fisher"), "such as l1; or, if the numbers of the target"),
        (("-t", "sick,cost"), "Several targets are all numbers, or all yes or no (1 and 0), and"),
        (("-t", "sick,late", "--method", "mrmr"), "mRMR knows one target only, and these are 2"),
        (("-t", "sick,stage", "--task", "ordinal"), "--task ordinal is for one target"),
        (("-t", "g1", "--task", "count"), "--task count needs numbers from 0 on"),
        (("-t", "sick", "--task", "count"), "--task count needs numbers, but the target 'sick'"),
        (("-t", "visits", "--task", "count", "--method", "l1"), "L1 does not know loss=poisson"),
        (("-t", "sick", "--loss", "huber"), "--loss is for numbers, and this is classification"),
        (("-t", "cost", "--loss", "log"), "--loss takes one of squared_error, huber"),
        (("-t", "cost", "--class-weight", "balanced"), "is for one target of classes"),
        (("-t", "sick", "--class-weight", "5"), "--class-weight takes 'balanced'; got '5'"),
        (("-t", "sick", "--weight-column", "died"), "must hold numbers, and holds"),
        (("-t", "sick", "--weight-column", "g1"), "finite numbers from 0 on, some above it; got -"),
        (("-t", "sick", "--weight-column", "w", "--method", "mrmr"), "mRMR takes no weights"),
        (("-t", "sick", "--task", "ranking"), "--task takes one of auto, classification"),
    ],
)
def test_what_cannot_be_is_said_in_one_line(select, asked, message):
    code, _, err = select(*asked)
    assert (code, err.count("\n")) == (2, 1)
    assert message in err


# -- several targets, and weights -----------------------------------------------------------------


def test_several_labels_are_predicted_by_their_names(entryprune, select, clinic, tmp_path):
    model, predicted = tmp_path / "m.safetensors", tmp_path / "p.csv"
    code, out, err = select("-t", "sick", "-t", "late", "--model", model, "--json")
    assert code == 0, err
    one, other = sorted(json.loads(out)["selected"], key=lambda row: row["feature"])
    assert (one["feature"], other["feature"]) == ("g2", "g5")
    assert one["effect on sick"] > 1 > abs(one["effect on late"])
    code, _, err = entryprune(
        "apply", model, clinic, "-o", tmp_path / "o.csv", "--predictions", predicted
    )
    assert code == 0, err
    row = next(csv.DictReader(predicted.read_text().splitlines()))
    assert list(row) == ["sample", "sick", "late", "probability_sick", "probability_late"]
    assert float(row["probability_sick"]) == pytest.approx(float(row["sick"]), abs=0.5)


def test_classes_are_predicted_with_their_probabilities(entryprune, select, clinic, tmp_path):
    model, predicted = tmp_path / "m.safetensors", tmp_path / "p.csv"
    assert select("-t", "sick", "--class-weight", "balanced", "--model", model)[0] == 0
    entryprune("apply", model, clinic, "-o", tmp_path / "o.csv", "--predictions", predicted)
    rows = list(csv.DictReader(predicted.read_text().splitlines()))
    assert list(rows[0]) == ["sample", "prediction", "probability_no", "probability_yes"]
    for row in rows:
        assert (row["prediction"] == "yes") == (float(row["probability_yes"]) > 0.5)
        assert float(row["probability_no"]) + float(row["probability_yes"]) == pytest.approx(1)


def test_a_sample_of_weight_zero_is_as_if_it_were_not_there(select, clinic, entryprune, tmp_path):
    code, out, err = select("-t", "sick", "--weight-column", "w", "--json")
    assert code == 0, err
    assert "40 samples have the weight 0 and are left out." in err
    weighted = json.loads(out)
    # Written out: the others once or twice, in their order.
    head, *rows = clinic.read_text().splitlines()
    repeated = tmp_path / "clinic.csv"
    repeated.write_text("\n".join([head, *(row for row in rows for _ in range(int(row[-1])))]))
    drop = ",".join(name for name in OTHERS if name != "sick")
    _, out, _ = entryprune("select", repeated, "-t", "sick", "-k", "2", "--drop", drop, "--json")
    plain = json.loads(out)
    assert [one["feature"] for one in weighted["selected"]] == [
        one["feature"] for one in plain["selected"]
    ]
    assert (weighted["n_samples"], plain["n_samples"]) == (80, 120)
