"""The comparisons over many data sets: leaderboard, truth and time."""

from dataclasses import replace

import numpy as np
import pytest

from entryprune.bench.standings import SetScores, score_set, stand
from entryprune.bench.store import DONE, REFUSED, Case, Record
from entryprune.bench.studies import Scope, get_study

LEARNERS = ("svm", "knn", "logistic")


def record(dataset, method, k, seed, accuracy, *, n_features=2000, seconds=1.0, **details):
    return Record(
        Case(dataset, method, k, seed, "clean"),
        DONE,
        seconds=seconds,
        title=dataset.upper(),
        selected=[0],
        accuracies=dict.fromkeys(LEARNERS, accuracy),
        shape={"n_features": n_features, "n_train": 100, "n_test": 25},
        **{"is_alone": True, **details},
    )


def results(accuracies, ks=(10, 25, 50), n_seeds=10, **details):
    """Return the records of methods with one accuracy for each data set."""
    made = [
        record(dataset, method, k, seed, value, **details)
        for dataset, by_method in accuracies.items()
        for method, value in by_method.items()
        for k in ((0,) if method == "all" else ks)
        for seed in range(n_seeds)
    ]
    return {one.case.key: one for one in made}


def rows_of(table):
    return [dict(zip(table.columns, row, strict=True)) for row in table.rows]


# -- from records to a data set's values ---------------------------------------------------------


def test_a_value_is_the_mean_over_k_learners_and_splits():
    records = [
        replace(record("a", "mrmr", k, seed, 0), accuracies={"svm": s, "knn": s + 10})
        for (k, seed), s in {(10, 0): 70.0, (10, 1): 80.0, (25, 0): 90.0, (25, 1): 60.0}.items()
    ]
    one = score_set(records, (10, 25), range(2), ("svm", "knn"))
    assert one.values == {"mrmr": 80.0}
    assert (one.title, one.is_wide) == ("A", True)


def test_a_method_that_lacks_a_run_or_a_learner_lacks_the_set():
    whole = [record("a", method, 10, seed, 80.0) for method in ("l1", "mrmr") for seed in (0, 1)]
    refused = replace(whole[1], status=REFUSED, accuracies={})
    assert score_set([whole[0], refused, *whole[2:]], (10,), range(2), ("svm",)).values == {
        "mrmr": 80.0
    }
    unscored = replace(whole[1], accuracies={"svm": 80.0})
    assert set(score_set([whole[0], unscored, *whole[2:]], (10,), range(2), LEARNERS).values) == {
        "mrmr"
    }


def test_a_k_that_a_data_set_has_no_features_for_is_not_missed():
    records = [record("a", "l1", 10, 0, 80.0, n_features=30)]
    assert score_set(records, (10, 50), (0,), LEARNERS).values == {"l1": 80.0}
    assert not score_set(records, (10, 50), (0,), LEARNERS).is_wide


def test_all_features_need_no_k():
    assert score_set([record("a", "all", 0, 0, 90.0)], (10, 25), (0,), LEARNERS).values == {
        "all": 90.0
    }


# -- from data sets to places ---------------------------------------------------------------------


def sets(values, seconds=None):
    return [
        SetScores(name, name, 50, 100, by_method, (seconds or {}).get(name, {}))
        for name, by_method in values.items()
    ]


def test_places_by_hand():
    over = stand(
        sets(
            {
                "a": {"all": 99.0, "ours": 90.0, "l1": 80.0, "mrmr": 80.0},
                "b": {"all": 60.0, "ours": 70.0, "l1": 75.0, "mrmr": 60.0},
            }
        ),
        ["all", "ours", "l1", "mrmr"],
        "ours",
    )
    by_method = {row.method: row for row in over.rows}
    # Ranks on a: 1, 2.5, 2.5; on b: 2, 1, 3. All features is no selection.
    assert {name: row.rank for name, row in by_method.items()} == {
        "ours": 1.5,
        "l1": 1.75,
        "mrmr": 2.75,
        "all": None,
    }
    assert [row.method for row in over.rows] == ["ours", "l1", "mrmr", "all"]
    l1 = by_method["l1"].compared
    assert (l1.mean, l1.wins, l1.ties, l1.losses) == (-2.5, 1, 0, 1)
    assert by_method["all"].compared.mean == -0.5
    assert by_method["ours"].compared.ties == 2
    assert over.groups == (("ours", "l1", "mrmr"),)


def test_who_lacks_a_set_is_compared_on_the_common_ones_and_has_no_rank():
    over = stand(
        sets(
            {
                "a": {"ours": 90.0, "l1": 80.0, "lightgbm": 91.0},
                "b": {"ours": 70.0, "l1": 75.0},
                "c": {"l1": 10.0},
            }
        ),
        ["ours", "l1", "lightgbm"],
        "ours",
    )
    ours, l1, lightgbm = sorted(
        over.rows, key=lambda row: ["ours", "l1", "lightgbm"].index(row.method)
    )
    assert (lightgbm.n_sets, lightgbm.rank, lightgbm.compared.n) == (1, None, 1)
    assert lightgbm.compared.mean == 1.0
    # Ranks are over the sets that the reference has.
    assert (ours.rank, l1.rank, over.n_ranked_sets, over.n_sets) == (1.5, 1.5, 2, 3)
    assert (l1.n_sets, l1.accuracy, l1.compared.n) == (3, 55.0, 2)


