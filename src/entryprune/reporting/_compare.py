"""Several methods on one table, by cross-validation."""

from __future__ import annotations

import math
import statistics
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from inspect import signature
from numbers import Integral
from pathlib import Path
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from entryprune._text import listed, some_of, suggestion
from entryprune.bench.environment import machine, versions
from entryprune.methods import (
    CLASSIFICATION,
    METHODS,
    REGRESSION,
    SURVIVAL,
    get_method,
    make_selector,
)
from entryprune.report.base import Provenance
from entryprune.report.checks import suited_metric
from entryprune.report.comparison import ComparisonReport, Contender, Frequencies, Interruption
from entryprune.report.statistics import guess_task
from entryprune.reporting._facts import (
    class_order,
    contender,
    data_facts,
    present,
    table_of,
    target_names,
)

if TYPE_CHECKING:
    import os

    from numpy.typing import ArrayLike

    from entryprune.bench.learners import Learner, Metric
    from entryprune.bench.validation import FoldResults
    from entryprune.encoding import Encoder
    from entryprune.report.base import Task

# Compared where no methods are named, by task.
DEFAULT_METHODS = {
    CLASSIFICATION: ("entryprune-exchange", "fisher", "mrmr", "l1", "extra-trees"),
    REGRESSION: ("entryprune-exchange", "mrmr-fcq", "l1", "extra-trees"),
    SURVIVAL: ("entryprune-exchange", "cox-score"),
}
_FOR_SEVERAL = ("entryprune-exchange", "variance")

# What every selection is compared with, at each K.
_RANDOM = "random"
# What the comparison sets itself.
_OWN = {"n_features_to_select": "k", "random_state": "seed", "task": "task"}


