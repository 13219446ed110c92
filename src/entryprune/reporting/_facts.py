"""What a report tells, worked out from a selector, a table or folds."""

from __future__ import annotations

import math
import statistics
import sys
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy.stats import rankdata

from entryprune._survival import time_of_share
from entryprune._text import some_of
from entryprune.methods import CLASSIFICATION, METHODS, REGRESSION, SURVIVAL
from entryprune.report.base import DataFacts, plain
from entryprune.report.checks import find_suspects, sample_notes, suspect_notes
from entryprune.report.confidence import KCurve
from entryprune.report.levels import Dates
from entryprune.report.selected import Pair, Samples, Selected
from entryprune.report.statistics import guess_task
from entryprune.report.text import label_text, number_text
from entryprune.report.validation import Predictions, Validation
from entryprune.report.verdict import Contender

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

    from entryprune.bench.folds import Folds
    from entryprune.bench.learners import Learner, Metric
    from entryprune.bench.validation import FoldResults
    from entryprune.encoding import Encoder
    from entryprune.report.base import Task
    from entryprune.report.checks import Suspect

_N_RUNNERS_UP = 5
_EVIDENCE = "log evidence per sample"
_RUNNERS_UP_NOTE = (
    "The numbers of features that are not selected say what each would bring beside all selected "
    "ones."
)
# What there is to be asked for besides a number of features.
_RULES = {
    "auto": "auto: as few features as do as well as any number",
    "best": "best: the number of features that does best",
}
# Why a run was over, as a selector says it.
_INTERRUPTED, _CUT_OFF = "callback", ("max_rotations", "max_epochs")


@dataclass(frozen=True, eq=False)
class Source:
    """What a report was made from."""

    selector: Any
    X: Any  # an array, a sparse matrix, or a frame that holds more than numbers
    y: NDArray[Any]
    names: tuple[str, ...]
    columns: tuple[int, ...]
    # What the table itself calls its columns, whatever they are called in the report.
    own_names: tuple[str, ...] | None = None
    # What is known of the samples besides: which belong together, and when each was.
    groups: Any = None
    order: Any = None
    weights: NDArray[Any] | None = None  # how often each sample counts
    class_order: list[Any] | None = None  # of classes that are in an order

    @property
    def about(self) -> dict[str, NDArray[Any]]:
        """What else is known of the samples, by the names that `fit` has for it."""
        return {} if self.weights is None else {"sample_weight": self.weights}

    @cached_property
    def encoder(self) -> Encoder | None:
        """How the table reads as numbers; None where it holds nothing else."""
        from entryprune.encoding.views import encoder_of
        from entryprune.selectors._tables import learned_encoder

        return encoder_of(self.X, learned_encoder(self.selector))

    def numbers(self, features: ArrayLike) -> NDArray[Any]:
        """Return one number for each of some features, NaN where a value is missing."""
        from entryprune.encoding.views import numbers_of

        return numbers_of(self._by_column, self.encoder, features)

    @cached_property
    def _by_column(self) -> Any:
        """The table, of which some columns are at hand if it is sparse."""
        return self.X.tocsc() if hasattr(self.X, "tocsc") else self.X

    @cached_property
    def worded(self) -> list[int]:
        """The features that are categories."""
        kinds = () if self.encoder is None else self.encoder.kinds
        return [feature for feature, kind in enumerate(kinds) if kind == "categories"]


def own_names(X: Any, selector: Any = None) -> tuple[str, ...] | None:
    """Return what a table calls its columns, or the selector that was fitted on it, if any does."""
    found = getattr(X, "column_names", getattr(X, "columns", None))
    if found is None:
        found = getattr(selector, "feature_names_in_", None)
    return None if found is None else tuple(map(str, found))


def check_same_columns(fitted: Any, source: Source, n_fitted: int) -> None:
    """Refuse what was fitted on other columns than those of the report's table."""
    what, n_columns = type(fitted).__name__, len(source.names)
    again = "Give the table that it was fitted on."
    if n_columns != n_fitted:
        raise ValueError(f"X has {n_columns} columns, but {what} was fitted on {n_fitted}. {again}")
    theirs = own_names(None, fitted)
    if theirs is None or source.own_names is None or theirs == source.own_names:
        return
    pairs = zip(source.own_names, theirs, strict=True)
    place, (ours, other) = next((i, pair) for i, pair in enumerate(pairs, 1) if pair[0] != pair[1])
    raise ValueError(
        f"Column {place} of X is called {ours!r}, but {what} was fitted on a table that calls it "
        f"{other!r}. {again}"
    )


