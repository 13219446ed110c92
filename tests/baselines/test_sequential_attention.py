import numpy as np
import pytest
import torch
from torch import nn

from entryprune.baselines import SequentialAttentionSelector
from entryprune.baselines.masks import Attention, masked_outputs, split_evenly
from entryprune.engine import DivergedError

QUICK = {"hidden_layer_sizes": 20, "epochs_per_phase": 20, "learning_rate_init": 0.01}


@pytest.fixture
def attention():
    """Four features, of which the second is constant."""
    return Attention(torch.tensor([True, False, True, True]))


def set_logits(attention, *values):
    with torch.no_grad():
        attention.logits.copy_(torch.tensor(values))


def test_the_mask_by_hand(attention):
    assert attention.mask().tolist() == [1.0] * 4
    attention.begin()
    assert attention.mask().tolist() == pytest.approx([1 / 3, 0, 1 / 3, 1 / 3])
    set_logits(attention, 0.0, 9.0, np.log(2), np.log(5))
    assert attention.mask().tolist() == pytest.approx([1 / 8, 0, 2 / 8, 5 / 8])
    attention.take(1)
    # The last is selected and has all of its input; the rest share their attention anew.
    assert attention.mask().tolist() == pytest.approx([1 / 3, 0, 2 / 3, 1])
    attention.begin()
    assert attention.mask().tolist() == pytest.approx([1 / 2, 0, 1 / 2, 1])


def test_the_order_the_scores_and_what_fills_up(attention):
    attention.begin()
    set_logits(attention, 0.0, 9.0, np.log(2), np.log(5))
    attention.take(1)
    attention.begin()
    attention.take(2)
    assert attention.n_waiting == 0
    enough = attention.ranking(3)
    assert enough.order.tolist() == [3, 0, 2]
    assert enough.scores == pytest.approx([0.5, np.nan, 0.5, 5 / 8], nan_ok=True)
    filled = attention.ranking(4)
    assert filled.order.tolist() == [3, 0, 2, 1]
    assert filled.scores == pytest.approx([0.5, 0.0, 0.5, 5 / 8])


def test_the_logits_of_selected_features_have_no_slope(attention):
    attention.begin()
    set_logits(attention, 0.0, 0.0, 0.0, 1.0)
    attention.take(1)
    (attention.mask() * torch.arange(4.0)).sum().backward()
    # Half and half of 0 and 2: the slopes are 1/4 of the difference.
    assert attention.logits.grad.tolist() == pytest.approx([-0.5, 0.0, 0.5, 0.0])


def test_a_mask_on_the_weights_is_a_mask_on_the_inputs():
    torch.manual_seed(0)
    network = nn.Sequential(nn.Linear(3, 4), nn.ReLU(), nn.Linear(4, 2))
    X, mask = torch.randn(5, 3), torch.tensor([1.0, 0.0, 0.3])
    torch.testing.assert_close(masked_outputs(network, X, mask), network(X * mask))


@pytest.mark.parametrize(("k", "n_phases"), [(1, 50), (5, 50), (12, 50), (11, 3), (12, 1)])
def test_exactly_k_distinct_features_are_selected(easy, k, n_phases):
    quick = {**QUICK, "epochs_per_phase": 1}
    selector = SequentialAttentionSelector(k, n_phases=n_phases, **quick, random_state=0)
    selector.fit(*easy)
    assert len(set(selector.selected_indices_.tolist())) == k
    assert selector.support_.sum() == k
    assert np.count_nonzero(~np.isnan(selector.scores_)) == k


def test_planted_features_come_first(easy, easy_regression):
    for X, y in (easy, easy_regression):
        selector = SequentialAttentionSelector(4, **QUICK, random_state=0).fit(X, y)
        assert sorted(selector.selected_indices_[:2]) == [3, 8]


def test_a_copy_of_a_selected_feature_has_to_wait():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(200, 3))
    X[:, 1] = X[:, 0]
    y = 3.0 * X[:, 0] + X[:, 2]
    selector = SequentialAttentionSelector(2, **QUICK, random_state=0).fit(X, y)
    assert selector.selected_indices_[0] in (0, 1)
    assert selector.selected_indices_[1] == 2


def test_constant_features_alone_are_taken_in_their_order():
    selector = SequentialAttentionSelector(2, **QUICK).fit(np.ones((6, 3)), [0, 1] * 3)
    assert selector.selected_indices_.tolist() == [0, 1]


def test_auto_epochs_go_by_the_mini_batches():
    rng = np.random.default_rng(0)
    for n_cases, n_features, n_phases, n_epochs in (
        (150, 12, 50, 30),  # two mini-batches, 60 in all
        (150, 12, 5, 150),  # 1500 in all, in 5 phases
        (30, 30, 50, 30),  # wide: one mini-batch, 30 in all
        (10_000, 12, 50, 1),
    ):
        selector = SequentialAttentionSelector(1)
        data = selector._prepare(rng.normal(size=(n_cases, n_features)), np.arange(n_cases) % 2)
        assert selector._epochs_per_phase(selector._begin(data, rng)[0], n_phases) == n_epochs


def test_the_bar_counts_all_epochs(easy, monkeypatch):
    counted = []

    def count(n, title, verbose):
        for epoch in range(n):
            counted.append((title, verbose))
            yield epoch

    monkeypatch.setattr("entryprune.baselines.masks.epochs", count)
    SequentialAttentionSelector(9, **QUICK, verbose=1, random_state=0).fit(*easy)
    # A tenth before the first phase.
    assert len(counted) == 200
    assert set(counted) == {("Sequential Attention", 1)}


def test_divergence_is_told(easy):
    with pytest.raises(DivergedError):
        SequentialAttentionSelector(2, **{**QUICK, "learning_rate_init": 1e30}).fit(*easy)


@pytest.mark.parametrize(
    ("n", "most", "portions"), [(3, 50, [1, 1, 1]), (7, 3, [3, 2, 2]), (0, 3, [])]
)
def test_phases_take_equal_portions_give_or_take_one(n, most, portions):
    assert split_evenly(n, most) == portions
