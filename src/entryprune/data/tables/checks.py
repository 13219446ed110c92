"""What is asked for must fit together, and fit the format."""

from __future__ import annotations

import re
from collections.abc import Sequence

from entryprune.data.errors import DatasetError
from entryprune.data.tables.formats import DELIMITED, check_content, check_file, format_of
from entryprune.data.tables.names import unknown_column
from entryprune.data.tables.request import TableRequest

_WITH_ARRAYS = ("npz", "mat", "h5ad")
LIBSVM_LABEL = "label"
_NUMBERED = re.compile(r"f\d+")
# These say themselves what is a case.
_NOT_TURNED = ("arff", "libsvm", "h5ad")


def checked_format(request: TableRequest) -> str:
    """Return the format of the file that is asked for, or say what is wrong with the request.

    Examples
    --------
    >>> from pathlib import Path
    >>> checked_format(TableRequest(Path(__file__), "csv"))
    'csv'
    >>> checked_format(TableRequest(Path(__file__), "csv", array="X"))
    Traceback (most recent call last):
    entryprune.data.errors.DatasetError: ...checks.py: --array is for npz, mat, h5ad, not for csv.
    Leave it out.
    """
    path = request.path
    check_file(path)
    found = format_of(path, request.format)
    wrong = [
        ("--array", _WITH_ARRAYS, request.array is not None and found not in _WITH_ARRAYS),
        ("--header", DELIMITED, request.header is not None and found not in DELIMITED),
    ]
    for option, formats, is_wrong in wrong:
        if is_wrong:
            raise DatasetError(
                f"{path}: {option} is for {', '.join(formats)}, not for {found}. Leave it out."
            )
    if request.transpose and found in _NOT_TURNED:
        raise DatasetError(
            f"{path}: the format {found} says itself what the cases are. Leave out --transpose."
        )
    if request.transpose and request.id_column is not None and request.target_file is None:
        raise DatasetError(
            f"{path}: with --transpose the header has the cases' ids. Leave out --id-column."
        )
    if found == "libsvm":
        _check_numbers(request)
    check_content(path, found)
    return found


def _check_numbers(request: TableRequest) -> None:
    """Refuse names that no column of a LIBSVM file can have."""
    in_table = [*request.drop]
    if request.target_file is None:
        in_table += [name for name in (request.target, request.id_column) if name is not None]
    for name in in_table:
        if name != LIBSVM_LABEL and not _NUMBERED.fullmatch(name):
            raise DatasetError(
                f"{request.path} has no column {name!r}: those of a LIBSVM file have no names and "
                f"are called f1, f2 and so on. Its labels are called {LIBSVM_LABEL!r}, and are the "
                f"target unless another is named."
            )


def check_asked(
    request: TableRequest,
    names: Sequence[str],
    labels: Sequence[str] = (),
    others: Sequence[str] = (),
    *,
    has_ids: bool = False,
) -> None:
    """Refuse a request for columns that a table does not have.

    Parameters
    ----------
    request : TableRequest
        What is asked for.
    names : sequence of str
        The columns.
    labels : sequence of str
        What the file has beside them: labels, ids.
    others : sequence of str
        What has been left out already, so may be asked to be.
    has_ids : bool
        Whether the cases have names that are no column: then the ids asked for may be those of the
        file of labels.

    Examples
    --------
    >>> from pathlib import Path
    >>> check_asked(TableRequest(Path("t.csv"), drop=("batsh",)), ["gene", "batch"])
    Traceback (most recent call last):
    entryprune.data.errors.DatasetError: t.csv has no column 'batsh' for what is to be left out. Did
    you mean 'batch'? It has 2 columns: 'gene', 'batch'.
    """
    ids, target = request.id_column, request.target
    if ids is not None and not (has_ids and request.target_file is not None):
        _check_there(request, ids, (*names, *labels), "the ids")
    if target is not None and request.target_file is None:
        _check_there(request, target, (*labels, *names), "the target")
    for name in request.drop:
        _check_there(request, name, (*names, *labels, *others), "what is to be left out")


def _check_there(request: TableRequest, name: str, known: Sequence[str], what: str) -> None:
    if name not in known:
        raise unknown_column(request.path, name, known, what)
