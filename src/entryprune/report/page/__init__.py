"""Reports as single HTML files that need no network."""

from entryprune.report.page.render import (
    render_comparison_fragment,
    render_comparison_page,
    render_selection_fragment,
    render_selection_page,
)

__all__ = [
    "render_comparison_fragment",
    "render_comparison_page",
    "render_selection_fragment",
    "render_selection_page",
]
