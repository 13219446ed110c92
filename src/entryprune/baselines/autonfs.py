"""AutoNFS: a learned mask over the inputs that a penalty closes wherever the loss allows it.

W. Wydmański, the program `autonfs`, 2025, https://github.com/wwydmanski/AutoNFS.
"""

from __future__ import annotations

import sys
import warnings
from collections.abc import Callable
from contextlib import nullcontext, redirect_stdout
from dataclasses import replace
from typing import Any

import numpy as np
import torch
from sklearn.preprocessing import scale

from entryprune.baselines._base import (
    NOT_NEGATIVE,
    ON_DEVICE,
    WITH_BAR,
    BaselineSelector,
    Data,
    Ranking,
    RefusalError,
    import_peer,
)
from entryprune.engine.settings import COUNT, Allowed, setting
from entryprune.selectors._selector import estimator, resolve_device


@estimator()
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

    {parameters and attributes}
        Here the number of votes.
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

    balance: float | str = setting(
        "auto",
        replace(NOT_NEGATIVE, choices=("auto",)),
        'Weight of the penalty. "auto" lets the package search: from 1 down to 0.0001, until a '
        "random forest on the features kept does about as well as one on all features.",
    )
    adaptive_n_seeds: int = setting(5, COUNT, "Networks trained for each weight in that search.")
    adaptive_threshold_frac: float = setting(
        0.9,
        NOT_NEGATIVE,
        "Share of the score with all features that is good enough in that search.",
    )
    epochs: int = setting(150, COUNT, "Passes over the data.")
    batch_size: int = setting(32, COUNT, "Samples in a batch.")
    temperature_decay: float = setting(
        0.997,
        Allowed(float, low=0, high=1, closed="right"),
        "Factor on the temperature of the mask after each pass.",
    )
    device: str | torch.device = setting("auto", *ON_DEVICE)
    verbose: int = setting(0, *WITH_BAR)

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
