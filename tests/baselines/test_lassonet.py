import numpy as np
import pytest
import torch
from sklearn.model_selection import train_test_split
from sklearn.preprocessing import minmax_scale

from entryprune.baselines import LassoNetSelector, RefusalError
from entryprune.baselines.penalties import _CertainError, _Path, lambda_start
from entryprune.selectors._selector import make_rng

lassonet = pytest.importorskip("lassonet")

# A coarse path, to be quick.
PATH = {
    "hidden_dims": (10,),
    "lambda_start": 50.0,
    "path_multiplier": 1.3,
    "n_iters": (50, 5),
}
QUICK = {**PATH, "device": "cpu"}


@pytest.mark.parametrize("task", ["classification", "regression"])
def test_order_is_that_of_the_packages_path(easy, easy_regression, task):
    X, y = easy if task == "classification" else easy_regression
    selector = LassoNetSelector(12, full_path=True, random_state=0, **QUICK).fit(X, y)
    is_class = task == "classification"
    kind = lassonet.LassoNetClassifier if is_class else lassonet.LassoNetRegressor
    rng = make_rng(0)
    package = kind(
        **PATH,
        device=torch.device("cpu"),
        random_state=int(rng.integers(2**31)),
        torch_seed=int(rng.integers(2**62)),
    )
    X = minmax_scale(X).astype(np.float32)
    with torch.random.fork_rng():
        path = package.path(X, y if is_class else (y - y.mean()) / y.std())
    vanished_at = package.feature_importances_.numpy()
    assert selector.scores_ == pytest.approx(vanished_at)
    assert (np.diff(vanished_at[selector.selected_indices_]) <= 0).all()
    assert selector.n_steps_ == len(path) - 1
    assert selector.task_ == task


@pytest.mark.parametrize("M", [0.5, 10.0])
@pytest.mark.parametrize("seed", range(3))
def test_start_is_that_of_the_package(M, seed):
    generator = torch.Generator().manual_seed(seed)
    network = lassonet.model.LassoNet(8, 6, 2)
    for weights in network.parameters():  # small ones, for which the package does not take long
        weights.data = 3e-4 * torch.randn(weights.shape, generator=generator)
    network.prox(lambda_=0.0, M=M)
    shortcut, hidden = network.skip.weight.detach(), network.layers[0].weight.detach()
    assert lambda_start(shortcut.numpy(), hidden.numpy(), M) == network.lambda_start(M=M)


def test_automatic_start_is_a_tenth_of_the_estimate_in_units_of_the_learning_rate(
    easy, monkeypatch
):
    X, y = easy
    monkeypatch.setattr("entryprune.baselines.penalties.lambda_start", lambda *_: 0.5)
    auto, given = (
        LassoNetSelector(2, random_state=0, **{**QUICK, "lambda_start": start}).fit(X, y)
        for start in ("auto", 0.5 / 1e-3 / 10)
    )
    assert auto.scores_ == pytest.approx(given.scores_)
    assert auto.n_steps_ == given.n_steps_


def test_planted_features_survive_longest(easy, easy_regression):
    longer = {**QUICK, "lambda_start": 10.0, "n_iters": (300, 10)}
    for X, y in (easy, easy_regression):
        selector = LassoNetSelector(2, random_state=0, **longer).fit(X, y)
        assert set(selector.selected_indices_) == {3, 8}


class Step:
    def __init__(self, lambda_, weights):
        self.lambda_ = lambda_
        self.selected = torch.tensor(weights) != 0


class Model:
    def __init__(self, weights):
        self.model = self
        self.skip = torch.nn.Linear(len(weights), 1)
        self.skip.weight.data = torch.tensor([weights])


def follow(path, steps):
    history = []
    for lambda_, weights in steps:
        history.append(Step(lambda_, weights))
        path(Model(weights), history)


STEPS = [
    (0, [1.0, -2.0, 3.0, 1.0, 4.0]),
    (10, [0.9, -1.9, 0.0, 0.8, 3.0]),  # feature 2 vanishes
    (20, [0.0, 0.0, 0.1, 0.5, 2.0]),  # 0 and 1 vanish, 2 comes back
    (30, [0.0, 0.0, 0.0, 0.0, 1.0]),
    (40, [0.0, 0.0, 0.0, 0.0, 0.0]),
]


