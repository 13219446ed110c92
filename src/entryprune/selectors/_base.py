"""What the two estimators share: validate, call the engine once, keep the results."""

from __future__ import annotations

import copy
import dataclasses
import warnings
from abc import abstractmethod
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from functools import partial
from numbers import Integral
from typing import Any, ClassVar, Self, get_type_hints

import numpy as np
import torch
from numpy.typing import ArrayLike, NDArray
from scipy import sparse
from sklearn.base import ClassifierMixin, _fit_context
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import _safe_indexing
from sklearn.utils.validation import _num_samples, check_is_fitted, validate_data

from entryprune._text import some_of
from entryprune.encoding import Encoded, Encoder
from entryprune.engine import (
    ExchangeSettings,
    Interaction,
    Problem,
    Record,
    Selection,
    Settings,
    select,
)
from entryprune.engine.exchange import choose_by_exchange
from entryprune.engine.exchange.search import responses_of
from entryprune.engine.exchange.seating import Seating
from entryprune.engine.losses import LossFunction
from entryprune.engine.settings import Allowed, one_of, setting
from entryprune.selectors._columns import (
    column_source,
    grouped_order,
    latest_first,
    random_order,
)
from entryprune.selectors._inputs import check_finite, check_table, refuse_masked
from entryprune.selectors._intake import (
    BARRED,
    Intake,
    by_number,
    costs_of_units,
    is_mixed,
    number_features,
    units_of,
)
from entryprune.selectors._presets import PRESETS, TUNABLES, engine_settings, resolve, tunable
from entryprune.selectors._progress import ProgressLine
from entryprune.selectors._selector import (
    DEVICE,
    NOTHING,
    RANDOM_STATE,
    VERBOSE,
    About,
    Rehearsal,
    Selector,
    Special,
    estimator,
    make_rng,
    quantities,
    resolve_device,
)


@dataclasses.dataclass(frozen=True)
class Targets:
    """The targets as the engine wants them."""

    values: NDArray[Any]
    n_outputs: int
    loss: str
    # Of each sample, if samples are to be shared out by them.
    classes: NDArray[np.intp] | None = None


