"""What is said of the search for pairs, on screen and on the page."""

from __future__ import annotations

from entryprune.report._texts import capitalise, share_text

# Two that came in one after the other may work together as well, so that no more can be said.
_NONE = "No two features were selected only for what they do together. "


def pairs_text(
    searched: float | None, *, n_found: int, n_selected: int, is_interrupted: bool = False
) -> str:
    """Return how thoroughly pairs were looked for, and whether none was found.

    Parameters
    ----------
    searched : float or None
        Which share of all pairs was looked at; None if pairs were not to be looked for.
    n_found : int
        Pairs that were found.
    n_selected : int
        Features that were selected. One alone leaves nothing to say of pairs.
    is_interrupted : bool, default=False
        Whether the search was ended from outside.

    Examples
    --------
    >>> pairs_text(1.0, n_found=0, n_selected=5)
    'No two features were selected only for what they do together. All pairs were looked at.'
    >>> pairs_text(0.0, n_found=0, n_selected=5)
    'Pairs of features were not looked for: there are too few cases for so many columns.'
    """
    if searched is None or n_selected < 2:
        return ""
    if searched <= 0:
        few = "there are too few cases for so many columns"
        why = "the run was interrupted before that" if is_interrupted else few
        return f"Pairs of features were not looked for: {why}."
    none = "" if n_found else _NONE
    if searched >= 1:
        return f"{none}All pairs were looked at."
    return (
        f"{none}{capitalise(share_text(searched))} of all pairs were looked at; all would take too "
        "long. Leave out columns that cannot matter (--drop) to look at more."
    )
