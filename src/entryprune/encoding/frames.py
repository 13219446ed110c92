"""Tables of pandas, polars and Arrow as named Arrow columns, and columns out of any table.

pandas and polars are never imported here: whoever has a table of theirs has imported them.
"""

from __future__ import annotations

import numbers
import sys
from collections import Counter
from collections.abc import Sequence
from decimal import Decimal
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import ArrayLike, NDArray
from pyarrow import types

from entryprune._text import listed, some_of
from entryprune.encoding.arrow import is_date, is_number, is_text

Array = NDArray[Any]


def is_frame(X: object) -> bool:
    """Tell whether a table has columns with types of their own."""
    return isinstance(X, (pa.Table, pa.RecordBatch)) or _is_pandas(X) or _is_polars(X)


def frame_names(X: Any) -> tuple[str, ...] | None:
    """Return the names of a frame's columns, as scikit-learn understands them.

    None if no name is a text, as with the numbers that pandas gives.
    """
    _refuse_lazy(X)
    names = X.schema.names if isinstance(X, (pa.Table, pa.RecordBatch)) else list(X.columns)
    others = [name for name in names if not isinstance(name, str)]
    if names and len(others) == len(names):
        return None
    if others:
        raise TypeError(
            f"The columns of X must all be named by texts, or none of them: {listed(others)} "
            f"{'is' if len(others) == 1 else 'are'} no text. Make texts of all names: "
            f"X.columns = X.columns.astype(str)"
        )
    repeated = {name: n for name, n in Counter(names).items() if n > 1}
    if repeated:
        shown = some_of(f"{name!r} ({n} times)" for name, n in repeated.items())
        raise ValueError(
            f"X has columns of the same name: {shown}. Rename them, so that each name is there "
            f"once."
        )
    return tuple(map(str, names))


def arrow_columns(
    X: Any, places: Sequence[int] | None = None
) -> tuple[tuple[str, ...], list[pa.ChunkedArray]]:
    """Return the columns of a frame as Arrow columns, with their names.

    Types are kept as far as Arrow has them: categories are dictionaries (ordered ones too), dates
    keep their time zone, sparse columns are dense. A column of Python objects becomes one of
    numbers if all its values are, one of another type of Arrow if they fit it, and else text. What
    the frame calls missing is null: None, NaN among objects, NaT and `pandas.NA`; NaN in a column
    of floats stays as it is. Columns without a name are "x0", "x1" and so on.
    """
    if not is_frame(X):
        raise TypeError(
            f"X must be a table of pandas, polars or Arrow, got a {type(X).__name__}. Put arrays "
            f"into one, as with pandas.DataFrame(X)."
        )
    names = frame_names(X)
    places = range(_n_columns(X)) if places is None else places
    found = tuple(f"x{place}" if names is None else names[place] for place in places)
    if _is_pandas(X):
        columns = [_pandas_column(X.iloc[:, place], found[i]) for i, place in enumerate(places)]
    else:
        table = take_columns(X, places)
        columns = (_polars_as_arrow(table) if _is_polars(X) else table).columns
    return found, [_simple(column) for column in columns]


def take_columns(X: Any, indices: ArrayLike) -> Any:
    """Return some columns of a table, as a table of the same kind.

    Types, categories and the index of the rows stay as they were.
    """
    _refuse_lazy(X)
    if not is_frame(X) and not hasattr(X, "shape"):
        X = np.asarray(X)
    if len(X.shape) != 2:
        raise ValueError(f"X must have rows and columns, got the shape {tuple(X.shape)}.")
    places = _checked_places(indices, _n_columns(X))
    if _is_pandas(X):
        return X.iloc[:, places]
    if _is_polars(X):
        return X.select([X.columns[place] for place in places])
    if is_frame(X):
        return X.select(places)
    if hasattr(X, "asformat") and hasattr(X, "tocsc"):
        # Some formats of scipy have no columns to take.
        return X.tocsc()[:, places].asformat(X.format)
    return X[:, places]


def _checked_places(indices: ArrayLike, n_columns: int) -> list[int]:
    places = np.asarray(indices)
    if places.ndim != 1 or (places.dtype.kind not in "iu" and len(places)):
        raise TypeError(
            f"indices must be whole numbers in one dimension, got {places.dtype} in "
            f"{places.ndim} dimensions. Make numbers of a mask with numpy.flatnonzero."
        )
    found: list[int] = places.tolist()
    odd = [place for place in found if not 0 <= place < n_columns]
    if odd:
        raise ValueError(
            f"X has the columns 0 to {n_columns - 1}, and {listed(odd)} "
            f"{'is' if len(odd) == 1 else 'are'} none of them."
        )
    return found


def _n_columns(X: Any) -> int:
    return int(X.shape[1])


def _is_pandas(X: object) -> bool:
    pandas = sys.modules.get("pandas")
    return pandas is not None and isinstance(X, pandas.DataFrame)


def _is_polars(X: object) -> bool:
    polars = sys.modules.get("polars")
    return polars is not None and isinstance(X, (polars.DataFrame, polars.LazyFrame))


def _refuse_lazy(X: object) -> None:
    if _is_polars(X) and not hasattr(X, "to_arrow"):
        raise TypeError(
            "X is a lazy frame of polars, whose values are not there yet. Collect it first: "
            "X.collect()"
        )


