"""What every report has: the data that were read, how to do it again, and ways to see it."""

from __future__ import annotations

import math
import sys
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from entryprune._files import write_text
from entryprune.report.table import to_csv

if TYPE_CHECKING:
    import os

    import pandas as pd
    from rich.console import Console

    from entryprune.report.table import Table

Task = Literal["classification", "regression", "survival"]


@dataclass(frozen=True, kw_only=True)
class DataFacts:
    """What was read."""

    file_name: str  # empty if the data came from memory
    n_samples: int
    n_features: int  # columns to select from
    target: str
    task: Task
    class_counts: Sequence[tuple[str, int]] = ()  # the classes and how many samples each has
    target_range: tuple[float, float] | None = None
    targets: Sequence[str] = ()  # their names, where they are several
    # Of times until an event: how many events were seen, and when half of the samples have had it;
    # None if that is not seen.
    n_events: int | None = None
    median_time: float | None = None
    # What else a reader must know: columns left out and why, constant columns, guesses.
    notes: Sequence[str] = ()
    # What makes all that follows doubtful: too few samples, classes of one.
    cautions: Sequence[str] = ()
    place: Literal["column", "row"] = "column"  # what a feature is in the file

    def __post_init__(self) -> None:
        if self.task not in ("classification", "regression", "survival"):
            raise ValueError(
                f'task must be "classification", "regression" or "survival"; got {self.task!r}.'
            )


@dataclass(frozen=True, kw_only=True)
class Provenance:
    """How a result came about, in full."""

    command: str = ""  # as it was typed; empty if there was none
    command_again: str | None = None  # one that gives the same result, if that is another
    code: str = ""  # the selector as Python writes it, where there was no command line
    settings: Mapping[str, object] = field(default_factory=dict)  # every parameter as it was used
    seed: int | None = None
    versions: Mapping[str, str] = field(default_factory=dict)  # by package
    machine: Mapping[str, str] = field(default_factory=dict)
    n_threads: int | None = None  # sums in another order differ in the last digit


class Viewable(ABC):
    """A report on the terminal, in a notebook, as a page and as a table."""

    def __repr__(self) -> str:
        # All that a report knows would be pages.
        return f"<{type(self).__name__}: {' '.join(filter(None, self._in_short()))}>"

    def show(self) -> None:
        """Show the report: as text on a terminal, as a table with headings in a notebook."""
        if _is_notebook():
            from IPython.display import display

            display(self)
            return
        from rich.console import Console

        self._print(Console())

    def to_html(self) -> str:
        """Return the page: one HTML file that needs no network.

        All of it but sorting and searching works without JavaScript, and the same report gives
        the same page.
        """
        return self._page()

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the page to a file, whole or not at all.

        Parameters
        ----------
        path : path-like
            Ends in .html or .htm.

        Raises
        ------
        ValueError
            If the name ends in something else.
        OSError
            If it cannot be written.
        """
        if Path(path).suffix.lower() not in (".html", ".htm"):
            raise ValueError(f"The page is HTML: name a file that ends in .html; got {path}.")
        write_text(path, self._page())

    def to_frame(self) -> pd.DataFrame:
        """Return the report's main table as a pandas data frame.

        Raises
        ------
        ImportError
            If pandas is not installed.
        """
        try:
            import pandas as pd
        except ImportError as error:
            raise ImportError(
                "A data frame needs pandas, which is not installed. Install it with: "
                "pip install pandas"
            ) from error
        return pd.DataFrame(self.rows())

    def to_csv(self) -> str:
        """Return the report's main table as CSV; no text in it is a formula to a spreadsheet."""
        return to_csv(self._table())

    def to_tsv(self) -> str:
        """Return the report's main table as TSV; no text in it is a formula to a spreadsheet."""
        return to_csv(self._table(), "\t")

    @abstractmethod
    def to_json(self) -> str:
        """Return the report as JSON for programs."""

    @abstractmethod
    def rows(self) -> list[dict[str, Any]]:
        """Return the main table, a dict a row, in plain Python."""

    @abstractmethod
    def _in_short(self) -> Sequence[str]:
        """Return what the report is of and what it says, in two or three sentences."""

    @abstractmethod
    def _table(self) -> Table:
        """Return the main table for files, without formulas."""

    @abstractmethod
    def _print(self, console: Console) -> None:
        """Show the report as text."""

    @abstractmethod
    def _page(self) -> str:
        """Return the page."""

    @abstractmethod
    def _repr_html_(self) -> str:
        """Return a part of a page for notebooks, without scripts."""


def plain(value: float | None) -> float | None:
    """Return a plain number; None for what is missing or infinite."""
    return float(value) if value is not None and math.isfinite(value) else None


def _is_notebook() -> bool:
    """Whether this runs where results are shown as HTML."""
    ipython = sys.modules.get("IPython")
    shell = None if ipython is None else ipython.get_ipython()
    return shell is not None and hasattr(shell, "kernel")
