"""From mixed tables to numbers, with columns that know their feature."""

import datetime as dt
import pickle
import subprocess
import sys
import warnings

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
import torch

from entryprune.encoding import Encoder, UnseenLevelsWarning

DATA = {
    "income": [10.5, None, 30.0, 20.0],
    "colour": ["red", "blue", "green", "red"],
    "member": ["yes", None, "no", "yes"],
    "opened": [dt.date(2024, 1, 1), dt.date(2024, 1, 3), dt.date(2024, 2, 1), None],
    "paid": [True, False, True, True],
    "size": ["s", None, "m", "l"],
}
NAMES = (
    *("income", "income is missing"),
    *("colour = red", "colour = blue", "colour = green"),
    *("member = yes", "member is missing"),
    *("opened: days", "opened: month", "opened: weekday", "opened is missing"),
    "paid",
    *("size = l", "size = m", "size = s", "size is missing"),
)
VALUES = [
    [10.5, 0, 1, 0, 0, 1, 0, 0, 1, 0, 0, 1, 0, 0, 1, 0],
    [20.0, 1, 0, 1, 0, 1, 1, 2, 1, 2, 0, 0, 0, 0, 0, 1],
    [30.0, 0, 0, 0, 1, 0, 0, 31, 2, 3, 0, 1, 0, 1, 0, 0],
    [20.0, 0, 1, 0, 0, 1, 0, 2, 1, 2, 1, 1, 1, 0, 0, 0],
]
TABLE = pa.table(DATA)


def as_objects():
    return pd.DataFrame({name: pd.Series(values, dtype=object) for name, values in DATA.items()})


FRAMES = {
    "arrow": TABLE,
    "batch": TABLE.to_batches()[0],
    "pieces": pa.concat_tables([TABLE.slice(0, 1), TABLE.slice(1, 2), TABLE.slice(3)]),
    "polars": pl.DataFrame(DATA),
    "pandas": pd.DataFrame(DATA).astype({"opened": "datetime64[ns]"}),
    "pandas of objects": as_objects(),
    "pandas of arrow": TABLE.to_pandas(types_mapper=pd.ArrowDtype),
    "pandas of categories": as_objects().astype(
        {"colour": "category", "member": "category", "size": "category"}
    ),
}


@pytest.fixture(params=FRAMES.values(), ids=FRAMES.keys())
def frame(request):
    return request.param


@pytest.fixture
def encoder():
    return Encoder.fit(TABLE, missing="impute")


# -- all kinds of features -----------------------------------------------------------------------


def test_a_mixed_table_by_hand(frame):
    encoded = Encoder.fit(frame, missing="impute").encode(frame)
    assert encoded.names == NAMES
    assert encoded.values.tolist() == VALUES
    assert encoded.values.dtype == np.float64
    assert encoded.feature_of.tolist() == [0, 0, 1, 1, 1, 2, 2, 3, 3, 3, 3, 4, 5, 5, 5, 5]
    assert encoded.is_indicator.tolist() == [
        *(False, True),
        *(True, True, True),
        *(True, True),
        *(False, False, False, True),
        False,
        *(True, True, True, True),
    ]


def test_every_frame_can_be_encoded_by_what_another_has_taught(frame, encoder):
    assert encoder.encode(frame).values.tolist() == VALUES


def test_one_column_for_each_feature(frame, encoder):
    assert encoder.one_column_each(frame).tolist() == [
        [10.5, 0, 1, 0, 1, 2],
        [20.0, 1, 1, 2, 0, 3],
        [30.0, 2, 0, 31, 1, 1],
        [20.0, 0, 1, 2, 1, 0],
    ]


def test_what_was_learned_is_told(encoder):
    assert encoder.feature_names == tuple(DATA)
    assert encoder.kinds == ("number", "categories", "yes/no", "date", "number", "categories")
    assert encoder.levels(1) == ("red", "blue", "green")
    assert encoder.levels(2) == ("no", "yes")
    assert encoder.levels(5) == ("l", "m", "s", "missing")
    assert encoder.levels(0) == encoder.levels(3) == ()
    assert not encoder.is_plain


