"""What the two estimators share: validate, call the engine once, keep the results."""

from __future__ import annotations

import copy
import dataclasses
import warnings
from abc import ABCMeta, abstractmethod
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from typing import Any, ClassVar, Self, get_type_hints

import numpy as np
import torch
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator, _fit_context
from sklearn.exceptions import ConvergenceWarning
from sklearn.feature_selection import SelectorMixin
from sklearn.utils._param_validation import StrOptions
from sklearn.utils.validation import check_is_fitted

from entryprune.engine import ColumnSource, Interaction, Problem, Record, Selection, select
from entryprune.selectors._columns import column_source, random_order
from entryprune.selectors._inputs import check_finite, check_table
from entryprune.selectors._parameters import (
    N_FEATURES_TO_SELECT,
    all_or_nothing,
    make_rng,
    resolve_device,
    resolve_n_selected,
)
from entryprune.selectors._presets import PRESETS, TUNABLES, engine_settings, resolve
from entryprune.selectors._progress import ProgressLine


@dataclasses.dataclass(frozen=True)
class Targets:
    """The targets as the engine wants them."""

    values: NDArray[Any]
    n_outputs: int
    classes: NDArray[np.intp] | None = None


class NothingLearnedWarning(UserWarning):
    """A fit that found nothing better than guessing."""


