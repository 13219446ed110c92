import math

import numpy as np
import pytest
from scipy import sparse

from entryprune.report.checks import (
    Suspect,
    _log_orders,
    find_suspects,
    majority_text,
    sample_notes,
    suited_metric,
    suspect_notes,
    uneven_notes,
)

N = 60


@pytest.fixture
def rng():
    return np.random.default_rng(0)


@pytest.fixture
def classes(rng):
    return np.array(["a", "b", "c"])[rng.integers(0, 3, N)]


def found(column, y, name="x", task="classification", n_others=5):
    """Return the kind and reason of a column among columns of noise, or None."""
    others = np.random.default_rng(1).normal(size=(len(y), n_others))
    names = [name, *(f"g{i}" for i in range(n_others))]
    suspects = find_suspects(np.column_stack([column, others]), y, names, task)
    assert all(one.name == name and one.column == 0 for one in suspects)
    return (suspects[0].kind, suspects[0].reason) if suspects else None


def test_noise_is_not_suspected(rng, classes):
    assert found(rng.normal(size=N), classes) is None
    assert found(rng.normal(size=N), rng.normal(size=N), task="regression") is None


@pytest.mark.parametrize("column", [np.arange(N), np.arange(7, 7 + 3 * N, 3), -0.1 * np.arange(N)])
def test_a_constant_step_in_the_order_of_the_samples_is_a_running_number(classes, column):
    kind, reason = found(column, classes)
    assert kind == "running number"
    assert reason.startswith("counts the samples (")
    assert "target" not in reason


def test_a_running_number_of_a_sorted_table_gives_the_target_away(classes):
    kind, reason = found(np.arange(N), np.sort(classes))
    assert kind == "running number"
    assert "gives the target away because the samples are sorted by the target" in reason


@pytest.mark.parametrize("name", ["id", "patient_id", "PatientID", "sampleId", "Sample no.", "row"])
def test_whole_numbers_that_all_differ_are_ids_where_the_name_says_so(rng, classes, name):
    numbers = rng.choice(10**6, N, replace=False)
    assert found(numbers, classes, name)[0] == "id"
    assert found(numbers, classes, "income") is None
    assert found(numbers + 0.5, classes, name) is None
    assert found(np.where(np.arange(N) < 2, 7, numbers), classes, name) is None


@pytest.mark.parametrize("name", ["platelet_number", "refraction index", "ErrorCode", "key"])
def test_names_that_hint_at_ids_are_believed_only_where_chance_is_no_explanation(
    rng, classes, name
):
    for _ in range(20):
        counts = rng.choice(np.arange(150_000, 400_000), N, replace=False)
        assert found(counts, classes, name) is None
    # 60 numbers of 200 all differ by chance once in 20,000 tables, of 300 once in 560.
    assert found(rng.permutation(np.linspace(1, 200, N).astype(int)), classes, name)[0] == "id"
    assert found(rng.permutation(np.linspace(1, 300, N).astype(int)), classes, name) is None


@pytest.mark.parametrize("name", ["ID1", "IDS", "grid", "n_reads", "sample_weight", "paid"])
def test_names_that_only_resemble_ids_say_nothing(rng, classes, name):
    assert found(rng.choice(10**6, N, replace=False), classes, name) is None


def test_each_number_once_is_an_id_but_ranks_are_features(rng, classes):
    kind, reason = found(rng.permutation(N) + 100, classes)
    assert (kind, reason) == ("id", "has each whole number from 100 to 159 once")
    ranks = np.column_stack([rng.permutation(N) for _ in range(10)])
    assert find_suspects(ranks, classes, [f"g{i}" for i in range(10)], "classification") == []


def test_one_value_a_class_is_a_copy_and_ranges_of_their_own_a_separator(rng, classes):
    codes = (classes == "a") * 5 + (classes == "b") * 2
    assert found(codes, classes) == ("copy", "has one value for each class")
    ranges = 10 * codes + rng.normal(size=N)
    assert found(ranges, classes) == ("separator", "tells all classes apart alone")
    ranges[np.flatnonzero(classes == "a")[0]] = 0.0
    assert found(ranges, classes) is None


def test_a_separator_is_told_only_where_chance_does_not_explain_it():
    # Of 2 classes of 5, one of C(10, 5) / 2 = 126 columns separates them by chance.
    few, y = np.arange(10) % 2 + np.linspace(0, 0.5, 10), np.arange(10) % 2
    assert found(few, y) is None
    assert found(np.tile(few, 3), np.tile(y, 3))[0] == "separator"
    assert found(np.tile(few, 3), np.tile(y, 3), n_others=200_000) is None