def _simple(column: Any) -> pa.ChunkedArray:
    """Return a column in pieces, of a type that pyarrow computes with."""
    pieces = column.chunks if isinstance(column, pa.ChunkedArray) else [column]
    kind = column.type
    if isinstance(kind, pa.BaseExtensionType):
        pieces, kind = [piece.storage for piece in pieces], kind.storage_type
    if types.is_run_end_encoded(kind):
        pieces, kind = [pc.run_end_decode(piece) for piece in pieces], kind.value_type
    return pa.chunked_array(pieces, kind)


def _polars_as_arrow(frame: Any) -> pa.Table:
    # Of whole numbers with 128 bits Arrow has none.
    wide = {one for one in set(frame.dtypes) if str(one) in {"Int128", "UInt128"}}
    if wide:
        frame = frame.cast(dict.fromkeys(wide, sys.modules["polars"].Float64))
    return frame.to_arrow()


# -- pandas ----------------------------------------------------------------------------------------


def _pandas_column(series: Any, name: str) -> Any:
    """Return a column of pandas as an Arrow array."""
    pandas = sys.modules["pandas"]
    dtype = series.dtype
    if isinstance(dtype, np.dtype):
        return array_column(series.to_numpy(), name)
    if isinstance(dtype, pandas.SparseDtype):
        return array_column(series.sparse.to_dense().to_numpy(), name)
    if isinstance(dtype, pandas.CategoricalDtype):
        return _pandas_categories(series, name)
    if isinstance(dtype, pandas.PeriodDtype):
        series = series.dt.to_timestamp()
    try:
        column = pa.Array.from_pandas(series)
    except (pa.ArrowException, TypeError, ValueError):
        return _objects(series.astype(object).to_numpy(), name)
    if isinstance(column, pa.ChunkedArray):
        column = column.combine_chunks()
    # Such as intervals, which are best known by how they are written.
    is_strange = isinstance(column.type, pa.BaseExtensionType)
    return _texts(series.astype(object).to_numpy()) if is_strange else column


def _pandas_categories(series: Any, name: str) -> Any:
    categories = series.cat.categories
    words = _pandas_column(categories.to_series(), name)
    if not is_text(words.type) and not is_number(words.type) and not is_date(words.type):
        words = _texts(categories.astype(object).to_numpy())
    codes = series.cat.codes.to_numpy()
    return pa.DictionaryArray.from_arrays(
        pa.array(codes, mask=codes < 0), words, ordered=bool(series.cat.ordered)
    )


# -- arrays and objects ----------------------------------------------------------------------------


def array_column(values: Array, name: str) -> Any:
    """Return a one-dimensional array of numpy as an Arrow array."""
    kind, size = values.dtype.kind, values.dtype.itemsize
    if kind == "O":
        return _objects(values, name)
    if kind == "c":
        raise _complex_numbers(name)
    if kind == "f" and size > 8:
        values = values.astype(np.float64)
    elif kind in "mM" and np.datetime_data(values.dtype)[0] not in {"s", "ms", "us", "ns"}:
        values = values.astype(f"{kind}8[us]")  # of other units Arrow has none, or dates only
    elif not values.dtype.isnative:
        values = values.astype(values.dtype.newbyteorder("="))
    return pa.array(values)


def _objects(values: Array, name: str) -> Any:
    """Return Python objects as numbers, as another type that they fit, or else as text."""
    try:
        return pa.array(values, from_pandas=True)
    except (pa.ArrowException, ArithmeticError, TypeError, ValueError):
        is_gap = _gaps(values)
    present = values[~is_gap].tolist()
    if any(isinstance(v, numbers.Complex) and not isinstance(v, numbers.Real) for v in present):
        raise _complex_numbers(name)
    if all(isinstance(value, (numbers.Real, Decimal, np.bool_)) for value in present):
        try:
            found = np.full(len(values), np.nan)
            found[~is_gap] = [float(value) for value in present]
            return pa.array(found, from_pandas=True)
        except OverflowError:
            pass  # so large that they are rather ids
    return _texts(values)


def _texts(values: Array) -> Any:
    """Return objects as text, null where one is missing."""
    pairs = zip(values.tolist(), _gaps(values).tolist(), strict=True)
    texts = [None if is_gap else _written(value) for value, is_gap in pairs]
    return pa.array(texts, pa.large_string())


def _written(value: object) -> str:
    """Return an object as text, numbers as Arrow writes those of a column."""
    if isinstance(value, (bool, np.bool_)):
        return str(bool(value)).lower()
    if isinstance(value, (float, np.floating)):
        number = float(value)
        value = int(number) if number.is_integer() and abs(number) < 1e15 else value
    # Halves of characters, which text of Arrow cannot have, are shown as escapes.
    return str(value).encode(errors="backslashreplace").decode()


def _gaps(values: Array) -> NDArray[np.bool_]:
    """Tell which objects stand for a missing value."""
    pandas = sys.modules.get("pandas")
    if pandas is not None:
        return np.asarray(pandas.isna(values), dtype=np.bool_)
    return np.array([value is None or _is_nan(value) for value in values], dtype=np.bool_)


def _is_nan(value: object) -> bool:
    # Nothing else is different from itself.
    kinds = (float, np.floating, np.datetime64, np.timedelta64, Decimal)
    return isinstance(value, kinds) and bool(value != value)  # noqa: PLR0124


def _complex_numbers(name: str) -> ValueError:
    return ValueError(
        f"Complex data not supported, and the column {name!r} has complex numbers. Make two "
        f"columns of it, of the real and the imaginary parts."
    )
