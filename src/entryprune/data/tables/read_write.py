"""Read any table, and write one with fewer columns."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from entryprune._files import written_aside
from entryprune.data.errors import DatasetError
from entryprune.data.tables.csv_text import checked_header
from entryprune.data.tables.errors import memory_explained
from entryprune.data.tables.formats import format_by_name, read_file, table_file, write_file
from entryprune.data.tables.request import TableRequest, UserTable, as_request


def read_table(request: TableRequest | Path | str) -> UserTable:
    r"""Read a table of samples and features.

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
        another number than the samples; if no column has numbers; if it would not fit into memory.
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
    with memory_explained(request.path):
        file = table_file(request)
        header = None
        if file.dialect is not None and not request.transpose:
            header = checked_header(request, file.dialect)

        # Only now: these import numpy, and most of what is wrong is told without it.
        from entryprune.data.tables.assemble import assemble
        from entryprune.data.tables.label_file import expecting_ids, look_at_labels

        labels_start = look_at_labels(request)
        if file.dialect is not None:
            file = file._replace(request=expecting_ids(request, labels_start))
        table = read_file(file, header)
        return assemble(request, table, file.format, labels_start)


def write_columns(
    request: TableRequest | Path | str, names: Sequence[str], destination: Path | str
) -> None:
    r"""Write some columns of a table to a new file, in the format that it came in.

    The values, their types and the order are those of the original. The columns of the labels and
    the ids are kept too, if the request names them and the table has them; so are other arrays of
    an .npz file and all that an .h5ad file says of the cells. The columns of an .npy file have no
    names, so they are numbered anew. Of a MATLAB file, only the table, its columns' names, the
    labels and the ids are written. The columns of a LIBSVM file keep their numbers, so those left
    out read as zeros.

    Parameters
    ----------
    request : TableRequest, Path or str
        The table, as it was read.
    names : sequence of str
        The features to keep, as `UserTable.feature_names` has them.
    destination : Path or str
        Where to write. It is compressed if its name ends with .gz. One that is there is replaced,
        and only once all is written.

    Raises
    ------
    DatasetError
        If a name is not in the table, if the destination is the table itself or has the ending of
        another format, or if it cannot be written to.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path, new = Path(folder, "flowers.csv"), Path(folder, "reduced.csv")
    ...     _ = path.write_text("name,width,length,kind\nx,0.20,1.4,a\ny,1.30,4.0,b\n")
    ...     write_columns(TableRequest(path, target="kind"), ["width"], new)
    ...     new.read_text()
    'width,kind\n0.20,a\n1.30,b\n'
    """
    request, destination = as_request(request), Path(destination)
    file = table_file(request)
    if not names:
        raise DatasetError("No columns to keep were named. Name at least one.")
    _check_destination(request.path, destination, file.format)
    try:
        with memory_explained(request.path), written_aside(destination) as partial:
            write_file(file, tuple(names), partial)
    except OSError as error:
        raise DatasetError(str(error)) from error


def check_destination(request: TableRequest | Path | str, destination: Path) -> None:
    """Refuse a place for a reduced table before any work is done.

    Parameters
    ----------
    request : TableRequest, Path or str
        The table.
    destination : Path
        Where the reduced one is to be.

    Raises
    ------
    DatasetError
        If it is the table itself, or has the ending of another format.
    """
    request = as_request(request)
    _check_destination(request.path, destination, table_file(request).format)


def _check_destination(path: Path, destination: Path, format_name: str) -> None:
    if destination.exists() and destination.samefile(path):
        raise DatasetError(
            f"{destination} is the table itself, which is never overwritten. Choose another name."
        )
    named = format_by_name(destination)
    if named not in (None, format_name):
        raise DatasetError(
            f"The reduced table has the format of the original, {format_name}; the name "
            f"{destination.name!r} says {named}. Choose a name that ends like {path.name!r}."
        )
