"""What is known of a data set before it is loaded, and a data set in memory."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Array = NDArray[Any]

SCALES = ("minmax", "standard")
CLASSIFICATION, REGRESSION = "classification", "regression"
TASKS = (CLASSIFICATION, REGRESSION, "survival")


class DatasetError(ValueError):
    """A data set is unknown, not there, damaged, or not what the catalogue expects.

    Examples
    --------
    >>> try:
    ...     raise DatasetError("There is no data set 'mnits'. Did you mean 'mnist'?")
    ... except ValueError as error:
    ...     print(error)
    There is no data set 'mnits'. Did you mean 'mnist'?
    """


@dataclass(frozen=True)
class Source:
    """A file on the net that a data set is made from.

    Attributes
    ----------
    url : str
        Its address.
    checksum : str or None
        "sha256:..." or "md5:..."; None where nobody has published one.
    published : str
        Who published the checksum.
    mirrors : tuple of str
        Further addresses, tried in turn if the first does not answer. A mirror of a file with a
        checksum has the same bytes.

    Examples
    --------
    >>> Source("https://example.org/files/digits.mat").file_name
    'digits.mat'
    """

    url: str
    checksum: str | None = None
    published: str = ""
    mirrors: tuple[str, ...] = ()

    @property
    def file_name(self) -> str:
        """What the file is called."""
        return self.url.rsplit("/", 1)[-1]


@dataclass(frozen=True)
class DatasetInfo:
    """One entry of the catalogue.

    Attributes
    ----------
    name : str
        What the benchmark and the command line call it.
    title : str
        What tables call it.
    domain : str
        Where the data are from.
    n_train : int
        Number of training samples; of all samples if there is no official test part.
    n_test : int or None
        Number of samples of the official test part.
    n_features, n_classes : int
        Its size.
    scale : {"minmax", "standard"}
        How the paper scales it.
    licence : str
        What its owners allow, or that they do not say.
    reference : str
        What to cite.
    sources : tuple of Source
        The files that it is made from.
    fingerprint : str or None
        Of the content, as `entryprune.data.fingerprint` makes it; None where it was never measured.
    image_shape : tuple of int or None
        How the features of a sample are laid out, channels first.
    is_papers : bool
        Whether it is one of the 13 sets of the paper.
    is_embedded : bool
        Whether it comes with scikit-learn.
    file_format : str
        How the sources are read; empty if they cannot be.
    subset : str
        What part of a data set it is; empty for all of it.
    n_relevant : int or None
        How many features are known to matter; None where nobody knows.

    Examples
    --------
    >>> info = DatasetInfo("tiny", "Tiny", "toy", n_train=8, n_test=2, n_features=9, n_classes=2)
    >>> info.n_cases, info.is_long
    (10, True)
    """

    name: str
    title: str
    domain: str
    n_train: int
    n_test: int | None
    n_features: int
    n_classes: int
    scale: str = "minmax"
    licence: str = ""
    reference: str = ""
    sources: tuple[Source, ...] = ()
    fingerprint: str | None = None
    image_shape: tuple[int, ...] | None = None
    is_papers: bool = False
    is_embedded: bool = False
    file_format: str = ""
    subset: str = ""
    n_relevant: int | None = None

    @property
    def n_cases(self) -> int:
        """Number of all samples, training and test together."""
        return self.n_train + (self.n_test or 0)

    @property
    def split(self) -> str:
        """The official split, or how the paper splits it."""
        return "80/20, seed 42" if self.n_test is None else "official"

    @property
    def is_long(self) -> bool:
        """Whether there are more samples than features."""
        return self.n_cases > self.n_features


# Booleans, integers and floating-point numbers, as numpy calls their kinds.
_NUMBERS = "buif"


# Arrays have no single answer to "are you equal", so neither has a data set.
@dataclass(frozen=True, eq=False)
class Dataset:
    """Samples, their classes, and what to call them.

    Attributes
    ----------
    name : str
        What the benchmark and the command line call it.
    title : str
        What tables call it.
    X : ndarray of shape (n_samples, n_features)
        The samples, or the training samples if there is an official test part. The values are as
        stored; they are to be scaled before use. A user's own table may be sparse or a frame.
    y : ndarray of shape (n_samples,) or (n_samples, n_outputs)
        Their classes or quantities; of survival the times and the events.
    X_test, y_test : ndarray or None
        The official test part.
    scale : {"minmax", "standard"}
        How to scale it.
    subset : str
        What part of a data set it is, as in "3,119 of 7,797 samples"; empty for all of it.
    feature_names : tuple of str or None
        The columns' names.
    image_shape : tuple of int or None
        How the features of a sample are laid out, channels first.
    origin : str
        Where it came from.
    relevant : tuple of int or None
        The columns that are known to matter; None where nobody knows.
    task : {"classification", "regression", "survival"}
        What y holds.
    about : dict of str to ndarray
        What else there is to know of each sample, by the name that a selector's `fit` has for it,
        such as sample_weight.

    Examples
    --------
    >>> import numpy as np
    >>> Dataset("toy", "Toy", X=np.eye(4), y=np.array([0, 1, 0, 1])).shape
    Shape(n_train=4, n_test=None, n_features=4, n_classes=2)
    >>> Dataset("toy", "Toy", X=np.eye(4), y=np.array([0, 1]))
    Traceback (most recent call last):
    entryprune.data.dataset.DatasetError: toy: X has 4 rows and y 2 values. Each row needs one.
    """

    name: str
    title: str
    X: Array = field(repr=False)
    y: Array = field(repr=False)
    X_test: Array | None = field(default=None, repr=False)
    y_test: Array | None = field(default=None, repr=False)
    scale: str = "minmax"
    subset: str = ""
    feature_names: tuple[str, ...] | None = field(default=None, repr=False)
    image_shape: tuple[int, ...] | None = None
    origin: str = ""
    relevant: tuple[int, ...] | None = field(default=None, repr=False)
    task: str = CLASSIFICATION
    about: Mapping[str, Array] = field(default_factory=dict, repr=False)

    def __post_init__(self) -> None:
        _check_part(self.name, "X", self.X, "y", self.y)
        if self.X_test is None or self.y_test is None:
            if self.X_test is not self.y_test:
                raise DatasetError(
                    f"{self.name}: X_test and y_test come together. Give both or neither."
                )
        else:
            _check_part(self.name, "X_test", self.X_test, "y_test", self.y_test)
            if self.X.shape[1] != self.X_test.shape[1]:
                raise DatasetError(
                    f"{self.name}: X has {self.X.shape[1]} columns and X_test "
                    f"{self.X_test.shape[1]}. They must have the same ones."
                )
        if self.feature_names is not None and len(self.feature_names) != self.X.shape[1]:
            raise DatasetError(
                f"{self.name}: there are {len(self.feature_names)} feature_names for "
                f"{self.X.shape[1]} columns. Each column needs one."
            )
        n_columns = self.X.shape[1]
        if not all(0 <= column < n_columns for column in self.relevant or ()):
            raise DatasetError(
                f"{self.name}: relevant must name columns from 0 to {n_columns - 1}; got "
                f"{self.relevant}."
            )
        if self.task not in TASKS:
            raise DatasetError(
                f"{self.name}: task must be one of {', '.join(TASKS)}; got {self.task!r}."
            )
        check_scale(self.name, self.scale)

    @property
    def shape(self) -> Shape:
        """Its size."""
        import numpy as np

        parts = [self.y] if self.y_test is None else [self.y, self.y_test]
        return Shape(
            n_train=len(self.y),
            n_test=None if self.y_test is None else len(self.y_test),
            n_features=self.X.shape[1],
            n_classes=len(np.unique(np.concatenate(parts))),
        )


@dataclass(frozen=True)
class Shape:
    """The size of a data set; `n_train` counts all samples if there is no test part."""

    n_train: int
    n_test: int | None
    n_features: int
    n_classes: int

    @property
    def n_cases(self) -> int:
        """Number of all samples, training and test together."""
        return self.n_train + (self.n_test or 0)


def from_arrays(
    name: str, X: Any, y: Any, X_test: Any = None, y_test: Any = None, **details: Any
) -> Dataset:
    """Make a data set of whatever can be turned into arrays."""
    details.setdefault("title", name)
    columns = getattr(X, "columns", None)
    if columns is not None and details.get("feature_names") is None:
        details["feature_names"] = tuple(str(column) for column in columns)
    return Dataset(
        name,
        X=_table(X),
        y=_labels(y),
        X_test=None if X_test is None else _table(X_test),
        y_test=None if y_test is None else _labels(y_test),
        **details,
    )


def check_scale(name: str, scale: str) -> None:
    """Refuse a scaling that nobody knows."""
    if scale not in SCALES:
        raise DatasetError(f"{name}: scale must be one of {', '.join(SCALES)}; got {scale!r}.")


def _table(X: Any) -> Array:
    import numpy as np

    return np.asarray(X.toarray() if hasattr(X, "toarray") else X)


def _labels(y: Any) -> Array:
    import numpy as np

    labels = np.asarray(y)
    is_column = labels.ndim == 2 and labels.shape[1] == 1
    return labels.ravel() if is_column else labels


def _check_part(name: str, X_name: str, X: Any, y_name: str, y: Any) -> None:
    import numpy as np

    if hasattr(X, "tocsr") or hasattr(X, "columns"):
        # Sparse matrices and frames are those of users, who have been asked already.
        _check_rows(name, X_name, X, y_name, y)
        return
    for what, values, allowed in ((X_name, X, (2,)), (y_name, y, (1, 2))):
        if not isinstance(values, np.ndarray) or values.ndim not in allowed:
            got, n_dimensions = getattr(values, "shape", None), " or ".join(map(str, allowed))
            raise DatasetError(
                f"{name}: {what} must be a numpy array with {n_dimensions} dimension(s); got "
                f"{type(values).__name__}{'' if got is None else f' of shape {got}'}."
            )
    if X.dtype.kind not in _NUMBERS:
        raise DatasetError(
            f"{name}: {X_name} must hold numbers; got {X.dtype}. Encode categories as numbers."
        )
    if X.size == 0:
        raise DatasetError(f"{name}: {X_name} is empty, its shape is {X.shape}.")
    _check_rows(name, X_name, X, y_name, y)


def _check_rows(name: str, X_name: str, X: Any, y_name: str, y: Any) -> None:
    n_rows = X.shape[0]
    if n_rows != len(y):
        raise DatasetError(
            f"{name}: {X_name} has {n_rows} rows and {y_name} {len(y)} values. Each row needs one."
        )


_LEVELS = 10_000
# Values converted at a time, so that MNIST does not need gigabytes.
_BLOCK = 2**21


def fingerprint(dataset: Dataset) -> str:
    """Return the SHA-256 of a data set's content, however it is stored.

    The values are first mapped to the levels 0 to 10,000 between the smallest and the largest of
    the whole data set. So copies that differ only in how they are encoded have the same
    fingerprint: grey values in [-1, 1] or as integers from 0 to 2,000, classes 0 to 9 or 1 to 10.
    The order of rows and columns counts; names do not.

    Hashed are, all as 64-bit little-endian integers: the levels of X, those of X_test, the classes
    of y and of y_test as numbers in the order of the sorted labels, the shapes of X and of X_test.
    A value that is not finite has the level -1.

    Parameters
    ----------
    dataset : Dataset
        Whose content.

    Returns
    -------
    str
        "sha256:" and 64 hexadecimal digits.

    Examples
    --------
    >>> import numpy as np
    >>> from entryprune.data import Dataset
    >>> a = Dataset("a", "A", X=np.array([[0, 5], [10, 20]]), y=np.array([0, 1]))
    >>> b = Dataset("b", "B", X=np.array([[-1, -0.5], [0, 1]]), y=np.array(["no", "yes"]))
    >>> fingerprint(a) == fingerprint(b)
    True
    """
    import numpy as np

    tables = [dataset.X] if dataset.X_test is None else [dataset.X, dataset.X_test]
    labels = [dataset.y] if dataset.y_test is None else [dataset.y, dataset.y_test]
    low, high = _range(tables)
    digest = hashlib.sha256()
    for block in _blocks(tables):
        is_finite = np.isfinite(block)
        filled = np.where(is_finite, block, low)
        levels = np.rint((filled - low) * (_LEVELS / (high - low) if high > low else 0.0))
        digest.update(np.where(is_finite, levels, -1).astype("<i8").tobytes())
    classes = np.unique(np.concatenate(labels), return_inverse=True)[1]
    digest.update(classes.astype("<i8").tobytes())
    for table in tables:
        digest.update(np.array(table.shape, dtype="<i8").tobytes())
    return f"sha256:{digest.hexdigest()}"


def _range(tables: list[NDArray[Any]]) -> tuple[float, float]:
    import numpy as np

    low, high = float("inf"), float("-inf")
    for block in _blocks(tables):
        finite = block[np.isfinite(block)]
        if finite.size:
            low, high = min(low, float(finite.min())), max(high, float(finite.max()))
    return (low, high) if low <= high else (0.0, 0.0)


def _blocks(tables: list[NDArray[Any]]) -> Iterator[NDArray[Any]]:
    import numpy as np

    for table in tables:
        n_rows = max(1, _BLOCK // table.shape[1])
        for start in range(0, len(table), n_rows):
            yield np.ascontiguousarray(table[start : start + n_rows], dtype=np.float64)
