"""Whole runs: what is selected, when each training ends, and what is left untouched."""

from __future__ import annotations

import math
from itertools import pairwise

import numpy as np
import pytest
import torch
from torch import nn

from entryprune.engine import (
    ArrayColumns,
    BodyError,
    DivergedError,
    Problem,
    Scaling,
    Settings,
    select,
)


@pytest.fixture
def problem(make_problem):
    """Return 50 cases of 12 columns, 2 of which count; 10 cases are for validation."""
    return make_problem(n_columns=12, n_cases=50, n_validation=10)


@pytest.fixture
def settings(tiny_settings):
    """Return a function that makes settings for runs of a few dozen rotations."""

    def make(**changes):
        defaults = {
            "batches_per_rotation": 3,
            "hidden_layer_sizes": (4,),
            "batch_size": 10,
            "learning_rate": 0.02,
            "candidate_ratio": 0.3,
            "patience": 6,
            "finish_rotations": 2,
        }
        return tiny_settings(**(defaults | changes))

    return make


def phases(selection):
    search = [record for record in selection.history if record.phase == "search"]
    final = [record for record in selection.history if record.phase == "final"]
    assert [*search, *final] == list(selection.history)
    return search, final


def best_rotation(records):
    """Return the rotation with the lowest validation loss."""
    return min(
        (record for record in records if not math.isnan(record.validation_loss)),
        key=lambda record: record.validation_loss,
    ).rotation


def cross_entropy(network, problem, features, cases):
    """Return the mean loss of a network on columns in ascending order, in double precision."""
    inputs = problem.source.values[sorted(features)][:, cases].t()
    with torch.no_grad():
        outputs = network(inputs).double().numpy()
    targets = problem.targets[cases].tolist()
    return np.mean([np.log(np.exp(o).sum()) - o[t] for o, t in zip(outputs, targets, strict=True)])


# -- the search and the second training ---------------------------------------------------------


# Settings and seeds whose search ends by the validation loss; by default the set settles first.
BY_LOSS = [
    ({"learning_rate": 0.2}, 0),
    ({"learning_rate": 0.2}, 2),
    ({"n_selected": 5, "patience": 4}, 1),
    ({"n_selected": 5, "patience": 4}, 2),
]


@pytest.mark.parametrize(("changes", "seed"), BY_LOSS)
def test_the_search_ends_when_the_validation_loss_found_no_new_low(
    problem, settings, changes, seed
):
    selection = select(problem, settings(**changes), seed=seed)
    search, _ = phases(selection)
    assert selection.stop_reason == "validation"
    assert len(search) == best_rotation(search) + changes.get("patience", 6)


@pytest.mark.parametrize("seed", range(4))
def test_the_search_ends_when_the_set_has_not_changed(problem, settings, seed):
    selection = select(problem, settings(), seed=seed)
    search, _ = phases(selection)
    assert selection.stop_reason == "ident"
    assert [record.n_changed for record in search[-6:]] == [0] * 6
    assert search[-7].n_changed > 0
    # The validation loss would have let it go on.
    assert len(search) < best_rotation(search) + 6


@pytest.mark.parametrize(("changes", "seed"), [*BY_LOSS, ({}, 0), ({}, 1)])
def test_the_second_training_makes_as_many_rotations_as_led_to_the_lowest_loss(
    problem, settings, changes, seed
):
    selection = select(problem, settings(**changes), seed=seed)
    search, final = phases(selection)
    assert [record.rotation for record in search] == list(range(1, len(search) + 1))
    assert [record.rotation for record in final] == list(range(1, len(final) + 1))
    assert len(final) == best_rotation(search) - 1
    assert selection.n_rotations == len(final)


def test_the_second_training_has_all_the_cases(problem, settings):
    search, final = phases(select(problem, settings(), seed=0))
    # Three batches of ten, of 40 cases and then of 50.
    assert [record.epoch for record in search[:3]] == pytest.approx([0.75, 1.5, 2.25])
    assert final[0].epoch == pytest.approx(0.6)
    assert final[0].n_steps == 3
    assert all(math.isnan(record.validation_loss) for record in final)
    assert math.isnan(search[0].validation_loss)
    assert not any(math.isnan(record.validation_loss) for record in search[1:])


