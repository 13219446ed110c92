"""A table of results: CSV for programs and for spreadsheets, Markdown for people."""

from __future__ import annotations

import csv
import io
import math
import re
from dataclasses import dataclass, replace

Cell = str | float | int | None

# What a spreadsheet takes for a formula: at the start of a cell, or where one begins in countries
# that separate cells by semicolons. Full-width signs count too.
_FORMULA = re.compile("(^|[;\t\r\n])([ \t]*[=+\\-@＝＋－＠])")  # noqa: RUF001


@dataclass(frozen=True)
class Table:
    """A title, named columns, rows and notes."""

    title: str
    columns: tuple[str, ...]
    rows: tuple[tuple[Cell, ...], ...]
    notes: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        for number, row in enumerate(self.rows, start=1):
            if len(row) != len(self.columns):
                raise ValueError(
                    f"Row {number} of the table {self.title!r} has {len(row)} cells, but there "
                    f"are {len(self.columns)} columns. Put None where there is no value."
                )


def to_csv(table: Table, separator: str = ",") -> str:
    """Return the columns and rows as CSV, or with tabs as TSV, numbers in full."""
    buffer = io.StringIO()
    writer = csv.writer(buffer, delimiter=separator, lineterminator="\n")
    writer.writerow(table.columns)
    for row in table.rows:
        writer.writerow([None if _is_missing(cell) else cell for cell in row])
    return buffer.getvalue()


def spreadsheet_csv(table: Table) -> str:
    """Return a table as CSV in which no text is a formula."""
    return "\ufeff" + to_csv(defused(table))


def defused(table: Table) -> Table:
    """Return a table in which no text is a formula: an apostrophe stands before what begins so."""
    return replace(
        table,
        columns=tuple(str(_defuse(name)) for name in table.columns),
        rows=tuple(tuple(_defuse(cell) for cell in row) for row in table.rows),
    )


def _defuse(cell: Cell) -> Cell:
    return _FORMULA.sub(r"\1'\2", cell) if isinstance(cell, str) else cell


def to_markdown(table: Table) -> str:
    """Return the table as Markdown, with its title as a heading and its notes below."""
    columns = [_Column(name, cells) for name, cells in _columns(table)]
    lines = [_line([column.heading for column in columns]), _line([c.rule for c in columns])]
    lines += [_line([column.texts[i] for column in columns]) for i in range(len(table.rows))]
    blocks = [f"## {_one_line(table.title)}", "\n".join(lines)]
    if table.notes:
        blocks.append("\n".join(f"- {_one_line(note)}" for note in table.notes))
    return "\n\n".join(blocks) + "\n"


class _Column:
    """A column's cells as texts of one width."""

    def __init__(self, name: str, cells: list[Cell]) -> None:
        present = [cell for cell in cells if not _is_missing(cell)]
        is_number = bool(present) and not any(isinstance(cell, str) for cell in present)
        texts = [_escape(name), *(_escape(_text(cell)) for cell in cells)]
        # A rule has three signs at least, or some readers do not take it for one.
        width = max(3, *(len(text) for text in texts))
        self.rule = "-" * (width - 1) + ":" if is_number else ":" + "-" * (width - 1)
        self.heading, *self.texts = [
            text.rjust(width) if is_number else text.ljust(width) for text in texts
        ]


def _columns(table: Table) -> list[tuple[str, list[Cell]]]:
    return [(name, [row[i] for row in table.rows]) for i, name in enumerate(table.columns)]


def _line(texts: list[str]) -> str:
    return f"| {' | '.join(texts)} |"


def _is_missing(cell: Cell) -> bool:
    return cell is None or (isinstance(cell, float) and math.isnan(cell))


def _text(cell: Cell) -> str:
    if _is_missing(cell):
        return ""
    return f"{cell:.2f}" if isinstance(cell, float) else str(cell)


def _escape(text: str) -> str:
    # The backslash goes first, or it would escape the ones that follow.
    text = text.replace("\\", "\\\\").replace("|", "\\|")
    return "<br>".join(text.splitlines())


def _one_line(text: str) -> str:
    return " ".join(text.split())
