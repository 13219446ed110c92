"""What is to be run: one selection on one data set, and the grids that studies are made of."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from itertools import product
from typing import Any

from entryprune.methods import get_method

# Stands for no selection at all: every feature goes to the learners.
ALL_FEATURES = "all"

PROTOCOLS = {
    "paper": "fixed split (80/20 with seed 42, or the official one), scaling fitted on training "
    "and test cases together: a leak, kept only to compare with published figures",
    "clean": "a new stratified 80/20 split for each seed, scaling fitted on the training cases",
    "cv": "five-fold cross-validation, shuffled anew after every five seeds, scaling fitted on the "
    "training cases",
    "truth": "for data sets whose relevant columns are known: six folds, not shuffled, the columns "
    "in another order in each; after every six seeds the data are made anew; not scaled, for each "
    "selector does that itself",
}
# Seeds 0 to 4 are the folds of the first repetition of cross-validation, 5 to 9 of the second.
N_FOLDS = 5
# As published with the tests that the protocol "truth" is for.
TRUTH, N_TRUTH_FOLDS = "truth", 6

# For a table of the user's own: the folds of "cv", but a selector gets the columns as they are, so
# that its own settings decide whether and how they are scaled. The learners get them scaled.
UNSCALED_FOLDS = "cv, unscaled"

SELECTION = "selection"
REGROWTH_TOY = "regrowth-toy"


@dataclass(frozen=True)
class Case:
    """One selection to make and to score."""

    dataset: str  # a name that `load_dataset` knows, or a path
    method: str  # a name of the registry, or "all" for no selection
    k: int  # 0 for all features
    # Of the selection and the learners; except in the paper's protocol it decides the split, too.
    seed: int
    protocol: str = "paper"
    # Parameters of the selector that differ from the registry's.
    settings: Mapping[str, Any] = field(default_factory=dict)
    kind: str = SELECTION

    @property
    def key(self) -> str:
        """A line that is the same for the same case and for no other."""
        parts = [self.dataset, self.method, f"k={self.k}", f"seed={self.seed}", self.protocol]
        if self.settings:
            parts.append(json.dumps(self.settings, sort_keys=True))
        if self.kind != SELECTION:
            parts.append(self.kind)
        return " ".join(parts)


def grid(
    datasets: Iterable[str],
    methods: Iterable[str],
    ks: Iterable[int],
    seeds: Iterable[int],
    *,
    protocol: str = "paper",
    settings: Mapping[str, Any] | None = None,
) -> list[Case]:
    """Return a case for every combination that can differ from the others.

    A method without randomness runs once in the paper's protocol, where the split is fixed.
    """
    seeds = list(seeds)
    return [
        Case(dataset, method, k, seed, protocol, dict(settings or {}))
        for seed, dataset, method, k in product(seeds, list(datasets), list(methods), list(ks))
        if seed == seeds[0] or protocol != "paper" or get_method(method).is_random
    ]


def all_features(datasets: Iterable[str], *, protocol: str = "paper") -> list[Case]:
    """Return a case for each data set that selects nothing, to compare with."""
    return [Case(dataset, ALL_FEATURES, 0, 0, protocol) for dataset in datasets]
