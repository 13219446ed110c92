"""Change metrics over scripted gradients and weights, and their standardised scores."""

from __future__ import annotations

import math
from types import SimpleNamespace

import numpy as np
import pytest
import torch

from entryprune.engine import DivergedError
from entryprune.engine.scores import CHANGE_METRICS, relative_scores, top_rows


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
