"""What selectors say to Python programmers, in the words of the command line."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import TYPE_CHECKING

from entryprune._text import one_line, suggestion

if TYPE_CHECKING:
    from entryprune.report.comparison import ComparisonReport

# Parameters that the command sets itself, so that --set cannot, and how.
OWN_OPTIONS = {
    "n_features_to_select": "-k says how many",
    "random_state": "--seed does it",
    "task": "--task does it",
    "preset": "the method's name does it, entryprune or entryprune-exchange",
    "verbose": "progress is always shown",
    "callback": "a command line has no functions",
    "body": "a command line has no networks",
}
_OPTIONS = {"n_features_to_select": "-k", "task": "--task", "random_state": "--seed"}
_PRESETS = {"paper": "entryprune", "exchange": "entryprune-exchange"}
# name='value', with further values that are allowed.
_ASSIGNED = re.compile(r"\b([a-z]\w*)='?([\w.-]+?)'?(?=[\s).,;:]|$)((?: or '[\w-]+')*)")
# scikit-learn's own messages.
_RANGE = re.compile(r"The '(\w+)' parameter of \w+ must be")
_UNKNOWN = re.compile(r"Invalid parameter '(\w+)' for estimator .* are: \[(.*)\]\.?")


def in_options(text: str, parameters: Iterable[str] = ()) -> str:
    """Return a message that names options where it named parameters, the table and the target.

    `parameters` are those of the method; names that stand alone are known only by them.
    """
    text = one_line(text)
    if found := _UNKNOWN.match(text):
        return _unknown(found)
    text = _RANGE.sub(lambda m: f"{_option(m[1])} must be", text)
    known = {*_OPTIONS, "preset", *parameters}
    text = _ASSIGNED.sub(lambda m: _assigned(m) if m[1] in known else m[0], text)
    for name in parameters:
        # A word without an underscore may be English, but not where it ends a piece of advice.
        before, after = (r"(?<![\w'=-])", r"(?![\w'=])")
        if "_" not in name:
            before, after = r"(?:(?<=[Rr]aise )|(?<=[Ll]ower )|(?<= or ))", r"(?=[.,;]|$)"
        text = re.sub(rf"`{name}`|(?<!--set ){before}{name}{after}", _option(name), text)
    text = re.sub(r"\b(?:Input )?(?<!')X(?![\w'=-])", "the table", text)
    text = re.sub(r"(?<![\w'-])y(?![\w'=-])", "the target", text)
    return re.sub(r"(^|[.:] )(the (?:table|target)) ", lambda m: f"{m[1]}T{m[2][1:]} ", text)


def _option(name: str) -> str:
    return _OPTIONS.get(name, f"--set {name}")


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
