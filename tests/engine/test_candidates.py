"""Candidates: random draws, the largest gradients as autograd gives them, and first weights."""

from __future__ import annotations

import math
from types import SimpleNamespace

import numpy as np
import pytest
import torch
from torch import nn

from entryprune.engine import ArrayColumns, DivergedError
from entryprune.engine.bodies import AutogradBody, DenseBody
from entryprune.engine.candidates import (
    CHANGE_METRICS,
    TinyWeights,
    draw_outside,
    gradient_metric,
    gradient_regrowth,
    random_regrowth,
    relative_scores,
    top_rows,
)
from entryprune.engine.losses import CrossEntropy
from entryprune.engine.network import Adam, Network
from entryprune.engine.window import Window

CPU = torch.device("cpu")
N_COLUMNS, N_SEATS, N_CASES, N_VALIDATION = 11, 2, 14, 3
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


# -- regrowth -----------------------------------------------------------------------------------


def setup(make_values, n_candidates, own_module=False, batch_size=4, n_steps=2):
    """Return a window and a network that have been trained a little."""
    generator = torch.Generator().manual_seed(0)
    values = make_values(N_COLUMNS, N_CASES)
    targets = (values[0] + values[3] > 0).long()
    window = Window(
        ArrayColumns(values),
        targets,
        n_selected=N_SEATS,
        n_validation=N_VALIDATION,
        batch_size=batch_size,
    )
    features = torch.tensor([9, 3, 1, 0, 2, 4, 5, 6, 7, 8, 10])[: N_SEATS + n_candidates]
    window.resize(len(features))
    window.fill(0, features)
    loss = CrossEntropy()
    body = DenseBody([4, 2], "tanh", loss, max_rows=N_CASES, generator=generator, device=CPU)
    if own_module:
        body = AutogradBody(body.to_module(), loss.value, n_hidden=4, n_outputs=2, device=CPU)
    network = Network(
        body,
        n_hidden=4,
        n_inputs=len(features),
        max_rows=N_CASES,
        optimizer=Adam(0.05),
        generator=generator,
        device=CPU,
    )
    for _ in range(n_steps):
        network.backward(window.next_batch())
        network.step()
    return window, network, features[:N_SEATS]


def by_autograd(values, targets, network, seated, cases):
    """Return the largest absolute gradient per column, those outside having zero weights."""
    weights = torch.zeros(len(values), network.n_hidden)
    weights[seated] = network.weights[: len(seated)]
    weights.requires_grad_()
    outputs = network.body.to_module()(values[:, cases].t() @ weights + network.bias)
    nn.functional.cross_entropy(outputs, targets[cases]).backward()
    return weights.grad.abs().amax(dim=1)


@pytest.mark.parametrize("own_module", [False, True])
@pytest.mark.parametrize("n_candidates", [1, 2, 5, 9])
def test_the_metric_is_the_largest_gradient_of_a_full_network(
    make_values, n_candidates, own_module
):
    # Nine candidates have room for nine of eleven columns at once, one candidate for one.
    window, network, seated = setup(make_values, n_candidates, own_module)
    # Two batches of four are done; the next one goes round the ring of eleven training cases.
    cases = [N_VALIDATION + i % 11 for i in range(8, 12)]
    expected = by_autograd(window.source.values, window.targets, network, seated, cases)
    torch.testing.assert_close(gradient_metric(window, network), expected, rtol=1e-4, atol=1e-6)


def test_the_metric_has_more_room_in_a_layer_that_was_larger_before(make_values):
    window, network, seated = setup(make_values, 9)
    window.resize(N_SEATS + 1)
    network.resize(N_SEATS + 1, n_kept=N_SEATS)
    cases = [N_VALIDATION + i % 11 for i in range(8, 12)]
    expected = by_autograd(window.source.values, window.targets, network, seated, cases)
    torch.testing.assert_close(gradient_metric(window, network), expected, rtol=1e-4, atol=1e-6)


