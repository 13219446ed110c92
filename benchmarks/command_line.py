"""How long the command line takes on real tables, from the file to the answer.

    python benchmarks/command_line.py --data FOLDER

Writes USPS as Parquet, ARCENE as .mat and CSV (10,000 columns) and BASEHOCK as LIBSVM into a
temporary folder, and times `entryprune select`, `apply` and `compare` on them, one after the other.
Run it on an idle machine.
"""

from __future__ import annotations

import argparse
import csv
import os
import shlex
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import scipy.io
from sklearn.datasets import dump_svmlight_file

from entryprune.data import load_dataset

COMMANDS = (
    "select usps.parquet --target digit -k 25 -o usps.csv --model usps.safetensors",
    "apply usps.safetensors usps.parquet -o reduced.parquet",
    "select arcene.mat --target Y -k 50 -o arcene_mat.csv",
    "select arcene.csv --target label --id-column patient -k 50 -o genes.csv --reduced small.csv",
    "select arcene.csv --target label --id-column patient -k 50 --report report.html --jobs 2",
    "select arcene.csv --target label --id-column patient -k 50 --method fisher -o fisher.csv",
    "select arcene.csv --target label --id-column patient -k 50 --method entryprune -o paper.csv",
    "compare arcene.csv --target label --id-column patient -k 10,25 --methods fisher,mrmr,l1 "
    "--repeats 1 --jobs 2",
    "select basehock.libsvm -k 50 -o words.csv",
    "select basehock.libsvm -k 50 -o words.csv --reduced words.libsvm",
)


def write_tables(folder: Path, data: str) -> None:
    usps, arcene, basehock = (load_dataset(n, data) for n in ("usps", "arcene", "basehock"))
    columns = {f"pixel_{i}": usps.X[:, i] for i in range(usps.X.shape[1])}
    pq.write_table(pa.table({**columns, "digit": usps.y}), folder / "usps.parquet")
    scipy.io.savemat(folder / "arcene.mat", {"X": arcene.X, "Y": arcene.y.reshape(-1, 1)})
    with (folder / "arcene.csv").open("w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(["patient", *(f"mz_{i}" for i in range(arcene.X.shape[1])), "label"])
        labels = np.where(arcene.y == arcene.y.max(), "cancer", "normal")
        for number, (row, label) in enumerate(zip(arcene.X.tolist(), labels, strict=True)):
            writer.writerow([f"P{number}", *row, label])
    dump_svmlight_file(
        basehock.X.astype(float),
        basehock.y.astype(float),
        str(folder / "basehock.libsvm"),
        zero_based=False,
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", default=os.environ.get("ENTRYPRUNE_DATA"))
    options = parser.parse_args()
    command = Path(sys.executable).with_name("entryprune")
    print(f"load before: {os.getloadavg()[0]:.2f}")
    with tempfile.TemporaryDirectory() as folder:
        write_tables(Path(folder), options.data)
        for line in COMMANDS:
            start = time.perf_counter()
            subprocess.run(
                [command, *shlex.split(line)], cwd=folder, check=True, capture_output=True
            )
            print(f"{time.perf_counter() - start:6.1f} s  entryprune {line}", flush=True)


if __name__ == "__main__":
    main()
