"""The sparse layers, networks and rewirings under four of the methods."""

import numpy as np
import pytest
import torch
from torch import nn

from entryprune._progress import epochs
from entryprune.baselines import RigLSelector
from entryprune.baselines import _rewiring as positions_module
from entryprune.baselines._rewiring import (
    draw_absent,
    drop_weakest,
    drop_weakest_of_each_sign,
    rewire_at_random,
    rewire_by_gradient,
    steepest_absent,
    steepest_of_each_input,
)
from entryprune.baselines._sparse import (
    ACTIVATIONS,
    Batches,
    Signal,
    SparseLayer,
    SparseNetwork,
    finished_scores,
    n_connections,
    resolve_batch_size,
    softmax_error,
    squared_error,
)
from entryprune.engine import DivergedError


def seeded(seed=0):
    return torch.Generator().manual_seed(seed)


def dense(layer):
    """Return the matrix that a layer stands for."""
    matrix = torch.zeros(layer.n_out * layer.n_in)
    matrix[layer.positions] = layer.values
    return matrix.view(layer.n_out, layer.n_in)


def full_of(*values):
    """Return a layer from as many inputs to one unit, whose places 0, 1, ... hold the values."""
    return SparseLayer(len(values) + 4, 1, torch.arange(len(values)), torch.tensor(values))


# -- one layer ----------------------------------------------------------------------------------


@pytest.mark.parametrize("epsilon", [1, 100], ids=["sparse", "full"])
def test_products_and_gradients_are_those_of_a_dense_layer(epsilon):
    generator = seeded()
    layer = SparseLayer.random(7, 5, epsilon, generator)
    assert layer.is_full == (epsilon == 100)
    layer.bias.normal_(generator=generator)
    inputs = torch.randn(7, 4, generator=generator, requires_grad=True)
    delta = torch.randn(5, 4, generator=generator)
    weights = dense(layer).requires_grad_()
    bias = layer.bias.clone().requires_grad_()
    sums = weights @ inputs + bias
    sums.backward(delta)

    layer.backward(delta, inputs.detach())

    torch.testing.assert_close(layer.forward(inputs.detach()), sums.detach())
    torch.testing.assert_close(layer.gradient, weights.grad.view(-1)[layer.positions])
    torch.testing.assert_close(layer.bias_gradient, bias.grad)
    torch.testing.assert_close(layer.input_gradient(delta), inputs.grad)


@pytest.mark.parametrize("epsilon", [1, 100], ids=["sparse", "full"])
def test_steps_are_those_of_torchs_sgd_and_reach_the_products(epsilon):
    generator = seeded(1)
    layer = SparseLayer.random(7, 5, epsilon, generator)
    inputs, delta = torch.randn(7, 4, generator=generator), torch.randn(5, 4, generator=generator)
    values, bias = layer.values.clone().requires_grad_(), layer.bias.clone().requires_grad_()
    groups = [{"params": [values], "weight_decay": 0.1}, {"params": [bias]}]
    optimizer = torch.optim.SGD(groups, lr=0.5, momentum=0.9)
    for _ in range(3):
        layer.backward(delta, inputs)
        values.grad, bias.grad = layer.gradient.clone(), layer.bias_gradient.clone()
        optimizer.step()
        layer.step(learning_rate=0.5, momentum=0.9, weight_decay=0.1)

    torch.testing.assert_close(layer.values, values.detach())
    torch.testing.assert_close(layer.bias, bias.detach())
    torch.testing.assert_close(layer.forward(inputs), dense(layer) @ inputs + layer.bias)
    torch.testing.assert_close(layer.input_gradient(delta), dense(layer).t() @ delta)


def test_a_layer_has_epsilon_connections_for_each_unit_but_never_more_than_fit():
    assert n_connections(784, 1000, epsilon=30) == 30 * 1784
    assert n_connections(4, 5, epsilon=30) == 20
    assert n_connections(1, 1, epsilon=0.01) == 1
    layer = SparseLayer.random(50, 40, 2, seeded())
    assert len(layer.positions) == 180
    assert layer.positions.diff().min() > 0


def test_weights_keep_the_size_of_a_signal_given_the_connections_that_exist():
    layer = SparseLayer.random(400, 400, 10, seeded())
    # 20 connections to and from a unit on average; a variance of 1/20 keeps the size.
    assert float(layer.values.var()) == pytest.approx(1 / 20, rel=0.05)
    sent = torch.randn(400, 200, generator=seeded(1))
    assert float(layer.forward(sent).var()) == pytest.approx(1.0, rel=0.1)


