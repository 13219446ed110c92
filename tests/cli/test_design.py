"""What the user knows of samples and features: groups, time, costs, and who is kept or barred."""

import json

import numpy as np
import pytest

from entryprune.cli._design import FeatureDesign

FISHER = ("--method", "fisher")


def write(path, header, columns):
    lines = [",".join(header), *(",".join(map(str, row)) for row in zip(*columns, strict=True))]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


@pytest.fixture(scope="module")
def patients(tmp_path_factory):
    """Three samples each of twenty patients, who can be told apart and say nothing of others."""
    rng = np.random.default_rng(0)
    groups = np.repeat(np.arange(20), 3)
    X = rng.normal(size=(20, 6))[groups] + 0.05 * rng.normal(size=(60, 6))
    ill = np.where(rng.permutation(np.arange(20) % 2)[groups], "yes", "no")
    days = [f"2024-{1 + day // 28:02d}-{1 + day % 28:02d}" for day in rng.permutation(60)]
    names = [f"P{group:02d}" for group in groups]
    header = [*(f"g{i}" for i in range(6)), "patient", "site", "day", "ill"]
    path = tmp_path_factory.mktemp("patients") / "patients.csv"
    return write(path, header, [*X.T, names, groups % 3, days, ill])


@pytest.fixture(scope="module")
def sensors(tmp_path_factory):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(120, 8))
    fault = np.where(X[:, 0] + X[:, 1] + X[:, 2] > 0, "yes", "no")
    folder = tmp_path_factory.mktemp("sensors")
    return write(folder / "sensors.csv", [*(f"s{i}" for i in range(8)), "fault"], [*X.T, fault])


# -- samples --------------------------------------------------------------------------------------


@pytest.mark.usefixtures("threads_for_processes")
def test_samples_of_one_patient_are_kept_together(entryprune, patients, tmp_path):
    page, answer = tmp_path / "page.html", tmp_path / "answer.json"
    asked = ("select", patients, "-t", "ill", "-k", "2", *FISHER, "--drop", "day,site")
    code, out, err = entryprune(
        *asked, "--group-column", "patient", "--report", page, "--output", answer
    )
    assert code == 0, err
    said = (
        "Samples of one patient belong together: 20 groups of 3 samples, none of which is ever on "
        "both sides of a split. It is not a feature."
    )
    how = (
        "Checked by cross-validation by groups (none of the 20 groups of samples is on both sides "
        "of a fold)."
    )
    found = json.loads(answer.read_text())
    assert said in err
    assert said in found["notes"]
    assert how in " ".join(out.split())
    assert found["folds"] == how
    assert how in " ".join(page.read_text(encoding="utf-8").split())
    assert found["n_features"] == 6
    together = found["validation"][0]["mean"]
    code, _, err = entryprune(*asked[:-1], "day,site,patient", "--report", page, "--output", answer)
    assert code == 0, err
    assert json.loads(answer.read_text())["validation"][0]["mean"] > together + 20


@pytest.mark.usefixtures("threads_for_processes")
def test_a_comparison_can_be_by_groups_or_in_order(entryprune, patients):
    asked = ("compare", patients, "-t", "ill", "-k", "2", "--methods", "fisher", "--repeats", "1")
    code, out, err = entryprune(*asked, "--group-column", "patient", "--drop", "day,site")
    assert code == 0, err
    assert "none of the 20 groups of samples" in " ".join(out.split())
    code, out, err = entryprune(
        *asked, "--time-column", "day", "--folds", "3", "--drop", "patient,site"
    )
    assert code == 0, err
    assert "in the order of day, from 2024-01-01 to 2024-03-04" in err
    assert "in order of time (each fold is tested on samples that come after" in " ".join(
        out.split()
    )


def test_the_column_of_ids_may_be_that_of_groups(entryprune, patients):
    code, out, err = entryprune(
        *("select", patients, "-t", "ill", "-k", "2", *FISHER, "--drop", "day,site"),
        *("--id-column", "patient", "--group-column", "patient", "--json"),
    )
    assert code == 0, err
    assert "20 groups of 3 samples" in err
    assert json.loads(out)["n_features"] == 6


