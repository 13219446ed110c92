import numpy as np
import pytest
import torch

from entryprune.baselines import NeuroFSSelector
from entryprune.baselines._sparse import Signal, SparseLayer
from entryprune.baselines.sparse_networks import InputEvolution, planned_counts
from entryprune.engine import DivergedError

QUICK = {
    "hidden_layer_sizes": (30, 20),
    "epsilon": 3,
    "learning_rate_init": 0.1,
    "batch_size": 20,
    "max_epochs": 25,
}


def test_planted_features_are_found_among_classes(easy):
    selector = NeuroFSSelector(2, **QUICK, random_state=0).fit(*easy)
    assert sorted(selector.selected_indices_) == [3, 8]


def test_planted_features_are_found_in_regression(easy_regression):
    selector = NeuroFSSelector(2, **QUICK, random_state=0).fit(*easy_regression)
    assert sorted(selector.selected_indices_) == [3, 8]


@pytest.mark.parametrize(
    ("n_epochs_done", "expected"),
    [
        # Of 1000 inputs 50 + 200 stay: 750 go within 65 epochs, in equal steps.
        (13, (150, 26)),  # 150 are out; 0.2 * 150 * 0.87 = 26.1 come back
        (26, (300, 44)),  # 0.2 * 300 * 0.74 = 44.4
        (52, (600, 58)),  # 0.2 * 600 * 0.48 = 57.6
        (66, (750, 51)),  # 0.2 * 750 * 0.34 = 51
        (98, (750, 3)),  # 0.2 * 750 * 0.02 = 3
        (100, (750, 0)),
    ],
)
def test_schedule_by_hand(n_epochs_done, expected):
    counts = planned_counts(n_epochs_done, 100, n_features=1000, n_selected=50, zeta=0.2)
    assert counts == expected


def test_nothing_is_removed_where_all_inputs_may_stay():
    assert planned_counts(90, 100, n_features=10, n_selected=10, zeta=0.2) == (0, 0)
    assert planned_counts(90, 100, n_features=10, n_selected=8, zeta=0.2) == (0, 0)


def a_layer():
    """Return a layer from six inputs to two units; the strengths are 3, 1, 5, 2, 4, 6."""
    places = torch.tensor([0, 1, 2, 3, 4, 5, 6, 9])
    values = torch.tensor([-1.0, 1.0, 5.0, -0.5, 4.0, 6.0, 2.0, 1.5])
    return SparseLayer(6, 2, places, values)


def a_signal(*sent):
    """Return a signal in which an input's gradients are what it sent, and a tenth of that."""
    return Signal(torch.tensor(sent).view(-1, 1), torch.tensor([[1.0], [0.1]]))


def test_an_epoch_by_hand():
    layer = a_layer()
    evolution = InputEvolution(layer, zeta=0.2)
    evolution.evolve(1, 1, a_signal(1.0, 9.0, 1.0, 8.0, 7.0, 1.0))
    # Inputs 1 and 3, the weakest, go; of these input 1 has the largest gradient and comes back.
    assert evolution.is_active.tolist() == [True, True, True, False, True, True]
    # Five weights of the inputs 0, 2, 4 and 5 stay, but a fifth of them, the -1 of input 0, goes.
    # Four are to be born. The free places of active inputs have the gradients: input 0 to the
    # first unit 1; input 1 to the first unit 9, to the second 0.9; the inputs 2, 4 and 5 to the
    # second 0.1, 0.7 and 0.1.
    assert layer.positions.tolist() == [0, 1, 2, 4, 5, 6, 7, 10]
    assert layer.values.tolist() == [0.0, 0.0, 5.0, 4.0, 6.0, 2.0, 0.0, 0.0]


def test_an_input_that_has_just_come_back_is_not_removed():
    layer = a_layer()
    evolution = InputEvolution(layer, zeta=0.2)
    evolution.evolve(1, 1, a_signal(1.0, 9.0, 1.0, 8.0, 7.0, 1.0))
    # Input 1 has weights of zero, and input 0 is the next weakest: 2.
    assert layer.strengths().tolist() == [2.0, 0.0, 5.0, 0.0, 4.0, 6.0]
    evolution.evolve(1, 1, a_signal(1.0, 1.0, 1.0, 9.0, 1.0, 1.0))
    assert evolution.is_active.tolist() == [False, True, True, True, True, True]
    # An epoch later input 3 is the new one, and input 1 may go.
    evolution.evolve(1, 1, a_signal(9.0, 1.0, 1.0, 1.0, 1.0, 1.0))
    assert evolution.is_active.tolist() == [True, False, True, True, True, True]


def test_where_too_many_are_new_fewer_go():
    evolution = InputEvolution(a_layer(), zeta=0.2)
    evolution.evolve(1, 4, a_signal(1.0, 9.0, 1.0, 8.0, 7.0, 1.0))
    assert int(evolution.is_active.sum()) == 5
    # Four of the five are new, so that only one can go where three should.
    evolution.evolve(4, 0, a_signal(1.0, 9.0, 1.0, 8.0, 7.0, 1.0))
    assert int(evolution.is_active.sum()) == 4


def test_the_number_of_connections_stays_while_inputs_go():
    generator = torch.Generator().manual_seed(0)
    layer = SparseLayer.random(60, 40, 4, generator)
    evolution = InputEvolution(layer, zeta=0.2)
    for epoch in range(1, 20):
        layer.values.normal_(generator=generator)
        sent = torch.randn(60, 8, generator=generator)
        delta = torch.randn(40, 8, generator=generator)
        n_out, n_back = planned_counts(epoch, 20, n_features=60, n_selected=5, zeta=0.2)
        evolution.evolve(n_out, n_back, Signal(sent, delta))
        assert int((~evolution.is_active).sum()) == n_out
        assert len(layer.positions) == 400
        assert layer.positions.diff().min() > 0
        assert evolution.is_active[layer.input_units].all()
    assert int(evolution.is_active.sum()) == 5 + 12


def test_removed_features_have_no_score(easy):
    selector = NeuroFSSelector(2, **QUICK, random_state=0).fit(*easy)
    # 2 + ceil(0.2 * 12) inputs are left in the end.
    assert np.count_nonzero(~np.isnan(selector.scores_)) == 5
    assert selector.ranking_.max() == 6
    assert np.isnan(selector.scores_[selector.ranking_ == 6]).all()


def test_all_features_can_be_asked_for(easy):
    selector = NeuroFSSelector(12, **{**QUICK, "max_epochs": 3}).fit(*easy)
    assert selector.support_.all()


def test_the_answer_hangs_on_the_seed_alone(easy):
    first, same, other = (
        NeuroFSSelector(4, **{**QUICK, "max_epochs": 6}, random_state=seed).fit(*easy).scores_
        for seed in (0, 0, 1)
    )
    assert np.array_equal(first, same, equal_nan=True)
    assert not np.array_equal(first, other, equal_nan=True)


def test_divergence_is_an_error(easy):
    selector = NeuroFSSelector(2, **{**QUICK, "learning_rate_init": 1e20}, activation="relu")
    with pytest.raises(DivergedError, match="not finite"):
        selector.fit(*easy)
