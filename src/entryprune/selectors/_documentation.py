"""The text that both estimators' docstrings share."""

from __future__ import annotations

from collections.abc import Callable

PARAMETERS = """n_features_to_select : int, float or None, default=None
        How many features to select: a number, a share of all features, or None for half of them.
    preset : {"paper"}, default="paper"
        What "auto" means for the parameters below. "paper" is the setting of the published
        experiments. An explicit value always wins; what was used is in `settings_`.
    candidate_ratio : float or "auto", default="auto"
        Share of the features not selected that stand in the input layer as candidates, in (0, 1].
        "auto" is 0.2 on long data (more cases than features) and 0.5 on wide data, but at least
        10 candidates on narrow tables, and on very large ones at most 32,768 candidates or a
        window of 2**28 values (1 GiB), whichever is less.
    batches_per_rotation : int or "auto", default="auto"
        Mini-batches after which candidates are judged and replaced. "auto" is 100 on long data
        and 5 on wide data.
    flex : bool or "auto", default="auto"
        Let the number of candidates follow the loss (EntryPrune flex). "auto" is False.
    change_metric : {"gradient", "weight_change", "magnitude", "molchanov"} or "auto", \
default="auto"
        What a feature's score is made of: the sum of its gradients, the change of its weights,
        the size of its weights, or Molchanov's importance. "auto" is "gradient".
    entry_scores : bool or "auto", default="auto"
        Judge a feature by its score when it entered; else every feature by its latest score.
        "auto" is True, except with "molchanov".
    regrowth : {"random", "gradient"} or "auto", default="auto"
        Draw candidates at random, or take those with the largest gradient. "auto" is "random".
    reset_optimizer : bool or "auto", default="auto"
        Re-initialise the optimiser at every rotation; else only new candidates start afresh.
        "auto" is True.
    hidden_layer_sizes : int, sequence of int or "auto", default="auto"
        Widths of the hidden layers. "auto" is (100,).
    activation : {"relu", "tanh", "logistic", "identity"} or "auto", default="auto"
        Follows each hidden layer. "auto" is "relu".
    body : torch.nn.Module or None, default=None
        Your own network in place of everything after the first layer. It receives the first
        layer's outputs, as many as the first of `hidden_layer_sizes`, before any activation. It
        is copied, and the weights it comes with are the start of each training.
    loss : {loss} or callable, default="auto"
        {loss_text}
    learning_rate_init : float or "auto", default="auto"
        Step size of the Adam optimiser. "auto" is 0.001.
    batch_size : int or "auto", default="auto"
        Cases in a mini-batch, or all where there are fewer. "auto" is 1024.
    stopping : {"validation", "ident", "epochs"} or "auto", default="auto"
        "validation": when the validation loss found no new low for `patience` rotations, or the
        selected set did not change for as many. "ident": when the set did not change for
        `patience` rotations. "epochs": after `max_epochs`. "auto" is "validation".
    patience : int or "auto", default="auto"
        Rotations without progress that end the search. "auto" is 100.
    max_rotations : int, None or "auto", default="auto"
        Bound on the rotations of a training; reaching it warns. "auto" is 5000.
    max_epochs : int, None or "auto", default="auto"
        Bound on the passes over the data; reaching it warns, unless `stopping` is "epochs".
        "auto" is 500 with "epochs" and None, no bound, otherwise.
    validation_fraction : float or "auto", default="auto"
        Share of the cases held out by "validation". "auto" is 0.2.
    refit : bool or "auto", default="auto"
        After a search by "validation", select again on all cases for the number of rotations
        found. "auto" is True.
    scale : {"minmax", "standard", None} or "auto", default="auto"
        How features are scaled inside. "auto" is "minmax".
    device : str or torch.device, default="auto"
        Where to train. "auto" is a CUDA device if there is one, else the CPU. The fitted
        estimator predicts on the CPU and can be loaded anywhere.
    random_state : int, RandomState or None, default=None
        The one source of randomness. The same number, data and thread count give the same
        selection.
    verbose : int, default=0
        1 shows a live line with the progress.
    callback : callable or None, default=None
        Called with an `entryprune.engine.Record` after each rotation; anything true ends the fit
        with what is known by then."""

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


def documented(**texts: str) -> Callable[[type], type]:
    """Fill the parts that the two estimators share into a class's docstring."""
    return fill_docstring(parameters=PARAMETERS, attributes=ATTRIBUTES, **texts)