@dataclasses.dataclass(frozen=True)
class Prepared:
    """The data as the engine wants them, and where they come from."""

    problem: Problem
    settings: dict[str, Any]
    algorithm: type[Settings] | type[ExchangeSettings]
    seed: int
    intake: Intake

    @property
    def asked(self) -> Any:
        """What the engine is asked to do."""
        settings = dict(self.settings)
        if settings.get("costs") is not None:
            settings["costs"] = torch.from_numpy(settings["costs"])
        return engine_settings(self.algorithm, settings["n_features_to_select"], settings)


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
    missing: str = setting(
        "error",
        one_of(("error", "impute")),
        'What becomes of missing values (NaN, None): "error" refuses them, "impute" fills in the '
        "median, or the most frequent level, of the samples in fit; where a feature has gaps then, "
        "that a value is missing counts as part of it. Infinite values are refused.",
    )
    max_levels: int = setting(
        20,
        Allowed(int, low=2, closed="left"),
        "Most levels of a categorical feature: of more, the most frequent are kept and the others "
        'become one, "other".',
    )
    feature_groups: Any = setting(
        None,
        Special("list, dict or None", (list, tuple, dict, None)),
        "Features that are selected together or not at all: lists of their names or numbers, or a "
        "dict of such lists. `n_features_to_select` then counts groups; a feature that is in none "
        "is one of its own.",
    )
    keep: Any = setting(
        None,
        Special("list or None", (list, tuple, np.ndarray, str, Integral, None)),
        "Features, by name or number, that are selected whatever they bring; they count among "
        "`n_features_to_select`.",
    )
    bar: Any = setting(
        None,
        Special("list or None", (list, tuple, np.ndarray, str, Integral, None)),
        "Features, by name or number, that are not selected whatever they bring.",
    )
    costs: Any = setting(
        None,
        Special("dict, array or None", (dict, "array-like", None)),
        "What each feature costs: a number for each, or a dict by name or number in which those "
        "not named cost 1. Features are judged by what they bring for their cost.",
    )
    budget: float | None = setting(
        None,
        Allowed(float, low=0, or_none=True),
        "The most that all selected features may cost together; with `n_features_to_select` None "
        "as many are selected as can be paid.",
    )
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
    def _encode(self, y: NDArray[Any], weights: NDArray[np.float32] | None) -> Targets:
        """Turn y into targets, and remember how to turn outputs back."""

    def _admit(self, y: Any) -> Any:
        """Return y, or refuse what would be taken for something else."""
        fields_ = getattr(getattr(y, "dtype", None), "names", None)
        if fields_:
            raise ValueError(
                f"y has the fields {', '.join(map(repr, fields_))}, as survival times have. Take "
                f"EntryPruneSurvival for them, or give one of the fields alone."
            )
        return y

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.input_tags.categorical = True
        tags.input_tags.allow_nan = self.missing == "impute"
        return tags

    # -- fit, step by step ----------------------------------------------------------------------

    @_fit_context(prefer_skip_nested_validation=True)
    def fit(
        self,
        X: ArrayLike,
        y: ArrayLike,
        sample_weight: ArrayLike | None = None,
        groups: ArrayLike | None = None,
        order: ArrayLike | None = None,
    ) -> Self:
        """Select features.

        Parameters
        ----------
        X : array, sparse matrix or table of shape (n_samples, n_features)
            The features. Arrays and sparse matrices hold numbers; tables of pandas, polars and
            Arrow may also hold texts, categories, true and false, and dates. Never written.
        y : array of shape (n_samples,)
            The target.
        sample_weight : array of shape (n_samples,), optional
            How often each sample counts: 2 is the sample twice, 0 as if it were not there.
        groups : array of shape (n_samples,), optional
            Samples of one group (of one patient, say) are never on both sides of a split.
        order : array of shape (n_samples,), optional
            When each sample was: numbers or dates. What is held out to validate with (preset
            "paper") or to find the number of features ("auto", "best") then comes later than what
            is learned from. Nothing else follows the order.

        Returns
        -------
        self : object
            The fitted selector. If the fit fails or is interrupted, it is left as it was.
        """
        about = About.known(_num_samples(X), sample_weight, groups, order)
        return self._fit_all(X, y, about)

    def _fit(self, X: ArrayLike, y: ArrayLike, about: About) -> None:
        prepared = self._prepare(X, y, about)
        with ExitStack() as stack:
            callback = self._callback(stack, prepared.settings["n_features_to_select"])
            selection = select(
                prepared.problem, prepared.asked, seed=prepared.seed, callback=callback
            )
        self._keep(selection, prepared)
        self._warn_if_cut_off(prepared.settings)
        self._warn_if_nothing_learned()

    def _choose(self, X: ArrayLike, y: ArrayLike, about: About = NOTHING) -> NDArray[np.intp]:
        if PRESETS[self.preset].algorithm is not ExchangeSettings:
            return super()._choose(X, y, about)
        prepared = self._prepare(X, y, about)
        return prepared.intake.features_of(_seated(prepared).order)

    def _rehearse(self, X: ArrayLike, y: ArrayLike, about: About) -> Rehearsal:
        one = copy.copy(self)
        if PRESETS[self.preset].algorithm is not ExchangeSettings:
            # Without groups, which the published algorithm does not know, units are features.
            order = one._choose(X, y, about)
            return Rehearsal(order, partial(one._intake.read, units=order), self)
        one.max_exchanges = 0  # the first of them are then what a smaller number would be
        prepared = one._prepare(X, y, about)
        seating = _seated(prepared)
        if not seating.pairs:
            one.interactions = False
        units = np.array(seating.order, dtype=np.intp)
        return Rehearsal(units, partial(prepared.intake.read, units=units), one)

    def _prepare(self, X: ArrayLike, y: ArrayLike, about: About) -> Prepared:
        """Return the data as the engine wants them, every setting, and a seed."""
        table, encoded, target, intake, about = self._take_in(X, self._admit(y), about)
        weights = self._weights(target, about.weights)
        targets = self._encode(target, weights)
        settings = self._resolve_settings(table.shape[0], intake, targets.loss)
        algorithm = PRESETS[self.preset].algorithm
        rng = make_rng(self.random_state)
        fraction, middle = settings.get("validation_fraction", 0.0), None
        if about.order is not None and fraction:
            order, n_validation = latest_first(about.order, fraction, rng, about.groups)
        elif about.groups is None:
            order, n_validation = random_order(table.shape[0], fraction, rng, targets.classes)
        else:
            order, n_validation, middle = grouped_order(about.groups, fraction, rng)
        device = resolve_device(self.device)
        columns, grouping = intake.columns(table, encoded)
        source = column_source(columns, order, scale=settings["scale"], device=device)
        problem = Problem(
            source,
            torch.from_numpy(targets.values[order]).to(device),
            n_outputs=targets.n_outputs,
            n_validation=n_validation,
            weights=None if weights is None else torch.from_numpy(weights[order]).to(device),
            grouping=grouping if algorithm is ExchangeSettings else None,
            middle=middle,
        )
        return Prepared(problem, settings, algorithm, int(rng.integers(2**62)), intake)

    def _take_in(
        self, X: ArrayLike, y: ArrayLike, about: About
    ) -> tuple[Any, Encoded | None, NDArray[Any], Intake, About]:
        """Return valid numbers, how they were encoded, the target, and what the columns are."""
        if about.weights is not None and not about.weights.all():
            there = np.flatnonzero(about.weights)
            X, y = _safe_indexing(X, there), _safe_indexing(y, there)
            about = about.of(there)
        encoder, encoded = None, None
        if is_mixed(X):
            refuse_masked(X, "X")
            encoder, encoded, table = self._encoded(X)
            table, target = self._check(table, y)
            # Which looked at the encoded columns.
            self.__dict__.pop("feature_names_in_", None)
            validate_data(self, X, reset=True, skip_check_array=True)
        else:
            table, target = self._check(X, y)
            if self.missing == "impute" and not sparse.issparse(table):
                encoder, encoded, table = self._encoded(table)
            else:
                names = getattr(self, "feature_names_in_", None)
                check_finite(table, names, can_impute=True)
        n_features = self.n_features_in_
        unit_of = units_of(self.feature_groups, self.bar, self._names, n_features)
        intake = Intake(n_features, encoder, unit_of, is_single=not self._knows_groups)
        return table, encoded, target, intake, about

    def _encoded(self, X: Any) -> tuple[Encoder, Encoded | None, NDArray[Any]]:
        """Return how a table is encoded, and its numbers."""
        encoder = Encoder.fit(X, missing=self.missing, max_levels=self.max_levels)
        if not self._knows_groups:
            return encoder, None, encoder.one_column_each(X)
        encoded = encoder.encode(X)
        return encoder, encoded, encoded.values

    def _look_at(
        self, X: ArrayLike, y: ArrayLike, about: About
    ) -> tuple[Any, NDArray[Any], int, About]:
        table, _, target, intake, known = self._take_in(X, self._admit(y), about)
        # The table that is returned may be an array, whose features have no names.
        self.set_params(**by_number(self, self._names, self.n_features_in_))
        if intake.encoder is None:
            return table, target, intake.n_units, known
        # What is filled in is learned from each fold's own samples.
        if known is not about and about.weights is not None:
            X = _safe_indexing(X, np.flatnonzero(about.weights))
        return X, target, intake.n_units, known

    @property
    def _names(self) -> list[str] | None:
        """What the table calls its features."""
        names = getattr(self, "feature_names_in_", None)
        return None if names is None else list(names)

    @property
    def _score_meaning(self) -> str:
        return PRESETS[self.preset].score_meaning

    @property
    def _ranks_by_score(self) -> bool:
        return self.preset == "paper"

    @property
    def _knows_groups(self) -> bool:
        """Whether features may have several columns: the published algorithm knows columns only."""
        return PRESETS[self.preset].algorithm is ExchangeSettings

    def _weights(
        self, target: NDArray[Any], weights: NDArray[np.float32] | None
    ) -> NDArray[np.float32] | None:
        if weights is not None and not isinstance(self.loss, str):
            raise ValueError(
                "A loss of your own cannot be weighted: leave out sample_weight, or take one of "
                "the losses by name."
            )
        return super()._weights(target, weights)

    def _target_values(self, y: NDArray[Any], about: About) -> NDArray[np.float32]:
        one = copy.copy(self)  # which then remembers what becomes of outputs
        weights = one._weights(y, about.weights)
        targets = one._encode(y, weights)
        found = responses_of(
            torch.from_numpy(targets.values),
            targets.n_outputs,
            targets.loss,
            getattr(self, "quantile", 0.5),
            None if weights is None else torch.from_numpy(weights),
        )
        return found.numpy() if isinstance(self, ClassifierMixin) else quantities(found.numpy())

    def _resolve_settings(self, n_cases: int, intake: Intake, loss: str) -> dict[str, Any]:
        n_units = intake.n_units
        n_selected = self._n_selected_of(n_units)
        explicit = {name: getattr(self, name) for name in TUNABLES}
        settings = resolve(
            self.preset, explicit, n_cases=n_cases, n_features=n_units, n_selected=n_selected
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
        settings["loss"] = loss if isinstance(self.loss, str) else self.loss
        settings["quantile"] = getattr(self, "quantile", 0.5)
        settings.update(self._seats(intake, n_selected))
        return settings

    def _n_selected_of(self, n_units: int) -> int:
        if self.budget is None or isinstance(self.n_features_to_select, str):
            return self._n_selected(n_units)
        return n_units if self.n_features_to_select is None else self._n_selected(n_units)

    def _seats(self, intake: Intake, n_selected: int) -> dict[str, Any]:
        """Return who is kept and what units cost, or refuse what cannot be done."""
        if not self._knows_groups:
            for name in ("feature_groups", "keep", "costs", "budget"):
                if getattr(self, name) is not None:
                    raise ValueError(
                        f"{name} plays no part in preset={self.preset!r}. Leave it out, or take "
                        f"preset='exchange'."
                    )
            return {}
        if self.budget is not None and isinstance(self.n_features_to_select, str):
            raise ValueError(
                f"n_features_to_select={self.n_features_to_select!r} decides how many features "
                f"help, and budget how many can be paid: give a number or None beside a budget."
            )
        costs = costs_of_units(self.costs, self._names, intake)
        kept: tuple[int, ...] = ()
        if self.keep is not None:
            features = number_features(self.keep, self._names, intake.n_features, "keep")
            units = features if intake.unit_of is None else intake.unit_of[features]
            if (units == BARRED).any():
                raise ValueError("keep and bar name the same feature. Name it in one of them only.")
            kept = tuple(sorted({int(unit) for unit in units}))
            if len(kept) > n_selected:
                raise ValueError(
                    f"keep names {len(kept)} features, and only {n_selected} are to be selected. "
                    f"Raise n_features_to_select."
                )
        if self.budget is not None:
            each = np.ones(intake.n_units) if costs is None else costs
            needed = float(each[list(kept)].sum()) if kept else float(each.min())
            if needed > self.budget:
                what = "what keep names costs" if kept else "the cheapest feature costs"
                raise ValueError(
                    f"budget is {self.budget:g}, and {what} {needed:g}. Raise the budget."
                )
        return {
            "kept": kept,
            "costs": costs,
            "budget": self.budget,
        }

    def _callback(self, stack: ExitStack, n_selected: int) -> Callable[[Record], object] | None:
        if not self.verbose:
            return self.callback
        line = stack.enter_context(ProgressLine(n_selected))
        users_own = self.callback

        def show_and_ask(record: Record) -> object:
            line.show(record)
            return None if users_own is None else users_own(record)

        return show_and_ask

    def _keep(self, selection: Selection, prepared: Prepared) -> None:
        intake, source = prepared.intake, prepared.problem.source
        n_features, n_units = intake.n_features, intake.n_units
        chosen = selection.chosen.features.numpy()
        self.selected_indices_ = intake.features_of(chosen.tolist())
        self.first_selected_indices_ = intake.features_of(selection.first_chosen.features.tolist())
        self.support_ = np.zeros(n_features, dtype=bool)
        self.support_[self.selected_indices_] = True
        entry_scores = np.full(n_units, np.nan)
        entry_scores[chosen] = selection.chosen.scores.numpy()
        self.entry_scores_ = intake.spread(entry_scores, np.nan)
        self.scores_ = (
            self.entry_scores_.copy()
            if selection.scores is None
            else intake.spread(selection.scores.numpy(), 0.0)
        )
        ranked = chosen if selection.ranked is None else selection.ranked.numpy()
        ranking = np.full(n_units, len(chosen) + 1)
        ranking[ranked] = np.arange(1, len(ranked) + 1)
        self.ranking_ = intake.spread(ranking, int(ranking.max()) + 1)
        self.interactions_ = _as_arrays(Interaction, selection.interactions)
        if intake.unit_of is not None:
            for place in ("first", "second"):
                units = self.interactions_[place].tolist()
                self.interactions_[place] = np.array(
                    [int(intake.units[unit][0]) for unit in units], dtype=np.int64
                )
        self.pairs_searched_ = selection.pairs_searched
        self.learned_ = selection.learned is not False
        if not self.learned_ and hasattr(self, "k_curve_"):
            from entryprune.selectors._how_many import is_clear

            self.learned_ = is_clear(self.k_curve_)
        self.history_ = _as_arrays(Record, selection.history)
        self.n_rotations_ = selection.n_rotations
        self.stop_reason_ = selection.stop_reason
        self.settings_ = prepared.settings
        self.network_ = selection.network
        self._intake = intake
        self._seated_units = np.sort(chosen)
        grouping = prepared.problem.grouping
        units = torch.from_numpy(self._seated_units)
        columns = units if grouping is None else grouping.columns_of(units)
        scaling = source.scaling(columns)
        self._shift, self._factor = scaling.shift.numpy(), scaling.factor.numpy()

    # The sixth caller back, behind `fit` and scikit-learn's wrapper of it, is the user's line.

    def _warn_if_cut_off(self, settings: dict[str, Any]) -> None:
        if self.stop_reason_ in ("max_rotations", "max_epochs"):
            bound = settings[self.stop_reason_]
            warnings.warn(
                f"The search was cut off at {self.stop_reason_}={bound} before the stopping rule "
                f"{settings['stopping']!r} was met, so the selection may not have settled. Raise "
                f"{self.stop_reason_} or lower patience.",
                ConvergenceWarning,
                stacklevel=6,
            )

    def _warn_if_nothing_learned(self) -> None:
        if not self.learned_:
            warnings.warn(NOTHING_LEARNED, NothingLearnedWarning, stacklevel=6)

    # -- prediction -----------------------------------------------------------------------------

    def _outputs(self, X: ArrayLike) -> torch.Tensor:
        """Return the network's outputs for each sample."""
        check_is_fitted(self)
        values = self._selected_values(X)
        scaled = (values.astype(np.float64) - self._shift) * self._factor
        inputs, network = torch.from_numpy(scaled), self.network_
        if self.settings_["body"] is None:
            # In single precision a sample's prediction would depend on the samples beside it.
            network = copy.deepcopy(network).double()
        else:
            inputs = inputs.float()
        with torch.no_grad():
            outputs: torch.Tensor = network(inputs)
        return outputs

    def _selected_values(self, X: ArrayLike) -> NDArray[Any]:
        """Return the columns that the network takes, for valid samples."""
        if is_mixed(X):
            validate_data(self, X, reset=False, skip_check_array=True)
            if self._intake.encoder is None:
                X = _numbers_of(X)
            values, _ = self._intake.read(X, self._seated_units.tolist())
            return values
        table = check_table(self, X, reset=False, accept_sparse=["csr", "csc"])
        if self._intake.encoder is None:
            check_finite(table, getattr(self, "feature_names_in_", None))
        values, _ = self._intake.read(table, self._seated_units.tolist())
        return values


def _numbers_of(frame: Any) -> NDArray[Any]:
    """Return the numbers of a frame for a selector that was fitted on nothing else."""
    encoder = Encoder.fit(frame)
    names = zip(encoder.feature_names, encoder.kinds, strict=True)
    others = [name for name, kind in names if kind != "number"]
    if others:
        raise ValueError(
            f"X had numbers only in fit, and now has other values in {some_of(map(repr, others))}. "
            f"Bring these columns as numbers."
        )
    return encoder.one_column_each(frame)


def _seated(prepared: Prepared) -> Seating:
    return choose_by_exchange(prepared.problem, prepared.asked, seed=prepared.seed)


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
