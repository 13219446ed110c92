"""The toy of the paper's appendix: whether a first gradient tells interactions from noise.

Linear features raise the odds of a class by themselves, interaction features only in pairs (XOR),
noise features never. Gradient-based regrowth takes up the features with the steepest gradient, so
what it can see of a feature is measured beside what other criteria see.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from entryprune.bench.studies.selections import KINDS

_COUNTS = {"linear": 6, "interaction": 6, "noise": 8}
_N_CASES = 3000
# Seats for all features that matter and for half of the noise, so that noise has scores too.
_N_SCORED = 16
# For the gradient few seats, so that features of each kind are often candidates, and a look at
# the network after each of the first rotations.
_N_SEATED = 8
_LOOKS = range(2, 14)
_SHORT = {"candidate_ratio": 0.5, "batches_per_rotation": 50}
# An entry score counts mini-batches enough for a pair of features to be put to use together.
_LONG = {"candidate_ratio": 1.0, "batches_per_rotation": 200, "learning_rate_init": 3e-3}

Floats = NDArray[np.float64]


def toy_data(seed: int) -> tuple[Floats, NDArray[np.int64]]:
    """Return 3000 cases of 20 features of -1 and 1, and a class."""
    rng = np.random.default_rng(seed)
    X = rng.choice([-1.0, 1.0], size=(_N_CASES, sum(_COUNTS.values())))
    linear = X[:, :6].sum(axis=1)
    # The product of two signs is their exclusive-or.
    pairs = (X[:, 6:12:2] * X[:, 7:12:2]).sum(axis=1)
    noise = rng.normal(scale=0.5, size=_N_CASES)
    return X, (linear + 2.0 * pairs + noise > 0).astype(np.int64)


def kinds() -> NDArray[np.str_]:
    """Return what kind of feature each column is."""
    return np.repeat(KINDS, [_COUNTS[kind] for kind in KINDS])


def measure_toy(seed: int) -> dict[str, float]:
    """Return each criterion's mean over the features of each kind."""
    X, y = toy_data(seed)
    looks = [_candidates_gradients(X, y, seed, n_rotations) for n_rotations in _LOOKS]
    values = {
        "gradient metric": np.array(looks),
        "correlation": np.abs(np.corrcoef(X.T, y)[-1, :-1]),
        "entry score": _fitted(X, y, _N_SCORED, seed, **_LONG).entry_scores_,
        "gain": _gain(X, y, seed),
    }
    return {
        f"{panel} of {kind}": float(np.nanmean(scores[..., kinds() == kind]))
        for panel, scores in values.items()
        if scores is not None
        for kind in KINDS
    }


def gradient_metric(selector: Any, X: Floats, y: NDArray[np.int64]) -> Floats:
    """Return the largest absolute gradient among each feature's weights, were it to enter now."""
    import torch

    first, *rest = selector.network_
    columns = torch.tensor(X, dtype=torch.float32)
    with torch.no_grad():
        hidden = first(columns[:, torch.from_numpy(selector.support_)])
    hidden.requires_grad_()
    loss = torch.nn.functional.cross_entropy(torch.nn.Sequential(*rest)(hidden), torch.tensor(y))
    (delta,) = torch.autograd.grad(loss, hidden)
    # A newcomer's weights are next to nothing, so it does not change what comes after.
    metric = (columns.T @ delta).abs().amax(dim=1).double().numpy()
    return np.where(selector.support_, np.nan, metric)


def _candidates_gradients(X: Floats, y: NDArray[np.int64], seed: int, n_rotations: int) -> Floats:
    selector = _fitted(
        X, y, _N_SEATED, seed, callback=lambda record: record.rotation >= n_rotations, **_SHORT
    )
    return gradient_metric(selector, X, y)


def _fitted(X: Floats, y: NDArray[np.int64], n_selected: int, seed: int, **parameters: Any) -> Any:
    from entryprune.selectors import EntryPruneClassifier

    return EntryPruneClassifier(
        n_selected,
        preset="paper",
        batch_size=256,
        patience=10,
        refit=False,
        scale=None,
        random_state=seed,
        **parameters,
    ).fit(X, y)


def _gain(X: Floats, y: NDArray[np.int64], seed: int) -> Floats | None:
    from entryprune.baselines._base import RefusalError
    from entryprune.methods import make_selector

    try:
        scores: Floats = make_selector("lightgbm", 1, random_state=seed).fit(X, y).scores_
    except RefusalError:
        return None
    return scores