def test_the_second_training_does_not_repeat_the_draws_of_the_first(make_problem, settings):
    # On the same cases the same draws would give the same numbers.
    problem = make_problem(n_columns=12, n_cases=50, n_validation=0)
    search, final = phases(select(problem, settings(), seed=0))
    assert search[0].training_loss != pytest.approx(final[0].training_loss, rel=1e-3)


@pytest.mark.parametrize(("changes", "seed"), [*BY_LOSS, ({}, 0), ({}, 1)])
def test_without_a_second_training_the_set_of_lowest_validation_loss_is_returned(
    problem, settings, changes, seed
):
    selection = select(problem, settings(refit=False, **changes), seed=seed)
    search, final = phases(selection)
    assert not final
    lowest = min(r.validation_loss for r in search if not math.isnan(r.validation_loss))
    # The network that comes with it has that very loss on the validation cases.
    features = selection.chosen.features.tolist()
    loss = cross_entropy(selection.network, problem, features, range(10))
    assert loss == pytest.approx(lowest, rel=1e-5)
    assert selection.n_rotations == best_rotation(search) - 1
    assert selection.first_chosen.features.tolist() == features


def test_the_first_trainings_selection_is_kept(problem, settings):
    once = select(problem, settings(refit=False), seed=2)
    twice = select(problem, settings(), seed=2)
    assert torch.equal(twice.first_chosen.features, once.chosen.features)
    assert torch.equal(twice.first_chosen.scores, once.chosen.scores)
    # NaN is not equal to itself, but it is written alike.
    assert repr(twice.history[: len(once.history)]) == repr(once.history)


@pytest.mark.parametrize("seed", range(3))
def test_a_search_without_validation_cases_goes_by_the_training_loss(make_problem, settings, seed):
    problem = make_problem(n_columns=12, n_cases=50, n_validation=0)
    selection = select(problem, settings(learning_rate=0.2), seed=seed)
    search, final = phases(selection)
    assert all(math.isnan(record.validation_loss) for record in search)
    assert selection.stop_reason == "validation"
    losses = [record.training_loss for record in search]
    best = losses.index(min(losses)) + 1
    assert len(search) == best + 6
    assert len(final) == best - 1


def test_the_training_loss_of_a_rotation_before_any_selection_is_not_the_lowest(
    make_problem, settings
):
    problem = make_problem(n_columns=12, n_cases=50, n_validation=0)
    # Steps so large that the loss first rises above that of the first weights.
    changes = {"learning_rate": 0.5, "n_selected": 5}
    search, final = phases(select(problem, settings(**changes), seed=0))
    losses = [record.training_loss for record in search]
    assert losses[0] < min(losses[1:7])
    # Nothing was selected when the first rotation began, so its loss is no selection's loss.
    best = losses.index(min(losses[1:])) + 1
    assert len(final) == best - 1


# -- the other ways to stop ---------------------------------------------------------------------


def only_final(selection):
    search, final = phases(selection)
    assert not search
    assert all(math.isnan(record.validation_loss) for record in final)
    assert selection.n_rotations == len(final)
    assert torch.equal(selection.first_chosen.features, selection.chosen.features)
    return final


@pytest.mark.parametrize("seed", range(3))
def test_ident_trains_once_until_the_set_has_not_changed_for_its_patience(problem, settings, seed):
    selection = select(problem, settings(stopping="ident"), seed=seed)
    records = only_final(selection)
    assert selection.stop_reason == "ident"
    changed = [record.n_changed for record in records]
    assert changed[-6:] == [0] * 6
    # Nowhere earlier was it unchanged for as long.
    assert all(any(changed[i : i + 6]) for i in range(len(changed) - 6))
    assert records[0].epoch == pytest.approx(0.6)


@pytest.mark.parametrize(("max_epochs", "n_rotations"), [(0.5, 1), (0.6, 1), (1, 2), (3, 5)])
def test_epochs_train_once_for_as_many_epochs(problem, settings, max_epochs, n_rotations):
    # Three batches of ten of 50 cases: 0.6 epochs a rotation.
    selection = select(problem, settings(stopping="epochs", max_epochs=max_epochs), seed=0)
    assert len(only_final(selection)) == n_rotations
    assert selection.stop_reason == "epochs"


def test_epochs_need_to_be_given(problem, settings):
    with pytest.raises(ValueError, match="needs max_epochs"):
        select(problem, settings(stopping="epochs"), seed=0)