class BaseEntryPrune(SelectorMixin, BaseEstimator, metaclass=ABCMeta):
    """Selector and predictor; the subclasses know what the targets mean."""

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "n_features_to_select": N_FEATURES_TO_SELECT,
        "preset": [StrOptions(set(PRESETS))],
        **{name: tunable.constraints for name, tunable in TUNABLES.items()},
        "body": [torch.nn.Module, None],
        "device": [str, torch.device],
        "random_state": ["random_state"],
        "verbose": ["verbose"],
        "callback": [callable, None],
    }

    def __init__(
        self,
        n_features_to_select: float | None = None,
        *,
        preset: str = "exchange",
        interactions: bool | str = "auto",
        max_exchanges: int | str = "auto",
        candidate_ratio: float | str = "auto",
        batches_per_rotation: int | str = "auto",
        flex: bool | str = "auto",
        change_metric: str = "auto",
        entry_scores: bool | str = "auto",
        regrowth: str = "auto",
        reset_optimizer: bool | str = "auto",
        hidden_layer_sizes: int | tuple[int, ...] | str = "auto",
        activation: str = "auto",
        body: torch.nn.Module | None = None,
        loss: str | Callable[[torch.Tensor, torch.Tensor], torch.Tensor] = "auto",
        learning_rate_init: float | str = "auto",
        batch_size: int | str = "auto",
        stopping: str = "auto",
        patience: int | str = "auto",
        max_rotations: int | str | None = "auto",
        max_epochs: int | str | None = "auto",
        validation_fraction: float | str = "auto",
        refit: bool | str = "auto",
        scale: str | None = "auto",
        device: str | torch.device = "auto",
        random_state: int | np.random.RandomState | None = None,
        verbose: int = 0,
        callback: Callable[[Record], object] | None = None,
    ) -> None:
        self.n_features_to_select = n_features_to_select
        self.preset = preset
        self.interactions = interactions
        self.max_exchanges = max_exchanges
        self.candidate_ratio = candidate_ratio
        self.batches_per_rotation = batches_per_rotation
        self.flex = flex
        self.change_metric = change_metric
        self.entry_scores = entry_scores
        self.regrowth = regrowth
        self.reset_optimizer = reset_optimizer
        self.hidden_layer_sizes = hidden_layer_sizes
        self.activation = activation
        self.body = body
        self.loss = loss
        self.learning_rate_init = learning_rate_init
        self.batch_size = batch_size
        self.stopping = stopping
        self.patience = patience
        self.max_rotations = max_rotations
        self.max_epochs = max_epochs
        self.validation_fraction = validation_fraction
        self.refit = refit
        self.scale = scale
        self.device = device
        self.random_state = random_state
        self.verbose = verbose
        self.callback = callback

    # -- what the subclasses know ---------------------------------------------------------------

    @abstractmethod
    def _check(self, X: ArrayLike, y: ArrayLike) -> tuple[NDArray[Any], NDArray[Any]]:
        """Validate X and y together."""

    @abstractmethod
    def _encode(self, y: NDArray[Any]) -> Targets:
        """Turn y into targets, and remember how to turn outputs back."""

    @property
    @abstractmethod
    def _auto_loss(self) -> str:
        """The loss that "auto" means."""

    # -- scikit-learn ---------------------------------------------------------------------------

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.required = True
        tags.input_tags.sparse = False
        tags.input_tags.allow_nan = False
        return tags

    @_fit_context(prefer_skip_nested_validation=True)
    def fit(self, X: ArrayLike, y: ArrayLike) -> Self:
        """Select features and train a network on them.

        Parameters
        ----------
        X : array or table of shape (n_samples, n_features)
            The features: numbers without missing values. Never written.
        y : array of shape (n_samples,) or (n_samples, n_outputs)
            The target.

        Returns
        -------
        self : object
            The fitted estimator. If the fit fails or is interrupted, it is left as it was.
        """
        with all_or_nothing(self):
            self._fit(X, y)
        return self

    def _get_support_mask(self) -> NDArray[np.bool_]:
        check_is_fitted(self)
        return self.support_

    # -- fit, step by step ----------------------------------------------------------------------

    def _fit(self, X: ArrayLike, y: ArrayLike) -> None:
        table, target = self._check(X, y)
        check_finite(table, getattr(self, "feature_names_in_", None))
        targets = self._encode(target)
        settings = self._resolve_settings(*table.shape)
        rng = make_rng(self.random_state)
        order, n_validation = random_order(
            len(table), settings.get("validation_fraction", 0.0), rng, targets.classes
        )
        device = resolve_device(self.device)
        source = column_source(table, order, scale=settings["scale"], device=device)
        problem = Problem(
            source,
            torch.from_numpy(targets.values[order]).to(device),
            n_outputs=targets.n_outputs,
            n_validation=n_validation,
        )
        with ExitStack() as stack:
            callback = self._callback(stack, settings["n_features_to_select"])
            selection = select(
                problem,
                engine_settings(
                    PRESETS[self.preset].algorithm, settings["n_features_to_select"], settings
                ),
                seed=int(rng.integers(2**62)),
                callback=callback,
            )
        self._keep(selection, settings, source)
        self._warn_if_cut_off(settings)
        self._warn_if_nothing_learned(selection)

    def _resolve_settings(self, n_cases: int, n_features: int) -> dict[str, Any]:
        n_selected = resolve_n_selected(self.n_features_to_select, n_features)
        explicit = {name: getattr(self, name) for name in TUNABLES}
        settings = resolve(
            self.preset, explicit, n_cases=n_cases, n_features=n_features, n_selected=n_selected
        )
        if any(size < 1 for size in settings["hidden_layer_sizes"]):
            raise ValueError(
                f"hidden_layer_sizes must be positive integers, got {self.hidden_layer_sizes!r}."
            )
        if self.body is not None and not settings["hidden_layer_sizes"]:
            raise ValueError(
                "body needs a first layer to follow: give its width in hidden_layer_sizes."
            )
        settings["n_features_to_select"] = n_selected
        settings["body"] = self.body
        settings["loss"] = self._auto_loss if self.loss == "auto" else self.loss
        return settings

    def _callback(self, stack: ExitStack, n_selected: int) -> Callable[[Record], object] | None:
        if not self.verbose:
            return self.callback
        line = stack.enter_context(ProgressLine(n_selected))
        users_own = self.callback

        def show_and_ask(record: Record) -> object:
            line.show(record)
            return None if users_own is None else users_own(record)

        return show_and_ask

    def _keep(self, selection: Selection, settings: dict[str, Any], source: ColumnSource) -> None:
        n_features = source.n_columns
        chosen = selection.chosen.features.numpy()
        self.selected_indices_ = chosen
        self.first_selected_indices_ = selection.first_chosen.features.numpy()
        self.support_ = np.zeros(n_features, dtype=bool)
        self.support_[chosen] = True
        self.entry_scores_ = np.full(n_features, np.nan)
        self.entry_scores_[chosen] = selection.chosen.scores.numpy()
        self.scores_ = (
            self.entry_scores_.copy() if selection.scores is None else selection.scores.numpy()
        )
        ranked = chosen if selection.ranked is None else selection.ranked.numpy()
        self.ranking_ = np.full(n_features, len(chosen) + 1)
        self.ranking_[ranked] = np.arange(1, len(ranked) + 1)
        self.interactions_ = _as_arrays(Interaction, selection.interactions)
        self.pairs_searched_ = selection.pairs_searched
        self.history_ = _as_arrays(Record, selection.history)
        self.n_rotations_ = selection.n_rotations
        self.stop_reason_ = selection.stop_reason
        self.settings_ = settings
        self.network_ = selection.network
        scaling = source.scaling(torch.from_numpy(np.flatnonzero(self.support_)))
        self._shift, self._factor = scaling.shift.numpy(), scaling.factor.numpy()

    # The fifth caller back, behind `fit` and scikit-learn's wrapper of it, is the user's line.

    def _warn_if_cut_off(self, settings: dict[str, Any]) -> None:
        if self.stop_reason_ in ("max_rotations", "max_epochs"):
            bound = settings[self.stop_reason_]
            warnings.warn(
                f"The search was cut off at {self.stop_reason_}={bound} before the stopping rule "
                f"{settings['stopping']!r} was met, so the selection may not have settled. Raise "
                f"{self.stop_reason_} or lower patience.",
                ConvergenceWarning,
                stacklevel=5,
            )

    def _warn_if_nothing_learned(self, selection: Selection) -> None:
        if selection.learned is False:
            warnings.warn(
                "Nothing was learned: what half of the samples would select does not predict the "
                "other half better than guessing, so the selected features may be as good as any. "
                "Check the target, bring more samples, or leave columns out that cannot matter.",
                NothingLearnedWarning,
                stacklevel=5,
            )

    # -- prediction -----------------------------------------------------------------------------

    def _outputs(self, X: ArrayLike) -> torch.Tensor:
        """Return the network's outputs for each sample."""
        check_is_fitted(self)
        table = check_table(self, X, reset=False)
        check_finite(table, getattr(self, "feature_names_in_", None))
        scaled = (table[:, self.support_].astype(np.float64) - self._shift) * self._factor
        inputs, network = torch.from_numpy(scaled), self.network_
        if self.settings_["body"] is None:
            # In single precision a sample's prediction would depend on the samples beside it.
            network = copy.deepcopy(network).double()
        else:
            inputs = inputs.float()
        with torch.no_grad():
            outputs: torch.Tensor = network(inputs)
        return outputs


def _as_arrays(kind: type, entries: Sequence[Any]) -> dict[str, NDArray[Any]]:
    """Turn entries of one dataclass into an array for each field."""
    hints = {int: np.int64, float: np.float64, str: np.str_}
    types = get_type_hints(kind)
    return {
        one.name: np.array(
            [getattr(entry, one.name) for entry in entries],
            dtype=None if entries else hints[types[one.name]],
        )
        for one in dataclasses.fields(kind)
    }
