import numpy as np
import pytest

from entryprune.selectors._columns import random_order


def split(classes, fraction, seed=0):
    classes = np.asarray(classes)
    order, n = random_order(len(classes), fraction, np.random.default_rng(seed), classes)
    assert sorted(order) == list(range(len(classes)))
    return classes[order[:n]], classes[order[n:]]


def test_classes_keep_their_shares():
    held_out, kept = split([0] * 50 + [1] * 30 + [2] * 20, 0.2)
    assert np.bincount(held_out).tolist() == [10, 6, 4]
    assert np.bincount(kept).tolist() == [40, 24, 16]


def test_remainders_make_up_the_number():
    held_out, _ = split([0] * 7 + [1] * 7 + [2] * 6, 0.25)
    assert len(held_out) == 5


def test_a_class_with_one_case_is_never_held_out():
    for seed in range(20):
        held_out, kept = split([0] * 10 + [1], 0.5, seed)
        assert 1 not in held_out
        assert 1 in kept


def test_every_class_keeps_a_case_to_train_on():
    held_out, kept = split([0, 0, 1, 1, 2, 2], 0.9)
    assert np.bincount(held_out).tolist() == [1, 1, 1]
    assert np.bincount(kept).tolist() == [1, 1, 1]


def test_nothing_is_held_out_where_no_case_can_be_spared():
    held_out, _ = split([0, 1], 0.2)
    assert len(held_out) == 0


@pytest.mark.parametrize(("n", "expected"), [(100, 20), (2, 1), (3, 1)])
def test_without_classes_a_plain_share_is_held_out(n, expected):
    order, n_held_out = random_order(n, 0.2, np.random.default_rng(0))
    assert n_held_out == expected
    assert sorted(order) == list(range(n))


def test_the_order_is_shuffled_in_both_parts():
    order, n = random_order(1000, 0.2, np.random.default_rng(0), np.repeat([0, 1], 500))
    for part in (order[:n], order[n:]):
        assert abs(np.corrcoef(np.arange(len(part)), part)[0, 1]) < 0.1