@pytest.mark.parametrize("stopping", ["validation", "ident"])
def test_a_bound_on_rotations_ends_the_search(problem, settings, stopping):
    changes = {"stopping": stopping, "max_rotations": 4, "patience": 50}
    selection = select(problem, settings(**changes), seed=0)
    search, final = phases(selection)
    assert selection.stop_reason == "max_rotations"
    assert len(search or final) == 4
    if search:
        assert len(final) == best_rotation(search) - 1


def test_a_search_of_one_rotation_is_trained_again_for_one(problem, settings):
    search, final = phases(select(problem, settings(max_rotations=1), seed=0))
    assert (len(search), len(final)) == (1, 1)


@pytest.mark.parametrize(
    ("stopping", "n_rotations"), [("validation", 3), ("ident", 4)], ids=["search", "final"]
)
def test_a_bound_on_epochs_ends_the_search(problem, settings, stopping, n_rotations):
    # 0.75 epochs a rotation on 40 cases, 0.6 on 50.
    changes = {"stopping": stopping, "max_epochs": 2, "patience": 50}
    selection = select(problem, settings(**changes), seed=0)
    search, final = phases(selection)
    assert selection.stop_reason == "max_epochs"
    assert len(search or final) == n_rotations


def test_a_callback_sees_every_record_and_can_let_the_run_go_on(problem, settings):
    seen = []
    selection = select(problem, settings(), seed=0, callback=seen.append)
    assert tuple(seen) == selection.history
    assert len(seen) > 8


def test_a_callback_ends_the_search_with_the_best_so_far(problem, settings):
    selection = select(
        problem, settings(patience=50), seed=0, callback=lambda record: record.rotation == 5
    )
    search, final = phases(selection)
    assert len(search) == 5
    assert not final
    assert selection.stop_reason == "callback"
    loss = cross_entropy(selection.network, problem, selection.chosen.features.tolist(), range(10))
    assert loss == pytest.approx(min(record.validation_loss for record in search[1:]), rel=1e-5)


def test_a_callback_that_ends_the_first_rotation_still_gets_a_selection(problem, settings):
    selection = select(problem, settings(), seed=0, callback=lambda record: True)
    assert len(selection.history) == 1
    assert selection.n_rotations == 1
    assert len(set(selection.chosen.features.tolist())) == 2
    assert selection.network(torch.zeros(3, 2)).shape == (3, 2)


def test_a_callback_ends_the_second_training(problem, settings):
    def stop(record):
        return record.phase == "final" and record.rotation == 2

    selection = select(problem, settings(), seed=0, callback=stop)
    search, final = phases(selection)
    assert len(final) == 2 < best_rotation(search) - 1
    assert selection.stop_reason == "callback"
    assert selection.n_rotations == 2


def test_a_callback_ends_a_single_training(problem, settings):
    selection = select(
        problem, settings(stopping="ident"), seed=0, callback=lambda record: record.rotation == 3
    )
    assert len(only_final(selection)) == 3
    assert selection.stop_reason == "callback"


# -- what is selected ---------------------------------------------------------------------------


@pytest.mark.parametrize("stopping", ["validation", "ident", "epochs"])
def test_the_columns_that_count_are_found(make_problem, settings, stopping):
    problem = make_problem(n_columns=30, n_cases=400, n_validation=80)
    changes = {"stopping": stopping, "patience": 15, "batch_size": 100}
    if stopping == "epochs":
        changes["max_epochs"] = 30
    chosen = select(problem, settings(**changes), seed=0).chosen
    assert sorted(chosen.features.tolist()) == [1, 4]
    assert chosen.scores[0] > chosen.scores[1] > 0


def test_the_columns_that_count_for_values_are_found(make_values, settings):
    values = make_values(20, 300)
    targets = torch.stack([values[3] - 2 * values[7], values[3]], dim=1)
    problem = Problem(ArrayColumns(values), targets, 2, n_validation=60)
    selection = select(problem, settings(loss="squared_error", patience=12), seed=0)
    assert sorted(selection.chosen.features.tolist()) == [3, 7]


