"""`entryprune compare`: several selectors on the user's own table, by cross-validation."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from entryprune.cli import _options as options

if TYPE_CHECKING:
    from entryprune.cli._design import SampleDesign
    from entryprune.cli._target import Aim
    from entryprune.data import TableRequest

_STOPPING = "Stopping with the folds that are finished; Ctrl-C again to end at once."


@options.reads_table_and_target()
def compare(
    *,
    methods: Annotated[
        str | None,
        typer.Option(
            help="Names of methods, separated by commas; by default fisher, mrmr, l1, extra-trees "
            "and entryprune-exchange, for numbers mrmr-fcq in place of fisher and mrmr, for "
            "survival cox-score and entryprune-exchange.",
        ),
    ] = None,
    ks: Annotated[
        str, typer.Option("-k", "--n-features", help="How many features, such as 10,25,50.")
    ] = "10",
    request: TableRequest,
    aim: Aim,
    samples: SampleDesign,
    task: options.Task = "auto",
    missing: options.Missing = "impute",
    metric: options.Metric = None,
    learner: Annotated[
        str | None,
        typer.Option(
            help="What predicts from the selected features; 'entryprune bench list' shows which."
        ),
    ] = None,
    settings: Annotated[
        list[str] | None,
        typer.Option(
            "--set",
            metavar="NAME=VALUE",
            help="A parameter of the methods, for those that have it; may be repeated.",
        ),
    ] = None,
    seed: options.Seed = 0,
    repeats: Annotated[int, typer.Option(min=1, help="Repetitions of the folds.")] = 2,
    jobs: Annotated[int, typer.Option(min=1, help="Folds at once.")] = 1,
    limit: Annotated[float, typer.Option(min=0.1, help="Seconds that a selection may take.")] = (
        3600.0
    ),
    store: Annotated[
        Path | None,
        typer.Option(help="A file that keeps what is done, so that an interrupted run goes on."),
    ] = None,
    output: Annotated[
        Path | None, typer.Option("--output", "-o", help="The table, as .csv, .tsv or .json.")
    ] = None,
    report: Annotated[Path | None, typer.Option(help="A page (.html) that says which to use.")] = (
        None
    ),
) -> None:
    """Find out whether to select and how, by cross-validation with the selection inside."""
    from entryprune.bench.learners import get_learner, get_metric
    from entryprune.cli import _outputs
    from entryprune.cli._inputs import read_question
    from entryprune.cli._messages import (
        comparison_in_options,
        interrupts_ignored,
        speaking_of_options,
        stopping_on_interrupt,
    )
    from entryprune.cli.select import parse_settings
    from entryprune.methods import get_method

    method_names = None if methods is None else options.names(methods)
    for name in method_names or ():
        get_method(name)
    for given, look_up in ((metric, get_metric), (learner, get_learner)):
        if given is not None:
            look_up(given)
    parameters = parse_settings(settings or [])
    numbers = options.whole_numbers(ks)
    if method_names == () or not numbers:
        raise ValueError("Name at least one method with --methods and one number with -k.")
    _outputs.check_places(
        {"--output": output, "--report": report, "--store": store},
        (request.path, request.target_file),
    )
    _outputs.check_suffix("--output", output, _outputs.ANSWERS)
    _outputs.check_suffix("--report", report, (".html", ".htm"))
    request = samples.asked_of(aim.asked_of(request))
    question = read_question(
        request, aim, samples, task, max(numbers), missing=missing, parameters=parameters
    )
    table = question.table
    samples.check_folds(table)
    _outputs.tell(question.told)
    # Only now: it imports numpy, and most of what is wrong is told without it.
    from entryprune import compare as compare_methods

    with (
        stopping_on_interrupt(_STOPPING) as was_asked,
        speaking_of_options(),
    ):
        found = compare_methods(
            table.features,
            question.y,
            method_names,
            numbers,
            feature_names=table.feature_names,
            column_numbers=table.places,
            target_name=question.target.names,
            sample_weight=question.target.weights,
            cautions=question.cautions,
            task=question.task,
            missing="impute",  # what is not to be filled in was refused
            metric=metric,
            learner=learner,
            settings={**question.target.settings_for(method_names), **parameters},
            seed=seed,
            n_repeats=repeats,
            cv=samples.folds,
            **question.about,
            n_jobs=jobs,
            limit=limit,
            store=store,
            name=request.path.stem,
            verbose=1,
            callback=was_asked,
        )
    with interrupts_ignored():
        if found.interrupted is not None and store is not None:
            _outputs.tell(
                [f"What was finished is in {store}; the same command goes on from there."]
            )
        if found.interrupted is not None and not any(one.n_folds for one in found.contenders):
            raise KeyboardInterrupt
        found = _outputs.of_file(comparison_in_options(found), question)
        if output is not None:
            _outputs.write_answer(found, output)
        if report is not None:
            found.save(report)
        found.show()