def is_stability(selector: Any) -> bool:
    """Whether a selector says how sure its features are."""
    # Who has one has imported it; others need not wait for it.
    known = sys.modules.get("entryprune.confidence.stability")
    return known is not None and isinstance(selector, known.StabilitySelector)


def method_of(selector: Any) -> str:
    """Return the name of the method that a selector is, or of its class if nobody registered it."""
    name, parameters = type(selector).__name__, selector.get_params()
    fitting = [
        method
        for method in METHODS.values()
        if name in (method.class_name, *method.others.values())
        and all(parameters.get(key) == value for key, value in method.settings.items())
    ]
    # The one that says most.
    best = max(fitting, key=lambda method: len(method.settings), default=None)
    return name if best is None else best.name


# -- the table ----------------------------------------------------------------------------------


def table_of(
    X: Any,
    y: ArrayLike,
    feature_names: Sequence[str] | None,
    column_numbers: Sequence[int] | None,
    selector: Any = None,
) -> tuple[Any, NDArray[Any], tuple[str, ...], tuple[int, ...]]:
    """Return the table as such, target, names and numbers of the columns, of any kind of table."""
    from entryprune.selectors._tables import as_table

    found = own_names(X, selector) if feature_names is None else feature_names
    values = as_table(X)
    labels = np.asarray(y)
    if labels.ndim == 2 and labels.shape[1] == 1:
        labels = labels.ravel()
    if len(values.shape) != 2 or labels.ndim > 2 or labels.shape[:1] != values.shape[:1]:
        raise ValueError(
            "X must be a table and y have a value for each of its rows; their shapes are "
            f"{values.shape} and {labels.shape}."
        )
    n_columns = values.shape[1]
    names = tuple(f"x{i}" for i in range(n_columns)) if found is None else tuple(map(str, found))
    columns = tuple(range(1, n_columns + 1) if column_numbers is None else column_numbers)
    for what, ones in (("feature_names", names), ("column_numbers", columns)):
        if len(ones) != n_columns:
            raise ValueError(f"{what} has {len(ones)} entries for {n_columns} columns of X.")
    return values, labels, names, columns


def class_order(y: Any) -> list[Any] | None:
    """Return the order of classes as folds have them, where the target knows of one."""
    from entryprune.selectors._classifier import ordered_labels

    found = ordered_labels(y)
    # Folds have objects as texts.
    is_text = found is not None and np.asarray(y).dtype.kind == "O"
    return list(map(str, found)) if found is not None and is_text else found


def does_survival(selector: Any) -> bool:
    """Whether a selector takes times and events."""
    inner = getattr(selector, "estimator", None)
    if inner is not None:
        return does_survival(inner)
    kind = getattr(selector, "_estimator_type", None)
    return SURVIVAL in (kind, getattr(selector, "task", None))


def target_names(y: Any, name: str | Sequence[str]) -> tuple[str, tuple[str, ...]]:
    """Return what is predicted in words, and the names of several targets."""
    if not isinstance(name, str):
        return some_of(name, len(name)), tuple(name)
    if np.ndim(y) < 2 or np.shape(y)[1] < 2:
        return name, ()
    own = own_names(y) or tuple(f"{name} {i + 1}" for i in range(np.shape(y)[1]))
    return some_of(own, len(own)), own


def present(sample_weight: Any, *of_samples: Any) -> tuple[NDArray[Any] | None, list[Any]]:
    """Return the weights, and the samples whose weight is not zero, which are there."""
    if sample_weight is None:
        return None, list(of_samples)
    from sklearn.utils import _safe_indexing

    from entryprune.selectors._inputs import check_weights

    weights = check_weights(sample_weight, np.shape(of_samples[0])[0])
    assert weights is not None
    there = np.flatnonzero(weights)
    if len(there) == len(weights):
        return weights, list(of_samples)
    kept = [None if some is None else _safe_indexing(some, there) for some in of_samples]
    return weights[there], kept


