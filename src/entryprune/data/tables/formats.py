"""Which format a file has: what its name says, and whether its first bytes agree."""

from __future__ import annotations

import difflib
from pathlib import Path

from entryprune._text import listed, suggestion
from entryprune.data.errors import DatasetError
from entryprune.data.tables.text import GZIP, first_bytes


def _also_zipped(*suffixes: str) -> tuple[str, ...]:
    return (*suffixes, *(f"{suffix}.gz" for suffix in suffixes))


FORMATS: dict[str, tuple[str, ...]] = {
    "csv": _also_zipped(".csv", ".txt"),
    "tsv": _also_zipped(".tsv", ".tab"),
    "parquet": (".parquet", ".pq"),
    "feather": (".feather", ".arrow", ".ipc"),
    "npy": (".npy",),
    "npz": (".npz",),
    "mat": (".mat",),
    "arff": _also_zipped(".arff"),
    "libsvm": _also_zipped(".libsvm", ".svm", ".svmlight"),
    "h5ad": (".h5ad",),
}
"""The formats that are read, each with the endings of its files' names."""

TITLES = {
    "csv": "a CSV file",
    "tsv": "a TSV file",
    "parquet": "a Parquet file",
    "feather": "a Feather or Arrow file",
    "npy": "an .npy file",
    "npz": "an .npz file",
    "mat": "a MATLAB file",
    "arff": "an ARFF file",
    "libsvm": "a LIBSVM file",
    "h5ad": "an .h5ad file",
}
DELIMITED = ("csv", "tsv")
_TEXT = (*DELIMITED, "arff", "libsvm")
# How files of a format begin. HDF5 is what both .h5ad and MATLAB 7.3 files are; the latter begin
# with "MATLAB" if MATLAB wrote them.
_HDF5 = b"\x89HDF\r\n\x1a\n"
_BEGINNINGS = {
    b"PAR1": "parquet",
    b"ARROW1": "feather",
    b"FEA1": "feather",
    b"\xff\xff\xff\xff": "feather",  # an Arrow stream
    b"\x93NUMPY": "npy",
    b"PK\x03\x04": "npz",
    b"MATLAB": "mat",
    _HDF5: "h5ad",
}
_SPREADSHEETS = (".xls", ".xlsx", ".xlsm", ".ods", ".numbers")
_N_SHOWN = 512
# Bytes that text does not have: all controls but tab, line ends, form feed and escape.
_CONTROLS = frozenset(range(32)) - frozenset(b"\t\n\v\f\r\x1b")


def format_of(path: Path, asked: str | None = None) -> str:
    """Return the format of a file, by what is asked for or by what its name ends with.

    Parameters
    ----------
    path : Path
        The file; it need not be there.
    asked : str or None
        A key of `FORMATS`, or an ending such as "pq".

    Examples
    --------
    >>> format_of(Path("Cells.CSV.gz")), format_of(Path("cells.data"), "tsv")
    ('csv', 'tsv')
    >>> format_of(Path("cells.json"))
    Traceback (most recent call last):
    entryprune.data.errors.DatasetError: cells.json: the ending '.json' is not known. Known are csv
    (.csv, .txt), tsv (.tsv, .tab), ... If the file has one of these formats, name it with --format.
    """
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
        cure = "Save the sheet as CSV in the program that made it."
    else:
        cure = "If the file has one of these formats, name it with --format."
    what = f"the ending {path.suffix!r} is not known" if path.suffix else "the name has no ending"
    raise DatasetError(f"{path}: {what}. Known are {known}. {cure}")


def format_by_name(path: Path) -> str | None:
    """Return the format that a file's name ends with, or None.

    Examples
    --------
    >>> format_by_name(Path("a.pq")), format_by_name(Path("a.json"))
    ('parquet', None)
    """
    name = path.name.lower()
    return next((fmt for fmt, ends in FORMATS.items() if name.endswith(ends)), None)


def check_file(path: Path) -> None:
    """Refuse a path at which no file with content is.

    Examples
    --------
    >>> check_file(Path("no_such_folder/t.csv"))
    Traceback (most recent call last):
    entryprune.data.errors.DatasetError: There is no file no_such_folder/t.csv: there is no folder
    no_such_folder.
    """
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
    try:
        with path.open("rb") as file:
            is_empty = not file.read(1)
    except OSError as error:
        raise DatasetError(
            f"{path} cannot be read: {error.strerror}. Make sure that you may read it."
        ) from error
    if is_empty:
        raise DatasetError(f"{path} is empty (0 bytes). Save the table again.")


def check_content(path: Path, format_name: str) -> None:
    """Refuse a file that begins like one of another format.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder, "t.parquet")
    ...     _ = path.write_text("a,b")
    ...     check_content(path, "parquet")
    Traceback (most recent call last):
    entryprune.data.errors.DatasetError: ...t.parquet is not a Parquet file: it looks like text. If
    it is one of the text formats, name it with --format (csv, tsv, arff, libsvm).
    """
    is_text = format_name in _TEXT
    start = first_bytes(path, _N_SHOWN, is_unzipped=is_text)
    found = next((fmt for begin, fmt in _BEGINNINGS.items() if start.startswith(begin)), None)
    if is_text and _is_text(start):
        return  # a column may well be called PAR1
    title = TITLES[format_name]
    if found == format_name or (found == "h5ad" and format_name == "mat"):
        return
    if found is not None:
        raise DatasetError(
            f"{path} is not {title}: it looks like {TITLES[found]}. If it is, say --format {found}."
        )
    if is_text:
        _check_text(path, start, title)
    # MATLAB's oldest format has no beginning of its own.
    elif format_name != "mat" or _is_text(start):
        if start.startswith(GZIP):
            raise DatasetError(f"{path} is not {title}: it is compressed. Decompress it: gunzip.")
        if _is_text(start):
            raise DatasetError(
                f"{path} is not {title}: it looks like text. If it is one of the text formats, "
                f"name it with --format ({', '.join(_TEXT)})."
            )
        raise DatasetError(f"{path} is not {title}: it does not begin like one. Save it again.")


def _check_text(path: Path, start: bytes, title: str) -> None:
    if start.startswith((b"\xff\xfe", b"\xfe\xff")):
        raise DatasetError(
            f"{path} is in the encoding UTF-16, not UTF-8. Convert it: "
            f"iconv -f UTF-16 -t UTF-8 {path.name} > converted{path.suffix}"
        )
    raise DatasetError(
        f"{path} is not {title}: it is not text. Name its format with --format, or save it again."
    )


def _is_text(start: bytes) -> bool:
    return not start.startswith((b"\xff\xfe", b"\xfe\xff")) and not _CONTROLS.intersection(start)


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
