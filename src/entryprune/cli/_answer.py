"""What a selection came to, as plain data."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from entryprune.cli._reading import Question

_INTERRUPTED = "callback"


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
    """

    question: Question
    selector: Any
    method: str
    k: int
    seed: int
    parameters: dict[str, Any]
    notes: tuple[str, ...]

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
    def places(self) -> list[int]:
        """Which columns of the file they are, from 1."""
        return [self.question.table.places[i] for i in self.selector.selected_indices_]

    @property
    def score_name(self) -> str:
        """What the scores are called."""
        return "entry score" if hasattr(self.selector, "entry_scores_") else "score"

    @property
    def scores(self) -> list[float | None]:
        """The scores of the selected features; None where the method gives none."""
        import math

        scores = getattr(self.selector, "entry_scores_", None)
        if scores is None:
            scores = self.selector.scores_
        values = [float(scores[i]) for i in self.selector.selected_indices_]
        return [None if math.isnan(value) else value for value in values]

    def features(self) -> list[dict[str, Any]]:
        """Return a row for each selected feature, with its column in the file, from 1."""
        return [
            {"rank": rank, "feature": name, "column": column, "score": score}
            for rank, (name, column, score) in enumerate(
                zip(self.names, self.places, self.scores, strict=True), 1
            )
        ]

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
            "interrupted": self.is_interrupted,
            "notes": [*self.question.facts, *self.notes],
            "version": __version__,
            "selected": self.features(),
        }
