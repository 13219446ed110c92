"""The parameters that "auto" can stand for, as the settings themselves declare them."""

from __future__ import annotations

from dataclasses import dataclass, fields
from numbers import Integral, Real
from typing import Any, TypeVar

from sklearn.utils._param_validation import Interval, StrOptions

from entryprune.engine.settings import Allowed, NetworkSettings

S = TypeVar("S", bound=NetworkSettings)

# Where the estimators follow scikit-learn's names.
_RENAMED = {"learning_rate": "learning_rate_init"}


@dataclass(frozen=True, slots=True)
class Tunable:
    """A parameter of an estimator that may be "auto".

    Attributes
    ----------
    default : object
        What "auto" is, unless a preset says otherwise.
    allowed : Allowed
        The values besides "auto".
    text : str
        Its documentation.
    """

    default: Any
    allowed: Allowed
    text: str

    @property
    def constraints(self) -> list[Any]:
        """The values in scikit-learn's terms, for `_parameter_constraints`."""
        allowed = self.allowed
        found: list[Any] = []
        if allowed.kind is bool:
            found.append("boolean")
        if allowed.kind is tuple:
            found.append("array-like")
        if allowed.kind in (int, float, tuple):
            numbers = Real if allowed.kind is float else Integral
            found.append(Interval(numbers, allowed.low, allowed.high, closed=allowed.closed))
        # In an error message these come in their order, and "auto" reads best behind the rest.
        found.append(StrOptions({*allowed.choices, "auto"}))
        if allowed.or_none:
            found.append(None)
        return found


def tunables(*declarations: type) -> dict[str, Tunable]:
    """Return the settings that dataclasses declare for users, by their parameter's name."""
    return {
        _RENAMED.get(one.name, one.name): Tunable(
            one.default, one.metadata["allowed"], one.metadata["text"]
        )
        for declaration in declarations
        for one in fields(declaration)
        if "allowed" in one.metadata
    }


def engine_settings(kind: type[S], n_selected: int, values: dict[str, Any]) -> S:
    """Return what the engine is asked to do, given values by their parameter's name."""
    known = {one.name: _RENAMED.get(one.name, one.name) for one in fields(kind)}
    asked = {name: values[parameter] for name, parameter in known.items() if parameter in values}
    return kind(n_selected=n_selected, **asked)
