"""`entryprune select`: from a table in a file to the columns that matter."""

from __future__ import annotations

import math
import sys
from dataclasses import replace
from inspect import signature
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from entryprune.cli import _options as options
from entryprune.cli._messages import OWN_OPTIONS

if TYPE_CHECKING:
    from collections.abc import Sequence

    from entryprune.cli._design import FeatureDesign, SampleDesign
    from entryprune.cli._inputs import Question
    from entryprune.cli._target import Aim
    from entryprune.data import TableRequest
    from entryprune.reporting import Report

K = Annotated[
    str | None,
    typer.Option(
        "-k",
        "--n-features",
        metavar="NUMBER|auto|best",
        help="How many features to select. 'auto' takes as few as do as well as any number up to "
        "100, 'best' the number that does best. May be left out with --budget.",
    ),
]
Method = Annotated[
    str,
    typer.Option(
        help="Any of 'entryprune bench list'; the algorithm of the paper is 'entryprune'."
    ),
]
Settings = Annotated[
    list[str] | None,
    typer.Option("--set", metavar="NAME=VALUE", help="A parameter of the method; may be repeated."),
]

_INTERRUPTED = "Interrupted: this is what was known by then, and it may not have settled."


@options.reads_table_and_target(with_features=True)
def select(
    *,
    k: K = None,
    request: TableRequest,
    aim: Aim,
    samples: SampleDesign,
    features: FeatureDesign,
    task: options.Task = "auto",
    missing: options.Missing = "impute",
    method: Method = "entryprune-exchange",
    settings: Settings = None,
    seed: options.Seed = 0,
    threads: options.Threads = None,
    output: Annotated[
        Path | None,
        typer.Option("--output", "-o", help="The ranked features, as .csv, .tsv or .json."),
    ] = None,
    reduced: Annotated[
        Path | None,
        typer.Option(help="The table with only the selected columns, in the format it came in."),
    ] = None,
    model: Annotated[
        Path | None, typer.Option(help="The fitted selector, for 'entryprune apply'.")
    ] = None,
    report: Annotated[
        Path | None, typer.Option(help="A page (.html) that shows what came out.")
    ] = None,
    image: Annotated[
        str | None, typer.Option(metavar="HxW", help="Features are pixels, such as 28x28.")
    ] = None,
    repeats: Annotated[
        int | None,
        typer.Option(
            min=0,
            help="Repetitions of the cross-validation behind the report; 0 for none.",
            show_default="1",
        ),
    ] = None,
    metric: options.Metric = None,
    stability: Annotated[
        bool,
        typer.Option(
            "--stability",
            help="Select again on half of the samples, many times: how sure is each feature?",
        ),
    ] = False,
    pairs: Annotated[
        int | None,
        typer.Option(min=1, help="Pairs of half samples for that.", show_default="50"),
    ] = None,
    jobs: Annotated[int, typer.Option(min=1, help="Folds or half samples at once.")] = 1,
    json_: Annotated[
        bool, typer.Option("--json", help="Write the answer to the output as JSON, nothing else.")
    ] = False,
) -> None:
    """Select the columns that matter for predicting one of them."""
    from entryprune.bench.learners import judged_by
    from entryprune.cli import _outputs
    from entryprune.cli._inputs import read_question
    from entryprune.cli._messages import interrupts_ignored
    from entryprune.data import check_destination

    _check_names(method, metric)
    number = options.number_or_name(k)
    features.check(method, number)
    parameters = parse_settings(settings or [])
    shape = _parse_shape(image)
    _outputs.check_places(
        {"--output": output, "--reduced": reduced, "--model": model, "--report": report},
        (request.path, request.target_file, features.feature_groups, features.costs),
    )
    _check_together(
        {
            "--image is for the page: name it with --report": shape is None or report is not None,
            "--pairs is for --stability: add that": pairs is None or stability,
            "--repeats is for the page: name it with --report": not repeats or bool(report),
            "--metric is for the page: name it with --report": metric is None or bool(report),
            "--folds is for the page: name it with --report": (
                samples.folds is None or bool(report)
            ),
        }
    )
    _outputs.check_suffix("--output", output, _outputs.ANSWERS)
    _outputs.check_suffix("--report", report, (".html", ".htm"))
    if reduced is not None:
        check_destination(request, reduced)
    request = samples.asked_of(aim.asked_of(request))
    question = read_question(
        request,
        aim,
        samples,
        task,
        number if isinstance(number, int) else 1,
        missing=missing,
        parameters=parameters,
    )
    question.target.check_method(method)
    judged_by(question.task, metric)
    _check_image(shape, question)
    n_repeats = 1 if repeats is None else repeats
    samples.check_folds(question.table, is_checked=report is not None and n_repeats > 0)
    question, designed = _designed(question, features, number)
    _outputs.tell(question.told)
    found = fit(question, method, number, seed, threads, {**parameters, **designed}, missing, shape)
    if stability:
        from entryprune.cli._stability import WAS_INTERRUPTED, with_stability

        found = with_stability(found, n_pairs=pairs or 50, n_jobs=jobs, seed=seed)
        # Who interrupts that wants to see what there is.
        n_repeats = 0 if WAS_INTERRUPTED in found.selected.warnings else n_repeats
    with interrupts_ignored():
        _outputs.tell(found.selected.warnings)
        # Before the check, which takes longer than the selection.
        if output is not None:
            _outputs.write_answer(found, output)
        _write_parts(found, request, reduced, model)
    if report is not None:
        found = _checked(
            found, n_repeats=n_repeats, n_jobs=jobs, metric=metric, folds=samples.folds
        )
    with interrupts_ignored():
        # All files come before the screen, which may fail.
        if report is not None:
            found.save(report)
            if output is not None:
                _outputs.write_answer(found, output)
        if json_:
            print(found.to_json(), end="")
        else:
            if found.is_interrupted:
                _outputs.tell([_INTERRUPTED])
            found.show()
        _outputs.tell(f"Wrote {place}." for place in (output, reduced, model, report) if place)