@pytest.mark.parametrize("layers", [(), (4,), (6, 5, 4)])
@pytest.mark.parametrize("activation", ["relu", "tanh", "logistic", "identity"])
def test_every_depth_and_activation_runs(problem, settings, layers, activation):
    changes = {"hidden_layer_sizes": layers, "activation": activation, "max_rotations": 4}
    selection = select(problem, settings(**changes), seed=0)
    assert len(set(selection.chosen.features.tolist())) == 2
    assert bool(torch.isfinite(selection.network(torch.ones(3, 2))).all())


@pytest.mark.parametrize("metric", ["gradient", "weight_change", "magnitude", "molchanov"])
@pytest.mark.parametrize("regrowth", ["random", "gradient"])
def test_every_metric_and_regrowth_runs(problem, settings, metric, regrowth):
    changes = {"change_metric": metric, "regrowth": regrowth, "max_rotations": 5}
    selection = select(problem, settings(**changes), seed=0)
    assert len(set(selection.chosen.features.tolist())) == 2


def test_features_come_best_first(problem, settings):
    scores = select(problem, settings(n_selected=5), seed=0).chosen.scores.tolist()
    assert scores == sorted(scores, reverse=True)


def test_the_network_predicts_from_the_selected_columns(make_problem, settings):
    problem = make_problem(n_columns=30, n_cases=400, n_validation=80)
    changes = {"patience": 15, "batch_size": 100, "finish_rotations": 20}
    selection = select(problem, settings(**changes), seed=0)
    inputs = problem.source.values[sorted(selection.chosen.features.tolist())].t()
    correct = selection.network(inputs).argmax(dim=1) == problem.targets
    assert float(correct.float().mean()) > 0.95


def test_all_columns_are_selected_when_as_many_are_asked_for(problem, settings):
    for stopping in ("validation", "ident"):
        for flex in (False, True):
            changes = {"n_selected": 12, "stopping": stopping, "flex": flex, "patience": 4}
            selection = select(problem, settings(**changes), seed=0)
            assert sorted(selection.chosen.features.tolist()) == list(range(12))
            assert {record.input_size for record in selection.history} == {12}


def test_a_set_that_cannot_change_ends_the_search(problem, settings):
    changes = {"n_selected": 12, "patience": 4, "learning_rate": 1e-3}
    selection = select(problem, settings(**changes), seed=0)
    search, _ = phases(selection)
    assert selection.stop_reason == "ident"
    assert [record.n_changed for record in search] == [12, 0, 0, 0, 0]


def test_all_columns_can_be_selected_with_gradient_regrowth(problem, settings):
    changes = {"n_selected": 12, "regrowth": "gradient", "max_rotations": 3}
    selection = select(problem, settings(**changes), seed=0)
    assert sorted(selection.chosen.features.tolist()) == list(range(12))


@pytest.mark.parametrize("stopping", ["validation", "ident"])
def test_one_column_is_selected(make_problem, settings, stopping):
    problem = make_problem(n_columns=1, n_cases=30, n_validation=6)
    selection = select(problem, settings(n_selected=1, stopping=stopping, patience=3), seed=0)
    assert selection.chosen.features.tolist() == [0]
    assert selection.chosen.scores.tolist() == [0.0]


@pytest.mark.parametrize("stopping", ["validation", "ident"])
def test_data_of_one_batch_work(problem, settings, stopping):
    selection = select(problem, settings(batch_size=10_000, stopping=stopping), seed=0)
    search, final = phases(selection)
    # Every step is an epoch.
    assert all(record.epoch == record.n_steps for record in (*search, *final))
    assert len(set(selection.chosen.features.tolist())) == 2


def test_constant_columns_alone_are_scored_zero(settings):
    values = torch.full((8, 30), 3.5)
    source = ArrayColumns(values, Scaling.fit(values, "standard"))
    problem = Problem(source, torch.arange(30) % 2, 2, 6)
    selection = select(problem, settings(patience=3), seed=0)
    assert len(set(selection.chosen.features.tolist())) == 2
    assert selection.chosen.scores.tolist() == [0.0, 0.0]


def test_the_data_are_never_written(problem, settings):
    values, targets = problem.source.values.clone(), problem.targets.clone()
    select(problem, settings(regrowth="gradient", max_rotations=5), seed=0)
    assert torch.equal(problem.source.values, values)
    assert torch.equal(problem.targets, targets)


# -- flex ---------------------------------------------------------------------------------------