def test_a_copy_is_held_against_columns_that_could_be_one():
    # 12 samples of 3 classes: 12! / (4!)^3 / 3! = 5,775 orders tell as much.
    y = np.arange(12) % 3
    assert found(2 - y, y, n_others=1000)[0] == "copy"
    alike = np.random.default_rng(0).integers(0, 3, (12, 10))
    X = np.column_stack([2 - y, alike])
    assert find_suspects(X, y, [f"g{i}" for i in range(11)], "classification") == []


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        (lambda y: 3 - 2 * y, "has a correlation of 1.0000 with the target, up to its sign"),
        (lambda y: np.round(y, 2), "has a correlation of 1.0000 with the target, up to its sign"),
        (np.exp, "puts the samples into the same order as the target"),
    ],
)
def test_a_quantity_on_another_scale_is_a_copy(rng, change, reason):
    y = rng.normal(size=N)
    assert found(change(y), y, task="regression") == ("copy", reason)
    assert found(y + 0.1 * rng.normal(size=N), y, task="regression") is None


def test_the_order_of_the_file_is_told_where_chance_does_not_explain_it(rng, classes):
    kind, reason = found(np.sort(rng.normal(size=N)), classes)
    assert (kind, reason) == ("order", "never falls from one sample to the next")
    assert found(-np.repeat(np.arange(6), 10), classes)[1].startswith("never rises")
    # The one sample with another value is the last one in a column of 30.
    assert found(np.arange(N) == N - 1, classes) is None


def test_long_tables_are_looked_at_in_full(rng):
    y = rng.integers(0, 2, 5000)
    X = np.column_stack([y + 0.1, np.arange(5000), rng.normal(size=5000)])
    X[4321, 0] = 0.6
    assert [one.kind for one in find_suspects(X, y, "abc", "classification")] == [
        "separator",
        "running number",
    ]
    X[4321, :2] = 2 - 3 * y[4321]
    assert find_suspects(X, y, "abc", "classification") == []


@pytest.mark.parametrize("dtype", [np.uint8, np.int16, np.float32, bool])
def test_types_do_not_wrap_around(dtype):
    y = np.arange(100) % 2
    X = np.column_stack([np.arange(100)[::-1], y, np.random.default_rng(0).integers(0, 2, 100)])
    kinds = [one.kind for one in find_suspects(X.astype(dtype), y, "abc", "classification")]
    assert kinds == (["copy"] if dtype is bool else ["running number", "copy"])


def test_missing_values_and_tiny_tables_raise_nothing(classes):
    column = np.arange(N, dtype=float)
    column[3] = np.nan
    assert found(column, classes) is None
    assert find_suspects(np.ones((2, 1)), np.array([0, 1]), ["id"], "classification") == []


def test_orders_are_counted_by_hand():
    assert math.exp(_log_orders(np.array([1, 1, 2, 2]))) == pytest.approx(6)
    assert math.exp(_log_orders(np.array([1, 2, 3]))) == pytest.approx(6)


# -- in words -------------------------------------------------------------------------------------


def test_columns_of_one_look_share_a_note():
    ones = [Suspect(name, i, "copy", "has one value for each class") for i, name in enumerate("ab")]
    assert suspect_notes(ones) == [
        "Check 'a', 'b': each has one value for each class. Leave out what is not known before the "
        "target is."
    ]
    assert suspect_notes(ones[:1], lambda names: ("", f" (--drop {names[0]})"))[0].endswith(
        "it has one value for each class. Leave out what is not known before the target is "
        "(--drop a)."
    )


def test_many_separators_are_told_mildly():
    many = [Suspect(f"g{i}", i, "separator", "tells all classes apart alone") for i in range(34)]
    (note,) = suspect_notes(many, lambda names: ("", " (--drop)"))
    assert note.startswith("34 features tell all classes apart alone, such as 'g0', 'g1'")
    assert "hardly leaks" in note
    assert "--drop" not in note


@pytest.mark.parametrize(
    ("labels", "starts"),
    [
        ("a" * 20 + "b" * 9, []),
        ("a" * 20 + "b" * 9 + "c", ["1 class has one sample only: c."]),
        ("a" * 10 + "b" * 9, ["There are only 19 samples"]),
        ("aab", ["There are only 3 samples", "1 class has one sample only: b."]),
        (
            "abcdefgh",
            ["There are only 8 samples", "The target has 8 classes in 8 samples, 8 of them"],
        ),
    ],
)
def test_few_samples_are_told(labels, starts):
    notes = sample_notes(np.array(list(labels)), "classification")
    assert len(notes) == len(starts)
    for note, start in zip(notes, starts, strict=True):
        assert note.startswith(start)


def test_a_class_is_named_as_on_the_page():
    (note,) = sample_notes(np.repeat([1.0, 2.0, 3.0], [20, 20, 1]), "classification")
    assert note.startswith("1 class has one sample only: 3.")
    assert "3.0" not in note


def test_few_samples_of_a_quantity_say_nothing_of_classes():
    (note,) = sample_notes(np.arange(4.0), "regression")
    assert note.endswith("Bring at least 20.")