def test_the_table_is_not_changed(encoder):
    X = FRAMES["pandas"].copy()
    encoder.encode(X).values[...] = -1
    encoder.one_column_each(X)[...] = -1
    pd.testing.assert_frame_equal(X, FRAMES["pandas"])


def test_encoders_can_be_pickled(encoder):
    assert pickle.loads(pickle.dumps(encoder)).encode(TABLE).values.tolist() == VALUES


# -- gaps ----------------------------------------------------------------------------------------


def test_gaps_that_came_later_are_filled_without_a_flag():
    encoder = Encoder.fit(
        pa.table({"a": [1.0, 2, 9], "b": ["x", "y", "y"], "c": ["u", "v", "w"]}), missing="impute"
    )
    encoded = encoder.encode(pa.table({"a": [None, 5.0], "b": [None, "x"], "c": [None, "w"]}))
    assert encoded.names == ("a", "b = y", "c = u", "c = v", "c = w")
    assert encoded.values.tolist() == [[2, 1, 1, 0, 0], [5, 0, 0, 0, 1]]


def test_without_imputation_later_gaps_are_an_error():
    encoder = Encoder.fit(pa.table({"a": [1.0, 2], "b": ["x", "y"]}))
    gaps = pa.table({"a": [None, np.nan], "b": ["x", None]})
    for use in (encoder.encode, encoder.one_column_each):
        with pytest.raises(ValueError, match="missing") as error:
            use(gaps)
        assert str(error.value) == (
            "X contains NaN or other missing values in 2 columns (how many in brackets): 'a' (2), "
            "'b' (1). Set missing=\"impute\" to have them filled in, fill them in yourself, or "
            "leave out these samples or columns."
        )
    assert encoder.encode(gaps.slice(0, 1), features=[1]).values.tolist() == [[0]]


def test_nan_is_a_gap_in_every_frame():
    for X in (pa.table({"a": [1.0, np.nan, 3]}), pl.DataFrame({"a": [1.0, np.nan, 3]})):
        assert Encoder.fit(X, missing="impute").encode(X).values.tolist() == [
            [1, 0],
            [2, 1],
            [3, 0],
        ]


def test_a_feature_without_values_is_0_whatever_comes():
    X = pa.table({"a": pa.nulls(2), "b": pa.nulls(2, pa.string()), "c": pa.nulls(2, pa.date32())})
    X = X.append_column("d", pa.array([np.nan, np.nan]))
    encoder = Encoder.fit(X, missing="impute")
    assert encoder.kinds == ("number",) * 4
    assert encoder.encode(X).names == ("a", "b", "c", "d")
    later = pa.table({"a": [5], "b": ["x"], "c": [None], "d": [2.5]})
    assert encoder.encode(later).values.tolist() == [[0, 0, 0, 0]]
    assert encoder.one_column_each(later).tolist() == [[0, 0, 0, 0]]


def test_infinity_is_always_an_error():
    encoder = Encoder.fit(np.zeros((2, 2)), missing="impute")
    with pytest.raises(ValueError, match="infinity") as error:
        encoder.encode([[np.inf, 1], [-np.inf, np.nan]])
    assert str(error.value) == (
        "X contains infinity in 1 column (how many in brackets): 'x0' (2). Replace or clip these "
        "values first."
    )


# -- unseen levels -------------------------------------------------------------------------------


