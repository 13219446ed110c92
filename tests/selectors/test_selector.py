"""A selector's constructor, checks and docstring follow from what it declares."""

import inspect

import numpy as np
import pytest
from sklearn.base import clone

from entryprune.engine.settings import COUNT, setting
from entryprune.selectors._selector import Selector, Special, estimator


@estimator()
class First(Selector):
    """Take the first features.

    Parameters
    ----------
    {parameters}
    """

    step: int = setting(1, COUNT, "How far the next one is.")
    switch: object = setting(None, Special("anything", (object,)), "Nothing.")

    def _fit(self, X, y, about):
        self.support_ = np.arange(np.shape(X)[1]) < self._n_selected(np.shape(X)[1])
        if self.step == 13:
            raise KeyboardInterrupt


@estimator(step="Here two.")
class Second(First):
    """Take every second one.

    Parameters
    ----------
    {parameters}
    """

    step: int = 2
    kind: str = setting("a", Special("str", (str,)), "Its kind. " * 20)


def test_the_signature_has_every_parameter_and_only_the_first_by_position():
    parameters = inspect.signature(Second).parameters
    assert {name: one.default for name, one in parameters.items()} == {
        "n_features_to_select": None,
        "step": 2,
        "switch": None,
        "kind": "a",
    }
    assert [one.kind.name for one in parameters.values()][:2] == [
        "POSITIONAL_OR_KEYWORD",
        "KEYWORD_ONLY",
    ]


def test_the_docstring_has_a_methods_own_parameters_before_the_shared_ones():
    assert First.__doc__ == (
        """Take the first features.

    Parameters
    ----------
    n_features_to_select : int, float, "auto", "best" or None, default=None
        How many features to select: a number, a share of all features, or None for half of them.
        "auto" takes as few as do as well as any number up to 100, to within one standard error,
        "best" the number that does best; see `k_curve_`.
    step : int, default=1
        How far the next one is.
    switch : anything, default=None
        Nothing.
    """
    )
    lines = Second.__doc__.splitlines()
    entries = [line.split()[0] for line in lines if " : " in line]
    assert entries == ["n_features_to_select", "kind", "step", "switch"]
    assert "    step : int, default=2" in lines
    assert "        How far the next one is. Here two." in lines
    assert max(map(len, lines)) <= 100


@pytest.mark.parametrize("kind", [First, Second])
def test_a_value_is_checked_as_it_was_declared(kind):
    with pytest.raises(ValueError, match=f"The 'step' parameter of {kind.__name__} must be an int"):
        kind(step=0).fit([[1, 2]], [0])


def test_it_is_cloned_printed_and_compared_as_other_estimators_are():
    one = Second(3, kind="b")
    assert clone(one).get_params() == one.get_params()
    assert repr(one) == "Second(kind='b', n_features_to_select=3)"
    assert one != clone(one)
    assert len({one, clone(one)}) == 2


def test_a_fit_that_is_interrupted_leaves_nothing_behind():
    selector = First(1).fit([[1, 2]], [0])
    before = selector.support_
    with pytest.raises(KeyboardInterrupt):
        selector.set_params(step=13).fit([[1, 2, 3]], [0])
    assert selector.support_ is before
