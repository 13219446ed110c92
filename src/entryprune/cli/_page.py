"""Fills in the report pages of `select` and `compare`."""

from __future__ import annotations

import shlex
import statistics
import sys
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from entryprune._files import write_text

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from entryprune.bench.validation import Outcome
    from entryprune.cli._answer import Answer
    from entryprune.cli._reading import Question
    from entryprune.report.comparison import ComparisonReport, Contender
    from entryprune.report.run import DataFacts, Provenance
    from entryprune.report.selection import Pair, SelectionReport, Validation

# A feature that was left out says nearly the same as a selected one from this correlation on.
_NEAR = 0.9
_MOST_NEAR = 5
_N_SAMPLES = 11
_LEARNERS = {"svm": "support vector machine", "svr": "support vector regression"}
_METRICS = {"svm": "accuracy (%)", "svr": "explained variance (%)"}
_RUNNERS_UP = (
    "The numbers of features that are not selected say what each would bring beside all selected "
    "ones."
)
_REASONS_TO_CUT = ("max_rotations", "max_epochs")


def write_selection_page(
    answer: Answer,
    path: Path,
    *,
    shape: tuple[int, int] | None,
    outcomes: Sequence[Outcome],
    n_repeats: int,
    remarks: Sequence[str] = (),
) -> None:
    """Write the page that shows a selection."""
    from entryprune.report.page import render_selection_page

    remarks = (*remarks, *guessing_remarks(answer.question, outcomes))
    report = _selection(answer, shape, outcomes, n_repeats, remarks)
    write_text(path, render_selection_page(report))


def write_comparison_page(
    question: Question, outcomes: Sequence[Outcome], path: Path, *, n_repeats: int
) -> None:
    """Write the page that says which method to use."""
    from entryprune.report.page import render_comparison_page

    write_text(path, render_comparison_page(comparison(question, outcomes, n_repeats)))


def command() -> str:
    """Return the command line as it was typed."""
    return shlex.join(["entryprune", *sys.argv[1:]])


def _selection(
    answer: Answer,
    shape: tuple[int, int] | None,
    outcomes: Sequence[Outcome],
    n_repeats: int,
    remarks: Sequence[str],
) -> SelectionReport:
    from entryprune.baselines import get_method
    from entryprune.report.selection import Cases, Images, Selected, SelectionReport

    table, selector = answer.question.table, answer.selector
    features = answer.features()
    chosen = selector.selected_indices_
    images = None
    if shape is not None:
        images = Images(shape, selector.support_, _samples(table.X, answer.question.y))
    return SelectionReport(
        data=_data(answer.question),
        n_selected=answer.k,
        method=get_method(answer.method).title,
        selected=Selected(
            names=answer.names,
            columns=[row["column"] for row in features],
            scores=[row["score"] for row in features],
            score_name=answer.score_name,
            score_meaning=_meaning(answer),
            runners_up=[
                (row["feature"], row["column"], row["score"]) for row in answer.runners_up()
            ],
            runners_up_note=_RUNNERS_UP if answer.is_by_evidence else "",
            near_duplicates=near_duplicates(table.X, chosen, table.feature_names),
            ended=_ended(answer),
            warnings=(*answer.notes, *remarks),
        ),
        provenance=_provenance(_settings(selector), answer.seed, answer.n_threads),
        history=_history(selector),
        pairs=_pairs(answer),
        pairs_searched=answer.pairs_searched,
        validation=[_validation(one, answer.question, n_repeats) for one in outcomes if one.known],
        cases=Cases(table.X[:, chosen], answer.question.y),
        images=images,
    )


def _settings(selector: Any) -> dict[str, Any]:
    """Return every parameter as it was used, without those of another EntryPrune."""
    from entryprune.selectors._presets import TUNABLES

    used = getattr(selector, "settings_", None)
    given = selector.get_params()
    if used is None:
        return dict(given)
    return {**{name: value for name, value in given.items() if name not in TUNABLES}, **used}


