"""Losses with their gradients written out, so that a step needs no graph."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

import torch
from torch import Tensor

# A user's own loss: of outputs and targets, a scalar.
LossFunction = Callable[[Tensor, Tensor], Tensor]


class Loss(Protocol):
    """A mean loss over cases."""

    def value(self, outputs: Tensor, targets: Tensor) -> Tensor:
        """Return the mean loss."""
        ...

    def backward(self, outputs: Tensor, targets: Tensor, gradient: Tensor) -> Tensor:
        """Write the gradient with respect to `outputs` and return the mean loss."""
        ...


class CrossEntropy:
    """Cross entropy of softmax outputs; targets are class numbers.

    Parameters
    ----------
    label_smoothing : float, default=0
        Share of each case's weight that is spread evenly over all classes, in [0, 1).

    Examples
    --------
    >>> import torch
    >>> outputs, targets, gradient = torch.zeros(1, 2), torch.tensor([0]), torch.empty(1, 2)
    >>> CrossEntropy(label_smoothing=0.2).backward(outputs, targets, gradient)
    tensor(0.6931)
    >>> gradient
    tensor([[-0.4000,  0.4000]])
    """

    def __init__(self, label_smoothing: float = 0.0) -> None:
        self.label_smoothing = label_smoothing
        self._minus = torch.empty(0, 1)

    def value(self, outputs: Tensor, targets: Tensor) -> Tensor:
        """Return the mean loss."""
        return torch.nn.functional.cross_entropy(
            outputs, targets, label_smoothing=self.label_smoothing
        )

    def backward(self, outputs: Tensor, targets: Tensor, gradient: Tensor) -> Tensor:
        """Write (softmax - smoothed one hot) / n into `gradient` and return the mean loss."""
        n_rows, n_classes = gradient.shape
        column = targets.unsqueeze(1)
        torch.log_softmax(outputs, 1, out=gradient)
        log_likelihood = gradient.gather(1, column).sum()
        everywhere = self.label_smoothing / n_classes
        if everywhere:
            log_likelihood.mul_(1 - self.label_smoothing).add_(gradient.sum(), alpha=everywhere)
        gradient.exp_().scatter_add_(1, column, self._minus_shares(column))
        if everywhere:
            gradient.sub_(everywhere)
        gradient.div_(n_rows)
        return log_likelihood.div_(-n_rows)

    def _minus_shares(self, column: Tensor) -> Tensor:
        """Return what the class of each case takes off its gradient, from a buffer."""
        if self._minus.shape != column.shape or self._minus.device != column.device:
            share = 1 - self.label_smoothing
            self._minus = torch.full(column.shape, -share, device=column.device)
        return self._minus


class SquaredError:
    """Mean squared error over cases and outputs."""

    def value(self, outputs: Tensor, targets: Tensor) -> Tensor:
        """Return the mean loss."""
        return torch.nn.functional.mse_loss(outputs, targets)

    def backward(self, outputs: Tensor, targets: Tensor, gradient: Tensor) -> Tensor:
        """Write 2 (outputs - targets) / n into `gradient` and return the mean loss."""
        torch.sub(outputs, targets, out=gradient)
        flat = gradient.view(-1)
        loss = torch.dot(flat, flat).div_(gradient.numel())
        gradient.mul_(2.0 / gradient.numel())
        return loss


LOSSES: dict[str, type[Loss]] = {"cross_entropy": CrossEntropy, "squared_error": SquaredError}
