"""Wall-clock time of a selection."""

from __future__ import annotations

from dataclasses import astuple, replace

from entryprune.bench.studies._base import EMBEDDED, PlannedStudy, Records, Scope, Size
from entryprune.bench.studies._comparison import method_title
from entryprune.report.figures.rows import Timing
from entryprune.report.table import Table


class Speed(PlannedStudy):
    """Time and training epochs by data set and method; each case runs alone."""

    name = "speed"
    title = "Wall-clock time of a selection"
    place = "Figure 6"
    full = Size(
        ("usps", "coil20", "arcene", "prostate_ge"),
        ("entryprune", "entryprune-flex", "neurofs", "lassonet"),
        (50,),
    )
    quick = Size(EMBEDDED, ("entryprune", "entryprune-flex", "neurofs"), (10,), n_seeds=2)
    is_timed = True
    figures = ("speed",)

    def table(self, scope: Scope, records: Records) -> Table:
        """Return a row for each data set and method."""
        groups = self.groups(scope, records)
        machine = next((r.machine for one in groups for r in one.done if r.is_alone), {})
        threads = {r.n_threads for one in groups for r in one.done if r.is_alone}
        return Table(
            title=self.title,
            columns=("data set", "method", "seconds", "SD", "epochs", "runs"),
            rows=tuple(astuple(timing) for timing in self.points(scope, records)),
            notes=(
                f"One case at a time, threads: {', '.join(map(str, sorted(threads)))}; "
                f"{machine.get('processor', '')}, {machine.get('cores', '?')} cores.",
            ),
        )

    def points(self, scope: Scope, records: Records) -> list[Timing]:
        """Return mean seconds and epochs of the cases that ran alone."""
        timings = []
        for one in self.groups(scope, records):
            seconds, method = one.seconds(), method_title(one.method)
            timed = replace(one, records=[record for record in one.done if record.is_alone])
            epochs = timed.measure("epochs").mean
            timings.append(Timing(one.title, method, seconds.mean, seconds.sd, epochs, seconds.n))
        return timings
