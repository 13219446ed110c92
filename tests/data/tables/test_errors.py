"""How much memory there is, and what is refused because of it."""

import numpy as np
import pyarrow as pa
import pyarrow.parquet
import pytest

from entryprune.data import DatasetError, read_table
from entryprune.data.tables import errors


def test_the_memory_is_asked_of_the_system(monkeypatch, tmp_path):
    assert errors.available_bytes() > 10**6
    (tmp_path / "meminfo").write_text("MemTotal: 9 kB\nMemAvailable: 7 kB\n")
    monkeypatch.setattr(errors, "_CONTAINER", tmp_path / "none")
    monkeypatch.setattr(errors, "_PROCESS", tmp_path / "none")
    monkeypatch.setattr(errors, "_MEMINFO", tmp_path / "meminfo")
    assert errors.available_bytes() == 7 * 1024
    monkeypatch.setattr(errors, "_MEMINFO", tmp_path / "none")
    assert errors.available_bytes() > 10**6

    def no_answer(name):
        raise ValueError(name)

    monkeypatch.setattr("os.sysconf", no_answer)
    assert errors.available_bytes() is None


def test_the_limit_of_a_container_counts(monkeypatch, tmp_path):
    (tmp_path / "meminfo").write_text("MemAvailable: 7 kB\n")
    monkeypatch.setattr(errors, "_MEMINFO", tmp_path / "meminfo")
    monkeypatch.setattr(errors, "_CONTAINER", tmp_path)
    (tmp_path / "memory.max").write_text("5000\n")
    (tmp_path / "memory.current").write_text("4000\n")
    (tmp_path / "memory.stat").write_text("anon 10\ninactive_file 500\n")
    assert errors.available_bytes() == 1500
    (tmp_path / "memory.max").write_text("max\n")
    assert errors.available_bytes() == 7 * 1024


def test_the_error_has_both_numbers(tmp_path, monkeypatch):
    monkeypatch.setattr(errors, "available_bytes", lambda: 10**9)
    path = tmp_path / "t.npy"
    np.lib.format.open_memmap(path, "w+", np.float32, shape=(20_000, 5_000))
    with pytest.raises(
        DatasetError, match=r"20,000 x 5,000 values, which need 1\.6 GB .*; 1\.0 GB"
    ):
        read_table(path)


def test_running_out_of_memory_is_an_error_too(tmp_path, monkeypatch):
    path = tmp_path / "t.parquet"
    pa.parquet.write_table(pa.table({"a": [1]}), path)

    def full(*_, **__):
        raise MemoryError

    monkeypatch.setattr("pyarrow.parquet.ParquetFile.read", full)
    with pytest.raises(DatasetError, match="does not fit into memory"):
        read_table(path)
