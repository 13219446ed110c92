"""`entryprune apply`: the same columns in new data."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from entryprune._text import some_of
from entryprune.cli import _options as options

if TYPE_CHECKING:
    from entryprune.data import TableRequest, UserTable

_Target = Annotated[
    str | None,
    typer.Option("--target", "-t", help="A column of labels, to keep beside the selected."),
]


@options.reads_table(target=_Target, target_file=None, drop=None)
def apply(
    model: Annotated[
        Path, typer.Argument(metavar="MODEL", help="What 'entryprune select --model' wrote.")
    ],
    output: Annotated[
        Path,
        typer.Option("--output", "-o", help="The table with only the selected columns."),
    ],
    predictions: Annotated[
        Path | None,
        typer.Option(help="A .csv file for what the model predicts, if it can predict."),
    ] = None,
    *,
    request: TableRequest,
) -> None:
    """Select the same columns, by their names, in a new table."""
    from entryprune import load
    from entryprune._files import write_text
    from entryprune.cli import _outputs
    from entryprune.data import read_table, write_columns

    _outputs.check_places({"--output": output, "--predictions": predictions}, (model, request.path))
    _outputs.check_suffix("--predictions", predictions, (".csv",))
    selector = load(model)
    table = read_table(request)
    chosen = [str(name) for name in selector.get_feature_names_out()]
    _refuse_absent(chosen, table, model)
    # Before anything is written.
    text = "" if predictions is None else _predicted(selector, chosen, table, model)
    write_columns(request, chosen, output)
    if predictions is not None:
        write_text(predictions, text)
    _outputs.tell(
        [
            f"Read {request.path.name}: {table.n_samples:,} samples, "
            f"{len(table.feature_names):,} columns.",
            f"Wrote the {len(chosen)} selected columns to {output}.",
            *([f"Wrote the predictions to {predictions}."] if predictions is not None else []),
        ]
    )


def _refuse_absent(chosen: list[str], table: UserTable, model: Path) -> None:
    from entryprune.data.tables.arrow_columns import EMPTY

    left_out = {column.column: column.why for column in table.left_out}
    # Where nothing is known of a column, its gaps may be filled in.
    there = {*table.feature_names, *(name for name, why in left_out.items() if why == EMPTY)}
    absent = [name for name in chosen if name not in there]
    if not absent:
        return
    shown = some_of(
        f"{name!r} ({left_out[name]})" if name in left_out else repr(name) for name in absent
    )
    raise ValueError(
        f"{table.path.name} lacks {len(absent)} of the {len(chosen)} columns that {model.name} "
        f"selects: {shown}. Give a table with columns of the same names."
    )


def _predicted(selector: Any, chosen: list[str], table: UserTable, model: Path) -> str:
    """Return predictions as CSV: an id or number for each sample, and what is predicted."""
    import warnings

    from entryprune.cli._messages import in_options, speaking_of_options
    from entryprune.cli._outputs import tell
    from entryprune.report.table import Table, to_csv

    if not hasattr(selector, "predict"):
        raise ValueError(f"{model.name} only selects, it cannot predict. Leave out --predictions.")
    with speaking_of_options(), warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        warnings.filterwarnings("ignore", message="X does not have valid feature names")
        answers = _answers(selector, _as_in_fit(selector, chosen, table))
    # What is predicted and how probable it is may both warn of the same.
    tell(dict.fromkeys(in_options(str(one.message)) for one in caught))
    ids = table.ids or tuple(str(number) for number in range(1, table.n_samples + 1))
    rows = tuple(zip(ids, *answers.values(), strict=True))
    return to_csv(Table("predictions", (table.id_name or "sample", *answers), rows))


def _answers(selector: Any, X: Any) -> dict[str, list[Any]]:
    """Return what is predicted, by column: targets by name, with the probability of each class."""
    import numpy as np

    from entryprune.report.text import label_text

    predicted = np.asarray(selector.predict(X))
    if getattr(selector, "_estimator_type", None) == "survival":
        return {"risk": predicted.tolist()}
    of_classes = selector.predict_proba(X) if hasattr(selector, "predict_proba") else None
    if predicted.ndim > 1:
        numbered = [f"prediction_{number + 1}" for number in range(predicted.shape[1])]
        names = [str(name) for name in getattr(selector, "_target_names", numbered)]
        labels, found = names, dict(zip(names, predicted.T.tolist(), strict=True))
    else:
        found = {"prediction": predicted.tolist()}
        labels = [label_text(one) for one in getattr(selector, "classes_", np.empty(0)).tolist()]
    if of_classes is not None:
        columns = zip(labels, of_classes.T.tolist(), strict=True)
        found |= {f"probability_{label}": column for label, column in columns}
    return found


def _as_in_fit(selector: Any, chosen: list[str], table: UserTable) -> Any:
    """Return the selected columns where they stood in the fit; of the others nothing is asked."""
    import numpy as np

    from entryprune.encoding.views import dense
    from entryprune.selectors._tables import learned_encoder

    names = [str(name) for name in selector.feature_names_in_]
    places = {name: place for place, name in enumerate(table.feature_names)}
    wanted = {name: places.get(name) for name in chosen}
    has_learned = learned_encoder(selector) is not None
    if table.frame is None and not has_learned:
        X = np.zeros((table.n_samples, len(names)))
        for column, name in enumerate(names):
            if name in wanted:
                X[:, column] = dense(table.X[:, [wanted[name]]])[:, 0]
        return X
    import pyarrow as pa

    nothing = pa.nulls(table.n_samples)
    unasked = nothing if has_learned else pa.array(np.zeros(table.n_samples))

    def column_of(name: str) -> Any:
        place = wanted.get(name)
        if place is None:
            return nothing if name in wanted else unasked
        if table.frame is not None:
            return table.frame.column(place)
        return pa.array(dense(table.X[:, [place]])[:, 0])

    return pa.table([column_of(name) for name in names], names=names)
