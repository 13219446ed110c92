"""The network: a first layer by hand over the window, and a body."""

from __future__ import annotations

from typing import TYPE_CHECKING

import torch
from torch import Generator, Tensor, nn

from entryprune.engine.bodies import Body, linear_module, make_body, uniform_linear
from entryprune.engine.errors import DivergedError

if TYPE_CHECKING:
    from entryprune.engine.settings import NetworkSettings
    from entryprune.engine.window import Batch

_BETA1, _BETA2, _EPSILON = 0.9, 0.999, 1e-8


class Adam:
    """Adam with torch's defaults, or AdamW, for parameters that live in one flat tensor.

    ``torch.optim.Adam`` spends more time on its bookkeeping than on a small network's arithmetic,
    so this calls torch's fused kernel directly and writes the formula out where there is none.
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


class Network:
    """First layer and body, with all parameters in one flat block.

    The block holds the body, the first layer's biases, and the first layer's weights feature by
    feature. A smaller input layer is a shorter piece of the same block, and the part that
    concerns the selected features is its beginning.
    """

    def __init__(
        self,
        body: Body,
        *,
        n_hidden: int,
        n_inputs: int,
        max_rows: int,
        optimizer: Adam,
        generator: Generator,
        device: torch.device,
    ) -> None:
        self.body = body
        self.n_hidden = n_hidden
        self.optimizer = optimizer
        self._hidden = torch.empty(max_rows, n_hidden, device=device)
        self._allocate(n_inputs, device)
        self.bias.copy_(uniform_linear(n_inputs, (n_hidden,), generator))
        self.weights.copy_(uniform_linear(n_inputs, (n_inputs, n_hidden), generator))

    def _allocate(self, n_inputs: int, device: torch.device) -> None:
        size = self.body.n_parameters + self.n_hidden * (1 + n_inputs)
        self._parameters = torch.zeros(size, device=device)
        self._gradients = torch.zeros(size, device=device)
        n_body = self.body.n_parameters
        self.body.bind(self._parameters[:n_body], self._gradients[:n_body])
        self.optimizer.allocate(self._parameters)
        self._use(n_inputs)

    def _use(self, n_inputs: int) -> None:
        """Point all views at the first `n_inputs` features."""
        self.n_inputs = n_inputs
        n_body = self.body.n_parameters
        first = n_body + self.n_hidden
        active = first + n_inputs * self.n_hidden
        # A view costs as much as a small operation, so those of every step are made here.
        self._active = self._parameters[:active]
        self._active_gradients = self._gradients[:active]
        self.optimizer.use(active)
        self.bias = self._parameters[n_body:first]
        self.bias_gradient = self._gradients[n_body:first]
        self.weights = self._rows(self._parameters)
        self.weights_gradient = self._rows(self._gradients)

    def _rows(self, block: Tensor) -> Tensor:
        """Return the first layer's part of a flat block, one row per feature."""
        first = self.body.n_parameters + self.n_hidden
        return block[first : len(self._active)].view(self.n_inputs, self.n_hidden)

    def resize(self, n_inputs: int, n_kept: int) -> None:
        """Change the input layer's size; only the first `n_kept` features keep their weights.

        A larger layer than ever before needs new memory and so re-initialises the optimiser.
        """
        capacity = (len(self._parameters) - self.body.n_parameters) // self.n_hidden - 1
        if n_inputs > capacity:
            bias, kept = self.bias.clone(), self.weights[:n_kept].clone()
            self._allocate(n_inputs, bias.device)
            self.bias.copy_(bias)
            self.weights[:n_kept] = kept
        else:
            self._use(n_inputs)

    def move(self, origins: list[int], destinations: list[int]) -> None:
        """Copy the weights and moments of features in `origins` onto those in `destinations`."""
        if not origins:
            return
        moments = (self.optimizer.first_moment, self.optimizer.second_moment)
        for rows in (self.weights, *map(self._rows, moments)):
            rows[destinations] = rows[origins]

    def forget_moments(self, first_row: int) -> None:
        """Clear the optimiser's moments of the features from `first_row` on."""
        for moments in (self.optimizer.first_moment, self.optimizer.second_moment):
            self._rows(moments)[first_row:].zero_()

    def backward(self, batch: Batch) -> tuple[Tensor, Tensor]:
        """Write all gradients; return the mean loss and its gradient at the first layer's outputs.

        That gradient, samples by neurons, is overwritten by the next batch.
        """
        loss, delta = self.body.backward(self._first_layer(batch.inputs), batch)
        torch.mm(batch.inputs, delta, out=self.weights_gradient)
        torch.sum(delta, 0, out=self.bias_gradient)
        return loss, delta

    def hidden_gradient(self, batch: Batch) -> Tensor:
        """Return the loss's gradient at the first layer's outputs, given the first features."""
        return self.body.backward(self._first_layer(batch.inputs), batch)[1]

    def step(self) -> None:
        """Let the optimiser move all parameters in use."""
        self.optimizer.step(self._active, self._active_gradients)

    def refuse_divergence(self) -> None:
        """Raise if any parameter in use is not finite."""
        if not bool(torch.isfinite(self._active).all()):
            raise DivergedError("weights")

    def loss(self, batch: Batch) -> float:
        """Return the mean loss given only the first features, as many as the batch has."""
        return float(self.body.loss(self._first_layer(batch.inputs), batch))

    def _first_layer(self, inputs: Tensor) -> Tensor:
        n_features, n_rows = inputs.shape
        weights = self.weights if n_features == self.n_inputs else self.weights[:n_features]
        hidden = self._hidden if n_rows == len(self._hidden) else self._hidden[:n_rows]
        return torch.addmm(self.bias, inputs.t(), weights, out=hidden)

    def to_module(self, features: Tensor) -> nn.Module:
        """Return a copy on the CPU that predicts from the features in rows `features`."""
        first = linear_module(self.weights[features].t(), self.bias)
        return nn.Sequential(first, self.body.to_module()).eval()


def make_network(
    settings: NetworkSettings,
    n_outputs: int,
    *,
    n_inputs: int,
    max_rows: int,
    optimizer: Adam,
    generator: Generator,
    device: torch.device,
) -> Network:
    """Build the network that is asked for, with fresh weights: the body's are drawn first."""
    widths = [*settings.hidden_layer_sizes, n_outputs]
    body = make_body(
        widths,
        settings.activation,
        loss=settings.loss,
        quantile=settings.quantile,
        module=settings.body,
        max_rows=max_rows,
        generator=generator,
        device=device,
    )
    return Network(
        body,
        n_hidden=widths[0],
        n_inputs=n_inputs,
        max_rows=max_rows,
        optimizer=optimizer,
        generator=generator,
        device=device,
    )