def _check_names(method: str, metric: str | None) -> None:
    from entryprune.bench.learners import get_metric
    from entryprune.methods import get_method

    get_method(method)
    if metric is not None:
        get_metric(metric)


def _designed(
    question: Question, features: FeatureDesign, k: int | str | None
) -> tuple[Question, dict[str, Any]]:
    """Return what features are to be besides predictive, and a question that says so."""
    designed, facts = features.parameters(question.table.feature_names, k)
    return replace(question, facts=(*question.facts, *facts)), designed


def fit(
    question: Question,
    method: str,
    k: int | str | None,
    seed: int,
    threads: int | None,
    parameters: dict[str, Any],
    missing: str = "impute",
    image_shape: tuple[int, int] | None = None,
) -> Report:
    """Select, with live progress; Ctrl-C ends with what is known where the method can."""
    import warnings

    import numpy as np

    from entryprune.cli._messages import (
        ending_on_interrupt,
        in_options,
        parameters_of,
        speaking_of_options,
        stopping_on_interrupt,
    )
    from entryprune.cli._outputs import of_file
    from entryprune.methods import get_method, make_selector
    from entryprune.reporting import Report
    from entryprune.selectors._tables import ONE_NUMBER, given_to

    table, weights = question.table, question.target.weights
    about = {**question.about, **({} if weights is None else {"sample_weight": weights})}
    with (
        speaking_of_options(method),
        warnings.catch_warnings(record=True) as caught,
        stopping_on_interrupt(
            "Stopping with what is known so far; Ctrl-C again to give up."
        ) as was_asked,
    ):
        warnings.simplefilter("always")
        # torch is imported here, and does not bear to be interrupted.
        if threads is not None:
            import torch

            torch.set_num_threads(threads)
        selector = make_selector(method, k, task=question.task, random_state=seed)
        known = selector.get_params()
        if "missing" in known:
            selector.set_params(missing=missing)
        selector.set_params(**{**question.target.settings, **parameters})
        _refuse_strangers(method, selector, parameters)
        given = given_to(selector, table.features)(table.features)
        if given is not table.features and table.frame is not None:
            warnings.warn(f"{get_method(method).title}: {ONE_NUMBER}", stacklevel=1)
        taken = signature(selector.fit).parameters
        about = {name: values for name, values in about.items() if name in taken}
        if was_asked(None):
            raise KeyboardInterrupt
        if "verbose" in known and sys.stderr.isatty():
            selector.set_params(verbose=1)
        # Before it is known how many to select, there is nothing to stop with.
        if "callback" in known and not isinstance(k, str):
            selector.set_params(callback=was_asked)
            selector.fit(given, question.y, **about)
            selector.set_params(callback=None)
        else:
            with ending_on_interrupt():
                selector.fit(given, question.y, **about)
        is_over = was_asked(None)
    if "verbose" in known:
        selector.set_params(verbose=0)
    # What scikit-learn calls the names of the columns; so they are saved with the model.
    selector.feature_names_in_ = np.array(table.feature_names, dtype=object)
    if question.target.targets and hasattr(selector, "predict"):
        selector._target_names = np.array(question.target.targets, dtype=object)
    report = Report.from_selector(
        selector,
        table.features,
        question.y,
        feature_names=table.feature_names,
        column_numbers=table.places,
        target_name=question.target.names,
        sample_weight=weights,
        **question.about,
        cautions=question.cautions,
        image_shape=image_shape,
    )
    known = parameters_of(method) if caught else []
    told = (
        in_options(said, known)
        for said in (str(warning.message) for warning in caught)
        # That classes are many is among the cautions, in our words.
        if "unique classes" not in said
    )
    notes = dict.fromkeys((*told, *report.selected.warnings))
    # An interrupt that came too late for the selection ends what would follow it.
    ended = "interrupted" if is_over else report.selected.ended
    chosen = replace(report.selected, warnings=tuple(notes), ended=ended)
    report = replace(report, selected=chosen)
    return of_file(report, question, code="", seed=seed, n_threads=_threads())


