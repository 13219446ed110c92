"""What the two estimators share: validate, call the engine once, keep the results."""

from __future__ import annotations

import copy
import dataclasses
import warnings
from abc import abstractmethod
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from typing import Any, ClassVar, get_type_hints

import numpy as np
import torch
from numpy.typing import ArrayLike, NDArray
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils.validation import check_is_fitted

from entryprune.engine import (
    ColumnSource,
    ExchangeSettings,
    Interaction,
    Problem,
    Record,
    Selection,
    select,
)
from entryprune.engine.exchange import choose_by_exchange
from entryprune.engine.exchange.seating import Seating
from entryprune.engine.losses import LossFunction
from entryprune.engine.settings import one_of, setting
from entryprune.selectors._columns import column_source, random_order
from entryprune.selectors._how_many import is_clear
from entryprune.selectors._inputs import check_finite, check_table
from entryprune.selectors._presets import PRESETS, TUNABLES, engine_settings, resolve, tunable
from entryprune.selectors._progress import ProgressLine
from entryprune.selectors._selector import (
    DEVICE,
    RANDOM_STATE,
    VERBOSE,
    Selector,
    Special,
    estimator,
    make_rng,
    resolve_device,
)


@dataclasses.dataclass(frozen=True)
class Targets:
    """The targets as the engine wants them."""

    values: NDArray[Any]
    n_outputs: int
    classes: NDArray[np.intp] | None = None


NOTHING_LEARNED = (
    "Nothing was learned: what half of the samples would select does not predict the other half "
    "better than guessing, so the selected features may be as good as any. Check the target, bring "
    "more samples, or leave out features that cannot matter."
)


class NothingLearnedWarning(UserWarning):
    """A fit that found nothing better than guessing."""


_SUMMARY = """Features take their seats in a small input layer one after the other, each judged by
    its first impression: how much it promises to explain of what those seated leave unexplained.
    Pairs that matter only together are looked for, and seats that would hardly be missed are
    exchanged. With ``preset="paper"`` it is EntryPrune as published: a dense network sees a small,
    rotating part of the features, and those stay that change it most when they enter."""

_ATTRIBUTES = """support_ : ndarray of bool of shape (n_features_in_,)
        Which features are selected.
    selected_indices_ : ndarray of int of shape (n_selected,)
        The selected features, best first.
    entry_scores_ : ndarray of float of shape (n_features_in_,)
        The score that each selected feature was seated with, NaN for the others.
    scores_ : ndarray of float of shape (n_features_in_,)
        What each feature brings beside the other selected ones: by how much the log evidence per
        sample falls without it or, for one that is not selected, would rise at first with it. With
        preset "paper" the entry scores.
    ranking_ : ndarray of int of shape (n_features_in_,)
        1 for the best feature, up to K for the last selected one. The first features of it are
        what a smaller K would have selected, unless seats were exchanged or given to pairs (see
        "phase" in `history_`). Those not selected follow in the order of their scores;
        with preset "paper" they all have the rank K + 1.
    interactions_ : dict of ndarray
        Pairs of features that matter together: "first" and "second" are feature numbers,
        "strength" is in standard deviations, "p_value" is corrected for the number of pairs.
        Empty with preset "paper". Fits into a pandas DataFrame.
    pairs_searched_ : float
        Which share of all pairs of features was looked at for `interactions_`: 1 if all; less
        where that would take too long; 0 where samples are too few to tell, or with preset "paper".
    learned_ : bool
        False where a `NothingLearnedWarning` was given; True with preset "paper", which does not
        check it.
    k_curve_ : dict of ndarray
        Only with `n_features_to_select` "auto" or "best": for each number of features "k" that was
        tried, the "score", which is the share of the target's variance explained in samples that
        were left out (for classes: of their indicators), its "standard_error", by how much it is
        "behind" the best, and the "behind_error" of that. Fits into a pandas DataFrame.
    first_selected_indices_ : ndarray of int of shape (n_selected,)
        What the first training selected, best first; differs where `refit` trained again.
    history_ : dict of ndarray
        One entry per rotation, seat or exchange: see `entryprune.engine.Record`. Fits
        into a pandas DataFrame.
    n_rotations_ : int
        Rotations that led to the selection; seats and exchanges with preset "exchange".
    stop_reason_ : str
        "done" or "callback"; with preset "paper" also "validation", "ident", "epochs",
        "max_rotations" or "max_epochs".
    settings_ : dict
        The value that was used for every setting.
    network_ : torch.nn.Module
        The network behind `predict`: takes the scaled selected features in column order.
    n_features_in_ : int
        Number of features seen during fit.
    feature_names_in_ : ndarray of str of shape (n_features_in_,)
        Names of the features, if X had names that are all strings."""


