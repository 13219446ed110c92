"""The ways in which any report can be seen."""

from __future__ import annotations

import sys
from abc import ABC, abstractmethod
from pathlib import Path
from typing import TYPE_CHECKING, Any

from entryprune._files import write_text

if TYPE_CHECKING:
    import os

    import pandas as pd
    from rich.console import Console


class Viewable(ABC):
    """A report on the terminal, in a notebook, as a page and as a table."""

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

    @abstractmethod
    def rows(self) -> list[dict[str, Any]]:
        """Return the main table, a dict a row, in plain Python."""

    @abstractmethod
    def _print(self, console: Console) -> None:
        """Show the report as text."""

    @abstractmethod
    def _page(self) -> str:
        """Return the page."""

    @abstractmethod
    def _repr_html_(self) -> str:
        """Return a part of a page for notebooks, without scripts."""


def _is_notebook() -> bool:
    """Whether this runs where results are shown as HTML."""
    ipython = sys.modules.get("IPython")
    shell = None if ipython is None else ipython.get_ipython()
    return shell is not None and hasattr(shell, "kernel")
