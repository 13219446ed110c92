"""mRMR: maximum relevance, minimum redundancy.

H. Peng, F. Long and C. Ding, Feature selection based on mutual information: criteria of
max-dependency, max-relevance, and min-redundancy, IEEE Transactions on Pattern Analysis and
Machine Intelligence 27(8), 2005.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from entryprune.baselines._information import InformationSelector
from entryprune.selectors._selector import estimator


@estimator(random_state="mRMR uses no randomness.")
class MRMRSelector(InformationSelector):
    """Select features one by one, each relevant for the class and unlike the ones before.

    The score of a feature f next to the selected features s is I(f; y) - mean of I(f; s): the
    original criterion, a difference of mutual informations (MID), on features cut into bins. For
    classification. `MRMRFCQSelector` is the variant with F statistics and correlations.

    Parameters
    ----------
    {parameters}

    Attributes
    ----------
    {attributes}

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

    @staticmethod
    def _price(
        shared: NDArray[np.float64], given_class: NDArray[np.float64]
    ) -> NDArray[np.float64]:
        del given_class
        return shared
