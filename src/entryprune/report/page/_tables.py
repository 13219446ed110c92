"""Tables as parts of a page."""

from __future__ import annotations

import base64
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from entryprune.report._spreadsheet import spreadsheet_csv
from entryprune.report._texts import number_text
from entryprune.report.page._markup import Html, tag

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from entryprune.report.table import Table

_MOST_ROWS = 1000
_NO_NAME = tag("span", "(no name)", class_="quiet")


@dataclass(frozen=True)
class Sorted:
    """A cell that is sorted by a number but shows something else."""

    content: str
    value: float | None


Cell = str | float | None | Sorted


@dataclass(frozen=True)
class Column:
    """A column of a table.

    Attributes
    ----------
    heading : str
        What stands above.
    cells : sequence
        Texts, numbers, None, or `Sorted`.
    kind : {"text", "name", "number"}
        Names come from strangers and may be long; numbers stand to the right.
    below : sequence
        Cells of further rows, below a rule.
    """

    heading: str
    cells: Sequence[Cell]
    kind: Literal["text", "name", "number"] = "text"
    below: Sequence[Cell] = ()


def table(
    caption: str,
    columns: Sequence[Column],
    download: tuple[str, Table] | None = None,
    *,
    below: str = "",
) -> Html:
    """Return a table that scrolls inside its box.

    Parameters
    ----------
    caption : str
        What it shows.
    columns : sequence of Column
        All of one length. Only the first 1,000 rows are shown.
    download : (str, Table), optional
        File name and content of a CSV file; the table can then be sorted and searched, too.
    below : str, default=""
        What stands above the rows below the rule, which are neither sorted nor searched.

    Examples
    --------
    >>> shown = table("Scores", [Column("name", ["radius"], "name"), Column("score", [0.5])])
    >>> '<td class="name" dir="auto">radius</td>' in shown
    True
    """
    n_rows, n_below = len(columns[0].cells), len(columns[0].below)
    head = tag("tr", *(_heading(column) for column in columns))
    rows = [
        tag("tr", *(_cell(column, column.cells[i]) for column in columns))
        for i in range(min(n_rows, _MOST_ROWS))
    ]
    parts = [tag("thead", head), tag("tbody", *rows)]
    if n_below:
        title = tag("th", below, colspan=len(columns), scope="rowgroup")
        more = [
            tag("tr", *(_cell(column, column.below[i]) for column in columns))
            for i in range(n_below)
        ]
        parts.append(tag("tbody", tag("tr", title), *more))
    box = _box(caption, *parts)
    notes = []
    if n_rows > _MOST_ROWS:
        notes.append(tag("p", f"The first {_MOST_ROWS:,} of {n_rows:,} rows are shown."))
    if download is not None:
        notes.append(tag("p", _download(*download), class_="download"))
    return tag(
        "div", _caption(caption), box, *notes, class_="table", data_live=download is not None
    )


def pairs(caption: str, values: Mapping[str, str]) -> Html:
    """Return a table of names and values, without headings."""
    rows = [
        tag("tr", tag("th", name, scope="row"), tag("td", value)) for name, value in values.items()
    ]
    return tag("div", _caption(caption), _box(caption, tag("tbody", *rows)), class_="table pairs")


def _caption(caption: str) -> Html:
    # Not a part of the table, or it would scroll out of sight with it.
    return tag("p", caption, class_="caption")


def _box(caption: str, *parts: Html) -> Html:
    whole = tag("table", *parts, aria_label=caption)
    return tag("div", whole, class_="scroll", role="region", aria_label=caption, tabindex=0)


def _heading(column: Column) -> Html:
    is_number = column.kind == "number"
    kind = "number" if is_number else None
    return tag("th", column.heading, scope="col", class_=kind, data_kind=column.kind)


def _cell(column: Column, cell: Cell) -> Html:
    value = None
    content: str
    if isinstance(cell, Sorted):
        content, value = cell.content, cell.value
    elif isinstance(cell, str):
        content = cell
    else:
        content, value = number_text(cell), cell
    if column.kind == "name":
        return tag("td", content or _NO_NAME, class_="name", dir="auto")
    shown_value = None if value is None else repr(value)
    kind = "number" if column.kind == "number" else None
    return tag("td", content, class_=kind, data_value=shown_value)


def _download(file_name: str, content: Table) -> Html:
    # Not as a text: whatever is in it, there is nothing in base64 that could end the attribute.
    encoded = base64.b64encode(spreadsheet_csv(content).encode("utf-8", "replace")).decode("ascii")
    address = f"data:text/csv;charset=utf-8;base64,{encoded}"
    return tag("a", "Download this table as CSV", href=address, download=file_name)