def task_of(selector: Any, y: NDArray[Any]) -> Task:
    from sklearn.base import is_classifier, is_regressor

    if does_survival(selector):
        return "survival"
    task = getattr(selector, "task", None)
    if task in (CLASSIFICATION, REGRESSION):
        return "classification" if task == CLASSIFICATION else "regression"
    if is_classifier(selector):
        return "classification"
    return "regression" if is_regressor(selector) else guess_task(y)


def data_facts(
    X: Any,
    y: NDArray[Any],
    names: Sequence[str],
    target: str,
    task: Task,
    *,
    targets: Sequence[str] = (),
    encoder: Encoder | None = None,
    cautions: Sequence[str] | None = None,
) -> DataFacts:
    """Return what is to be told of a table; cautions are worked out where none are given."""
    if cautions is None:
        suspects = suspects_in(X, encoder, y, names, task)
        cautions = [*sample_notes(y, task), *suspect_notes(suspects)]
    counts: list[tuple[str, int]] = []
    ends = None
    if targets and task == "classification":
        counts = list(zip(targets, y.sum(axis=0).astype(int).tolist(), strict=True))
    elif task == "classification":
        labels, n_of = np.unique(y, return_counts=True)
        counts = list(zip(map(label_text, labels.tolist()), n_of.tolist(), strict=True))
    elif not targets:
        times = y[:, 0] if task == "survival" else y
        ends = (float(times.min()), float(times.max()))
    survival: dict[str, Any] = {}
    if task == "survival":
        survival["n_events"] = int(y[:, 1].sum())
        survival["median_time"] = plain(time_of_share(y[:, 0], y[:, 1] > 0))
    return DataFacts(
        file_name="",
        n_samples=len(y),
        n_features=X.shape[1],
        target=target,
        task=task,
        class_counts=counts,
        target_range=ends,
        targets=targets,
        notes=() if encoder is None else encoder.notes,
        cautions=cautions,
        **survival,
    )


def suspects_in(
    X: Any, encoder: Encoder | None, y: NDArray[Any], names: Sequence[str], task: Task
) -> list[Suspect]:
    """Return the columns of any table that should hardly be features."""
    from entryprune.encoding.views import numbers_and_codes

    numbers, codes = numbers_and_codes(X, encoder)
    return find_suspects(numbers, y, names, task, codes)


# -- the selection ------------------------------------------------------------------------------


def _is_by_evidence(selector: Any) -> bool:
    """Whether scores say what a feature brings beside the others, and not how it came in."""
    return getattr(selector, "preset", None) == "exchange"


def selected(source: Source) -> Selected:
    selector, names, columns = source.selector, source.names, source.columns
    chosen = [int(i) for i in selector.selected_indices_]
    is_by_evidence = _is_by_evidence(selector)
    scores, next_best = _scores(selector, chosen), _runners_up(selector)
    score_name = "entry score" if hasattr(selector, "entry_scores_") else "score"
    is_by_score = _ranks_by_score(selector)
    meaning = getattr(selector, "_score_meaning", "")
    known = [score for score in scores if score is not None]
    if known and is_by_evidence:
        meaning = _meaning(meaning, scores, len(source.y))
    elif known and meaning and not is_by_score:
        meaning = f"{meaning} The largest is {number_text(max(known))}."
    reason = getattr(selector, "stop_reason_", "")
    return Selected(
        names=[names[i] for i in chosen],
        columns=[columns[i] for i in chosen],
        scores=scores,
        score_name="what it brings" if is_by_evidence else score_name,
        score_unit=_EVIDENCE if is_by_evidence else "",
        score_meaning=meaning if known else "",
        is_by_score=is_by_score,
        runners_up=[
            (names[i], columns[i], score)
            for i, score in zip(next_best, _scores(selector, next_best), strict=True)
        ],
        runners_up_note=_RUNNERS_UP_NOTE if is_by_evidence else "",
        ended="interrupted"
        if reason == _INTERRUPTED
        else "cut off"
        if reason in _CUT_OFF
        else "finished",
        warnings=tuple(_nothing_learned(selector)),
    )


