"""Rotations, compared with the paper's equations written out in double precision."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import pytest
import torch

from entryprune.engine import ArrayColumns, Problem

METRICS = ("gradient", "weight_change", "magnitude", "molchanov")


class ByHand:
    """A network with one hidden layer: loops over cases and neurons, and Adam from its paper."""

    def __init__(self, start, learning_rate):
        self.W, self.b = start.weights.copy(), start.bias.copy()
        self.V, self.c = start.out_weights.copy(), start.out_bias.copy()
        self.learning_rate = learning_rate
        self.n_steps = 0
        self.moments = [(np.zeros_like(p), np.zeros_like(p)) for p in self._parameters()]

    def _parameters(self):
        return [self.W, self.b, self.V, self.c]

    def _forward(self, x):
        hidden = self.b.copy()
        for i in range(len(x)):
            for j in range(len(self.b)):
                hidden[j] += x[i] * self.W[i, j]
        outputs = self.c.copy()
        for k in range(len(self.c)):
            for j in range(len(self.b)):
                outputs[k] += self.V[k, j] * max(hidden[j], 0.0)
        return hidden, outputs

    def loss(self, cases, targets):
        """Return the mean cross entropy given the first features, as many as each case has."""
        total = 0.0
        for x, target in zip(cases, targets, strict=True):
            _, outputs = self._forward(x)
            total += math.log(sum(math.exp(o) for o in outputs)) - outputs[target]
        return total / len(cases)

    def train(self, cases, targets):
        """Return the loss and the first layer's gradient of a mini-batch, and make a step."""
        loss = self.loss(cases, targets)
        gW, gb, gV, gc = (np.zeros_like(p) for p in self._parameters())
        for x, target in zip(cases, targets, strict=True):
            hidden, outputs = self._forward(x)
            exponents = [math.exp(o) for o in outputs]
            for k in range(len(self.c)):
                error = (exponents[k] / sum(exponents) - (k == target)) / len(cases)
                gc[k] += error
                for j in range(len(self.b)):
                    gV[k, j] += error * max(hidden[j], 0.0)
                    if hidden[j] > 0:
                        gb[j] += error * self.V[k, j]
                        for i in range(len(x)):
                            gW[i, j] += error * self.V[k, j] * x[i]
        self._adam([gW, gb, gV, gc])
        return loss, gW

    def _adam(self, gradients):
        self.n_steps += 1
        for p, g, (m, v) in zip(self._parameters(), gradients, self.moments, strict=True):
            m[...] = 0.9 * m + 0.1 * g
            v[...] = 0.999 * v + 0.001 * g**2
            m_hat = m / (1 - 0.9**self.n_steps)
            v_hat = v / (1 - 0.999**self.n_steps)
            p[...] -= self.learning_rate * m_hat / (np.sqrt(v_hat) + 1e-8)


@dataclass(frozen=True)
class Rotation:
    """What one rotation should come to."""

    loss: float
    validation_loss: float
    weights: np.ndarray
    totals: np.ndarray
    scores: np.ndarray


def rotation_by_hand(problem, settings, start, n_steps_before, metric="gradient"):
    """Train through one rotation from the state `start`."""
    X = problem.source.values.numpy().astype(np.float64)
    y = problem.targets.tolist()
    n_validation = problem.n_validation
    n_training = len(y) - n_validation
    network = ByHand(start, settings.learning_rate)
    S = np.zeros_like(start.weights)
    importance = np.zeros_like(start.weights)
    losses = []
    for step in range(settings.batches_per_rotation):
        first = (n_steps_before + step) * settings.batch_size
        batch = [n_validation + (first + i) % n_training for i in range(settings.batch_size)]
        cases = [X[start.features, case] for case in batch]
        weights_before = network.W.copy()
        loss, gradient = network.train(cases, [y[case] for case in batch])
        losses.append(loss)
        S += gradient
        importance += (gradient * weights_before) ** 2
    matrix = {
        "gradient": S,
        "weight_change": network.W - start.weights,
        "magnitude": network.W,
        "molchanov": importance,
    }[metric]
    totals = np.array([sum(abs(value) for value in row) for row in matrix])
    mean = sum(totals) / len(totals)
    deviation = math.sqrt(sum((totals - mean) ** 2) / (len(totals) - 1))
    seated = start.features[: len(start.entry_scores)]
    validation_loss = math.nan
    if seated and n_validation:
        cases = [X[seated, case] for case in range(n_validation)]
        validation_loss = network.loss(cases, y[:n_validation])
    return Rotation(
        sum(losses) / len(losses), validation_loss, network.W, totals, (totals - mean) / deviation
    )