def _history(selector: Any) -> Any:
    """Return what a selector reports of its way; None if there was none, as in constant columns."""
    history = getattr(selector, "history_", None)
    return history if history is not None and len(history["phase"]) else None


def _meaning(answer: Answer) -> str:
    """Say how to read scores that are not what a feature had to reach; nothing for others."""
    if not answer.is_by_evidence:
        return ""
    scores = [row["score"] for row in answer.features()]
    n_idle = sum(score is not None and score <= 0 for score in scores)
    idle = f" By this measure {n_idle} of the {len(scores)} bring nothing." if n_idle else ""
    return (
        f"What a feature brings is the {answer.score_unit} that would be lost without it, beside "
        f"all the other selected features. The order of the list is another: each feature is the "
        f"best to add to those above it. So one that stands high may bring little if those below "
        f"can stand in for it.{idle}"
    )


def _pairs(answer: Answer) -> list[Pair]:
    import numpy as np

    from entryprune.report.selection import Pair

    table = answer.question.table
    numbers = {name: number for number, name in enumerate(table.feature_names)}
    pairs: list[Pair] = []
    for row in answer.pairs():
        first, second = row["names"]
        pairs.append(
            Pair(
                names=(first, second),
                columns=tuple(row["columns"]),
                strength=row["strength"],
                p_value=row["p_value"],
                # One is drawn.
                values=None if pairs else np.asarray(table.X[:, [numbers[first], numbers[second]]]),
            )
        )
    return pairs


def _ended(answer: Answer) -> Any:
    if answer.is_interrupted:
        return "interrupted"
    reason = getattr(answer.selector, "stop_reason_", "")
    return "cut off" if reason in _REASONS_TO_CUT else "finished"


def comparison(question: Question, outcomes: Sequence[Outcome], n_repeats: int) -> ComparisonReport:
    """Return what a comparison came to."""
    from entryprune.baselines import get_method
    from entryprune.bench.cases import ALL_FEATURES
    from entryprune.report.comparison import ComparisonReport, Frequencies

    names, places = question.table.feature_names, question.table.places
    selections = [one for one in outcomes if one.method != ALL_FEATURES]
    return ComparisonReport(
        data=_data(question),
        contenders=[_contender(one, question) for one in selections],
        references=[_contender(one, question) for one in outcomes if one.method == ALL_FEATURES],
        frequencies=[
            Frequencies(
                method=get_method(one.method).title,
                k=one.k,
                n_times=len(one.selections),
                counts=[
                    (names[column], places[column], count)
                    for column, count in Counter(
                        column for chosen in one.selections for column in chosen
                    ).most_common()
                ],
            )
            for one in selections
            if one.selections
        ],
        # Each selection runs in a process with one thread.
        provenance=_provenance({"repetitions of five folds": n_repeats}, None, n_threads=1),
        warnings=[
            *guessing_remarks(question, outcomes),
            *(f"{one.method}, K = {one.k}: {one.trouble}" for one in outcomes if one.trouble),
        ],
    )


def guessing_remarks(question: Question, outcomes: Sequence[Outcome]) -> list[str]:
    """Say so if no selection predicts better than a guess that looks at no feature."""
    import numpy as np

    from entryprune.bench.cases import ALL_FEATURES

    means = [
        statistics.fmean(one.known) for one in outcomes if one.known and one.method != ALL_FEATURES
    ]
    if not means:
        return []
    if question.task == "classification":
        chance = 100.0 * float(np.unique(question.y, return_counts=True)[1].max()) / len(question.y)
        guess = f"always guessing the most frequent class ({chance:.1f} %)"
    else:
        chance, guess = 0.0, "always guessing the mean"
    if max(means) > chance:
        return []
    return [
        f"No selection predicts better than {guess}: these features, or this many cases, tell "
        f"nothing that can be relied on."
    ]