def _nothing_learned(selector: Any) -> list[str]:
    """Return the warning of a fit that learned nothing, which may have been seen by nobody."""
    if getattr(selector, "learned_", True):
        return []
    from entryprune.selectors._base import NOTHING_LEARNED

    return [NOTHING_LEARNED]


def k_curve(selector: Any) -> KCurve | None:
    """Return how the score depends on K, where the selector chose K itself."""
    found = getattr(selector, "k_curve_", None)
    if found is None:
        return None
    from entryprune.selectors._how_many import best_size, is_within_noise, parsimonious_size

    return KCurve.of(
        found,
        len(selector.support_),
        best=best_size(found),
        parsimonious=parsimonious_size(found),
        is_within_noise=is_within_noise(found),
    )


def _runners_up(selector: Any) -> list[int]:
    """Return the columns of the next best features, where the method ranks them all."""
    ranking = np.asarray(getattr(selector, "ranking_", ()))
    chosen = np.asarray(selector.selected_indices_)
    if not len(ranking) or not len(chosen):
        return []
    has_groups = getattr(selector, "feature_groups", None) is not None
    first = int(ranking[chosen].max()) + 1 if has_groups else len(chosen) + 1
    found = [np.flatnonzero(ranking == rank) for rank in range(first, first + _N_RUNNERS_UP)]
    if getattr(selector, "bar", None) is not None:
        # Barred features come last.
        found = [columns for columns in found if (ranking[columns] < ranking.max()).all()]
    # Features that share a rank are not ranked, unless they belong together.
    return [int(i) for columns in found if has_groups or len(columns) == 1 for i in columns]


def _scores(selector: Any, chosen: Sequence[int]) -> list[float | None]:
    """Return the scores of some features; None where the method gives none."""
    if is_stability(selector):
        return [None] * len(chosen)  # how often each was selected stands beside it
    scores = getattr(selector, "entry_scores_", None)
    if scores is None or _is_by_evidence(selector):
        scores = getattr(selector, "scores_", None)
    values = [math.nan if scores is None else float(scores[column]) for column in chosen]
    # -0 would puzzle people.
    return [None if math.isnan(value) else value + 0.0 for value in values]


def _ranks_by_score(selector: Any) -> bool:
    """Whether the scores alone rank the features: none left out has more than one selected."""
    declared = getattr(selector, "_ranks_by_score", None)
    scores = getattr(selector, "scores_", None)
    if declared is False or scores is None:
        return False
    numbers = np.asarray(scores, dtype=np.float64)
    chosen = numbers[np.asarray(selector.selected_indices_)]
    others = numbers[~np.asarray(selector.support_, dtype=bool)]
    # Where ours have none there is nothing to have; why others have none nobody knows.
    if declared is None and np.isnan(others).any():
        return False
    return bool((chosen[:-1] >= chosen[1:]).all() and not (others > chosen[-1:]).any())


# Times as probable from which on evidence is called strong, and beyond which nobody counts.
_STRONG, _MOST_TIMES = 20, 1e6


def _meaning(what: str, scores: Sequence[float | None], n_samples: int) -> str:
    """Say what evidence is, whether it is large, and what it has to do with the order."""
    known = [score for score in scores if score is not None]
    n_idle = sum(score <= 0 for score in known)
    idle = f" By this measure {n_idle} of the {len(scores)} bring nothing." if n_idle else ""
    return (
        f"{what} {_how_large(max(known, default=0.0), n_samples)}{idle} The "
        f"order of the list is another: each feature is the best to add to those above it. So one "
        f"that stands high may bring little if those below can stand in for it."
    )


def _how_large(score: float, n_samples: int) -> str:
    """Say how much likelier the best score makes all targets together."""
    if score <= 0:
        return "None brings anything."
    is_countless = score * n_samples >= math.log(_MOST_TIMES)
    times = _MOST_TIMES if is_countless else math.exp(score * n_samples)
    more = "more than a million" if is_countless else f"{times:,.3g}"
    strong = "strong evidence" if times >= _STRONG else "no strong evidence"
    return (
        f"The largest, {score:.2g}, makes the targets of all {n_samples:,} samples together {more} "
        f"times as probable: {strong}, which begins at about {_STRONG} times."
    )


