"""Text files with features as rows: the first field is the feature's name, then a value a case.

Each row has a type of its own, so the rows are converted one by one; pyarrow's reader, which gives
types to columns, would take a table with a single row of text for text throughout.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from entryprune.data.errors import DatasetError
from entryprune.data.tables import arrow_values
from entryprune.data.tables.content import Content, MatrixContent, array_labels
from entryprune.data.tables.dialect import MISSING, Dialect, is_number, ragged
from entryprune.data.tables.memory import check_memory
from entryprune.data.tables.names import check_unique, filled, kept_columns
from entryprune.data.tables.request import LeftOut, TableRequest
from entryprune.data.tables.text import (
    BOM,
    Record,
    created,
    decoded,
    n_text_bytes,
    opened,
    records,
    unquoted,
)

_N_SAMPLES = 50
_N_LOOKED_AT = 5


def read(request: TableRequest, dialect: Dialect) -> Content:
    """Read a table of text whose rows are features."""
    path = request.path
    aside = _no_cases(path, dialect, request.drop)
    cases = [n for n in range(1, len(dialect.header)) if n not in aside]
    if not cases:
        raise DatasetError(
            f"{path}: no column but the first has numbers, so there are no cases. Leave out "
            f"--transpose if features are columns, or check what separates the values."
        )
    n_lines = n_text_bytes(path) // dialect.line_bytes
    check_memory(path, len(cases), n_lines, is_exact=False)
    notes = list(dialect.notes)
    given, values, texts = _converted(path, dialect, cases)
    names = filled(given, notes)
    check_unique(path, names, request.target)
    is_text = [value is None for value in values]
    numbers = [value for value in values if value is not None]
    labels = {names[n]: array_labels(np.array(words)) for n, words in texts.items()}
    return MatrixContent(
        path,
        tuple(name for name, is_one in zip(names, is_text, strict=True) if not is_one),
        len(cases),
        labels=labels,
        label_names=tuple(labels),
        ids=tuple(dialect.header[n] for n in cases) if dialect.has_header else None,
        id_name="the header" if dialect.has_header else None,
        left_out=(
            *(LeftOut(dialect.header[n], why) for n, why in aside.items()),
            *(LeftOut(name, "text") for name in labels),
        ),
        notes=tuple(notes),
        matrix=np.array(numbers).T if numbers else np.empty((len(cases), 0)),
    )


def write(
    request: TableRequest, dialect: Dialect, names: Collection[str], destination: Path
) -> None:
    """Write the chosen rows exactly as they stand in the file, below the header if there is one."""
    path = request.path
    given = [decoded(path, record.fields[0], record.line) for record in _body(path, dialect)]
    keep = {*kept_columns(path, filled(given, []), names, (request.target,))}
    first = -1 if dialect.has_header else 0
    with opened(path) as source, created(destination) as file:
        for number, record in enumerate(records(path, source, dialect.delimiter), first):
            if number < 0 or number in keep:
                file.write(dialect.delimiter.join(record.fields) + record.end)


def _body(path: Path, dialect: Dialect) -> Iterator[Record]:
    """Go through the rows below the header."""
    with opened(path) as file:
        for number, record in enumerate(records(path, file, dialect.delimiter)):
            if number == 0 and dialect.has_header:
                continue
            if number == 0:
                record.fields[0] = record.fields[0].removeprefix(BOM)
            yield record


def _no_cases(path: Path, dialect: Dialect, drop: Sequence[str]) -> dict[int, str]:
    """Return the columns that are no cases: dropped, or text wherever others are numbers."""
    suspects = set(range(1, len(dialect.header)))
    for record in islice(_body(path, dialect), _N_SAMPLES):
        fields = [unquoted(field).strip() for field in record.fields]
        are_numbers = [is_number(field) for field in fields]
        if any(are_numbers[1:]):  # else it is a row of text, and says nothing of the columns
            suspects -= {n for n, field in enumerate(fields) if are_numbers[n] or field in MISSING}
    dropped = {n for n, name in enumerate(dialect.header) if n and name in drop}
    return {n: "asked for" if n in dropped else "text" for n in sorted(suspects | dropped)}


def _converted(
    path: Path, dialect: Dialect, cases: Sequence[int]
) -> tuple[list[str], list[NDArray[Any] | None], dict[int, list[str]]]:
    """Return all rows' names, their values if they are numbers, and the others' words."""
    names: list[str] = []
    values: list[NDArray[Any] | None] = []
    texts = {}
    for record in _body(path, dialect):
        if len(record.fields) != len(dialect.header):
            raise ragged(path, dialect, record.line, len(record.fields))
        fields = [record.fields[n] for n in cases]
        values.append(as_numbers(fields))
        if values[-1] is None:
            texts[len(names)] = [
                "" if field in MISSING else decoded(path, field, record.line) for field in fields
            ]
        names.append(decoded(path, record.fields[0], record.line))
    return names, values, texts


def as_numbers(fields: Sequence[bytes]) -> NDArray[Any] | None:
    """Return raw fields as whole or floating-point numbers, NaN for missing ones; None if not.

    Examples
    --------
    >>> as_numbers([b"1", b"2"]), as_numbers([b'"1.5"', b"NA"]), as_numbers([b"a"]) is None
    (array([1, 2]), array([1.5, nan]), True)
    """
    found = _cast(list(fields))
    if found is None:
        # Only now, since few rows have quotes or gaps and looking for them takes time.
        words = [unquoted(field).strip() for field in fields]
        found = _cast([None if word in MISSING else word for word in words])
    return None if found is None else arrow_values.numbers(found)


def _cast(words: list[Any]) -> Any:
    import pyarrow as pa

    # Most rows have fractions, and an attempt that fails takes longer than one that does not.
    for kind in (pa.int64(), pa.float64()) if _look_whole(words) else (pa.float64(),):
        try:
            return pa.array(words, pa.string()).cast(kind)
        except pa.ArrowInvalid:
            pass  # not of this type, or not even text
    return None


def _look_whole(words: list[Any]) -> bool:
    return not any(b"." in word or b"e" in word for word in words[:_N_LOOKED_AT] if word)
