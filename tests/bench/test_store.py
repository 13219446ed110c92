import gzip
import math
import os
import subprocess
import sys

import pytest

from entryprune.bench.store import Case, Record, Store, StoreError, all_features, grid


def test_what_is_written_is_read(tmp_path, make_record):
    record = make_record(
        seconds=1.5,
        is_alone=True,
        measures={"epochs": 3.0},
        curves={"n_changed": [1, 0]},
        settings={"zeta": 0.2},
        versions={"torch": "2"},
    )
    store = Store(tmp_path / "new folder" / "results.jsonl")
    store.append(record)
    assert store.read() == {record.case.key: record}


def test_what_is_no_number_is_null_in_the_file_and_nan_again_when_it_is_read(tmp_path, make_record):
    store = Store(tmp_path / "results.jsonl")
    curves = {"validation_loss": [0.5, math.nan], "phase": ["search", "final"]}
    store.append(make_record(curves=curves))
    assert b'"validation_loss":[0.5,null]' in store.path.read_bytes()
    (record,) = store.read().values()
    assert record.curves["phase"] == curves["phase"]
    first, second = record.curves["validation_loss"]
    assert first == 0.5
    assert math.isnan(second)


def test_the_latest_record_of_a_case_counts(tmp_path, make_record):
    store = Store(tmp_path / "results.jsonl")
    for accuracy in (80.0, 90.0):
        store.append(make_record(accuracy=accuracy))
    (record,) = store.read().values()
    assert record.accuracies == {"svm": 90.0}


def test_a_packed_file_is_read_and_never_written(tmp_path, make_record):
    record = make_record()
    store = Store(tmp_path / "results.jsonl")
    store.append(record)
    packed = Store(tmp_path / "results.jsonl.gz")
    packed.path.write_bytes(gzip.compress(store.path.read_bytes()))
    before = packed.path.read_bytes()
    assert packed.read() == {record.case.key: record}
    with pytest.raises(StoreError, match=r"gunzip .*results\.jsonl\.gz"):
        packed.append(record)
    assert packed.path.read_bytes() == before
    packed.path.write_bytes(before[:-20])
    with pytest.raises(StoreError, match="cannot be unpacked"):
        packed.read()


def test_a_file_that_is_not_there_is_empty(tmp_path):
    assert Store(tmp_path / "none.jsonl").read() == {}


@pytest.mark.parametrize("n_lost", [1, 2, 20, 100])
def test_a_line_cut_short_by_a_crash_is_passed_over_and_spoils_no_other(
    tmp_path, make_record, n_lost
):
    store = Store(tmp_path / "results.jsonl")
    store.append(make_record(seed=0))
    store.append(make_record(seed=1))
    whole = store.path.read_bytes()
    store.path.write_bytes(whole[:-n_lost])
    assert [record.case.seed for record in store.read().values()] == [0]
    store.append(make_record(seed=2))
    # Only the newline was lost if the line itself is whole.
    expected = [0, 1, 2] if n_lost == 1 else [0, 2]
    assert [record.case.seed for record in store.read().values()] == expected


def test_a_file_of_something_else_is_refused(tmp_path):
    path = tmp_path / "table.csv"
    path.write_text("a,b\n1,2\n")
    with pytest.raises(StoreError, match=r"Line 1 of .*table.csv is not a result.*--store"):
        Store(path).read()


def test_a_place_that_cannot_be_written_is_told(tmp_path, make_record):
    (tmp_path / "file").write_text("")
    with pytest.raises(StoreError, match=r"cannot be written to .*--store"):
        Store(tmp_path / "file" / "results.jsonl").append(make_record())


def test_a_disk_that_fills_up_is_told_and_spoils_no_other_record(
    tmp_path, make_record, monkeypatch
):
    store = Store(tmp_path / "results.jsonl")
    first, second, third = (make_record(seed=seed) for seed in range(3))
    store.append(first)
    write, room = os.write, [40]

    def fills_up(file, content):
        if room[0] == 0:
            raise OSError(28, "No space left on device")
        taken = write(file, content[: room[0]])
        room[0] -= taken
        return taken

    with monkeypatch.context() as patch:
        patch.setattr("entryprune.bench.store.os.write", fills_up)
        with pytest.raises(StoreError, match="No space left on device"):
            store.append(second)
    store.append(third)
    assert list(store.read()) == [first.case.key, third.case.key]


def test_a_write_that_takes_a_part_is_gone_on_with(tmp_path, make_record, monkeypatch):
    store, write = Store(tmp_path / "results.jsonl"), os.write
    monkeypatch.setattr("entryprune.bench.store.os.write", lambda f, text: write(f, text[:7]))
    store.append(make_record())
    assert len(store.read()) == 1


def test_a_store_is_held_by_one_run_until_that_ends_however_it_ends(tmp_path):
    store = Store(tmp_path / "new" / "results.jsonl")
    holding = (
        "import sys; from pathlib import Path; from entryprune.bench.store import Store\n"
        "with Store(Path(sys.argv[1])).held():\n"
        "    print('held', flush=True); sys.stdin.read()"
    )
    with subprocess.Popen(
        [sys.executable, "-c", holding, str(store.path)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    ) as other:
        assert other.stdout.readline() == b"held\n"
        with (
            pytest.raises(StoreError, match="Another run is writing to"),
            store.held(),
        ):
            pass
        other.kill()
    with store.held():
        pass
    assert store.read() == {}


def test_what_is_empty_takes_no_room(make_record):
    assert set(make_record().to_json()) == {
        "case", "status", "n_threads", "load", "selected", "accuracies", "title",
    }  # fmt: skip
    assert Record.from_json(make_record().to_json()) == make_record()


def test_a_method_without_randomness_runs_once_where_the_split_is_fixed():
    cases = grid(["usps"], ["fisher", "rigl"], [5], range(3))
    assert [case.seed for case in cases if case.method == "fisher"] == [0]
    assert [case.seed for case in cases if case.method == "rigl"] == [0, 1, 2]


def test_with_a_new_split_for_each_seed_every_method_runs_on_all():
    cases = grid(["usps"], ["fisher"], [5], range(3), protocol="clean")
    assert [case.seed for case in cases] == [0, 1, 2]


def test_a_key_tells_cases_apart_by_every_detail():
    base = Case("a", "rigl", 5, 0)
    others = [
        Case("b", "rigl", 5, 0),
        Case("a", "stg", 5, 0),
        Case("a", "rigl", 6, 0),
        Case("a", "rigl", 5, 1),
        Case("a", "rigl", 5, 0, "clean"),
        Case("a", "rigl", 5, 0, settings={"zeta": 0.1}),
        Case("a", "rigl", 5, 0, kind="regrowth-toy"),
    ]
    assert len({case.key for case in [base, *others]}) == 8


def test_a_key_does_not_depend_on_the_order_or_type_of_settings():
    one = Case("a", "rigl", 5, 0, settings={"zeta": 0.1, "hidden_layer_sizes": (10, 20)})
    other = Case("a", "rigl", 5, 0, settings={"hidden_layer_sizes": [10, 20], "zeta": 0.1})
    assert one.key == other.key


def test_all_features_is_one_case_for_a_data_set():
    assert [case.key for case in all_features(["a", "b"])] == [
        "a all k=0 seed=0 paper",
        "b all k=0 seed=0 paper",
    ]


def test_studies_and_cases_need_none_of_the_heavy_packages():
    code = (
        "import sys; import entryprune.bench.studies, entryprune.bench.store, "
        "entryprune.bench.learners; "
        "print([m for m in ('torch', 'sklearn', 'numpy', 'matplotlib') if m in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