def test_times_are_compared_for_the_same_run_and_the_median_set_counts():
    seconds = {
        "a": {"l1": {(10, 0, 1): 4.0, (25, 0, 1): 99.0}, "ours": {(10, 0, 1): 2.0}},
        "b": {"l1": {(10, 0, 1): 9.0}, "ours": {(10, 0, 1): 3.0}},
        "c": {"l1": {(10, 0, 1): 5.0}, "ours": {(10, 0, 1): 1.0}},
        # Two threads are another thing than one.
        "d": {"l1": {(10, 0, 2): 500.0}, "ours": {(10, 0, 1): 1.0}},
    }
    values = {name: {"ours": 90.0, "l1": 80.0} for name in seconds}
    over = stand(sets(values, seconds), ["ours", "l1"], "ours")
    assert [(row.method, row.time_ratio) for row in over.rows] == [("ours", 1.0), ("l1", 3.0)]


# -- the study ------------------------------------------------------------------------------------


def test_wide_sets_get_ten_splits_long_ones_three_and_large_ones_one():
    scope = Scope(datasets=("colon", "usps", "mnist"), methods=("fisher",))
    cases = get_study("leaderboard").cases(scope, {})
    assert {case.protocol for case in cases} == {"clean"}
    for dataset, n in (("colon", 10), ("usps", 3), ("mnist", 1)):
        own = [case for case in cases if case.dataset == dataset]
        assert {case.seed for case in own} == set(range(n))
        assert len(own) == n * (1 + 3)
    assert get_study("leaderboard").scored_by(scope) == LEARNERS


def test_the_methods_are_those_that_are_registered_and_the_sets_those_in_the_folder(
    tmp_path, monkeypatch
):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    np.savez(tmp_path / "colon.npz", X=np.zeros((62, 2000), np.int8), y=np.arange(62) % 2)
    cases = get_study("leaderboard").cases(Scope(folder=tmp_path), {})
    assert {case.dataset for case in cases} == {"colon"}
    methods = {case.method for case in cases}
    assert {"all", "entryprune", "mrmr", "lightgbm"} <= methods
    # Without a folder there are the embedded sets, with the numbers of features that they have.
    embedded = get_study("leaderboard").cases(Scope(methods=("fisher",)), {})
    assert {(c.dataset, c.k) for c in embedded if c.k} == {
        ("digits", 10), ("digits", 25), ("digits", 50), ("breast_cancer", 10), ("breast_cancer", 25)
    }  # fmt: skip


def test_the_leaderboard_has_groups_and_the_reference_that_is_asked_for():
    wide = results({"a": {"all": 95.0, "mrmr": 80.0, "l1": 82.0}})
    long = results({"b": {"all": 95.0, "mrmr": 90.0, "l1": 80.0}}, n_seeds=3, n_features=60)
    study = get_study("leaderboard")
    rows = rows_of(study.table(Scope(), wide | long))
    assert [row["data sets"] for row in rows] == ["all"] * 3 + ["wide"] * 3 + ["long"] * 3
    first = {row["method"]: row for row in rows if row["data sets"] == "all"}
    assert (first["mRMR"]["accuracy"], first["L1"]["accuracy"]) == (85.0, 81.0)
    # mRMR is listed before L1, so it is the reference when nobody says.
    assert (first["L1"]["difference"], first["L1"]["wins"], first["L1"]["losses"]) == (-4.0, 1, 1)
    assert first["all features"]["mean rank"] is None
    rows = rows_of(study.table(Scope(reference="l1"), wide | long))
    assert {row["method"]: row["difference"] for row in rows[:3]}["mRMR"] == 4.0
    with pytest.raises(ValueError, match="no data set with all runs of the reference 'rfs'"):
        study.table(Scope(reference="rfs"), wide | long)


def test_our_new_default_is_the_reference_where_it_ran():
    records = results({"a": {"mrmr": 80.0, "entryprune-exchange": 83.0}})
    (over,) = get_study("leaderboard").standings(Scope(), records).values()
    assert over.reference == "entryprune-exchange"


def test_other_protocols_settings_and_made_sets_stay_out_of_it():
    records = results({"a": {"mrmr": 80.0}, "xor-64": {"mrmr": 50.0}, "b+random-50": {"mrmr": 1.0}})
    other = record("b", "mrmr", 10, 0, 70.0)
    other = replace(other, case=replace(other.case, protocol="paper"))
    tuned = record("a", "mrmr", 10, 0, 1.0)
    tuned = replace(tuned, case=replace(tuned.case, settings={"scale": "standard"}))
    records |= {one.case.key: one for one in (other, tuned)}
    (one,) = get_study("leaderboard").sets(Scope(), records)
    assert (one.dataset, one.values) == ("a", {"mrmr": 80.0})


