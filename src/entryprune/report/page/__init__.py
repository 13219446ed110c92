"""Reports as single HTML files that need no network."""

from entryprune.report.page.comparison_page import render_comparison_page
from entryprune.report.page.selection_page import render_selection_page

__all__ = ["render_comparison_page", "render_selection_page"]