def compare(
    X: ArrayLike,
    y: ArrayLike,
    methods: str | Sequence[str] | None = None,
    k: int | Sequence[int] = 10,
    *,
    feature_names: Sequence[str] | None = None,
    column_numbers: Sequence[int] | None = None,
    target_name: str | Sequence[str] = "target",
    sample_weight: ArrayLike | None = None,
    cautions: Sequence[str] | None = None,
    task: Literal["auto", "classification", "regression", "survival"] = "auto",
    missing: Literal["error", "impute"] = "error",
    metric: str | None = None,
    learner: str | None = None,
    settings: Mapping[str, Any] | None = None,
    seed: int = 0,
    n_repeats: int = 2,
    cv: Any = None,
    groups: ArrayLike | None = None,
    order: ArrayLike | None = None,
    n_jobs: int = 1,
    limit: float = 3600.0,
    store: str | os.PathLike[str] | None = None,
    name: str = "table",
    verbose: int = 0,
    callback: Callable[[int], object] | None = None,
) -> ComparisonReport:
    """Find out whether to select and how, by cross-validation with the selection inside the folds.

    Beside the methods, three rows are there to compare with: all features, as many columns drawn
    at random, and the best guess that looks at no feature.

    Parameters
    ----------
    X : array, sparse matrix or table of shape (n_samples, n_features)
        The features. Tables of pandas, polars and Arrow may hold texts, categories and dates;
        methods that know numbers only are given one for each feature.
    y : array-like of shape (n_samples,) or (n_samples, n_outputs)
        Classes or quantities; several of either; or with ``task="survival"`` times and events, as
        `EntryPruneSurvival` takes them.
    methods : sequence of str, optional
        Names of `entryprune.baselines.METHODS`. Those that cannot do the task are left out, which
        the report says. By default EntryPrune exchange, L1 and ExtraTrees, and beside them the
        Fisher score and mRMR for classes or mRMR FCQ for quantities; for survival EntryPrune
        exchange and the Cox score, for several targets EntryPrune exchange and the variance.
    k : int or sequence of int, default=10
        How many features to select; several are all tried.
    feature_names : sequence of str, optional
        Names of the columns; by default those of a data frame, or ``x0``, ``x1`` and so on.
    column_numbers : sequence of int, optional
        The number of each column where the table came from; by default they count from 1.
    target_name : str or sequence of str, default="target"
        What is predicted; of several targets the name of each.
    sample_weight : array-like of shape (n_samples,), optional
        How often each sample counts in the selections of methods that take weights; those of weight
        zero are left out.
    cautions : sequence of str, optional
        What to tell of the table first; by default whether samples are few, and what
        `find_suspects` finds in it.
    task : {"auto", "classification", "regression", "survival"}, default="auto"
        What kind of target that is; by default as it looks.
    missing : {"error", "impute"}, default="error"
        Whether missing values are an error, or are filled in as the training samples of each fold
        say.
    metric : str, optional
        How predictions are measured: "accuracy" (the default for classes), "balanced-accuracy",
        "auc" (of each class against the others, the mean of all), "f1" (the mean over classes) or
        "log-loss"; "r2" (the default for quantities), "mae" or "rmse"; "concordance" for survival.
        Where classes are uneven, the default is "auc" for two and "balanced-accuracy" for more.
        Of several targets it is the mean.
    learner : str, optional
        What predicts from the selected features: "svm" (the default for classes), "knn",
        "logistic" (the default for "log-loss", which needs probabilities), "et", "gb" or "mlp";
        "svr" (the default for quantities) or "gbr"; "cox" for survival. By "balanced-accuracy",
        "auc" and "f1" it gives all classes the same weight, if it can ("svm-balanced", ...).
    settings : mapping, optional
        Parameters of the methods, for those that have them.
    seed : int, default=0
        Decides on the folds and on what is random in the methods.
    n_repeats : int, default=2
        Repetitions of the folds. Those in order of time, and those of a splitter, are not repeated.
    cv : int, "time" or splitter, optional
        How many folds there are, by default five; "time" takes the rows of X to be in order of time
        and tests each fold on what comes after all that it learns from. Or what scikit-learn calls
        a splitter, such as ``TimeSeriesSplit(gap=7)``.
    groups : array-like of shape (n_samples,), optional
        Samples of one group (of one patient, say) are never on both sides of a fold. Methods of
        EntryPrune keep them together in what they hold out inside the fold, too.
    order : array-like of shape (n_samples,), optional
        When each sample was, as numbers or dates: the folds are then in this order, as with "time".
    n_jobs : int, default=1
        Folds at once, each in a process of its own.
    limit : float, default=3600
        Seconds that a selection may take.
    store : path-like, optional
        A file that keeps what is done, so that an interrupted comparison goes on from there. It
        keeps all measures, so that another `metric` needs no further run.
    name : str, default="table"
        What the store calls the table.
    verbose : int, default=0
        Whether to show progress.
    callback : callable, optional
        Called at least twice a second with the number of selections that are finished; anything
        true that it returns ends the comparison with these. The verdict is then from the folds that
        all have finished, if these are five or more, and the report says who has fewer. Ctrl-C
        raises ``KeyboardInterrupt``.

    Returns
    -------
    report : ComparisonReport
        With `show`, `save`, `to_frame` and `to_html`; notebooks display it.

    Raises
    ------
    ValueError
        If a method, measure, learner or setting is unknown or not for this task, no method is left,
        K is more than there are features, or values are missing.

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> from entryprune import compare
    >>> X, y = load_wine(return_X_y=True, as_frame=True)
    >>> report = compare(X, y, methods=["fisher"], k=[1, 4], n_repeats=1)
    >>> report.judgements[0].kind
    'too close'
    >>> report.judgements[0].statement
    'Too close to call between all 13 features (accuracy 9...'
    """
    from entryprune.bench.folds import make_folds
    from entryprune.bench.learners import judged_by
    from entryprune.bench.validation import common_folds, cross_validate, guesses

    named = [methods] if isinstance(methods, str) else methods
    numbers: list[Any] = [k] if np.isscalar(k) else list(k)  # type: ignore[arg-type]
    if (named is not None and not len(named)) or not numbers:
        raise ValueError("Name at least one method and one K.")
    _check_numbers("k", numbers, 1)
    ks = [int(number) for number in numbers]
    _check_numbers("n_repeats", [n_repeats], 1)
    _check_numbers("seed", [seed], 0)
    for method in named or ():
        get_method(method)
    weights, (X, y, groups, order) = present(sample_weight, X, y, groups, order)
    kind: Task | None = None if task == "auto" else task
    if kind == SURVIVAL or (kind is None and getattr(np.asarray(y).dtype, "names", None)):
        from entryprune.selectors._survival import times_and_events

        y, kind = times_and_events(y), "survival"
        target, targets = target_names(y[:, 0], target_name)
    else:
        target, targets = target_names(y, target_name)
    in_order = class_order(y)
    values, labels, names, columns = table_of(X, y, feature_names, column_numbers)
    encoder = _checked(values, names, ks, missing)
    kind = kind or guess_task(labels)
    if targets and kind == CLASSIFICATION and not np.isin(labels, (0, 1)).all():
        raise ValueError(
            "y has several columns, which of classes must hold 0 and 1: whether each label applies."
        )
    judges = judged_by(kind, metric, learner)
    usual = _FOR_SEVERAL if targets else DEFAULT_METHODS[kind]
    able, left_out = _able(usual if named is None else named, kind, is_several=bool(targets))
    if weights is not None:
        left_out += _without_weights(able, kind)
    if encoder is not None:
        left_out += _given_numbers(able, kind, values)
    data = data_facts(
        values,
        labels,
        names,
        target,
        kind,
        targets=targets,
        encoder=encoder,
        cautions=cautions,
    )
    suited = suited_metric(data) if metric is None else None
    if suited is not None:
        judges = judged_by(kind, suited, learner)
    given = _settings_by_method(able, kind, _for_folds(settings or {}, names, in_order), missing)
    made = make_folds(
        labels, kind, cv=cv, groups=groups, order=order, n_repeats=n_repeats, seed=seed
    )
    outcomes = cross_validate(
        values,
        labels,
        kind,
        [(method, one) for method in (*able, _RANDOM) for one in ks],
        settings=given,
        about={} if weights is None else {"sample_weight": weights},
        metric=judges[0].name,
        learner=judges[1].name,
        folds=made,
        n_jobs=n_jobs,
        limit=limit,
        store=None if store is None else Path(store),
        name=name,
        is_shown=bool(verbose),
        callback=callback,
    )
    folds = common_folds(outcomes, made.n_splits)
    everything, *rest = (one.within(folds) for one in outcomes)
    chance = guesses(labels, kind, judges[0].name, made)
    interrupted = None
    if any(one.missing for one in outcomes):
        interrupted = Interruption(
            n_folds=len(chance), n_compared=len(folds), n_splits=made.n_splits
        )
        chance = [chance[i] for i in folds] or chance
    compared = [one for one in rest if one.method != _RANDOM]
    controls = [contender(one, data, judges) for one in rest if one.method == _RANDOM]
    return ComparisonReport(
        data=data,
        contenders=[contender(one, data, judges) for one in compared],
        references=[contender(everything, data, judges)],
        controls=[replace(one, method="random features") for one in controls],
        guesses=[_guess(chance, judges)],
        frequencies=[_frequencies(one, names, columns) for one in compared if one.selections],
        provenance=Provenance(
            settings={
                "metric": judges[0].name,
                "learner": judges[1].name,
                "folds": made.n_splits,
                "repetitions": made.n_repeats,
                **(settings or {}),
            },
            seed=seed,
            versions=versions(),
            machine={name: str(value) for name, value in machine().items()},
            # Each selection runs in a process with one thread.
            n_threads=1,
        ),
        warnings=[*left_out, *_troubles([everything, *rest])],
        interrupted=interrupted,
        test_ratio=made.test_ratio,
        is_suited=suited is not None,
        how=made.how,
    )


