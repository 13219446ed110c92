from dataclasses import replace

import numpy as np
import pytest

from entryprune.bench.store import DONE, REGROWTH_TOY, Record
from entryprune.bench.studies import STUDIES, Scope, get_study
from entryprune.data import DATASETS
from entryprune.data.synthetic import is_synthetic

QUICK = Scope(is_quick=True)


@pytest.fixture(autouse=True)
def no_data_at_hand(tmp_path, monkeypatch):
    """Let studies on all that is at hand find nothing but the embedded sets."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    monkeypatch.delenv("ENTRYPRUNE_DATA", raising=False)


def fake_record(case, accuracy=90.0):
    """Return a record such as running the case might leave."""
    details = {
        "selected": [case.seed, 10, 11],
        "accuracies": dict.fromkeys(("svm", "knn", "logistic", "et", "gb", "mlp"), accuracy),
        "measures": {"epochs": 12.0, "own_accuracy": accuracy - 1, "recall": 0.5},
        "curves": {
            "phase": ["search", "search", "final"],
            "n_changed": [3, 1, 3],
            "min_entry_score": [0.5, 0.7, 0.4],
            "min_weight_sum": [0.1, 0.2, 0.3],
        },
    }
    if case.kind == REGROWTH_TOY:
        panels = ("gradient metric", "correlation", "entry score", "gain")
        kinds = ("linear", "interaction", "noise")
        details = {"measures": {f"{p} of {k}": float(case.seed) for p in panels for k in kinds}}
    return Record(
        case,
        DONE,
        seconds=2.0,
        is_alone=True,
        title=case.dataset.upper(),
        shape={"n_features": 64, "n_train": 100, "n_test": 20},
        **details,
    )


def run_through(study, scope):
    """Answer what a study asks for until it asks for nothing new."""
    records = {}
    for _ in range(1000):
        new = [case for case in study.cases(scope, records) if case.key not in records]
        if not new:
            return records
        records.update({case.key: fake_record(case) for case in new})
    raise AssertionError("the study never ends")


@pytest.mark.parametrize("name", STUDIES)
def test_a_study_ends_and_its_table_has_a_cell_for_every_column(name):
    study = get_study(name)
    # A whole search is slow to replay, and is tested below.
    for scope in (QUICK, Scope()) if name != "stopping" else (QUICK,):
        table = study.table(scope, run_through(study, scope))
        assert table.rows
        assert {len(row) for row in table.rows} == {len(table.columns)}


def test_epochs_are_those_of_the_timed_runs():
    study = get_study("speed")
    records = run_through(study, QUICK)
    beside = next(r for r in records.values() if (r.case.method, r.case.seed) == ("entryprune", 1))
    records[beside.case.key] = replace(beside, is_alone=False, measures={"epochs": 1000.0})
    row = next(r for r in study.table(QUICK, records).rows if r[1] == "EntryPrune")
    assert row[2:] == (2.0, None, 12.0, 1)


@pytest.mark.parametrize("name", STUDIES)
def test_without_results_a_table_is_empty_or_has_no_numbers(name):
    table = get_study(name).table(QUICK, {})
    numbers = [cell for row in table.rows for cell in row if isinstance(cell, float)]
    assert numbers == []


@pytest.mark.parametrize("name", STUDIES)
def test_quick_sizes_use_embedded_data_and_are_small(name):
    study = get_study(name)
    cases = run_through(study, QUICK)
    names = {record.case.dataset for record in cases.values()} - {"toy"}
    names = {name for name in names if not is_synthetic(name)}
    # Distractors are added to what comes before the sign.
    assert all(DATASETS[dataset.split("+")[0]].is_embedded for dataset in names)
    assert len(cases) <= 60


def test_a_scope_replaces_what_the_study_would_take():
    scope = Scope(datasets=("usps",), methods=("fisher",), ks=(7,), n_seeds=1)
    cases = get_study("accuracy").cases(scope, {})
    assert [case.key for case in cases] == [
        "usps all k=0 seed=0 paper",
        "usps fisher k=7 seed=0 paper",
    ]


def test_the_main_study_has_the_papers_sets_and_numbers_of_features():
    cases = get_study("accuracy").cases(Scope(), {})
    assert len({case.dataset for case in cases}) == 13
    assert {case.k for case in cases} == {0, 25, 50, 75, 100}
    assert len([case for case in cases if case.k]) == 13 * 2 * 4 * 5


def test_the_comparison_puts_ours_beside_the_published(make_record, as_read):
    accuracies = [96.0, 97.0, 98.0, 97.0, 97.0]
    records = as_read(
        make_record("usps", "entryprune", 50, seed, accuracy=value, title="USPS")
        for seed, value in enumerate(accuracies)
    )
    scope = Scope(datasets=("usps",), ks=(50,))
    table = get_study("accuracy").table(scope, records)
    (row,) = (dict(zip(table.columns, row, strict=True)) for row in table.rows)
    assert (row["accuracy"], row["runs"]) == (97.0, 5)
    assert (row["published"], row["published SD"]) == (96.83, 0.17)
    assert row["difference"] == pytest.approx(0.17)
    assert row["in SDs"] == pytest.approx(1.0)


def test_the_ablation_has_seven_metrics():
    points = get_study("metrics").points(QUICK, run_through(get_study("metrics"), QUICK))
    labels = {(point.metric, point.has_entry_score) for point in points}
    assert len(labels) == 7
    assert ("Molchanov", True) not in labels


def test_the_map_has_corners_the_papers_settings_and_forty_points():
    study = get_study("hyperparameters")
    asked = {
        (case.settings["candidate_ratio"], case.settings["batches_per_rotation"])
        for case in study.cases(Scope(), {})
    }
    assert len(asked) == 46
    corners = {(0.01, 1), (0.01, 150), (1.0, 1), (1.0, 150)}
    assert corners | {(0.2, 100), (0.5, 5)} <= asked
    assert all(0.01 <= ratio <= 1 and 1 <= batches <= 150 for ratio, batches in asked)


def search(preference):
    """Run a search in which accuracy is a function of the value that is tried."""
    study, scope = get_study("stopping"), Scope(datasets=("wine",), n_seeds=1)
    records = {}
    while new := [case for case in study.cases(scope, records) if case.key not in records]:
        # One trial of each criterion at a time: the next depends on what came of it.
        assert len(new) <= 3
        for case in new:
            value = case.settings.get("patience", case.settings.get("max_epochs"))
            records[case.key] = fake_record(case, preference(value))
    return study, scope, records


def test_a_search_goes_where_accuracy_is():
    late = {}
    for wish, preference in (("few", lambda value: -value), ("many", lambda value: value)):
        study, scope, records = search(preference)
        trials = study.points(scope, records)
        late[wish] = [t.value for t in trials if t.criterion == "validation"][10:]
    assert np.median(late["few"]) < 50 < np.median(late["many"])


def test_a_search_can_be_replayed_from_its_records():
    study, scope, records = search(lambda value: value)
    keys = [case.key for case in study.cases(scope, records)]
    assert keys == [case.key for case in study.cases(scope, dict(reversed(records.items())))]


def test_a_trial_that_cannot_be_run_does_not_end_the_search():
    study, scope = get_study("stopping"), Scope(datasets=("wine",), n_seeds=1)
    (first, *_) = study.cases(scope, {})
    records = {first.key: Record(first, "failed", reason="boom")}
    asked = [case for case in study.cases(scope, records) if case.settings["stopping"] == "epochs"]
    assert len(asked) == 2


def test_convergence_shows_the_search_alone():
    study = get_study("convergence")
    run = study.points(QUICK, run_through(study, QUICK))
    assert run.n_changed == [3, 1]


def test_the_large_network_is_compared_with_its_own_published_figures():
    study = get_study("architecture")
    table = study.table(Scope(), run_through(study, Scope()))
    rows = [dict(zip(table.columns, row, strict=True)) for row in table.rows]
    large = [row for row in rows if row["method"] == "EntryPrune large"]
    assert [row["published"] for row in large] == [16.82, 21.49, 23.17, 24.17]
    usual = next(row for row in rows if (row["method"], row["K"]) == ("EntryPrune", 25))
    assert usual["published"] == 15.33