def _contender(one: Outcome, question: Question) -> Contender:
    from entryprune.baselines import get_method
    from entryprune.bench.cases import ALL_FEATURES
    from entryprune.bench.validation import learner_for
    from entryprune.report.comparison import Contender

    learner = learner_for(question.task)
    is_all = one.method == ALL_FEATURES
    is_whole = len(one.known) == len(one.scores)
    return Contender(
        method="all features" if is_all else get_method(one.method).title,
        k=len(question.table.feature_names) if is_all else one.k,
        learner=_LEARNERS[learner],
        metric=_METRICS[learner],
        mean=statistics.fmean(one.known) if one.known else None,
        sd=statistics.stdev(one.known) if len(one.known) > 1 else None,
        # Folds can be compared one by one only if none is missing.
        fold_scores=one.known if is_whole else (),
        seconds=None if is_all else one.seconds,
        note=one.trouble,
    )


def _validation(one: Outcome, question: Question, n_repeats: int) -> Validation:
    from entryprune.bench.cases import ALL_FEATURES, N_FOLDS
    from entryprune.report.selection import Validation

    contender = _contender(one, question)
    n_features = len(question.table.feature_names)
    is_all = one.method == ALL_FEATURES
    return Validation(
        what=f"all {n_features:,} features" if is_all else f"the selected {one.k}",
        learner=contender.learner,
        metric=contender.metric,
        mean=contender.mean,
        sd=contender.sd,
        n_splits=N_FOLDS,
        n_repeats=n_repeats,
    )


def _data(question: Question) -> DataFacts:
    import numpy as np

    from entryprune.report.run import DataFacts

    table, y = question.table, question.y
    is_classes = question.task == "classification"
    labels, counts = np.unique(y, return_counts=True)
    return DataFacts(
        file_name=table.path.name,
        n_cases=len(y),
        n_features=len(table.feature_names),
        target=table.target_name or "target",
        task="classification" if is_classes else "regression",
        class_counts=list(zip(map(str, labels), map(int, counts), strict=True))
        if is_classes
        else (),
        target_range=None if is_classes else (float(labels[0]), float(labels[-1])),
        notes=question.facts,
    )


def _provenance(settings: dict[str, Any], seed: int | None, n_threads: int | None) -> Provenance:
    from entryprune.bench.environment import machine, versions
    from entryprune.report.run import Provenance

    return Provenance(
        command=command(),
        settings=settings,
        seed=seed,
        versions=versions(),
        machine={name: str(value) for name, value in machine().items()},
        n_threads=n_threads,
    )


def _samples(X: NDArray[Any], y: NDArray[Any]) -> NDArray[Any]:
    """Return some cases of different classes, with values from 0 to 1."""
    import numpy as np

    firsts = np.sort(np.unique(y, return_index=True)[1])[:_N_SAMPLES]
    spread = float(X.max()) - float(X.min())
    scaled: NDArray[Any] = (X[firsts] - float(X.min())) / (spread or 1.0)
    return scaled


def near_duplicates(
    X: NDArray[Any], chosen: NDArray[Any], names: Sequence[str]
) -> list[list[tuple[str, float]]]:
    """Return for each selected feature those left out that are almost the same.

    Examples
    --------
    >>> import numpy as np
    >>> X = np.array([[1.0, 2.0, 5.0], [2.0, 4.0, 1.0], [3.0, 6.1, 4.0]])
    >>> [[name for name, _ in near] for near in near_duplicates(X, np.array([0]), ["a", "b", "c"])]
    [['b']]
    """
    import numpy as np

    def standardised(columns: NDArray[Any]) -> NDArray[np.float32]:
        centred = columns.astype(np.float32) - columns.mean(axis=0, dtype=np.float64)
        lengths = np.linalg.norm(centred, axis=0)
        unit: NDArray[np.float32] = (centred / np.where(lengths > 0, lengths, 1.0)).astype(
            np.float32
        )
        return unit

    correlation = standardised(X[:, chosen]).T @ standardised(X)
    correlation[:, chosen] = 0.0
    found = []
    for row in correlation:
        order = np.argsort(-np.abs(row), kind="stable")[:_MOST_NEAR]
        found.append([(names[i], float(row[i])) for i in order if abs(row[i]) >= _NEAR])
    return found
