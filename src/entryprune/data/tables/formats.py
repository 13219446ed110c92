"""The way in and out: which format a file has, whether its first bytes agree, and who reads it."""

from __future__ import annotations

import difflib
import os
import re
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from entryprune._files import written_aside
from entryprune._text import listed, suggestion
from entryprune.data.dataset import DatasetError
from entryprune.data.tables.csv_text import (
    GZIP,
    N_START,
    Dialect,
    Header,
    TextStart,
    checked_encoding,
    checked_header,
    detect,
    look,
    opened,
)
from entryprune.data.tables.errors import memory_explained
from entryprune.data.tables.request import TableRequest, UserTable, as_request, several

if TYPE_CHECKING:
    from entryprune.data.tables.columns import Table


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
        from entryprune.data.tables.assemble import assemble, expecting_ids, look_at_labels

        labels_start = look_at_labels(request)
        if file.format in _WITH_HEADER:
            file = file._replace(request=expecting_ids(request, labels_start))
        table = read_file(file, header)
        return assemble(request, table, file.format, labels_start)


def write_columns(
    request: TableRequest | Path | str,
    names: Sequence[str],
    destination: Path | str,
    about: Mapping[str, Sequence[float]] | None = None,
) -> None:
    r"""Write some columns of a table to a new file, in the format that it came in.

    The values and their types are those of the original, the columns follow each other as they are
    named. The columns of the labels and the ids are kept where they are, if the request names them
    and the table has them; so are other arrays of an .npz file and all that an .h5ad file says of
    the cells. The columns of an .npy file have no
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
    about : mapping of sequence of float, optional
        What is known of these features, in the order of `names`: columns of an .h5ad file's
        var. Other formats have no place for it.

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
            if about and file.format == "h5ad":
                from entryprune.data.tables.hdf5 import tell_of_genes

                tell_of_genes(about, partial)
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


# -- which format ---------------------------------------------------------------------------------


def _also_zipped(*suffixes: str) -> tuple[str, ...]:
    return (*suffixes, *(f"{suffix}.gz" for suffix in suffixes))


# What HDF5 files begin with: .h5ad, and MATLAB 7.3 if it was not MATLAB that wrote them.
HDF5 = b"\x89HDF\r\n\x1a\n"
# What archives begin with, and what Excel wrote before 2007 and writes with a password.
_ZIP, _OLD_EXCEL = b"PK\x03\x04", b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"


class _Format(NamedTuple):
    """A format: the module with its `read_` and `write_`, and how files of it begin."""

    title: str
    endings: tuple[str, ...]
    home: str
    beginnings: tuple[bytes, ...] = ()
    is_text: bool = False
    has_arrays: bool = False  # of which one is the table
    has_samples: bool = False  # and says itself what they are


_FORMATS = {
    "csv": _Format("a CSV file", _also_zipped(".csv", ".txt"), "csv", is_text=True),
    "tsv": _Format("a TSV file", _also_zipped(".tsv", ".tab"), "csv", is_text=True),
    "parquet": _Format("a Parquet file", (".parquet", ".pq"), "parquet", (b"PAR1",)),
    "feather": _Format(
        "a Feather or Arrow file",
        (".feather", ".arrow", ".ipc"),
        "parquet",
        (b"ARROW1", b"FEA1", b"\xff\xff\xff\xff"),  # the last is a stream
    ),
    "xlsx": _Format("an Excel file", (".xlsx",), "excel", (_ZIP,), has_arrays=True),
    "npy": _Format("an .npy file", (".npy",), "arrays", (b"\x93NUMPY",)),
    "npz": _Format("an .npz file", (".npz",), "arrays", (_ZIP,), has_arrays=True),
    "mat": _Format("a MATLAB file", (".mat",), "matlab", (b"MATLAB",), has_arrays=True),
    "arff": _Format("an ARFF file", _also_zipped(".arff"), "arff", is_text=True, has_samples=True),
    "libsvm": _Format(
        "a LIBSVM file",
        _also_zipped(".libsvm", ".svm", ".svmlight"),
        "libsvm",
        is_text=True,
        has_samples=True,
    ),
    "h5ad": _Format(
        "an .h5ad file", (".h5ad",), "hdf5", (HDF5,), has_arrays=True, has_samples=True
    ),
}
FORMATS: dict[str, tuple[str, ...]] = {name: one.endings for name, one in _FORMATS.items()}
"""The formats that are read, each with the endings of its files' names."""

