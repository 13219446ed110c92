"""What is to be predicted: classes, numbers, counts, an order, several of these, or survival."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from entryprune._text import listed, some_of
from entryprune.methods import CLASSIFICATION, REGRESSION, SURVIVAL, get_method

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from entryprune.data import TableRequest, UserTable
    from entryprune.report.base import Task

COUNT, ORDINAL = "count", "ordinal"
TASKS = ("auto", CLASSIFICATION, REGRESSION, COUNT, ORDINAL, SURVIVAL)
LOSSES = ("squared_error", "huber", "quantile", "poisson")
# Words that say whether the event was seen.
_YES = {"1", "true", "t", "yes", "y", "event", "dead", "died", "deceased", "relapse", "progression"}
_NO = {"0", "false", "f", "no", "n", "censored", "alive", "living", "none"}
# Whole numbers of so few values may be classes, counts or ratings.
_MOST_UNCLEAR = 20
_SHOWN = 10


@dataclass(frozen=True)
class Aim:
    """What the options say of the target, besides its name."""

    time: str | None = None
    event: str | None = None
    event_value: str | None = None
    weight_column: str | None = None
    class_weight: str | None = None
    loss: str | None = None

    def check(self, task: str) -> None:
        """Refuse what cannot be meant, before anything is read."""
        if task not in TASKS:
            raise ValueError(f"--task takes one of {', '.join(TASKS)}; got {task!r}.")
        if self.class_weight not in (None, "balanced"):
            raise ValueError(
                f"--class-weight takes 'balanced'; got {self.class_weight!r}. A weight for each "
                f'class goes with --set \'class_weight={{"a": 1, "b": 5}}\'.'
            )
        if self.loss not in (None, *LOSSES):
            raise ValueError(f"--loss takes one of {', '.join(LOSSES)}; got {self.loss!r}.")
        if (self.time is None) != (self.event is None):
            there, absent = ("--time", "--event") if self.event is None else ("--event", "--time")
            hint = "" if self.time is None else " Samples in order of time are for --time-column."
            raise ValueError(
                f"{there} goes with {absent}: --time is the column with the times, --event the one "
                f"that says whether the event was seen then or the sample was not watched longer."
                f"{hint}"
            )
        if task == SURVIVAL and self.time is None:
            raise ValueError("--task survival takes the columns --time and --event.")
        if self.time is not None and task not in ("auto", SURVIVAL):
            raise ValueError(f"--time and --event are for survival, and --task says {task}.")
        if self.event_value is not None and self.event is None:
            raise ValueError("--event-value is for --event: name that column, too.")

    def asked_of(self, request: TableRequest) -> TableRequest:
        """Return the request for a table with all columns that are no features."""
        beside = [name for name in (self.event, self.weight_column) if name is not None]
        if self.time is None:
            return replace(request, beside=(*request.beside, *beside))
        if request.target is not None or request.target_file is not None:
            given = "--target" if request.target is not None else "--target-file"
            raise ValueError(
                f"--time and --event are the target of survival. Leave out {given}, or them."
            )
        return replace(request, target=self.time, beside=(*request.beside, *beside))


@dataclass(frozen=True, eq=False)
class Target:
    """What is to be predicted, and what there is to say about it."""

    y: NDArray[Any]
    task: Task
    name: str
    facts: tuple[str, ...]
    targets: tuple[str, ...] = ()  # their names, where they are several
    notices: tuple[str, ...] = ()  # what was guessed and may well be wrong: to be read first
    settings: Mapping[str, Any] = field(default_factory=dict)  # of the methods that have them
    weights: NDArray[Any] | None = None

    @property
    def names(self) -> str | tuple[str, ...]:
        """What a report calls it."""
        return self.targets or self.name

    def settings_for(self, methods: Sequence[str] | None) -> Mapping[str, Any]:
        """Return the settings if any of some methods, or of the usual ones, knows them."""
        known = methods is None or any(get_method(name).others for name in methods)
        return self.settings if known else {}

    def check_method(self, method: str) -> None:
        """Refuse a method that cannot predict it, in the words of the command line."""
        one = get_method(method)
        if self.task not in one.tasks:
            other = "cox-score" if self.task == SURVIVAL else "l1"
            classes = (
                f"; or, if the numbers of the target stand for classes, --task {one.tasks[0]}"
                if self.task == REGRESSION
                else ""
            )
            raise ValueError(
                f"{one.title} does {' and '.join(one.tasks)} only, and this is {self.task}. Take "
                f"another --method, such as {other}{classes}."
            )
        if self.targets and not one.takes_several:
            raise ValueError(
                f"{one.title} knows one target only, and these are {len(self.targets)}. Name one "
                f"--target, or take --method entryprune-exchange."
            )
        if self.settings and not one.others:
            asked = ", ".join(f"{name}={value}" for name, value in self.settings.items())
            raise ValueError(
                f"{one.title} does not know {asked}, which the options ask for. Take --method "
                f"entryprune-exchange, or leave out --task, --loss and --class-weight."
            )
        if self.weights is not None and not one.others:
            raise ValueError(
                f"{one.title} takes no weights. Leave out --weight-column, or take --method "
                f"entryprune-exchange."
            )


def read_target(table: UserTable, aim: Aim, task: str) -> tuple[UserTable, Target]:
    """Return the target, and the table without samples whose weight is zero."""
    table, weights = _weighted(table, aim.weight_column)
    if aim.time is not None:
        target = _survival(table, aim)
    elif len(table.targets) > 1:
        target = _several(table, task)
    else:
        target = _single(table, task)
    settings = dict(target.settings)
    if aim.loss is not None:
        if target.task != REGRESSION:
            raise ValueError(
                f"--loss is for numbers, and this is {target.task}. Leave it out, or take --task "
                f"regression."
            )
        settings["loss"] = aim.loss
    if aim.class_weight is not None:
        if target.task != CLASSIFICATION or target.targets:
            raise ValueError(
                "--class-weight is for one target of classes, and this is "
                f"{'several targets' if target.targets else target.task}. Leave it out."
            )
        settings["class_weight"] = aim.class_weight
    facts = target.facts
    if weights is not None:
        facts = (*facts, f"Samples count as {aim.weight_column} says.")
    return table, replace(target, settings=settings, weights=weights, facts=facts)


def _weighted(table: UserTable, column: str | None) -> tuple[UserTable, NDArray[Any] | None]:
    if column is None:
        return table, None
    import numpy as np

    weights = table.beside[column]
    if weights.dtype.kind not in "biuf":
        raise ValueError(
            f"--weight-column {column} must hold numbers, and holds {str(weights[0])!r}."
        )
    weights = weights.astype(np.float64)
    if not np.isfinite(weights).all() or (weights < 0).any() or not weights.any():
        worst = weights.min() if np.isfinite(weights).all() else np.inf
        raise ValueError(
            f"--weight-column {column} must hold finite numbers from 0 on, some above it; got "
            f"{worst:g}. A weight of 2 is the sample twice, 0 as if it were not there."
        )
    there = np.flatnonzero(weights)
    n_absent = len(weights) - len(there)
    if not n_absent:
        return table, weights
    note = f"{n_absent:,} samples have the weight 0 and are left out."
    some = replace(
        table,
        X=None if table.X is None else table.X[there],
        frame=None if table.frame is None else table.frame.take(there),
        y=None if table.y is None else table.y[there],
        ids=None if table.ids is None else tuple(table.ids[i] for i in there),
        beside={name: values[there] for name, values in table.beside.items()},
        notes=(*table.notes, note),
    )
    return some, weights[there]


# -- one target -----------------------------------------------------------------------------------


def _single(table: UserTable, task: str) -> Target:
    import numpy as np

    from entryprune.report.statistics import guess_task
    from entryprune.report.text import label_text

    y, name = table.y, str(table.target_name)
    assert y is not None
    values, counts = np.unique(y, return_counts=True)
    if len(values) < 2:
        raise ValueError(
            f"The target {name!r} has one value only ({values[0]}), so there is nothing to "
            f"predict. Name another target."
        )
    _check_values(name, y, values, task)
    how = "by the look of the target; --task says otherwise" if task == "auto" else "as asked"
    settings: dict[str, Any] = {}
    if task == COUNT:
        settings = {"loss": "poisson"}
    elif task == ORDINAL:
        settings = {"ordinal": True}
    kind: Task = guess_task(y) if task == "auto" else "classification"
    if task in (REGRESSION, COUNT):
        kind = "regression"
    notices = (_unclear(name, values),) if task == "auto" and _is_unclear(values) else ()
    if kind == CLASSIFICATION:
        sizes = zip(map(label_text, values.tolist()), counts, strict=True)
        shown = (f"{label} ({count:,})" for label, count in sizes)
        in_order = " in this order" if task == ORDINAL else ""
        what = f"{len(values)} classes{in_order}: {some_of(shown, _SHOWN)}"
    else:
        what = f"{'counts' if task == COUNT else 'numbers'} from {values[0]:g} to {values[-1]:g}"
    if task == ORDINAL and values.dtype.kind not in "biuf":
        notices = (
            f"The classes of {name} are taken in the order of their names: "
            f"{listed(map(str, values), _SHOWN)}. If that is not their order, write numbers.",
        )
    facts = (f"Target {name}: {what}.", f"Task: {task if task != 'auto' else kind} ({how}).")
    return Target(y, kind, name, facts, notices=notices, settings=settings)


def _check_values(name: str, y: NDArray[Any], values: NDArray[Any], task: str) -> None:
    """Refuse values that the task has no use for."""
    if task in (REGRESSION, COUNT) and y.dtype.kind not in "biuf":
        raise ValueError(
            f"--task {task} needs numbers, but the target {name!r} holds text such as "
            f"{str(values[0])!r}. Take --task classification, or name another target."
        )
    has_fractions = y.dtype.kind == "f" and (y != y.round()).any()
    if task in (CLASSIFICATION, ORDINAL) and has_fractions:
        raise ValueError(
            f"--task {task} needs classes, but the target {name!r} holds fractions such as "
            f"{values[0]:g}. Take --task regression, or bin it first."
        )
    if task == COUNT and values[0] < 0:
        raise ValueError(
            f"--task count needs numbers from 0 on, but the target {name!r} holds {values[0]:g}. "
            f"Take --task regression."
        )


def _is_unclear(values: NDArray[Any]) -> bool:
    """Whether values may be classes as well as counts or ratings: few whole numbers in a row."""
    if values.dtype.kind not in "iuf" or not 2 < len(values) <= _MOST_UNCLEAR:
        return False
    return bool((values == values.round()).all() and values[-1] - values[0] < 2 * len(values))


def _unclear(name: str, values: NDArray[Any]) -> str:
    return (
        f"{name} has {len(values)} different whole numbers, {values[0]:g} to {values[-1]:g}, and "
        f"is taken for classes without an order. If they count something, say --task count; if "
        f"they rate it, --task ordinal; if they measure it, --task regression; if classes are "
        f"right, --task classification."
    )


# -- several targets, and times until an event ----------------------------------------------------


def _several(table: UserTable, task: str) -> Target:
    import numpy as np

    if task == ORDINAL:
        raise ValueError("--task ordinal is for one target. Name one, or take another --task.")
    names = table.targets
    assert table.y is not None
    columns = [table.y, *(table.beside[name] for name in names[1:])]
    labels = [_yes_or_no(column) for column in columns]
    no_labels = [name for name, one in zip(names, labels, strict=True) if one is None]
    texts = [n for n, c in zip(names, columns, strict=True) if c.dtype.kind not in "biuf"]
    if task in ("auto", CLASSIFICATION) and not no_labels:
        y = np.column_stack([one for one in labels if one is not None]).astype(np.int64)
        shares = (f"{name} ({n:,})" for name, n in zip(names, y.sum(axis=0), strict=True))
        what = f"{len(names)} labels, with the samples that have them: {some_of(shares, _SHOWN)}"
        kind: Task = "classification"
    elif task == CLASSIFICATION or texts:
        bad = texts or no_labels
        raise ValueError(
            f"Several targets are all numbers, or all yes or no (1 and 0), and "
            f"{listed(bad)} {'is' if len(bad) == 1 else 'are'} neither. Name one "
            f"--target of classes, or recode it."
        )
    else:
        y = np.column_stack(columns).astype(np.float64)
        if task == COUNT and (y < 0).any():
            raise ValueError(f"--task count needs numbers from 0 on, and a target has {y.min():g}.")
        what, kind = f"{len(names)} quantities: {some_of(names, _SHOWN)}", "regression"
    constant = [name for name, column in zip(names, y.T, strict=True) if len(np.unique(column)) < 2]
    if constant:
        raise ValueError(f"The target {constant[0]!r} has one value only. Leave it out.")
    how = "by their look; --task says otherwise" if task == "auto" else "as asked"
    settings = {"loss": "poisson"} if task == COUNT else {}
    facts = (
        f"Targets: {what}.",
        f"Task: {task if task != 'auto' else kind} ({how}).",
        "What is measured is the mean over the targets.",
    )
    return Target(y, kind, some_of(names, len(names)), facts, names, settings=settings)


def _yes_or_no(column: NDArray[Any]) -> NDArray[Any] | None:
    """Return 1 and 0 for words and numbers that say yes and no; None where they say more."""
    import numpy as np

    if column.dtype.kind in "biuf":
        return column.astype(np.int64) if np.isin(column, (0, 1)).all() else None
    words = [str(one).strip().casefold() for one in column]
    if not set(words) <= _YES | _NO:
        return None
    return np.array([one in _YES for one in words], dtype=np.int64)


def _survival(table: UserTable, aim: Aim) -> Target:
    import numpy as np

    from entryprune._survival import time_of_share

    times, events = table.y, table.beside[str(aim.event)]
    assert times is not None
    if times.dtype.kind not in "biuf":
        raise ValueError(f"--time {aim.time} must hold numbers, and holds {str(times[0])!r}.")
    times = times.astype(np.float64)
    if not np.isfinite(times).all() or (times < 0).any():
        worst = times.min() if np.isfinite(times).all() else np.inf
        raise ValueError(f"--time {aim.time} must hold finite times from 0 on; got {worst:g}.")
    seen = _events(events, aim)
    if not seen.any():
        raise ValueError(
            f"--event {aim.event} says of no sample that the event was seen, so nothing tells "
            f"which features matter. Is it the other value? Name that with --event-value."
        )
    name = f"{aim.time} until {aim.event}"
    middle = time_of_share(times, seen)
    half = f"half have had it by {middle:g}" if np.isfinite(middle) else "fewer than half have it"
    facts = (
        f"Target {name}: the event of {int(seen.sum()):,} of {len(times):,} samples was seen, "
        f"{half}; times from {times.min():g} to {times.max():g}.",
        "Task: survival (for --time and --event).",
    )
    return Target(np.column_stack([times, seen]), "survival", name, facts)


def _events(column: NDArray[Any], aim: Aim) -> NDArray[Any]:
    """Return of which samples the event was seen."""
    import numpy as np

    from entryprune.report.text import label_text

    texts = np.array([label_text(one).strip() for one in column.tolist()], dtype=object)
    values = sorted(set(texts.tolist()))
    if aim.event_value is not None:
        if aim.event_value not in values:
            raise ValueError(
                f"--event-value {aim.event_value} is not among the values of {aim.event}: "
                f"{listed(values)}."
            )
        return np.asarray(texts == aim.event_value)
    found = _yes_or_no(texts)
    if found is None and len(values) > _SHOWN:
        raise ValueError(
            f"--event {aim.event} has {len(values)} values, such as {listed(values[:3])}. Name the "
            f"column that says whether the event was seen, with 1 and 0, or yes and no."
        )
    if found is None:
        raise ValueError(
            f"--event {aim.event} must say whether the event was seen, with 1 and 0, true and "
            f"false, or yes and no; it has {listed(values)}. Say with --event-value which of them "
            f"is the event, such as --event-value {values[-1]}."
        )
    return found > 0
