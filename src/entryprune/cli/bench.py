"""`entryprune bench`: compare methods on data sets, and repeat the paper's evaluation."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, NamedTuple

import typer

from entryprune.cli import _options as options
from entryprune.cli._messages import telling_interrupts

if TYPE_CHECKING:
    from entryprune.bench.studies import Scope, Study

# Everything else is imported inside the commands: help and errors must not wait for it.

app = typer.Typer(
    help="Compare methods on data sets, and repeat the paper's evaluation.",
    no_args_is_help=True,
    rich_markup_mode=None,
)

DataFolder = Annotated[
    Path | None,
    typer.Option(
        "--data",
        envvar="ENTRYPRUNE_DATA",
        help="Folder of data sets; else they are downloaded to the user's cache.",
    ),
]
Plugins = Annotated[
    list[Path] | None,
    typer.Option("--with", help="A Python file that registers a method or a data set."),
]
OutputFolder = Annotated[
    Path, typer.Option("--output", "-o", help="Folder for tables and figures.")
]


class _Asked(NamedTuple):
    scope: Scope
    store: Path
    plugins: tuple[Path, ...]


class _Running(NamedTuple):
    n_jobs: int
    n_threads: int
    limit: float
    retry: bool


def _asked(
    datasets: Annotated[
        str | None,
        typer.Option(help="Names or .npz files, separated by commas; see 'entryprune bench list'."),
    ] = None,
    methods: Annotated[
        str | None, typer.Option(help="Names of methods, separated by commas, or 'all'.")
    ] = None,
    ks: Annotated[
        str | None,
        typer.Option("-k", "--n-features", help="How many features to select, such as 25,50."),
    ] = None,
    seeds: Annotated[
        int | None, typer.Option(min=1, help="Runs of each random method, with seeds from 0.")
    ] = None,
    learners: Annotated[
        str | None, typer.Option(help="Names of learners, separated by commas.")
    ] = None,
    protocol: Annotated[
        str | None,
        typer.Option(
            help="'paper': its fixed split, scaled with a leak, to compare with published figures. "
            "'clean': stratified splits, everything fitted on training samples. By default what "
            "the study is made for; else 'paper'."
        ),
    ] = None,
    store: Annotated[
        Path,
        typer.Option(
            envvar="ENTRYPRUNE_STORE", help="The file of results. What it has is not run again."
        ),
    ] = Path("results.jsonl"),
    data: DataFolder = None,
    reference: Annotated[
        str | None,
        typer.Option(help="The method that others are compared with ('leaderboard' and 'time')."),
    ] = None,
    plugins: Plugins = None,
    quick: Annotated[
        bool, typer.Option("--quick", help="A small version, done in minutes.")
    ] = False,
) -> _Asked:
    """Check all names before anything heavy is imported."""
    from entryprune.bench.environment import load_plugins
    from entryprune.bench.learners import get_learner
    from entryprune.bench.store import ALL_FEATURES, PROTOCOLS
    from entryprune.bench.studies import Scope
    from entryprune.methods import METHODS, get_method

    load_plugins(plugins or ())
    if protocol is not None and protocol not in PROTOCOLS:
        raise ValueError(
            f"There is no protocol {protocol!r}. The protocols are: {', '.join(PROTOCOLS)}."
        )
    method_names = tuple(METHODS) if methods == "all" else options.names(methods)
    for name in method_names:
        get_method(name)
    for name in options.names(learners):
        get_learner(name)
    if reference not in (None, ALL_FEATURES):
        get_method(reference)
    scope = Scope(
        options.names(datasets),
        method_names,
        options.whole_numbers(ks),
        seeds,
        options.names(learners),
        protocol,
        quick,
        data,
        reference,
    )
    return _Asked(scope, store, tuple(plugins or ()))


def _running(
    jobs: Annotated[
        int,
        typer.Option(
            min=1, help="Cases at once. Times count only with 1 and nothing else running."
        ),
    ] = 1,
    threads: Annotated[int, typer.Option(min=1, help="Threads of each case.")] = 1,
    limit: Annotated[float, typer.Option(min=0.1, help="Seconds that a selection may take.")] = (
        3600.0
    ),
    retry: Annotated[bool, typer.Option(help="Try again what failed or took too long.")] = False,
) -> _Running:
    return _Running(jobs, threads, limit, retry)


@app.command("list")
def list_(data: DataFolder = None, plugins: Plugins = None) -> None:
    """List data sets, methods, learners, protocols and studies."""
    from rich.console import Console
    from rich.table import Table

    from entryprune.bench.environment import load_plugins
    from entryprune.bench.learners import LEARNERS
    from entryprune.bench.studies import STUDIES
    from entryprune.data import list_datasets
    from entryprune.data.synthetic import KINDS, RECIPES
    from entryprune.methods import METHODS

    load_plugins(plugins or ())
    console = Console()

    def show(title: str, columns: tuple[str, ...], rows: list[tuple[str, ...]]) -> None:
        table = Table(*columns, title=title, title_justify="left", title_style="bold")
        for row in rows:
            table.add_row(*row)
        console.print(table)

    show(
        "Data sets",
        ("name", "title", "samples", "features", "classes", "where"),
        [
            (
                row.name,
                row.title,
                f"{row.n_cases:,}",
                f"{row.n_features:,}",
                str(row.n_classes),
                row.state,
            )
            for row in list_datasets(data)
        ],
    )
    show(
        "Methods",
        ("name", "title", "tasks", "needs"),
        [
            (m.name, m.title, ", ".join(m.tasks), f"package {m.package}" if m.package else "")
            for m in METHODS.values()
        ],
    )
    show(
        "Learners",
        ("name", "title"),
        [(learner.name, learner.title) for learner in LEARNERS.values()],
    )
    show(
        "Studies",
        ("name", "what", "in the paper", "figures"),
        [(s.name, s.title, s.place, ", ".join(s.figures)) for s in STUDIES.values()],
    )
    show(
        "Data sets that are made (M columns; protocol 'truth')",
        ("name", "title", "samples", "true columns"),
        [
            *((f"{k}-M", r.title, f"{r.n_cases:,}", str(r.n_relevant)) for k, r in RECIPES.items()),
            *(
                (f"NAME+{kind}-PERCENT", f"with {f}", "", "its own")
                for kind, (f, _) in KINDS.items()
            ),
        ],
    )


@app.command()
@telling_interrupts
@options.takes({"asked": _asked, "running": _running}, reference=None)
def run(asked: _Asked, running: _Running) -> None:
    """Select and score on a grid of data sets, methods, K and seeds; then show the table."""
    from entryprune.bench.studies import get_study

    if not asked.scope.datasets and not asked.scope.is_quick:
        raise ValueError(
            "No data set was named. Name some with --datasets (see 'entryprune bench list'), or "
            "try a small version on embedded data with --quick."
        )
    _run(get_study("accuracy"), asked, running)
    _show_table("accuracy", asked, None, None)


@app.command()
@telling_interrupts
@options.takes({"asked": _asked, "running": _running})
def study(
    name: Annotated[str, typer.Argument(help="See 'entryprune bench list'.")],
    asked: _Asked,
    running: _Running,
    output: OutputFolder = Path("results"),
) -> None:
    """Run a table or figure of the paper, and write it as CSV, Markdown, PNG and SVG."""
    from entryprune.bench.store import Store
    from entryprune.bench.studies import get_study
    from entryprune.cli._bench_output import write_study

    chosen = get_study(name)
    if chosen.is_timed and running.n_jobs > 1:
        raise ValueError(
            f"The study {name!r} measures times, which count only if nothing else runs. Leave out "
            f"--jobs."
        )
    _run(chosen, asked, running)
    for path in write_study(chosen, asked.scope, Store(asked.store).read(), output):
        typer.echo(path)


@app.command()
@options.takes({"asked": _asked})
def table(
    *,
    name: Annotated[
        str, typer.Argument(help="A study, or 'leaderboard-sets'; see 'entryprune bench list'.")
    ] = "accuracy",
    asked: _Asked,
    format_: Annotated[
        str | None,
        typer.Option(
            "--format",
            help="'markdown' or 'csv'; else csv for an output that ends with .csv, and markdown.",
            show_default=False,
        ),
    ] = None,
    output: Annotated[Path | None, typer.Option("--output", "-o", help="A file.")] = None,
) -> None:
    """Show a study's table from the store alone; nothing is run."""
    _show_table(name, asked, format_, output)


