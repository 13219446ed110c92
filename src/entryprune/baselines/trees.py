"""Ensembles of trees: importance by impurity, permutation, shuffled copies, gain and SHAP values.

Extremely randomised trees: P. Geurts, D. Ernst and L. Wehenkel, Extremely randomized trees,
Machine Learning 63, 2006.

Permutation importance: L. Breiman, Random forests, Machine Learning 45, 2001.

Boruta: M. B. Kursa and W. R. Rudnicki, Feature selection with the Boruta package, Journal of
Statistical Software 36(11), 2010.

Gradient boosting: G. Ke, Q. Meng, T. Finley, T. Wang, W. Chen, W. Ma, Q. Ye and T.-Y. Liu,
LightGBM: a highly efficient gradient boosting decision tree, NeurIPS 2017. SHAP values: S. M.
Lundberg et al., From local explanations to global understanding with explainable AI for trees,
Nature Machine Intelligence 2, 2020.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import nullcontext, redirect_stdout
from numbers import Integral, Real
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.ensemble import (
    ExtraTreesClassifier,
    ExtraTreesRegressor,
    RandomForestClassifier,
    RandomForestRegressor,
)
from sklearn.utils._param_validation import Interval, StrOptions
from sklearn.utils.parallel import Parallel, delayed

from entryprune.baselines._base import (
    COUNT_OR_AUTO,
    JOBS,
    NO_SCALE,
    TREES_AT_ONCE,
    BaselineSelector,
    Data,
    Floats,
    Ranking,
    import_peer,
)
from entryprune.engine.settings import COUNT, COUNT_OR_NONE, POSITIVE, YES_OR_NO, Allowed, setting
from entryprune.selectors._selector import VERBOSE, Special, estimator


@estimator()
class ExtraTreesSelector(BaselineSelector):
    """Select features by their importance in a forest of extremely randomised trees.

    The importance is scikit-learn's: the mean over trees of the share of the decrease in impurity
    that a feature's splits bring. Features that no tree gains from have no score; if fewer than
    asked for have one, the request is refused, and more trees may help.

    {parameters and attributes}

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from entryprune.baselines import ExtraTreesSelector
    >>> X, y = load_iris(return_X_y=True, as_frame=True)
    >>> selector = ExtraTreesSelector(n_features_to_select=2, random_state=0).fit(X, y)
    >>> selector.get_feature_names_out().tolist()
    ['petal length (cm)', 'petal width (cm)']
    """

    _title = "ExtraTrees"
    _score_meaning = (
        "The score is the share of the feature in all that the trees gain by their splits. The "
        "shares of all features add up to 1, so an even share is 1 divided by their number."
    )

    n_estimators: int = setting(100, COUNT, "Number of trees.")
    n_jobs: int | None = setting(None, *TREES_AT_ONCE)

    def _rank(self, data: Data, n_selected: int, rng: np.random.Generator) -> Ranking:
        del n_selected
        kind = ExtraTreesClassifier if data.n_classes else ExtraTreesRegressor
        forest = kind(
            n_estimators=self.n_estimators,
            n_jobs=self.n_jobs,
            random_state=int(rng.integers(2**31)),
        )
        importance = forest.fit(data.X, data.y).feature_importances_
        return Ranking(np.where(importance > 0, importance, np.nan))


# Pairs of a sample and a feature that go down a tree at a time.
_BLOCK = 2**18


@estimator()
class ForestPermutationSelector(BaselineSelector):
    """Select features by their permutation importance in a random forest.

    Breiman's own: each tree is tried on the samples that it was not grown on, as they are and with
    one feature's values shuffled among them. The score of a feature is the mean over all trees of
    the increase of the error, the share of wrong classes or the mean squared error. A tree cannot
    miss a feature that it does not use, nor can a sample whose way down the tree meets no split on
    it, so only the others are tried again: on wide data this takes less time than growing the
    trees. Features that no tree uses score 0 and have no place; if fewer than asked for are used,
    the request is refused, and more trees may help.

    {parameters and attributes}

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from entryprune.baselines import ForestPermutationSelector
    >>> X, y = load_iris(return_X_y=True, as_frame=True)
    >>> selector = ForestPermutationSelector(2, n_estimators=100, random_state=0).fit(X, y)
    >>> selector.get_feature_names_out().tolist()
    ['petal length (cm)', 'petal width (cm)']
    """

    _title = "Forest permutation"
    _score_meaning = (
        "The score is by how much the error of a tree rises, on average, when the feature is "
        "shuffled among the samples that the tree was not grown on: the share of wrong classes, "
        "or the mean squared error. 0 or less is no use."
    )

    n_estimators: int = setting(
        500, COUNT, "Number of trees. Few trees see a small share of the features of wide data."
    )
    max_features: float | str | None = setting(
        "sqrt",
        Special(
            '{"sqrt", "log2"}, int, float or None',
            (
                Interval(Integral, 1, None, closed="left"),
                Interval(Real, 0, 1, closed="right"),
                StrOptions({"sqrt", "log2"}),
                None,
            ),
        ),
        "How many features each split is looked for in: the root or the logarithm of the number "
        "of features, a number, a share, or None for all.",
    )
    n_jobs: int | None = setting(None, *TREES_AT_ONCE)

    def _rank(self, data: Data, n_selected: int, rng: np.random.Generator) -> Ranking:
        del n_selected
        kind = RandomForestClassifier if data.n_classes else RandomForestRegressor
        # Trees compare single precision with their thresholds.
        X = data.X.astype(np.float32, copy=False)
        forest = kind(
            n_estimators=self.n_estimators,
            max_features=self.max_features,
            n_jobs=self.n_jobs,
            random_state=int(rng.integers(2**31)),
        ).fit(X, data.y)
        seeds = rng.integers(2**62, size=self.n_estimators)
        trees = zip(forest.estimators_, forest.estimators_samples_, seeds, strict=True)
        scores = (
            sum(
                Parallel(n_jobs=self.n_jobs, prefer="threads", return_as="generator")(
                    delayed(increase_of_error)(
                        tree.tree_, X, data, drawn, np.random.default_rng(seed)
                    )
                    for tree, drawn, seed in trees
                )
            )
            / self.n_estimators
        )
        used = np.unique(np.concatenate([tree.tree_.feature for tree in forest.estimators_]))
        used = used[used >= 0]
        return Ranking(scores, used[np.argsort(-scores[used], kind="stable")])


def increase_of_error(
    tree: Any,
    X: NDArray[np.float32],
    data: Data,
    drawn: NDArray[np.integer],
    rng: np.random.Generator,
) -> Floats:
    """Return by how much shuffling each feature raises the error of one tree."""
    increase = np.zeros(X.shape[1])
    left_out = np.setdiff1d(np.arange(len(X)), drawn)
    # One order serves all features, because only one at a time is out of its place.
    partners = rng.permutation(left_out)
    predicted = tree.value[:, 0].argmax(axis=1) if data.n_classes else tree.value[:, 0, 0]
    for block in _blocks(len(left_out), tree.max_depth):
        cases = X[left_out[block]]
        rows, features = _met_on_the_way(tree, cases)
        shuffled = X[partners[block][rows], features]
        before = predicted[tree.apply(cases)][rows]
        after = predicted[_leaves(tree, cases, rows, features, shuffled)]
        y = data.y[left_out[block]][rows]
        lost = _errors(after, y, data.n_classes) - _errors(before, y, data.n_classes)
        increase += np.bincount(features, weights=lost, minlength=len(increase))
    return increase / max(len(left_out), 1)


def _blocks(n_cases: int, depth: int) -> Iterator[slice]:
    n_rows = max(1, _BLOCK // max(depth, 1))
    for start in range(0, n_cases, n_rows):
        yield slice(start, start + n_rows)


def _met_on_the_way(
    tree: Any, cases: NDArray[np.float32]
) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Return all pairs of a sample and a feature that decides on its way down the tree."""
    ways = tree.decision_path(cases)
    rows = np.repeat(np.arange(len(cases)), np.diff(ways.indptr))
    features = tree.feature[ways.indices]
    is_split = features >= 0
    pairs = np.unique(rows[is_split] * cases.shape[1] + features[is_split])
    return np.divmod(pairs, cases.shape[1])


