"""What every selector has: declared parameters, checks and texts that follow from them, a mask."""

from __future__ import annotations

import textwrap
from abc import ABCMeta, abstractmethod
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, fields, is_dataclass
from numbers import Integral, Real
from typing import Any, ClassVar, Self, TypeVar, dataclass_transform

import numpy as np
import torch
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator, _fit_context
from sklearn.feature_selection import SelectorMixin
from sklearn.utils._param_validation import Interval, StrOptions
from sklearn.utils._set_output import _get_output_config
from sklearn.utils.multiclass import type_of_target
from sklearn.utils.validation import _num_samples, check_is_fitted, validate_data

from entryprune.encoding import is_frame, take_columns
from entryprune.engine import DivergedError, TooLargeError
from entryprune.engine.columns import SCALES
from entryprune.engine.settings import Allowed
from entryprune.selectors._inputs import (
    check_finite,
    check_table,
    check_weights,
    number_classes,
    refuse_masked,
    warn_of_light,
)

T = TypeVar("T", bound=type)

# -- how parameters are declared ----------------------------------------------------------------


@dataclass(frozen=True)
class Special:
    """Values that `Allowed` has no terms for: in words, and in scikit-learn's terms."""

    words: str
    constraints: tuple[Any, ...]

    def __str__(self) -> str:
        return self.words


def constraints(allowed: Allowed | Special) -> list[Any]:
    """Return the values in scikit-learn's terms, for `_parameter_constraints`."""
    if isinstance(allowed, Special):
        return list(allowed.constraints)
    found: list[Any] = []
    if allowed.kind is bool:
        found.append("boolean")
    if allowed.kind is tuple:
        found.append("array-like")
    if allowed.kind in (int, float, tuple):
        numbers = Real if allowed.kind is float else Integral
        is_bounded = allowed.low is not None or allowed.high is not None
        interval = Interval(numbers, allowed.low, allowed.high, closed=allowed.closed)
        found.append(interval if is_bounded else numbers)
    # In an error message these come in their order, and "auto" reads best behind the rest.
    if allowed.choices:
        found.append(StrOptions(set(allowed.choices)))
    if allowed.or_none:
        found.append(None)
    return found


@dataclass_transform(kw_only_default=True, eq_default=False, field_specifiers=(field,))
def estimator(**more: str) -> Callable[[T], T]:
    """Give a class the constructor, the checks and the docstring that follow from its fields.

    scikit-learn wants each parameter in the signature of an `__init__` that only keeps it: a
    dataclass. A field that only has another default is otherwise as the base declares it. `more`
    adds sentences to what the docstring says of a parameter.
    """

    def make(cls: T) -> T:
        made: Any = dataclass(cls, kw_only=True, eq=False, repr=False, match_args=False)
        declared = _declared(made)
        made._parameter_constraints = {
            name: constraints(one["allowed"]) for name, one in declared.items()
        }
        parameters = {
            name: (
                f"{one['allowed']}, default={literal(getattr(made, name))}",
                f"{one['text']} {more.get(name, '')}".rstrip(),
            )
            for name, one in declared.items()
        }
        texts = {**made._texts, "parameters": _section(parameters)}
        for name, text in texts.items():
            made.__doc__ = (made.__doc__ or "").replace("{" + name + "}", text)
        return made  # type: ignore[no-any-return]

    return make


def _declared(cls: type) -> dict[str, Mapping[str, Any]]:
    """Return what is declared of each parameter: the first, then those of this class, then others.

    In a signature the bases' parameters come first, but a reader looks for the method's own.
    """
    found: dict[str, Mapping[str, Any]] = {}
    depth: dict[str, int] = {}
    for number, base in enumerate(filter(is_dataclass, reversed(cls.__mro__))):
        for one in fields(base):
            depth.setdefault(one.name, number)
            if one.metadata:
                found[one.name] = one.metadata
    first, *others = depth
    order = (first, *sorted(others, key=lambda name: -depth[name]))
    return {name: found[name] for name in order if name in found}


