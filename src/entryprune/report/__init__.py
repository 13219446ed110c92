"""Tables, figures and pages from plain data.

Nothing here knows how results are made or kept, so any results can be shown. The figures of the
paper are in `entryprune.report.figures`, one module each. The report of a selection or of a
comparison is made in three steps: its facts as a plain dict, here; its plots, in
`entryprune.report.plots`; and its page, in `entryprune.report.page`. Only figures, plots and pages
import matplotlib, and nothing is imported before it is asked for.
"""

import importlib
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from entryprune.report.comparison import ComparisonReport, Contender, Frequencies
    from entryprune.report.comparison_facts import summarise_comparison
    from entryprune.report.run import DataFacts, Provenance
    from entryprune.report.selection import (
        Cases,
        Images,
        Pair,
        Selected,
        SelectionReport,
        Validation,
    )
    from entryprune.report.selection_facts import summarise_selection
    from entryprune.report.table import Table, to_csv, to_markdown

_MODULES = {
    "comparison": ("ComparisonReport", "Contender", "Frequencies"),
    "comparison_facts": ("summarise_comparison",),
    "run": ("DataFacts", "Provenance"),
    "selection": ("Cases", "Images", "Pair", "Selected", "SelectionReport", "Validation"),
    "selection_facts": ("summarise_selection",),
    "table": ("Table", "to_csv", "to_markdown"),
}

__all__ = [
    "Cases",
    "ComparisonReport",
    "Contender",
    "DataFacts",
    "Frequencies",
    "Images",
    "Pair",
    "Provenance",
    "Selected",
    "SelectionReport",
    "Table",
    "Validation",
    "summarise_comparison",
    "summarise_selection",
    "to_csv",
    "to_markdown",
]


def __getattr__(name: str) -> object:
    # An error message of the command line must not wait for numpy.
    for module, names in _MODULES.items():
        if name in names:
            return getattr(importlib.import_module(f"{__name__}.{module}"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return __all__