def test_last_to_vanish_is_best_and_then_the_one_that_weighed_more():
    path = _Path(5, 0, 1.5)
    with pytest.raises(_CertainError):
        follow(path, STEPS)
    ranking = path.ranking()
    assert ranking.scores.tolist() == [20, 20, 10, 30, 40]
    assert ranking.best_first().tolist() == [4, 3, 1, 0, 2]


def test_path_is_left_when_the_selection_is_certain():
    path = _Path(5, 3, 1.5)
    with pytest.raises(_CertainError):
        follow(path, STEPS)
    assert path.n_steps == 2
    assert path.ranking().scores.tolist() == [20, 20, 10, 30, 30]
    assert path.ranking().best_first().tolist() == [4, 3, 1, 0, 2]


@pytest.mark.parametrize("n_selected", [1, 7])
def test_shorter_path_selects_the_same_features(easy, n_selected):
    X, y = easy
    whole, short = (
        LassoNetSelector(n_selected, full_path=full_path, random_state=0, **QUICK).fit(X, y)
        for full_path in (True, False)
    )
    assert short.support_.tolist() == whole.support_.tolist()
    assert short.n_steps_ < whole.n_steps_


def test_class_that_the_training_part_lacks_is_no_obstacle():
    X = np.random.default_rng(0).normal(size=(12, 3))
    y = np.array([0] * 6 + [1] * 5 + [2])

    def holds_out_the_last(seed):
        state = int(make_rng(seed).integers(2**31))
        return 11 in train_test_split(np.arange(12), test_size=0.4, random_state=state)[1]

    seed = next(filter(holds_out_the_last, range(100)))
    selector = LassoNetSelector(2, val_size=0.4, random_state=seed, **QUICK).fit(X, y)
    assert selector.support_.sum() == 2


@pytest.mark.parametrize("task", ["classification", "regression"])
@pytest.mark.parametrize("n_features", [1, 5])
def test_two_cases_and_constant_features_are_enough(task, n_features):
    X = np.zeros((2, n_features))
    X[:, 0] = [0.0, 1.0]
    assert LassoNetSelector(1, task=task, **QUICK).fit(X, [0, 1]).support_.sum() == 1


def test_unit_of_the_target_does_not_matter(easy_regression):
    X, y = easy_regression
    plain, large = (
        LassoNetSelector(2, random_state=0, **QUICK).fit(X, factor * y) for factor in (1, 1024)
    )
    np.testing.assert_array_equal(plain.scores_, large.scores_)


def test_diverging_training_is_refused(easy):
    X, y = easy
    with pytest.raises(RefusalError, match="diverged") as refusal:
        LassoNetSelector(2, scale=None, **QUICK).fit(1e30 * X, y)
    assert refusal.value.reason == "data"


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"hidden_dims": ()}, "hidden_dims must hold positive whole numbers"),
        ({"hidden_dims": (10, 0)}, "hidden_dims must hold positive whole numbers"),
        ({"n_iters": (1, 2, 3)}, "n_iters must be one number or two"),
        ({"patience": (5, 0.5)}, "patience must hold positive whole numbers"),
        ({"path_multiplier": 1.0}, "path_multiplier"),
    ],
)
def test_impossible_parameters_are_named(easy, wrong, message):
    with pytest.raises(ValueError, match=message):
        LassoNetSelector(2, **{**QUICK, **wrong}).fit(*easy)


def test_seed_decides_and_generators_stay(easy):
    X, y = easy
    legacy, state = np.random.get_state()[1].tolist(), torch.get_rng_state()  # noqa: NPY002
    first, again, other = (
        LassoNetSelector(6, random_state=seed, **QUICK).fit(X, y) for seed in (0, 0, 1)
    )
    assert first.ranking_.tolist() == again.ranking_.tolist()
    assert first.ranking_.tolist() != other.ranking_.tolist()
    assert np.random.get_state()[1].tolist() == legacy  # noqa: NPY002
    assert torch.equal(torch.get_rng_state(), state)


def test_progress_is_shown_on_the_error_stream_only(easy, capsys):
    X, y = easy
    LassoNetSelector(2, verbose=1, **QUICK).fit(X, y)
    assert capsys.readouterr().out == ""
