"""`entryprune compare`: several selectors on the user's own table, by cross-validation."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from entryprune._text import printable
from entryprune.cli import _options as options

if TYPE_CHECKING:
    from entryprune.report.comparison import ComparisonReport
    from entryprune.report.table import Table

_DEFAULT_METHODS = "entryprune-exchange,fisher,mrmr,l1,extra-trees"


def compare(
    path: options.TablePath,
    target: options.Target = None,
    methods: Annotated[
        str, typer.Option(help="Names of methods, separated by commas.")
    ] = _DEFAULT_METHODS,
    ks: Annotated[
        str, typer.Option("-k", "--n-features", help="How many features, such as 10,25,50.")
    ] = "10",
    target_file: options.TargetFile = None,
    format_: options.Format = None,
    array: options.Array = None,
    drop: options.Drop = None,
    id_column: options.IdColumn = None,
    transpose: options.Transpose = False,
    header: options.Header = None,
    task: options.Task = "auto",
    repeats: Annotated[int, typer.Option(min=1, help="Repetitions of the five folds.")] = 2,
    jobs: Annotated[int, typer.Option(min=1, help="Folds at once.")] = 1,
    limit: Annotated[float, typer.Option(min=0.1, help="Seconds that a selection may take.")] = (
        3600.0
    ),
    store: Annotated[
        Path | None,
        typer.Option(help="A file that keeps what is done, so that an interrupted run goes on."),
    ] = None,
    output: Annotated[
        Path | None, typer.Option("--output", "-o", help="The table, as .csv.")
    ] = None,
    report: Annotated[Path | None, typer.Option(help="A page (.html) that says which to use.")] = (
        None
    ),
) -> None:
    """Find out which selector to use, by cross-validation with the selection inside the folds."""
    from entryprune._files import write_text
    from entryprune.baselines import get_method
    from entryprune.bench.validation import cross_validate
    from entryprune.cli import _outputs
    from entryprune.cli._page import comparison, write_comparison_page
    from entryprune.cli._reading import read_question
    from entryprune.data import TableRequest
    from entryprune.report._spreadsheet import defused
    from entryprune.report.table import to_csv

    method_names = options.names(methods)
    for name in method_names:
        get_method(name)
    numbers = options.whole_numbers(ks)
    if not method_names or not numbers:
        raise ValueError("Name at least one method with --methods and one number with -k.")
    _outputs.check_places(
        {"--output": output, "--report": report, "--store": store}, (path, target_file)
    )
    _outputs.check_suffix("--output", output, (".csv",))
    _outputs.check_suffix("--report", report, (".html", ".htm"))
    request = TableRequest(
        path,
        format=format_,
        target=target,
        target_file=target_file,
        drop=options.names(drop),
        id_column=id_column,
        transpose=transpose,
        array=array,
        header=header,
    )
    question = read_question(request, task)
    n_features = len(question.table.feature_names)
    if max(numbers) > n_features:
        raise ValueError(
            f"-k {max(numbers)} asks for more features than {path.name} has ({n_features}). Take "
            f"numbers from 1 to {n_features}."
        )
    _outputs.tell(question.facts)
    try:
        outcomes = cross_validate(
            question.table.X,
            question.y,
            question.task,
            [(method, k) for method in method_names for k in numbers],
            n_repeats=repeats,
            n_jobs=jobs,
            limit=limit,
            store=store,
            name=question.table.path.stem,
            is_shown=True,
        )
    except KeyboardInterrupt:
        if store is not None:
            _outputs.tell(
                [f"What was finished is in {store}; the same command goes on from there."]
            )
        raise
    report_facts = comparison(question, outcomes, repeats)
    table = _table(report_facts)
    if output is not None:
        write_text(output, to_csv(defused(table)))
    if report is not None:
        write_comparison_page(question, outcomes, report, n_repeats=repeats)
    _show(table, report_facts)


def _table(found: ComparisonReport) -> Table:
    from entryprune.report.table import Table

    return Table(
        "Score by method and number of features",
        ("method", "K", "learner", "metric", "mean", "SD", "seconds", "remark"),
        tuple(
            (one.method, one.k, one.learner, one.metric, one.mean, one.sd, one.seconds, one.note)
            for one in (*found.references, *found.contenders)
        ),
    )


def _show(table: Table, found: ComparisonReport) -> None:
    """Show the scores and, in a sentence, which method to use."""
    from rich.console import Console
    from rich.table import Table as Shown
    from rich.text import Text

    from entryprune.report.comparison_facts import summarise_comparison

    shown = Shown(*table.columns[:2], *table.columns[3:])
    for row in table.rows:
        cells = [f"{cell:.2f}" if isinstance(cell, float) else str(cell or "") for cell in row]
        shown.add_row(*(Text(printable(cell)) for cell in (*cells[:2], *cells[3:])))
    console = Console()
    console.print(shown)
    for judgement in summarise_comparison(found)["judgements"]:
        console.print(Text(printable(judgement["statement"])))
    for warning in found.warnings:
        console.print(Text(printable(warning)))
