"""Files that are damaged or made to do harm: each is refused in words, quickly, in little memory."""

import time

import pyarrow as pa
import pyarrow.feather
import pyarrow.parquet
import pytest

from entryprune.data import DatasetError, TableRequest, read_table, write_columns

# -- Arrow ----------------------------------------------------------------------------------------


def text_column(letters):
    """Return a column of two texts of three letters, which need not be UTF-8."""
    buffers = [None, pa.py_buffer(packed(0, 3, 6)), pa.py_buffer(letters)]
    return pa.Array.from_buffers(pa.string(), 2, buffers)


def packed(*numbers):
    return b"".join(number.to_bytes(4, "little") for number in numbers)


@pytest.mark.parametrize("offsets", [(0, 3, 900_000), (0, 9, 6), (0, 2**31, 6)])
def test_wrong_offsets_of_arrow_text_are_refused(tmp_path, offsets):
    path = tmp_path / "t.arrow"
    table = pa.table({"a": [1, 2], "kind": text_column(b"abcdef")})
    with pa.ipc.new_file(path, table.schema) as writer:
        writer.write_table(table)
    content = path.read_bytes()
    assert content.count(packed(0, 3, 6)) == 1
    path.write_bytes(content.replace(packed(0, 3, 6), packed(*offsets)))
    request = TableRequest(path, target="kind")
    with pytest.raises(DatasetError, match="the column 'kind' is damaged"):
        read_table(request)
    with pytest.raises(DatasetError, match="the column 'kind' is damaged"):
        write_columns(request, ["a"], tmp_path / "r.arrow")


def test_wrong_codes_of_categories_are_refused(tmp_path):
    codes, kinds = pa.array([0, 7], pa.int8()), pa.array(["x", "y"])
    column = pa.DictionaryArray.from_arrays(codes, kinds, safe=False)
    path = tmp_path / "t.feather"
    pa.feather.write_feather(pa.table({"a": [1, 2], "kind": column}), path)
    with pytest.raises(DatasetError, match="the column 'kind' is damaged"):
        read_table(TableRequest(path, target="kind"))


@pytest.mark.parametrize("ending", ["parquet", "feather"])
def test_text_of_arrow_that_is_not_utf8_is_refused(tmp_path, ending):
    table = pa.table({"a": [1, 2], "kind": text_column(b"gr\xf6\xdfer")})
    path = tmp_path / f"t.{ending}"
    (pa.parquet.write_table if ending == "parquet" else pa.feather.write_feather)(table, path)
    with pytest.raises(DatasetError, match="'kind' has text that is not in the encoding UTF-8"):
        read_table(TableRequest(path, target="kind"))


# -- text -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("content", ["a,b\n1,{}\n2,3\n", "a,{}\n1,2\n", "{}\n1\n"])
def test_many_digits_and_a_letter_take_no_time(text, content):
    request = text(content.format("7" * 200_000 + "x"))
    start = time.perf_counter()
    assert read_table(request).X.size > 0
    assert time.perf_counter() - start < 5  # it was hours