def test_strength_is_the_sum_of_absolute_weights_that_leave_an_input():
    # Unit 0 gets 1 and -2 from inputs 0 and 2, unit 1 gets -3 and 4 from inputs 0 and 1.
    places = torch.tensor([0, 2, 4, 5])
    layer = SparseLayer(4, 2, places, torch.tensor([1.0, -2.0, -3.0, 4.0]))
    assert layer.strengths().tolist() == [4.0, 4.0, 2.0, 0.0]
    assert layer.input_units.tolist() == [0, 2, 0, 1]
    assert layer.output_units.tolist() == [0, 0, 1, 1]


def test_rewiring_keeps_what_stays_and_starts_what_is_born_without_momentum():
    layer = SparseLayer(4, 2, torch.tensor([0, 2, 5]), torch.tensor([1.0, 2.0, 3.0]))
    layer.backward(torch.ones(2, 1), torch.ones(4, 1))
    layer.step(learning_rate=0.0, momentum=0.9, weight_decay=0.0)

    layer.rewire(torch.tensor([True, False, True]), torch.tensor([7, 3]), torch.tensor([8.0, 9.0]))

    assert layer.positions.tolist() == [0, 3, 5, 7]
    assert layer.values.tolist() == [1.0, 9.0, 3.0, 8.0]
    inputs = torch.tensor([[1.0], [10.0], [100.0], [1000.0]])
    assert layer.forward(inputs).tolist() == [[9001.0], [8030.0]]
    # A step on a gradient of zero shows the momentum that is left.
    layer.backward(torch.zeros(2, 1), inputs)
    layer.step(learning_rate=1.0, momentum=0.5, weight_decay=0.0)
    assert layer.values.tolist() == [0.5, 9.0, 2.5, 8.0]


# -- which connections die and which are born ---------------------------------------------------


def test_the_weakest_share_is_dropped_whatever_the_sign():
    values = torch.tensor([0.5, -0.1, 0.2, -0.9, 0.3])
    assert drop_weakest(values, 0.4).tolist() == [True, False, False, True, True]
    assert drop_weakest(values, 0.39).tolist() == [True, False, True, True, True]
    assert drop_weakest(values, 0.0).all()


def test_the_smallest_positive_and_the_largest_negative_weights_are_dropped():
    values = torch.tensor([0.5, -0.1, 0.2, -0.9, 0.3, 0.4])
    # Half of four positive ones and half of two negative ones.
    expected = [True, False, False, True, False, True]
    assert drop_weakest_of_each_sign(values, 0.5).tolist() == expected


@pytest.mark.parametrize("count", [1, 30, 66])
@pytest.mark.parametrize("seed", range(3))
def test_random_positions_are_free_and_different(count, seed):
    present = torch.arange(0, 100, 3)
    drawn = draw_absent(present, 100, count, seeded(seed))
    assert len(set(drawn.tolist())) == count
    assert not set(drawn.tolist()) & set(present.tolist())
    assert 0 <= drawn.min() <= drawn.max() < 100


@pytest.mark.parametrize("count", [50, 400], ids=["by rejection", "from a list"])
def test_every_free_position_is_as_likely_as_the_others(count):
    generator = seeded()
    present = torch.arange(0, 1000, 4)
    n_draws = 20_000 // count
    hits = torch.zeros(1000)
    for _ in range(n_draws):
        hits[draw_absent(present, 1000, count, generator)] += 1
    assert hits[present].sum() == 0
    # A share of 1/2 of 20,000 draws has a standard deviation of 0.0035.
    assert float(hits[:500].sum() / hits.sum()) == pytest.approx(0.5, abs=0.014)
    # 27 hits for each of 750 positions, up to chance.
    assert hits[hits > 0].numel() == 750
    assert 5 <= hits[hits > 0].min() <= hits.max() <= 60


def test_connections_are_born_where_the_gradient_is_largest():
    # The gradient of a weight is delta times what its input sent.
    delta = torch.tensor([[1.0], [-2.0]])
    sent = torch.tensor([[3.0], [0.0], [1.0], [5.0]])
    # Sizes: 3 0 1 5 | 6 0 2 10, of which 10 and 5 are taken.
    present = torch.tensor([3, 7])
    assert sorted(steepest_absent(present, delta, sent, 3).tolist()) == [0, 4, 6]
    assert sorted(steepest_absent(present, delta, sent, 99).tolist()) == [0, 1, 2, 4, 5, 6]
    assert steepest_absent(present, delta, sent, 0).tolist() == []


@pytest.mark.parametrize("piece", [1, 64, 2**20])
def test_pieces_do_not_change_which_gradients_are_largest(piece, monkeypatch):
    monkeypatch.setattr(positions_module, "_PIECE", piece)
    generator = seeded()
    delta, sent = torch.randn(30, 6, generator=generator), torch.randn(20, 6, generator=generator)
    present = torch.randperm(600, generator=generator)[:100].sort().values
    sizes = (delta @ sent.t()).abs()
    torch.testing.assert_close(steepest_of_each_input(delta, sent), sizes.amax(dim=0))
    sizes.view(-1)[present] = -1.0
    expected = sizes.view(-1).topk(50).indices
    found = steepest_absent(present, delta, sent, 50)
    assert sorted(found.tolist()) == sorted(expected.tolist())