def _check_numbers(name: str, values: Sequence[object], low: int) -> None:
    for value in values:
        if not isinstance(value, Integral) or int(value) < low:
            raise ValueError(f"{name} takes whole numbers from {low}; got {value!r}.")


def _checked(values: Any, names: Sequence[str], ks: Sequence[int], missing: str) -> Encoder | None:
    """Return how a table reads as numbers, or refuse it or the numbers of features."""
    from entryprune.encoding import Encoder, is_frame
    from entryprune.encoding.learning import check_settings

    check_settings(missing, 2)
    if not 1 <= min(ks) <= max(ks) <= len(names):
        wrong = next(one for one in ks if not 1 <= one <= len(names))
        raise ValueError(f"k must be from 1 to the number of features, {len(names)}; got {wrong}.")
    if is_frame(values) or (missing == "impute" and not hasattr(values, "tocsr")):
        encoder = Encoder.fit(values, missing=missing)
        return None if encoder.is_plain else encoder
    # Of a sparse matrix only what is not zero.
    known, places = values, None
    if hasattr(values, "tocsr"):
        known, places = values.data, values.indices
    if known.dtype.kind == "f" and not (is_known := np.isfinite(known)).all():
        columns = np.nonzero(~is_known)[1] if places is None else places[~is_known]
        bad = listed(names[int(i)] for i in np.unique(columns))
        raise ValueError(
            f"X has {np.count_nonzero(~is_known):,} missing or infinite values, in {bad}. Fill "
            "them in, or leave out these samples or columns."
        )
    return None


def _able(
    methods: Sequence[str], task: str, *, is_several: bool = False
) -> tuple[list[str], list[str]]:
    """Return the methods that can do a task, and a line for each that cannot."""
    wanted = [name for name in dict.fromkeys(methods) if name != _RANDOM]
    if not wanted:
        raise ValueError("Random features are compared with in any case. Name another method, too.")

    def is_able(name: str) -> bool:
        return task in METHODS[name].tasks and (METHODS[name].takes_several or not is_several)

    able = [name for name in wanted if is_able(name)]
    left_out = []
    for name in wanted:
        one = METHODS[name]
        if task not in one.tasks:
            left_out.append(f"{one.title} is left out: it does {' and '.join(one.tasks)} only.")
        elif name not in able:
            left_out.append(f"{one.title} is left out: it knows one target only.")
    if not able:
        others = [name for name in METHODS if is_able(name) and name != _RANDOM]
        what = f"{task} of several targets" if is_several else task
        raise ValueError(
            f"None of these methods does {what}: {', '.join(wanted)}. Those that do are: "
            f"{', '.join(others)}."
        )
    return able, left_out


