"""Columns that should hardly be features, in any kind of table."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Literal

from entryprune.report.statistics import guess_task
from entryprune.reporting._facts import suspects_in, table_of

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

    from entryprune.report.checks import Suspect


def find_suspects(
    X: ArrayLike,
    y: ArrayLike,
    *,
    feature_names: Sequence[str] | None = None,
    task: Literal["auto", "classification", "regression"] = "auto",
) -> list[Suspect]:
    """Find columns that should hardly be features: leaks, ids, running numbers, the file's order.

    Each of them can pass for the best feature of all, so look before you select. A column is
    returned only where chance over all columns does not explain its look.

    Parameters
    ----------
    X : array, sparse matrix or table of shape (n_samples, n_features)
        The table, with the samples in the order of the file.
    y : array-like of shape (n_samples,)
        Classes or quantities.
    feature_names : sequence of str, optional
        Names of the columns; by default those of a data frame, or ``x0``, ``x1`` and so on. A name
        such as ``patient_id`` helps to tell ids from quantities.
    task : {"auto", "classification", "regression"}, default="auto"
        What kind of target y is; by default as it looks.

    Returns
    -------
    suspects : list of Suspect
        Each with ``name``, ``column`` (from 0), ``kind`` and ``reason``, in the order of the
        columns. The kinds: "copy" (the target in other words), "separator" (tells all classes apart
        alone: a leak, or a very good marker), "running number" (a constant step from sample to
        sample), "id" (a whole number or text of its own for each sample) and "order" (never falls,
        or never rises, from one sample to the next).

    Raises
    ------
    ValueError
        If X is no table, or y or the names do not fit it.

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> from entryprune import find_suspects
    >>> X, y = load_wine(return_X_y=True, as_frame=True)
    >>> find_suspects(X, y)
    []
    >>> X["row"], X["cultivar_code"] = range(len(X)), y.map({0: 30, 1: 10, 2: 20})
    >>> for suspect in find_suspects(X, y):
    ...     print(f"{suspect.name}: {suspect.reason}")
    row: counts the samples (0, 1, 2, ...), and gives the target away because the samples are
    sorted by the target
    cultivar_code: has one value for each class
    """
    from entryprune.encoding.views import encoder_of

    values, labels, names, _ = table_of(X, y, feature_names, None)
    kind = guess_task(labels) if task == "auto" else task
    return suspects_in(values, encoder_of(values), labels, names, kind)
