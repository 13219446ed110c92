"""The report of a comparison: what was compared, and which of them to use."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from entryprune._text import counted, some_of
from entryprune.report.base import Viewable, plain
from entryprune.report.text import number_text, spread_text

if TYPE_CHECKING:
    from rich.console import Console

    from entryprune.report.base import DataFacts, Provenance

# Features of a method and K that are shown.
_MOST_FEATURES = 25
BEST, AS_GOOD, WORSE = "best", "not clearly worse", "worse"
UNKNOWN, NO_SCORE = "not known", "no score"


@dataclass(frozen=True, kw_only=True)
class Contender:
    """One method with one number of selected features, judged by one learner and metric."""

    method: str
    k: int
    learner: str
    metric: str
    mean: float | None
    sd: float | None = None
    fold_scores: Sequence[float] = ()  # the folds are the same for all, in the same order
    seconds: float | None = None
    higher_is_better: bool = True
    note: str = ""  # such as why there is no score


@dataclass(frozen=True, kw_only=True)
class Frequencies:
    """How often one method with one K selected which features."""

    method: str
    k: int
    n_times: int
    counts: Sequence[tuple[str, int, int]]  # name, column and number of times


# -- facts that follow --------------------------------------------------------------------------


@dataclass(frozen=True, kw_only=True)
class Result:
    """A contender and how it does against the best: plain numbers, None for what is not known."""

    method: str
    k: int
    learner: str
    metric: str
    mean: float | None
    sd: float | None
    fold_scores: tuple[float | None, ...]
    seconds: float | None
    note: str
    verdict: str
    behind: float | None
    standard_error: float | None


@dataclass(frozen=True, kw_only=True)
class Judgement:
    """Which contender to use for one learner and metric, and how sure that is.

    `best` and `choice` are positions in `results`; `reference` is the result with all features.
    """

    learner: str
    metric: str
    higher_is_better: bool
    statement: str
    sureness: tuple[str, ...]
    reference: Result | None
    best: int | None
    choice: int | None
    n_folds: int
    results: tuple[Result, ...]

    @property
    def judge(self) -> str:
        """The metric and the learner in words."""
        return f"{self.metric} of {self.learner}"


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


@dataclass(frozen=True)
class Standing:
    """How one contender does against the best."""

    verdict: str
    behind: float | None = None  # by how much it is worse, on average over the folds
    standard_error: float | None = None


@dataclass(frozen=True)
class Verdict:
    """Which contender to use for one learner and metric."""

    best: int  # the one with the best mean
    choice: int  # the one with the smallest K among those that are not clearly worse
    standings: tuple[Standing, ...]
    n_folds: int


def judge(contenders: Sequence[Contender]) -> Verdict | None:
    """Find the best contender, those that are not clearly worse, and the smallest of them.

    Not clearly worse is one whose difference to the best, over the same folds, is within one
    standard error of that difference.
    """
    has_score = [one.mean is not None and math.isfinite(one.mean) for one in contenders]
    known = [i for i, yes in enumerate(has_score) if yes]
    if not known:
        return None
    sign = 1.0 if contenders[0].higher_is_better else -1.0

    def goodness(i: int) -> float:
        return sign * (contenders[i].mean or 0.0)

    # Of two equal means the one with fewer features is the better.
    best = max(known, key=lambda i: (goodness(i), -contenders[i].k))
    standings = tuple(
        _stand(contenders[i], contenders[best], sign, is_best=i == best)
        if has_score[i]
        else Standing(NO_SCORE)
        for i in range(len(contenders))
    )
    good = [i for i in known if standings[i].verdict in (BEST, AS_GOOD)]
    choice = min(good, key=lambda i: (contenders[i].k, -goodness(i)))
    return Verdict(best, choice, standings, len(contenders[best].fold_scores))


def _stand(one: Contender, best: Contender, sign: float, *, is_best: bool) -> Standing:
    if is_best:
        return Standing(BEST)
    ours, others = (np.asarray(c.fold_scores, dtype=np.float64) for c in (best, one))
    if len(ours) != len(others) or len(ours) < 2 or not np.isfinite([*ours, *others]).all():
        return Standing(UNKNOWN)
    differences = sign * (ours - others)
    behind = float(differences.mean())
    error = float(differences.std(ddof=1) / math.sqrt(len(differences)))
    return Standing(AS_GOOD if behind <= error else WORSE, behind, error)


@dataclass(frozen=True, kw_only=True, eq=False)
class ComparisonReport(Viewable):
    """All that the report of a comparison tells. What is not given is left out of it."""

    data: DataFacts
    contenders: Sequence[Contender]
    provenance: Provenance
    references: Sequence[Contender] = ()  # with all features, one for each learner and metric
    frequencies: Sequence[Frequencies] = ()
    seconds: float | None = None
    ended: str = "finished"
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
        """Which contender to use, for each learner and metric."""
        judges = dict.fromkeys((one.learner, one.metric) for one in self.contenders)
        return tuple(self._judgement(learner, metric) for learner, metric in judges)

    @cached_property
    def selected_often(self) -> tuple[SelectedOften, ...]:
        """Which features were selected most often, for what is recommended first."""
        chosen = [
            (one.results[one.choice].method, one.results[one.choice].k)
            for one in self.judgements
            if one.choice is not None
        ]
        ones = sorted(self.frequencies, key=lambda one: (one.method, one.k) not in chosen)
        return tuple(_often(one, self.data.n_features) for one in ones)

    def _judgement(self, learner: str, metric: str) -> Judgement:
        ones, references = (
            [one for one in some if (one.learner, one.metric) == (learner, metric)]
            for some in (self.contenders, self.references)
        )
        verdict = judge(ones)
        standings = verdict.standings if verdict else [Standing(NO_SCORE)] * len(ones)
        return Judgement(
            learner=learner,
            metric=metric,
            higher_is_better=ones[0].higher_is_better,
            statement=_statement(ones, verdict),
            sureness=tuple(_sureness(ones, verdict)),
            reference=_result(references[0], Standing("all features")) if references else None,
            best=verdict.best if verdict else None,
            choice=verdict.choice if verdict else None,
            n_folds=verdict.n_folds if verdict else 0,
            results=tuple(
                _result(one, standing) for one, standing in zip(ones, standings, strict=True)
            ),
        )

    # -- ways to see it -------------------------------------------------------------------------

    def rows(self) -> list[dict[str, Any]]:
        """Return the main table, a dict a row, in plain Python."""
        return [
            {
                "method": one.method,
                "K": int(one.k),
                "learner": one.learner,
                "metric": one.metric,
                "mean": plain(one.mean),
                "SD": plain(one.sd),
                "seconds": plain(one.seconds),
                "remark": one.note,
            }
            for one in (*self.references, *self.contenders)
        ]

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
    return Result(
        method=one.method,
        k=int(one.k),
        learner=one.learner,
        metric=one.metric,
        mean=plain(one.mean),
        sd=plain(one.sd),
        fold_scores=tuple(plain(score) for score in one.fold_scores),
        seconds=plain(one.seconds),
        note=one.note,
        verdict=standing.verdict,
        behind=plain(standing.behind),
        standard_error=plain(standing.standard_error),
    )


def _statement(ones: Sequence[Contender], verdict: Verdict | None) -> str:
    if verdict is None:
        return "None of them has a score, so none can be recommended."
    choice = ones[verdict.choice]
    folds = f" (mean ± SD over {verdict.n_folds} folds)" if verdict.n_folds > 1 else ""
    score = f"{choice.metric} of {choice.learner} {spread_text(choice.mean, choice.sd)}"
    return f"Use {_name(choice)}: {score}{folds}."


def _sureness(ones: Sequence[Contender], verdict: Verdict | None) -> list[str]:
    """Say how the choice came about, and how much to trust it."""
    if verdict is None or len(ones) == 1:
        return []
    best, choice = ones[verdict.best], ones[verdict.choice]
    standing = verdict.standings[verdict.choice]
    higher = "highest" if best.higher_is_better else "lowest"
    sentences = []
    if verdict.choice == verdict.best:
        sentences.append(f"It has the best ({higher}) mean of all.")
    else:
        sentences.append(
            f"The best ({higher}) mean has {_name(best)}, {number_text(best.mean)}. Over the same "
            f"folds the difference is {spread_text(standing.behind, standing.standard_error)} "
            "(mean ± standard error), so it is within one standard error. "
            + (
                "Fewer features that do not do clearly worse are to be preferred."
                if choice.k < best.k
                else "That is no clear difference."
            )
        )
    by_verdict = {
        name: [
            _name(ones[i])
            for i, one in enumerate(verdict.standings)
            if one.verdict == name and i != verdict.choice
        ]
        for name in (AS_GOOD, WORSE, UNKNOWN, NO_SCORE)
    }
    if by_verdict[AS_GOOD]:
        sentences.append(f"Not clearly worse than the best either: {some_of(by_verdict[AS_GOOD])}.")
    if by_verdict[WORSE]:
        n_worse = len(by_verdict[WORSE])
        sentences.append(
            f"Worse than the best by more than one standard error: {n_worse} of "
            f"{counted(len(ones) - 1, 'other')}."
        )
    if by_verdict[UNKNOWN]:
        sentences.append(
            f"For {some_of(by_verdict[UNKNOWN])} it is not known, because that takes at least two "
            "folds, the same for all."
        )
    if by_verdict[NO_SCORE]:
        sentences.append(f"Without a score: {some_of(by_verdict[NO_SCORE])}.")
    if by_verdict[AS_GOOD] or by_verdict[WORSE] or verdict.choice != verdict.best:
        sentences.append(
            "One standard error is a mild test and, because the folds share samples, rather too "
            "small than too large. With new samples, those close to each other may change places."
        )
    return sentences


def _name(one: Contender) -> str:
    return f"{one.method} with K = {one.k:,}"


def _often(one: Frequencies, n_features: int) -> SelectedOften:
    ranked = sorted(one.counts, key=lambda count: -count[2])
    return SelectedOften(
        method=one.method,
        k=int(one.k),
        n_times=int(one.n_times),
        n_features_ever=sum(1 for _, _, n in one.counts if n > 0),
        stability=stability(one, n_features),
        features=tuple(
            (str(name), int(column), int(n)) for name, column, n in ranked[:_MOST_FEATURES]
        ),
    )


def stability(one: Frequencies, n_features: int) -> float | None:
    """Return how alike the selections are: 1 if always the same, about 0 if as by chance.

    The measure of Nogueira, Sechidis and Brown (2018), which allows for agreement by chance. None
    with fewer than two selections, if all features are selected, or if counts are not complete.
    """
    n_counted = sum(n for _, _, n in one.counts)
    is_complete = n_counted == one.k * one.n_times
    if one.n_times < 2 or not is_complete or not 0 < one.k < n_features:
        return None
    shares = [n / one.n_times for _, _, n in one.counts]
    variance = sum(share * (1 - share) for share in shares) * one.n_times / (one.n_times - 1)
    by_chance = one.k * (1 - one.k / n_features)
    return 1.0 - variance / by_chance