@pytest.fixture
def flex_run(make_problem, settings):
    """Return a function that runs 40 columns, 5 of them selected, with flex."""

    def run(seed, **changes):
        problem = make_problem(n_columns=40, n_cases=60, n_validation=20)
        defaults = {"n_selected": 5, "flex": True, "candidate_ratio": 0.4, "patience": 35}
        return select(problem, settings(**(defaults | changes)), seed=seed)

    return run


FLEX_SEED = 0


def test_flex_sizes_follow_the_losses_as_in_the_paper(flex_run):
    search, _ = phases(flex_run(FLEX_SEED))
    ratio, shrinking, at_change, lowest, n_stalled = 0.4, True, math.inf, math.inf, 0
    for record in search:
        assert record.input_size == 5 + round(ratio * 35)
        loss = record.validation_loss
        if math.isnan(loss):
            continue
        n_stalled = 0 if loss < lowest else n_stalled + 1
        lowest = min(lowest, loss)
        if n_stalled == 10:
            n_stalled = 0
            shrinking = shrinking != (loss > at_change)
            at_change = loss
            ratio = max(ratio / 2, 5 / 35 / 5) if shrinking else min(2 * ratio, 1.0)
    assert len({record.input_size for record in search}) > 2


def test_flex_trains_again_from_the_first_to_the_best_size(flex_run):
    search, final = phases(flex_run(FLEX_SEED))
    best = best_rotation(search)
    assert len(final) == best - 1
    sizes = [record.input_size for record in final]
    best_size = search[best - 1].input_size
    assert best_size != search[0].input_size, "the size did not change before the best rotation"
    assert sizes[0] == search[0].input_size
    assert sizes[-1] == best_size
    assert sizes == sorted(sizes, reverse=best_size < sizes[0])
    assert sum(a != b for a, b in pairwise(sizes)) <= 10


def test_flex_never_exceeds_the_bound_it_is_given(flex_run):
    selection = flex_run(FLEX_SEED, max_candidates=9)
    sizes = [record.input_size for record in selection.history]
    assert sizes[0] == 5 + 9
    assert max(sizes) == 5 + 9


def test_flex_without_a_second_training_keeps_its_sizes(flex_run):
    selection = flex_run(FLEX_SEED, refit=False)
    assert all(record.phase == "search" for record in selection.history)
    assert len(selection.chosen.features) == 5


def test_a_bound_on_candidates_holds_without_flex(problem, settings):
    selection = select(problem, settings(max_candidates=2, max_rotations=3), seed=0)
    assert {record.input_size for record in selection.history} == {4}


# -- chance -------------------------------------------------------------------------------------


def linear(n_in, n_out, seed):
    """Return a layer whose weights do not come from torch's global generator."""
    generator = torch.Generator().manual_seed(seed)
    layer = nn.Linear(n_in, n_out, device="meta").to_empty(device="cpu")
    with torch.no_grad():
        layer.weight.copy_(0.5 * torch.randn(n_out, n_in, generator=generator))
        layer.bias.zero_()
    return layer


def own_body(kind):
    if kind == "dense":
        return None
    if kind == "dropout":
        return nn.Sequential(nn.ReLU(), nn.Dropout(0.3), linear(4, 2, seed=0))
    return nn.Sequential(
        nn.BatchNorm1d(4), nn.ReLU(), linear(4, 6, seed=0), nn.Tanh(), linear(6, 2, seed=1)
    )


BODIES = ("dense", "dropout", "batch norm")


def assert_same(first, second):
    assert torch.equal(first.chosen.features, second.chosen.features)
    assert torch.equal(first.chosen.scores, second.chosen.scores)
    assert torch.equal(first.first_chosen.scores, second.first_chosen.scores)
    # NaN is not equal to itself, but it is written alike.
    assert repr(first.history) == repr(second.history)
    for a, b in zip(
        first.network.state_dict().values(), second.network.state_dict().values(), strict=True
    ):
        assert torch.equal(a, b)


@pytest.mark.parametrize("kind", BODIES)
@pytest.mark.parametrize("regrowth", ["random", "gradient"])
def test_the_same_seed_gives_the_same_to_the_last_bit(problem, settings, kind, regrowth):
    changed = settings(body=own_body(kind), regrowth=regrowth, max_rotations=8)
    assert_same(select(problem, changed, seed=3), select(problem, changed, seed=3))


