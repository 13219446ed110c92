"""What the command line says: in the words of options, and how it ends after errors and Ctrl-C."""

from __future__ import annotations

import re
import signal
import sys
import threading
from collections.abc import Callable, Iterable, Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import replace
from functools import wraps
from typing import TYPE_CHECKING, Any, NoReturn, ParamSpec

import typer

from entryprune._text import one_line, printable, suggestion

if TYPE_CHECKING:
    from entryprune.report.comparison import ComparisonReport

# What is asked of features besides to predict, which has options of the same names.
_DESIGN = ("keep", "bar", "feature_groups", "costs", "budget")
# Parameters that the command sets itself, so that --set cannot, and how.
OWN_OPTIONS = {
    "n_features_to_select": "-k says how many",
    "random_state": "--seed does it",
    "task": "--task does it",
    "preset": "the method's name does it, entryprune or entryprune-exchange",
    "verbose": "progress is always shown",
    "callback": "a command line has no functions",
    "body": "a command line has no networks",
    **{name: f"--{name.replace('_', '-')} does it" for name in _DESIGN},
}
_OPTIONS = {
    "n_features_to_select": "-k",
    "task": "--task",
    "random_state": "--seed",
    "cv": "--folds",
    **{name: f"--{name.replace('_', '-')}" for name in _DESIGN},
}
# What begins a message about samples, or about what was asked of features.
_SUBJECTS = {"groups": "--group-column", "order": "--time-column"}
_PRESETS = {"paper": "entryprune", "exchange": "entryprune-exchange"}
# name='value', with further values that are allowed.
_ASSIGNED = re.compile(r"\b([a-z]\w*)='?([\w.-]+?)'?(?=[\s).,;:]|$)((?: or '[\w-]+')*)")
# Names of features and levels, in quotes, stay as they are.
_TABLE = re.compile(r"((?<!\w)'[^']*'(?!\w))|\b(?:Input )?(?<!')X(?![\w'=-])")
_TARGET = re.compile(r"((?<!\w)'[^']*'(?!\w))|(?<![\w'-])y(?![\w'=-])")
# scikit-learn's own messages.
_RANGE = re.compile(r"The '(\w+)' parameter of \w+ must be (.*)\. Got (.*) instead\.?")
# What they allow. A command line has no functions and no arrays.
_NAMES = re.compile(r"a str among \{(.*?)\}")
_NUMBER = re.compile(r"an? (int|float)(?: in the range ([\[(])([^,]*), ([^\])]*)([\])]))?")
_TRUTH = re.compile(r"an instance of 'bool'")
_UNKNOWN = re.compile(r"Invalid parameter '(\w+)' for estimator .* are: \[(.*)\]\.?")


def in_options(text: str, parameters: Iterable[str] = ()) -> str:
    """Return a message that names options where it named parameters, the table and the target.

    `parameters` are those of the method; names that stand alone are known only by them.
    """
    text = one_line(text)
    if found := _UNKNOWN.match(text):
        return _unknown(found)
    subjects = {**{name: _OPTIONS[name] for name in _DESIGN}, **_SUBJECTS}
    text = re.sub(
        rf"^({'|'.join(subjects)})(?= (?:has|is|names|must)\b)", lambda m: subjects[m[1]], text
    )
    text = _RANGE.sub(_allowed, text)
    known = {*_OPTIONS, "preset", *parameters}
    text = _ASSIGNED.sub(lambda m: _assigned(m) if m[1] in known else m[0], text)
    for name in parameters:
        # A word without an underscore may be English, but not where it ends a piece of advice.
        before, after = (r"(?<![\w'=-])", r"(?![\w'=])")
        if "_" not in name:
            before, after = r"(?:(?<=[Rr]aise )|(?<=[Ll]ower )|(?<= or ))", r"(?=[.,;]|$)"
        text = re.sub(rf"`{name}`|(?<!--set ){before}{name}{after}", _option(name), text)
    text = re.sub(r"(?<=had )(.*) in fit,", r"\1 when the model was made,", text)
    text = text.replace("levels that the fit has not seen", "levels that the model has not seen")
    text = _TABLE.sub(lambda m: m[1] or "the table", text)
    text = _TARGET.sub(lambda m: m[1] or "the target", text)
    return re.sub(r"(^|[.:] )(the (?:table|target)) ", lambda m: f"{m[1]}T{m[2][1:]} ", text)


def _option(name: str) -> str:
    return _OPTIONS.get(name, f"--set {name}")


def _allowed(found: re.Match[str]) -> str:
    """Return what a parameter takes, in the words of a command line."""
    name, rule, got = found.groups()
    words = [word for one in _NAMES.findall(rule) for word in sorted(one.split(", "))]
    numbers = [_number(one) for one in _NUMBER.finditer(rule)]
    takes = [*numbers, *(["true", "false"] if _TRUTH.search(rule) else []), *words]
    if not takes:
        return f"{_option(name)} must be {rule}. Got {got} instead."
    shown = " or ".join([", ".join(takes[:-1]), takes[-1]] if len(takes) > 1 else takes)
    return f"{_option(name)} takes {shown}; got {got}."


