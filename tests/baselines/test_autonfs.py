import numpy as np
import pytest
import torch

from entryprune.baselines import AutoNFSSelector, RefusalError
from entryprune.selectors._selector import make_rng

AutoNFS = pytest.importorskip("autonfs").AutoNFS

QUICK = {"balance": 0.1, "epochs": 40, "batch_size": 16, "device": "cpu"}


@pytest.mark.parametrize("task", ["classification", "regression"])
def test_votes_are_those_of_the_package(easy, easy_regression, task):
    X, y = easy if task == "classification" else easy_regression
    selector = AutoNFSSelector(2, random_state=3, **QUICK).fit(X, y)
    rng = make_rng(3)
    rng.integers(2**31)  # the seed of the package's split
    with torch.random.fork_rng():
        torch.manual_seed(int(rng.integers(2**62)))
        if task == "regression":
            y = (y - y.mean()) / y.std()
        package = AutoNFS(mode=task, **QUICK).fit(X, y)
    assert np.nan_to_num(selector.scores_).tolist() == package.scores_.tolist()
    assert set(selector.selected_indices_) == {3, 8}
    assert selector.task_ == task
    assert selector.balance_ == 0.1


class FakeNetwork:
    emb = torch.ones(1, 1)

    @staticmethod
    def fc1(emb):
        return emb * torch.tensor([[0.5, -1.0, 2.0, 1.0, -3.0]])


class FakeAutoNFS:
    """Stands in for the package: the weaker the penalty, the more features have votes."""

    adaptive_grid = (1.0, 0.3, 0.1, 0.03)
    asked = ()

    def __init__(self, balance, **settings):
        self.balance = balance
        FakeAutoNFS.asked += (balance,)

    def fit(self, X, y):
        self.balance_ = 0.3 if self.balance == "auto" else self.balance
        self.scores_ = np.array([7, 0, 7, 0, 0])
        if self.balance_ < 0.3:
            self.scores_[3] = 9
        if self.balance_ < 0.1:
            self.scores_[4] = 1
        self.network = FakeNetwork()
        return self


@pytest.fixture
def fake(monkeypatch):
    monkeypatch.setattr("autonfs.AutoNFS", FakeAutoNFS)
    monkeypatch.setattr(FakeAutoNFS, "asked", ())
    return np.eye(5), np.arange(5) % 2


@pytest.mark.parametrize(
    ("n_selected", "asked", "order"),
    [
        (1, ("auto",), [2]),
        (2, ("auto",), [2, 0]),  # equally many votes, so the learned probability decides
        (3, ("auto", 0.1), [3, 2, 0]),
        (4, ("auto", 0.1, 0.03), [3, 2, 0, 4]),
    ],
)
def test_penalty_is_relaxed_until_enough_features_have_votes(fake, n_selected, asked, order):
    selector = AutoNFSSelector(n_selected).fit(*fake)
    assert FakeAutoNFS.asked == asked
    assert selector.selected_indices_.tolist() == order
    assert selector.balance_ == (0.3 if asked[-1] == "auto" else asked[-1])


def test_features_without_votes_are_not_found(fake):
    selector = AutoNFSSelector(2).fit(*fake)
    np.testing.assert_array_equal(selector.scores_, [7, np.nan, 7, np.nan, np.nan])
    with pytest.raises(RefusalError, match="found 4 feature") as refusal:
        AutoNFSSelector(5).fit(*fake)
    assert refusal.value.reason == "too_few"


def test_a_given_penalty_is_not_relaxed(fake):
    with pytest.raises(RefusalError, match="found 2 feature"):
        AutoNFSSelector(3, balance=0.3).fit(*fake)
    assert FakeAutoNFS.asked == (0.3,)


@pytest.mark.parametrize("task", ["classification", "regression"])
def test_search_for_the_penalty_runs_quietly(easy, easy_regression, task, capfd):
    X, y = easy if task == "classification" else easy_regression
    quick = {"epochs": 30, "adaptive_n_seeds": 1, "batch_size": 8, "device": "cpu"}
    selector = AutoNFSSelector(2, random_state=0, **quick).fit(X, y)
    assert set(selector.selected_indices_) == {3, 8}
    assert 0.0001 <= selector.balance_ <= 1
    assert capfd.readouterr() == ("", "")


def test_data_that_the_search_cannot_split_is_refused():
    X = np.random.default_rng(0).normal(size=(5, 3))
    with pytest.raises(RefusalError, match="Give `balance` a number") as refusal:
        AutoNFSSelector(1, epochs=1, adaptive_n_seeds=1).fit(X, [0, 0, 0, 0, 1])
    assert refusal.value.reason == "data"


@pytest.mark.parametrize("task", ["classification", "regression"])
@pytest.mark.parametrize("n_features", [1, 5])
def test_two_cases_are_enough_for_a_given_penalty(task, n_features):
    X = np.tile([[0.0], [1.0]], n_features)
    X[:, -1] += np.array([0.0, 1.0])
    selector = AutoNFSSelector(1, task=task, balance=0.01, epochs=5, random_state=0)
    assert selector.fit(X, [0, 1]).support_.sum() == 1


def test_unit_of_the_target_does_not_matter(easy_regression):
    X, y = easy_regression
    plain, large = (
        AutoNFSSelector(2, random_state=0, **QUICK).fit(X, factor * y) for factor in (1, 1024)
    )
    np.testing.assert_array_equal(plain.scores_, large.scores_)


def test_seed_decides_and_generators_stay(easy):
    X, y = easy
    quick = {**QUICK, "balance": 0.0, "epochs": 2}
    legacy, state = np.random.get_state()[1].tolist(), torch.get_rng_state()  # noqa: NPY002
    n_threads = torch.get_num_threads()
    first, again, other = (
        AutoNFSSelector(6, random_state=seed, **quick).fit(X, y).ranking_.tolist()
        for seed in (0, 0, 1)
    )
    assert first == again
    assert first != other
    assert np.random.get_state()[1].tolist() == legacy  # noqa: NPY002
    assert torch.equal(torch.get_rng_state(), state)
    assert torch.get_num_threads() == n_threads


def test_reports_go_to_the_error_stream(easy, capsys):
    X, y = easy
    AutoNFSSelector(2, epochs=2, adaptive_n_seeds=1, verbose=1, random_state=0).fit(X, y)
    output, errors = capsys.readouterr()
    assert output == ""
    assert "balance" in errors
