"""`entryprune select`: from a table in a file to the columns that matter."""

from __future__ import annotations

import sys
from dataclasses import asdict, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from entryprune.cli import _options as options

if TYPE_CHECKING:
    from collections.abc import Sequence

    from entryprune.cli._inputs import Question
    from entryprune.report.selection import Feature
    from entryprune.reporting import Report

K = Annotated[int, typer.Option("-k", "--n-features", min=1, help="How many features to select.")]
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
# What the command sets itself.
_OWN_OPTIONS = {
    "n_features_to_select": "-k says how many",
    "random_state": "--seed does it",
    "task": "--task does it",
    "preset": "--method entryprune or --method entryprune-exchange does it",
    "verbose": "progress is always shown",
    "callback": "a command line has no functions",
    "body": "a command line has no networks",
}


def select(
    path: options.TablePath,
    k: K,
    target: options.Target = None,
    target_file: options.TargetFile = None,
    format_: options.Format = None,
    array: options.Array = None,
    drop: options.Drop = None,
    id_column: options.IdColumn = None,
    transpose: options.Transpose = False,
    header: options.Header = None,
    task: options.Task = "auto",
    method: Method = "entryprune-exchange",
    settings: Settings = None,
    seed: options.Seed = 0,
    threads: options.Threads = None,
    output: Annotated[
        Path | None,
        typer.Option("--output", "-o", help="The ranked features, as .csv or .json."),
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
        int,
        typer.Option(
            min=0,
            help="Repetitions of the five-fold cross-validation behind the report; 0 for none.",
        ),
    ] = 1,
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
    from entryprune.cli import _outputs
    from entryprune.cli._endings import interrupts_ignored
    from entryprune.cli._inputs import read_question
    from entryprune.data import TableRequest, check_destination, write_columns
    from entryprune.methods import get_method

    get_method(method)
    parameters = parse_settings(settings or [])
    shape = _parse_shape(image)
    _outputs.check_places(
        {"--output": output, "--reduced": reduced, "--model": model, "--report": report},
        (path, target_file),
    )
    if shape is not None and report is None:
        raise ValueError("--image is for the page: name it with --report, or leave out --image.")
    if pairs is not None and not stability:
        raise ValueError("--pairs is for --stability: add that, or leave out --pairs.")
    _outputs.check_suffix("--output", output, (".csv", ".json"))
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
    if reduced is not None:
        check_destination(request, reduced)
    question = read_question(request, task, k)
    _check_image(shape, question)
    _outputs.tell(question.facts)
    found = fit(question, method, k, seed, threads, parameters, shape)
    if stability:
        from entryprune.cli._stability import with_stability

        found = with_stability(found, n_pairs=pairs or 50, n_jobs=jobs, seed=seed)
    with interrupts_ignored():
        _outputs.tell(found.selected.warnings)
        if json_:
            print(_to_json(found, method, parameters))
        else:
            if found.is_interrupted:
                _outputs.tell([_INTERRUPTED])
            found.show()
        if output is not None:
            _write_features(found, output, method, parameters)
        if reduced is not None:
            chosen = set(found.selected.names)
            in_order = [name for name in question.table.feature_names if name in chosen]
            write_columns(request, in_order, reduced)
        if model is not None:
            _write_model(found, model)
        _outputs.tell(f"Wrote {place}." for place in (output, reduced, model) if place)
    if report is not None:
        _write_page(found, report, n_repeats=repeats, n_jobs=jobs)
        _outputs.tell([f"Wrote {report}."])


def fit(
    question: Question,
    method: str,
    k: int,
    seed: int,
    threads: int | None,
    parameters: dict[str, Any],
    image_shape: tuple[int, int] | None = None,
) -> Report:
    """Select, with live progress; Ctrl-C ends with what is known where the method can."""
    import warnings

    import numpy as np

    from entryprune._text import one_line
    from entryprune.cli._endings import ending_on_interrupt, stopping_on_interrupt
    from entryprune.cli._outputs import of_file
    from entryprune.methods import make_selector
    from entryprune.reporting import Report

    table = question.table
    with (
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
        selector.set_params(**parameters)
        _refuse_strangers(method, selector, parameters)
        known = selector.get_params()
        if was_asked(None):
            raise KeyboardInterrupt
        if "verbose" in known and sys.stderr.isatty():
            selector.set_params(verbose=1)
        if "callback" in known:
            selector.set_params(callback=was_asked)
            selector.fit(table.X, question.y)
            selector.set_params(callback=None)
        else:
            with ending_on_interrupt():
                selector.fit(table.X, question.y)
    if "verbose" in known:
        selector.set_params(verbose=0)
    # What scikit-learn calls the names of the columns; so they are saved with the model.
    selector.feature_names_in_ = np.array(table.feature_names, dtype=object)
    report = Report.from_selector(
        selector,
        table.X,
        question.y,
        feature_names=table.feature_names,
        column_numbers=table.places,
        target_name=table.target_name or "target",
        image_shape=image_shape,
    )
    notes = dict.fromkeys(one_line(warning.message) for warning in caught)
    report = replace(report, selected=replace(report.selected, warnings=tuple(notes)))
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
        if name in _OWN_OPTIONS:
            raise ValueError(f"--set {text} cannot be set so: {_OWN_OPTIONS[name]}.")
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


def _check_image(shape: tuple[int, int] | None, question: Question) -> None:
    """Make sure that the features can be the pixels of an image."""
    n_features = len(question.table.feature_names)
    if shape is not None and shape[0] * shape[1] != n_features:
        raise ValueError(
            f"--image {shape[0]}x{shape[1]} has {shape[0] * shape[1]} pixels, but there are "
            f"{n_features} features."
        )


def _write_model(report: Report, path: Path) -> None:
    """Write the fitted selector, with the names of its features."""
    from entryprune import save

    assert report.source is not None
    save(report.source.selector, path)


def _write_features(report: Report, path: Path, method: str, parameters: dict[str, Any]) -> None:
    """Write the ranked features as CSV or, with everything that was asked, as JSON."""
    if path.suffix.lower() == ".json":
        from entryprune._files import write_text

        write_text(path, _to_json(report, method, parameters, indent=1) + "\n")
        return
    from entryprune.cli._outputs import write_rows

    rows = report.rows()
    write_rows(path, tuple(rows[0]), tuple(tuple(row.values()) for row in rows))


def _to_json(
    report: Report, method: str, parameters: dict[str, Any], indent: int | None = None
) -> str:
    """Return all that is the same whenever it is asked again: no times."""
    import json

    from entryprune import __version__

    def rows(features: Sequence[Feature]) -> list[dict[str, Any]]:
        return [
            {
                "rank": one.rank,
                "feature": one.name,
                "column": one.column,
                "score": one.score,
                **({} if one.standing is None else asdict(one.standing)),
            }
            for one in features
        ]

    data, selected = report.data, report.selected
    content = {
        "table": data.file_name,
        "n_samples": data.n_samples,
        "n_features": data.n_features,
        "target": data.target,
        "task": data.task,
        "method": method,
        "k": report.k,
        "seed": report.provenance.seed,
        "parameters": parameters,
        "threads": report.provenance.n_threads,
        "interrupted": report.is_interrupted,
        "notes": [*data.notes, *selected.warnings],
        "version": __version__,
        "score": selected.score_unit or selected.score_name,
        "selected": rows(report.features),
        "runners_up": rows(report.runners_up),
        "pairs": [
            {
                "names": list(one.names),
                "columns": list(one.columns),
                "strength": one.strength,
                "p_value": one.p_value,
            }
            for one in report.pairs
        ],
        "pairs_searched": report.pairs_searched,
    }
    if report.sureness is not None:
        from entryprune.cli._stability import as_json

        content["stability"] = as_json(report.sureness)
    return json.dumps(content, indent=indent, ensure_ascii=False)


def _write_page(report: Report, path: Path, *, n_repeats: int, n_jobs: int) -> None:
    """Cross-validate, and write the page; an interrupted check is left out of it."""
    from entryprune.cli._endings import interrupts_ignored
    from entryprune.cli._outputs import tell

    remark = ""
    if report.is_interrupted:
        remark = "How well it predicts was not checked, because the run was interrupted."
    elif n_repeats:
        tell(["Checking by cross-validation how well such selections do on new samples:"])
        try:
            report = report.validate(n_repeats, n_jobs, verbose=1)
        except KeyboardInterrupt:
            remark = "The check of how well it predicts was interrupted, and is left out."
            tell([remark])
    with interrupts_ignored():
        if remark:
            warnings = (*report.selected.warnings, remark)
            report = replace(report, selected=replace(report.selected, warnings=warnings))
        report.save(path)