@pytest.mark.usefixtures("threads_for_processes")
def test_half_samples_are_of_whole_groups(entryprune, patients):
    asked = ("select", patients, "-t", "ill", "-k", "2", *FISHER, "--stability", "--pairs", "3")
    code, _, err = entryprune(*asked, "--group-column", "patient", "--drop", "day,site")
    assert code == 0, err
    code, _, err = entryprune(*asked, "--group-column", "site", "--drop", "day,patient")
    assert code == 0
    assert "How sure each feature is cannot be told. Halves of whole groups take at least 4" in err


@pytest.mark.parametrize(
    ("asked", "message"),
    [
        (("--group-column", "site"), "has 3 groups of samples, and a cross-validation in 5 folds"),
        (("--group-column", "site"), "Take --folds 3, or bring samples of more groups"),
        (("--group-column", "nobody"), "no column 'nobody'"),
        (("--group-column", "ill"), "'ill'"),
        (("--time-column", "patient"), "--time-column 'patient' must hold numbers, or dates with"),
        (("--group-column", "day", "--time-column", "day"), "are both 'day'. Name two columns"),
        (("--folds", "1"), "--folds"),
    ],
)
def test_columns_that_cannot_be_are_told(entryprune, patients, tmp_path, asked, message):
    code, out, err = entryprune(
        *("select", patients, "-t", "ill", "-k", "2", "--report", tmp_path / "page.html"), *asked
    )
    assert code == 2
    assert message in " ".join(err.split())
    assert out == ""


def test_folds_are_for_the_page(entryprune, patients):
    code, _, err = entryprune("select", patients, "-t", "ill", "-k", "2", "--folds", "3")
    assert (code, "--folds is for the page: name it with --report" in err) == (2, True)


# -- features -------------------------------------------------------------------------------------


def test_a_panel_of_sensors_within_a_budget(entryprune, sensors, tmp_path):
    costs, groups, answer = tmp_path / "c.csv", tmp_path / "g.json", tmp_path / "a.json"
    costs.write_text("sensor;price\ns0;5\ns1;2.5\ns7;0.5\nx99;3\n")
    groups.write_text('{"vibration": ["s1", "s2"], "heat": ["s5", "s6"]}')
    code, out, err = entryprune(
        *("select", sensors, "-t", "fault", "--costs", costs, "--budget", "4"),
        *("--keep", "s7", "--bar", "s3,s4", "--feature-groups", groups, "--output", answer),
    )
    assert code == 0, err
    assert "4 features in 2 groups are selected together or not at all; -k counts groups." in err
    assert "c.csv names what is no feature here: 'x99'." in err
    assert "5 features not in c.csv cost 1 each: s2, s3, s4, s5, s6." in err
    shown = " ".join(out.split())
    assert "Together they cost 4 of a budget of 4." in shown
    assert "Kept as asked, whatever they bring: s7." in shown
    found = json.loads(answer.read_text())
    assert {one["feature"]: one["cost"] for one in found["selected"]} == {
        "s7": 0.5, "s1": 2.5, "s2": 1.0,
    }  # fmt: skip
    assert found["panel"] == {
        "total_cost": 4.0, "budget": 4.0, "kept": ["s7"], "barred": ["s3", "s4"], "units": 2,
    }  # fmt: skip


def test_a_panel_may_be_asked_how_sure_it_is(entryprune, sensors, tmp_path):
    groups = tmp_path / "g.csv"
    groups.write_text("feature,group\ns1,vibration\ns2,vibration\n")
    code, out, err = entryprune(
        *("select", sensors, "-t", "fault", "-k", "2", "--feature-groups", groups, "--keep", "s0"),
        *("--stability", "--pairs", "3", "--json"),
    )
    assert code == 0, err
    found = json.loads(out)
    assert {one["feature"]: one["frequency"] for one in found["selected"]} == {
        "s0": 1.0, "s1": 1.0, "s2": 1.0,
    }  # fmt: skip
    assert found["k"] == 2


SELECT = ("-k", "2")


