"""AutoNFS: a learned mask over the inputs that a penalty closes wherever the loss allows it.

W. Wydmański, the program `autonfs`, 2025, https://github.com/wwydmanski/AutoNFS.
"""

from __future__ import annotations

import sys
import warnings
from collections.abc import Callable
from contextlib import nullcontext, redirect_stdout
from numbers import Integral, Real
from typing import Any, ClassVar

import numpy as np
import torch
from sklearn.preprocessing import scale
from sklearn.utils._param_validation import Interval, StrOptions

from entryprune.baselines._base import (
    BaselineSelector,
    Data,
    Ranking,
    RefusalError,
    documented,
    import_peer,
)
from entryprune.selectors._parameters import resolve_device


@documented
class AutoNFSSelector(BaselineSelector):
    """Select features by the votes of AutoNFS.

    A small network is trained on inputs times a random mask whose probabilities are learned, with
    a penalty on the share of open inputs. Afterwards the mask is drawn once a batch, and each draw
    is a vote for the features that it lets through.

    AutoNFS chooses how many features it wants: those with at least one vote. They are ranked by
    votes, and of equally many by the learned probability. If that is fewer than asked for and
    `balance` is "auto", the penalty is relaxed along the grid of the package until there are
    enough; if there never are, or `balance` is a number, the request is refused. The package
    standardises the features; in regression y is standardised too, so that its unit does not
    matter. Needs the package `autonfs` (``pip install 'entryprune[peers]'``).

    Parameters
    ----------
    {n_features_to_select}
    balance : float or "auto", default="auto"
        Weight of the penalty. "auto" lets the package search: from 1 down to 0.0001, until a
        random forest on the features kept does about as well as one on all features.
    adaptive_n_seeds : int, default=5
        Networks trained for each weight in that search.
    adaptive_threshold_frac : float, default=0.9
        Share of the score with all features that is good enough in that search.
    epochs : int, default=150
        Passes over the data.
    batch_size : int, default=32
        Samples in a batch.
    temperature_decay : float, default=0.997
        Factor on the temperature of the mask after each pass.
    {task}
    {device}
    {verbose}
    {random_state}

    Attributes
    ----------
    {attributes}
        Here `scores_` is the number of votes.
    balance_ : float
        The weight of the penalty in the end.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from entryprune.baselines import AutoNFSSelector
    >>> X, y = load_iris(return_X_y=True, as_frame=True)
    >>> selector = AutoNFSSelector(2, balance=0.1, epochs=40, batch_size=16, random_state=0)
    >>> selector.fit(X, y).get_feature_names_out().tolist()
    ['petal length (cm)', 'petal width (cm)']
    """

    _title = "AutoNFS"

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **BaselineSelector._parameter_constraints,
        "balance": [Interval(Real, 0, None, closed="left"), StrOptions({"auto"})],
        "adaptive_n_seeds": [Interval(Integral, 1, None, closed="left")],
        "adaptive_threshold_frac": [Interval(Real, 0, None, closed="left")],
        "epochs": [Interval(Integral, 1, None, closed="left")],
        "batch_size": [Interval(Integral, 1, None, closed="left")],
        "temperature_decay": [Interval(Real, 0, 1, closed="right")],
        "device": [str, torch.device],
        "verbose": ["verbose"],
    }

    def __init__(
        self,
        n_features_to_select: float | None = None,
        *,
        balance: float | str = "auto",
        adaptive_n_seeds: int = 5,
        adaptive_threshold_frac: float = 0.9,
        epochs: int = 150,
        batch_size: int = 32,
        temperature_decay: float = 0.997,
        task: str = "auto",
        device: str | torch.device = "auto",
        verbose: int = 0,
        random_state: int | np.random.RandomState | None = None,
    ) -> None:
        super().__init__(n_features_to_select, task=task, random_state=random_state)
        self.balance = balance
        self.adaptive_n_seeds = adaptive_n_seeds
        self.adaptive_threshold_frac = adaptive_threshold_frac
        self.epochs = epochs
        self.batch_size = batch_size
        self.temperature_decay = temperature_decay
        self.device = device
        self.verbose = verbose

    def _rank(self, data: Data, n_selected: int, rng: np.random.Generator) -> Ranking:
        fit = self._trainer(data, rng)
        cards = range(torch.cuda.device_count())
        # The package prints on the output stream, which belongs to the caller.
        stream = redirect_stdout(sys.stderr) if self.verbose else nullcontext()
        with torch.random.fork_rng(devices=cards), warnings.catch_warnings(), stream:
            torch.manual_seed(int(rng.integers(2**62)))
            warnings.simplefilter("ignore")  # of the forests that judge a weight
            model = fit(self.balance)
            weaker = [weight for weight in model.adaptive_grid if weight < model.balance_]
            while self.balance == "auto" and weaker and _n_voted(model) < n_selected:
                model = fit(weaker.pop(0))
        self.balance_ = float(model.balance_)
        return _by_votes(model)

    def _trainer(self, data: Data, rng: np.random.Generator) -> Callable[[float | str], Any]:
        """Return a function from the weight of the penalty to the package's fitted model."""
        package = import_peer("autonfs", self._title)
        settings = {
            "adaptive_n_seeds": self.adaptive_n_seeds,
            "adaptive_threshold_frac": self.adaptive_threshold_frac,
            "epochs": self.epochs,
            "batch_size": self.batch_size,
            "temperature_decay": self.temperature_decay,
            "mode": data.task,
            "device": str(resolve_device(self.device)),
            "verbose": bool(self.verbose),
            "random_state": int(rng.integers(2**31)),
        }
        X = np.array(data.X)  # torch complains about arrays that it may not write to
        y = data.y if data.n_classes else scale(data.y)

        def fit(balance: float | str) -> Any:
            try:
                return package.AutoNFS(balance=balance, **settings).fit(X, y)
            except ValueError as error:
                if balance != "auto":
                    raise
                raise RefusalError(
                    self._title,
                    "data",
                    f"its search for the penalty needs to split the data, and cannot ({error}). "
                    f"Give `balance` a number, for example 0.1, or take another method.",
                ) from error

        return fit


def _n_voted(model: Any) -> int:
    return int(np.count_nonzero(model.scores_))


def _by_votes(model: Any) -> Ranking:
    votes = model.scores_
    with torch.no_grad():
        # The larger the logit, the likelier is the feature let through.
        logits = model.network.fc1(model.network.emb).cpu().numpy()[0]
    order = np.lexsort((-logits, -votes))[: _n_voted(model)]
    return Ranking(np.where(votes > 0, votes, np.nan), order)