def _section(entries: dict[str, tuple[str, str]]) -> str:
    """Return a numpydoc section of names with their types and texts, for a class's docstring."""
    blocks = []
    for name, (kind, text) in entries.items():
        filled = textwrap.fill(text, 91, break_on_hyphens=False)
        blocks.append(f"{name} : {kind}\n{textwrap.indent(filled, '    ')}")
    # The first line follows the indent that stands in the docstring.
    return textwrap.indent("\n".join(blocks), "    ").lstrip()


def literal(value: object) -> str:
    """Return a value as the documentation writes it."""
    return f'"{value}"' if isinstance(value, str) else repr(value)


# -- what all selectors are ---------------------------------------------------------------------

# Of parameters that many have: the values and the text.
RANDOM_STATE = (
    Special("int, RandomState or None", ("random_state",)),
    "Seed of all that is random. The same seed, data and number of threads give the same "
    "selection.",
)
# Any number may pass, because the upper bound depends on X.
N_FEATURES = Special("int, float or None", (Interval(Real, None, None, closed="neither"), None))
# Numbers that the data decide on.
AUTO, BEST = "auto", "best"
_N_OR_NAME = Special(
    'int, float, "auto", "best" or None', (*N_FEATURES.constraints, StrOptions({AUTO, BEST}))
)
DEVICE = Special("str or torch.device", (str, torch.device))
VERBOSE = Special("int", ("verbose",))

_SCALES = f"scale={' or '.join(map(repr, SCALES))}"


@dataclass(frozen=True, eq=False)
class About:
    """What a caller knows of the samples besides X and y."""

    weights: NDArray[np.float32] | None = None  # how often each counts
    # samples of one group are never on both sides of a split
    groups: NDArray[np.intp] | None = None
    # the place of each in time: those that are learned from come before those tested on
    order: NDArray[np.intp] | None = None

    @classmethod
    def known(
        cls,
        n_samples: int,
        sample_weight: ArrayLike | None = None,
        groups: ArrayLike | None = None,
        order: ArrayLike | None = None,
    ) -> Self:
        """Return what a caller of `fit` gave, or refuse it."""
        weights = check_weights(sample_weight, n_samples)
        if weights is not None:
            warn_of_light(weights)
        if groups is None and order is None:
            return cls(weights)
        from entryprune.selectors._folds import number_groups, rank_order

        return cls(
            weights,
            None if groups is None else number_groups(groups, n_samples),
            None if order is None else rank_order(order, n_samples),
        )

    def of(self, samples: NDArray[np.intp]) -> About:
        """Return the same of some samples, whose groups are numbered from 0 again."""
        groups = None if self.groups is None else self.groups[samples]
        return About(
            None if self.weights is None else self.weights[samples],
            None if groups is None else np.unique(groups, return_inverse=True)[1].reshape(-1),
            None if self.order is None else self.order[samples],
        )


NOTHING = About()


@dataclass(frozen=True)
class Rehearsal:
    """A selection on some of the samples."""

    # what is counted by K, best first: features, or groups of them
    order: NDArray[np.intp]
    # returns the columns of these, in their order, for any samples, and how many each has
    read: Callable[[Any], tuple[NDArray[Any], list[int]]]
    # who to ask next: it leaves out what found nothing in these samples
    successor: Selector


def quantities(y: NDArray[Any]) -> NDArray[np.float32]:
    """Return numbers of ordinary size, a column for each output."""
    values = y.reshape(len(y), -1).astype(np.float64)
    size = np.abs(values).max()
    values = values / size if size > 0 else values
    values -= values.mean(axis=0)
    spread = values.std(axis=0)
    scaled: NDArray[np.float32] = (values / np.where(spread > 0, spread, 1.0)).astype(np.float32)
    return scaled


