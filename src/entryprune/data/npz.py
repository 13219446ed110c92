"""Read, peek into and write .npz files. Nothing is ever unpickled: a pickle can run any code."""

from __future__ import annotations

import zipfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from entryprune.data.dataset import Dataset, Shape, from_arrays
from entryprune.data.errors import DatasetError

_NEEDED = ("X", "y")
_KNOWN = (*_NEEDED, "X_test", "y_test", "feature_names", "origin", "orig_index")


def read_npz(path: Path, **details: Any) -> Dataset:
    """Read a data set from a file.

    Examples
    --------
    >>> import tempfile, numpy as np
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder, "toy.npz")
    ...     np.savez(path, X=np.eye(3), y=[0, 1, 1])
    ...     read_npz(path, title="A toy")
    Dataset(name='toy', title='A toy', scale='minmax', subset='', image_shape=None, origin='...')
    """
    with _opened(path) as file:
        arrays = {name: file[name] for name in _KNOWN if name in file.files}
    source = str(arrays.pop("origin", details.pop("source", "")))
    details.setdefault("origin", f"{path} ({source})" if source else str(path))
    if "feature_names" in arrays:
        details["feature_names"] = tuple(str(name) for name in arrays.pop("feature_names"))
    name = details.pop("name", path.stem)
    try:
        _put_in_order(arrays)
        return from_arrays(name, **arrays, **details)
    except DatasetError as error:
        raise DatasetError(f"{path} cannot be used. {error}") from error


def shape_in(path: Path) -> Shape:
    """Return the size of the data set in a file without reading its values.

    Examples
    --------
    >>> import tempfile, numpy as np
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder, "toy.npz")
    ...     np.savez(path, X=np.eye(3), y=[0, 1, 1])
    ...     shape_in(path)
    Shape(n_train=3, n_test=None, n_features=3, n_classes=2)
    """
    import numpy as np

    with _opened(path) as file:
        labels = [np.ravel(file[name]) for name in ("y", "y_test") if name in file.files]
        n_features = _n_columns(path)
    return Shape(
        n_train=len(labels[0]),
        n_test=len(labels[1]) if len(labels) > 1 else None,
        n_features=n_features,
        n_classes=len(np.unique(np.concatenate(labels))),
    )


def write_npz(path: Path, dataset: Dataset) -> None:
    """Write a data set to a file that `read_npz` reads.

    Examples
    --------
    >>> import tempfile, numpy as np
    >>> toy = Dataset("toy", "Toy", X=np.eye(3), y=np.array([0, 1, 1]), origin="made up")
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     write_npz(Path(folder, "toy.npz"), toy)
    ...     read_npz(Path(folder, "toy.npz")).origin
    '...toy.npz (made up)'
    """
    import numpy as np

    names = None if dataset.feature_names is None else np.array(dataset.feature_names)
    arrays: dict[str, Any] = {
        "X": dataset.X,
        "y": dataset.y,
        "X_test": dataset.X_test,
        "y_test": dataset.y_test,
        "feature_names": names,
        "origin": np.array(dataset.origin) if dataset.origin else None,
    }
    there = {name: array for name, array in arrays.items() if array is not None}
    np.savez_compressed(path, **there)


def _put_in_order(arrays: dict[str, Any]) -> None:
    """Put the rows of X and y where orig_index, if it is there, says that they stood."""
    import numpy as np

    places = arrays.pop("orig_index", None)
    if places is None:
        return
    n_rows = len(arrays["X"])
    if places.shape != (n_rows,) or len(np.unique(places)) != n_rows:
        raise DatasetError(
            f"orig_index must have a number of its own for each of the {n_rows} rows of X; got "
            f"{len(np.unique(places))} different ones in the shape {places.shape}. Mend it, or "
            f"leave it out."
        )
    if len(arrays["y"]) == n_rows:  # or it is an error that is told of elsewhere
        order = np.argsort(places)
        arrays["X"], arrays["y"] = arrays["X"][order], arrays["y"][order]


@contextmanager
def _opened(path: Path) -> Iterator[Any]:
    """Open a file whose X and y are there; say what is wrong with it if it cannot be read."""
    import numpy as np

    if not path.is_file():
        raise DatasetError(f"There is no file {path}. Give the path of an .npz file.")
    if not zipfile.is_zipfile(path):
        raise DatasetError(
            f"{path} is not a complete .npz file: it is no zip archive, or was cut short. Save "
            f"one with numpy.savez({path.name!r}, X=X, y=y)."
        )
    try:
        with np.load(path, allow_pickle=False) as file:
            missing = [name for name in _NEEDED if name not in file.files]
            if missing:
                raise DatasetError(
                    f"{path} has no {' and no '.join(missing)}; it has "
                    f"{', '.join(file.files) or 'nothing'}. Save the samples as X and their "
                    f"classes as y: numpy.savez({path.name!r}, X=X, y=y)."
                )
            yield file
    except DatasetError:
        raise
    except (zipfile.BadZipFile, zlib.error, EOFError, KeyError, OSError, ValueError) as error:
        if "allow_pickle" in str(error):
            raise DatasetError(
                f"{path} holds pickled objects, which are never read because they can run any "
                f"code. Save plain arrays: X of numbers, y of numbers or strings (y.astype(str))."
            ) from error
        raise DatasetError(
            f"{path} is damaged or cannot be read ({error}). Replace it, or remove it."
        ) from error


def _n_columns(path: Path) -> int:
    """Return how many columns X has, from its header."""
    from numpy.lib import format as npy

    with zipfile.ZipFile(path) as archive, archive.open("X.npy") as file:
        major = npy.read_magic(file)[0]
        read = npy.read_array_header_1_0 if major == 1 else npy.read_array_header_2_0
        shape = read(file)[0]
    if len(shape) != 2:
        raise ValueError(f"X has the shape {shape}, not two dimensions")
    return int(shape[1])
