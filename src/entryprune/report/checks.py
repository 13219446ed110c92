"""What to say of a table before anything is selected: no features, few samples, uneven classes.

A leak, an id, a running number or the order of the file passes for the best of all features. A
column is named only where chance over all columns does not explain its look.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from entryprune._text import counted, listed, some_of
from entryprune.report.text import label_text, number_text, shorten

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from entryprune.report.base import Task

    Mask = NDArray[np.bool_]
    Test = Callable[["NDArray[np.float64]", "NDArray[np.intp]"], "Mask"]
    from entryprune.report.base import DataFacts

Kind = Literal["copy", "separator", "running number", "id", "order"]

# A look that chance gives to some column of the table more often than this is not told.
_CHANCE = 1e-3
# So many samples are looked at first, and one of each class: what holds for all holds for them.
_FIRST_SAMPLES = 64
# Values of a block of columns that is looked at together.
_BLOCK = 2**22
# A column that goes with a quantity like this is the same quantity, rounded. In the first samples
# less is asked for.
_SAME, _ABOUT_SAME = 0.9999, 0.99
# Steps of a running number may differ by this share, for rounding.
_STEP_TOLERANCE = 0.01
# Where more columns than this tell all classes apart, the classes are easy to tell.
_MOST_SEPARATORS = 3
# Where more columns than this have each whole number once, they are ranks and no ids.
_MOST_SHUFFLED = 3
_MOST_SHOWN = 5
# Texts are ids or free if this share of them are different, and there are so many: among a few
# samples most texts are.
_NEARLY, _MANY_LEVELS = 0.9, 20
# A value so many times as far from the median as the middle half of all is wide is an outlier, or
# the end of a long tail.
_FAR = 10
# With fewer samples than this, what comes out is mostly chance.
_FEW_SAMPLES = 20
# Words that say id where they end a name, and words that do where they are all of it.
_ID_ENDINGS = {"barcode", "guid", "id", "identifier", "serial", "uid", "uuid"}
_ID_NAMES = {"case", "mrn", "patient", "record", "row", "rowname", "rownames", "sample", "subject"}
# Endings that say id behind those names (sample_no); elsewhere they only hint at one, because they
# may as well count or measure (platelet_number).
_ID_HINTS = {"code", "idx", "index", "key", "no", "nr", "num", "number"}
# Words of a name: patient_id, patientId, PatientID, "Patient no.".
_WORD = re.compile(r"[A-Z]+(?![a-z])\d*|[A-Z]?[a-z]+\d*|\d+")


@dataclass(frozen=True)
class Suspect:
    """A column that should hardly be a feature, and why.

    Attributes
    ----------
    name : str
        The column's name.
    column : int
        Its place in the table, from 0.
    kind : {"copy", "separator", "running number", "id", "order"}
        The target in other words; a column that tells all classes apart alone (a leak, or a very
        good marker); a constant step from sample to sample; a whole number of its own for each
        sample; the order of the samples.
    reason : str
        What was seen, such as "has one value for each class".

    Examples
    --------
    >>> Suspect("row", 0, "running number", "counts the samples (1, 2, 3, ...)").kind
    'running number'
    """

    name: str
    column: int
    kind: Kind
    reason: str


def find_suspects(
    X: Any,
    y: NDArray[Any],
    names: Sequence[str],
    task: Task,
    codes: Mapping[int, NDArray[np.intp]] = MappingProxyType({}),
) -> list[Suspect]:
    """Return the columns that should hardly be features, in their order.

    X is an array or a sparse matrix, NaN where a value is missing. Of columns with levels, where X
    has NaN throughout, `codes` has those of the levels, -1 where one is missing.
    """
    if y.ndim > 1:
        # Times are a quantity; of several targets each may be told by another column.
        each = y.T[:1] if task == "survival" else y.T
        single: Task = "regression" if task == "survival" else task
        known = [one for part in each for one in find_suspects(X, part, names, single, codes)]
        by_column = {one.column: one for one in reversed(known)}
        return [by_column[column] for column in sorted(by_column)]
    if X.shape[0] < 3 or X.dtype.kind not in "biuf":
        return []
    found = {one.column: one for one in _suspects_among_numbers(X, y, names, task)}
    for i, numbers in {**_gaps(X), **codes}.items():
        seen = _look_of_levels(numbers, y, task, X.shape[1], has_levels=i in codes)
        if seen is not None:
            found[i] = Suspect(names[i], i, *seen)
    return [found[i] for i in sorted(found)]


def _suspects_among_numbers(
    X: Any, y: NDArray[Any], names: Sequence[str], task: Task
) -> list[Suspect]:
    """Return suspects by their numbers; columns with missing values are never among them."""
    n_samples, n_columns = X.shape
    tells = _tells_quantity(y) if task == "regression" else _tells_classes(y)
    tests = {"order": _is_monotone, "target": tells, "shuffled": _is_shuffled(n_samples)}
    looks = _looks(X, y, tests)
    words = [[word.casefold() for word in _WORD.findall(name)] for name in names]
    said = {i for i, one in enumerate(words) if _says_id(one)}
    hinted = {i for i, one in enumerate(words) if one and one[-1] in _ID_HINTS} - said
    shuffled = set(looks["shuffled"])
    odds = -_log_all_differ(n_samples, n_samples)
    if len(shuffled) > _MOST_SHUFFLED or not _is_no_chance(n_columns, odds):
        shuffled = set()
    table = _Table(X, y, task, set(looks["order"]), said, hinted, shuffled, set(looks["target"]))
    found = [
        (i, seen)
        for i in sorted({*looks["order"], *said, *hinted, *looks["target"], *shuffled})
        if (seen := next(table.looks(i), None)) is not None
    ]
    return [Suspect(names[i], i, *seen) for i, seen in found]


@dataclass(frozen=True, eq=False)
class _Table:
    """A table, and which of its columns have a look that is worth a closer one."""

    X: Any
    y: NDArray[Any]
    task: Task
    ordered: set[int]
    said: set[int]  # those whose names say id
    hinted: set[int]  # those whose names may say so
    shuffled: set[int]
    telling: set[int]

    def looks(self, column: int) -> Iterator[tuple[Kind, str]]:
        """Yield what a column looks like besides a feature, the most telling look first."""
        values = _dense(self.X[:, [column]])[:, 0].astype(np.float64)
        n_columns = self.X.shape[1]
        tells = column in self.telling and _is_no_chance(n_columns, self._log_telling(values))
        also = ", and gives the target away" if tells else ""
        if tells and column in self.ordered:
            also += " because the samples are sorted by the target"
        if column in self.ordered and _has_constant_step(values, n_columns):
            first = ", ".join(f"{value:.12g}" for value in values[:3])
            yield "running number", f"counts the samples ({first}, ...){also}"
        if self._is_named_id(column, values):
            yield "id", f"has a whole number of its own for each sample, as ids have{also}"
        if column in self.telling and (how := self._how_it_copies(values)):
            n_alike = self.n_like_classes if self.task == "classification" else n_columns
            if _is_no_chance(n_alike, self._log_telling(values)):
                yield "copy", how
        if column in self.ordered and _is_no_chance(n_columns, _log_orders(values) - math.log(2)):
            never = "falls" if values[-1] > values[0] else "rises"
            yield "order", f"never {never} from one sample to the next{also}"
        if tells:
            yield "separator", "tells all classes apart alone"
        if column in self.shuffled:
            yield "id", f"has each whole number from {values.min():.0f} to {values.max():.0f} once"

    def _is_named_id(self, column: int, values: NDArray[np.float64]) -> bool:
        """Whether a column has both the name and the values of an id."""
        if column not in self.said | self.hinted or not _are_ids(values):
            return False
        odds = -_log_all_differ(len(values), np.ptp(values) + 1)
        return column in self.said or _is_no_chance(len(self.hinted), odds)

    @cached_property
    def n_like_classes(self) -> int:
        """How many columns have as few values as there are classes: only they could be a copy."""
        seen = np.sort(_dense(self.X[_spread(self.X.shape[0])]), axis=0)
        n_values = 1 + np.count_nonzero(seen[1:] != seen[:-1], axis=0)
        return int(np.count_nonzero(n_values <= len(np.unique(self.y))))

    def _log_telling(self, values: NDArray[np.float64]) -> float:
        """Return the logarithm of 1 / the chance that one column tells the target like this."""
        if self.task == "classification":
            return _log_orders(self.y) - math.lgamma(len(np.unique(self.y)) + 1)
        if _correlation(values, self.y) < _SAME:
            return _log_orders(self.y) - math.log(2)
        return -(len(self.y) - 2) / 2 * math.log(1 - _SAME**2)

    def _how_it_copies(self, values: NDArray[np.float64]) -> str:
        """Say how a column that tells the target is the same; nothing if it tells more than it."""
        if self.task == "classification":
            pairs = np.unique(np.column_stack([_numbered(self.y), values]), axis=0)
            return "has one value for each class" if len(pairs) == len(np.unique(self.y)) else ""
        r = _correlation(values, self.y)
        if r >= _SAME:
            return f"has a correlation of {r:.4f} with the target, up to its sign"
        return "puts the samples into the same order as the target"


# -- in words -----------------------------------------------------------------------------------

_ADVICE: dict[Kind, str] = {
    "copy": "Leave out what is not known before the target is{drop}.",
    "separator": "That is a very good marker or a leak: leave out what is known only once the "
    "target is{drop}.",
    "running number": "That is hardly a feature: {name}leave it out{drop}.",
    "id": "That is hardly a feature: {name}leave it out{drop}.",
    "order": "Leave out what only tells when or where a sample was taken{drop}.",
}


def suspect_notes(
    suspects: Sequence[Suspect], how: Callable[[Sequence[str]], tuple[str, str]] | None = None
) -> list[str]:
    """Say which columns are suspects, and what to do; one sentence for those of one look.

    `how` gives, for some names, what the user may write to name the samples by one of them and to
    leave them out; nothing by default.
    """
    groups: dict[tuple[Kind, str], list[str]] = {}
    for one in suspects:
        groups.setdefault((one.kind, one.reason), []).append(one.name)
    notes = []
    for (kind, reason), names in groups.items():
        if kind == "separator" and len(names) > _MOST_SEPARATORS:
            notes.append(
                f"{len(names):,} features tell all classes apart alone, such as "
                f"{listed(names[:_MOST_SHOWN])}. So many are hardly leaks; but classes that were "
                f"measured at different times or places look like this, too."
            )
            continue
        name, drop = ("", "") if how is None else how(names)
        seen = f"Check {listed(names)}: {'it' if len(names) == 1 else 'each'} {reason}."
        notes.append(f"{seen} {_ADVICE[kind].format(name=name, drop=drop)}")
    return notes


def sample_notes(y: NDArray[Any], task: Task) -> list[str]:
    """Say that there are too few samples, in all or of a class, to rely on a selection."""
    notes = []
    if len(y) < _FEW_SAMPLES:
        better = f", better {_FEW_SAMPLES} of each class" if task == "classification" else ""
        notes.append(
            f"There are only {counted(len(y), 'sample')}: of so few, any feature can look good by "
            f"chance, so do not rely on the selection. Bring at least {_FEW_SAMPLES}{better}."
        )
    if task == "survival" and (n_events := int(y[:, 1].sum())) < _FEW_SAMPLES:
        notes.append(
            f"There {'is' if n_events == 1 else 'are'} only {counted(n_events, 'event')}: who is "
            f"never seen to have one tells little, so do not rely on the selection. Watch longer, "
            f"or bring more samples."
        )
    if task == "regression" and y.ndim == 1:
        notes += _shape_notes(y.astype(np.float64))
    if task != "classification" or y.ndim > 1:
        return notes
    counts = Counter(np.asarray(y).tolist())
    single = [label for label, count in counts.items() if count == 1]
    if 2 * len(counts) > len(y) and len(counts) > 2:
        notes.append(
            f"The target has {len(counts):,} classes in {len(y):,} samples, {len(single):,} of "
            f"them with one sample only. If it is a quantity, the task is regression; if it names "
            f"the samples, take another target; else join classes."
        )
    elif single:
        which = some_of(map(label_text, single), _MOST_SHOWN)
        notes.append(
            f"{counted(len(single), 'class has', 'classes have')} one sample only: {which}. What "
            f"tells such a class apart cannot be seen in one sample: leave it out, join it with "
            f"another class, or bring more of it."
        )
    return notes


def _shape_notes(y: NDArray[np.float64]) -> list[str]:
    """Say that few samples decide, where their targets are far from all others."""
    low, middle, high = np.quantile(y, (0.25, 0.5, 0.75))
    off = np.abs(y - middle).max()
    if len(y) < _FEW_SAMPLES or off <= _FAR * (high - low) or high == low:
        return []
    far = y[np.abs(y - middle).argmax()]
    usual = f"{number_text(low)} to {number_text(high)}"
    return [
        f"The target has values far from the others: half of them are from {usual}, and one is "
        f"{number_text(far)}. By squared errors a few such samples decide; loss='huber' counts "
        f"them less, and the logarithm of a target may suit it better."
    ]


# -- looks of all columns at once ---------------------------------------------------------------


def _looks(X: Any, y: NDArray[Any], tests: dict[str, Test]) -> dict[str, list[int]]:
    """Return the columns that pass each test: first in some samples, and those left in all."""
    n_samples, n_columns = X.shape
    of_classes = np.unique(y, return_index=True)[1][:_FIRST_SAMPLES]
    first = np.union1d(_spread(n_samples), of_classes)
    passed = np.ones((len(tests), n_columns), dtype=bool)
    for rows in (first, np.arange(n_samples)) if len(first) < n_samples else (first,):
        some = X if len(rows) == n_samples else X[rows]
        if hasattr(some, "tocsc"):
            some = some.tocsc()  # of which blocks of columns are at hand
        columns = np.flatnonzero(passed.any(axis=0))
        width = max(1, _BLOCK // len(rows))
        for start in range(0, len(columns), width):
            chosen = columns[start : start + width]
            # All columns are a slice, which is copied faster.
            part = slice(chosen[0], chosen[-1] + 1) if len(columns) == n_columns else chosen
            block = np.asarray(_dense(some[:, part]), dtype=np.float64)
            passed[:, chosen] &= [test(block, rows) for test in tests.values()]
    return {name: np.flatnonzero(mask).tolist() for name, mask in zip(tests, passed, strict=True)}


def _dense(values: Any) -> NDArray[Any]:
    return np.asarray(values.toarray() if hasattr(values, "toarray") else values)


def _spread(n_samples: int) -> NDArray[np.intp]:
    """Return some samples from all over the table, the first and the last among them."""
    return np.unique(np.linspace(0, n_samples - 1, _FIRST_SAMPLES).astype(np.intp))


def _is_monotone(block: NDArray[np.float64], rows: NDArray[np.intp]) -> Mask:
    del rows
    ends = block[-1] - block[0]
    # A look at one sample in the middle spares one at all for most columns.
    middle = block[len(block) // 2]
    maybe = np.flatnonzero((ends != 0) & ((middle - block[0]) * (block[-1] - middle) >= 0))
    passed = np.zeros(block.shape[1], dtype=bool)
    steps = np.diff(block[:, maybe], axis=0) * np.sign(ends[maybe])
    passed[maybe] = (steps >= 0).all(axis=0)
    return passed


def _tells_classes(y: NDArray[Any]) -> Test:
    """Return the test for columns in which each class has a range of values of its own."""
    numbers = _numbered(y)

    def test(block: NDArray[np.float64], rows: NDArray[np.intp]) -> Mask:
        order = np.argsort(numbers[rows], kind="stable")
        starts = np.unique(numbers[rows][order], return_index=True)[1]
        block = block[order]
        low, high = np.minimum.reduceat(block, starts), np.maximum.reduceat(block, starts)
        by_low = np.argsort(low, axis=0)
        low, high = np.take_along_axis(low, by_low, 0), np.take_along_axis(high, by_low, 0)
        return np.asarray((high[:-1] < low[1:]).all(axis=0))

    return test


def _tells_quantity(y: NDArray[Any]) -> Test:
    """Return the test for columns that are a quantity on another scale, or nearly."""
    target = y.astype(np.float64)

    def test(block: NDArray[np.float64], rows: NDArray[np.intp]) -> Mask:
        order = np.argsort(target[rows], kind="stable")
        values = block[order]
        steps = np.sign(np.diff(target[rows][order]))[:, None]
        signs = np.sign(np.diff(values, axis=0)) * np.sign(values[-1] - values[0])
        least = _SAME if len(rows) == len(target) else _ABOUT_SAME
        is_same_order = (signs == steps).all(axis=0) & (values[-1] != values[0])
        return np.asarray(is_same_order | (_correlations(block, target[rows]) >= least))

    return test


def _is_shuffled(n_samples: int) -> Test:
    """Return the test for columns that have each of n consecutive whole numbers once."""

    def test(block: NDArray[np.float64], rows: NDArray[np.intp]) -> Mask:
        # The range leaves few columns to be sorted.
        spread = block.max(axis=0) - block.min(axis=0)
        maybe = np.flatnonzero((spread >= len(rows) - 1) & (spread <= n_samples - 1))
        passed = np.zeros(block.shape[1], dtype=bool)
        values = np.sort(block[:, maybe], axis=0)
        is_whole = (values == np.round(values)).all(axis=0)
        passed[maybe] = is_whole & (np.diff(values, axis=0) > 0).all(axis=0)
        return passed

    return test


def _correlations(block: NDArray[np.float64], target: NDArray[np.float64]) -> Any:
    """Return the sizes of the correlations of columns with a quantity, 0 where one is constant."""
    with np.errstate(all="ignore"):
        block = block - block.mean(axis=0)
        target = target - target.mean()
        sizes = np.sqrt((block**2).sum(axis=0) * (target**2).sum())
        return np.nan_to_num(np.abs(target @ block) / sizes, nan=0.0, posinf=0.0)


def _correlation(values: NDArray[np.float64], target: NDArray[Any]) -> float:
    return float(_correlations(values[:, None], target.astype(np.float64))[0])


# -- looks of single columns --------------------------------------------------------------------


def _has_constant_step(values: NDArray[np.float64], n_columns: int) -> bool:
    steps = np.diff(values)
    mean = (values[-1] - values[0]) / len(steps)
    is_constant = bool((np.abs(steps - mean) <= _STEP_TOLERANCE * abs(mean)).all())
    # Two values and a range of at least n numbers say which ones the others have to be.
    return is_constant and _is_no_chance(n_columns, (len(values) - 2) * math.log(len(values)))


def _are_ids(values: NDArray[np.float64]) -> bool:
    """Whether all values are whole and different."""
    is_whole = bool((values == np.round(values)).all())
    return is_whole and len(np.unique(values)) == len(values)


def _says_id(words: list[str]) -> bool:
    match words:
        case [name]:
            return name in _ID_ENDINGS | _ID_NAMES
        case [*_, name, ending]:
            return ending in _ID_ENDINGS or (ending in _ID_HINTS and name in _ID_NAMES)
    return False


_GAPS_TELL = "lacks a value in all samples of some classes, and in no other"


# -- looks of levels and gaps -------------------------------------------------------------------


def _gaps(X: Any) -> dict[int, NDArray[np.intp]]:
    """Return where values are missing, -1, and there, 0; of columns that have both."""
    if X.dtype.kind != "f" or hasattr(X, "toarray"):
        return {}
    with np.errstate(over="ignore", invalid="ignore"):
        maybe = np.flatnonzero(np.isnan(X.sum(axis=0, dtype=np.float64)))  # a cheap test
    is_gap = np.isnan(X[:, maybe])
    mixed = is_gap.any(axis=0) & ~is_gap.all(axis=0)
    return {int(maybe[i]): -is_gap[:, i].astype(np.intp) for i in np.flatnonzero(mixed)}


def _look_of_levels(
    codes: NDArray[np.intp], y: NDArray[Any], task: Task, n_columns: int, *, has_levels: bool
) -> tuple[Kind, str] | None:
    """Return what a column with levels, or with gaps among numbers, looks like, if like any."""
    known = codes[codes >= 0]
    n_levels = len(np.unique(known))
    if has_levels and n_levels >= max(_MANY_LEVELS, _NEARLY * len(known)):
        return "id", "has hardly any text twice, as ids and free text have"
    if task == "regression":
        return None
    if not has_levels:
        # Whether a value is there is what the class says, and not the other way round.
        is_told = _tells_by_level(_numbered(y), codes, n_columns)
        return ("copy", _GAPS_TELL) if is_told else None
    if not _tells_by_level(codes, y, n_columns):
        return None
    if len(np.unique(codes)) == len(np.unique(y)):
        return "copy", "has one value for each class"
    return "separator", "tells all classes apart alone"


def _tells_by_level(codes: NDArray[np.intp], y: NDArray[Any], n_columns: int) -> bool:
    """Whether each level, a gap being one, is in one class only, and chance does not explain it."""
    pairs = np.unique(np.column_stack([_numbered(y), codes]), axis=0)
    n_levels, n_classes = len(np.unique(codes)), len(np.unique(y))
    if len(pairs) > n_levels or n_levels < n_classes:
        return False
    return _is_no_chance(n_columns, _log_orders(y) - n_levels * math.log(n_classes))


# -- chance -------------------------------------------------------------------------------------


def _is_no_chance(n_columns: int, log_odds: float) -> bool:
    """Whether something of a chance of exp(-log_odds) a column is implausible in all of them."""
    return math.log(n_columns) - log_odds < math.log(_CHANCE)


def _log_orders(values: NDArray[Any]) -> float:
    """Return the logarithm of the number of different orders of some values."""
    counts = np.unique(values, return_counts=True)[1].tolist()
    return math.lgamma(len(values) + 1) - sum(math.lgamma(count + 1) for count in counts)


def _log_all_differ(n: int, n_values: float) -> float:
    """Return the logarithm of the chance that n numbers, each one of some values, all differ.

    It is that of values that are all as likely, at which it is largest.
    """
    return float(np.log1p(-np.arange(n) / n_values).sum())


def _numbered(y: NDArray[Any]) -> NDArray[np.intp]:
    return np.unique(y, return_inverse=True)[1].reshape(-1)


# -- classes that are uneven -----------------------------------------------------------------------


# Classes are uneven if one has more than this share; or less, and less than a third of its due.
_LARGE, _RARE = 0.7, 0.1
_MOST_CLASSES = 4
_ACCURACY = "accuracy"


def _is_uneven(data: DataFacts) -> bool:
    counts = [n for _, n in data.class_counts]
    if data.targets or len(counts) < 2:
        return False
    total, due = sum(counts), 1 / len(counts)
    return max(counts) > _LARGE * total or min(counts) / total < min(_RARE, due / 3)


def suited_metric(data: DataFacts) -> str | None:
    """Return the measure for classes that are uneven, None where the usual one will do."""
    if not _is_uneven(data):
        return None
    return "auc" if len(data.class_counts) == 2 else "balanced-accuracy"


def uneven_notes(
    data: DataFacts, measures: Iterable[str], *, is_command: bool, is_suited: bool = False
) -> list[str]:
    """Say that accuracy hides how rare classes fare, and what is measured or proposed instead.

    `is_suited` where the measure is that of `suited_metric`, because nobody asked for another.
    """
    by_accuracy = any(one.startswith(_ACCURACY) for one in measures)
    if not _is_uneven(data) or not (by_accuracy or is_suited):
        return []
    total = sum(n for _, n in data.class_counts)
    in_order = sorted(data.class_counts, key=lambda one: -one[1])
    shares = some_of([f"{label} {_percent(n, total)}" for label, n in in_order], _MOST_CLASSES)
    option = "--metric {}" if is_command else 'metric="{}"'
    if is_suited:
        return [
            f"The classes are uneven ({shares}), so accuracy would say little of the rare ones and "
            f"is not the measure here; {option.format(_ACCURACY)} takes it all the same."
        ]
    balanced, area = (option.format(name) for name in ("balanced-accuracy", "auc"))
    return [
        f"The classes are uneven ({shares}), so accuracy says little of the rare ones: {balanced} "
        f"or {area} says more."
    ]


def majority_text(data: DataFacts, measure: str) -> str:
    """Say how large the largest class is; nothing by accuracy, where a guess reaches just that."""
    is_of_classes = data.task == "classification" and data.class_counts and not data.targets
    if not is_of_classes or measure.startswith(_ACCURACY):
        return ""
    label, most = max(data.class_counts, key=lambda one: one[1])
    share = _percent(most, sum(n for _, n in data.class_counts))
    return f"the most frequent class, {shorten(label)}, has {share} of the samples"


def _percent(n: int, total: int) -> str:
    return f"{100 * n / total:.1f} %"