@pytest.mark.parametrize(
    ("asked", "message"),
    [
        ((), "How many features? Say so with -k, such as -k 10 or -k auto; or say with --budget"),
        (("-k", "auto", "--budget", "3"), "Give -k a number, or leave it out."),
        (("--budget", "-1"), "--budget takes a number above 0; got -1."),
        (("--budget", "0.5"), "--budget is 0.5, and the cheapest feature or group costs 1."),
        (("--budget", "1", "--keep", "s0,s1"), "what --keep names costs 2. Raise the budget."),
        ((*SELECT, "--keep", "s0,s1,s2"), "--keep names 3 features, and -k 2 are all. Raise -k."),
        (("-k", "8", "--bar", "s1"), "more than there are to select from: 7 features. Lower -k."),
        ((*SELECT, "--keep", "S0"), "--keep 'S0': there is no such feature. Did you mean 's0'?"),
        ((*SELECT, "--bar", "fault"), "--bar 'fault': there is no such feature."),
        ((*SELECT, "--keep", "s1", "--bar", "s1"), "--keep and --bar both name 's1'."),
        ((*SELECT, *FISHER, "--bar", "s1"), "knows nothing of it. Take that method, or leave out"),
        ((*SELECT, *FISHER, "--bar", "s1"), "--drop leaves features out"),
        ((*SELECT, "--set", "keep=1"), "--set keep=1 cannot be set so: --keep does it."),
        ((*SELECT, "--costs", "nowhere.csv"), "--costs nowhere.csv is not there."),
    ],
)
def test_panels_that_cannot_be_are_told(entryprune, sensors, asked, message):
    code, out, err = entryprune("select", sensors, "-t", "fault", *asked)
    assert code == 2
    assert message in " ".join(err.split())
    assert out == ""


NAMES = ("a", "b", "c, d")


@pytest.mark.parametrize(
    ("suffix", "text", "message"),
    [
        (".csv", "feature,cost\na,0\n", "'a' costs '0', which is no number above 0"),
        (".csv", "a,1\na,2\n", "has two costs for 'a'"),
        (".csv", "a,1,5\n", "must have two columns, feature,cost; row 1 is 'a,1,5'"),
        (".csv", "x,1\ny,2\n", "names no feature of the table: it has 'x', 'y', and the table has"),
        (".csv", "feature,cost\n", "has no lines"),
        (".json", "[1]", "must hold a JSON object"),
        (".json", '{"a": 1,\n b}', "is no JSON from line 2, character 2 on"),
        (".json", '{"a": "much"}', "'a' costs 'much'"),
    ],
)
def test_costs_that_are_none_are_told(tmp_path, suffix, text, message):
    path = tmp_path / f"costs{suffix}"
    path.write_text(text)
    with pytest.raises(ValueError, match=message.replace("(", r"\(")):
        FeatureDesign(costs=path).parameters(NAMES, 1)


@pytest.mark.parametrize(
    ("suffix", "text", "message"),
    [
        (".csv", "a,one\nb,two\na,two\n", "has the feature 'a' in 'one' and 'two'"),
        (".json", '{"one": "a"}', "must hold a list of features for each group"),
        (".json", '{"one": ["a", "a"]}', "has the feature 'a' in 'one' twice"),
    ],
)
def test_groups_that_are_none_are_told(tmp_path, suffix, text, message):
    path = tmp_path / f"groups{suffix}"
    path.write_text(text)
    with pytest.raises(ValueError, match=message):
        FeatureDesign(feature_groups=path).parameters(NAMES, 1)


def test_files_may_have_any_separator_and_no_heading(tmp_path):
    costs, groups = tmp_path / "costs.tsv", tmp_path / "groups.csv"
    costs.write_text("a\t2\nc, d\t0.5\n", encoding="utf-8-sig")
    groups.write_text('Feature;Group\n"c, d";one\na;one\n')
    told, said = FeatureDesign(costs=costs, feature_groups=groups).parameters(NAMES, 1)
    assert told == {"feature_groups": {"one": [2, 0]}, "costs": {0: 2.0, 2: 0.5}}
    assert said[-1] == "1 feature not in costs.tsv cost 1 each: b."
