"""`entryprune demo`: the whole way on data that come with scikit-learn."""

from __future__ import annotations

import shlex
import sys
from pathlib import Path
from typing import Annotated

import typer

_K = 10


def demo(
    folder: Annotated[
        Path, typer.Option("--output", "-o", help="Folder for the table and the page.")
    ] = Path("entryprune-demo"),
    jobs: Annotated[int, typer.Option(min=1, help="Folds of the cross-validation at once.")] = 2,
) -> None:
    """Select 10 of the 64 pixels of handwritten digits, and make the report page."""
    from entryprune.cli.main import app

    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise ValueError(
            f"--output {folder} cannot be made: {error.strerror}. Name another folder."
        ) from error
    table, page = folder / "digits.csv", folder / "report.html"
    _write_digits(table)
    arguments = [
        "select", str(table), "--target", "digit", "-k", str(_K), "--image", "8x8",
        # The digits are no counts.
        "--task", "classification",
        "--output", str(folder / "features.csv"), "--reduced", str(folder / "reduced.csv"),
        "--model", str(folder / "model.safetensors"), "--report", str(page), "--jobs", str(jobs),
        # On a busy machine more threads would mostly wait for each other.
        "--threads", "1",
    ]  # fmt: skip
    # What the page quotes is a command that can be typed again.
    sys.argv[1:] = arguments
    typer.echo(f"$ {shlex.join(['entryprune', *arguments])}", err=True)
    app(arguments, standalone_mode=False)
    typer.echo(f"\nThe report is {page.resolve()}\nOpen it in a browser.")


def _write_digits(path: Path) -> None:
    from sklearn.datasets import load_digits

    from entryprune._files import write_text
    from entryprune.report.table import Table, to_csv

    digits = load_digits()
    columns = (*(str(name) for name in digits.feature_names), "digit")
    rows = tuple(
        (*(int(value) for value in row), int(digit))
        for row, digit in zip(digits.data, digits.target, strict=True)
    )
    write_text(path, to_csv(Table("digits", columns, rows)))