def test_gradients_that_are_not_numbers_are_never_born():
    delta, sent = torch.tensor([[torch.nan], [1.0]]), torch.ones(2, 1)
    assert steepest_absent(torch.tensor([3]), delta, sent, 2).tolist() == [2]


def test_rewiring_by_gradient_by_hand():
    layer = full_of(0.5, -0.1, 0.2, -0.9)
    sent = torch.tensor([1.0, 7.0, 1.0, 1.0, 2.0, -9.0, 3.0, 0.0]).view(-1, 1)
    rewire_by_gradient([layer], 0.5, [Signal(sent, torch.ones(1, 1))])
    # 1 and 2 die. Among the six that are free then, 5 and 1 have the largest gradients.
    assert layer.positions.tolist() == [0, 1, 3, 5]
    assert layer.values.tolist() == pytest.approx([0.5, 0.0, -0.9, 0.0])


def test_rewiring_at_random_keeps_the_number_and_draws_small_weights():
    generator = seeded()
    layer = SparseLayer.random(30, 20, 2, generator)
    before = dict(zip(layer.positions.tolist(), layer.values.tolist(), strict=True))
    kept = layer.positions[drop_weakest_of_each_sign(layer.values, 0.3)].tolist()
    bound = max(abs(value) for value in before.values())
    rewire_at_random([layer], 0.3, generator)
    after = dict(zip(layer.positions.tolist(), layer.values.tolist(), strict=True))
    assert len(after) == len(before) == 100
    assert len(kept) in (70, 71)
    assert all(after[position] == before[position] for position in kept)
    born = [after[position] for position in after.keys() - set(kept)]
    assert 0 < max(map(abs, born)) < 0.11 * bound


def test_a_full_layer_has_nowhere_to_rewire_to():
    layer = SparseLayer.random(4, 3, 99, seeded())
    values = layer.values.clone()
    rewire_at_random([layer], 0.5, seeded())
    rewire_by_gradient([layer], 0.5, [Signal(torch.ones(4, 1), torch.ones(3, 1))])
    assert torch.equal(layer.values, values)


# -- a network ----------------------------------------------------------------------------------


class DenseTwin(nn.Module):
    """The same network, dense, for automatic gradients."""

    def __init__(self, network, activation):
        super().__init__()
        self.weights = nn.ParameterList([dense(layer) for layer in network.layers])
        self.biases = nn.ParameterList([layer.bias.clone() for layer in network.layers])
        self.activation = activation

    def forward(self, sent):
        for weight, bias in zip(self.weights[:-1], self.biases[:-1], strict=True):
            sent = self.activation(weight @ sent + bias)
        return self.weights[-1] @ sent + self.biases[-1]


@pytest.mark.parametrize(
    ("name", "function"),
    [("tanh", torch.tanh), ("logistic", torch.sigmoid), ("relu", torch.relu)],
)
@pytest.mark.parametrize("is_classifier", [True, False])
def test_gradients_of_a_network_are_the_automatic_ones(name, function, is_classifier):
    generator = seeded()
    error = softmax_error if is_classifier else squared_error
    network = SparseNetwork(
        (6, 8, 7, 3), activation=name, error=error, epsilon=2, generator=generator
    )
    inputs = torch.randn(6, 5, generator=generator, requires_grad=True)
    twin = DenseTwin(network, function)
    outputs = twin(inputs)
    if is_classifier:
        targets = torch.tensor([0, 2, 1, 1, 0])
        nn.functional.cross_entropy(outputs.t(), targets).backward()
    else:
        targets = torch.randn(3, 5, generator=generator)
        (0.5 * (outputs - targets).square().sum(dim=0).mean()).backward()

    signals = network.backward(inputs.detach(), targets)

    for layer, weight, bias in zip(network.layers, twin.weights, twin.biases, strict=True):
        torch.testing.assert_close(layer.gradient, weight.grad.view(-1)[layer.positions])
        torch.testing.assert_close(layer.bias_gradient, bias.grad)
    # The absent weights' gradients too, on which connections are born.
    for signal, weight in zip(signals, twin.weights, strict=True):
        torch.testing.assert_close(signal.delta @ signal.sent.t(), weight.grad)
    input_gradient = network.layers[0].input_gradient(signals[0].delta)
    torch.testing.assert_close(input_gradient, inputs.grad)