def test_unseen_levels_are_counted_in_a_warning(encoder):
    later = TABLE.set_column(1, "colour", pa.array(["pink", "red", "teal", "red"]))
    later = later.set_column(2, "member", pa.array(["perhaps", "yes", "no", "no"]))
    with pytest.warns(UnseenLevelsWarning) as caught:
        encoded = encoder.encode(later)
    assert str(caught[0].message) == (
        "X has levels that the fit has not seen, in 2 columns (number of samples in brackets): "
        "'colour' (2), 'member' (1). They count as none of the known ones, and where there are two "
        "only, as the more frequent."
    )
    assert caught[0].filename == __file__
    assert encoded.values[:, 2:5].tolist() == [[0, 0, 0], [1, 0, 0], [0, 0, 0], [1, 0, 0]]
    assert encoded.values[:, 5].tolist() == [1, 1, 0, 0]


def test_unseen_levels_are_other_without_a_warning():
    encoder = Encoder.fit(pa.table({"a": list("aabbcd")}), max_levels=3)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        encoded = encoder.encode(pa.table({"a": ["z", "d", "b"]}))
    assert encoded.names == ("a = a", "a = b", "a = other")
    assert encoded.values.tolist() == [[0, 0, 1], [0, 0, 1], [0, 1, 0]]


# -- which columns -------------------------------------------------------------------------------


def test_columns_are_found_by_name(encoder):
    X = FRAMES["pandas"]
    shuffled = X[[*reversed(X.columns)]].assign(more=1)
    assert encoder.encode(shuffled).values.tolist() == VALUES
    assert encoder.encode(pl.DataFrame(shuffled)).values.tolist() == VALUES


def test_only_the_columns_of_chosen_features_are_needed(encoder):
    encoded = encoder.encode(TABLE.select(["member", "income"]), features=[0, 2])
    assert encoded.names == ("income", "income is missing", "member = yes", "member is missing")
    assert encoded.feature_of.tolist() == [0, 0, 2, 2]
    assert encoded.is_indicator.tolist() == [False, True, True, True]
    assert encoded.values.tolist() == [[row[i] for i in (0, 1, 5, 6)] for row in VALUES]


def test_no_feature_is_a_table_without_columns(encoder):
    encoded = encoder.encode(TABLE, features=[])
    assert encoded.values.shape == (4, 0)
    assert encoded.names == ()


def test_columns_that_are_not_there_are_named(encoder):
    with pytest.raises(ValueError, match="lacks") as error:
        encoder.encode(TABLE.rename_columns(["Income", *list(DATA)[1:4], "paid", "x"]))
    assert str(error.value) == (
        "X lacks 2 columns of the fit: 'income', 'size'. Did you mean 'Income'?"
    )


@pytest.mark.parametrize("features", [[1, 0], [0, 0], [0.5], [[0]], [True]])
def test_features_are_ascending_numbers(encoder, features):
    with pytest.raises(ValueError, match="features must be ascending whole numbers, got"):
        encoder.encode(TABLE, features)


@pytest.mark.parametrize("features", [[-1], [0, 6]])
def test_features_are_those_of_the_fit(encoder, features):
    with pytest.raises(ValueError, match="features must be numbers from 0 to 5, got"):
        encoder.encode(TABLE, features)


def test_without_names_columns_are_found_by_place():
    X = pd.DataFrame([[1, "a"], [2, "b"], [3, "c"]])
    encoder = Encoder.fit(X)
    assert encoder.names is None
    assert encoder.feature_names == ("x0", "x1")
    assert encoder.encode(X).names == ("x0", "x1 = a", "x1 = b", "x1 = c")
    named = X.set_axis(["p", "q"], axis=1)
    assert encoder.encode(named).values.tolist() == encoder.encode(X).values.tolist()
    assert encoder.encode(X.to_numpy()).values.tolist() == encoder.encode(X).values.tolist()
    assert Encoder.fit(named).encode(X, features=[1]).values.shape == (3, 3)


def test_the_number_of_places_must_be_right():
    with pytest.raises(
        ValueError, match="X has 2 features, but Encoder is expecting 3 features as"
    ):
        Encoder.fit(np.zeros((2, 3))).encode(np.zeros((2, 2)))


