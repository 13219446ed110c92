"""What a selection came to, as plain data."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Sequence

    from entryprune.cli._reading import Question

_INTERRUPTED = "callback"
_N_RUNNERS_UP = 5


@dataclass(frozen=True)
class Answer:
    """A fitted selector and what it was asked.

    Attributes
    ----------
    question : Question
        The table and its target.
    selector : estimator
        Fitted.
    method : str
        Its name in the registry.
    k, seed : int
        As asked for.
    parameters : dict
        Further parameters that were asked for.
    notes : tuple of str
        Warnings of the fit.
    n_threads : int or None
        Threads that torch used, on which the last digits depend; None where torch played no part.
    """

    question: Question
    selector: Any
    method: str
    k: int
    seed: int
    parameters: dict[str, Any]
    notes: tuple[str, ...]
    n_threads: int | None = None

    @property
    def is_interrupted(self) -> bool:
        """Whether the search was ended by Ctrl-C."""
        return getattr(self.selector, "stop_reason_", None) == _INTERRUPTED

    @property
    def names(self) -> list[str]:
        """The selected features, best first."""
        known = self.question.table.feature_names
        return [known[i] for i in self.selector.selected_indices_]

    @property
    def is_by_evidence(self) -> bool:
        """Whether scores say what a feature brings beside the others, and not how it came in."""
        return getattr(self.selector, "preset", None) == "exchange"

    @property
    def score_name(self) -> str:
        """What the scores are called."""
        if self.is_by_evidence:
            return "what it brings"
        return "entry score" if hasattr(self.selector, "entry_scores_") else "score"

    @property
    def score_unit(self) -> str:
        """What the scores are measured in; nothing where they are just numbers."""
        return "log evidence per sample" if self.is_by_evidence else ""

    @property
    def pairs_searched(self) -> float | None:
        """Which share of all pairs was looked at; None where pairs were not to be looked for."""
        used = getattr(self.selector, "settings_", {})
        return float(self.selector.pairs_searched_) if used.get("interactions") else None

    def features(self) -> list[dict[str, Any]]:
        """Return a row for each selected feature, with its column in the file, from 1."""
        return self._rows(self.selector.selected_indices_, first_rank=1)

    def runners_up(self) -> list[dict[str, Any]]:
        """Return such rows for the next best features, where the method ranks them all."""
        import numpy as np

        ranking = np.asarray(self.selector.ranking_)
        n_selected = len(self.selector.selected_indices_)
        # Features that share a rank are not ranked.
        next_ranks = range(n_selected + 1, n_selected + 1 + _N_RUNNERS_UP)
        found = [np.flatnonzero(ranking == rank) for rank in next_ranks]
        order = [int(columns[0]) for columns in found if len(columns) == 1]
        return self._rows(order, first_rank=n_selected + 1)

    def pairs(self) -> list[dict[str, Any]]:
        """Return a row for each two features that matter only together, the strongest first."""
        found = getattr(self.selector, "interactions_", None)
        if not found:
            return []
        table = self.question.table
        rows = [
            {
                "names": [table.feature_names[first], table.feature_names[second]],
                "columns": [table.places[first], table.places[second]],
                "strength": float(strength),
                "p_value": float(p_value),
            }
            for first, second, strength, p_value in zip(
                *(found[name] for name in ("first", "second", "strength", "p_value")), strict=True
            )
        ]
        return sorted(rows, key=lambda row: -row["strength"])

    def _rows(self, columns: Sequence[int], first_rank: int) -> list[dict[str, Any]]:
        table = self.question.table
        return [
            {
                "rank": rank,
                "feature": table.feature_names[i],
                "column": table.places[i],
                "score": self._score(i),
            }
            for rank, i in enumerate(columns, first_rank)
        ]

    def _score(self, column: int) -> float | None:
        """Return the score of a feature; None where the method gives none."""
        import math

        scores = getattr(self.selector, "entry_scores_", None)
        if scores is None or self.is_by_evidence:
            scores = self.selector.scores_
        value = float(scores[column])
        return None if math.isnan(value) else value + 0.0  # -0 would puzzle people

    def to_json(self) -> dict[str, Any]:
        """Return all that is the same whenever it is asked again: no times."""
        from entryprune import __version__

        table = self.question.table
        return {
            "table": table.path.name,
            "n_cases": len(self.question.y),
            "n_features": len(table.feature_names),
            "target": table.target_name,
            "task": self.question.task,
            "method": self.method,
            "k": self.k,
            "seed": self.seed,
            "parameters": self.parameters,
            "threads": self.n_threads,
            "interrupted": self.is_interrupted,
            "notes": [*self.question.facts, *self.notes],
            "version": __version__,
            "score": self.score_unit or self.score_name,
            "selected": self.features(),
            "runners_up": self.runners_up(),
            "pairs": self.pairs(),
            "pairs_searched": self.pairs_searched,
        }
