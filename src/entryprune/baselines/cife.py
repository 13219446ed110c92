"""CIFE: conditional infomax feature extraction.

D. Lin and X. Tang, Conditional infomax learning: an integrated framework for feature extraction
and fusion, ECCV 2006.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from entryprune.baselines._information import InformationSelector
from entryprune.selectors._selector import estimator


@estimator(random_state="CIFE uses no randomness.")
class CIFESelector(InformationSelector):
    """Select features one by one by what each adds to the information about the class.

    The score of a feature f next to the selected features s is
    I(f; y) - sum of I(f; s) + sum of I(f; s | y): what it tells about the class, minus what it
    repeats of the selected features, plus what it tells only together with one of them. For
    classification.

    Parameters
    ----------
    {parameters}

    Attributes
    ----------
    {attributes}

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

    @staticmethod
    def _price(
        shared: NDArray[np.float64], given_class: NDArray[np.float64]
    ) -> NDArray[np.float64]:
        return shared - given_class
