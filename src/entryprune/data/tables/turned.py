"""Tables with types whose rows are features: turned round, so that rows are cases."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from entryprune.data.errors import DatasetError
from entryprune.data.tables.arrow import ArrowContent, column_text
from entryprune.data.tables.content import Content, MatrixContent
from entryprune.data.tables.names import check_unique, filled
from entryprune.data.tables.request import LeftOut, TableRequest


def turned_arrow(
    request: TableRequest, names: tuple[str, ...], table: Any, namer: int, notes: Sequence[str]
) -> Content:
    """Turn an Arrow table round: one column names the features, the others are cases.

    Parameters
    ----------
    request : TableRequest
        What is asked for; columns to drop are no cases.
    names : tuple of str
        The table's columns.
    table : pyarrow.Table
        The table.
    namer : int
        The column that names the features.
    notes : sequence of str
        What was guessed so far.

    Examples
    --------
    >>> import pyarrow as pa
    >>> from pathlib import Path
    >>> table = pa.table({"gene": ["TP53", "MYC"], "case 1": [1.5, 2.5], "case 2": [3.5, 4.5]})
    >>> names = tuple(table.column_names)
    >>> turned = turned_arrow(TableRequest(Path("t.parquet")), names, table, 0, [])
    >>> turned.names, turned.ids, turned.matrix.tolist()
    (('TP53', 'MYC'), ('case 1', 'case 2'), [[1.5, 2.5], [3.5, 4.5]])
    """
    path = request.path
    content = ArrowContent(path, names, table.num_rows, table=table)
    others = [n for n in range(len(names)) if n != namer]
    cases = content.numbers([n for n in others if names[n] not in request.drop])
    if not cases.names:
        raise DatasetError(
            f"{path}: no column but {names[namer]!r} has numbers, so there are no cases. Leave out "
            f"--transpose if features are columns."
        )
    all_notes = [*notes, *cases.notes]
    features = filled(column_text(table.column(namer)), all_notes)
    check_unique(path, features, request.target)
    dropped = (LeftOut(names[n], "asked for") for n in others if names[n] in request.drop)
    return MatrixContent(
        path,
        features,
        len(cases.names),
        ids=cases.names,
        id_name="the header",
        left_out=(*dropped, *cases.left_out),
        notes=tuple(all_notes),
        matrix=cases.X.T,
    )