def samples(source: Source) -> Samples:
    """Return the values of the selected features, and what those mean that are no plain numbers."""
    chosen = [int(i) for i in source.selector.selected_indices_]
    encoder, numbers = source.encoder, source.numbers(chosen)
    if encoder is None:
        return Samples(numbers, source.y)
    levels = {place: found for place, i in enumerate(chosen) if (found := encoder.levels(i))}
    dated = [i for i in chosen if encoder.kinds[i] == "date"]
    encoded = encoder.encode(source.X, sorted(dated))
    dates = {}
    for i in dated:
        columns = np.flatnonzero((encoded.feature_of == i) & ~encoded.is_indicator)
        parts = {
            encoded.names[column].removeprefix(f"{encoder.feature_names[i]}: "): encoded.values[
                :, column
            ]
            for column in columns
        }
        dates[chosen.index(i)] = Dates(encoder.earliest(i), parts)
    return Samples(numbers, source.y, levels, dates)


def pairs(source: Source) -> list[Pair]:
    """Return the features that matter only together, the strongest first."""
    found = getattr(source.selector, "interactions_", None)
    if not found:
        return []
    columns = [found[name] for name in ("first", "second", "strength", "p_value")]
    rows = sorted(zip(*columns, strict=True), key=lambda row: -row[2])
    return [
        Pair(
            names=(source.names[first], source.names[second]),
            columns=(source.columns[first], source.columns[second]),
            strength=float(strength),
            p_value=float(p_value),
            # One is drawn.
            values=source.numbers([first, second]) if i == 0 else None,
        )
        for i, (first, second, strength, p_value) in enumerate(rows)
    ]


def pairs_searched(selector: Any) -> float | None:
    """Return which share of all pairs was looked at; None where pairs were not looked for."""
    used = getattr(selector, "settings_", {})
    return float(selector.pairs_searched_) if used.get("interactions") else None


def asked_for(selector: Any, n_features: int) -> int:
    """Return how many features were asked for, as a number."""
    asked = getattr(selector, "n_features_to_select", None)
    if isinstance(asked, (int, np.integer)) and not isinstance(asked, bool):
        return min(int(asked), n_features)
    return len(selector.selected_indices_)


def asked_in_words(selector: Any) -> str:
    """Return what was asked for where it was no number of features; empty where it was."""
    asked, none_means = (
        getattr(selector, name, "") for name in ("n_features_to_select", "_none_means")
    )
    # What others mean by such words nobody knows.
    if not none_means or isinstance(asked, (int, np.integer)):
        return ""
    if isinstance(asked, str):
        return _RULES[asked]
    if asked is None:
        is_budgeted = getattr(selector, "budget", None) is not None
        return "what the budget pays for" if is_budgeted else str(none_means)
    return f"{100 * asked:g} % of the features"


def settings_of(selector: Any) -> dict[str, Any]:
    """Return every parameter as it was used, without those that played no part.

    The number of features is what was asked for, also where that was a word.
    """
    used, given = getattr(selector, "settings_", None), selector.get_params()
    if used is None:
        return dict(given)
    from entryprune.selectors._presets import TUNABLES

    settings = {**{name: value for name, value in given.items() if name not in TUNABLES}, **used}
    settings["n_features_to_select"] = given["n_features_to_select"]
    idle = {"kept"}  # in words of the engine what `keep` says
    if settings.get("loss") != "quantile":
        idle.add("quantile")
    if not settings.get("ordinal"):
        idle.add("ordinal")
    intake = getattr(selector, "_intake", None)
    if intake is not None and intake.encoder is None:
        idle |= {"missing", "max_levels"}
    return {name: value for name, value in settings.items() if name not in idle}


def seed_of(selector: Any) -> int | None:
    seed = getattr(selector, "random_state", None)
    return int(seed) if isinstance(seed, (int, np.integer)) else None


def history_of(selector: Any) -> Any:
    """Return what a selector reports of its way; None if there was none, as in constant columns."""
    history = getattr(selector, "history_", None)
    return history if history is not None and len(history["phase"]) else None


