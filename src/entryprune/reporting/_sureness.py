"""How sure a selection is, worked out from a fitted `StabilitySelector`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from entryprune.report.confidence import AnyOf, Standing, Sureness
from entryprune.reporting._facts import check_same_columns, is_stability, seed_of

if TYPE_CHECKING:
    from entryprune.reporting._facts import Source


def sureness(stability: Any, source: Source) -> Sureness:
    """Return what selections on half samples say of all features of a table."""
    if not is_stability(stability) or not hasattr(stability, "frequencies_"):
        raise ValueError(
            f"stability must be a fitted StabilitySelector; got {type(stability).__name__}. Call "
            f"its fit first, on the same table."
        )
    frequencies, verdicts = stability.frequencies_, stability.verdicts_
    check_same_columns(stability, source, len(frequencies))
    if not stability._was_fitted_on(source.X):
        raise ValueError(
            "stability was fitted on another table than X: the samples are not as many, or the "
            "columns have other means. Fit it on the same table."
        )
    agreement = stability.agreement_
    is_confirmed = verdicts == "confirmed"
    unselected = np.flatnonzero(is_confirmed & ~np.asarray(source.selector.support_))
    return Sureness(
        statement=stability.statement_,
        standings={
            column: Standing(frequency=float(often), verdict=str(verdict), interval=(low, high))
            for column, often, verdict, (low, high) in zip(
                source.columns,
                frequencies,
                verdicts,
                stability.frequency_intervals_.tolist(),
                strict=True,
            )
        },
        names=dict(zip(source.columns, source.names, strict=True)),
        threshold=float(stability._asked),
        n_half_samples=len(stability.selections_),
        n_per_fit=int(stability.n_features_per_fit_),
        seed=seed_of(stability),
        n_confirmed=int(is_confirmed.sum()),
        expected_false=float(stability.expected_false_),
        has_shadows=len(stability.shadow_frequencies_) > 0,
        agreement=agreement.stability,
        agreement_interval=None if agreement.low is None else (agreement.low, agreement.high),
        jaccard=agreement.jaccard,
        kuncheva=agreement.kuncheva,
        groups=[
            AnyOf(
                names=[source.names[i] for i in one.features],
                columns=[source.columns[i] for i in one.features],
                frequency=float(one.frequency),
                verdict=one.verdict,
            )
            for one in stability.groups_
        ],
        others=[source.names[i] for i in unselected[np.argsort(-frequencies[unselected])]],
    )
