"""The report of a comparison: what was compared, and which of them to use, if any."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

from entryprune._text import counted
from entryprune.report.base import Viewable, plain
from entryprune.report.checks import majority_text, uneven_notes
from entryprune.report.statistics import Difference
from entryprune.report.text import capitalise, folds_text
from entryprune.report.verdict import (
    Contender,
    Kind,
    Standing,
    gain_over,
    judge,
    statement,
    sureness,
)

if TYPE_CHECKING:
    from rich.console import Console

    from entryprune.report.base import DataFacts, Provenance
    from entryprune.report.table import Table

__all__ = [
    "ComparisonReport",
    "Contender",
    "Frequencies",
    "Interruption",
    "Judgement",
    "Result",
    "SelectedOften",
]

# Features of a method and K that are shown.
_MOST_FEATURES = 25


@dataclass(frozen=True, kw_only=True)
class Frequencies:
    """How often one method with one K selected which features."""

    method: str
    k: int
    n_times: int
    counts: Sequence[tuple[str, int, int]]  # name, column and number of times


@dataclass(frozen=True, kw_only=True)
class Interruption:
    """How far a run had come when it was interrupted."""

    n_folds: int  # that were asked for
    n_compared: int  # that the verdict is from; 0 if too few were finished for one
    n_splits: int = 5  # a round of folds


# -- facts that follow --------------------------------------------------------------------------


@dataclass(frozen=True, kw_only=True)
class Result:
    """A row of the table: plain numbers, None for what is not known.

    `verdict` and `behind` are against the best selection, `gain` is against all features, with the
    95 % interval from `gain_low` to `gain_high`; `standard_error` is that of `behind`; `n_folds`
    is how many are behind the mean.
    """

    method: str
    k: int
    learner: str
    metric: str
    mean: float | None
    sd: float | None
    fold_scores: tuple[float | None, ...]
    stability: float | None
    seconds: float | None
    note: str
    verdict: str
    behind: float | None
    standard_error: float | None
    gain: float | None
    gain_low: float | None
    gain_high: float | None
    n_folds: int | None


@dataclass(frozen=True, kw_only=True)
class Judgement:
    """What to do by one learner and metric, and how sure that is.

    `kind` is "use", "keep all", "too close", "nothing" (none is better than guessing), "not known"
    (there are not enough folds to compare by) or "no score". `best`, `named` (whom the statement is
    about) and `choice` (to be used, else None) are positions in `results`; `reference` is the
    result with all features, `controls` are those of random features.
    """

    learner: str
    metric: str
    higher_is_better: bool
    kind: Kind
    statement: str
    sureness: tuple[str, ...]
    reference: Result | None
    guess: Result | None
    controls: tuple[Result, ...]
    best: int | None
    named: int | None
    n_folds: int
    results: tuple[Result, ...]

    @property
    def choice(self) -> int | None:
        """The result that is recommended, if any."""
        return self.named if self.kind == "use" else None

    @property
    def judge(self) -> str:
        """The metric and the learner in words."""
        return f"{self.metric} of {self.learner}"

    @property
    def others(self) -> tuple[Result, ...]:
        """What the results are to be compared with."""
        ends = (self.reference, *self.controls, self.guess)
        return tuple(one for one in ends if one is not None)


@dataclass(frozen=True, kw_only=True)
class SelectedOften:
    """The features that one method with one K selected most often.

    `features` has name, column and number of times; `stability` says how alike the sets are.
    """

    method: str
    k: int
    n_times: int
    n_features_ever: int
    stability: float | None
    features: tuple[tuple[str, int, int], ...]


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class ComparisonReport(Viewable):
    """All that the report of a comparison tells. What is not given is left out of it."""

    data: DataFacts
    contenders: Sequence[Contender]
    provenance: Provenance
    # To compare with, for each learner and metric: all features, as many columns drawn at random,
    # and the best guess that looks at no feature.
    references: Sequence[Contender] = ()
    controls: Sequence[Contender] = ()
    guesses: Sequence[Contender] = ()
    test_ratio: float = 0.25  # test samples of a fold for each that is learned from
    how: str = ""  # the folds were made, as it follows "cross-validation"; empty if by chance
    is_suited: bool = False  # whether the measure was taken because the classes are uneven
    frequencies: Sequence[Frequencies] = ()
    seconds: float | None = None
    interrupted: Interruption | None = None
    warnings: Sequence[str] = ()

    def __post_init__(self) -> None:
        if not self.contenders:
            raise ValueError("There is nothing to compare. Give at least one contender.")

    @property
    def title(self) -> str:
        """What the page is called."""
        return f"Comparison of methods: {self.data.file_name or self.data.target}"

    @cached_property
    def judgements(self) -> tuple[Judgement, ...]:
        """What to do, for each learner and metric."""
        judges = dict.fromkeys((one.learner, one.metric) for one in self.contenders)
        return tuple(self._judgement(learner, metric) for learner, metric in judges)

    @property
    def interruption(self) -> str:
        """That the run was interrupted, and who has fewer folds; empty if it was not."""
        if self.interrupted is None:
            return ""
        asked, compared = self.interrupted.n_folds, self.interrupted.n_compared
        if not compared:
            return (
                f"Interrupted: this is what was finished of {asked:,} folds, less than the "
                f"{self.interrupted.n_splits} of each that a verdict takes. Finished: "
                f"{self._by_folds(asked + 1)}."
            )
        fewer = self._by_folds(compared)
        also = f" Fewer are finished, so that these are not compared: {fewer}." if fewer else ""
        return (
            f"Interrupted: all that is said here comes from {compared:,} of {asked:,} folds, those "
            f"that were finished by then.{also}"
        )

    def _by_folds(self, below: int) -> str:
        """Name those with fewer folds than so many, those with most first."""
        groups: dict[int, dict[str, list[int]]] = {}
        for one in (*self.references, *self.contenders, *self.controls):
            if (n := one.n_folds or 0) < below:
                groups.setdefault(n, {}).setdefault(one.method, []).append(one.k)
        alone = {one.method for one in self.references}
        texts = []
        for n, methods in sorted(groups.items(), reverse=True):
            names = [
                method if method in alone else f"{method} (K = {', '.join(map(str, ks))})"
                for method, ks in methods.items()
            ]
            texts.append(f"{counted(n, 'fold') if n else 'none'} of {', '.join(names)}")
        return "; ".join(texts)

    @property
    def folds_note(self) -> str:
        """How the folds were made, in a sentence; empty if by chance alone."""
        return folds_text(self.how)

    @cached_property
    def remarks(self) -> tuple[str, ...]:
        """What else there is to know: uneven classes, methods that were left out."""
        measures = [one.metric for one in self.contenders]
        is_command = bool(self.provenance.command)
        uneven = uneven_notes(self.data, measures, is_command=is_command, is_suited=self.is_suited)
        return (*uneven, *self.warnings)

    @cached_property
    def selected_often(self) -> tuple[SelectedOften, ...]:
        """Which features were selected most often, first by those that the verdict is about."""
        named = [
            (one.results[one.named].method, one.results[one.named].k)
            for one in self.judgements
            if one.named is not None
        ]
        ones = sorted(self.frequencies, key=lambda one: (one.method, one.k) not in named)
        stabilities = {(one.method, one.k): one.stability for one in self.contenders}
        return tuple(_often(one, stabilities.get((one.method, one.k))) for one in ones)

    def _judgement(self, learner: str, metric: str) -> Judgement:
        def mine(some: Sequence[Contender]) -> list[Contender]:
            return [one for one in some if (one.learner, one.metric) == (learner, metric)]

        ones, controls = mine(self.contenders), mine(self.controls)
        everything, guess = (
            next(iter(mine(some)), None) for some in (self.references, self.guesses)
        )
        verdict = judge(ones, everything, guess, self.test_ratio)
        majority = capitalise(f"{text}.") if (text := majority_text(self.data, metric)) else ""

        def compared(one: Contender) -> Result:
            gain = None if everything is None else gain_over(one, everything, self.test_ratio)
            return _result(one, Standing("", None, gain))

        return Judgement(
            learner=learner,
            metric=metric,
            higher_is_better=ones[0].higher_is_better,
            kind=verdict.kind,
            statement=statement(ones, verdict, everything, guess),
            sureness=(
                *sureness(ones, verdict, guess, controls, self.test_ratio),
                *([majority] if majority and verdict.best is not None else []),
            ),
            reference=_result(everything, Standing("")) if everything else None,
            guess=compared(guess) if guess else None,
            controls=tuple(compared(one) for one in controls),
            best=verdict.best,
            named=verdict.named,
            n_folds=verdict.n_folds,
            results=tuple(
                _result(one, standing)
                for one, standing in zip(ones, verdict.standings, strict=True)
            ),
        )

    # -- ways to see it -------------------------------------------------------------------------

    def rows(self) -> list[dict[str, Any]]:
        """Return the main table, a dict a row, in plain Python."""
        return [
            {
                "method": one.method,
                "K": one.k,
                "learner": one.learner,
                "metric": one.metric,
                "mean": one.mean,
                "SD": one.sd,
                "folds": one.n_folds,
                "gain": one.gain,
                "gain_low": one.gain_low,
                "gain_high": one.gain_high,
                "stability": one.stability,
                "seconds": one.seconds,
                "verdict": one.verdict,
                "remark": one.note,
            }
            for judgement in self.judgements
            for one in (*judgement.results, *judgement.others)
        ]

    def to_json(self) -> str:
        """Return the report as JSON for programs, with the scores of all folds."""
        from entryprune.report.files import comparison_json

        return comparison_json(self)

    def _in_short(self) -> Sequence[str]:
        methods = dict.fromkeys(one.method for one in self.contenders)
        ks = sorted({one.k for one in self.contenders})
        compared = (
            f"{', '.join(methods)} with K = {', '.join(map(str, ks))} of "
            f"{counted(self.data.n_features, 'feature')}, to predict “{self.data.target}”."
        )
        return compared, self.interruption, *(one.statement for one in self.judgements)

    def _table(self) -> Table:
        from entryprune.report.files import comparison_table

        return comparison_table(self)

    def _print(self, console: Console) -> None:
        from entryprune.report.terminal import print_comparison

        print_comparison(self, console)

    def _page(self) -> str:
        from entryprune.report.page import render_comparison_page

        return render_comparison_page(self)

    def _repr_html_(self) -> str:
        from entryprune.report.page import render_comparison_fragment

        return render_comparison_fragment(self)


def _result(one: Contender, standing: Standing) -> Result:
    def part(of: Difference | None, name: str) -> float | None:
        return None if of is None else plain(getattr(of, name))

    return Result(
        method=one.method,
        k=int(one.k),
        learner=one.learner,
        metric=one.metric,
        mean=plain(one.mean),
        sd=plain(one.sd),
        fold_scores=tuple(plain(score) for score in one.fold_scores),
        stability=plain(one.stability),
        seconds=plain(one.seconds),
        note=one.note,
        verdict=standing.verdict,
        behind=part(standing.behind, "mean"),
        standard_error=part(standing.behind, "standard_error"),
        gain=part(standing.gain, "mean"),
        gain_low=part(standing.gain, "low"),
        gain_high=part(standing.gain, "high"),
        n_folds=one.n_folds,
    )


def _often(one: Frequencies, stability: float | None) -> SelectedOften:
    ranked = sorted(one.counts, key=lambda count: -count[2])
    return SelectedOften(
        method=one.method,
        k=int(one.k),
        n_times=int(one.n_times),
        n_features_ever=sum(1 for _, _, n in one.counts if n > 0),
        stability=plain(stability),
        features=tuple(
            (str(name), int(column), int(n)) for name, column, n in ranked[:_MOST_FEATURES]
        ),
    )
