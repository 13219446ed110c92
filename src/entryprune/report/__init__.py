"""Tables, figures and reports from plain data.

Nothing here knows how results are made or kept, so any results can be shown: `entryprune.Report`
and `entryprune.compare` make such reports from a selector or a table. The figures of the paper are
in `entryprune.report.figures`, and the rows that they draw in its `rows`. A report is made in three
steps: its facts, computed once from what it is given; its plots, in `entryprune.report.plots`; and
its page, in `entryprune.report.page`. Only figures, plots and pages import matplotlib, and nothing
is imported before it is asked for.
"""

from typing import TYPE_CHECKING

from entryprune._late import late

if TYPE_CHECKING:
    from entryprune.report.base import DataFacts, Provenance
    from entryprune.report.comparison import (
        ComparisonReport,
        Contender,
        Frequencies,
        Interruption,
    )
    from entryprune.report.confidence import KCurve
    from entryprune.report.selected import Images, Pair, Samples, Selected
    from entryprune.report.selection import SelectionReport
    from entryprune.report.table import Table, to_csv, to_markdown
    from entryprune.report.validation import Predictions, Validation

# An error message of the command line must not wait for numpy.
_HOMES = {
    "comparison": ("ComparisonReport", "Contender", "Frequencies", "Interruption"),
    "base": ("DataFacts", "Provenance"),
    "confidence": ("KCurve",),
    "validation": ("Predictions", "Validation"),
    "selected": ("Images", "Pair", "Samples", "Selected"),
    "selection": ("SelectionReport",),
    "table": ("Table", "to_csv", "to_markdown"),
}

__all__ = [
    "ComparisonReport",
    "Contender",
    "DataFacts",
    "Frequencies",
    "Images",
    "Interruption",
    "KCurve",
    "Pair",
    "Predictions",
    "Provenance",
    "Samples",
    "Selected",
    "SelectionReport",
    "Table",
    "Validation",
    "to_csv",
    "to_markdown",
]

__getattr__, __dir__ = late(__name__, _HOMES, __all__)
