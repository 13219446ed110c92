"""Greedy selection of what is relevant and not told already: CIFE, ICAP and two kinds of mRMR.

The first three, by mutual information, differ only in the price of a feature that tells what a
selected one has told already. The three in one framework: G. Brown, A. Pocock, M.-J. Zhao and
M. Luján, Conditional likelihood maximisation: a unifying framework for information theoretic
feature selection, Journal of Machine Learning Research 13, 2012.

mRMR, maximum relevance and minimum redundancy: H. Peng, F. Long and C. Ding, Feature selection
based on mutual information: criteria of max-dependency, max-relevance, and min-redundancy, IEEE
Transactions on Pattern Analysis and Machine Intelligence 27(8), 2005.

CIFE, conditional infomax feature extraction: D. Lin and X. Tang, Conditional infomax learning: an
integrated framework for feature extraction and fusion, ECCV 2006.

ICAP, interaction capping: A. Jakulin, Machine learning based on attribute interactions, PhD thesis,
University of Ljubljana, 2005.

mRMR by F statistic and correlation, as a quotient (FCQ): C. Ding and H. Peng, Minimum redundancy
feature selection from microarray gene expression data, Journal of Bioinformatics and Computational
Biology 3(2), 2005. In use at large: Z. Zhao, R. Anand and M. Wang, Maximum relevance and minimum
redundancy feature selection methods for a marketing machine learning platform, DSAA 2019.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Iterator
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from entryprune.baselines._base import CLASSIFICATION, BaselineSelector, Data, Floats, Ranking
from entryprune.baselines.filters import fisher_scores
from entryprune.engine.settings import Allowed, setting
from entryprune.selectors._selector import estimator

# What s tells about all f, alone and given the class -> the price of each f next to s.
Price = Callable[[Floats, Floats], Floats]

# Scores that differ by less are equal: a duplicate must not win by its rounding errors. Far above
# the errors (about 1e-13), far below what one sample changes.
_TIE = 1e-9

# Numbers held at a time. Small enough to stay in the processor's cache.
_BLOCK = 2**18

# Counting in a table beats sorting until the table has this many cells a sample.
_CELLS_PER_CASE = 16


@estimator()
class InformationSelector(BaselineSelector):
    """A greedy method; a subclass says what an overlap with a selected feature costs."""

    _tasks = (CLASSIFICATION,)
    # Whether the prices are averaged over the selected features or summed up.
    _average: ClassVar[bool] = False

    n_bins: int | None = setting(
        5,
        Allowed(int, low=2, closed="left", or_none=True),
        "Each feature is cut into so many bins of equal frequency first; one that has no more "
        "distinct values keeps them. None: every distinct value is a symbol of its own, which "
        "suits features that are categories.",
    )

    @staticmethod
    @abstractmethod
    def _price(shared: Floats, given_class: Floats) -> Floats:
        """Return the price of each feature f next to s from I(f; s) and I(f; s | y)."""

    def _rank(self, data: Data, n_selected: int, rng: np.random.Generator) -> Ranking:
        del rng
        information = Information(discretise(data.X, self.n_bins), data.y)
        return select_greedily(information, n_selected, self._price, average=self._average)


def discretise(X: NDArray[np.floating], n_bins: int | None) -> NDArray[np.unsignedinteger]:
    """Turn each feature into few symbols, in bins of equal frequency.

    A value's bin is its mean rank, cut into `n_bins` equal parts. So equal values always share a
    bin, a value that many samples have (such as the zeros of counts) does not swallow its
    neighbours, and any increasing transformation of a feature leaves its bins as they are.
    """
    n_cases, n_features = X.shape
    largest = n_cases if n_bins is None else n_bins
    symbols = np.empty((n_features, n_cases), dtype=np.min_scalar_type(largest - 1))
    for row, column in zip(symbols, X.T, strict=True):
        values, inverse, counts = np.unique(column, return_inverse=True, return_counts=True)
        if n_bins is None or len(values) <= n_bins:
            row[:] = inverse
        else:
            # Whole numbers throughout, so that no rounding decides on a bin.
            twice_rank = 2 * np.cumsum(counts) - counts
            row[:] = (n_bins * twice_rank // (2 * n_cases))[inverse]
    return symbols


class Information:
    """What features tell about the classes and about each other, in nats.

    All from counts: with L the sum of c log c over the cells of a table of n samples, its entropy
    is log n - L / n.
    """

    def __init__(self, symbols: NDArray[np.integer], classes: NDArray[np.integer]) -> None:
        self._symbols = symbols
        self._classes = classes
        self._n_cases = len(classes)
        self._n_symbols = int(symbols.max()) + 1
        self._n_classes = int(classes.max()) + 1
        counts = np.arange(self._n_cases + 1)
        self._count_logs = counts * np.log(np.maximum(counts, 1))

        nothing = np.zeros(self._n_cases, dtype=np.intp)
        self._alone, self._with_class = self._joint_logs(nothing, 1)
        self._of_class = self._count_logs[np.bincount(classes)].sum()
        self._whole = self._count_logs[-1]
        self.relevance = self._information(self._alone + self._of_class, self._with_class)
        self.is_constant = self._alone == self._whole

    def shared_with(self, feature: int) -> tuple[Floats, Floats]:
        """Return I(f; s) and I(f; s | y) of all features f with the feature s."""
        pair, triple = self._joint_logs(self._symbols[feature].astype(np.intp), self._n_symbols)
        shared = self._information(self._alone + self._alone[feature], pair)
        excess = triple + self._of_class - self._with_class - self._with_class[feature]
        return shared, np.maximum(excess / self._n_cases, 0.0)

    def _information(self, parts: Floats, joint: Floats) -> Floats:
        information: Floats = (joint + self._whole - parts) / self._n_cases
        return np.maximum(information, 0.0)

    def _joint_logs(self, given: NDArray[np.intp], n_given: int) -> tuple[Floats, Floats]:
        """Return L of (given, f) and of (given, f, y) for all features f."""
        n_cells = n_given * self._n_symbols * self._n_classes
        as_table = n_cells <= _CELLS_PER_CASE * self._n_cases
        pair, triple = np.empty((2, len(self._symbols)))
        base = given * (self._n_symbols * self._n_classes) + self._classes
        for block in self._blocks(max(n_cells, self._n_cases) if as_table else self._n_cases):
            cells = self._symbols[block].astype(np.intp)
            cells *= self._n_classes
            cells += base
            count = self._count_in_table if as_table else self._count_by_sorting
            pair[block], triple[block] = count(cells, n_cells)
        return pair, triple

    def _blocks(self, row_size: int) -> Iterator[slice]:
        n_rows = max(1, _BLOCK // row_size)
        for start in range(0, len(self._symbols), n_rows):
            yield slice(start, start + n_rows)

    def _count_in_table(self, cells: NDArray[np.intp], n_cells: int) -> tuple[Floats, Floats]:
        n_rows = len(cells)
        cells += np.arange(n_rows)[:, np.newaxis] * n_cells
        triple = np.bincount(cells.ravel(), minlength=n_rows * n_cells)
        pair = triple.reshape(n_rows, -1, self._n_classes).sum(axis=2)
        return (
            self._count_logs[pair].sum(axis=1),
            self._count_logs[triple.reshape(n_rows, -1)].sum(axis=1),
        )

    def _count_by_sorting(self, cells: NDArray[np.intp], n_cells: int) -> tuple[Floats, Floats]:
        del n_cells
        # In one order the samples of a cell are neighbours, with the class as with all classes.
        cells.sort(axis=1)
        return self._logs_of_runs(cells // self._n_classes), self._logs_of_runs(cells)

    def _logs_of_runs(self, ordered: NDArray[np.intp]) -> Floats:
        n_rows, n_cases = ordered.shape
        starts = np.ones(ordered.shape, dtype=bool)
        starts[:, 1:] = ordered[:, 1:] != ordered[:, :-1]
        places = np.flatnonzero(starts)
        lengths = np.diff(places, append=ordered.size)
        logs: NDArray[Any] = np.bincount(
            places // n_cases, weights=self._count_logs[lengths], minlength=n_rows
        )
        return logs


def select_greedily(
    information: Information, n_selected: int, price: Price, *, average: bool
) -> Ranking:
    """Take, one by one, the feature with the most relevance after all prices."""
    prices = np.zeros(len(information.relevance))

    def scores_after(chosen: int, n_taken: int) -> Floats:
        nonlocal prices
        prices = prices + price(*information.shared_with(chosen))
        return information.relevance - (prices / n_taken if average else prices)

    return take_one_by_one(
        information.relevance,
        n_selected,
        scores_after,
        # They overlap with nothing and so have no price.
        is_last=information.is_constant,
        still_equal=lambda best: best - _TIE,
    )


def take_one_by_one(
    scores: Floats,
    n_selected: int,
    scores_after: Callable[[int, int], Floats],
    *,
    is_last: NDArray[np.bool_],
    still_equal: Callable[[float], float],
) -> Ranking:
    """Take the feature with the best score, as the scores are after those taken before.

    `scores_after` is asked for them with the feature just taken and how many are. Of features that
    score no less than `still_equal` to the best, the first column is taken.
    """
    when_taken = np.full(len(scores), np.nan)
    waiting = ~is_last
    order: list[int] = []
    while len(order) < n_selected:
        if not waiting.any():
            waiting = np.isnan(when_taken)
        bar = still_equal(scores[waiting].max())
        chosen = int(np.flatnonzero(waiting & (scores >= bar))[0])
        order.append(chosen)
        when_taken[chosen] = scores[chosen]
        waiting[chosen] = False
        if len(order) < n_selected:
            scores = scores_after(chosen, len(order))
    return Ranking(when_taken, np.array(order, dtype=np.intp))


@estimator(random_state="mRMR uses no randomness.")
class MRMRSelector(InformationSelector):
    """Select features one by one, each relevant for the class and unlike the ones before.

    The score of a feature f next to the selected features s is I(f; y) - mean of I(f; s): the
    original criterion, a difference of mutual informations (MID), on features cut into bins. For
    classification. `MRMRFCQSelector` is the variant with F statistics and correlations.

    {parameters and attributes}

    Notes
    -----
    `scores_` holds each selected feature's score at the moment when it was selected. Later
    scores may be larger than earlier ones. Constant features are taken last.

    Examples
    --------
    The second column repeats the first, so the third is worth more.

    >>> from entryprune.baselines import MRMRSelector
    >>> X = [[0, 0, 0], [0, 0, 1], [1, 1, 0], [1, 1, 1], [0, 0, 1]]
    >>> MRMRSelector(n_features_to_select=2).fit(X, [0, 0, 1, 2, 0]).selected_indices_.tolist()
    [0, 2]
    """

    _title = "mRMR"
    _average = True
    _score_meaning = (
        "The score, from when the feature was selected, is its information about the class less "
        "the mean of what it shares with those selected before, in nats: at most 0.69 with two "
        "classes, 2.3 with ten. Later scores may be larger than earlier ones."
    )
    _ranks_by_score = False

    @staticmethod
    def _price(shared: Floats, given_class: Floats) -> Floats:
        del given_class
        return shared


@estimator(random_state="CIFE uses no randomness.")
class CIFESelector(InformationSelector):
    """Select features one by one by what each adds to the information about the class.

    The score of a feature f next to the selected features s is
    I(f; y) - sum of I(f; s) + sum of I(f; s | y): what it tells about the class, minus what it
    repeats of the selected features, plus what it tells only together with one of them. For
    classification.

    {parameters and attributes}

    Notes
    -----
    `scores_` holds each selected feature's score at the moment when it was selected. Later
    scores may well be larger than earlier ones. Constant features are taken last.

    With few samples to each value, all features look equally informative, and `n_bins=None` selects
    by column order more than by content.

    Examples
    --------
    The class is the exclusive or of the first and third column. Neither tells anything alone.

    >>> from itertools import product
    >>> from entryprune.baselines import CIFESelector
    >>> X = [*product([0, 1], repeat=3), (0, 0, 0)]
    >>> y = [first ^ third for first, _, third in X]
    >>> CIFESelector(n_features_to_select=2).fit(X, y).selected_indices_.tolist()
    [0, 2]
    """

    _title = "CIFE"
    _score_meaning = (
        "The score, from when the feature was selected, is its information about the class less "
        "what it repeats of those selected before, plus what it tells only beside one of them, in "
        "nats: the first has at most 0.69 with two classes, 2.3 with ten. Later scores may be "
        "larger than earlier ones."
    )
    _ranks_by_score = False

    @staticmethod
    def _price(shared: Floats, given_class: Floats) -> Floats:
        return shared - given_class


@estimator(random_state="ICAP uses no randomness.")
class ICAPSelector(InformationSelector):
    """Select features one by one by what each tells about the class and none has told yet.

    The score of a feature f next to the selected features s is
    I(f; y) - sum of max(0, I(f; s) - I(f; s | y)). A feature pays for what it repeats of a
    selected one, but earns nothing where the two tell more together than apart. For
    classification.

    {parameters and attributes}

    Notes
    -----
    `scores_` holds each selected feature's score at the moment when it was selected; scores never
    rise from one selection to the next, except that constant features are taken last.

    Examples
    --------
    The second column repeats the first, so the third is worth more.

    >>> from entryprune.baselines import ICAPSelector
    >>> X = [[0, 0, 0], [0, 0, 1], [1, 1, 0], [1, 1, 1], [0, 0, 1]]
    >>> ICAPSelector(n_features_to_select=2).fit(X, [0, 0, 1, 2, 0]).selected_indices_.tolist()
    [0, 2]
    """

    _title = "ICAP"
    _score_meaning = (
        "The score, from when the feature was selected, is its information about the class less "
        "what it repeats of those selected before, in nats: at most 0.69 with two classes, 2.3 "
        "with ten."
    )
    _ranks_by_score = False

    @staticmethod
    def _price(shared: Floats, given_class: Floats) -> Floats:
        return np.maximum(shared - given_class, 0.0)


# -- by F statistic and correlation ----------------------------------------------------------------


# An absolute correlation counts at least so much: a chance 0 must not make a feature's score
# infinite. The package `mrmr_selection` has such a floor too.
_FLOOR = 0.001
# So near to 1 is a copy. Wider than the rounding of single precision.
_COPY = 1 - 5e-6
# Stands for an infinite F statistic, so that redundancy still tells such features apart.
_LARGEST = 1e30


@estimator(
    task="The F statistic is that of a one-way analysis of variance for classes and of a linear "
    "regression for quantities.",
    random_state="mRMR uses no randomness.",
)
class MRMRFCQSelector(BaselineSelector):
    """Select features one by one, each relevant for the target and unlike the ones before.

    The score of a feature is the F statistic of its relation to the target, divided by its mean
    absolute correlation with the features that are selected already. This is the variant of mRMR
    that most people run today, the default of the package `mrmr_selection`; needs no bins.

    {parameters and attributes}

    Notes
    -----
    `scores_` holds each selected feature's score at the moment when it was selected. Later scores
    may be larger than earlier ones. An absolute correlation counts as at least 0.001; the package
    has such a floor too. As in the package, a copy of all that is selected scores 0. Constant
    features are taken last.

    Examples
    --------
    The second column repeats the first, so the third is worth more.

    >>> from entryprune.baselines import MRMRFCQSelector
    >>> X = [[0, 0, 0], [1, 1, 0], [0, 0, 1], [4, 4, 1], [5, 5, 1], [4, 4, 0]]
    >>> selector = MRMRFCQSelector(n_features_to_select=2).fit(X, [0, 0, 0, 1, 1, 1])
    >>> selector.selected_indices_.tolist()
    [0, 2]
    """

    _title = "mRMR FCQ"
    _score_meaning = (
        "The score, from when the feature was selected, is its F statistic over its mean "
        "correlation with those selected before; the first has its F statistic alone. Later "
        "scores may be larger than earlier ones."
    )
    _ranks_by_score = False

    def _rank(self, data: Data, n_selected: int, rng: np.random.Generator) -> Ranking:
        del rng
        columns = standardised_columns(data.X)
        relevance = f_statistic(data, columns)
        return select_by_quotient(columns, relevance, n_selected)


def standardised_columns(X: NDArray[Any]) -> Floats:
    """Return each column of `X` as a row with mean 0 and norm 1, or as zeros if it is constant."""
    rows = np.array(X.T, dtype=np.float64, order="C")
    # First to a size at which squares neither overflow nor vanish.
    largest = np.abs(rows).max(axis=1, keepdims=True)
    rows /= np.where(largest > 0, largest, 1.0)
    rows -= rows.mean(axis=1, keepdims=True)
    norms = np.linalg.norm(rows, axis=1, keepdims=True)
    # Rounding leaves a constant feature with a tiny spread.
    is_constant = (np.ptp(X, axis=0) == 0)[:, np.newaxis] | (norms == 0)
    rows /= np.where(is_constant, 1.0, norms)
    rows[is_constant[:, 0]] = 0.0
    return rows


def f_statistic(data: Data, columns: Floats) -> Floats:
    """Return how strongly each feature is related to the target; 0 where it is constant."""
    n_cases = len(data.y)
    if data.n_classes:
        ratio = fisher_scores(columns.T, data.y, data.n_classes)
        freedom = max(n_cases - data.n_classes, 1) / max(data.n_classes - 1, 1)
    else:
        target = standardised_columns(data.y[:, np.newaxis])[0]
        squares = np.square(columns @ target)
        with np.errstate(divide="ignore"):
            ratio = squares / np.maximum(1 - squares, 0.0)
        freedom = max(n_cases - 2, 1)
    return np.minimum(ratio * freedom, _LARGEST)


def select_by_quotient(columns: Floats, relevance: Floats, n_selected: int) -> Ranking:
    """Take, one by one, the feature with the most relevance for its redundancy."""
    redundancy = np.zeros(len(columns))

    def scores_after(chosen: int, n_taken: int) -> Floats:
        nonlocal redundancy
        redundancy = redundancy + np.maximum(np.abs(columns @ columns[chosen]), _FLOOR)
        mean = redundancy / n_taken
        return np.where(mean < _COPY, relevance / mean, 0.0)

    return take_one_by_one(
        relevance,
        n_selected,
        scores_after,
        is_last=~np.any(columns, axis=1),  # the constant ones
        still_equal=lambda best: best * (1 - _TIE),
    )
