"""`entryprune select --stability`: how sure each feature is, beside a selection that stands."""

from __future__ import annotations

import sys
from dataclasses import replace
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from entryprune.reporting import Report

_SKIPPED = "How sure each feature is was not looked at, because the run was interrupted."
WAS_INTERRUPTED = (
    "How sure each feature is was interrupted, and is left out; the selection is complete."
)


def with_stability(report: Report, *, n_pairs: int, n_jobs: int, seed: int) -> Report:
    """Return a report with how sure its features are; Ctrl-C and a refusal leave that out."""
    import warnings

    from sklearn.base import clone

    from entryprune.cli._messages import ending_on_interrupt, in_options, parameters_of
    from entryprune.cli._outputs import tell
    from entryprune.confidence import StabilitySelector
    from entryprune.confidence.verdicts import size_for
    from entryprune.reporting._sureness import sureness
    from entryprune.selectors._tables import given_to

    if report.is_interrupted:
        return _with_warning(report, _SKIPPED)
    assert report.source is not None
    source = report.source
    intake = getattr(source.selector, "_intake", None)
    n_units = report.data.n_features if intake is None else intake.n_units
    n_selected = report.k if report.panel is None else report.panel.n_units or report.k
    stability = StabilitySelector(
        estimator=clone(source.selector),
        n_features_per_fit=size_for(n_selected, n_units),
        n_pairs=n_pairs,
        n_jobs=n_jobs,
        random_state=seed,
        verbose=int(sys.stderr.isatty()),
    )
    tell([f"Selecting on {2 * n_pairs:,} half samples to see how sure each feature is:"])
    try:
        with ending_on_interrupt(), warnings.catch_warnings():
            warnings.simplefilter("ignore")  # the statement says as much
            X = given_to(source.selector, source.X)(source.X)
            stability.fit(X, source.y, source.weights, source.groups)
    except KeyboardInterrupt:
        return _with_warning(report, WAS_INTERRUPTED)
    except ValueError as error:  # too few samples for halves
        why = in_options(str(error), parameters_of(report.method_name))
        return _with_warning(report, f"How sure each feature is cannot be told. {why}")
    return replace(report, sureness=sureness(stability, source))


def _with_warning(report: Report, warning: str) -> Report:
    warnings = (*report.selected.warnings, warning)
    return replace(report, selected=replace(report.selected, warnings=warnings))