TITLES = {name: one.title for name, one in _FORMATS.items()}
DELIMITED = ("csv", "tsv")
_WITH_ARRAYS = tuple(name for name, one in _FORMATS.items() if one.has_arrays)
_TEXT = tuple(name for name, one in _FORMATS.items() if one.is_text)
_WITH_HEADER, _ENCODED = (*DELIMITED, "xlsx"), (*DELIMITED, "arff")
LIBSVM_LABEL = "label"
_NUMBERED = re.compile(r"f\d+")
_SPREADSHEETS = (".xls", ".xlsm", ".xlsb", ".ods", ".numbers")
_OLD_EXCEL_SAID = (
    "is a workbook of Excel before 2007 (.xls), or one with a password, and neither is read. Save "
    "it as .xlsx without a password, or the sheet as CSV, in the program that made it."
)
# Bytes that text does not have: all controls but tab, line ends, form feed and escape.
_CONTROLS = frozenset(range(32)) - frozenset(b"\t\n\v\f\r\x1b")


def format_of(path: Path, asked: str | None = None) -> str:
    """Return the format of a file, by what is asked for or by what its name ends with."""
    if asked is not None:
        return _asked_format(asked)
    found = format_by_name(path)
    if found is not None:
        return found
    known = ", ".join(
        f"{name} ({', '.join(end for end in ends if not end.endswith('.gz'))})"
        for name, ends in FORMATS.items()
    )
    if path.suffix.lower() in _SPREADSHEETS:
        cure = "Save the sheet as .xlsx or as CSV in the program that made it."
    else:
        cure = "If the file has one of these formats, name it with --format."
    is_there = path.suffix.lower() in _SPREADSHEETS and path.is_file()
    if is_there and first_bytes(path, len(_OLD_EXCEL)) == _OLD_EXCEL:
        raise DatasetError(f"{path} {_OLD_EXCEL_SAID}")
    what = f"the ending {path.suffix!r} is not known" if path.suffix else "the name has no ending"
    raise DatasetError(f"{path}: {what}. Known are {known}. {cure}")


def format_by_name(path: Path) -> str | None:
    """Return the format that a file's name ends with, or None."""
    name = path.name.lower()
    return next((fmt for fmt, ends in FORMATS.items() if name.endswith(ends)), None)


def check_file(path: Path) -> None:
    """Refuse a path at which no file with content is."""
    if path.is_dir():
        inside = sorted(entry.name for entry in path.iterdir() if format_by_name(entry))
        has = f" It has the tables {listed(inside)}." if inside else ""
        raise DatasetError(f"{path} is a folder, not a file.{has} Give the path of one table.")
    if not path.exists():
        if not path.parent.is_dir():
            raise DatasetError(f"There is no file {path}: there is no folder {path.parent}.")
        raise DatasetError(f"There is no file {path}.{_near_files(path)}")
    if not path.is_file():
        raise DatasetError(f"{path} is not a regular file. Save the table to a file first.")
    if not os.access(path, os.R_OK):
        raise DatasetError(f"{path} cannot be read: permission denied. Ask its owner for it.")
    if not path.stat().st_size:
        raise DatasetError(f"{path} is empty (0 bytes). Save the table again.")


def first_bytes(path: Path, n: int) -> bytes:
    """Return the beginning of a file as it is."""
    with path.open("rb") as file:
        return file.read(n)


def check_start(path: Path, format_name: str, start: bytes) -> None:
    """Refuse a file that begins like one of another format."""
    is_text = format_name in _TEXT
    likely = [name for name, one in _FORMATS.items() if start.startswith(one.beginnings)]
    if is_text and _is_text(start):
        return  # a column may well be called PAR1
    title = TITLES[format_name]
    if format_name in likely or ("h5ad" in likely and format_name == "mat"):
        return
    if start.startswith(_OLD_EXCEL):
        raise DatasetError(f"{path} {_OLD_EXCEL_SAID}")
    if likely:
        found = likely[0]
        raise DatasetError(
            f"{path} is not {title}: it looks like {TITLES[found]}. If it is, say --format {found}."
        )
    if is_text:
        raise DatasetError(
            f"{path} is not {title}: it is not text. Name its format with --format, its encoding "
            f"with --encoding (such as utf-16-le), or save it again."
        )
    # MATLAB's oldest format has no beginning of its own.
    if format_name != "mat" or _is_text(start):
        if start.startswith(GZIP):
            raise DatasetError(f"{path} is not {title}: it is compressed. Decompress it: gunzip.")
        if _is_text(start):
            raise DatasetError(
                f"{path} is not {title}: it looks like text. If it is one of the text formats, "
                f"name it with --format ({', '.join(_TEXT)})."
            )
        raise DatasetError(f"{path} is not {title}: it does not begin like one. Save it again.")


def _is_text(start: bytes) -> bool:
    return not _CONTROLS.intersection(start)


# -- what is asked for ----------------------------------------------------------------------------


class TableFile(NamedTuple):
    """A file that is there and begins as it should: its format and, of CSV and TSV, the dialect."""

    request: TableRequest
    format: str
    dialect: Dialect | None


