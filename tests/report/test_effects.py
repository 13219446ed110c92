import numpy as np
import pytest

from entryprune.report.effects import effects


def test_two_classes_differ_in_standard_deviations_and_in_units():
    # Means 2 and 8; each class has the variance 1, with two degrees of freedom each.
    X = np.array([[1.0], [2.0], [3.0], [7.0], [8.0], [9.0]])
    (one,) = effects(X, ["no"] * 3 + ["yes"] * 3, "classification")
    assert one.size == pytest.approx(6.0)
    assert (one.high, one.high_mean) == ("yes", 8.0)
    assert (one.low, one.low_mean) == ("no", 2.0)


def test_of_many_classes_the_two_furthest_apart_are_named():
    X = np.array([[0.0], [2.0], [10.0], [12.0], [4.0], [6.0]])
    (one,) = effects(X, [0, 0, 1, 1, 2, 2], "classification")
    assert (one.high, one.low) == ("1", "0")
    assert one.size == pytest.approx(10 / np.sqrt(2))


def test_a_quantity_has_a_correlation_and_the_means_of_its_thirds():
    y = np.arange(9.0)
    falling, flat = effects(np.column_stack([-2 * y, np.ones(9)]), y, "regression")
    assert falling.size == pytest.approx(-1.0)
    assert (falling.high, falling.high_mean) == ("lowest third", -2.0)
    assert (falling.low, falling.low_mean) == ("highest third", -14.0)
    assert flat.size is None
    assert (flat.high_mean, flat.low_mean) == (1.0, 1.0)
    assert flat.high != flat.low


def test_what_is_missing_or_does_not_vary_has_no_size():
    X = np.array(
        [[np.nan, 5.0, np.nan], [1.0, 5.0, np.nan], [3.0, 5.0, np.nan], [5.0, 5.0, np.nan]]
    )
    some, flat, none = effects(X, ["a", "a", "b", "b"], "classification")
    assert (some.high_mean, some.low_mean) == (4.0, 1.0)
    # One degree of freedom is left, from the class with two values.
    assert some.size == pytest.approx(3 / np.sqrt(2))
    assert flat.size is None
    assert (none.size, none.high_mean, none.low_mean) == (None, None, None)


@pytest.mark.parametrize("scale", [1e-200, 1e200])
@pytest.mark.parametrize("task", ["classification", "regression"])
def test_the_size_does_not_depend_on_the_unit(scale, task):
    X, y = np.array([[1.0], [2.0], [3.0], [7.0], [8.0], [9.0]]), [0, 0, 0, 1, 1, 1]
    (one,), (other,) = effects(X, y, task), effects(scale * X, y, task)
    assert other.size == pytest.approx(one.size)
    assert other.high_mean == pytest.approx(scale * one.high_mean)
