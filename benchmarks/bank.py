"""A bank's table, with all that such tables have, from the file to the answer in one command.

    python benchmarks/bank.py [--rows 3000] [--seed 0] [--folder FOLDER]

Loans: 40 numeric columns on different scales, gaps, five categorical columns of which one has 500
levels, a date and an id; 8 % default. Which columns decide is known: six, one of them categorical,
one of them in an interaction with another, and one that tells by what is missing. The table is
written to bank.csv, the command line selects from it as it is, and the columns that it selects are
held against the true ones.
"""

from __future__ import annotations

import argparse
import csv
import datetime as dt
import json
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np

N_ROWS, SHARE = 3000, 0.08
# What decides, and how: in TRUE each is named once.
TRUE = ("debt_ratio", "income", "purpose", "months_in_job", "card_use", "late_payments")
_PURPOSES = ("car", "house", "business", "education", "holiday", "furniture", "other")
_BY_PURPOSE = (-1.0, -1.5, 2.5, -0.5, 1.5, -0.5, 0.0)


def bank(n_rows: int = N_ROWS, seed: int = 0) -> dict[str, list[object]]:
    """Return the columns of the table by their names."""
    rng = np.random.default_rng(seed)
    income = np.exp(rng.normal(10.4, 0.6, n_rows))
    debt = rng.beta(2, 3, n_rows)
    months = rng.gamma(2, 30, n_rows).round()
    use = rng.normal(size=n_rows)
    late = rng.poisson(0.8, n_rows)
    purpose = rng.choice(len(_PURPOSES), n_rows, p=[0.3, 0.1, 0.12, 0.12, 0.12, 0.14, 0.1])
    is_unknown = rng.random(n_rows) < 0.15
    score = (
        1.0 * _standard(debt)
        - 1.0 * _standard(np.log(income))
        + np.array(_BY_PURPOSE)[purpose]
        + 1.0 * _standard(late)
        + 1.5 * is_unknown  # whoever does not say how long
        # Neither tells anything without the other.
        + 1.5 * use * _standard(np.sqrt(months))
    )
    noisy = score + rng.logistic(0, 0.5, n_rows)
    is_default = noisy > np.quantile(noisy, 1 - SHARE)
    columns: dict[str, list[object]] = {
        "customer_id": [f"C{number:06d}" for number in rng.choice(10**6, n_rows, replace=False)],
        "opened": _days(rng, n_rows),
        "income": _with_gaps(rng, income.round(2), 0.06),
        "debt_ratio": _with_gaps(rng, debt.round(4), 0.03),
        "months_in_job": ["" if gap else int(m) for m, gap in zip(months, is_unknown, strict=True)],
        "card_use": use.round(4).tolist(),
        "late_payments": late.tolist(),
        "purpose": [_PURPOSES[number] for number in purpose],
        "region": rng.choice(["north", "south", "east", "west"], n_rows).tolist(),
        "branch": [f"branch {number:03d}" for number in rng.integers(0, 500, n_rows)],
        "married": rng.choice(["yes", "no"], n_rows).tolist(),
        "channel": _with_gaps(rng, rng.choice(["web", "shop", "phone"], n_rows), 0.1),
    }
    for number in range(35):
        values = rng.normal(size=n_rows) * 10.0 ** rng.integers(-3, 6)
        if number % 3 == 0:
            values = np.exp(values / np.abs(values).max() * 3)
        share = 0.1 if number % 5 == 0 else 0.0
        columns[f"extra_{number + 1}"] = _with_gaps(rng, [f"{v:.6g}" for v in values], share)
    columns["default"] = is_default.astype(int).tolist()
    return columns


def _standard(values: np.ndarray) -> np.ndarray:
    return (values - values.mean()) / values.std()


def _days(rng: np.random.Generator, n_rows: int) -> list[object]:
    first = dt.date(2015, 1, 1)
    return [str(first + dt.timedelta(days=int(n))) for n in rng.integers(0, 3000, n_rows)]


def _with_gaps(rng: np.random.Generator, values: object, share: float) -> list[object]:
    is_gap = rng.random(len(values)) < share  # type: ignore[arg-type]
    return ["" if gap else value for value, gap in zip(values, is_gap, strict=True)]  # type: ignore[call-overload]


def write(path: Path, columns: dict[str, list[object]]) -> None:
    """Write the table as CSV."""
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        writer.writerow(columns)
        writer.writerows(zip(*columns.values(), strict=True))


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--rows", type=int, default=N_ROWS)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--folder", type=Path, help="Where to leave the table and the page.")
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory() as temporary:
        folder = asked.folder or Path(temporary)
        folder.mkdir(parents=True, exist_ok=True)
        table, answer = folder / "bank.csv", folder / "selected.json"
        write(table, bank(asked.rows, asked.seed))
        command = [
            *("entryprune", "select", str(table), "--target", "default", "-k", "auto"),
            *("--report", str(folder / "report.html"), "--output", str(answer)),
        ]
        print("$", *command)
        subprocess.run([sys.executable, "-m", "entryprune.cli", *command[1:]], check=True)
        found = [one["feature"] for one in json.loads(answer.read_text("utf-8"))["selected"]]
    lacking = [name for name in TRUE if name not in found]
    others = [name for name in found if name not in TRUE]
    print(f"\nTrue sources found: {len(TRUE) - len(lacking)} of {len(TRUE)}.")
    print(f"Not found: {', '.join(lacking) or 'none'}. Others: {', '.join(others) or 'none'}.")
    sys.exit(bool(lacking))


if __name__ == "__main__":
    main()