def select_by_hand(entries, start, scores, n_selected, with_entry_scores):
    """Return the top K of the entry score vector as a dictionary, after checking it is clear."""
    extended = dict(entries) if with_entry_scores else {}
    for feature, score in zip(start.features, scores, strict=True):
        if feature not in extended:
            extended[feature] = score
    ranked = sorted(extended, key=lambda feature: -extended[feature])
    if len(ranked) > n_selected:
        # Rounding to single precision must not decide, or the comparison would mean nothing.
        assert extended[ranked[n_selected - 1]] - extended[ranked[n_selected]] > 1e-4
    return {feature: extended[feature] for feature in ranked[:n_selected]}


def follow(problem, settings, watched, metric="gradient", with_entry_scores=True):
    """Yield, for each rotation of a run, its state, its numbers by hand, and the top K by hand."""
    entries = {}
    for index, start in enumerate(watched.starts):
        n_steps_before = index * settings.batches_per_rotation
        by_hand = rotation_by_hand(problem, settings, start, n_steps_before, metric)
        entries = select_by_hand(
            entries, start, by_hand.scores, settings.n_selected, with_entry_scores
        )
        yield index, by_hand, entries


@pytest.fixture
def small_run(make_problem, tiny_settings, make_training, watch):
    """Return a function that runs six features, two seats and two candidates."""

    def run(n_rotations=1, seed=0, n_cases=13, **changes):
        problem = make_problem(n_cases=n_cases)
        settings = tiny_settings(**changes)
        training = make_training(problem, settings, n_rotations=n_rotations, seed=seed)
        watched = watch(training)
        return problem, settings, watched, training.run()

    return run


# -- the first rotation -------------------------------------------------------------------------


def test_the_first_input_layer_holds_distinct_features_with_weights_of_ordinary_size(small_run):
    _, _, watched, _ = small_run()
    start = watched.starts[0]
    assert len(set(start.features)) == 4
    assert set(start.features) <= set(range(6))
    assert len(start.entry_scores) == 0
    assert 0.1 < np.abs(start.weights).max() <= 4**-0.5


def test_the_mini_batches_of_a_rotation_move_the_weights_as_adam_does(small_run):
    problem, settings, watched, _ = small_run()
    by_hand = rotation_by_hand(problem, settings, watched.starts[0], 0)
    np.testing.assert_allclose(watched.trained[0].weights, by_hand.weights, rtol=1e-4, atol=1e-6)
    assert np.abs(by_hand.weights - watched.starts[0].weights).max() > 0.01


def test_the_first_rotation_scores_every_feature_and_seats_the_top_k(small_run):
    problem, settings, watched, outcome = small_run()
    start, end = watched.starts[0], watched.ends[0]
    by_hand = rotation_by_hand(problem, settings, start, 0)
    expected = select_by_hand({}, start, by_hand.scores, 2, with_entry_scores=True)

    seated = dict(zip(end.features[:2], end.entry_scores, strict=True))
    assert set(seated) == set(expected)
    for feature, score in expected.items():
        assert seated[feature] == pytest.approx(score, rel=1e-4, abs=1e-5)
    assert outcome.last.chosen.features.tolist() == list(expected)
    assert outcome.last.chosen.scores.tolist() == pytest.approx(list(expected.values()), rel=1e-4)


