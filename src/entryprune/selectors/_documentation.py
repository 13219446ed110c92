"""The text that both estimators' docstrings share."""

from __future__ import annotations

import inspect
import textwrap
from collections.abc import Callable

from entryprune.selectors._presets import AUTO_TEXTS, PRESETS, TUNABLES

# Parameters that are not settings: the type and the text.
OWN_PARAMETERS = {
    "n_features_to_select": (
        "int, float or None",
        "How many features to select: a number, a share of all features, or None for half of them.",
    ),
    "preset": (
        "{" + ", ".join(f'"{name}"' for name in PRESETS) + "}",
        'The algorithm. "exchange" is growth and exchange, which is faster and selects better on '
        'nearly all tables. "paper" is EntryPrune as it was published, with the settings of the '
        "published experiments. The preset decides which of the parameters below play a part and "
        'what "auto" means for them; what was used is in `settings_`.',
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
        "Called with an `entryprune.engine.Record` after each rotation, portion of seats or "
        "exchange; anything true ends the fit with what is known by then.",
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
    return f'{tunable.allowed} or "auto"', f"{tunable.text} {_auto(name)}"


def _auto(name: str) -> str:
    """Say what "auto" means for a setting, and in which preset it plays a part."""
    values = {
        preset: _literal(one.tunables[name].default)
        for preset, one in PRESETS.items()
        if name in one.tunables
    }
    if len(values) == 1:
        (owner, value) = next(iter(values.items()))
        return f'With preset "{owner}" only. ' + AUTO_TEXTS.get(name, f'"auto" is {value}.')
    usual, papers = values["exchange"], values["paper"]
    if usual == papers:
        return f'"auto" is {usual}.'
    return f'"auto" is {usual}, with preset "paper" {papers}.'


def _literal(value: object) -> str:
    return f'"{value}"' if isinstance(value, str) else repr(value)


ATTRIBUTES = """support_ : ndarray of bool of shape (n_features_in_,)
        Which features are selected.
    selected_indices_ : ndarray of int of shape (n_selected,)
        The selected features, best first.
    entry_scores_ : ndarray of float of shape (n_features_in_,)
        The score that each selected feature was seated with, NaN for the others.
    scores_ : ndarray of float of shape (n_features_in_,)
        What each feature brings beside the other selected ones: by how much the log evidence per
        sample falls without it or, for one that is not selected, would rise at first with it. With
        preset "paper" the entry scores.
    ranking_ : ndarray of int of shape (n_features_in_,)
        1 for the best feature, up to K for the last selected one. The first features of it are
        what a smaller K would have selected, unless seats were exchanged or given to pairs (see
        "phase" in `history_`). Those not selected follow in the order of their scores;
        with preset "paper" they all have the rank K + 1.
    interactions_ : dict of ndarray
        Pairs of features that matter together: "first" and "second" are feature numbers,
        "strength" is in standard deviations, "p_value" is corrected for the number of pairs.
        Empty with preset "paper". Fits into a pandas DataFrame.
    pairs_searched_ : float
        Which share of all pairs of features was looked at for `interactions_`: 1 if all; less
        where that would take too long; 0 where samples are too few to tell, or with preset "paper".
    first_selected_indices_ : ndarray of int of shape (n_selected,)
        What the first training selected, best first; differs where `refit` trained again.
    history_ : dict of ndarray
        One entry per rotation, portion of seats or exchange: see `entryprune.engine.Record`. Fits
        into a pandas DataFrame.
    n_rotations_ : int
        Rotations that led to the selection; portions and exchanges with preset "exchange".
    stop_reason_ : str
        "done" or "callback"; with preset "paper" also "validation", "ident", "epochs",
        "max_rotations" or "max_epochs".
    settings_ : dict
        The value that was used for every setting.
    network_ : torch.nn.Module
        The network behind `predict`: takes the scaled selected features in column order.
    n_features_in_ : int
        Number of features seen during fit.
    feature_names_in_ : ndarray of str of shape (n_features_in_,)
        Names of the features, if X had names that are all strings."""


SUMMARY = """Features take their seats in a small input layer one after the other, each judged by
    its first impression: how much it promises to explain of what those seated leave unexplained.
    Pairs that matter only together are looked for, and seats that would hardly be missed are
    exchanged. With ``preset="paper"`` it is EntryPrune as published: a dense network sees a small,
    rotating part of the features, and those stay that change it most when they enter."""


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
        return fill_docstring(summary=SUMMARY, parameters=parameters, attributes=ATTRIBUTES)(cls)

    return fill