def test_dropout_silences_its_share_and_keeps_the_gradient_consistent():
    network = SparseNetwork(
        (3, 500, 1),
        activation="logistic",
        error=squared_error,
        epsilon=99,
        generator=seeded(),
        dropout=0.2,
    )
    inputs = torch.randn(3, 4, generator=seeded(1))
    hidden, outputs = network.backward(inputs, torch.ones(1, 4))
    is_silent = outputs.sent == 0
    assert float(is_silent.float().mean()) == pytest.approx(0.2, abs=0.03)
    active = torch.sigmoid(network.layers[0].forward(inputs))
    torch.testing.assert_close(outputs.sent[~is_silent], active[~is_silent] / 0.8)
    slope = torch.where(is_silent, 0.0, active * (1 - active) / 0.8)
    expected = slope * (dense(network.layers[1]).t() @ outputs.delta)
    torch.testing.assert_close(hidden.delta, expected)


def test_activations_do_what_torchs_do():
    sums = torch.linspace(-30, 30, 101)
    for name, function in [("tanh", torch.tanh), ("logistic", torch.sigmoid)]:
        torch.testing.assert_close(
            ACTIVATIONS[name].apply(sums.clone()), function(sums), atol=2e-7, rtol=0
        )


def test_a_network_learns_and_divergence_is_an_error():
    generator = seeded()
    X = torch.randn(200, 5, generator=generator).numpy()
    y = (X[:, 1] * X[:, 2] > 0).astype(np.int64)
    network = SparseNetwork(
        (5, 60, 60, 2), activation="tanh", error=softmax_error, epsilon=4, generator=generator
    )
    batches = Batches(X, y, 20, generator)
    for _ in range(60):
        for inputs, targets in batches:
            network.backward(inputs, targets)
            network.step(0.1, 0.9, 0.0)
    network.refuse_divergence()
    everyone = torch.from_numpy(X).t().contiguous()
    delta = network.backward(everyone, torch.from_numpy(y))[-1].delta
    assert float(delta.abs().max()) * len(y) < 0.5  # all cases are on their side
    network.layers[1].values[3] = torch.nan
    with pytest.raises(DivergedError, match="the network's weights are not finite"):
        network.refuse_divergence()


# -- mini-batches and the rest ------------------------------------------------------------------


def test_an_epoch_sees_each_case_once_in_a_new_order():
    X = np.arange(10.0).reshape(5, 2)
    batches = Batches(X, np.arange(5), 2, seeded())
    orders = []
    for _ in range(4):
        epoch = list(batches)
        assert [inputs.shape for inputs, _ in epoch] == [(2, 2), (2, 2), (2, 1)]
        cases = torch.cat([targets for _, targets in epoch])
        torch.testing.assert_close(
            torch.cat([inputs for inputs, _ in epoch], dim=1).t(),
            torch.from_numpy(X).float()[cases],
        )
        orders.append(tuple(cases.tolist()))
    assert all(sorted(order) == [0, 1, 2, 3, 4] for order in orders)
    assert len(set(orders)) > 1
    assert batches.one()[0].shape == (2, 2)


def test_fewer_cases_than_a_mini_batch_make_one():
    batches = Batches(np.ones((3, 2)), np.zeros(3), 100, seeded())
    assert [inputs.shape for inputs, _ in batches] == [(2, 3)]
    assert batches.one()[1].shape == (3,)


def test_small_wide_data_get_small_mini_batches():
    assert resolve_batch_size("auto", 160, 10_000) == 20
    assert resolve_batch_size("auto", 1594, 4862) == 100
    assert resolve_batch_size("auto", 500, 500) == 100
    assert resolve_batch_size(7, 160, 10_000) == 7


@pytest.mark.parametrize("sizes", [(), (10, 0), (2.5,), ("a",)])
def test_hidden_layers_need_whole_positive_widths(sizes):
    selector = RigLSelector(1, hidden_layer_sizes=sizes)
    with pytest.raises(ValueError, match="hidden_layer_sizes must be one or more positive"):
        selector.fit([[0, 1], [1, 1]], [0, 1])


def test_a_constant_feature_scores_nothing_and_scores_must_be_finite():
    X = np.array([[0.0, 5.0], [1.0, 5.0]])
    assert finished_scores(torch.tensor([2.0, 3.0]), X).tolist() == [2.0, 0.0]
    with pytest.raises(DivergedError, match="the scores are not finite"):
        finished_scores(torch.tensor([2.0, torch.inf]), X)


def test_the_bar_counts_epochs_on_the_error_stream_and_silence_is_silent(capsys):
    assert list(epochs(3, "Sparse", verbose=0)) == [0, 1, 2]
    assert capsys.readouterr() == ("", "")
    assert list(epochs(3, "Sparse", verbose=1)) == [0, 1, 2]
    assert capsys.readouterr().out == ""
