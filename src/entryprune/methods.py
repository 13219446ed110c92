"""Every method by its name, with the settings of the published comparison.

The registry knows where a method is, but imports it only when it is made: listing the methods must
not take the seconds that torch takes.
"""

from __future__ import annotations

import importlib
import inspect
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, TypeVar

from entryprune._text import suggestion

CLASSIFICATION, REGRESSION, SURVIVAL = "classification", "regression", "survival"
_BOTH = (CLASSIFICATION, REGRESSION)
_ALL = (*_BOTH, SURVIVAL)
_CLASSES = (CLASSIFICATION,)

T = TypeVar("T")


@dataclass(frozen=True)
class Method:
    """One entry of the registry."""

    name: str  # what the benchmark and the command line call it
    title: str  # what tables call it
    module: str
    class_name: str
    # The classes for other tasks than classification, where these are others.
    others: dict[str, str] = field(default_factory=dict)
    tasks: tuple[str, ...] = _BOTH
    takes_several: bool = False  # whether it knows targets of several columns
    is_random: bool = True  # whether its answer depends on the seed
    package: str | None = None  # of the extra ``entryprune[peers]``, that it needs
    # Parameters of the published comparison that differ from the class's defaults.
    settings: dict[str, Any] = field(default_factory=dict)
    # Whether its own scaling is part of the method. Of a method that would only repeat what the
    # benchmark's protocol has done (min-max), the benchmark switches it off.
    keeps_scale: bool = False


def _entryprune(name: str, title: str, *, keeps_scale: bool = False, **settings: Any) -> Method:
    return Method(
        name,
        title,
        "entryprune.selectors",
        "EntryPruneClassifier",
        others={REGRESSION: "EntryPruneRegressor", SURVIVAL: "EntryPruneSurvival"},
        tasks=_ALL,
        takes_several=True,
        settings=settings,
        keeps_scale=keeps_scale,
    )


def _baseline(name: str, title: str, module: str, class_name: str, **details: Any) -> Method:
    return Method(name, title, f"entryprune.baselines.{module}", class_name, **details)


# Of those that do not look at the target.
_ANY_TARGET: dict[str, Any] = {"tasks": _ALL, "takes_several": True}

METHODS: dict[str, Method] = {
    method.name: method
    for method in (
        _entryprune(
            "entryprune-exchange", "EntryPrune exchange", keeps_scale=True, preset="exchange"
        ),
        _entryprune("entryprune", "EntryPrune", preset="paper"),
        _entryprune("entryprune-flex", "EntryPrune flex", preset="paper", flex=True),
        _baseline(
            "fisher", "Fisher score", "filters", "FisherSelector", tasks=_CLASSES, is_random=False
        ),
        _baseline("cife", "CIFE", "information", "CIFESelector", tasks=_CLASSES, is_random=False),
        _baseline("icap", "ICAP", "information", "ICAPSelector", tasks=_CLASSES, is_random=False),
        _baseline("rfs", "RFS", "linear", "RFSSelector", is_random=False),
        _baseline("quickselection", "QuickSelection", "sparse_networks", "QuickSelectionSelector"),
        _baseline("stg", "STG", "gates", "STGSelector"),
        _baseline("lassonet", "LassoNet", "penalties", "LassoNetSelector", package="lassonet"),
        _baseline("rigl", "RigL", "sparse_networks", "RigLSelector"),
        _baseline("neurofs", "NeuroFS", "sparse_networks", "NeuroFSSelector"),
        _baseline("gradenfs", "GradEnFS", "sparse_networks", "GradEnFSSelector"),
        _baseline("deeplasso", "DeepLasso", "penalties", "DeepLassoSelector"),
        _baseline("l1", "L1", "linear", "L1Selector", is_random=False),
        _baseline("extra-trees", "ExtraTrees", "trees", "ExtraTreesSelector"),
        _baseline("lightgbm", "LightGBM gain", "trees", "LightGBMSelector", package="lightgbm"),
        _baseline("mrmr", "mRMR", "information", "MRMRSelector", tasks=_CLASSES, is_random=False),
        _baseline("boruta", "Boruta", "trees", "BorutaSelector", package="boruta"),
        _baseline("autonfs", "AutoNFS", "masks", "AutoNFSSelector", package="autonfs"),
        _baseline("mrmr-fcq", "mRMR FCQ", "information", "MRMRFCQSelector", is_random=False),
        _baseline("forest-permutation", "Forest permutation", "trees", "ForestPermutationSelector"),
        _baseline(
            "lightgbm-shap", "LightGBM SHAP", "trees", "LightGBMSHAPSelector", package="lightgbm"
        ),
        _baseline("sand", "SAND", "gates", "SANDSelector"),
        _baseline(
            "sequential-attention",
            "Sequential Attention",
            "masks",
            "SequentialAttentionSelector",
        ),
        _baseline(
            *("cox-score", "Cox score", "filters", "CoxScoreSelector"),
            tasks=(SURVIVAL,),
            is_random=False,
        ),
        _baseline(
            "variance", "Variance", "filters", "VarianceSelector", is_random=False, **_ANY_TARGET
        ),
        _baseline("random", "Random", "filters", "RandomSelector", **_ANY_TARGET),
    )
}


