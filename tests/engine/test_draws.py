"""Random draws: in bounds, without repeats, uniform, and the same for the same seed."""

from __future__ import annotations

import numpy as np
import pytest
import torch

from entryprune.engine.draws import TinyWeights, draw_outside

# (columns, inside, draws): the first is drawn by a shuffle, the second as in a lottery.
BRANCHES = {"shuffle": (12, [5, 1, 6], 3), "lottery": (40, [39, 0, 20], 2)}


def seeded(seed):
    return torch.Generator().manual_seed(seed)


@pytest.mark.parametrize(
    ("n_columns", "inside", "n_draws"),
    [
        (5, [], 3),
        (5, [4], 4),
        (10, [0, 1, 2], 1),
        (10, [7, 8, 9], 7),
        (1000, [999, 0, 500], 4),
        # So many that the first draw has more repeats than it has spares.
        (20_000, list(range(0, 300, 3)), 1200),
    ],
)
def test_draws_are_distinct_and_outside(n_columns, inside, n_draws):
    for seed in range(5):
        draws = draw_outside(n_columns, torch.tensor(inside).long(), n_draws, seeded(seed)).tolist()
        assert len(draws) == n_draws
        assert len(set(draws)) == n_draws
        assert not set(draws) & set(inside)
        assert set(draws) <= set(range(n_columns))


def test_all_outsiders_are_drawn_when_all_are_wanted():
    draws = draw_outside(9, torch.tensor([8, 3, 0]), 6, seeded(0))
    assert sorted(draws.tolist()) == [1, 2, 4, 5, 6, 7]


def test_nothing_is_drawn_when_nothing_is_wanted():
    assert draw_outside(4, torch.arange(4), 0, seeded(0)).tolist() == []


@pytest.mark.parametrize("branch", BRANCHES)
def test_every_outsider_is_equally_likely_in_every_place(branch):
    n_columns, inside, n_draws = BRANCHES[branch]
    generator, n_repeats = seeded(0), 6000
    counts = np.zeros((n_draws, n_columns))
    inside = torch.tensor(inside)
    for _ in range(n_repeats):
        counts[range(n_draws), draw_outside(n_columns, inside, n_draws, generator)] += 1
    n_outside = n_columns - len(inside)
    assert np.all(counts[:, inside] == 0)
    outside = np.delete(counts, inside.numpy(), axis=1)
    # Chi-square with n - 1 degrees of freedom: its mean is n - 1, its variance 2 (n - 1).
    expected = n_repeats / n_outside
    for place in outside:
        statistic = np.sum((place - expected) ** 2) / expected
        freedom = n_outside - 1
        assert abs(statistic - freedom) < 4 * (2 * freedom) ** 0.5


@pytest.mark.parametrize("branch", BRANCHES)
def test_the_same_generator_state_draws_the_same(branch):
    n_columns, inside, n_draws = BRANCHES[branch]
    inside = torch.tensor(inside)
    draws = [draw_outside(n_columns, inside, n_draws, seeded(seed)).tolist() for seed in (3, 3)]
    assert draws[0] == draws[1]
    others = {
        tuple(draw_outside(n_columns, inside, n_draws, seeded(seed)).tolist()) for seed in range(20)
    }
    assert len(others) > 10


@pytest.mark.parametrize("branch", BRANCHES)
def test_the_inside_columns_are_left_as_they_are(branch):
    n_columns, columns, n_draws = BRANCHES[branch]
    inside = torch.tensor(columns)
    draw_outside(n_columns, inside, n_draws, seeded(0))
    assert inside.tolist() == columns


def redraws(n_redraws, shape=(200, 100), seed=0):
    tiny, weights = TinyWeights(seeded(seed)), torch.empty(shape)
    draws = []
    for _ in range(n_redraws):
        tiny.redraw(weights)
        draws.append(weights.double().numpy().copy())
    return np.stack(draws)


def test_tiny_weights_are_uniform_between_their_bounds():
    draws = redraws(5) / 1e-8
    assert np.all(np.abs(draws) < 1.0)
    n = draws.size
    # Five standard errors: Var x = 1/3, and Var x^2 = 1/5 - 1/9.
    assert abs(draws.mean()) < 5 * (1 / 3 / n) ** 0.5
    assert abs((draws**2).mean() - 1 / 3) < 5 * ((1 / 5 - 1 / 9) / n) ** 0.5
    counts, _ = np.histogram(draws, bins=20, range=(-1, 1))
    assert np.all(np.abs(counts / (n / 20) - 1) < 5 * (20 / n) ** 0.5)


def test_tiny_weights_differ_from_weight_to_weight():
    (draws,) = redraws(1)
    # Two of 20,000 draws may coincide; a draw shared by a row's or column's weights may not.
    assert len(np.unique(draws)) > 0.999 * draws.size
    correlation = np.corrcoef(draws[:, :-1].ravel(), draws[:, 1:].ravel())[0, 1]
    assert abs(correlation) < 5 * draws.size**-0.5


def test_tiny_weights_are_drawn_anew_each_time():
    draws = redraws(4)
    for earlier in range(4):
        for later in range(earlier + 1, 4):
            a, b = draws[earlier].ravel(), draws[later].ravel()
            assert np.mean(a == b) < 0.001
            assert abs(np.corrcoef(a, b)[0, 1]) < 5 * a.size**-0.5


def test_tiny_weights_work_when_the_block_grows_and_shrinks():
    tiny = TinyWeights(seeded(0))
    seen = []
    for n_rows in (10, 40, 5, 40, 80, 0, 3):
        weights = torch.full((n_rows, 6), 9.0)
        tiny.redraw(weights)
        assert bool((weights.abs() < 1e-8).all())
        seen += weights.flatten().tolist()
    assert len(set(seen)) > 0.99 * len(seen)


def test_tiny_weights_can_be_the_end_of_a_larger_block():
    block = torch.ones(6, 4)
    TinyWeights(seeded(0)).redraw(block[2:])
    assert torch.equal(block[:2], torch.ones(2, 4))
    assert bool((block[2:].abs() < 1e-8).all())


def test_tiny_weights_follow_from_the_seed():
    assert np.array_equal(redraws(3, (4, 5), seed=1), redraws(3, (4, 5), seed=1))
    assert not np.array_equal(redraws(1, (4, 5), seed=1), redraws(1, (4, 5), seed=2))


def test_another_limit_is_kept():
    weights = torch.empty(100, 10)
    TinyWeights(seeded(0), limit=0.5).redraw(weights)
    assert 0.49 < float(weights.abs().max()) <= 0.5
