"""Options that commands share."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

TablePath = Annotated[
    Path,
    typer.Argument(
        metavar="TABLE",
        help="CSV, TSV (also .gz), Parquet, Feather, .npy, .npz, .mat, ARFF, LIBSVM or .h5ad.",
    ),
]
Target = Annotated[
    str | None,
    typer.Option("--target", "-t", help="The column (or array, or obs column) to predict."),
]
TargetFile = Annotated[
    Path | None,
    typer.Option(help="A file with the target: one value a line, or ids and values."),
]
Format = Annotated[
    str | None, typer.Option("--format", help="The table's format, if its name does not tell.")
]
Array = Annotated[
    str | None, typer.Option(help="Which array of a .mat, .npz or .h5ad file holds the features.")
]
Drop = Annotated[str | None, typer.Option(help="Columns to leave out, separated by commas.")]
IdColumn = Annotated[
    str | None, typer.Option(help="The column that names the samples; it is not a feature.")
]
Transpose = Annotated[
    bool, typer.Option("--transpose", help="Features are rows, as in many gene tables.")
]
Header = Annotated[
    bool | None,
    typer.Option(
        "--header/--no-header",
        help="Whether the first line of a text file has the columns' names; by default its look "
        "decides.",
    ),
]
Task = Annotated[
    str, typer.Option(help="'classification' or 'regression'; 'auto' goes by the target.")
]
Seed = Annotated[int, typer.Option(min=0, help="The same seed gives the same files.")]
Threads = Annotated[
    int | None, typer.Option(min=1, help="Threads to use; by default as many as torch takes.")
]


def names(text: str | None) -> tuple[str, ...]:
    """Return what stands between commas."""
    return () if text is None else tuple(part.strip() for part in text.split(",") if part.strip())


def whole_numbers(text: str | None) -> tuple[int, ...]:
    """Return whole numbers from 1 that stand between commas."""
    try:
        numbers = tuple(int(part) for part in names(text))
    except ValueError:
        numbers = (0,)
    if any(number < 1 for number in numbers):
        raise ValueError(
            f"-k takes whole numbers from 1, separated by commas, such as 25,50; got {text!r}."
        )
    return numbers