def get_method(name: str) -> Method:
    """Return the method of this name, or say which there are.

    Examples
    --------
    >>> get_method("fisher").title
    'Fisher score'
    """
    return look_up(name, METHODS, "method", "methods")


def look_up(name: str, table: Mapping[str, T], kind: str, kinds: str) -> T:
    """Return the entry of this name, or say which is meant and which there are."""
    try:
        return table[name]
    except KeyError:
        raise ValueError(
            f"There is no {kind} {name!r}.{suggestion(name, table)} The {kinds} are: "
            f"{', '.join(table)}."
        ) from None


def register_method(
    name: str,
    selector: type,
    *,
    title: str | None = None,
    is_random: bool = True,
    keeps_scale: bool = False,
) -> None:
    """Add a selector of your own, so that the benchmark knows it by its name.

    Parameters
    ----------
    name : str
        What the benchmark and the command line shall call it.
    selector : type
        A class whose first parameter is ``n_features_to_select``, with ``selected_indices_`` and
        ``support_`` after `fit`. It is given ``random_state`` and ``task`` if it takes them.
    title : str, optional
        What tables shall call it; by default the name.
    is_random : bool
        Whether its answer depends on the seed.
    keeps_scale : bool
        Whether the benchmark, whose data are scaled, shall leave its parameter ``scale`` (if it has
        one) as it is.

    Examples
    --------
    >>> from entryprune.baselines import FisherSelector
    >>> register_method("my-fisher", FisherSelector, is_random=False)
    >>> make_selector("my-fisher", 5)
    FisherSelector(n_features_to_select=5, task='classification')
    >>> del METHODS["my-fisher"]
    """
    method = Method(
        name,
        title or name,
        selector.__module__,
        selector.__name__,
        is_random=is_random,
        keeps_scale=keeps_scale,
    )
    if METHODS.get(name, method) != method:
        raise ValueError(
            f"There is a method {name!r} already ({METHODS[name].title}). Choose another name."
        )
    METHODS[name] = method


def make_selector(
    name: str,
    n_features_to_select: float | str | None = None,
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
    n_features_to_select : int, float, "auto", "best" or None
        How many features to select.
    task : {"classification", "regression", "survival"}
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
    if task not in _ALL:
        raise ValueError(f"task must be one of {', '.join(_ALL)}; got {task!r}.")
    class_name = method.others.get(task, method.class_name)
    kind = getattr(importlib.import_module(method.module), class_name)
    # A selector of the user's own need not take these two; ours tell the task by their class.
    taken = inspect.signature(kind).parameters
    common = {"random_state": random_state, "task": task}
    settings = {name: value for name, value in common.items() if name in taken}
    return kind(n_features_to_select, **settings, **{**method.settings, **parameters})