def test_the_metric_is_taken_on_all_cases_when_they_are_one_batch(make_values):
    window, network, seated = setup(make_values, 2, batch_size=100)
    cases = list(range(N_VALIDATION, N_CASES))
    expected = by_autograd(window.source.values, window.targets, network, seated, cases)
    torch.testing.assert_close(gradient_metric(window, network), expected, rtol=1e-4, atol=1e-6)


@pytest.mark.parametrize("n_candidates", [1, 4, 9])
def test_the_candidates_are_the_best_outside_the_seated(make_values, n_candidates):
    window, network, seated = setup(make_values, n_candidates)
    cases = [N_VALIDATION + i % 11 for i in range(8, 12)]
    metric = by_autograd(window.source.values, window.targets, network, seated, cases).tolist()
    outside = [column for column in range(N_COLUMNS) if column not in seated.tolist()]
    expected = sorted(outside, key=lambda column: -metric[column])[:n_candidates]
    generator = torch.Generator()
    chosen = gradient_regrowth(window, network, seated, n_candidates, generator)
    assert chosen.tolist() == expected


def test_the_smaller_column_number_wins_a_tie(make_values):
    window, network, seated = setup(make_values, 4)
    window.source.values[[4, 6, 8]] = 0.0
    chosen = gradient_regrowth(window, network, seated, 9, torch.Generator()).tolist()
    assert chosen[-3:] == [4, 6, 8]


def test_looking_for_candidates_disturbs_neither_the_seated_nor_the_order_of_batches(make_values):
    window, network, seated = setup(make_values, 3)
    rows, weights = window.values[:N_SEATS].clone(), network.weights.clone()
    gradient_regrowth(window, network, seated, 3, torch.Generator())
    assert torch.equal(window.values[:N_SEATS], rows)
    assert torch.equal(network.weights, weights)
    inputs, *_ = window.next_batch()
    cases = [N_VALIDATION + i % 11 for i in range(8, 12)]
    assert torch.equal(inputs[:N_SEATS], window.source.values[seated][:, cases])


def test_random_candidates_come_from_the_generator_alone(make_values):
    window, network, seated = setup(make_values, 3)
    draws = []
    for seed in (0, 0, 1, 2, 3):
        generator = torch.Generator().manual_seed(seed)
        draws.append(random_regrowth(window, network, seated, 3, generator).tolist())
        assert len({*draws[-1], *seated.tolist()}) == 5
    assert draws[0] == draws[1]
    assert len({tuple(draw) for draw in draws}) > 1


def test_a_training_lets_the_features_of_largest_gradient_in(
    make_problem, tiny_settings, make_training, watch
):
    problem = make_problem(n_columns=9, n_cases=15, n_validation=4)
    settings = tiny_settings(regrowth="gradient")
    training = make_training(problem, settings, n_rotations=4)
    watched = watch(training)
    training.run()
    X = problem.source.values.double()
    for index in range(1, 4):
        start = watched.starts[index]
        # Two batches of four a rotation, in a ring of eleven training cases.
        cases = [4 + (8 * index + i) % 11 for i in range(4)]
        weights = torch.zeros(9, 3, dtype=torch.float64)
        weights[start.features[:2]] = torch.from_numpy(start.weights[:2])
        weights.requires_grad_()
        hidden = (X[:, cases].t() @ weights + torch.from_numpy(start.bias)).clamp(min=0)
        outputs = hidden @ torch.from_numpy(start.out_weights).T + torch.from_numpy(start.out_bias)
        nn.functional.cross_entropy(outputs, problem.targets[cases]).backward()
        metric = weights.grad.abs().amax(dim=1).numpy()
        metric[start.features[:2]] = -1.0
        assert start.features[2:] == np.argsort(-metric, kind="stable")[:2].tolist()


def test_scores_are_standardised_with_the_sample_deviation():
    totals = [0.5, 3.0, 3.25, 10.0, 0.0]
    x = np.array(totals)
    expected = (x - x.mean()) / x.std(ddof=1)
    np.testing.assert_allclose(relative_scores(torch.tensor(totals)), expected, rtol=1e-6)


