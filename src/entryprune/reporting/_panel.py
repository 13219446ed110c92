"""What was asked of features besides to predict, as a fitted selector knows it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

import numpy as np

from entryprune.report.selected import Panel

if TYPE_CHECKING:
    from entryprune.reporting._facts import Source


def panel(source: Source) -> Panel | None:
    """Return costs, groups, and who was kept or barred; None where nothing was asked."""
    from entryprune.selectors._intake import by_number

    selector, n_features = source.selector, len(source.names)
    # A table may have had other names in the fit than it has in the report.
    own = getattr(selector, "feature_names_in_", None)
    names = source.names if own is None else tuple(map(str, own))
    told = by_number(selector, names, n_features)
    budget = getattr(selector, "budget", None)
    if not told and budget is None:
        return None
    chosen = np.asarray(selector.selected_indices_)
    costs = told.get("costs", None if budget is None else np.ones(n_features))
    groups: tuple[str | None, ...] = ()
    n_units = None
    if "feature_groups" in told:
        asked = selector.feature_groups
        titles = asked if isinstance(asked, Mapping) else range(1, len(asked) + 1)
        members = zip(titles, told["feature_groups"], strict=True)
        group_of = {feature: str(title) for title, ones in members for feature in ones}
        groups = tuple(group_of.get(feature) for feature in chosen.tolist())
        n_units = len({title for title in groups if title is not None}) + groups.count(None)
    return Panel(
        costs=None if costs is None else costs[chosen].tolist(),
        kept=np.isin(chosen, told.get("keep", ())).tolist(),
        groups=groups,
        budget=None if budget is None else float(budget),
        barred=[source.names[feature] for feature in told.get("bar", ())],
        n_units=n_units,
    )
