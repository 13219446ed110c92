import pytest

from entryprune.report.classes import majority_text, uneven_notes


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


def test_the_largest_class_is_named_where_a_guess_does_not_reach_its_share(build):
    data = build.data(class_counts=[("yes", 10), ("no", 90)])
    assert majority_text(data, "AUC") == "the most frequent class, no, has 90.0 % of the samples"
    assert majority_text(data, "accuracy (%)") == ""
    assert majority_text(build.data(class_counts=()), "mean absolute error") == ""
