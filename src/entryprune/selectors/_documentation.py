"""The text that both estimators' docstrings share."""

from __future__ import annotations

import inspect
import textwrap
from collections.abc import Callable

from entryprune.selectors._presets import AUTO_TEXTS, PRESETS
from entryprune.selectors._tunable import TUNABLES

# Parameters that are not settings: the type and the text.
OWN_PARAMETERS = {
    "n_features_to_select": (
        "int, float or None",
        "How many features to select: a number, a share of all features, or None for half of them.",
    ),
    "preset": (
        "{" + ", ".join(f'"{name}"' for name in PRESETS) + "}",
        'What "auto" means for the parameters below. "paper" is the setting of the published '
        "experiments. An explicit value always wins; what was used is in `settings_`.",
    ),
    "body": (
        "torch.nn.Module or None",
        "Your own network in place of everything after the first layer. It receives the first "
        "layer's outputs, as many as the first of `hidden_layer_sizes`, before any activation. "
        "It is copied, and the weights it comes with are the start of each training.",
    ),
    "device": (
        "str or torch.device",
        'Where to train. "auto" is a CUDA device if there is one, else the CPU. The fitted '
        "estimator predicts on the CPU and can be loaded anywhere.",
    ),
    "random_state": (
        "int, RandomState or None",
        "The one source of randomness. The same number, data and thread count give the same "
        "selection.",
    ),
    "verbose": ("int", "1 shows a live line with the progress."),
    "callback": (
        "callable or None",
        "Called with an `entryprune.engine.Record` after each rotation; anything true ends the "
        "fit with what is known by then.",
    ),
}


def parameter_section(cls: type, **own: tuple[str, str]) -> str:
    """Describe the parameters of `cls` in the order of its signature, with their defaults.

    `own` holds the type and the text of those that are neither settings nor in
    `OWN_PARAMETERS`.
    """
    texts = {**OWN_PARAMETERS, **{name: _described(name) for name in TUNABLES}, **own}
    entries = []
    for name, parameter in inspect.signature(cls).parameters.items():
        kind, text = texts[name]
        filled = textwrap.fill(text, 91, break_on_hyphens=False)
        default = _literal(parameter.default)
        entries.append(f"{name} : {kind}, default={default}\n{textwrap.indent(filled, '    ')}")
    # The first line follows the indent that stands in the docstring.
    return textwrap.indent("\n".join(entries), "    ").lstrip()


def _described(name: str) -> tuple[str, str]:
    """Return the type of a setting and its text, with what "auto" means for it."""
    tunable = TUNABLES[name]
    auto = AUTO_TEXTS.get(name, f'"auto" is {_literal(tunable.default)}.')
    return f'{tunable.allowed} or "auto"', f"{tunable.text} {auto}"


def _literal(value: object) -> str:
    return f'"{value}"' if isinstance(value, str) else repr(value)


ATTRIBUTES = """support_ : ndarray of bool of shape (n_features_in_,)
        Which features are selected.
    selected_indices_ : ndarray of int of shape (n_selected,)
        The selected features, best first.
    entry_scores_ : ndarray of float of shape (n_features_in_,)
        The score that each selected feature was seated with, NaN for the others.
    ranking_ : ndarray of int of shape (n_features_in_,)
        1 for the best feature, up to K for the last selected one; K + 1 for all others.
    first_selected_indices_ : ndarray of int of shape (n_selected,)
        What the first training selected, best first; differs where `refit` trained again.
    history_ : dict of ndarray
        One entry per rotation: see `entryprune.engine.Record`. Fits into a pandas DataFrame.
    n_rotations_ : int
        Rotations that led to the selection.
    stop_reason_ : str
        "validation", "ident", "epochs", "max_rotations", "max_epochs" or "callback".
    settings_ : dict
        The value that was used for every setting.
    network_ : torch.nn.Module
        The network behind `predict`: takes the scaled selected features in column order.
    n_features_in_ : int
        Number of features seen during fit.
    feature_names_in_ : ndarray of str of shape (n_features_in_,)
        Names of the features, if X had names that are all strings."""


def fill_docstring(**texts: str) -> Callable[[type], type]:
    """Put texts into a class's docstring where it names them in braces."""

    def fill(cls: type) -> type:
        doc = cls.__doc__ or ""
        for name, text in texts.items():
            doc = doc.replace("{" + name + "}", text)
        cls.__doc__ = doc
        return cls

    return fill


def documented(*, loss: str, loss_text: str) -> Callable[[type], type]:
    """Fill what the two estimators share, and the losses that one has, into its docstring."""

    def fill(cls: type) -> type:
        parameters = parameter_section(cls, loss=(f"{loss} or callable", loss_text))
        return fill_docstring(parameters=parameters, attributes=ATTRIBUTES)(cls)

    return fill
