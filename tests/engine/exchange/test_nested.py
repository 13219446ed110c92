import numpy as np
import torch

from entryprune.engine.exchange.nested import outputs_by_size


def test_outputs_are_those_of_ridge_regression_with_a_gaussian_kernel():
    rng = np.random.default_rng(0)
    mine, theirs = rng.normal(size=(3, 20)), 2 * rng.normal(size=(3, 6))
    targets = rng.normal(size=(20, 2))

    found = outputs_by_size(*(torch.from_numpy(v) for v in (mine, targets, theirs)), [2, 3, 3])

    for size, outputs in zip([2, 3, 3], found, strict=True):
        a, b = mine.T.clip(-2, 2)[:, :size], theirs.T.clip(-2, 2)[:, :size]

        def kernel(one, other, size=size, a=a):
            distance = ((one[:, None] - other[None]) ** 2).sum(axis=2)
            return np.exp(-0.5 * distance / (a**2).mean(axis=0).sum())

        weights = np.linalg.solve(kernel(a, a) + 0.3 * np.eye(20), targets - targets.mean(axis=0))
        np.testing.assert_allclose(outputs, kernel(b, a) @ weights + targets.mean(axis=0), 1e-6)


def test_many_samples_are_taken_in_blocks_and_a_constant_column_tells_nothing():
    x = torch.linspace(-1, 1, 1001)[torch.randperm(1001, generator=torch.Generator())].repeat(2, 1)
    x[0] = 0.0

    constant, both = outputs_by_size(x, (x[1:] > 0).float().T, torch.tensor([[0.0], [1.0]]), [1, 2])

    assert abs(float(constant) - 0.5) < 0.01
    assert float(both) > 0.9
