"""The text that the baselines' docstrings share."""

from __future__ import annotations

from entryprune.selectors._documentation import fill_docstring

_FIRST = """n_features_to_select : int, float or None, default=None
        How many features to select: a number, a share of all features, or None for half of them."""

_TASK = """task : {"auto", "classification", "regression"}, default="auto"
        What y holds. "auto" goes by y: fractions mean regression, all else classification."""

_SCALE = """scale : {"minmax", "standard"} or None, default="minmax"
        How each feature is scaled first: to [0, 1], to mean 0 and standard deviation 1, or not
        at all."""

_DEVICE = """device : str or torch.device, default="auto"
        Where to compute; "auto" takes a GPU if there is one."""

_STATE = """random_state : int, RandomState or None, default=None
        Seed. The same seed, data and number of threads give the same selection."""

_VERBOSE = """verbose : int, default=0
        Show a progress bar on the error stream."""

_ATTRIBUTES = """support_ : ndarray of bool, shape (n_features,)
        The selected features.
    selected_indices_ : ndarray of int, shape (n_selected,)
        The selected features, best first.
    scores_ : ndarray of shape (n_features,)
        The method's score of each feature, larger is better; NaN where it gives none.
    ranking_ : ndarray of int, shape (n_features,)
        1 for the best feature; features that the method gives no place share the last one. Of
        equally good features the first column comes first.
    task_ : str
        "classification" or "regression".
    n_features_in_ : int
        Number of features seen in fit.
    feature_names_in_ : ndarray of str
        Their names, if X had any."""

documented = fill_docstring(
    n_features_to_select=_FIRST,
    task=_TASK,
    scale=_SCALE,
    device=_DEVICE,
    random_state=_STATE,
    verbose=_VERBOSE,
    attributes=_ATTRIBUTES,
)