def test_the_first_record_holds_the_rotations_numbers(small_run):
    problem, settings, watched, outcome = small_run()
    start = watched.starts[0]
    by_hand = rotation_by_hand(problem, settings, start, 0)
    expected = select_by_hand({}, start, by_hand.scores, 2, with_entry_scores=True)
    weight_sums = [
        sum(abs(w) for w in by_hand.weights[start.features.index(feature)]) for feature in expected
    ]
    (record,) = outcome.records
    assert record.phase == "search"
    assert record.rotation == 1
    assert record.n_steps == 2
    assert record.epoch == 1.0
    assert record.training_loss == pytest.approx(by_hand.loss, rel=1e-5)
    assert math.isnan(record.validation_loss)
    assert record.n_changed == 2
    assert record.min_entry_score == pytest.approx(min(expected.values()), rel=1e-4)
    assert record.min_weight_sum == pytest.approx(min(weight_sums), rel=1e-4)
    assert record.input_size == 4


# -- the draw of new candidates -----------------------------------------------------------------


def test_new_candidates_are_distinct_and_not_among_the_seated(small_run):
    _, _, watched, _ = small_run(n_rotations=12)
    for end, start in zip(watched.ends, watched.starts[1:], strict=False):
        seated, candidates = start.features[:2], start.features[2:]
        assert seated == end.features[:2]
        assert len(candidates) == 2
        assert len({*seated, *candidates}) == 4
        assert set(candidates) <= set(range(6))


def test_every_feature_gets_its_turn_as_a_candidate(small_run):
    _, _, watched, _ = small_run(n_rotations=12)
    assert {feature for start in watched.starts for feature in start.features} == set(range(6))


def test_each_weight_of_a_new_candidate_is_its_own_tiny_draw(small_run):
    _, _, watched, _ = small_run(n_rotations=3)
    for start in watched.starts[1:]:
        weights = start.weights[2:]
        assert np.all(np.abs(weights) < 1e-8)
        # Hidden neurons that shared a draw would never become different.
        assert len(np.unique(weights)) == weights.size
    assert not np.array_equal(watched.starts[1].weights[2:], watched.starts[2].weights[2:])


def test_seated_features_keep_the_weights_they_were_trained_to(small_run):
    _, _, watched, _ = small_run(n_rotations=4)
    for trained, start in zip(watched.trained, watched.starts[1:], strict=False):
        for row in range(2):
            origin = trained.features.index(start.features[row])
            np.testing.assert_array_equal(start.weights[row], trained.weights[origin])
        np.testing.assert_array_equal(start.bias, trained.bias)
        np.testing.assert_array_equal(start.out_weights, trained.out_weights)


def test_the_optimiser_starts_afresh_after_a_rotation(small_run):
    _, _, watched, _ = small_run(n_rotations=2)
    assert np.any(watched.ends[0].first_moment)
    assert np.any(watched.ends[0].second_moment)
    assert not np.any(watched.starts[1].first_moment)
    assert not np.any(watched.starts[1].second_moment)


def test_the_windows_rows_are_the_columns_of_the_input_layer(small_run):
    problem, _, watched, _ = small_run(n_rotations=6)
    X = problem.source.values.numpy()
    for state in (*watched.starts, *watched.trained):
        expected = X[state.features]
        np.testing.assert_array_equal(state.window[:, :13], expected)
        # The ring: the first training cases once more.
        np.testing.assert_array_equal(state.window[:, 13:], expected[:, 5:9])


