import pytest

from entryprune.bench.cases import Case
from entryprune.bench.records import Record
from entryprune.bench.view import describe


@pytest.mark.parametrize(
    ("status", "details", "expected"),
    [
        ("done", {"seconds": 1.25, "accuracies": {"svm": 91.5}}, "svm 91.50 % | 1.2 s"),
        ("done", {"measures": {"recall": 0.5}}, "recall 0.50"),
        ("overdue", {"reason": "after 60 s"}, "overdue, after 60 s"),
    ],
)
def test_a_case_that_ended_is_told_in_a_line(status, details, expected):
    assert describe(Record(Case("digits", "fisher", 10, 0), status, **details)) == expected