def _leaves(
    tree: Any,
    cases: NDArray[np.float32],
    rows: NDArray[np.intp],
    features: NDArray[np.intp],
    values: NDArray[np.float32],
) -> NDArray[np.intp]:
    """Return the leaf of each pair's sample if its feature had the given value instead."""
    nodes = np.zeros(len(rows), dtype=np.intp)
    moving = np.arange(len(rows))
    while len(moving):
        at = nodes[moving]
        asked = tree.feature[at]
        found = np.where(asked == features[moving], values[moving], cases[rows[moving], asked])
        goes_left = found <= tree.threshold[at]
        nodes[moving] = np.where(goes_left, tree.children_left[at], tree.children_right[at])
        moving = moving[tree.feature[nodes[moving]] >= 0]
    return nodes


def _errors(predicted: NDArray[Any], y: NDArray[Any], n_classes: int) -> Floats:
    errors: Floats
    errors = (predicted != y).astype(np.float64) if n_classes else np.square(predicted - y)
    return errors


@estimator()
class BorutaSelector(BaselineSelector):
    """Select features by the verdict of BorutaPy on a random forest.

    Each round adds a shuffled copy of every feature, grows a forest, and notes which features are
    more important than the best copy. Features that do so more often than chance allows are
    confirmed, those that do so less often are rejected and leave, the others stay tentative.

    BorutaPy places every feature, so any number can be selected: the confirmed come first, then
    the tentative whose median importance exceeds that of the best copies, then the others by their
    median place. Features in the same place are ordered by their mean importance over the rounds
    that they took part in. Needs the package `boruta` (``pip install 'entryprune[peers]'``).

    {parameters and attributes}
        Here the mean importance in the forests, over the rounds that the feature took part in. The
        verdict comes before it in the ranking.
    confirmed_, tentative_ : ndarray of bool, shape (n_features,)
        BorutaPy's verdict, whatever the number of features asked for.
    n_iter_ : int
        Number of rounds.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from entryprune.baselines import BorutaSelector
    >>> X, y = load_iris(return_X_y=True, as_frame=True)
    >>> selector = BorutaSelector(2, n_estimators=10, max_iter=10, random_state=0).fit(X, y)
    >>> selector.get_feature_names_out().tolist()
    ['petal length (cm)', 'petal width (cm)']
    """

    _title = "Boruta"
    _score_meaning = (
        "The score is the mean share of the feature in what a forest gains by its splits; the "
        "shares of all features in it and their shuffled copies add up to 1. Confirmed features "
        "come first whatever their scores, so later scores may be larger than earlier ones."
    )
    _ranks_by_score = False

    n_estimators: int | str = setting(
        "auto",
        COUNT_OR_AUTO,
        'Number of trees of each forest. "auto" grows more for more features.',
    )
    max_depth: int | None = setting(
        5, COUNT_OR_NONE, "Depth of the trees; None lets them grow to the end."
    )
    perc: float = setting(
        100,
        Allowed(float, low=0, high=100, closed="right"),
        "What to beat: this percentile of the copies' importance, 100 being the best copy.",
    )
    alpha: float = setting(
        0.05,
        Allowed(float, low=0, high=1, closed="right"),
        "Level of the tests that confirm and reject.",
    )
    two_step: bool = setting(
        True,
        YES_OR_NO,
        "Correct for many features and for many rounds one after the other; otherwise only by the "
        "number of features, as in the original.",
    )
    max_iter: int = setting(
        100,
        Allowed(int, low=2, closed="left"),
        "Upper bound on the number of rounds, plus one.",
    )
    n_jobs: int | None = setting(None, *TREES_AT_ONCE)
    verbose: int = setting(0, VERBOSE, "Report each round on the error stream.")

    def _rank(self, data: Data, n_selected: int, rng: np.random.Generator) -> Ranking:
        del n_selected
        boruta = import_peer("boruta", self._title).BorutaPy(
            self._forest(data),
            n_estimators=self.n_estimators,
            perc=self.perc,
            alpha=self.alpha,
            two_step=self.two_step,
            max_iter=self.max_iter,
            random_state=int(rng.integers(2**31)),
            verbose=int(self.verbose),
        )
        # BorutaPy reports on the output stream, which belongs to the caller.
        with redirect_stdout(sys.stderr) if self.verbose else nullcontext():
            boruta.fit(data.X, data.y)
        self.confirmed_ = boruta.ranking_ == 1
        self.tentative_ = boruta.support_weak_
        # The first row is a placeholder; NaN marks the rounds after a feature was rejected.
        history = boruta.importance_history_[1:]
        self.n_iter_ = len(history)
        importance = np.nanmean(history, axis=0)
        order = np.lexsort((-importance, boruta.ranking_))
        return Ranking(importance, order)

    def _forest(self, data: Data) -> Any:
        if data.n_classes:
            return RandomForestClassifier(
                max_depth=self.max_depth, class_weight="balanced", n_jobs=self.n_jobs
            )
        return RandomForestRegressor(max_depth=self.max_depth, n_jobs=self.n_jobs)


