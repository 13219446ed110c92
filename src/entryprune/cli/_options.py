"""Options that commands share."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import wraps
from inspect import Parameter, Signature, signature
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, get_type_hints

import typer

if TYPE_CHECKING:
    from entryprune.cli._design import FeatureDesign, SampleDesign
    from entryprune.cli._target import Aim
    from entryprune.data import TableRequest

Command = Callable[..., None]

Task = Annotated[
    str,
    typer.Option(
        metavar="auto|classification|regression|count|ordinal|survival",
        help="What the target holds; 'auto' goes by its look.",
    ),
]
Seed = Annotated[int, typer.Option(min=0, help="The same seed gives the same files.")]
Threads = Annotated[
    int | None, typer.Option(min=1, help="Threads to use; by default as many as torch takes.")
]

Missing = Annotated[
    str,
    typer.Option(
        metavar="impute|error",
        help="Gaps are filled with the median or the most frequent level ('impute'), and that they "
        "were there counts as part of the feature; or they are an error.",
    ),
]
Metric = Annotated[
    str | None,
    typer.Option(
        help="accuracy, balanced-accuracy, auc, f1 or log-loss; r2, mae or rmse for numbers; "
        "concordance for survival."
    ),
]


def _table(
    path: Annotated[
        Path,
        typer.Argument(
            metavar="TABLE",
            help="CSV, TSV (also .gz), Excel, Parquet, Feather, .npy, .npz, .mat, ARFF, LIBSVM or "
            ".h5ad.",
        ),
    ],
    target: Annotated[
        list[str] | None,
        typer.Option(
            "--target",
            "-t",
            help="The column (or array, or obs column) to predict; several between commas, or "
            "repeated.",
        ),
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
        typer.Option(
            help="Which array of a .mat, .npz or .h5ad file, or sheet of an Excel file, holds the "
            "features."
        ),
    ] = None,
    drop: Annotated[
        list[str] | None,
        typer.Option(help="A column to leave out, or several between commas; may be repeated."),
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
    decimal: Annotated[
        str | None,
        typer.Option(
            metavar="SIGN",
            help="What is before the fraction of numbers in a text file: '.' (the default) or ','.",
        ),
    ] = None,
    encoding: Annotated[
        str | None,
        typer.Option(help="The encoding of a text file, such as latin-1; by default UTF-8."),
    ] = None,
) -> TableRequest:
    """Return which table is meant, and what is what in it."""
    from entryprune.data import TableRequest

    return TableRequest(
        path,
        format_,
        _together(target),
        target_file,
        # Which of them are several is told where the columns' names are known.
        tuple(text for text in drop or () if text.strip()),
        id_column,
        transpose,
        array,
        header,
        mixed=True,
        decimal=decimal,
        encoding=encoding,
        sparse=True,
    )


def _together(targets: list[str] | str | None) -> str | None:
    """Return the targets as one text, which is a name or several between commas."""
    if not isinstance(targets, list):
        return targets
    with_commas = [one for one in targets if "," in one]
    if len(targets) > 1 and with_commas:
        raise ValueError(
            f"--target {with_commas[0]!r} has a comma, so it cannot be one of several targets. "
            f"Rename the column."
        )
    return ",".join(targets) or None


def _aim(
    time: Annotated[
        str | None, typer.Option(help="For survival: the column with the time of each sample.")
    ] = None,
    event: Annotated[
        str | None,
        typer.Option(help="Whether the event was seen then: a column of 1 and 0, or yes and no."),
    ] = None,
    event_value: Annotated[
        str | None, typer.Option(help="Which value of that column is the event, if it has others.")
    ] = None,
    weight_column: Annotated[
        str | None,
        typer.Option(help="The column that says how often each sample counts; 0 is not at all."),
    ] = None,
    class_weight: Annotated[
        str | None,
        typer.Option(metavar="balanced", help="All classes count the same, also rare ones."),
    ] = None,
    loss: Annotated[
        str | None,
        typer.Option(
            metavar="squared_error|huber|quantile|poisson",
            help="What counts as an error, for numbers: huber for outliers and long tails, "
            "quantile (with --set quantile=0.9) for extremes, poisson for counts.",
        ),
    ] = None,
) -> Aim:
    """Return what is said of the target besides its name."""
    from entryprune.cli._target import Aim

    return Aim(time, event, event_value, weight_column, class_weight, loss)


def _samples(
    group_column: Annotated[
        str | None,
        typer.Option(
            help="The column that says which samples belong together, such as the patient: no "
            "group is on both sides of a split. It is not a feature."
        ),
    ] = None,
    time_column: Annotated[
        str | None,
        typer.Option(
            help="The column that says when each sample was, a number or date: what is tested on "
            "comes after what is learned from. It is not a feature."
        ),
    ] = None,
    folds: Annotated[
        int | None, typer.Option(min=2, help="Folds of the cross-validation.", show_default="5")
    ] = None,
) -> SampleDesign:
    """Return which samples belong together, and in which order they came."""
    from entryprune.cli._design import SampleDesign

    return SampleDesign(group_column, time_column, folds)


def _features(
    keep: Annotated[
        list[str] | None,
        typer.Option(
            help="A feature to select whatever it brings, or several between commas; may be "
            "repeated."
        ),
    ] = None,
    bar: Annotated[
        list[str] | None,
        typer.Option(
            help="A feature not to select whatever it brings, like --keep. It stays in the table "
            "that the model expects, as --drop leaves it out."
        ),
    ] = None,
    feature_groups: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="Features that are selected together: lines of feature,group, or JSON of lists by "
            "group. -k counts groups.",
        ),
    ] = None,
    costs: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="What features cost: lines of feature,cost, or JSON; others cost 1.",
        ),
    ] = None,
    budget: Annotated[
        float | None,
        typer.Option(help="The most that the features may cost together; -k may be left out then."),
    ] = None,
) -> FeatureDesign:
    """Return which features are kept, barred and grouped, and what they cost."""
    from entryprune.cli._design import FeatureDesign

    kept, barred = (tuple(one for one in ones or () if one.strip()) for ones in (keep, bar))
    return FeatureDesign(kept, barred, feature_groups, costs, budget)


def reads_table_and_target(*, with_features: bool = False) -> Callable[[Command], Command]:
    """Show a command with the options that make up its `request`, `aim` and `samples`.

    With those that make up its `features`, too, if asked for.
    """
    more = {"features": _features} if with_features else {}
    return takes({"request": _table, "aim": _aim, "samples": _samples, **more})


def reads_table(**others: Any) -> Callable[[Command], Command]:
    """Show a command that takes a `request` with the options that make it up."""
    return takes({"request": _table}, **others)


def takes(made: Mapping[str, Callable[..., Any]], **others: Any) -> Callable[[Command], Command]:
    """Show a command that takes something made of options with these options in its place.

    `others` are options that mean something else here, or None for those that mean nothing.
    """

    def taking(command: Command) -> Command:
        options = {name: _parameters(make) for name, make in made.items()}
        for group in options.values():
            for name in group.keys() & others.keys():
                if others[name] is None:
                    del group[name]
                else:
                    group[name] = group[name].replace(annotation=others[name])
        shown: list[Parameter] = []
        for name, parameter in _parameters(command).items():
            shown += options[name].values() if name in options else [parameter]

        @wraps(command)
        def asked(**given: Any) -> None:
            for name, make in made.items():
                given[name] = make(**{option: given.pop(option) for option in options[name]})
            command(**given)

        # Typer reads both.
        asked.__annotations__ = {parameter.name: parameter.annotation for parameter in shown}
        asked.__signature__ = Signature(shown)  # type: ignore[attr-defined]
        return asked

    return taking


def _parameters(function: Callable[..., object]) -> dict[str, Parameter]:
    # What is known to type checkers only is never an option.
    late = dict.fromkeys(("TableRequest", "Aim", "SampleDesign", "FeatureDesign"), Any)
    hints = get_type_hints(function, localns=late, include_extras=True)
    return {
        name: parameter.replace(annotation=hints[name], kind=Parameter.KEYWORD_ONLY)
        for name, parameter in signature(function).parameters.items()
    }


def names(text: str | None) -> tuple[str, ...]:
    """Return what stands between commas."""
    return () if text is None else tuple(part.strip() for part in text.split(",") if part.strip())


def number_or_name(text: str | None) -> int | str | None:
    """Return how many features are asked for: a whole number from 1, or who decides."""
    if text is None or text in ("auto", "best"):
        return text
    if not (text.isascii() and text.isdigit()) or int(text[:18]) < 1:
        raise ValueError(f"-k takes a whole number from 1, 'auto' or 'best'; got {text!r}.")
    return int(text[:18])  # no table has more columns


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