@estimator()
class BaseEntryPrune(Selector):
    """Selector and predictor; the subclasses know what the targets mean."""

    _texts: ClassVar[dict[str, str]] = {"summary": _SUMMARY, "attributes": _ATTRIBUTES}

    preset: str = setting(
        "exchange",
        one_of(PRESETS),
        'The algorithm. "exchange" is growth and exchange, which is faster and selects better on '
        'nearly all tables. "paper" is EntryPrune as it was published, with the settings of the '
        "published experiments. The preset decides which of the parameters below play a part and "
        'what "auto" means for them; what was used is in `settings_`.',
    )
    interactions: bool | str = tunable("interactions")
    max_exchanges: int | str = tunable("max_exchanges")
    candidate_ratio: float | str = tunable("candidate_ratio")
    batches_per_rotation: int | str = tunable("batches_per_rotation")
    flex: bool | str = tunable("flex")
    change_metric: str = tunable("change_metric")
    entry_scores: bool | str = tunable("entry_scores")
    regrowth: str = tunable("regrowth")
    reset_optimizer: bool | str = tunable("reset_optimizer")
    hidden_layer_sizes: int | tuple[int, ...] | str = tunable("hidden_layer_sizes")
    activation: str = tunable("activation")
    body: torch.nn.Module | None = setting(
        None,
        Special("torch.nn.Module or None", (torch.nn.Module, None)),
        "Your own network in place of everything after the first layer. It receives the first "
        "layer's outputs, as many as the first of `hidden_layer_sizes`, before any activation. "
        "It is copied, and the weights it comes with are the start of each training.",
    )
    loss: str | LossFunction = "auto"  # which losses there are, the subclasses say
    learning_rate_init: float | str = tunable("learning_rate_init")
    batch_size: int | str = tunable("batch_size")
    stopping: str = tunable("stopping")
    patience: int | str = tunable("patience")
    max_rotations: int | str | None = tunable("max_rotations")
    max_epochs: int | str | None = tunable("max_epochs")
    validation_fraction: float | str = tunable("validation_fraction")
    refit: bool | str = tunable("refit")
    scale: str | None = tunable("scale")
    device: str | torch.device = setting(
        "auto",
        DEVICE,
        'Where to train. "auto" is a CUDA device if there is one, else the CPU. The fitted '
        "estimator predicts on the CPU and can be loaded anywhere.",
    )
    random_state: int | np.random.RandomState | None = setting(None, *RANDOM_STATE)
    verbose: int = setting(0, VERBOSE, "1 shows a live line with the progress.")
    callback: Callable[[Record], object] | None = setting(
        None,
        Special("callable or None", (callable, None)),
        "Called with an `entryprune.engine.Record` after each rotation, seat or "
        "exchange; anything true ends the fit with what is known by then.",
    )

    # -- what the subclasses know ---------------------------------------------------------------

    @abstractmethod
    def _encode(self, y: NDArray[Any]) -> Targets:
        """Turn y into targets, and remember how to turn outputs back."""

    @property
    @abstractmethod
    def _auto_loss(self) -> str:
        """The loss that "auto" means."""

    # -- fit, step by step ----------------------------------------------------------------------

    def _fit(self, X: ArrayLike, y: ArrayLike) -> None:
        problem, settings, seed = self._prepare(X, y)
        with ExitStack() as stack:
            callback = self._callback(stack, settings["n_features_to_select"])
            selection = select(
                problem,
                engine_settings(
                    PRESETS[self.preset].algorithm, settings["n_features_to_select"], settings
                ),
                seed=seed,
                callback=callback,
            )
        self._keep(selection, settings, problem.source)
        self._warn_if_cut_off(settings)
        self._warn_if_nothing_learned()

    def _choose(self, X: ArrayLike, y: ArrayLike) -> NDArray[np.intp]:
        if PRESETS[self.preset].algorithm is not ExchangeSettings:
            return super()._choose(X, y)
        return np.array(self._seated(X, y).order, dtype=np.intp)

    def _rehearse(self, X: ArrayLike, y: ArrayLike) -> tuple[NDArray[np.intp], Selector]:
        if PRESETS[self.preset].algorithm is not ExchangeSettings:
            return super()._rehearse(X, y)
        one = copy.copy(self)
        one.max_exchanges = 0  # the first of them are then what a smaller number would be
        seating = one._seated(X, y)
        if not seating.pairs:
            one.interactions = False
        return np.array(seating.order, dtype=np.intp), one

    def _seated(self, X: ArrayLike, y: ArrayLike) -> Seating:
        problem, settings, seed = self._prepare(X, y)
        asked = engine_settings(ExchangeSettings, settings["n_features_to_select"], settings)
        return choose_by_exchange(problem, asked, seed=seed)

    def _prepare(self, X: ArrayLike, y: ArrayLike) -> tuple[Problem, dict[str, Any], int]:
        """Return the data as the engine wants them, every setting, and a seed."""
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
        return problem, settings, int(rng.integers(2**62))

    def _resolve_settings(self, n_cases: int, n_features: int) -> dict[str, Any]:
        n_selected = self._n_selected(n_features)
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
        self.learned_ = selection.learned is not False or (
            hasattr(self, "k_curve_") and is_clear(self.k_curve_)
        )
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

    def _warn_if_nothing_learned(self) -> None:
        if not self.learned_:
            warnings.warn(NOTHING_LEARNED, NothingLearnedWarning, stacklevel=5)

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
