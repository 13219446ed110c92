"""From the user's file to features and a target, with everything that was guessed."""

from __future__ import annotations

import shlex
from collections import Counter
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Literal

from entryprune._text import counted, listed, some_of
from entryprune.cli._target import Aim, Target, read_target

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

    from entryprune.cli._design import SampleDesign
    from entryprune.data import TableRequest, UserTable
    from entryprune.report.base import Task

MISSING = ("impute", "error")
# What features are, one and more.
_KINDS = {
    "number": ("number", "numbers"),
    "yes/no": ("of two levels", "of two levels"),
    "categories": ("of categories", "of categories"),
    "date": ("date", "dates"),
}
# Names that a message writes out as an option.
_MOST_TYPED = 5


@dataclass(frozen=True)
class Question:
    """A table, what is to be predicted from it, and what there is to say about both."""

    table: UserTable
    target: Target
    facts: tuple[str, ...]
    cautions: tuple[str, ...]  # samples that are too few, columns that should not be features
    place: Literal["column", "row"] = "column"  # what a feature is in the file
    # Which samples belong together and when each was, by the names of arguments.
    about: Mapping[str, Any] = field(default_factory=dict)

    @property
    def told(self) -> tuple[str, ...]:
        """All there is to say before the work starts, what may be wrong first."""
        n_notices = len(self.target.notices)
        return (*self.target.notices, *self.facts, *self.cautions[n_notices:])

    @property
    def y(self) -> NDArray[Any]:
        """The target's values."""
        return self.target.y

    @property
    def task(self) -> Task:
        """What kind of target that is."""
        return self.target.task


def read_question(
    request: TableRequest,
    aim: Aim,
    samples: SampleDesign,
    task: str,
    k: int,
    *,
    missing: str,
    parameters: Mapping[str, Any],
) -> Question:
    """Read a table with its target, and make sure that K features can be selected in it.

    `parameters` are those of the methods; one of them says how many levels a feature may have.
    """
    from entryprune.data import read_table

    aim.check(task)
    if missing not in MISSING:
        raise ValueError(f"--missing takes one of {', '.join(MISSING)}; got {missing!r}.")
    table = read_table(request)
    if table.y is None:
        raise _without_target(request, table)
    _refuse_misread(table)
    _refuse_values(table, missing)
    n_features = len(table.feature_names)
    if k > n_features:
        raise ValueError(
            f"-k {k} asks for more features than {table.path.name} has ({n_features}). Take a -k "
            f"from 1 to {n_features}."
        )
    question = _asked(request, table, aim, task, parameters.get("max_levels"))
    return replace(
        question,
        facts=(*question.facts, *samples.facts(question.table)),
        about=samples.known(question.table),
    )


def _without_target(request: TableRequest, table: UserTable) -> ValueError:
    from entryprune.data.tables.request import several

    others = [*table.label_names, *(column.column for column in table.left_out)]
    if table.frame is not None:
        kinds = zip(table.feature_names, table.frame.schema.types, strict=True)
        others += [name for name, kind in kinds if hasattr(kind, "value_type")]
    likely = [name for name in others if name not in several(request.drop, others)]
    return ValueError(
        f"What is to be predicted from {request.path.name}? Name its "
        f"{'row' if request.transpose else 'column'} with --target"
        f"{f' (such as {listed(likely)})' if likely else ''}, or a file with --target-file."
    )


def _refuse_misread(table: UserTable) -> None:
    """Refuse numbers that a comma or a point makes text of: nobody meant to leave them out."""
    from entryprune.data.tables.arrow_columns import NUMBERS_AS_TEXT

    misread = [one for one in table.left_out if one.why.startswith(NUMBERS_AS_TEXT)]
    if misread:
        names = some_of(repr(one.column) for one in misread)
        raise ValueError(
            f"In {names} {table.path.name} has {misread[0].why.removeprefix('text: ')}. Or leave "
            f"{'it' if len(misread) == 1 else 'them'} out with --drop."
        )


def _refuse_values(table: UserTable, missing: str) -> None:
    """Refuse infinite values, and gaps if they are not filled in, and name the features."""
    n_gaps, n_infinite = _gaps_and_infinities(table)
    asked = "Replace them, leave out these samples, or leave out these features with --drop."
    _refuse(table, n_infinite, "infinite value", asked)
    if missing == "impute" and table.frame is not None:
        return
    what = "leave out these samples, or leave out these features with --drop."
    how = "Take --missing impute" if table.frame is not None else "Fill them in"
    _refuse(table, n_gaps, "missing value", f"{how}, {what}")


def _gaps_and_infinities(table: UserTable) -> tuple[NDArray[Any], NDArray[Any]]:
    """Return how many values each feature lacks, and how many are infinite."""
    import numpy as np

    if table.frame is not None:
        columns = table.frame.columns
        n_gaps = np.array([column.null_count for column in columns])
        return n_gaps, np.array([_n_infinite(column) for column in columns])
    X, n_features = table.X, len(table.feature_names)
    if X.dtype.kind != "f":
        return np.zeros(n_features, int), np.zeros(n_features, int)
    tests = (np.isnan, np.isinf)
    if hasattr(X, "indices"):  # sparse, by rows
        found = [np.bincount(X.indices[test(X.data)], minlength=n_features) for test in tests]
    else:
        found = [test(X).sum(axis=0) for test in tests]
    return found[0], found[1]


