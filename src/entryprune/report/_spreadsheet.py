"""Tables that are safe to open in a spreadsheet."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING

from entryprune.report.table import to_csv

if TYPE_CHECKING:
    from entryprune.report.table import Cell, Table

# What a spreadsheet takes for a formula: at the start of a cell, or where one begins in countries
# that separate cells by semicolons. Full-width signs count too.
_FORMULA = re.compile("(^|[;\t\r\n])([ \t]*[=+\\-@＝＋－＠])")  # noqa: RUF001


def spreadsheet_csv(table: Table) -> str:
    r"""Return a table as CSV in which no text is a formula.

    Parameters
    ----------
    table : Table
        A text in it that begins like a formula is given an apostrophe, as the makers of
        spreadsheets advise. Numbers stay as they are.

    Returns
    -------
    text : str
        It begins with the mark by which spreadsheets know UTF-8.

    Examples
    --------
    >>> from entryprune.report.table import Table
    >>> spreadsheet_csv(Table("", ("name", "score"), (("=cmd()", -0.5),)))
    "\ufeffname,score\n'=cmd(),-0.5\n"
    """
    return "\ufeff" + to_csv(defused(table))


def defused(table: Table) -> Table:
    """Return a table in which no text is a formula: an apostrophe stands before what begins so.

    Examples
    --------
    >>> from entryprune.report.table import Table
    >>> defused(Table("", ("name", "score"), (("=cmd()", -0.5),))).rows
    (("'=cmd()", -0.5),)
    """
    return replace(
        table,
        columns=tuple(str(_defuse(name)) for name in table.columns),
        rows=tuple(tuple(_defuse(cell) for cell in row) for row in table.rows),
    )


def _defuse(cell: Cell) -> Cell:
    return _FORMULA.sub(r"\1'\2", cell) if isinstance(cell, str) else cell
