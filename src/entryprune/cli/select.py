"""`entryprune select`: from a table in a file to the columns that matter."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from entryprune.cli import _options as options

if TYPE_CHECKING:
    from collections.abc import Sequence

    from entryprune.bench.validation import Outcome
    from entryprune.cli._answer import Answer
    from entryprune.cli._reading import Question

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
    jobs: Annotated[int, typer.Option(min=1, help="Folds of it at once.")] = 1,
    json_: Annotated[
        bool, typer.Option("--json", help="Write the answer to the output as JSON, nothing else.")
    ] = False,
) -> None:
    """Select the columns that matter for predicting one of them."""
    from entryprune.baselines import get_method
    from entryprune.cli import _outputs
    from entryprune.cli._interrupt import interrupts_ignored
    from entryprune.cli._reading import read_question
    from entryprune.data import TableRequest, check_destination

    get_method(method)
    parameters = parse_settings(settings or [])
    shape = _outputs.parse_shape(image)
    _outputs.check_places(
        {"--output": output, "--reduced": reduced, "--model": model, "--report": report},
        (path, target_file),
    )
    if shape is not None and report is None:
        raise ValueError("--image is for the page: name it with --report, or leave out --image.")
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
    question = read_question(request, task)
    _check_k(k, question)
    _outputs.check_image(shape, question)
    _outputs.tell(question.facts)
    answer = fit(question, method, k, seed, threads, parameters)
    with interrupts_ignored():
        _outputs.tell(answer.notes)
        _outputs.show(answer, as_json=json_)
        if output is not None:
            _outputs.write_features(answer, output)
        if reduced is not None:
            _outputs.write_reduced(request, question, answer, reduced)
        if model is not None:
            _outputs.write_model(answer, model)
        _outputs.tell(f"Wrote {place}." for place in (output, reduced, model) if place)
    if report is not None:
        _write_page(answer, report, shape, n_repeats=repeats, n_jobs=jobs)
        _outputs.tell([f"Wrote {report}."])


def fit(
    question: Question,
    method: str,
    k: int,
    seed: int,
    threads: int | None,
    parameters: dict[str, Any],
) -> Answer:
    """Select, with live progress; Ctrl-C ends with what is known where the method can."""
    import warnings

    import numpy as np

    from entryprune.baselines import make_selector
    from entryprune.cli._answer import Answer
    from entryprune.cli._interrupt import ending_on_interrupt, stopping_on_interrupt

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
            selector.fit(question.table.X, question.y)
            selector.set_params(callback=None)
        else:
            with ending_on_interrupt():
                selector.fit(question.table.X, question.y)
    if "verbose" in known:
        selector.set_params(verbose=0)
    # What scikit-learn calls the names of the columns; so they are saved with the model.
    selector.feature_names_in_ = np.array(question.table.feature_names, dtype=object)
    notes = tuple(dict.fromkeys(" ".join(str(warning.message).split()) for warning in caught))
    return Answer(question, selector, method, k, seed, parameters, notes, _threads())


def _threads() -> int | None:
    """Return the threads that torch uses, if it was imported at all."""
    torch = sys.modules.get("torch")
    return None if torch is None else int(torch.get_num_threads())


def _refuse_strangers(method: str, selector: Any, parameters: dict[str, Any]) -> None:
    """Refuse parameters of another EntryPrune, and name the method that they belong to."""
    from entryprune.baselines import METHODS
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
    """Return parameters of a method, given as NAME=VALUE.

    Examples
    --------
    >>> parse_settings(["patience=20", "flex=true", "activation=tanh"])
    {'patience': 20, 'flex': True, 'activation': 'tanh'}
    """
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


def _check_k(k: int, question: Question) -> None:
    n_features = len(question.table.feature_names)
    if k > n_features:
        raise ValueError(
            f"-k {k} asks for more features than {question.table.path.name} has ({n_features}). "
            f"Take a -k from 1 to {n_features}."
        )


def _write_page(
    answer: Answer,
    path: Path,
    shape: tuple[int, int] | None,
    *,
    n_repeats: int,
    n_jobs: int,
) -> None:
    """Cross-validate, and write the page; an interrupted check is left out of it."""
    from sklearn.base import clone

    from entryprune.bench.validation import cross_validate
    from entryprune.cli import _outputs
    from entryprune.cli._interrupt import interrupts_ignored
    from entryprune.cli._page import write_selection_page

    outcomes: Sequence[Outcome] = ()
    remarks = []
    if answer.is_interrupted:
        remarks.append("How well it predicts was not checked, because the run was interrupted.")
    elif n_repeats:
        _outputs.tell(["Checking by cross-validation how well such selections do on new cases:"])
        try:
            outcomes = cross_validate(
                answer.question.table.X,
                answer.question.y,
                answer.question.task,
                [(answer.method, answer.k)],
                selector=clone(answer.selector),
                n_repeats=n_repeats,
                n_jobs=n_jobs,
                is_shown=True,
            )
        except KeyboardInterrupt:
            remarks.append("The check of how well it predicts was interrupted, and is left out.")
            _outputs.tell(remarks)
    with interrupts_ignored():
        write_selection_page(
            answer, path, shape=shape, outcomes=outcomes, n_repeats=n_repeats, remarks=remarks
        )