@pytest.mark.parametrize("kind", BODIES)
def test_another_seed_gives_another_run(problem, settings, kind):
    changed = settings(body=own_body(kind), max_rotations=8)
    first, second = select(problem, changed, seed=3), select(problem, changed, seed=4)
    assert not torch.equal(first.chosen.scores, second.chosen.scores)
    assert first.history[0].training_loss != second.history[0].training_loss


@pytest.mark.parametrize("kind", BODIES)
def test_torchs_generator_is_neither_read_nor_changed(problem, settings, kind):
    changed = settings(body=own_body(kind), max_rotations=5)
    selections = []
    with torch.random.fork_rng(devices=[]):
        for global_seed in (0, 1):
            torch.manual_seed(global_seed)
            state = torch.get_rng_state()
            selections.append(select(problem, changed, seed=3))
            assert torch.equal(torch.get_rng_state(), state)
    assert_same(*selections)


def test_torchs_generator_is_untouched_with_a_users_loss(problem, settings):
    state = torch.get_rng_state()
    select(problem, settings(loss=nn.functional.cross_entropy, max_rotations=5), seed=3)
    assert torch.equal(torch.get_rng_state(), state)


def test_torchs_generator_is_untouched_after_a_failure(problem, settings):
    state = torch.get_rng_state()
    body = nn.Sequential(nn.Dropout(0.5), linear(4, 9, seed=0))
    with pytest.raises(BodyError, match="must return 2 output"):
        select(problem, settings(body=body), seed=3)
    assert torch.equal(torch.get_rng_state(), state)


def test_a_users_body_is_left_as_it_came(problem, settings):
    body = own_body("batch norm")
    before = {name: value.clone() for name, value in body.state_dict().items()}
    selection = select(problem, settings(body=body, max_rotations=5), seed=0)
    assert body.training
    for name, value in body.state_dict().items():
        assert torch.equal(value, before[name])
    trained = selection.network[1].state_dict()
    assert not torch.equal(trained["0.running_mean"], before["0.running_mean"])
    assert not torch.equal(trained["4.weight"], before["4.weight"])


def test_a_users_loss_gives_what_the_built_in_one_gives(problem, settings):
    built_in = select(problem, settings(max_rotations=6), seed=0)
    own = select(problem, settings(max_rotations=6, loss=nn.functional.cross_entropy), seed=0)
    assert torch.equal(own.chosen.features, built_in.chosen.features)
    torch.testing.assert_close(own.chosen.scores, built_in.chosen.scores, rtol=1e-3, atol=1e-3)


# -- failures -----------------------------------------------------------------------------------


@pytest.mark.parametrize("metric", ["gradient", "weight_change", "magnitude", "molchanov"])
def test_a_training_that_diverges_gives_an_error_and_no_selection(problem, settings, metric):
    with pytest.raises(DivergedError, match="Lower the learning rate"):
        select(problem, settings(learning_rate=1e30, change_metric=metric), seed=0)


def test_values_that_are_not_finite_give_an_error_and_no_selection(make_values, settings):
    values = make_values(12, 50)
    values[:, 20] = math.nan
    problem = Problem(ArrayColumns(values), torch.arange(50) % 2, 2, 10)
    with pytest.raises(DivergedError, match="not finite"):
        select(problem, settings(), seed=0)


def test_a_network_that_diverges_when_it_is_finished_gives_an_error(problem, settings):
    # One step before the selection, so only the steps after it can show the divergence.
    changes = {
        "learning_rate": 1e30,
        "stopping": "epochs",
        "max_epochs": 0.1,
        "batches_per_rotation": 1,
    }
    with pytest.raises(DivergedError, match="Lower the learning rate"):
        select(problem, settings(**changes), seed=0)


def test_settings_default_to_those_of_the_paper_for_long_data():
    settings = Settings(n_selected=25)
    assert (settings.candidate_ratio, settings.batches_per_rotation) == (0.2, 100)
    assert (settings.hidden_layer_sizes, settings.activation) == ((100,), "relu")
    assert (settings.learning_rate, settings.batch_size, settings.patience) == (1e-3, 1024, 100)
    assert (settings.stopping, settings.refit, settings.reset_optimizer) == (
        "validation",
        True,
        True,
    )
    assert (settings.change_metric, settings.entry_scores, settings.regrowth) == (
        "gradient",
        True,
        "random",
    )
