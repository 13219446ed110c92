"""The Adam optimiser, with decoupled weight decay, on one flat block of parameters."""

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
    weight_decay : float, default=0
        AdamW: before each step the parameters shrink by `learning_rate` times this share.

    Examples
    --------
    >>> import torch
    >>> parameters = torch.tensor([1.0, -1.0])
    >>> adam = Adam(0.1)
    >>> adam.allocate(parameters)
    >>> adam.step(parameters, gradient=torch.tensor([0.5, 0.0]))
    >>> parameters
    tensor([ 0.9000, -1.0000])
    """

    def __init__(self, learning_rate: float, weight_decay: float = 0.0) -> None:
        self.learning_rate = learning_rate
        self.weight_decay = weight_decay
        # Without decay the two kernels compute the same.
        self._fused = getattr(torch, "_fused_adamw_" if weight_decay else "_fused_adam_", None)
        self.allocate(torch.empty(0))

    def allocate(self, parameters: Tensor) -> None:
        """Start anew with moments for as many values as `parameters` has."""
        self.first_moment = torch.zeros_like(parameters)
        self.second_moment = torch.zeros_like(parameters)
        self._n_steps = torch.zeros((), device=parameters.device)
        self.use(len(parameters))

    def use(self, n_parameters: int) -> None:
        """Train only the first `n_parameters` from now on."""
        self._first = self.first_moment[:n_parameters]
        self._second = self.second_moment[:n_parameters]

    def reset(self) -> None:
        """Forget the moments of the parameters in use, and the number of steps."""
        self._first.zero_()
        self._second.zero_()
        self._n_steps.zero_()

    def step(self, parameters: Tensor, gradient: Tensor) -> None:
        """Move `parameters`, as many as are in use, in place."""
        self._n_steps.add_(1)
        if self._fused is None:
            self._written_out(parameters, gradient)
            return
        self._fused(
            [parameters],
            [gradient],
            [self._first],
            [self._second],
            [],
            [self._n_steps],
            lr=self.learning_rate,
            beta1=_BETA1,
            beta2=_BETA2,
            weight_decay=self.weight_decay,
            eps=_EPSILON,
            amsgrad=False,
            maximize=False,
        )

    def _written_out(self, parameters: Tensor, gradient: Tensor) -> None:
        if self.weight_decay:
            parameters.mul_(1 - self.learning_rate * self.weight_decay)
        steps = float(self._n_steps)
        self._first.lerp_(gradient, 1 - _BETA1)
        self._second.mul_(_BETA2).addcmul_(gradient, gradient, value=1 - _BETA2)
        spread = (self._second / (1 - _BETA2**steps)).sqrt_().add_(_EPSILON)
        parameters.addcdiv_(self._first, spread, value=-self.learning_rate / (1 - _BETA1**steps))
