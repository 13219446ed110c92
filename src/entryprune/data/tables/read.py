"""Read any table."""

from __future__ import annotations

from pathlib import Path

from entryprune.data.tables.checks import checked_format
from entryprune.data.tables.formats import DELIMITED
from entryprune.data.tables.header import check_header
from entryprune.data.tables.request import TableRequest, UserTable, as_request


def read_table(request: TableRequest | Path | str) -> UserTable:
    r"""Read a table of cases and features.

    Parameters
    ----------
    request : TableRequest, Path or str
        What to read, and what is what in it; a path alone has neither labels nor ids.

    Returns
    -------
    UserTable
        The columns of numbers as features, under the names that they have in the file. What is
        left out, guessed or converted is said in it.

    Raises
    ------
    DatasetError
        If there is no such file, its content is not of its format, or what is asked for is not in
        it; if rows have different lengths, names are there twice, labels are missing or of
        another number than the cases; if no column has numbers; if it would not fit into memory.
        Pickled objects are never read.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder, "flowers.csv")
    ...     _ = path.write_text("name,width,length,kind\nx,0.2,1.4,a\ny,1.3,4.0,b\n")
    ...     table = read_table(TableRequest(path, target="kind", id_column="name"))
    >>> table.feature_names, table.X.tolist(), table.y.tolist(), table.ids
    (('width', 'length'), [[0.2, 1.4], [1.3, 4.0]], ['a', 'b'], ('x', 'y'))
    """
    request = as_request(request)
    found = checked_format(request)
    is_text = found in DELIMITED
    if is_text:
        check_header(request)

    # Only now: these import numpy, and most of what is wrong is told without it.
    from entryprune.data.tables.assemble import assemble
    from entryprune.data.tables.handlers import handler_of
    from entryprune.data.tables.labels import expecting_ids

    content = handler_of(found).read(expecting_ids(request) if is_text else request)
    return assemble(request, content, found)
