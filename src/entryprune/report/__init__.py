"""Tables and figures from plain data.

Nothing here knows how results are made or kept, so any results can be shown. The figures are in
`entryprune.report.figures`, one module each; only they need matplotlib.
"""

from entryprune.report.table import Table, to_csv, to_markdown, write_text

__all__ = ["Table", "to_csv", "to_markdown", "write_text"]
