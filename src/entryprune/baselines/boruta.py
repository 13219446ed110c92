"""Boruta: which features beat the best of their own shuffled copies, over and over again.

M. B. Kursa and W. R. Rudnicki, Feature selection with the Boruta package, Journal of Statistical
Software 36(11), 2010.
"""

from __future__ import annotations

import sys
from contextlib import nullcontext, redirect_stdout
from numbers import Integral, Real
from typing import Any, ClassVar

import numpy as np
from sklearn.ensemble import RandomForestClassifier, RandomForestRegressor
from sklearn.utils._param_validation import Interval, StrOptions

from entryprune.baselines._base import BaselineSelector, Data, Ranking, documented, import_peer


@documented
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
    {n_features_to_select}
    n_estimators : int or "auto", default="auto"
        Number of trees of each forest. "auto" grows more for more features.
    max_depth : int or None, default=5
        Depth of the trees; None lets them grow to the end.
    perc : float, default=100
        What to beat: this percentile of the copies' importance, 100 being the best copy.
    alpha : float, default=0.05
        Level of the tests that confirm and reject.
    two_step : bool, default=True
        Correct for many features and for many rounds one after the other; otherwise only by the
        number of features, as in the original.
    max_iter : int, default=100
        Upper bound on the number of rounds, plus one.
    n_jobs : int or None, default=None
        Number of trees grown at the same time; None means 1, -1 as many as there are processors.
        The selection does not depend on it.
    {task}
    verbose : int, default=0
        Report each round on the error stream.
    {random_state}

    Attributes
    ----------
    {attributes}
        Here `scores_` is minus the place that BorutaPy gives: -1 for confirmed features, -2 for
        tentative ones, and so on.
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

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **BaselineSelector._parameter_constraints,
        "n_estimators": [Interval(Integral, 1, None, closed="left"), StrOptions({"auto"})],
        "max_depth": [Interval(Integral, 1, None, closed="left"), None],
        "perc": [Interval(Real, 0, 100, closed="right")],
        "alpha": [Interval(Real, 0, 1, closed="right")],
        "two_step": ["boolean"],
        "max_iter": [Interval(Integral, 2, None, closed="left")],
        "n_jobs": [Integral, None],
        "verbose": ["verbose"],
    }

    def __init__(
        self,
        n_features_to_select: float | None = None,
        *,
        n_estimators: int | str = "auto",
        max_depth: int | None = 5,
        perc: float = 100,
        alpha: float = 0.05,
        two_step: bool = True,
        max_iter: int = 100,
        n_jobs: int | None = None,
        task: str = "auto",
        verbose: int = 0,
        random_state: int | np.random.RandomState | None = None,
    ) -> None:
        super().__init__(n_features_to_select, task=task, random_state=random_state)
        self.n_estimators = n_estimators
        self.max_depth = max_depth
        self.perc = perc
        self.alpha = alpha
        self.two_step = two_step
        self.max_iter = max_iter
        self.n_jobs = n_jobs
        self.verbose = verbose

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
        return Ranking(-boruta.ranking_.astype(np.float64), order)

    def _forest(self, data: Data) -> Any:
        if data.n_classes:
            return RandomForestClassifier(
                max_depth=self.max_depth, class_weight="balanced", n_jobs=self.n_jobs
            )
        return RandomForestRegressor(max_depth=self.max_depth, n_jobs=self.n_jobs)
