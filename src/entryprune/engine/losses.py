"""Losses with their gradients written out, so that a step needs no graph."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

import torch

if TYPE_CHECKING:
    from torch import Tensor


class Loss(Protocol):
    """A mean loss over cases."""

    def value(self, outputs: Tensor, targets: Tensor) -> Tensor:
        """Return the mean loss."""
        ...

    def backward(self, outputs: Tensor, targets: Tensor, gradient: Tensor) -> Tensor:
        """Write the gradient with respect to `outputs` and return the mean loss."""
        ...


class CrossEntropy:
    """Cross entropy of softmax outputs; targets are class numbers."""

    def __init__(self) -> None:
        self._minus_one = torch.empty(0, 1)

    def value(self, outputs: Tensor, targets: Tensor) -> Tensor:
        """Return the mean loss."""
        return torch.nn.functional.cross_entropy(outputs, targets)

    def backward(self, outputs: Tensor, targets: Tensor, gradient: Tensor) -> Tensor:
        """Write (softmax - one hot) / n into `gradient` and return the mean loss."""
        n_rows = len(gradient)
        column = targets.unsqueeze(1)
        torch.log_softmax(outputs, 1, out=gradient)
        log_likelihood = gradient.gather(1, column).sum()
        gradient.exp_().scatter_add_(1, column, self._minus_ones(column)).div_(n_rows)
        return log_likelihood.div_(-n_rows)

    def _minus_ones(self, column: Tensor) -> Tensor:
        if self._minus_one.shape != column.shape or self._minus_one.device != column.device:
            self._minus_one = torch.full(column.shape, -1.0, device=column.device)
        return self._minus_one


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
