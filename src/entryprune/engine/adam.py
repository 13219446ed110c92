"""The Adam optimiser on one flat block of parameters."""

from __future__ import annotations

import torch
from torch import Tensor

_BETA1, _BETA2, _EPSILON = 0.9, 0.999, 1e-8


class Adam:
    """Adam with torch's defaults, for parameters that live in one flat tensor.

    ``torch.optim.Adam`` spends more time on its bookkeeping than on a small network's arithmetic,
    so this calls torch's fused kernel directly and writes the formula out where there is none.

    Parameters
    ----------
    learning_rate : float
        Step size.
    """

    def __init__(self, learning_rate: float) -> None:
        self.learning_rate = learning_rate
        self._fused = getattr(torch, "_fused_adam_", None)
        self.allocate(torch.empty(0))

    def allocate(self, parameters: Tensor) -> None:
        """Start anew with moments for as many values as `parameters` has."""
        self.first_moment = torch.zeros_like(parameters)
        self.second_moment = torch.zeros_like(parameters)
        self._n_steps = torch.zeros((), device=parameters.device)

    def reset(self) -> None:
        """Forget all moments and the number of steps."""
        self.first_moment.zero_()
        self.second_moment.zero_()
        self._n_steps.zero_()

    def step(self, parameters: Tensor, gradient: Tensor) -> None:
        """Move `parameters`, the first of those that moments were allocated for, in place."""
        n = parameters.numel()
        first, second = self.first_moment[:n], self.second_moment[:n]
        self._n_steps.add_(1)
        if self._fused is None:
            self._written_out(parameters, gradient, first, second)
            return
        self._fused(
            [parameters],
            [gradient],
            [first],
            [second],
            [],
            [self._n_steps],
            lr=self.learning_rate,
            beta1=_BETA1,
            beta2=_BETA2,
            weight_decay=0.0,
            eps=_EPSILON,
            amsgrad=False,
            maximize=False,
        )

    def _written_out(
        self, parameters: Tensor, gradient: Tensor, first: Tensor, second: Tensor
    ) -> None:
        steps = float(self._n_steps)
        first.lerp_(gradient, 1 - _BETA1)
        second.mul_(_BETA2).addcmul_(gradient, gradient, value=1 - _BETA2)
        spread = (second / (1 - _BETA2**steps)).sqrt_().add_(_EPSILON)
        parameters.addcdiv_(first, spread, value=-self.learning_rate / (1 - _BETA1**steps))