def test_an_optimiser_that_is_kept_forgets_only_the_candidates(small_run):
    problem, settings, watched, _ = small_run(n_rotations=4, reset_optimizer=False)
    del problem, settings
    n_changed = 0
    for trained, start in zip(watched.trained, watched.starts[1:], strict=False):
        # The block ends with the first layer's weights, one row per feature.
        for name in ("first_moment", "second_moment"):
            before = getattr(trained, name)[-4 * 3 :].reshape(4, 3)
            after = getattr(start, name)[-4 * 3 :].reshape(4, 3)
            assert not np.any(after[2:])
            for row in range(2):
                origin = trained.features.index(start.features[row])
                n_changed += origin >= 2
                np.testing.assert_array_equal(after[row], before[origin])
            np.testing.assert_array_equal(getattr(start, name)[:-12], getattr(trained, name)[:-12])
    assert n_changed, "no feature moved to a seat, so the moments' move went untested"


def test_a_kept_optimiser_goes_on_where_it_was(small_run):
    problem, settings, watched, _ = small_run(n_rotations=2, reset_optimizer=False)
    network = ByHand(watched.starts[0], settings.learning_rate)
    X, y = problem.source.values.numpy().astype(np.float64), problem.targets.tolist()
    for index in range(2):
        start = watched.starts[index]
        if index:
            # The candidates' draws are the engine's; all else follows from the first rotation.
            rows = [watched.starts[0].features.index(feature) for feature in start.features[:2]]
            network.W[:] = start.weights
            for moments in network.moments[0]:
                moments[:2], moments[2:] = moments[rows], 0.0
        for batch in (range(5, 9), range(9, 13)):
            cases = [X[start.features, case] for case in batch]
            network.train(cases, [y[case] for case in batch])
    np.testing.assert_allclose(watched.trained[1].weights, network.W, rtol=1e-3, atol=1e-5)


# -- later rotations ----------------------------------------------------------------------------


@pytest.mark.parametrize(("n_cases", "batches_per_rotation"), [(13, 2), (15, 3)])
@pytest.mark.parametrize("seed", [0, 1, 2])
def test_several_rotations_agree_with_the_algorithm(small_run, seed, n_cases, batches_per_rotation):
    problem, settings, watched, outcome = small_run(
        n_rotations=6, seed=seed, n_cases=n_cases, batches_per_rotation=batches_per_rotation
    )
    before = {}
    for index, by_hand, entries in follow(problem, settings, watched):
        end, record = watched.ends[index], outcome.records[index]
        seated = dict(zip(end.features[:2], end.entry_scores, strict=True))
        assert seated == pytest.approx(entries, rel=1e-3, abs=1e-4)
        assert record.training_loss == pytest.approx(by_hand.loss, rel=1e-4)
        assert record.n_changed == len(entries.keys() - before.keys())
        assert record.min_entry_score == pytest.approx(min(entries.values()), rel=1e-3)
        rows = [watched.starts[index].features.index(feature) for feature in entries]
        weight_sum = np.abs(by_hand.weights[rows]).sum(axis=1).min()
        assert record.min_weight_sum == pytest.approx(weight_sum, rel=1e-3)
        before = entries


@pytest.mark.parametrize("seed", [0, 1, 2])
def test_the_validation_loss_is_that_of_the_seated_features_alone(small_run, seed):
    # Five validation cases and batches of four: the last piece is smaller than the first.
    problem, settings, watched, outcome = small_run(n_rotations=4, seed=seed)
    losses = [record.validation_loss for record in outcome.records]
    expected = [by_hand.validation_loss for _, by_hand, _ in follow(problem, settings, watched)]
    assert math.isnan(losses[0])
    assert losses[1:] == pytest.approx(expected[1:], rel=1e-4)


def test_a_seated_feature_keeps_its_entry_score_though_its_change_score_moves_on(small_run):
    problem, settings, watched, _ = small_run(n_rotations=6)
    n_moved = 0
    for index, by_hand, _ in follow(problem, settings, watched):
        if index == 0:
            continue
        start, end = watched.starts[index], watched.ends[index]
        for row, feature in enumerate(start.features[:2]):
            if feature in end.features[:2]:
                kept = end.entry_scores[end.features.index(feature)]
                assert kept == start.entry_scores[row]
                n_moved += abs(by_hand.scores[row] - kept) > 0.05
    assert n_moved > 3


