"""How long the command line takes to answer when there is nothing to compute.

    python benchmarks/startup.py            (part of: make bench)

Help and errors must come at once, so nothing heavy may be imported for them. Each call is a process
of its own; the median of seven after a first one is shown, beside that of a Python that does
nothing.
"""

from __future__ import annotations

import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import h5py
import numpy as np
from rich.console import Console
from rich.table import Table
from scipy.io import savemat

N_ROUNDS = 7
MOST_SECONDS = 0.3
COMMAND = Path(sys.executable).with_name("entryprune")
SELECT = [COMMAND, "select", "--target", "y", "-k", "3"]
CALLS = {
    "python -c pass": [sys.executable, "-c", "pass"],
    "entryprune --help": [COMMAND, "--help"],
    "entryprune select --help": [COMMAND, "select", "--help"],
    "entryprune bench run --help": [COMMAND, "bench", "run", "--help"],
    "an unknown method": [COMMAND, "bench", "run", "--datasets", "usps", "--methods", "nonsense"],
    "a file that is not there": [*SELECT, "none.csv"],
}
# What is wrong in files, from what the first line tells to what takes all of it.
TABLES = {
    "an empty table": "",
    "a header only": "a,b,y\n",
    "a name twice": "a,a,y\n1,2,u\n",
    "a target that is not there": "a,b,z\n1,2,u\n",
    "rows of different lengths": "a,b,y\n1,2,u\n1,2\n",
    "a target of one value": "a,b,y\n1,2,u\n2,1,u\n",
    "an infinite value": "a,b,y\n1,inf,u\n2,1,v\n",
    "a column without values": "a,b,y\n1,,u\n2,,v\n",
    "more features than there are": "a,b,y\n1,2,u\n2,1,v\n",
}


# As where it is installed: compiled once, not at each call.
ENVIRONMENT = {k: v for k, v in os.environ.items() if k != "PYTHONDONTWRITEBYTECODE"}


def seconds(call: list) -> float:
    start = time.perf_counter()
    subprocess.run(call, capture_output=True, check=False, env=ENVIRONMENT)
    return time.perf_counter() - start


def calls(folder: Path) -> dict[str, list]:
    """Return all calls; the files that some need are written to a folder."""
    found = dict(CALLS)
    for number, (name, content) in enumerate(TABLES.items()):
        path = folder / f"table{number}.csv"
        path.write_text(content)
        found[name] = [*SELECT, path]
    for ending in ("parquet", "feather", "npy", "npz", "mat", "h5ad", "arff", "libsvm"):
        path = folder / f"damaged.{ending}"
        path.write_bytes(b"nothing of the kind")
        found[f"a damaged .{ending} file"] = [*SELECT, path]
    model = folder / "model.safetensors"
    model.write_bytes(b"nothing of the kind")
    found["a damaged model"] = [COMMAND, "apply", model, folder / "table4.csv"]
    savemat(folder / "arrays.mat", {"A": np.eye(4), "B": np.eye(4)})
    found["a .mat file with several arrays"] = [*SELECT, folder / "arrays.mat"]
    np.savez(folder / "arrays.npz", A=np.eye(4), B=np.eye(4))
    found["an .npz file with several arrays"] = [*SELECT, folder / "arrays.npz"]
    with h5py.File(folder / "cells.h5ad", "w") as file:
        file["X"] = np.eye(2)
        for axis in ("obs", "var"):
            file.create_group(axis).attrs["_index"] = "_index"
            file[axis]["_index"] = [b"a", b"b"]
    found["an .h5ad file without labels"] = [*SELECT, folder / "cells.h5ad"]
    return found


def main() -> None:
    table = Table("call", "seconds", f"at most {MOST_SECONDS}")
    with tempfile.TemporaryDirectory() as folder:
        for name, call in calls(Path(folder)).items():
            seconds(call)
            median = statistics.median(seconds(call) for _ in range(N_ROUNDS))
            table.add_row(name, f"{median:.2f}", "yes" if median <= MOST_SECONDS else "NO")
    Console().print(table)


if __name__ == "__main__":
    main()
