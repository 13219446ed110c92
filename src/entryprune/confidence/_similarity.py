"""How much alike columns are."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray


def correlations(values: NDArray[Any]) -> NDArray[np.float64]:
    """Return the correlations of all columns; a constant has none, and 1 with itself."""
    centred = values.astype(np.float64)
    # A constant has no spread at all, whatever rounding leaves of its mean.
    is_constant = values.min(axis=0) == values.max(axis=0)
    centred -= centred.mean(axis=0)
    centred[:, is_constant] = 0.0
    norms = np.sqrt(np.einsum("ij,ij->j", centred, centred))
    centred /= np.where(norms > 0, norms, 1.0)
    result: NDArray[np.float64] = (centred.T @ centred).clip(-1.0, 1.0)
    np.fill_diagonal(result, 1.0)
    return result
