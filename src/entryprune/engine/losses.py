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

    def value(self, outputs: Tensor, targets: Tensor) -> Tensor:
        """Return the mean loss."""
        return torch.nn.functional.cross_entropy(outputs, targets)

    def backward(self, outputs: Tensor, targets: Tensor, gradient: Tensor) -> Tensor:
        """Write (softmax - one hot) / n into `gradient` and return the mean loss."""
        column = targets.unsqueeze(1)
        torch.log_softmax(outputs, 1, out=gradient)
        loss = gradient.gather(1, column).mean().neg_()
        minus_one = gradient.new_full((1, 1), -1.0).expand(len(gradient), 1)
        gradient.exp_().scatter_add_(1, column, minus_one).div_(len(gradient))
        return loss


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
