"""Every method by its name, with the settings of the published comparison.

The registry knows where a method is, but imports it only when it is made: listing the methods must
not take the seconds that torch takes.
"""

from __future__ import annotations

import difflib
import importlib
from dataclasses import dataclass, field
from typing import Any

CLASSIFICATION, REGRESSION = "classification", "regression"
_BOTH = (CLASSIFICATION, REGRESSION)
_CLASSES = (CLASSIFICATION,)


@dataclass(frozen=True)
class Method:
    """One entry of the registry.

    Attributes
    ----------
    name : str
        What the benchmark and the command line call it.
    title : str
        What tables call it.
    module, class_name : str
        Where it is.
    regressor : str or None
        The class for regression, where that is another one.
    tasks : tuple of str
        What it can do.
    is_random : bool
        Whether its answer depends on the seed.
    package : str or None
        The package of the extra ``entryprune[peers]`` that it needs.
    settings : dict
        Parameters of the published comparison that differ from the class's defaults.
    """

    name: str
    title: str
    module: str
    class_name: str
    regressor: str | None = None
    tasks: tuple[str, ...] = _BOTH
    is_random: bool = True
    package: str | None = None
    settings: dict[str, Any] = field(default_factory=dict)


def _entryprune(name: str, title: str, **settings: Any) -> Method:
    return Method(
        name,
        title,
        "entryprune.selectors",
        "EntryPruneClassifier",
        regressor="EntryPruneRegressor",
        settings=settings,
    )


def _baseline(name: str, title: str, class_name: str, **details: Any) -> Method:
    module = f"entryprune.baselines.{name.replace('-', '_')}"
    return Method(name, title, module, class_name, **details)


METHODS: dict[str, Method] = {
    method.name: method
    for method in (
        _entryprune("entryprune", "EntryPrune"),
        _entryprune("entryprune-flex", "EntryPrune flex", flex=True),
        _baseline("fisher", "Fisher score", "FisherSelector", tasks=_CLASSES, is_random=False),
        _baseline("cife", "CIFE", "CIFESelector", tasks=_CLASSES, is_random=False),
        _baseline("icap", "ICAP", "ICAPSelector", tasks=_CLASSES, is_random=False),
        _baseline("rfs", "RFS", "RFSSelector", is_random=False),
        _baseline("quickselection", "QuickSelection", "QuickSelectionSelector"),
        _baseline("stg", "STG", "STGSelector"),
        _baseline("lassonet", "LassoNet", "LassoNetSelector", package="lassonet"),
        _baseline("rigl", "RigL", "RigLSelector"),
        _baseline("neurofs", "NeuroFS", "NeuroFSSelector"),
        _baseline("gradenfs", "GradEnFS", "GradEnFSSelector"),
        _baseline("deeplasso", "DeepLasso", "DeepLassoSelector"),
        _baseline("l1", "L1", "L1Selector", is_random=False),
        _baseline("extra-trees", "ExtraTrees", "ExtraTreesSelector"),
        _baseline("lightgbm", "LightGBM gain", "LightGBMSelector", package="lightgbm"),
        _baseline("mrmr", "mRMR", "MRMRSelector", tasks=_CLASSES, is_random=False),
        _baseline("boruta", "Boruta", "BorutaSelector", package="boruta"),
        _baseline("autonfs", "AutoNFS", "AutoNFSSelector", package="autonfs"),
    )
}


def get_method(name: str) -> Method:
    """Return the method of this name, or say which there are.

    Examples
    --------
    >>> get_method("fisher").title
    'Fisher score'
    """
    try:
        return METHODS[name]
    except KeyError:
        near = difflib.get_close_matches(name, METHODS, n=1)
        hint = f"Did you mean {near[0]!r}? " if near else ""
        raise ValueError(
            f"There is no method {name!r}. {hint}The methods are: {', '.join(METHODS)}."
        ) from None


def make_selector(
    name: str,
    n_features_to_select: float | None = None,
    *,
    task: str = CLASSIFICATION,
    random_state: Any = None,
    **parameters: Any,
) -> Any:
    """Make a selector by its name, with the settings of the published comparison.

    Parameters
    ----------
    name : str
        A key of `METHODS`.
    n_features_to_select : int, float or None
        How many features to select.
    task : {"classification", "regression"}
        What the target holds.
    random_state : int, RandomState or None
        Seed.
    **parameters
        Further parameters of the selector; they win over the published settings.

    Returns
    -------
    selector : estimator
        Not fitted yet.

    Examples
    --------
    >>> make_selector("fisher", 5, random_state=0)
    FisherSelector(n_features_to_select=5, random_state=0, task='classification')
    """
    method = get_method(name)
    if task not in _BOTH:
        raise ValueError(f"task must be one of {', '.join(_BOTH)}; got {task!r}.")
    is_regressor = task == REGRESSION and method.regressor is not None
    class_name = method.regressor if is_regressor else method.class_name
    kind = getattr(importlib.import_module(method.module), str(class_name))
    if method.regressor is None:
        parameters["task"] = task
    settings = {**method.settings, **parameters}
    return kind(n_features_to_select, random_state=random_state, **settings)
