import pytest

from entryprune.bench.store import DONE, Case, Record


@pytest.fixture
def make_record():
    """Return a function that makes the record of a finished case."""

    def make(dataset="usps", method="rigl", k=50, seed=0, *, accuracy=90.0, **details):
        case_details = {
            name: details.pop(name) for name in ("settings", "protocol", "kind") if name in details
        }
        record = {"selected": [1, 2], "accuracies": {"svm": accuracy}, "title": dataset.upper()}
        return Record(Case(dataset, method, k, seed, **case_details), DONE, **{**record, **details})

    return make


@pytest.fixture
def as_read():
    """Return records by their case's key, as a store returns them."""
    return lambda records: {record.case.key: record for record in records}