def _threads() -> int | None:
    """Return the threads that torch uses, if it was imported at all."""
    torch = sys.modules.get("torch")
    return None if torch is None else int(torch.get_num_threads())


def _refuse_strangers(method: str, selector: Any, parameters: dict[str, Any]) -> None:
    """Refuse parameters of another EntryPrune, and name the method that they belong to."""
    from entryprune.methods import METHODS
    from entryprune.selectors._presets import PRESETS

    mine = PRESETS.get(getattr(selector, "preset", ""))
    if mine is None:
        return
    for name, value in parameters.items():
        if name in mine.tunables or value == "auto":
            continue
        for owner, preset in PRESETS.items():
            if name in preset.tunables:
                # The first of them: others differ from it by a parameter.
                other = next(n for n, m in METHODS.items() if m.settings.get("preset") == owner)
                raise ValueError(
                    f"--set {name} is for --method {other} and means nothing to {method}. Take "
                    f"--method {other}, or leave out --set {name}."
                )


def parse_settings(texts: list[str]) -> dict[str, Any]:
    """Return parameters of a method, given as NAME=VALUE."""
    import json

    parameters: dict[str, Any] = {}
    for text in texts:
        name, sign, value = text.partition("=")
        if not sign or not name.isidentifier():
            raise ValueError(f"--set takes NAME=VALUE, such as patience=20; got {text!r}.")
        if name in OWN_OPTIONS:
            raise ValueError(f"--set {text} cannot be set so: {OWN_OPTIONS[name]}.")
        try:
            parameters[name] = json.loads(value)
        except ValueError:
            parameters[name] = value
    return parameters


def _parse_shape(text: str | None) -> tuple[int, int] | None:
    """Return the height and width of images."""
    if text is None:
        return None
    height, _, width = text.lower().partition("x")
    if not (height.isdigit() and width.isdigit()):
        raise ValueError(f"--image takes height and width in pixels, such as 28x28; got {text!r}.")
    return int(height), int(width)


def _check_together(rules: dict[str, bool]) -> None:
    """Refuse an option that means nothing without another."""
    for rule, is_kept in rules.items():
        if not is_kept:
            raise ValueError(f"{rule}, or leave out {rule.split()[0]}.")


def _check_image(shape: tuple[int, int] | None, question: Question) -> None:
    """Make sure that the features can be the pixels of an image."""
    n_features = len(question.table.feature_names)
    if shape is not None and shape[0] * shape[1] != n_features:
        raise ValueError(
            f"--image {shape[0]}x{shape[1]} has {shape[0] * shape[1]} pixels, but there are "
            f"{n_features} features."
        )


def _write_parts(
    report: Report, request: TableRequest, reduced: Path | None, model: Path | None
) -> None:
    """Write the table with the selected columns, and the selector with their names."""
    assert report.source is not None
    if reduced is not None:
        from entryprune.data import write_columns

        chosen = set(report.selected.names)
        in_order = [name for name in report.source.names if name in chosen]
        write_columns(request, in_order, reduced, _about(report, in_order))
    if model is not None:
        from entryprune import save

        save(report.source.selector, model)


def _about(report: Report, names: Sequence[str]) -> dict[str, list[Any]]:
    """Return what is known of selected features, for a format that has a place for it."""
    place = {name: number for number, name in enumerate(report.selected.names)}
    scores = report.selected.scores
    about: dict[str, list[Any]] = {
        "selected": [True for _ in names],
        "rank": [place[name] + 1 for name in names],
    }
    if scores is not None:
        found = (scores[place[name]] for name in names)
        about["score"] = [math.nan if score is None else float(score) for score in found]
    return about


def _checked(
    report: Report, *, n_repeats: int, n_jobs: int, metric: str | None, folds: int | None
) -> Report:
    """Cross-validate; an interrupted check is left out of the page."""
    from entryprune.cli._outputs import tell

    if report.is_interrupted:
        remark = "How well it predicts was not checked, because the run was interrupted."
    elif not n_repeats:
        return report
    else:
        tell(["Checking by cross-validation how well such selections do on new samples:"])
        try:
            return report.validate(n_repeats, n_jobs, verbose=1, metric=metric, cv=folds)
        except KeyboardInterrupt:
            remark = "The check of how well it predicts was interrupted, and is left out."
            tell([remark])
        except ValueError as error:  # too few samples for it
            remark = f"How well it predicts was not checked. {error}"
            tell([remark])
    warnings = (*report.selected.warnings, remark)
    return replace(report, selected=replace(report.selected, warnings=warnings))
