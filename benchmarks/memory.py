"""How much memory a fit on a sparse table takes, beyond the table.

    python benchmarks/memory.py [--samples 20000 --features 100000 --density 0.001]

A process of its own makes the table, fits once on a small one, so that Python, torch and what they
load are there, and then on the table. What counts is how far the resident memory rises above what
it was just before that fit: at most three times the table's own size (values, indices and pointers)
and the window, which is what is dense at a time: some columns of a hand of samples, and those
whose pairs are looked at.
"""

from __future__ import annotations

import argparse
import ctypes
import gc
import subprocess
import sys
import time
import warnings
from pathlib import Path

from machine import announce
from rich.console import Console

MIB = 2**20
N_SELECTED = 50


def resident(what: str) -> float:
    """Return the resident memory in MiB, now (VmRSS) or at most since `forget` (VmHWM)."""
    lines = Path("/proc/self/status").read_text(encoding="ascii").splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith(what)) / 1024


def forget() -> None:
    """Give back what is free, and measure the most from now on."""
    gc.collect()
    ctypes.CDLL("libc.so.6").malloc_trim(0)
    Path("/proc/self/clear_refs").write_text("5", encoding="ascii")


def measure(kind: str, dtype: str, n_samples: int, n_features: int, density: float) -> None:
    import numpy as np
    from scipy import sparse

    from entryprune import EntryPruneClassifier
    from entryprune.engine.exchange import hands, pairs

    warnings.simplefilter("ignore")
    rng = np.random.default_rng(0)
    small = sparse.random(300, 200, 0.05, format=kind, random_state=0)
    EntryPruneClassifier(3, random_state=0).fit(small, np.arange(300) % 2)
    n_each = round(density * n_features)
    columns = rng.integers(n_features, size=(n_samples, n_each), dtype=np.int32)
    columns.sort(axis=1)
    values = rng.random(n_samples * n_each).astype(dtype)
    starts = np.arange(n_samples + 1, dtype=np.int32) * n_each
    X = sparse.csr_array((values, columns.ravel(), starts), shape=(n_samples, n_features))
    X.sum_duplicates()
    X = X.asformat(kind)
    y = rng.integers(2, size=n_samples)
    del columns, values, starts
    own = (X.data.nbytes + X.indices.nbytes + X.indptr.nbytes) / MIB
    # Values of a block of columns, and of both waves of the columns whose pairs are looked at.
    n_paired = min(n_features, int((1e10 / (2 * 800)) ** 0.5))
    window = 4 * (hands._BLOCK_VALUES + 2 * n_paired * 800 + pairs._RANKED_AT_ONCE) / MIB
    forget()
    before, start = resident("VmRSS"), time.perf_counter()
    EntryPruneClassifier(N_SELECTED, random_state=0).fit(X, y)
    seconds, taken = time.perf_counter() - start, resident("VmHWM") - before
    is_kept = "yes" if taken <= 3 * own + window else "NO"
    print(
        f"{kind} {dtype:8} table {own:6.1f} MiB, window {window:5.1f} MiB, fit {taken:6.1f} MiB = "
        f"{(taken - window) / own:4.1f} x table + window, {seconds:5.1f} s; below 3: {is_kept}",
        flush=True,
    )


def main() -> None:
    parser = argparse.ArgumentParser(description="Memory of a fit on a sparse table.")
    parser.add_argument("--samples", type=int, default=20_000)
    parser.add_argument("--features", type=int, default=100_000)
    parser.add_argument("--density", type=float, default=0.001)
    parser.add_argument("--kinds", default="csr,csc")
    parser.add_argument("--dtypes", default="float64,float32")
    parser.add_argument("--child", nargs=2, help=argparse.SUPPRESS)
    asked = parser.parse_args()
    shape = (asked.samples, asked.features, asked.density)
    if asked.child:
        measure(*asked.child, *shape)
        return
    console = Console()
    announce(console, f"{asked.samples:,} x {asked.features:,} at {asked.density:.2%}")
    for kind in asked.kinds.split(","):
        for dtype in asked.dtypes.split(","):
            subprocess.run([sys.executable, *sys.argv, "--child", kind, dtype], check=True)


if __name__ == "__main__":
    main()