@estimator()
class Selector(SelectorMixin, BaseEstimator, metaclass=ABCMeta):
    """A selector whose parameters are declared as fields."""

    # What a docstring may name in braces, besides its parameters.
    _texts: ClassVar[dict[str, str]] = {}
    # What `n_features_to_select=None` selects, and which words it may be.
    _none_means: ClassVar[str] = "half of the features"
    _or_named: ClassVar[str] = ", 'auto', 'best'"

    n_features_to_select: float | str | None = field(
        default=None,
        kw_only=False,
        metadata={
            "allowed": _N_OR_NAME,
            "text": "How many features to select: a number, a share of all features, or None for "
            'half of them. "auto" takes as few as do as well as any number up to 100, to within '
            'one standard error, "best" the number that does best; see `k_curve_`.',
        },
    )

    @abstractmethod
    def _fit(self, X: ArrayLike, y: ArrayLike, about: About) -> None:
        """Validate, select, and keep what was found, `support_` among it."""

    def _check(self, X: ArrayLike, y: ArrayLike) -> tuple[NDArray[Any], NDArray[Any]]:
        """Validate X and y together."""
        table, target = check_table(self, X, y, reset=True, ensure_min_samples=2)
        return table, target

    def _has_classes(self, y: NDArray[Any]) -> bool:
        """Say whether the target, which is valid, holds classes."""
        return bool(type_of_target(y, input_name="y") != "continuous")

    def _can_learn(self, y: NDArray[Any]) -> bool:
        """Say whether some of the samples, with this part of a valid target, can be selected by."""
        is_of_one = y.ndim == 1 and self._has_classes(y) and len(np.unique(y)) < 2
        return len(y) > 1 and not is_of_one

    def _choose(self, X: ArrayLike, y: ArrayLike, about: About = NOTHING) -> NDArray[np.intp]:
        """Return what a fit selects, best first, for callers who want nothing else of it."""
        indices: NDArray[np.intp] = self._fit_all(X, y, about).selected_indices_
        return indices

    def _rehearse(self, X: ArrayLike, y: ArrayLike, about: About) -> Rehearsal:
        """Do the same on some of the samples, for callers who go on to try it on others."""
        found = self._choose(X, y, about)
        return Rehearsal(found, lambda table: (table[:, found], [1] * len(found)), self)

    def _look_at(
        self, X: ArrayLike, y: ArrayLike, about: About
    ) -> tuple[Any, NDArray[Any], int, About]:
        """Return a valid table and target, how many may be selected, and what is known of both.

        For a copy that is then fitted on parts of these, and may be told so in its parameters.
        """
        table, target = self._check(X, y)
        check_finite(table, getattr(self, "feature_names_in_", None))
        return table, target, table.shape[1], about

    def _weights(
        self, target: NDArray[Any], weights: NDArray[np.float32] | None
    ) -> NDArray[np.float32] | None:
        """Return how often each sample counts, given its own weight."""
        del target
        return weights

    def _target_values(self, y: NDArray[Any], about: About) -> NDArray[np.float32]:
        """Return what there is to explain of a valid target, samples by directions."""
        del about
        if self._has_classes(y):
            _, numbers = number_classes(y)
            return np.eye(numbers.max() + 1, dtype=np.float32)[numbers]
        return quantities(y)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.required = True
        tags.input_tags.sparse = False
        tags.input_tags.allow_nan = False
        return tags

    @_fit_context(prefer_skip_nested_validation=True)
    def fit(
        self,
        X: ArrayLike,
        y: ArrayLike,
        *,
        groups: ArrayLike | None = None,
        order: ArrayLike | None = None,
    ) -> Self:
        """Select features.

        Parameters
        ----------
        X : array or table of shape (n_samples, n_features)
            The features: numbers without missing values. Never written.
        y : array of shape (n_samples,)
            The target. A regressor of EntryPrune takes several columns too.
        groups, order : array of shape (n_samples,), optional
            Which samples belong together, and when each was. How many features there are to be
            ("auto", "best") follows them, and nothing else.

        Returns
        -------
        self : object
            The fitted selector. If the fit fails or is interrupted, it is left as it was.
        """
        n_samples = 0 if groups is None and order is None else _num_samples(X)
        return self._fit_all(X, y, About.known(n_samples, groups=groups, order=order))

    def _fit_all(self, X: ArrayLike, y: ArrayLike, about: About) -> Self:
        """Fit, and leave everything as it was if that fails."""
        before = dict(self.__dict__)
        self.__dict__.pop("k_curve_", None)
        try:
            if not isinstance(self.n_features_to_select, str):
                self._fit(X, y, about)
            else:
                self._fit_as_many_as_help(X, y, about)
        except BaseException as error:
            self.__dict__.clear()
            self.__dict__.update(before)
            # What parameters can cure comes out with the parameters' names.
            if isinstance(error, DivergedError):
                error.remedy = f"Lower learning_rate_init, or scale the data ({_SCALES})."
            elif isinstance(error, TooLargeError):
                error.remedy = f"Scale the data: {_SCALES}."
            raise
        return self

    def _fit_as_many_as_help(self, X: ArrayLike, y: ArrayLike, about: About) -> None:
        """Fit with the number of features that the data decide on."""
        from entryprune.selectors._how_many import score_by_size, up_to

        self.k_curve_ = score_by_size(self, X, y, about)
        try:
            self._fit(X, y, about)
        except ValueError as error:
            few = found_too_few(error)
            if not few:
                raise
            # In the folds there were more to be found.
            self.k_curve_ = up_to(self.k_curve_, len(few))
            self._fit(X, y, about)

    def transform(self, X: ArrayLike) -> Any:
        """Reduce X to the selected features.

        Parameters
        ----------
        X : array or table of shape (n_samples, n_features)
            Samples with the features of the fit.

        Returns
        -------
        array or table of shape (n_samples, n_selected)
            The selected columns, in their order in X. A table of pandas, polars or Arrow, a tensor
            of torch and a sparse matrix stay what they are, with the types of their columns; with
            `set_output` it is what that asks for, and tables keep these types, too.
        """
        refuse_masked(X, "X")
        asked = _get_output_config("transform", self)["dense"]
        if is_frame(X) or (asked == "default" and isinstance(X, torch.Tensor)):
            check_is_fitted(self)
            validate_data(self, X, reset=False, skip_check_array=True)
            found = take_columns(X, np.flatnonzero(self.get_support()))
            # scikit-learn knows frames of the kind that is asked for, and polars knows all.
            return found.to_pandas() if asked == "pandas" and hasattr(found, "to_pandas") else found
        return super().transform(X)

    def _get_support_mask(self) -> Any:
        check_is_fitted(self)
        return self.support_

    def _n_selected(self, n_features: int) -> int:
        """Return how many of `n_features` features are asked for."""
        asked: Any = self.n_features_to_select
        if asked is None:
            return max(1, n_features // 2)
        if isinstance(asked, str):
            from entryprune.selectors._how_many import best_size, parsimonious_size

            return (best_size if asked == BEST else parsimonious_size)(self.k_curve_)
        if isinstance(asked, Integral):
            if 1 <= int(asked) <= n_features:
                return int(asked)
        elif 0 < asked <= 1:
            return max(1, int(asked * n_features))
        raise ValueError(
            f"n_features_to_select must be a whole number from 1 to {n_features} (the number of "
            f"features in X), a fraction in (0, 1]{self._or_named}, or None for "
            f"{self._none_means}; got {asked!r}."
        )


def found_too_few(error: ValueError) -> tuple[int, ...] | None:
    """Return the features, best first, of a method that refuses because they are too few.

    None for any other error.
    """
    return getattr(error, "found", ()) if getattr(error, "reason", None) == "too_few" else None


def make_rng(random_state: int | np.random.RandomState | None) -> np.random.Generator:
    """Return a generator of our own; numpy's global one is neither read nor changed."""
    if isinstance(random_state, np.random.RandomState):
        return np.random.default_rng(random_state.randint(2**31 - 1, size=4))
    return np.random.default_rng(random_state)


def resolve_device(device: str | torch.device) -> torch.device:
    """Return the device that is meant, or say why it cannot be used."""
    if isinstance(device, str) and device == "auto":
        return torch.device("cuda" if torch.cuda.is_available() else "cpu")
    try:
        resolved = torch.device(device)
        torch.empty(0, device=resolved)
    except (RuntimeError, AssertionError) as error:
        raise ValueError(
            f"device={device!r} cannot be used here: {error}. Take 'auto' or 'cpu'."
        ) from error
    return resolved