def _n_infinite(column: Any) -> int:
    import pyarrow as pa
    import pyarrow.compute as pc

    is_real = pa.types.is_floating(column.type)
    return int(pc.sum(pc.is_inf(column)).as_py() or 0) if is_real else 0


def _refuse(table: UserTable, counts: NDArray[Any], what: str, remedy: str) -> None:
    bad = [
        f"{name!r} ({n:,})"
        for name, n in zip(table.feature_names, counts.tolist(), strict=True)
        if n
    ]
    if bad:
        raise ValueError(
            f"{table.path.name} has {counted(int(counts.sum()), what)} in "
            f"{counted(len(bad), 'feature')}: {some_of(bad)}. {remedy}"
        )


def _asked(
    request: TableRequest, table: UserTable, aim: Aim, task: str, most_levels: int | None
) -> Question:
    from entryprune.report.checks import sample_notes

    table, target = read_target(table, aim, task)
    notes = sample_notes(target.y, target.task)
    # They speak of a parameter that is an option here.
    notes = [one.replace("loss='huber'", "--loss huber") for one in notes]
    look = _Look.at(table, most_levels)
    doubts = _doubts(request, table, target, look)
    return Question(
        table,
        target,
        _facts(table, target, look),
        (*target.notices, *notes, *doubts),
        "row" if request.transpose else "column",
    )


@dataclass(frozen=True, eq=False)
class _Look:
    """A table as it is looked through: numbers, codes of levels, and what there is to say."""

    numbers: Any
    codes: Mapping[int, NDArray[Any]]
    kinds: Sequence[str] = ()  # of features that are not all numbers
    notes: tuple[str, ...] = ()

    @classmethod
    def at(cls, table: UserTable, most_levels: int | None) -> _Look:
        if table.frame is None:
            return cls(table.X, {})
        from entryprune.encoding import Encoder
        from entryprune.encoding.views import numbers_and_codes

        more = {} if most_levels is None else {"max_levels": most_levels}
        encoder = Encoder.fit(table.frame, missing="impute", **more)
        numbers, codes = numbers_and_codes(table.frame, encoder)
        return cls(numbers, codes, encoder.kinds, encoder.notes)

    @property
    def n_constant(self) -> int:
        """How many features have one value only."""
        import numpy as np

        if hasattr(self.numbers, "toarray"):
            low, high = (end(axis=0).toarray() for end in (self.numbers.min, self.numbers.max))
            return int((low == high).sum())
        n_alike = int((self.numbers[:1] == self.numbers).all(axis=0).sum())
        return n_alike + sum(len(np.unique(codes)) == 1 for codes in self.codes.values())


def _facts(table: UserTable, target: Target, look: _Look) -> tuple[str, ...]:
    what, task, *more = target.facts
    kinds = Counter(look.kinds)
    of_kinds = ", ".join(counted(n, *_KINDS[kind]) for kind, n in kinds.most_common())
    facts = [
        f"Read {table.path.name} ({table.format}): {table.n_samples:,} samples, "
        f"{len(table.feature_names):,} features{f' ({of_kinds})' if len(kinds) > 1 else ''}.",
        what,
    ]
    if table.ids is not None:
        facts.append(f"Samples are named by {table.id_name}, which is not a feature.")
    facts += [task, *more]
    if constant := look.n_constant:
        which = "feature is constant: it" if constant == 1 else "features are constant: they"
        facts.append(f"{constant:,} {which} can tell nothing.")
    by_reason: dict[str, list[str]] = {}
    for column in table.left_out:
        by_reason.setdefault(column.why, []).append(column.column)
    for why, left in by_reason.items():
        facts.append(f"Left out ({why}): {some_of(left)}.")
    return (*facts, *table.notes, *look.notes)


def _doubts(request: TableRequest, table: UserTable, target: Target, look: _Look) -> list[str]:
    """Say which features should hardly be features."""
    from entryprune.report.checks import find_suspects, suspect_notes

    can_name = table.ids is None and not request.transpose
    known = set(table.feature_names)

    def how(names: Sequence[str]) -> tuple[str, str]:
        # Not all signs can be typed.
        typed = [name for name in names if name.isprintable() and name == name.strip()]
        if len(names) > _MOST_TYPED or len(typed) < len(names):
            return "", " (--drop)"
        by = shlex.quote(names[0])
        name = f"name the samples by it (--id-column {by}) or " if can_name else ""
        # Between commas, unless that would be taken apart in another way.
        together = ",".join(names)
        is_clear = "," not in "".join(names) and together not in known
        options = [together] if is_clear or len(names) == 1 else names
        return name, f" ({' '.join(f'--drop {shlex.quote(option)}' for option in options)})"

    names, y, task = table.feature_names, target.y, target.task
    suspects = find_suspects(look.numbers, y, names, task, look.codes)
    return suspect_notes(suspects, how)
