"""ICAP: interaction capping.

A. Jakulin, Machine learning based on attribute interactions, PhD thesis, University of Ljubljana,
2005.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from entryprune.baselines._information import InformationSelector
from entryprune.selectors._selector import estimator


@estimator(random_state="ICAP uses no randomness.")
class ICAPSelector(InformationSelector):
    """Select features one by one by what each tells about the class and none has told yet.

    The score of a feature f next to the selected features s is
    I(f; y) - sum of max(0, I(f; s) - I(f; s | y)). A feature pays for what it repeats of a
    selected one, but earns nothing where the two tell more together than apart. For
    classification.

    Parameters
    ----------
    {parameters}

    Attributes
    ----------
    {attributes}

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

    @staticmethod
    def _price(
        shared: NDArray[np.float64], given_class: NDArray[np.float64]
    ) -> NDArray[np.float64]:
        return np.maximum(shared - given_class, 0.0)