# -- gradient boosting -----------------------------------------------------------------------------


# What the docstrings of both methods on this model say of the seed.
RANDOMNESS = (
    "With these settings LightGBM uses no randomness, but for the choice of samples that the bins "
    "come from in data of more than 200,000 samples."
)


@estimator(random_state=RANDOMNESS)
class LightGBMSelector(BaselineSelector):
    """Select features by their total gain in a gradient boosting model of LightGBM.

    The score is the sum of the gains of all splits on a feature. Features that no split uses have
    no score; if fewer than asked for have one, the request is refused. More trees or a smaller
    `min_child_samples` may then help: with the default, a split needs at least 40 samples. Needs
    the package `lightgbm` (``pip install 'entryprune[peers]'``).

    {parameters and attributes}

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from entryprune.baselines import LightGBMSelector
    >>> X, y = load_iris(return_X_y=True, as_frame=True)
    >>> selector = LightGBMSelector(n_features_to_select=2, n_estimators=10, n_jobs=1).fit(X, y)
    >>> selector.get_feature_names_out().tolist()
    ['petal length (cm)', 'petal width (cm)']
    """

    _title = "LightGBM gain"
    _score_meaning = (
        "The score is by how much all splits on the feature together lower the loss in training, "
        f"as LightGBM counts it. {NO_SCALE}"
    )

    n_estimators: int = setting(
        100,
        COUNT,
        "Number of boosting rounds; each grows a tree, or with more than two classes a tree a "
        "class.",
    )
    learning_rate: float = setting(0.1, POSITIVE, "How much of each tree is added to the model.")
    min_child_samples: int = setting(
        20, Allowed(int, low=0, closed="left"), "Smallest number of samples in a leaf."
    )
    n_jobs: int | None = setting(
        None,
        JOBS,
        "Number of threads; None means one a processor core, as LightGBM counts them. The "
        "selection does not depend on it.",
    )

    def _rank(self, data: Data, n_selected: int, rng: np.random.Generator) -> Ranking:
        del n_selected
        lightgbm = import_peer("lightgbm", self._title)
        kind = lightgbm.LGBMClassifier if data.n_classes else lightgbm.LGBMRegressor
        model = kind(
            n_estimators=self.n_estimators,
            learning_rate=self.learning_rate,
            min_child_samples=self.min_child_samples,
            n_jobs=self.n_jobs,
            random_state=int(rng.integers(2**31)),
            # Otherwise LightGBM picks its layout by a race, and rounding follows the layout.
            deterministic=True,
            force_col_wise=True,
            verbosity=-1,
        )
        importance = self._importance(model.fit(data.X, data.y), data)
        return Ranking(np.where(importance > 0, importance, np.nan))

    def _importance(self, model: Any, data: Data) -> Floats:
        """Return what each feature is worth to the model; 0 where no split uses it."""
        del data
        gain: Floats = model.booster_.feature_importance("gain")
        return gain


