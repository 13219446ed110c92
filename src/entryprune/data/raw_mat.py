"""Read scikit-feature's MATLAB files: cases as X, classes as Y."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from numpy.typing import NDArray


def read_mat_set(files: Sequence[Path]) -> dict[str, NDArray[Any]]:
    """Read the variables X and Y of a file, whether X is stored sparse or not.

    Examples
    --------
    >>> import tempfile, scipy.io
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder, "toy.mat")
    ...     scipy.io.savemat(path, {"X": [[1, 2], [3, 4]], "Y": [[1], [2]]})
    ...     read_mat_set([path])["y"].tolist()
    [1, 2]
    """
    from scipy.io import loadmat

    (path,) = files
    content = loadmat(path, variable_names=["X", "Y"])
    missing = [name for name in ("X", "Y") if name not in content]
    if missing:
        raise ValueError(f"it has no variable {' and no '.join(missing)}")
    X = content["X"]
    return {"X": X.toarray() if hasattr(X, "toarray") else X, "y": content["Y"].ravel()}
