"""From the user's file to features and a target, with everything that was guessed."""

from __future__ import annotations

import shlex
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Literal

from entryprune._text import counted, listed, some_of
from entryprune.cli._target import Aim, Target, read_target

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from entryprune.data import TableRequest, UserTable
    from entryprune.report.base import Task

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


def read_question(request: TableRequest, aim: Aim, task: str, k: int) -> Question:
    """Read a table with its target, and make sure that K features can be selected in it."""
    from entryprune.data import read_table
    from entryprune.data.tables.request import several

    aim.check(task)
    table = read_table(request)
    if table.y is None:
        others = (*table.label_names, *(column.column for column in table.left_out))
        likely = [name for name in others if name not in several(request.drop, others)]
        raise ValueError(
            f"What is to be predicted from {request.path.name}? Name its "
            f"{'row' if request.transpose else 'column'} with --target"
            f"{f' (such as {listed(likely)})' if likely else ''}, or a file with --target-file."
        )
    refuse_missing(table)
    question = _asked(table, aim, task)
    if request.transpose:
        question = replace(question, place="row")
    n_features = len(table.feature_names)
    if k > n_features:
        raise ValueError(
            f"-k {k} asks for more features than {table.path.name} has ({n_features}). Take a -k "
            f"from 1 to {n_features}."
        )
    return replace(question, cautions=(*question.cautions, *_doubts(request, question)))


def refuse_missing(table: UserTable) -> None:
    """Refuse missing and infinite values, and name the features."""
    import numpy as np

    if table.X.dtype.kind != "f":
        return
    counts = (~np.isfinite(table.X)).sum(axis=0)
    if not counts.any():
        return
    bad = [f"{table.feature_names[i]!r} ({counts[i]})" for i in np.flatnonzero(counts)]
    raise ValueError(
        f"{table.path.name} has {int(counts.sum()):,} missing or infinite values in "
        f"{counted(len(bad), 'feature')}: {some_of(bad)}. Fill them in, leave out these samples, "
        f"or leave out these features with --drop."
    )


def _asked(table: UserTable, aim: Aim, task: str) -> Question:
    from entryprune.report.checks import sample_notes

    table, target = read_target(table, aim, task)
    notes = sample_notes(target.y, target.task)
    # They speak of a parameter that is an option here.
    notes = [one.replace("loss='huber'", "--loss huber") for one in notes]
    return Question(table, target, _facts(table, target), (*target.notices, *notes))


def _facts(table: UserTable, target: Target) -> tuple[str, ...]:
    what, task, *more = target.facts
    facts = [
        f"Read {table.path.name} ({table.format}): {len(table.X):,} samples, "
        f"{len(table.feature_names):,} features.",
        what,
    ]
    if table.ids is not None:
        facts.append(f"Samples are named by {table.id_name}, which is not a feature.")
    facts += [task, *more]
    constant = int((table.X[:1] == table.X).all(axis=0).sum())
    if constant:
        which = "feature is constant: it" if constant == 1 else "features are constant: they"
        facts.append(f"{constant:,} {which} can tell nothing.")
    by_reason: dict[str, list[str]] = {}
    for column in table.left_out:
        by_reason.setdefault(column.why, []).append(column.column)
    for why, left in by_reason.items():
        facts.append(f"Left out ({why}): {some_of(left)}.")
    return (*facts, *table.notes)


def _doubts(request: TableRequest, question: Question) -> list[str]:
    """Say which features should hardly be features."""
    from entryprune.report.checks import find_suspects, suspect_notes

    table = question.table
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

    suspects = find_suspects(table.X, question.y, table.feature_names, question.task)
    return suspect_notes(suspects, how)