def _number(found: re.Match[str]) -> str:
    kind, after, low, high, before = found.groups()
    what = "a whole number" if kind == "int" else "a number"
    bounds = []
    if after and low != "-inf":
        bounds.append(f"{'from' if after == '[' else 'above'} {low.removesuffix('.0')}")
    if after and high != "inf":
        bounds.append(f"{'to' if before == ']' else 'below'} {high.removesuffix('.0')}")
    return " ".join([what, *bounds])


def _assigned(found: re.Match[str]) -> str:
    name, value, others = found[1], found[2], found[3]
    if name == "preset":
        return f"--method {_PRESETS.get(value, value)}{others}"
    between = " " if name in _OPTIONS else "="
    more = re.sub(r"'([\w-]+)'", rf"{name}=\1", others)
    return f"{_option(name)}{between}{value}{more}"


def _unknown(found: re.Match[str]) -> str:
    known = [name for name in re.findall(r"'(\w+)'", found[2]) if name not in OWN_OPTIONS]
    return (
        f"--set {found[1]}: the method has no such parameter.{suggestion(found[1], known)} It has "
        f"{', '.join(known)}."
    )


@contextmanager
def speaking_of_options(*methods: str) -> Iterator[None]:
    """Let what methods refuse speak of options."""
    try:
        yield
    except ValueError as error:
        names = {name for method in methods for name in parameters_of(method)}
        raise ValueError(in_options(str(error), sorted(names))) from error


def parameters_of(method: str) -> list[str]:
    """Return the names of a method's parameters."""
    from entryprune.methods import make_selector

    return list(make_selector(method, 1).get_params())


def comparison_in_options(report: ComparisonReport) -> ComparisonReport:
    """Return a comparison whose remarks speak of options."""
    return replace(
        report,
        warnings=[in_options(one) for one in report.warnings],
        contenders=[replace(one, note=in_options(one.note)) for one in report.contenders],
    )


# -- how a command ends ----------------------------------------------------------------------------


P = ParamSpec("P")

# The exit code for what the user can mend, and the one that shells report for Ctrl-C.
BAD_INPUT, INTERRUPTED = 2, 130
# What torch says where others raise a MemoryError.
_TORCH_OUT_OF_MEMORY = "can't allocate memory"


@contextmanager
def explained() -> Iterator[None]:
    """Turn errors that the user can mend into a line on the error stream and exit code 2."""
    try:
        yield
    except (ValueError, OSError, ImportError) as error:
        # All of ours are ValueErrors, and say what was got, what is allowed and what to do.
        _end(one_line(error) or type(error).__name__)
    except (MemoryError, RuntimeError) as error:
        if isinstance(error, RuntimeError) and _TORCH_OUT_OF_MEMORY not in str(error):
            raise
        detail = one_line(error)
        _end(
            f"There is not enough memory{f' ({detail})' if detail else ''}. Close other programs, "
            "leave out columns or samples, or take a machine with more memory."
        )


def _end(message: str) -> NoReturn:
    # Names from strangers' files are part of many messages.
    print(f"entryprune: {printable(message)}", file=sys.stderr)
    raise SystemExit(BAD_INPUT) from None


@contextmanager
def _on_interrupt(handler: Any) -> Iterator[None]:
    before = signal.signal(signal.SIGINT, handler)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)


def interrupts_ignored() -> AbstractContextManager[None]:
    """Finish what takes a moment: a file that is being written, a table that is being shown."""
    return _on_interrupt(signal.SIG_IGN)


def ending_on_interrupt() -> AbstractContextManager[None]:
    """Let Ctrl-C end at once, whatever it does outside: for work with nothing to show half way."""
    return _on_interrupt(signal.default_int_handler)


@contextmanager
def stopping_on_interrupt(message: str) -> Iterator[Callable[[object], bool]]:
    """Let the first Ctrl-C show the message and ask for an end, and the second end at once.

    Yields what a selector's `callback` is: whether an end was asked for.
    """
    asked = threading.Event()

    def ask(number: int, frame: object) -> None:
        del number, frame
        if asked.is_set():
            raise KeyboardInterrupt
        asked.set()
        print(f"\n{message}", file=sys.stderr)

    with _on_interrupt(ask):
        yield lambda _: asked.is_set()


def telling_interrupts(command: Callable[P, None]) -> Callable[P, None]:
    """Make a command say that it was interrupted, and return the exit code that shells expect."""

    @wraps(command)
    def interruptible(*arguments: P.args, **options: P.kwargs) -> None:
        try:
            command(*arguments, **options)
        except KeyboardInterrupt:
            # A second Ctrl-C must not end the ending.
            signal.signal(signal.SIGINT, signal.SIG_IGN)
            print("entryprune: interrupted", file=sys.stderr)
            raise typer.Exit(INTERRUPTED) from None

    return interruptible
