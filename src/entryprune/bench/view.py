"""What is seen of a running benchmark."""

from __future__ import annotations

from collections.abc import Callable
from typing import Self

from rich.console import Console
from rich.progress import TaskID

from entryprune._progress import Display, progress_bar
from entryprune._text import printable
from entryprune.bench.cases import Case
from entryprune.bench.records import Record


class View(Display):
    """A bar over all cases and a line for each that runs; in a file, a line for each that ended."""

    def __init__(
        self,
        label: Callable[[Case], str] | None = None,
        console: Console | None = None,
        what: str = "cases",
        outcome: Callable[[Record], str] | None = None,
    ) -> None:
        self._label = label or (lambda case: case.key)
        self._outcome = outcome or describe
        self._console = console or Console(stderr=True)
        super().__init__(progress_bar(console=self._console, is_kept=True))
        self._tasks: dict[str, TaskID] = {}
        self._total = self._bar.add_task(what, total=0)

    def expect(self, n_jobs: int) -> Self:
        """Say that so many more cases are to come."""
        task = self._bar.tasks[0]
        self._bar.update(self._total, total=(task.total or 0) + n_jobs)
        return self

    def __call__(self, case: Case, record: Record | None) -> None:
        """Show that a case began, or what came of it."""
        if record is None:
            label = printable(self._label(case))
            self._tasks[case.key] = self._bar.add_task(f"  {label}", total=None)
            return
        task = self._tasks.pop(case.key, None)
        if task is not None:
            self._bar.remove_task(task)
        self._bar.advance(self._total)
        line = printable(f"{self._label(case)}: {self._outcome(record)}")
        self._console.print(line, markup=False, highlight=False, soft_wrap=True)


def describe(record: Record) -> str:
    """Put what came of a case into one line."""
    if not record.is_done:
        return f"{record.status}, {record.reason}"
    parts = [f"{name} {value:.2f} %" for name, value in record.accuracies.items()]
    if "recall" in record.measures:
        parts.append(f"recall {record.measures['recall']:.2f}")
    if record.seconds is not None:
        parts.append(f"{record.seconds:.1f} s")
    return " | ".join(parts) or record.status