def test_the_table_by_set_and_the_figure_have_the_same_methods():
    wins = {f"s{i}": {"all": 90.0, "mrmr": 80.0 + i, "l1": 70.0 + i, "rfs": 73.0} for i in range(8)}
    study = get_study("leaderboard")
    by_set = study.tables(Scope(), results(wins))["leaderboard-sets"]
    assert by_set.columns[4:] == ("all features", "mRMR", "L1", "RFS")
    assert by_set.rows[0] == ("S0", "wide", 100, 2000, 90.0, 80.0, 70.0, 73.0)
    (panel,) = study.points(Scope(), results(wins))
    assert panel.title == "wide data sets (8)"
    assert list(panel.ranks) == ["mRMR", "L1", "RFS"]
    assert panel.ranks["mRMR"] == 1.0
    # With eight sets mRMR is told from both (p = 2/256, times 3), the others not from each other.
    assert panel.groups == [["L1", "RFS"]]


def test_threads_and_friedmans_test_are_told():
    wins = {f"s{i}": {"mrmr": 80.0 + i, "l1": 70.0 + i, "rfs": 60.0} for i in range(8)}
    notes = " ".join(get_study("leaderboard").table(Scope(), results(wins, n_threads=2)).notes)
    assert "ran alone (threads: 2)" in notes
    assert "wide: below 0.001 (8 sets)" in notes


# -- truth ----------------------------------------------------------------------------------------


def test_as_many_columns_are_selected_as_matter_in_six_folds():
    cases = get_study("truth").cases(Scope(methods=("fisher",)), {})
    assert {case.protocol for case in cases} == {"truth"}
    ks = {case.dataset: case.k for case in cases}
    assert (ks["xor-2048"], ks["ring-xor-sum-16"], ks["dag-2000"]) == (2, 6, 7)
    assert (ks["logistic-50000"], ks["friedman1-105"], ks["digits+corrupted-50"]) == (10, 5, 64)
    assert {case.seed for case in cases} == set(range(6))


def test_the_table_of_the_truth_has_a_column_for_each_method():
    scope = Scope(datasets=("xor-64", "ring-xor-16"), methods=("l1", "fisher"), n_seeds=2)
    records = {}
    recalls = {"l1": (0.0, 0.5), "fisher": (1.0, 1.0)}
    for case in get_study("truth").cases(scope, {}):
        shape = {"n_features": int(case.dataset.split("-")[-1]), "n_train": 833, "n_test": 167}
        measures = {"recall": recalls[case.method][case.seed]}
        done = Record(case, DONE, title=case.dataset, measures=measures, shape=shape)
        records[case.key] = done
    table = get_study("truth").table(scope, records)
    assert table.columns == ("data set", "columns", "K", "runs", "L1", "Fisher score")
    assert table.rows == (("xor-64", 64, 2, 2, 0.25, 1.0), ("ring-xor-16", 16, 4, 2, 0.25, 1.0))


def test_what_has_no_truth_is_refused():
    for name, why in (("noise-64", "none matter"), ("digits", "nobody knows which matter")):
        with pytest.raises(ValueError, match=why):
            get_study("truth").cases(Scope(datasets=(name,), methods=("fisher",)), {})


# -- time -----------------------------------------------------------------------------------------


def test_times_are_multiples_of_gradient_boostings():
    records = {}
    for dataset, factor in (("a", 2.0), ("b", 8.0), ("c", 4.0)):
        for method, seconds in (("lightgbm", 0.5), ("mrmr", 0.5 * factor), ("l1", 3.0)):
            is_alone = method != "l1" or dataset != "b"
            one = record(dataset, method, 50, 0, 90.0, seconds=seconds, is_alone=is_alone)
            records[one.case.key] = one
    table = get_study("time").table(Scope(), records)
    rows = rows_of(table)
    assert [row["mRMR"] for row in rows] == [2.0, 8.0, 4.0, 4.0]
    assert [row["L1"] for row in rows] == [6.0, None, 6.0, 6.0]
    assert [row["LightGBM gain, seconds"] for row in rows[:3]] == [0.5] * 3
    assert rows[-1]["data set"] == "median"
    assert [row["K"] for row in rows] == ["50"] * 3 + [None]
    assert get_study("time").is_timed


@pytest.mark.parametrize(("dataset", "k"), [("colon", 50), ("digits", 10), ("breast_cancer", 5)])
def test_times_are_measured_with_a_k_that_leaves_most_features_out(dataset, k):
    study = get_study("time")
    assert {case.k for case in study.cases(Scope(datasets=(dataset,)), {})} == {k}
    assert {case.k for case in study.cases(Scope(datasets=(dataset,), ks=(3,)), {})} == {3}


def test_the_yardstick_always_runs():
    scope = Scope(datasets=("colon",), methods=("fisher",))
    assert {case.method for case in get_study("time").cases(scope, {})} == {"lightgbm", "fisher"}