# Contributions held at a time: 64 MiB.
_CONTRIBUTIONS = 2**23


@estimator(random_state=RANDOMNESS)
class LightGBMSHAPSelector(LightGBMSelector):
    """Select features by their mean absolute SHAP value in a gradient boosting model of LightGBM.

    The score is the mean over the training samples of the absolute contribution of the feature to
    the raw prediction (LightGBM's own, ``pred_contrib=True``), summed over the classes where there
    are more than two. The model is that of `LightGBMSelector`. Features that no split uses have no
    score; if fewer than asked for have one, the request is refused. More trees or a smaller
    `min_child_samples` may then help: with the default, a split needs at least 40 samples. Needs
    the package `lightgbm` (``pip install 'entryprune[peers]'``).

    {parameters and attributes}

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from entryprune.baselines import LightGBMSHAPSelector
    >>> X, y = load_iris(return_X_y=True, as_frame=True)
    >>> selector = LightGBMSHAPSelector(n_features_to_select=2, n_estimators=10, n_jobs=1)
    >>> selector.fit(X, y).get_feature_names_out().tolist()
    ['petal length (cm)', 'petal width (cm)']
    """

    _title = "LightGBM SHAP"
    _score_meaning = (
        "The score is by how much the feature moves the prediction for a training sample, on "
        "average: of a quantity in its own unit, of classes in log odds, of more than two added "
        "up."
    )

    def _importance(self, model: Any, data: Data) -> Floats:
        n_cases, n_features = data.X.shape
        n_models = model.booster_.num_model_per_iteration()
        total: Floats = np.zeros(n_features)
        # All at once they would take the memory of the data times the classes.
        n_rows = max(1, _CONTRIBUTIONS // ((n_features + 1) * n_models))
        for start in range(0, n_cases, n_rows):
            block = data.X[start : start + n_rows]
            contributions = model.predict(block, pred_contrib=True)
            # The last of each class is what the model expects without any feature.
            by_class = contributions.reshape(len(block), n_models, n_features + 1)
            total += np.abs(by_class[..., :-1]).sum(axis=(0, 1)) / n_cases
        return total