def table_file(request: TableRequest) -> TableFile:
    """Look at the file that is asked for, and say what is wrong with it or with the request."""
    path = request.path
    check_file(path)
    found = format_of(path, request.format)
    wrong = [
        ("--array", _WITH_ARRAYS, request.array is not None and found not in _WITH_ARRAYS),
        ("--header", _WITH_HEADER, request.header is not None and found not in _WITH_HEADER),
        ("--decimal", DELIMITED, request.decimal is not None and found not in DELIMITED),
        ("--encoding", _ENCODED, request.encoding is not None and found not in _ENCODED),
    ]
    for option, formats, is_wrong in wrong:
        if is_wrong:
            raise DatasetError(
                f"{path}: {option} is for {', '.join(formats)}, not for {found}. Leave it out."
            )
    if request.transpose and _FORMATS[found].has_samples:
        raise DatasetError(
            f"{path}: the format {found} says itself what the samples are. Leave out --transpose."
        )
    if request.transpose and request.id_column is not None and request.target_file is None:
        raise DatasetError(
            f"{path}: with --transpose the header has the samples' ids. Leave out --id-column."
        )
    if found == "libsvm":
        _check_numbers(request)
    decimal = decimal_of(request)
    start = text_start(path, found, request.encoding)
    dialect = None if start is None else detect(start, delimiter_of(found), request.header, decimal)
    return TableFile(request, found, dialect)


def decimal_of(request: TableRequest) -> bytes:
    """Return what is before the fraction of a number."""
    if request.decimal not in (None, ".", ","):
        raise DatasetError(
            f"{request.path}: --decimal takes the sign before the fraction of a number, '.' or "
            f"','; got {request.decimal!r}."
        )
    return (request.decimal or ".").encode()


def text_start(path: Path, format_name: str, encoding: str | None = None) -> TextStart | None:
    """Refuse a file that begins like another format; return the first lines of CSV and TSV."""
    encoding = checked_encoding(path, encoding)
    if format_name in DELIMITED:
        return look(path, partial(check_start, path, format_name), encoding)
    if format_name in _TEXT:
        with opened(path, encoding) as file:
            check_start(path, format_name, file.read(N_START))
    else:
        check_start(path, format_name, first_bytes(path, N_START))
    return None


def delimiter_of(format_name: str) -> bytes | None:
    """Return what is between the values of a format, or None if that is to be guessed."""
    return b"\t" if format_name == "tsv" else None


def _check_numbers(request: TableRequest) -> None:
    """Refuse names that no column of a LIBSVM file can have."""
    in_table = several(request.drop, ())
    if request.target_file is None:
        in_table += [name for name in request.others(()) if name is not None]
    for name in in_table:
        if name != LIBSVM_LABEL and not _NUMBERED.fullmatch(name):
            raise DatasetError(
                f"{request.path} has no column {name!r}: those of a LIBSVM file have no names and "
                f"are called f1, f2 and so on. Its labels are called {LIBSVM_LABEL!r}, and are the "
                f"target unless another is named."
            )


# -- who reads and writes which format -------------------------------------------------------------


def read_file(file: TableFile, header: Header | None = None) -> Table:
    """Read what a file holds; of CSV and TSV, the header has been checked."""
    if file.dialect is not None:
        from entryprune.data.tables import csv

        return csv.read(file.request, file.dialect, header)
    table: Table = _function("read", file.format)(file.request)
    return table


def write_file(file: TableFile, names: Sequence[str], destination: Path) -> None:
    """Write some of a file's columns in its own format."""
    if file.dialect is not None:
        from entryprune.data.tables import csv

        csv.write(file.request, file.dialect, names, destination)
    else:
        _function("write", file.format)(file.request, names, destination)


def _function(what: str, format_name: str) -> Callable[..., Any]:
    """Import the module of a format, and only that one."""
    module = import_module(f"entryprune.data.tables.{_FORMATS[format_name].home}")
    function: Callable[..., Any] = getattr(module, f"{what}_{format_name}")
    return function


# -- names and files ------------------------------------------------------------------------------


def _asked_format(asked: str) -> str:
    name = asked.lower().lstrip(".")
    if name in FORMATS:
        return name
    for fmt, ends in FORMATS.items():
        if f".{name}" in ends:
            return fmt
    raise DatasetError(
        f"There is no format {asked!r}.{suggestion(name, FORMATS)} The formats are: "
        f"{', '.join(FORMATS)}."
    )


def _near_files(path: Path) -> str:
    there = sorted(entry.name for entry in path.parent.iterdir() if entry.is_file())
    near = difflib.get_close_matches(path.name, there, n=3)
    if near:
        return f" Did you mean {' or '.join(map(repr, near))}?"
    tables = [name for name in there if format_by_name(Path(name))]
    if not tables:
        return f" The folder {path.parent} has no tables."
    return f" The folder {path.parent} has {listed(tables)}."
