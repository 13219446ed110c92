"""From a comparison's data to the facts that its report tells."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from entryprune._text import some_of
from entryprune.report._texts import count_text, number_text, spread_text
from entryprune.report.run import data_facts, provenance_facts
from entryprune.report.verdict import AS_GOOD, NO_SCORE, UNKNOWN, WORSE, Standing, Verdict, judge

if TYPE_CHECKING:
    from collections.abc import Sequence

    from entryprune.report.comparison import ComparisonReport, Contender, Frequencies

# Features of a method and K that are shown, and contenders that a sentence names.
_MOST_FEATURES, _MOST_NAMED = 25, 5

Facts = dict[str, Any]


def summarise_comparison(report: ComparisonReport) -> Facts:
    """Return the facts of a comparison as a dict that JSON can hold.

    Parameters
    ----------
    report : ComparisonReport
        What is known.

    Returns
    -------
    facts : dict
        Texts, numbers, lists and dicts only; None for what is not known.

    Examples
    --------
    >>> from entryprune.report import ComparisonReport, Contender, DataFacts, Provenance
    >>> facts = summarise_comparison(ComparisonReport(
    ...     data=DataFacts(
    ...         file_name="a.csv", n_cases=99, n_features=9, target="y", task="regression"
    ...     ),
    ...     contenders=[
    ...         Contender(method="STG", k=2, learner="ridge", metric="R²", mean=0.5, sd=0.1)
    ...     ],
    ...     provenance=Provenance(command="entryprune compare a.csv"),
    ... ))
    >>> facts["judgements"][0]["statement"]
    'Use STG with K = 2: R² of ridge 0.50 ± 0.10.'
    """
    judges = list(dict.fromkeys((one.learner, one.metric) for one in report.contenders))
    judgements = [_judgement(report, learner, metric) for learner, metric in judges]
    chosen = [
        (one["rows"][one["choice"]]["method"], one["rows"][one["choice"]]["k"])
        for one in judgements
        if one["choice"] is not None
    ]
    # What is recommended first.
    frequencies = sorted(report.frequencies, key=lambda one: (one.method, one.k) not in chosen)
    return {
        "title": f"Comparison of methods: {report.data.file_name}",
        "judgements": judgements,
        "seconds": _plain(report.seconds),
        "ended": report.ended,
        "warnings": list(report.warnings),
        "data": data_facts(report.data),
        "frequencies": [_frequencies(one, report.data.n_features) for one in frequencies],
        "again": provenance_facts(report.provenance),
    }


def _judgement(report: ComparisonReport, learner: str, metric: str) -> Facts:
    ones = [one for one in report.contenders if (one.learner, one.metric) == (learner, metric)]
    references = [
        one for one in report.references if (one.learner, one.metric) == (learner, metric)
    ]
    verdict = judge(ones)
    standings = verdict.standings if verdict else [Standing(NO_SCORE)] * len(ones)
    return {
        "learner": learner,
        "metric": metric,
        "higher_is_better": ones[0].higher_is_better,
        "statement": _statement(ones, verdict),
        "sureness": _sureness(ones, verdict),
        "reference": _row(references[0], Standing("all features")) if references else None,
        "best": verdict and verdict.best,
        "choice": verdict and verdict.choice,
        "n_folds": verdict.n_folds if verdict else 0,
        "rows": [_row(one, standing) for one, standing in zip(ones, standings, strict=True)],
    }


def _row(one: Contender, standing: Standing) -> Facts:
    return {
        "method": one.method,
        "k": int(one.k),
        "mean": _plain(one.mean),
        "sd": _plain(one.sd),
        "fold_scores": [_plain(score) for score in one.fold_scores],
        "seconds": _plain(one.seconds),
        "note": one.note,
        "verdict": standing.verdict,
        "behind": _plain(standing.behind),
        "standard_error": _plain(standing.standard_error),
    }


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
            f"{count_text(len(ones) - 1, 'other')}."
        )
    if by_verdict[UNKNOWN]:
        sentences.append(
            f"For {some_of(by_verdict[UNKNOWN])} it cannot be told, for that takes at least two "
            "folds, the same for all."
        )
    if by_verdict[NO_SCORE]:
        sentences.append(f"Without a score: {some_of(by_verdict[NO_SCORE])}.")
    if by_verdict[AS_GOOD] or by_verdict[WORSE] or verdict.choice != verdict.best:
        sentences.append(
            "One standard error is a mild test and, because the folds share cases, rather too "
            "small than too large. With new cases, those close to each other may change places."
        )
    return sentences


def _name(one: Contender) -> str:
    return f"{one.method} with K = {one.k:,}"


def _frequencies(one: Frequencies, n_features: int) -> Facts:
    ranked = sorted(one.counts, key=lambda count: -count[2])
    return {
        "method": one.method,
        "k": int(one.k),
        "n_times": int(one.n_times),
        "n_features_ever": sum(1 for _, _, n in one.counts if n > 0),
        "stability": stability(one, n_features),
        "features": [
            {"name": str(name), "column": int(column), "n": int(n)}
            for name, column, n in ranked[:_MOST_FEATURES]
        ],
    }


def stability(one: Frequencies, n_features: int) -> float | None:
    """Return how alike the selections are: 1 if always the same, about 0 if as by chance.

    The measure of Nogueira, Sechidis and Brown (2018), which allows for agreement by chance.

    Parameters
    ----------
    one : Frequencies
        With all features that were ever selected.
    n_features : int
        How many there are to select from.

    Returns
    -------
    stability : float or None
        None with fewer than two selections, if all features are selected, or if the counts are
        not complete.

    Examples
    --------
    >>> from entryprune.report import Frequencies
    >>> same = Frequencies(method="STG", k=2, n_times=5, counts=[("a", 1, 5), ("b", 2, 5)])
    >>> stability(same, n_features=100)
    1.0
    """
    n_counted = sum(n for _, _, n in one.counts)
    is_complete = n_counted == one.k * one.n_times
    if one.n_times < 2 or not is_complete or not 0 < one.k < n_features:
        return None
    shares = [n / one.n_times for _, _, n in one.counts]
    variance = sum(share * (1 - share) for share in shares) * one.n_times / (one.n_times - 1)
    by_chance = one.k * (1 - one.k / n_features)
    return 1.0 - variance / by_chance


def _plain(value: float | None) -> float | None:
    return float(value) if value is not None and math.isfinite(value) else None
