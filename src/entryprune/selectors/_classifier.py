"""Feature selection for classes."""

from __future__ import annotations

from typing import Any

import numpy as np
import torch
from numpy.typing import ArrayLike, NDArray
from sklearn.base import ClassifierMixin
from sklearn.utils import compute_sample_weight
from sklearn.utils._param_validation import StrOptions
from sklearn.utils.multiclass import check_classification_targets, type_of_target

from entryprune._text import listed
from entryprune.engine.losses import LossFunction
from entryprune.engine.settings import setting
from entryprune.selectors._base import BaseEntryPrune, Targets
from entryprune.selectors._inputs import check_table, number_classes
from entryprune.selectors._selector import About, Special, estimator

# What each sample has: one of the classes, one of classes in an order, or any of several labels.
CLASSES, ORDERED, LABELS = "classes", "ordered", "labels"


@estimator()
class EntryPruneClassifier(ClassifierMixin, BaseEntryPrune):
    """Select the features that matter for telling classes apart.

    {summary}

    Parameters
    ----------
    {parameters}

    Attributes
    ----------
    {attributes}
    classes_ : ndarray of shape (n_classes,)
        The class labels.

    See Also
    --------
    EntryPruneRegressor : The same for numbers as targets.

    References
    ----------
    F. Zimmer, P. Okanovic, T. Hoefler. EntryPrune: Neural Network Feature Selection using First
    Impressions. ICLR 2026.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from entryprune import EntryPruneClassifier
    >>> X, y = load_breast_cancer(return_X_y=True, as_frame=True)
    >>> selector = EntryPruneClassifier(n_features_to_select=3, random_state=0).fit(X, y)
    >>> selector.get_feature_names_out().tolist()
    ['worst radius', 'worst texture', 'worst concave points']
    >>> bool(selector.score(X, y) > 0.95)
    True

    Two of sixty columns decide together, and neither tells anything alone:

    >>> import numpy as np
    >>> X = np.random.default_rng(0).normal(size=(400, 60))
    >>> y = X[:, 10] * X[:, 40] > 0
    >>> selector = EntryPruneClassifier(n_features_to_select=2, random_state=0).fit(X, y)
    >>> selector.interactions_["first"].tolist(), selector.interactions_["second"].tolist()
    ([10], [40])
    """

    loss: str | LossFunction = setting(
        "auto",
        Special(
            '{"cross_entropy", "auto"} or callable',
            (StrOptions({"cross_entropy", "auto"}), callable),
        ),
        '"auto" is "cross_entropy". A function of outputs (samples by classes) and class '
        "numbers returns a scalar tensor.",
    )
    class_weight: Any = setting(
        None,
        Special('dict, "balanced" or None', (dict, StrOptions({"balanced"}), None)),
        'How much more the samples of each class count, by its label; "balanced" makes all '
        "classes count the same.",
    )
    ordinal: bool | list[Any] | tuple[Any, ...] = setting(
        False,
        Special("bool or list", ("boolean", list, tuple)),
        "Whether the classes are in an order, or a list of them in their order, such as low, "
        "middle and high. True takes that of an ordered categorical of pandas, else that of the "
        "sorted labels. What tells the lower from the higher ones is then looked for.",
    )

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_label = not self._is_ordered
        return tags

    def _check(self, X: ArrayLike, y: ArrayLike) -> tuple[NDArray[Any], NDArray[Any]]:
        shape = np.asarray(y).shape
        is_multi_label = len(shape) == 2 and shape[1] > 1
        table, target = check_table(
            self, X, y, reset=True, ensure_min_samples=2, accept_sparse=["csr", "csc"],
            multi_output=is_multi_label,
        )  # fmt: skip
        check_classification_targets(target)
        if is_multi_label and type_of_target(target) != "multilabel-indicator":
            raise ValueError(
                f"y has {target.shape[1]} columns, which for a classifier must hold 0 and 1: "
                f"whether each label applies. For several quantities take EntryPruneRegressor."
            )
        return table, target

    def _has_classes(self, y: NDArray[Any]) -> bool:
        del y
        return True

    def _admit(self, y: Any) -> Any:
        self._class_order = (
            list(self.ordinal) if isinstance(self.ordinal, list | tuple) else ordered_labels(y)
        )
        return super()._admit(y)

    def _look_at(
        self, X: ArrayLike, y: ArrayLike, about: About
    ) -> tuple[Any, NDArray[Any], int, About]:
        found = super()._look_at(X, y, about)
        if self._is_ordered:
            # The target that is returned is an array, which knows of no order.
            self.ordinal = self._class_order or True
        return found

    @property
    def _is_ordered(self) -> bool:
        return isinstance(self.ordinal, list | tuple) or bool(self.ordinal)

    def _weights(
        self, target: NDArray[Any], weights: NDArray[np.float32] | None
    ) -> NDArray[np.float32] | None:
        weights = super()._weights(target, weights)
        if self.class_weight is None:
            return weights
        if target.ndim > 1:
            raise ValueError("class_weight goes with one class a sample, and y has several labels.")
        if isinstance(self.class_weight, dict):
            known = np.unique(target).tolist()
            unknown = [label for label in self.class_weight if label not in known]
            # Some of the samples may lack a rare class; a label that is wrong is not among them.
            if unknown and not all(label in self.class_weight for label in known):
                raise ValueError(
                    f"class_weight has labels that are not in y: {listed(unknown)}. Those of y are "
                    f"{listed(known)}."
                )
        of_classes = compute_sample_weight(self.class_weight, target).astype(np.float32)
        if not (of_classes > 0).all():
            raise ValueError("class_weight must be above 0 for all classes; leave out samples.")
        return super()._weights(target, of_classes if weights is None else weights * of_classes)

    def _encode(self, y: NDArray[Any], weights: NDArray[np.float32] | None) -> Targets:
        del weights
        order = self.__dict__.pop("_class_order", None)
        if y.ndim > 1:
            self._kind, self.classes_ = LABELS, np.arange(y.shape[1])
            labels = y.astype(np.float32)
            return Targets(labels, labels.shape[1], "binary_cross_entropy")
        self.classes_, numbers = number_classes(y)
        self._kind = ORDERED if self._is_ordered else CLASSES
        if not self._is_ordered:
            return Targets(numbers, len(self.classes_), "cross_entropy", numbers)
        if order is not None:
            known = self.classes_.tolist()
            unplaced = [one for one in known if one not in order]
            if unplaced:
                raise ValueError(
                    f"ordinal has no place for {listed(unplaced)} of y. Name all "
                    f"classes, the lowest first."
                )
            self.classes_ = np.array([one for one in dict.fromkeys(order) if one in known])
            place = {label: number for number, label in enumerate(self.classes_.tolist())}
            numbers = np.array([place[label] for label in y.tolist()])
        # Whether each sample is above the first class, above the second, and so on.
        above = (numbers[:, None] > np.arange(len(self.classes_) - 1)).astype(np.float32)
        return Targets(above, above.shape[1], "binary_cross_entropy", numbers)

    def predict_proba(self, X: ArrayLike) -> NDArray[np.float64]:
        """Return the probability of each class.

        Parameters
        ----------
        X : array or table of shape (n_samples, n_features)
            Samples with all features of the fit, or at least their places.

        Returns
        -------
        ndarray of shape (n_samples, n_classes)
            Columns in the order of `classes_`. Where each sample may have several labels, the
            probability of each label.
        """
        outputs = self._outputs(X).double()
        if self._kind == LABELS:
            labels: NDArray[np.float64] = torch.sigmoid(outputs).numpy()
            return labels
        if self._kind == ORDERED:
            # Above a higher class never more probable than above a lower one.
            above = np.minimum.accumulate(torch.sigmoid(outputs).numpy(), axis=1)
            edge = np.ones((len(above), 1))
            ordered: NDArray[np.float64] = -np.diff(np.hstack([edge, above, 0 * edge]), axis=1)
            return ordered
        probabilities: NDArray[np.float64] = torch.softmax(outputs, 1).numpy()
        return probabilities

    def predict(self, X: ArrayLike) -> NDArray[Any]:
        """Return the most probable class.

        Parameters
        ----------
        X : array or table of shape (n_samples, n_features)
            Samples.

        Returns
        -------
        ndarray of shape (n_samples,)
            Class labels. Where each sample may have several labels, a column of 0 and 1 for each;
            of ordered classes the middle one of the distribution.
        """
        outputs = self._outputs(X)
        if self._kind == LABELS:
            return (outputs > 0).numpy().astype(np.int64)
        if self._kind == ORDERED:
            above = np.minimum.accumulate(outputs.numpy(), axis=1) > 0
            middle: NDArray[Any] = self.classes_[above.sum(axis=1)]
            return middle
        labels: NDArray[Any] = self.classes_[outputs.argmax(1).numpy()]
        return labels


def ordered_labels(y: Any) -> list[Any] | None:
    """Return the classes of an ordered categorical of pandas in their order, None of others."""
    kind: Any = getattr(y, "dtype", None)
    if not getattr(kind, "ordered", False):
        return None
    labels: list[Any] = kind.categories.tolist()
    return labels