# -- numbers only --------------------------------------------------------------------------------


@pytest.mark.parametrize("dtype", [np.float64, np.float32, np.int8, np.bool_])
def test_plain_numbers_are_passed_on_as_they_are(dtype):
    X = np.ones((3, 2), dtype)
    for missing in ("error", "impute"):
        encoder = Encoder.fit(X, missing=missing)
        assert encoder.is_plain
        encoded = encoder.encode(X)
        assert encoded.values is X
        assert encoder.one_column_each(X) is X
        assert encoded.feature_of.tolist() == [0, 1]
        assert not encoded.is_indicator.any()
        assert encoded.names == ("x0", "x1")


def test_plain_frames_are_not_copied_either():
    X = pd.DataFrame(np.ones((3, 2), np.float32), columns=["a", "b"])
    encoder = Encoder.fit(X)
    assert encoder.is_plain
    values = encoder.encode(X).values
    assert values.dtype == np.float32
    assert np.shares_memory(values, X.to_numpy())
    assert encoder.encode(X[["b", "a"]], features=[1]).values.shape == (3, 1)
    assert encoder.kinds == ("number", "number")


def test_tensors_and_lists_are_tables_too():
    assert Encoder.fit(torch.ones(2, 2)).encode(torch.ones(2, 2)).values.dtype == np.float32
    assert Encoder.fit([[1, 2], [3, 4]]).encode([[1, 2]]).values.tolist() == [[1, 2]]


def test_arrays_with_gaps():
    X = np.array([[1, np.nan], [np.nan, np.nan], [3, 4]], np.float32)
    encoder = Encoder.fit(X, missing="impute")
    encoded = encoder.encode(X)
    assert encoded.names == ("x0", "x0 is missing", "x1", "x1 is missing")
    assert encoded.values.tolist() == [[1, 0, 4, 1], [2, 1, 4, 1], [3, 0, 4, 0]]
    assert encoded.values.dtype == np.float32
    assert encoder.one_column_each(X).tolist() == [[1, 4], [2, 4], [3, 4]]
    whole = encoder.encode(np.ones((1, 2)))
    assert whole.values.tolist() == [[1, 0, 1, 0]]


@pytest.mark.parametrize(
    ("column", "dtype"),
    [
        (pa.array([1, 2], pa.int16()), np.float32),
        (pa.array([1, 2], pa.int32()), np.float64),
        (pa.array([1.5, 2], pa.float32()), np.float32),
        (pa.array([True, False]), np.float32),
        (pa.array(["x", "z"]), np.float32),
        (pa.array([dt.date(2024, 1, 1)] * 2), np.float64),
    ],
)
def test_values_are_as_small_as_they_can_be(column, dtype):
    X = pa.table({"a": column, "b": ["x", "y"]})
    assert Encoder.fit(X).encode(X).values.dtype == dtype


def test_no_samples_can_be_encoded(encoder):
    assert encoder.encode(TABLE.slice(0, 0)).values.shape == (0, len(NAMES))
    assert Encoder.fit(np.ones((2, 2))).encode(np.ones((0, 2))).values.shape == (0, 2)


def test_pandas_and_polars_are_not_imported():
    code = """
import sys
from io import BytesIO
from pyarrow import csv
from entryprune.encoding import Encoder
text = b"a,b,c,d\\n1.5,x,2024-01-01,u\\n,y,2024-01-03,v\\n2,x,2024-05-01,w\\n"
table = csv.read_csv(BytesIO(text), convert_options=csv.ConvertOptions(strings_can_be_null=True))
encoder = Encoder.fit(table, missing="impute")
encoder.encode(table)
encoder.encode(table, features=[1, 3])
encoder.one_column_each(table)
print(sorted({"pandas", "polars", "torch", "sklearn"} & sys.modules.keys()))
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n", done.stdout