@pytest.mark.parametrize("size", [1e-30, 1e-8, 1e8, 1e30, 1e38])
def test_scores_do_not_depend_on_the_size_of_the_totals(size):
    # Gradient sums of an almost trained network are tiny, those of unscaled data huge.
    totals = size * torch.tensor([1.0, 2.0, 3.0])
    np.testing.assert_allclose(relative_scores(totals), [-1.0, 0.0, 1.0], atol=1e-5)


@pytest.mark.parametrize("value", [0.0, 4.0, 0.1])
@pytest.mark.parametrize("n", [2, 7])
def test_totals_without_spread_score_zero(value, n):
    assert relative_scores(torch.full((n,), value)).tolist() == [0.0] * n


def test_a_single_total_scores_zero():
    assert relative_scores(torch.tensor([3.0])).tolist() == [0.0]


@pytest.mark.parametrize("bad", [math.nan, math.inf, -math.inf])
def test_totals_that_are_not_finite_are_refused_with_advice(bad):
    with pytest.raises(DivergedError, match=r"diverged.*learning rate.*scale"):
        relative_scores(torch.tensor([1.0, bad, 2.0]))


def test_a_single_total_that_is_not_finite_is_refused():
    with pytest.raises(DivergedError, match="diverged"):
        relative_scores(torch.tensor([math.nan]))


@pytest.mark.parametrize("k", [1, 4, 9])
def test_the_first_rows_win_a_tie(k):
    scores = torch.tensor([2.0, 1.0, 3.0, 1.0, 2.0, 1.0, 2.0, 3.0, 1.0])
    by_score_then_row = sorted(range(9), key=lambda row: (-scores[row].item(), row))
    assert sorted(top_rows(scores, k).tolist()) == sorted(by_score_then_row[:k])


def script(n_inputs, n_hidden=3, n_batches=4, seed=0):
    """Return weights before each mini-batch and after the last, and the gradients between."""
    rng = np.random.default_rng(seed)
    weights = rng.standard_normal((n_batches + 1, n_inputs, n_hidden))
    gradients = rng.standard_normal((n_batches, n_inputs, n_hidden))
    return weights, gradients


def totals_by_hand(name, weights, gradients):
    if name == "gradient":
        # Signs count while gradients are added, and not before.
        return np.abs(gradients.sum(axis=0)).sum(axis=1)
    if name == "weight_change":
        return np.abs(weights[-1] - weights[0]).sum(axis=1)
    if name == "magnitude":
        return np.abs(weights[-1]).sum(axis=1)
    return ((gradients * weights[:-1]) ** 2).sum(axis=(0, 2))


def play(metric, weights, gradients):
    """Let a metric live through one rotation."""

    def network(values, gradient):
        return SimpleNamespace(
            weights=torch.tensor(values, dtype=torch.float32),
            weights_gradient=torch.tensor(gradient, dtype=torch.float32),
        )

    metric.begin(network(weights[0], gradients[0] * math.nan))
    for values, gradient in zip(weights[:-1], gradients, strict=True):
        # Inputs and delta whose product is the gradient.
        now = network(values, gradient)
        metric.add(now, torch.eye(len(gradient)), now.weights_gradient)
    return metric.total(network(weights[-1], gradients[-1])).numpy()


@pytest.mark.parametrize("name", CHANGE_METRICS)
def test_a_metric_adds_up_as_its_formula_says(name):
    weights, gradients = script(5)
    totals = play(CHANGE_METRICS[name](), weights, gradients)
    np.testing.assert_allclose(totals, totals_by_hand(name, weights, gradients), rtol=1e-5)


@pytest.mark.parametrize("name", CHANGE_METRICS)
def test_a_metric_starts_anew_at_each_rotation_and_follows_the_layers_size(name):
    metric = CHANGE_METRICS[name]()
    for seed, n_inputs in enumerate([5, 5, 3, 9, 4]):
        weights, gradients = script(n_inputs, seed=seed)
        totals = play(metric, weights, gradients)
        np.testing.assert_allclose(totals, totals_by_hand(name, weights, gradients), rtol=1e-5)


def test_the_paper_s_four_metrics_are_there():
    assert set(CHANGE_METRICS) == {"gradient", "weight_change", "magnitude", "molchanov"}