def test_a_better_candidate_takes_the_seat_of_the_worst(small_run):
    problem, settings, watched, outcome = small_run(n_rotations=12, seed=3)
    n_replaced = 0
    for index, by_hand, _ in follow(problem, settings, watched):
        if outcome.records[index].n_changed != 1:
            continue
        start, end = watched.starts[index], watched.ends[index]
        (left,) = set(start.features[:2]) - set(end.features[:2])
        (came,) = set(end.features[:2]) - set(start.features[:2])
        assert came in start.features[2:]
        assert start.features.index(left) == np.argmin(start.entry_scores)
        assert by_hand.scores[start.features.index(came)] > start.entry_scores.min()
        n_replaced += 1
    assert n_replaced


def test_candidates_that_do_not_beat_the_seated_change_nothing(small_run):
    problem, settings, watched, outcome = small_run(n_rotations=12, seed=3)
    n_unchanged = 0
    for index, by_hand, _ in follow(problem, settings, watched):
        start, end = watched.starts[index], watched.ends[index]
        if index and max(by_hand.scores[2:]) < min(start.entry_scores):
            assert end.features[:2] == start.features[:2]
            assert outcome.records[index].n_changed == 0
            n_unchanged += 1
    assert n_unchanged


def test_the_smallest_entry_score_never_falls(small_run):
    _, _, _, outcome = small_run(n_rotations=20)
    scores = [record.min_entry_score for record in outcome.records]
    assert scores == sorted(scores)
    assert scores[-1] > scores[0]


@pytest.mark.parametrize("with_entry_scores", [True, False])
@pytest.mark.parametrize("metric", METRICS)
def test_each_change_metric_selects_the_top_k_by_hand(small_run, metric, with_entry_scores):
    problem, settings, watched, _ = small_run(
        n_rotations=5, change_metric=metric, entry_scores=with_entry_scores
    )
    steps = follow(problem, settings, watched, metric, with_entry_scores)
    for index, _, entries in steps:
        end = watched.ends[index]
        seated = dict(zip(end.features[:2], end.entry_scores, strict=True))
        assert seated == pytest.approx(entries, rel=1e-3, abs=1e-4)


def test_the_change_metrics_do_not_all_select_alike(small_run):
    selections = set()
    for metric in METRICS:
        for with_entry_scores in (True, False):
            _, _, watched, _ = small_run(
                n_rotations=5, change_metric=metric, entry_scores=with_entry_scores
            )
            selections.add(tuple(tuple(end.features[:2]) for end in watched.ends))
    assert len(selections) >= 4


# -- edges --------------------------------------------------------------------------------------


def test_all_features_selected_leaves_no_candidates(make_problem, tiny_settings, make_training):
    training = make_training(
        make_problem(), tiny_settings(n_selected=6), n_candidates=0, n_rotations=3
    )
    outcome = training.run()
    assert sorted(outcome.last.chosen.features.tolist()) == list(range(6))
    assert [record.n_changed for record in outcome.records] == [6, 0, 0]
    assert {record.input_size for record in outcome.records} == {6}


def test_one_feature_scores_zero_and_is_selected(make_problem, tiny_settings, make_training):
    training = make_training(
        make_problem(n_columns=1), tiny_settings(n_selected=1), n_candidates=0, n_rotations=3
    )
    chosen = training.run().last.chosen
    assert chosen.features.tolist() == [0]
    assert chosen.scores.tolist() == [0.0]