@app.command()
@options.takes({"asked": _asked})
def figure(
    name: Annotated[str, typer.Argument(help="See the last column of 'entryprune bench list'.")],
    asked: _Asked,
    output: OutputFolder = Path("results"),
) -> None:
    """Draw a figure from the store alone, as PNG and SVG; nothing is run."""
    from entryprune.bench.store import Store
    from entryprune.cli._bench_output import figure_names, write_figure

    if name not in figure_names():
        raise ValueError(
            f"There is no figure {name!r}. The figures are: {', '.join(figure_names())}."
        )
    for path in write_figure(name, asked.scope, Store(asked.store).read(), output / name):
        typer.echo(path)


def _run(study: Study, asked: _Asked, running: _Running) -> None:
    from entryprune.bench.runner import Options, View, outstanding, run_all
    from entryprune.bench.store import SELECTION, Store
    from entryprune.bench.worker import Circumstances
    from entryprune.data import load_dataset

    scope, results = asked.scope, Store(asked.store)
    records = results.read()
    learners = study.scored_by(scope)
    jobs_left = outstanding(study.cases(scope, records), learners, records, retry=running.retry)
    # Here and not in the processes: a data set is downloaded once, and errors come first.
    for name in sorted({job.case.dataset for job in jobs_left if job.case.kind == SELECTION}):
        load_dataset(name, scope.folder)
    how = Options(
        n_jobs=running.n_jobs,
        limit=running.limit,
        retry=running.retry,
        is_timed=study.is_timed,
        circumstances=Circumstances(
            n_threads=running.n_threads, plugins=asked.plugins, data_folder=scope.folder
        ),
    )
    try:
        with View() as view:
            run_all(
                lambda records: study.cases(scope, records),
                learners,
                results,
                how,
                view.expect,
            )
    except KeyboardInterrupt:
        typer.echo(
            f"Interrupted. What was finished is in {asked.store}; the same command goes on from "
            f"there.",
            err=True,
        )
        raise


def _show_table(name: str, asked: _Asked, format_: str | None, output: Path | None) -> None:
    from entryprune._files import write_text
    from entryprune.bench.store import Store
    from entryprune.bench.studies import STUDIES, get_study
    from entryprune.cli._bench_output import FORMATS

    if format_ is None:
        format_ = "csv" if output is not None and output.suffix == ".csv" else "markdown"
    if format_ not in FORMATS:
        raise ValueError(f"There is no format {format_!r}. The formats are: {', '.join(FORMATS)}.")
    study = next((s for s in STUDIES.values() if name in s.further_tables), None)
    tables = (study or get_study(name)).tables(asked.scope, Store(asked.store).read())
    table = tables[name]
    if not table.rows:
        raise ValueError(
            f"{asked.store} has no results for this table. Name the store with --store, or run "
            f"them first: entryprune bench study {study.name if study else name}"
        )
    text = FORMATS[format_](table)
    if output is None:
        typer.echo(text, nl=False)
    else:
        write_text(output, text)
        typer.echo(output)