def _given_numbers(methods: Sequence[str], task: str, X: Any) -> list[str]:
    """Say which methods know of no categories, dates and gaps, and what they get instead."""
    from entryprune.selectors._tables import ONE_NUMBER, takes

    simple = []
    for name in methods:
        selector = make_selector(name, 1, task=task)
        if "missing" in selector.get_params():
            selector.set_params(missing="impute")
        if not takes(selector, X):
            simple.append(METHODS[name].title)
    return [f"{some_of(simple)}: {ONE_NUMBER}"] if simple else []


def _without_weights(methods: Sequence[str], task: str) -> list[str]:
    """Say which methods take no weights."""
    titles = [
        METHODS[name].title
        for name in methods
        if "sample_weight" not in signature(make_selector(name, 1, task=task).fit).parameters
    ]
    if not titles:
        return []
    take, them = ("takes", "it") if len(titles) == 1 else ("take", "them")
    return [f"{some_of(titles)} {take} no weights: for {them} all samples count the same."]


def _settings_by_method(
    methods: Sequence[str], task: str, settings: Mapping[str, Any], missing: str = "error"
) -> dict[str, dict[str, Any]]:
    """Give each method the settings that it has a parameter for; some method must have one."""
    if not settings and missing == "error":
        return {}
    parameters = {method: _parameters(method, task) for method in methods}
    known = {name for names in parameters.values() for name in names}
    for name in settings:
        if name in _OWN:
            raise ValueError(f"{name} cannot be among the settings: {_OWN[name]} says it.")
        if name not in known:
            raise ValueError(
                f"None of the compared methods ({', '.join(methods)}) has a parameter {name!r}."
                f"{suggestion(name, known)}"
            )
    given = {
        method: {name: value for name, value in settings.items() if name in names}
        for method, names in parameters.items()
    }
    for method, values in given.items():
        if missing != "error" and "missing" in parameters[method]:
            values.setdefault("missing", missing)
        # A selector of the user's own may check nothing before it is fitted.
        if hasattr(one := make_selector(method, 1, task=task, **values), "_validate_params"):
            one._validate_params()
    return given


def _for_folds(
    settings: Mapping[str, Any], names: Sequence[str], in_order: list[Any] | None
) -> dict[str, Any]:
    """Return settings for arrays, whose features have no names and whose classes no order."""
    from entryprune.selectors._intake import by_number

    told = by_number(SimpleNamespace(**settings), names, len(names))
    if "costs" in told:
        told["costs"] = told["costs"].tolist()
    if settings.get("ordinal") is True and in_order is not None:
        told["ordinal"] = in_order
    return {**settings, **told}


def _parameters(method: str, task: str) -> set[str]:
    """Return the parameters that play a part in a method."""
    from entryprune.selectors._presets import PRESETS, TUNABLES

    selector = make_selector(method, 1, task=task)
    names = set(selector.get_params())
    preset = PRESETS.get(getattr(selector, "preset", ""))
    return names if preset is None else names - (set(TUNABLES) - set(preset.tunables))


def _troubles(outcomes: Iterable[FoldResults]) -> list[str]:
    """Say which selections are missing and why, a line for each method and reason."""
    ks: dict[tuple[str, str], list[int]] = {}
    for one in outcomes:
        if one.trouble:
            ks.setdefault((one.method, one.trouble), []).append(one.k)
    return [
        f"{METHODS[method].title if method in METHODS else 'All features'}"
        f"{', K = ' + ', '.join(map(str, numbers)) if any(numbers) else ''}: {trouble}"
        for (method, trouble), numbers in ks.items()
    ]


# -- what came of the folds ------------------------------------------------------------------------


def _guess(scores: Sequence[float], judges: tuple[Metric, Learner]) -> Contender:
    metric, learner = judges
    known = [score for score in scores if math.isfinite(score)]
    return Contender(
        method="guessing",
        k=0,
        learner=learner.in_words,
        metric=metric.title,
        mean=statistics.fmean(known) if known else None,
        sd=statistics.stdev(known) if len(known) > 1 else None,
        fold_scores=known if len(known) == len(scores) else (),
        higher_is_better=metric.higher_is_better,
        note=metric.guess,
        n_folds=len(known),
    )


def _frequencies(one: FoldResults, names: Sequence[str], columns: Sequence[int]) -> Frequencies:
    counts = Counter(column for chosen in one.selections for column in chosen)
    return Frequencies(
        method=get_method(one.method).title,
        k=one.k,
        n_times=len(one.selections),
        counts=[(names[column], columns[column], count) for column, count in counts.most_common()],
    )
