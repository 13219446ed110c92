"""Boruta: which features beat the best of their own shuffled copies, over and over again.

M. B. Kursa and W. R. Rudnicki, Feature selection with the Boruta package, Journal of Statistical
Software 36(11), 2010.
"""

from __future__ import annotations

import sys
from contextlib import nullcontext, redirect_stdout
from typing import Any

import numpy as np
from sklearn.ensemble import RandomForestClassifier, RandomForestRegressor

from entryprune.baselines._base import (
    COUNT_OR_AUTO,
    TREES_AT_ONCE,
    BaselineSelector,
    Data,
    Ranking,
    import_peer,
)
from entryprune.engine.settings import COUNT_OR_NONE, YES_OR_NO, Allowed, setting
from entryprune.selectors._selector import VERBOSE, estimator


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

    Parameters
    ----------
    {parameters}

    Attributes
    ----------
    {attributes}
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