@pytest.mark.parametrize(
    ("counts", "is_told"),
    [
        ([("no", 71), ("yes", 29)], True),
        ([("no", 70), ("yes", 30)], False),
        ([("a", 60), ("b", 31), ("c", 9)], True),
        ([("a", 60), ("b", 29), ("c", 11)], False),
        # Of ten classes each has about a tenth.
        ([(str(i), 95 + i) for i in range(10)], False),
        ([("0", 3), *((str(i), 100) for i in range(1, 10))], True),
        ([], False),
    ],
)
def test_uneven_classes_are_noticed(build, counts, is_told):
    notes = uneven_notes(build.data(class_counts=counts), ["accuracy (%)"], is_command=True)
    assert len(notes) == is_told
    assert all("--metric balanced-accuracy or --metric auc says more" in one for one in notes)


def test_another_measure_needs_no_such_note_and_python_has_no_options(build):
    data = build.data(class_counts=[("yes", 10), ("no", 90)])
    for measures in (["balanced accuracy (%)"], ["AUC", "log loss"], []):
        assert uneven_notes(data, measures, is_command=True) == []
    (note,) = uneven_notes(data, ["AUC", "accuracy (%)"], is_command=False)
    assert 'metric="balanced-accuracy"' in note
    assert "no 90.0 %, yes 10.0 %" in note


def test_uneven_classes_are_measured_by_what_minds_the_rare_ones(build):
    assert suited_metric(build.data(class_counts=[("yes", 29), ("no", 71)])) == "auc"
    assert suited_metric(build.data(class_counts=[("yes", 31), ("no", 69)])) is None
    # One of three, of which each is due a third.
    assert suited_metric(build.data(class_counts=[("a", 9), ("b", 46), ("c", 45)])) == (
        "balanced-accuracy"
    )
    assert suited_metric(build.data(class_counts=())) is None


def test_that_another_measure_was_taken_is_told(build):
    data = build.data(class_counts=[("yes", 10), ("no", 90)])
    (note,) = uneven_notes(data, ["AUC"], is_command=True, is_suited=True)
    assert note.endswith("is not the measure here; --metric accuracy takes it all the same.")
    (note,) = uneven_notes(data, ["AUC"], is_command=False, is_suited=True)
    assert 'metric="accuracy" takes it' in note


def test_the_largest_class_is_named_where_a_guess_does_not_reach_its_share(build):
    data = build.data(class_counts=[("yes", 10), ("no", 90)])
    assert majority_text(data, "AUC") == "the most frequent class, no, has 90.0 % of the samples"
    assert majority_text(data, "accuracy (%)") == ""
    assert majority_text(build.data(class_counts=()), "mean absolute error") == ""


# -- levels and gaps ------------------------------------------------------------------------------


def looks(y, codes=None, numbers=None, task="classification"):
    """Return the kinds of suspects among a column of levels, one of numbers, and three of noise."""
    noise = np.random.default_rng(1).normal(size=(len(y), 3))
    first = np.full(len(y), np.nan)
    second = noise[:, 0] if numbers is None else numbers
    table = np.column_stack([first, second, noise])
    given = {} if codes is None else {0: np.asarray(codes)}
    found = find_suspects(table, np.asarray(y), list("abcde"), task, given)
    return {one.name: (one.kind, one.reason) for one in found}


def test_text_that_is_hardly_there_twice_is_an_id(classes):
    n = len(classes)
    assert looks(classes, np.arange(n))["a"][0] == "id"
    assert looks(classes, np.arange(n) % (n // 2)) == {}
    # Among a few samples most texts are of their own.
    assert looks(classes[:12], np.arange(12)) == {}


def test_levels_that_tell_the_classes_are_leaks(classes):
    classes = np.unique(classes, return_inverse=True)[1]
    assert looks(classes, 1 - classes)["a"] == ("copy", "has one value for each class")
    several = classes * 2 + np.arange(len(classes)) % 2
    assert looks(classes, several)["a"][0] == "separator"
    several[3] = several[classes != classes[3]][0]
    assert looks(classes, several) == {}
    assert looks(classes.astype(float), 1 - classes, task="regression") == {}


def test_a_value_that_is_there_for_one_class_only_is_a_leak(classes):
    classes = np.unique(classes, return_inverse=True)[1]
    paid = np.where(classes == 1, np.arange(len(classes)) % 5, np.nan)
    assert looks(classes, numbers=paid)["b"] == (
        "copy",
        "lacks a value in all samples of some classes, and in no other",
    )
    paid[np.flatnonzero(classes == 0)[0]] = 1.0
    assert looks(classes, numbers=paid) == {}


def test_sparse_tables_are_looked_at_without_all_being_dense(rng, classes):
    classes = np.unique(classes, return_inverse=True)[1]
    X = (rng.random((len(classes), 30)) < 0.1) * rng.normal(size=(len(classes), 30))
    X[:, 7] = 3 * classes
    names = [f"x{i}" for i in range(30)]
    dense, thin = (
        find_suspects(table, classes, names, "classification") for table in (X, sparse.csr_array(X))
    )
    assert [(one.column, one.kind) for one in thin] == [(7, "copy")]
    assert dense == thin
