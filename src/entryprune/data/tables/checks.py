"""What is asked for must fit together, and fit the format."""

from __future__ import annotations

from entryprune.data.errors import DatasetError
from entryprune.data.tables.formats import check_content, check_file, format_of
from entryprune.data.tables.request import TableRequest

_WITH_ARRAYS = ("npz", "mat", "h5ad")
_WITH_HEADER = ("csv", "tsv")
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
        ("--header", _WITH_HEADER, request.header is not None and found not in _WITH_HEADER),
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
    check_content(path, found)
    return found