def test_constant_features_alone_score_zero(tiny_settings, make_training):
    values = torch.zeros(6, 13)
    problem = Problem(ArrayColumns(values), torch.arange(13) % 2, 2, n_validation=5)
    outcome = make_training(problem, tiny_settings(), n_rotations=3).run()
    assert outcome.last.chosen.scores.tolist() == [0.0, 0.0]
    # In a tie the seated features stay.
    assert [record.n_changed for record in outcome.records] == [2, 0, 0]


def test_the_snapshots_network_takes_the_features_in_the_columns_order(small_run):
    problem, settings, watched, outcome = small_run(n_rotations=5, seed=0)
    end = watched.ends[-1]
    seated = end.features[:2]
    assert seated != sorted(seated), "the order would not matter here"
    by_hand = ByHand(end, settings.learning_rate)
    by_hand.W = end.weights[:2][np.argsort(seated)]
    X = problem.source.values[sorted(seated)].t()
    with torch.no_grad():
        outputs = outcome.last.network(X).numpy()
    for case in range(13):
        expected = by_hand._forward(X[case].numpy().astype(np.float64))[1]
        np.testing.assert_allclose(outputs[case], expected, rtol=1e-4, atol=1e-5)


def test_the_best_snapshot_is_that_of_the_lowest_validation_loss(small_run):
    problem, _, _, outcome = small_run(n_rotations=10)
    losses = [record.validation_loss for record in outcome.records]
    best = int(np.nanargmin(losses))
    assert outcome.best.n_rotations == best
    assert outcome.best.n_candidates == 2
    features = sorted(outcome.best.snapshot.chosen.features.tolist())
    with torch.no_grad():
        outputs = outcome.best.snapshot.network(problem.source.values[features, :5].t())
    logs = torch.log_softmax(outputs.double(), 1)
    loss = -sum(float(logs[i, problem.targets[i]]) for i in range(5)) / 5
    assert loss == pytest.approx(losses[best], rel=1e-4)


def test_finishing_trains_on_the_seated_features_alone(
    make_problem, tiny_settings, make_training, watch
):
    problem = make_problem(n_validation=0, n_cases=8)
    settings = tiny_settings(finish_rotations=2)
    training = make_training(problem, settings, n_rotations=2)
    watched = watch(training)
    training.run()
    end = watched.ends[-1]
    network = ByHand(end, settings.learning_rate)
    network.W = end.weights[:2].copy()
    network.moments[0] = (np.zeros((2, 3)), np.zeros((2, 3)))
    X, y = problem.source.values.numpy().astype(np.float64), problem.targets.tolist()
    for step in range(4):
        batch = range(4 * (step % 2), 4 * (step % 2) + 4)
        network.train([X[end.features[:2], case] for case in batch], [y[case] for case in batch])

    module = training.finish()
    order = np.argsort(end.features[:2])
    first = module[0].weight.detach().numpy().T
    np.testing.assert_allclose(first, network.W[order], rtol=1e-3, atol=1e-5)


class FromInputsAndDelta:
    """The gradient sum, made of what a metric is given besides the network."""

    def begin(self, network):
        self.sum = 0.0

    def add(self, network, inputs, delta):
        self.sum = self.sum + inputs.double() @ delta.double()
        self.shapes = tuple(inputs.shape), tuple(delta.shape)

    def total(self, network):
        return self.sum.abs().sum(dim=1).float()


def test_a_metric_gets_each_mini_batch_and_the_gradient_at_the_hidden_neurons(
    make_problem, tiny_settings, make_training
):
    paper, own = (make_training(make_problem(), tiny_settings(), n_rotations=4) for _ in range(2))
    own.metric = FromInputsAndDelta()
    expected, outcome = paper.run(), own.run()
    # Four features in the input layer, four cases in a batch, three hidden neurons.
    assert own.metric.shapes == ((4, 4), (4, 3))
    torch.testing.assert_close(
        own.metric.total(own.network), paper.metric.total(paper.network), rtol=1e-4, atol=1e-6
    )
    assert outcome.last.chosen.features.tolist() == expected.last.chosen.features.tolist()
