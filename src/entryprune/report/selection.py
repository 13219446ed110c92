"""The report of one selection: what is known of it, and the facts that follow from that."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from entryprune._text import counted
from entryprune.report.base import Viewable, plain
from entryprune.report.checks import uneven_notes
from entryprune.report.history import (
    Convergence,
    Growth,
    History,
    convergence_of,
    growth_of,
    read_history,
)
from entryprune.report.levels import Breakdown, Outcome, broken_down, scored
from entryprune.report.selected import (
    CorrelatedPair,
    Correlation,
    Distribution,
    Feature,
)
from entryprune.report.statistics import (
    Effect,
    associations,
    describe_feature,
    effects,
    strongest_pairs,
)
from entryprune.report.text import (
    capitalise,
    folds_text,
    number_text,
    pairs_text,
    shorten,
    spread_text,
)
from entryprune.report.validation import Headline, Validation, headline

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray
    from rich.console import Console

    from entryprune.report.base import DataFacts, Provenance
    from entryprune.report.confidence import KCurve, Standing, Sureness
    from entryprune.report.selected import Images, Pair, Panel, Samples, Selected
    from entryprune.report.table import Table
    from entryprune.report.validation import Predictions

_UNCHECKED = "How well they predict was not checked"

# Features that are compared with each other, correlation from which a pair is named, and pairs.
_MOST_COMPARED, LEAST_CORRELATION, _MOST_PAIRS = 200, 0.7, 10


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class SelectionReport(Viewable):
    """All that the report of one selection tells. What is not given is left out of it."""

    data: DataFacts
    k: int
    method: str
    asked: str = ""  # how many were to be selected, in words where that was no number
    selected: Selected
    provenance: Provenance
    method_name: str = ""  # as programs know it
    history: Mapping[str, ArrayLike] | None = None  # as a selector's history_
    pairs: Sequence[Pair] = ()  # the strongest first, which is drawn if it has values
    # Which share of all pairs was looked at, 0 to 1; None if pairs were not to be looked for.
    pairs_searched: float | None = None
    validation: Sequence[Validation] = ()
    is_suited: bool = False  # whether the measure was taken because the classes are uneven
    predictions: Predictions | None = None
    k_curve: KCurve | None = None
    sureness: Sureness | None = None
    panel: Panel | None = None
    samples: Samples | None = None
    images: Images | None = None
    n_distributions: int = 12  # how many features, from the first, have their distribution shown

    def __post_init__(self) -> None:
        _ = self.steps
        if self.pairs_searched is not None and not 0 <= self.pairs_searched <= 1:
            raise ValueError(
                f"pairs_searched is {self.pairs_searched}. Give the share of all pairs that was "
                "looked at, from 0 to 1."
            )
        if self.samples is not None:
            shape, n_selected = np.shape(self.samples.X), len(self.selected.names)
            if len(shape) != 2 or shape[1] != n_selected:
                raise ValueError(
                    f"X must have a column for each of the {n_selected} selected features; its "
                    f"shape is {shape}."
                )
            if np.shape(self.samples.y)[:1] != shape[:1]:
                raise ValueError(
                    f"X has {shape[0]} samples, but the shape of y is "
                    f"{np.shape(self.samples.y)}. Give one target for each sample."
                )
            for pair in self.pairs:
                if pair.values is not None and np.shape(pair.values) != (shape[0], 2):
                    raise ValueError(
                        f"The values of {' and '.join(pair.names)} must have {shape[0]} rows, one "
                        f"for each sample, and 2 columns; their shape is {np.shape(pair.values)}."
                    )

    # -- the answer -----------------------------------------------------------------------------

    @property
    def title(self) -> str:
        """What the page is called."""
        return f"Selected features: {self.data.file_name or self.data.target}"

    @property
    def answer(self) -> str:
        """The result in one sentence."""
        n_selected = len(self.selected.names)
        these = "this one" if n_selected == 1 else f"these {n_selected:,}"
        return (
            f"Of {counted(self.data.n_features, 'feature')}, {self.method} selected {these} to "
            f"predict “{self.data.target}”."
        )

    @property
    def is_interrupted(self) -> bool:
        """Whether the run was ended from outside."""
        return self.selected.ended == "interrupted"

    @cached_property
    def features(self) -> tuple[Feature, ...]:
        """The selected features, best first."""
        selected = self.selected
        scores = selected.scores
        found: Sequence[Effect | None] = [None] * len(selected.names)
        if self.values is not None and self.samples is not None and not self.data.targets:
            found = self._effects(self.values, self.samples)
        return tuple(
            Feature(
                rank=i + 1,
                name=str(selected.names[i]),
                column=int(selected.columns[i]),
                score=None if scores is None else _score(scores[i]),
                other_scores={n: plain(values[i]) for n, values in selected.other_scores.items()},
                effect=found[i],
                by_target={name: ones[i].size for name, ones in self._effects_by_target.items()},
                standing=self._standing(selected.columns[i]),
            )
            for i in range(len(selected.names))
        )

    def _effects(self, values: NDArray[np.float64], samples: Samples) -> list[Effect]:
        outcome = Outcome.of(samples.y, self.data.task, self.data.target)
        numbers = scored(values, samples.levels, outcome)
        found = list(effects(numbers, samples.y, self.data.task))
        for one in self.breakdowns:
            if one.kind == "levels":
                high, low = one.high, one.low
                found[one.rank - 1] = replace(
                    found[one.rank - 1],
                    high="" if high is None else high.name,
                    high_mean=None if high is None else high.outcome,
                    low="" if low is None else low.name,
                    low_mean=None if low is None else low.outcome,
                    is_of_levels=True,
                )
        return found

    @cached_property
    def breakdowns(self) -> tuple[Breakdown, ...]:
        """Where it lies what features tell that are no plain numbers."""
        if self.values is None or self.samples is None:
            return ()
        names, levels, dates = self.selected.names, self.samples.levels, self.samples.dates
        found = []
        for i, name in enumerate(names):
            labels, days = levels.get(i, ()), dates.get(i)
            if labels or days or np.isnan(self.values[:, i]).any():
                target, y = self.nearest_target(i)
                outcome = Outcome.of(y, self.data.task, target)
                found.append(broken_down((i, str(name)), self.values[:, i], outcome, labels, days))
        return tuple(found)

    @cached_property
    def _effects_by_target(self) -> dict[str, tuple[Effect, ...]]:
        """The effects of all features on each of several targets."""
        if self.values is None or self.samples is None:
            return {}
        columns = zip(self.data.targets, np.asarray(self.samples.y).T, strict=False)
        levels, task = self.samples.levels, self.data.task
        return {
            name: effects(scored(self.values, levels, Outcome.of(y, task, name)), y, task)
            for name, y in columns
        }

    @cached_property
    def near_duplicates(self) -> Sequence[Sequence[tuple[str, float | None]]]:
        """For each selected feature those left out that are almost the same."""
        found = self.selected.near_duplicates
        if not len(found):
            return [()] * len(self.selected.names)
        return [[(str(name), plain(value)) for name, value in ones] for ones in found]

    @property
    def has_near_duplicates(self) -> bool:
        """Whether any feature that was left out is almost the same as a selected one."""
        return any(len(ones) for ones in self.near_duplicates)

    @cached_property
    def runners_up(self) -> tuple[Feature, ...]:
        """The next best features."""
        first_rank = len(self.selected.names) + 1
        return tuple(
            Feature(
                rank=rank,
                name=str(name),
                column=int(column),
                score=_score(score),
                standing=self._standing(column),
            )
            for rank, (name, column, score) in enumerate(self.selected.runners_up, first_rank)
        )

    @property
    def panel_sentences(self) -> list[str]:
        """What was asked of the features besides to predict, and what came of it."""
        return [] if self.panel is None else self.panel.sentences(self.selected.names)

    def _standing(self, column: int) -> Standing | None:
        return None if self.sureness is None else self.sureness.standings.get(int(column))

    @property
    def known_scores(self) -> list[float]:
        """The scores of those that have one."""
        return [one.score for one in self.features if one.score is not None]

    @property
    def threshold(self) -> float | None:
        """The smallest score, if the scores alone rank the features."""
        return min(self.known_scores, default=None) if self.selected.is_by_score else None

    @property
    def score_sentences(self) -> list[str]:
        """What the scores mean, and what a feature had to reach."""
        said = [self.selected.score_meaning] if self.selected.score_meaning else []
        if self.threshold is not None:
            said.append(
                f"The threshold is the smallest {self.selected.score_name} among the selected "
                f"features, {number_text(self.threshold)}: no feature that is not selected has "
                f"more. The best has {number_text(max(self.known_scores))}. Where many scores lie "
                "close to the threshold, which features are just above it may be a matter of "
                "chance."
            )
        if math.inf in self.known_scores:
            said.append("A score of ∞ is larger than any number, and has no bar.")
        return said

    @property
    def pairs_note(self) -> str:
        """How thoroughly pairs were looked for, and whether none was found."""
        return pairs_text(
            self.pairs_searched,
            n_found=len(self.pairs),
            n_selected=len(self.selected.names),
            is_interrupted=self.is_interrupted,
            option="--drop" if self.provenance.command else "",
        )

    # -- how well it predicts -------------------------------------------------------------------

    @cached_property
    def headline(self) -> Headline | None:
        """The verdict: what is gained or lost; None without a cross-validation."""
        return headline(self.validation, self.data, len(self.selected.names), self.predictions)

    @property
    def verdict(self) -> str:
        """The verdict in one sentence; empty without a cross-validation."""
        if self.headline is None or self.sureness is None:
            return self.headline.text if self.headline else ""
        sure = self.sureness.of_selected([one.standing for one in self.features])
        return f"{self.headline.text.removesuffix('.')}; {sure}."

    def unchecked(self, remedy: str = "") -> str:
        """Say that nobody knows how well they predict, and what helps; empty if it is known."""
        return "" if self.validation else f"{_UNCHECKED}{f'; {remedy}' if remedy else ''}."

    @cached_property
    def remarks(self) -> tuple[str, ...]:
        """What else there is to know of the measure: uneven classes."""
        measures = [one.metric for one in self.validation]
        is_command = bool(self.provenance.command)
        return tuple(
            uneven_notes(self.data, measures, is_command=is_command, is_suited=self.is_suited)
        )

    @property
    def validation_sentences(self) -> list[str]:
        """The scores of each learner and metric side by side."""
        by_judge: dict[tuple[str, str], list[Validation]] = {}
        for row in self.validation:
            by_judge.setdefault((row.metric, row.learner), []).append(row)
        sentences = []
        for (metric, learner), ones in by_judge.items():
            scores = [f"{spread_text(row.mean, row.sd)} with {row.what}" for row in ones]
            better = "higher" if ones[0].higher_is_better else "lower"
            sentences.append(
                f"{capitalise(metric)} of {learner}: {', '.join(scores)} ({better} is better)."
            )
        note = self.folds_note
        return [*sentences, note] if note else sentences

    @property
    def folds_note(self) -> str:
        """How the folds were made, in a sentence; empty if by chance alone."""
        return folds_text(self.validation[0].how) if self.validation else ""

    # -- how it came about ----------------------------------------------------------------------

    @cached_property
    def steps(self) -> History | None:
        """The history as numbers."""
        return None if self.history is None else read_history(self.history)

    @cached_property
    def convergence(self) -> Convergence | None:
        """How the selection settled; None if there is no history or features took seats."""
        return None if self.steps is None else convergence_of(self.steps)

    @cached_property
    def growth(self) -> Growth | None:
        """How features took seats; None where there are no losses to tell of."""
        return None if self.steps is None else growth_of(self.steps)

    # -- the features ---------------------------------------------------------------------------

    @cached_property
    def values(self) -> NDArray[np.float64] | None:
        """The values of the selected features."""
        return None if self.samples is None else np.asarray(self.samples.X, dtype=np.float64)

    @cached_property
    def distributions(self) -> tuple[Distribution, ...]:
        """How each of the first features goes with the target."""
        if self.values is None or self.samples is None or self.n_distributions < 1:
            return ()
        told = {one.rank: one.text for one in self.breakdowns if one.kind != "gaps"}
        found = []
        for i, name in enumerate(self.selected.names[: self.n_distributions]):
            target, y = self.nearest_target(i)
            text = told.get(i + 1) or describe_feature(self.values[:, i], y, self.data.task)
            text = f"{shorten(target)}: {text}" if self.data.targets and text else text
            found.append(Distribution(rank=i + 1, name=str(name), text=text))
        return tuple(found)

    def nearest_target(self, i: int) -> tuple[str, NDArray[Any]]:
        """Return the target that a feature goes with most, of several, with its values."""
        assert self.samples is not None
        y = np.asarray(self.samples.y)
        if not self.data.targets:
            return self.data.target, y
        sizes = [abs(ones[i].size or 0.0) for ones in self._effects_by_target.values()]
        strongest = int(np.argmax(sizes))
        return self.data.targets[strongest], y[:, strongest]

    @cached_property
    def correlation(self) -> Correlation | None:
        """How the selected features go together."""
        if self.values is None or len(self.selected.names) < 2:
            return None
        names = tuple(str(name) for name in self.selected.names[:_MOST_COMPARED])
        levels = {} if self.samples is None else self.samples.levels
        worded = [i for i, labels in levels.items() if len(labels) > 2 and i < _MOST_COMPARED]
        table = associations(self.values[:, :_MOST_COMPARED], worded)
        return Correlation(
            table=table,
            names=names,
            pairs=tuple(
                CorrelatedPair(
                    rank=i + 1,
                    name=names[i],
                    other_rank=j + 1,
                    other_name=names[j],
                    correlation=value,
                )
                for i, j, value in strongest_pairs(table, LEAST_CORRELATION, _MOST_PAIRS)
            ),
        )

    # -- ways to see it -------------------------------------------------------------------------

    def standing_row(self, one: Feature) -> dict[str, Any]:
        """Return how sure a feature is, by name; nothing where that was not looked at."""
        if self.sureness is None:
            return {}
        known = one.standing
        return {
            "frequency": known.frequency if known else None,
            "verdict": known.verdict if known else None,
        }

    def rows(self) -> list[dict[str, Any]]:
        """Return the main table, a dict a row, in plain Python."""
        return [
            {
                "rank": one.rank,
                "feature": one.name,
                self.data.place: one.column,
                "score": one.score,
                **one.other_scores,
                **(self.panel.row(one.rank - 1) if self.panel else {}),
                **_effect_row(one.effect),
                **{f"effect on {name}": size for name, size in one.by_target.items()},
                **self.standing_row(one),
            }
            for one in self.features
        ]

    def to_json(self) -> str:
        """Return the report as JSON for programs; the same input gives the same text."""
        from entryprune.report.files import selection_json

        return selection_json(self)

    def _in_short(self) -> Sequence[str]:
        interrupted = "The run was interrupted." if self.is_interrupted else ""
        return self.answer, interrupted, self.verdict or self.unchecked()

    def _table(self) -> Table:
        from entryprune.report.files import features_table

        return features_table(self)

    def _print(self, console: Console) -> None:
        from entryprune.report.terminal import print_selection

        print_selection(self, console)

    def _page(self) -> str:
        from entryprune.report.page import render_selection_page

        return render_selection_page(self)

    def _repr_html_(self) -> str:
        from entryprune.report.page import render_selection_fragment

        return render_selection_fragment(self)


def _score(value: float | None) -> float | None:
    """Return a plain number, which may be infinite; None for what is missing."""
    return None if value is None or math.isnan(value) else float(value)


def _effect_row(effect: Effect | None) -> dict[str, Any]:
    if effect is None:
        return {}
    return {
        "effect": effect.size,
        "highest_in": effect.high,
        "highest_mean": effect.high_mean,
        "lowest_in": effect.low,
        "lowest_mean": effect.low_mean,
    }