# -- the folds ----------------------------------------------------------------------------------


def contender(one: FoldResults, data: DataFacts, judges: tuple[Metric, Learner]) -> Contender:
    from entryprune.bench.store import ALL_FEATURES
    from entryprune.confidence.agreement import agreement

    metric, learner = judges
    method = METHODS.get(one.method)
    is_all = one.method == ALL_FEATURES
    chosen = [np.asarray(columns) for columns in one.selections]
    return Contender(
        method="all features" if is_all else method.title if method else one.method,
        k=data.n_features if is_all else one.k,
        learner=learner.in_words,
        metric=metric.title,
        mean=statistics.fmean(one.known) if one.known else None,
        sd=statistics.stdev(one.known) if len(one.known) > 1 else None,
        # Folds can be compared one by one only if none is missing.
        fold_scores=one.known if len(one.known) == len(one.scores) else (),
        stability=agreement(chosen, data.n_features).stability,
        seconds=None if is_all else one.seconds,
        higher_is_better=metric.higher_is_better,
        note=one.trouble,
        n_folds=len(one.known),
    )


def validation(
    one: FoldResults,
    data: DataFacts,
    guesses: Sequence[float],
    folds: Folds,
    judges: tuple[Metric, Learner],
    *,
    is_k_open: bool = False,
) -> Validation:
    """Return a score of the folds; `is_k_open` if each fold decided how many to select."""
    from entryprune.bench.store import ALL_FEATURES

    is_all = one.method == ALL_FEATURES
    scored = contender(one, data, judges)
    found = Validation(
        what=f"all {data.n_features:,} features" if is_all else f"the selected {one.k}",
        learner=scored.learner,
        metric=scored.metric,
        mean=scored.mean,
        sd=scored.sd,
        n_splits=folds.n_splits,
        n_repeats=folds.n_repeats,
        how=folds.how,
        test_ratio=folds.test_ratio,
        higher_is_better=scored.higher_is_better,
        is_all=is_all,
        fold_scores=scored.fold_scores,
        sizes=[len(some) for some in one.selections] if is_k_open and not is_all else (),
        guesses=guesses,
        guess_how=judges[0].guess,
    )
    if not found.sizes:
        return found
    return replace(found, what=f"{found.sizes_text}, as each fold decides")


def predictions(
    one: FoldResults, y: NDArray[Any], task: Task, groups: NDArray[np.intp] | None = None
) -> Predictions | None:
    """Return what all folds together predicted; None if any fold is missing."""
    known = [fold for fold in one.predictions if fold is not None]
    if y.ndim > 1 and task != "survival":
        return None
    if not known or len(known) < len(one.predictions):
        return None
    predicted = np.concatenate([fold.values for fold in known])
    samples = np.concatenate([fold.samples for fold in known])
    true = y[samples]
    n_repeats = int(np.bincount(samples).max())
    if task == "survival":
        # Risks of different folds have no common scale, but their places in the folds have.
        places = [(rankdata(fold.values) - 0.5) / len(fold.values) for fold in known]
        predicted = np.concatenate(places)
        return Predictions(task=task, true=true, predicted=predicted, n_repeats=n_repeats)
    if task == "regression":
        return Predictions(task=task, true=true, predicted=predicted, n_repeats=n_repeats)
    # Folds have objects as texts, in whose order the classes may be another.
    names = {str(label): label_text(label) for label in y.tolist()}
    scores, second = None, ""
    # A learner may not know both classes, where one has a single sample.
    if len(names) == 2 and all(
        fold.scores is not None and fold.scores.shape[1] == 2 for fold in known
    ):
        scores = np.concatenate([fold.scores[:, 1] for fold in known if fold.scores is not None])
        assert known[0].classes is not None
        second = names[str(known[0].classes.tolist()[1])]
    return Predictions(
        task=task,
        true=[names[str(label)] for label in true.tolist()],
        predicted=[names[str(label)] for label in predicted.tolist()],
        scores=scores,
        second=second,
        n_repeats=n_repeats,
        n_per_group=1.0 if groups is None else len(groups) / len(np.unique(groups)),
    )
