"""How long the command line takes to answer when there is nothing to compute.

    python benchmarks/startup.py            (part of: make bench)

Help and errors must come at once, so nothing heavy may be imported for them. Each call is a process
of its own; the median of seven is shown, beside the time of a Python that does nothing.
"""

from __future__ import annotations

import statistics
import subprocess
import sys
import time
from pathlib import Path

from rich.console import Console
from rich.table import Table

N_ROUNDS = 7
MOST_SECONDS = 0.3
COMMAND = Path(sys.executable).with_name("entryprune")
CALLS = {
    "python -c pass": [sys.executable, "-c", "pass"],
    "entryprune --help": [COMMAND, "--help"],
    "entryprune select --help": [COMMAND, "select", "--help"],
    "entryprune bench run --help": [COMMAND, "bench", "run", "--help"],
    "an unknown method": [COMMAND, "bench", "run", "--datasets", "usps", "--methods", "nonsense"],
    "a file that is not there": [COMMAND, "select", "none.csv", "--target", "y", "-k", "3"],
}


def seconds(call: list) -> float:
    start = time.perf_counter()
    subprocess.run(call, capture_output=True, check=False)
    return time.perf_counter() - start


def main() -> None:
    table = Table("call", "seconds", f"at most {MOST_SECONDS}")
    for name, call in CALLS.items():
        median = statistics.median(seconds(call) for _ in range(N_ROUNDS))
        table.add_row(name, f"{median:.2f}", "yes" if median <= MOST_SECONDS else "NO")
    Console().print(table)


if __name__ == "__main__":
    main()
