"""Options that commands share."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from inspect import Parameter, Signature, signature
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, get_type_hints

import typer

if TYPE_CHECKING:
    from entryprune.data import TableRequest

Task = Annotated[
    str, typer.Option(help="'classification' or 'regression'; 'auto' goes by the target.")
]
Seed = Annotated[int, typer.Option(min=0, help="The same seed gives the same files.")]
Threads = Annotated[
    int | None, typer.Option(min=1, help="Threads to use; by default as many as torch takes.")
]


def _table(
    path: Annotated[
        Path,
        typer.Argument(
            metavar="TABLE",
            help="CSV, TSV (also .gz), Parquet, Feather, .npy, .npz, .mat, ARFF, LIBSVM or .h5ad.",
        ),
    ],
    target: Annotated[
        str | None,
        typer.Option("--target", "-t", help="The column (or array, or obs column) to predict."),
    ] = None,
    target_file: Annotated[
        Path | None,
        typer.Option(help="A file with the target: one value a line, or ids and values."),
    ] = None,
    format_: Annotated[
        str | None, typer.Option("--format", help="The table's format, if its name does not tell.")
    ] = None,
    array: Annotated[
        str | None,
        typer.Option(help="Which array of a .mat, .npz or .h5ad file holds the features."),
    ] = None,
    drop: Annotated[
        str | None, typer.Option(help="Columns to leave out, separated by commas.")
    ] = None,
    id_column: Annotated[
        str | None, typer.Option(help="The column that names the samples; it is not a feature.")
    ] = None,
    transpose: Annotated[
        bool, typer.Option("--transpose", help="Features are rows, as in many gene tables.")
    ] = False,
    header: Annotated[
        bool | None,
        typer.Option(
            "--header/--no-header",
            help="Whether the first line of a text file has the columns' names; by default its "
            "look decides.",
        ),
    ] = None,
) -> TableRequest:
    """Return which table is meant, and what is what in it."""
    from entryprune.data import TableRequest

    return TableRequest(
        path, format_, target, target_file, names(drop), id_column, transpose, array, header
    )


def reads_table(**others: Any) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Show a command that takes a `request` with the options that make it up.

    `others` are options that mean something else here, or None for those that mean nothing.
    """

    def reading(command: Callable[..., None]) -> Callable[..., None]:
        table = _parameters(_table)
        for name, option in others.items():
            if option is None:
                del table[name]
            else:
                table[name] = table[name].replace(annotation=option)
        shown: list[Parameter] = []
        for name, parameter in _parameters(command).items():
            shown += table.values() if name == "request" else [parameter]

        @wraps(command)
        def asked(**given: Any) -> None:
            request = _table(**{name: given.pop(name) for name in table})
            command(request=request, **given)

        # Typer reads both.
        asked.__annotations__ = {parameter.name: parameter.annotation for parameter in shown}
        asked.__signature__ = Signature(shown)  # type: ignore[attr-defined]
        return asked

    return reading


def _parameters(function: Callable[..., object]) -> dict[str, Parameter]:
    hints = get_type_hints(function, localns={"TableRequest": Any}, include_extras=True)
    return {
        name: parameter.replace(annotation=hints[name], kind=Parameter.KEYWORD_ONLY)
        for name, parameter in signature(function).parameters.items()
    }


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
