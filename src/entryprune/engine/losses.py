"""What a network is trained to make small, and what of the targets there is to explain."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import Protocol

import torch
from torch import Tensor
from torch.nn import functional

# A user's own loss: of outputs and targets, a scalar.
LossFunction = Callable[[Tensor, Tensor], Tensor]

# Deviations beyond which a target counts no more, as is usual for Huber's loss.
_HUBER_LIMIT = 1.35


class Loss(Protocol):
    """A mean loss over samples, weighted if there are weights."""

    def value(self, outputs: Tensor, targets: Tensor, weights: Tensor | None = None) -> Tensor:
        """Return the mean loss."""
        ...

    def backward(
        self, outputs: Tensor, targets: Tensor, gradient: Tensor, weights: Tensor | None = None
    ) -> Tensor:
        """Write the gradient with respect to `outputs` and return the mean loss."""
        ...

    def responses(self, targets: Tensor, n_outputs: int, weights: Tensor | None = None) -> Tensor:
        """Return what is to be explained, samples by directions, up to a constant.

        It is the loss's downward slope for a network that knows no feature yet.
        """
        ...


def _weighted_mean(losses: Tensor, weights: Tensor) -> Tensor:
    """Return the mean over samples and outputs, given the loss of each."""
    return torch.mv(losses.mT, weights).mean() / weights.sum()


class CrossEntropy:
    """Cross entropy of softmax outputs; targets are class numbers."""

    def __init__(self, label_smoothing: float = 0.0) -> None:
        # The share of each sample's weight that is spread evenly over all classes.
        self.label_smoothing = label_smoothing
        self._minus = torch.empty(0, 1)

    def value(self, outputs: Tensor, targets: Tensor, weights: Tensor | None = None) -> Tensor:
        """Return the mean loss."""
        kind = "mean" if weights is None else "none"
        loss = functional.cross_entropy(
            outputs, targets, label_smoothing=self.label_smoothing, reduction=kind
        )
        return loss if weights is None else (loss * weights).sum() / weights.sum()

    def backward(
        self, outputs: Tensor, targets: Tensor, gradient: Tensor, weights: Tensor | None = None
    ) -> Tensor:
        """Write (softmax - smoothed one hot) / n into `gradient` and return the mean loss."""
        n_rows, n_classes = gradient.shape
        column = targets.unsqueeze(1)
        torch.log_softmax(outputs, 1, out=gradient)
        everywhere = self.label_smoothing / n_classes
        log_likelihood = gradient.gather(1, column)
        if everywhere:
            log_likelihood.mul_(1 - self.label_smoothing)
            log_likelihood.add_(gradient.sum(dim=1, keepdim=True), alpha=everywhere)
        shares = None if weights is None else (weights * (n_rows / weights.sum())).unsqueeze(1)
        if shares is not None:
            log_likelihood.mul_(shares)
        gradient.exp_().scatter_add_(1, column, self._minus_shares(column, gradient))
        if everywhere:
            gradient.sub_(everywhere)
        if shares is not None:
            gradient.mul_(shares)
        gradient.div_(n_rows)
        return log_likelihood.sum().div_(-n_rows)

    def _minus_shares(self, column: Tensor, like: Tensor) -> Tensor:
        """Return what the class of each sample takes off its gradient, from a buffer."""
        if self._minus.shape != column.shape or self._minus.device != column.device:
            self._minus = like.new_full(column.shape, self.label_smoothing - 1)
        return self._minus

    def responses(self, targets: Tensor, n_outputs: int, weights: Tensor | None = None) -> Tensor:
        """Return a column of ones and zeros for each class."""
        del weights
        return functional.one_hot(targets, n_outputs).float()


class SquaredError:
    """Mean squared error over samples and outputs."""

    def value(self, outputs: Tensor, targets: Tensor, weights: Tensor | None = None) -> Tensor:
        """Return the mean loss."""
        if weights is None:
            return functional.mse_loss(outputs, targets)
        return _weighted_mean((outputs - targets).square(), weights)

    def backward(
        self, outputs: Tensor, targets: Tensor, gradient: Tensor, weights: Tensor | None = None
    ) -> Tensor:
        """Write 2 (outputs - targets) / n into `gradient` and return the mean loss."""
        torch.sub(outputs, targets, out=gradient)
        flat = gradient.view(-1)
        if weights is None:
            loss = torch.dot(flat, flat).div_(gradient.numel())
        else:
            weighted = gradient * (weights * (len(weights) / weights.sum())).unsqueeze(1)
            loss = torch.dot(flat, weighted.view(-1)).div_(gradient.numel())
            gradient.copy_(weighted)
        gradient.mul_(2.0 / gradient.numel())
        return loss

    def responses(self, targets: Tensor, n_outputs: int, weights: Tensor | None = None) -> Tensor:
        """Return the targets."""
        del n_outputs, weights
        return targets


class _Differentiated(ABC):
    """A loss whose gradient with respect to the outputs torch works out."""

    @abstractmethod
    def value(self, outputs: Tensor, targets: Tensor, weights: Tensor | None = None) -> Tensor:
        """Return the mean loss."""

    def backward(
        self, outputs: Tensor, targets: Tensor, gradient: Tensor, weights: Tensor | None = None
    ) -> Tensor:
        """Write the gradient with respect to `outputs` and return the mean loss."""
        leaf = outputs.detach().requires_grad_()
        with torch.enable_grad():
            loss = self.value(leaf, targets, weights)
            (found,) = torch.autograd.grad(loss, leaf)
        gradient.copy_(found)
        return loss.detach()


class _OfEachSample(_Differentiated):
    """The mean of what each sample and output loses."""

    @abstractmethod
    def _of_each(self, outputs: Tensor, targets: Tensor) -> Tensor:
        """Return the loss of each sample and output."""

    def value(self, outputs: Tensor, targets: Tensor, weights: Tensor | None = None) -> Tensor:
        """Return the mean loss."""
        loss = self._of_each(outputs, targets)
        return loss.mean() if weights is None else _weighted_mean(loss, weights)

    def responses(self, targets: Tensor, n_outputs: int, weights: Tensor | None = None) -> Tensor:
        """Return the targets."""
        del n_outputs, weights
        return targets


class BinaryCrossEntropy(_OfEachSample):
    """Cross entropy of each output by itself; targets are ones and zeros."""

    def _of_each(self, outputs: Tensor, targets: Tensor) -> Tensor:
        return functional.binary_cross_entropy_with_logits(outputs, targets, reduction="none")


class Huber(_OfEachSample):
    """Squared error near the target and absolute error far from it.

    Targets are in robust units: 0 in the middle, and 1 a usual deviation.
    """

    def _of_each(self, outputs: Tensor, targets: Tensor) -> Tensor:
        return functional.huber_loss(outputs, targets, delta=_HUBER_LIMIT, reduction="none")

    def responses(self, targets: Tensor, n_outputs: int, weights: Tensor | None = None) -> Tensor:
        """Return the targets, those far off as if they were less so."""
        del n_outputs, weights
        return targets.clamp(-_HUBER_LIMIT, _HUBER_LIMIT)


class Quantile(_OfEachSample):
    """Pinball loss: smallest where a share `level` of the targets is below the output.

    Targets are centred at that quantile of all of them.
    """

    def __init__(self, level: float = 0.5) -> None:
        self.level = level

    def _of_each(self, outputs: Tensor, targets: Tensor) -> Tensor:
        above = targets - outputs
        return torch.maximum(self.level * above, (self.level - 1) * above)

    def responses(self, targets: Tensor, n_outputs: int, weights: Tensor | None = None) -> Tensor:
        """Return which targets are above the quantile."""
        del n_outputs, weights
        return (targets > 0).to(targets.dtype)


class Poisson(_OfEachSample):
    """Deviance of counts, but for a constant; outputs are logarithms, targets have the mean 1."""

    def _of_each(self, outputs: Tensor, targets: Tensor) -> Tensor:
        return outputs.exp() - targets * outputs

    def responses(self, targets: Tensor, n_outputs: int, weights: Tensor | None = None) -> Tensor:
        """Return the signed roots of what each target adds to the deviance from the mean, 1.

        Their distribution is nearer to a normal one than that of the counts.
        """
        del n_outputs, weights
        deviance = 2 * (torch.special.xlogy(targets, targets) - (targets - 1))
        roots: Tensor = (targets - 1).sign() * deviance.clamp(min=0.0).sqrt()
        return roots


class Cox(_Differentiated):
    """Negative partial log likelihood per event, ties by Efron's method.

    Targets have two columns, the time and whether the event was seen then (1) or not yet (0); the
    output is the logarithm of the hazard relative to others. In a mini-batch the samples at risk
    are those of the batch.
    """

    def value(self, outputs: Tensor, targets: Tensor, weights: Tensor | None = None) -> Tensor:
        """Return the mean loss, per sample.

        Events at one time with the total weight D take turns to leave those at risk, so that the
        last of them is at risk with a share of 1/D of the others. For D of them the product of
        what is at risk is a ratio of gamma functions, which is defined for any weight: two copies
        of a sample are the same as one of weight two.
        """
        # Gamma functions of large numbers differ by little.
        scores = outputs[:, 0].double()
        if weights is None:
            weights = torch.ones_like(scores)
        weights = weights.double()
        order, group, is_last = _by_time(targets[:, 0])
        scores, weights = scores[order], weights[order]
        is_event = targets[order, 1] > 0
        shift = scores.detach().amax()
        hazards = weights * (scores - shift).exp()
        at_risk = hazards.cumsum(0)[is_last]
        of_events = torch.where(is_event, weights, torch.zeros_like(weights))
        n_times = len(at_risk)
        counts = weights.new_zeros(n_times).index_add(0, group, of_events)
        leaving = weights.new_zeros(n_times).index_add(0, group, hazards * is_event)
        log_events = weights.new_zeros(n_times).index_add(0, group, of_events * scores)
        with_events = counts > 0
        at_risk, counts, leaving = at_risk[with_events], counts[with_events], leaving[with_events]
        ratio = (at_risk / leaving).clamp(min=1.0) * counts
        log_risk = counts * ((leaving / counts).log() + shift)
        log_risk = log_risk + torch.lgamma(ratio + 1) - torch.lgamma(ratio - counts + 1)
        loss = (log_risk.sum() - log_events[with_events].sum()) / weights.sum()
        return loss.to(outputs.dtype)

    def responses(self, targets: Tensor, n_outputs: int, weights: Tensor | None = None) -> Tensor:
        """Return martingale residuals: events seen less those expected of samples all alike."""
        zeros = targets.new_zeros(len(targets), n_outputs, dtype=torch.float64)
        gradient = torch.empty_like(zeros)
        self.backward(zeros, targets.double(), gradient, weights)
        if weights is None:
            return gradient.mul_(-len(targets)).to(targets.dtype)
        of_one = weights.double() / weights.double().sum()
        return gradient.div_(-of_one.unsqueeze(1)).to(targets.dtype)


def _by_time(times: Tensor) -> tuple[Tensor, Tensor, Tensor]:
    """Return samples from the last time to the first, each one's time, and where each time ends.

    The last two count times and samples in that order.
    """
    order = times.argsort(descending=True, stable=True)
    _, group, sizes = torch.unique_consecutive(
        times[order], return_inverse=True, return_counts=True
    )
    return order, group, sizes.cumsum(0) - 1


LOSSES: dict[str, Callable[[], Loss]] = {
    "cross_entropy": CrossEntropy,
    "squared_error": SquaredError,
    "binary_cross_entropy": BinaryCrossEntropy,
    "huber": Huber,
    "quantile": Quantile,
    "poisson": Poisson,
    "cox": Cox,
}


def make_loss(name: str, level: float = 0.5) -> Loss:
    """Return a loss by its name; `level` is that of a quantile."""
    return Quantile(level) if name == "quantile" else LOSSES[name]()
