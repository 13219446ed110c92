"""What comes after the first layer: dense layers by hand, or any torch module by autograd."""

from __future__ import annotations

import copy
from collections.abc import Callable, Sequence
from functools import partial
from itertools import pairwise
from typing import TYPE_CHECKING, Protocol

import torch
from torch import Generator, Tensor, nn

from entryprune.engine.errors import BodyError
from entryprune.engine.losses import CrossEntropy, Loss, LossFunction, make_loss

if TYPE_CHECKING:
    from entryprune.engine.window import Batch

_aten = torch.ops.aten


def _no_change(values: Tensor) -> Tensor:
    return values


# Each activation in place, its derivative in terms of its own output, and the module it stands for.
_ACTIVATIONS: dict[
    str, tuple[Callable[[Tensor], Tensor], Callable[[Tensor, Tensor], object], type[nn.Module]]
] = {
    "relu": (
        torch.relu_,
        lambda grad, out: _aten.threshold_backward.grad_input(grad, out, 0, grad_input=grad),
        nn.ReLU,
    ),
    "tanh": (
        torch.tanh_,
        lambda grad, out: _aten.tanh_backward.grad_input(grad, out, grad_input=grad),
        nn.Tanh,
    ),
    "logistic": (
        torch.sigmoid_,
        lambda grad, out: _aten.sigmoid_backward.grad_input(grad, out, grad_input=grad),
        nn.Sigmoid,
    ),
    "identity": (_no_change, lambda _grad, _out: None, nn.Identity),
}
ACTIVATIONS = tuple(_ACTIVATIONS)
ACTIVATION_MODULES = {name: module for name, (_, _, module) in _ACTIVATIONS.items()}


class Body(Protocol):
    """The network between the first layer's outputs and the loss."""

    @property
    def n_parameters(self) -> int:
        """Number of trained values."""
        ...

    def bind(self, parameters: Tensor, gradients: Tensor) -> None:
        """Move the trained values into `parameters` and write gradients to `gradients`."""
        ...

    def backward(self, hidden: Tensor, batch: Batch) -> tuple[Tensor, Tensor]:
        """Return the mean loss and its gradient with respect to `hidden`; may overwrite it.

        `hidden` are the first layer's outputs for `batch`, samples by neurons.
        """
        ...

    def loss(self, hidden: Tensor, batch: Batch) -> Tensor:
        """Return the mean loss without training; may overwrite `hidden`."""
        ...

    def to_module(self) -> nn.Module:
        """Return a copy on the CPU that predicts."""
        ...


def uniform_linear(n_inputs: int, shape: tuple[int, ...], generator: Generator) -> Tensor:
    """Draw weights as ``torch.nn.Linear`` does by default, but from `generator`."""
    limit = n_inputs**-0.5 if n_inputs else 0.0
    return torch.empty(shape).uniform_(-limit, limit, generator=generator)


class DenseBody:
    """Dense layers with gradients by hand, in buffers that are allocated once.

    `widths` are those of the first layer, of any further hidden layers, and of the output; a single
    width makes the first layer the output. The activation follows every hidden layer, the first one
    included.
    """

    def __init__(
        self,
        widths: Sequence[int],
        activation: str,
        loss: Loss,
        *,
        max_rows: int,
        generator: Generator,
        device: torch.device,
    ) -> None:
        self._loss = loss
        self._activation = activation
        self._activate, self._deactivate, _ = _ACTIVATIONS[activation]
        self._layers: list[tuple[Tensor, Tensor]] = []
        self._gradients: list[tuple[Tensor, Tensor]] = []
        for n_in, n_out in pairwise(widths):
            weights = uniform_linear(n_in, (n_out, n_in), generator)
            bias = uniform_linear(n_in, (n_out,), generator)
            self._layers.append((weights.to(device), bias.to(device)))
        # Only the hidden layer's own output is the caller's; gradients are needed for it too.
        self._outputs = [torch.empty(max_rows, width, device=device) for width in widths[1:]]
        self._deltas = [torch.empty(max_rows, width, device=device) for width in widths]

    @property
    def n_parameters(self) -> int:
        """Number of trained values."""
        return sum(weights.numel() + bias.numel() for weights, bias in self._layers)

    def bind(self, parameters: Tensor, gradients: Tensor) -> None:
        """Move the trained values into `parameters` and write gradients to `gradients`."""
        old = self._layers
        self._layers, self._gradients = [], []
        start = 0
        for weights, bias in old:
            middle = start + weights.numel()
            stop = middle + bias.numel()
            parameters[start:middle] = weights.view(-1)
            parameters[middle:stop] = bias
            for flat, views in ((parameters, self._layers), (gradients, self._gradients)):
                views.append((flat[start:middle].view_as(weights), flat[middle:stop]))
            start = stop

    def backward(self, hidden: Tensor, batch: Batch) -> tuple[Tensor, Tensor]:
        """Return the mean loss and its gradient with respect to `hidden`, which is overwritten."""
        outputs, deltas = self._buffers(len(hidden))
        inputs = self._forward(hidden, outputs)
        delta = deltas[-1]
        loss = self._loss.backward(inputs[-1], batch.targets, delta, batch.weights)
        for layer in reversed(range(len(self._layers))):
            weights, _ = self._layers[layer]
            weights_gradient, bias_gradient = self._gradients[layer]
            torch.mm(delta.t(), inputs[layer], out=weights_gradient)
            torch.sum(delta, 0, out=bias_gradient)
            below = deltas[layer]
            torch.mm(delta, weights, out=below)
            self._deactivate(below, inputs[layer])
            delta = below
        return loss, delta

    def loss(self, hidden: Tensor, batch: Batch) -> Tensor:
        """Return the mean loss without training; overwrites `hidden`."""
        outputs, _ = self._buffers(len(hidden))
        last = self._forward(hidden, outputs)[-1]
        return self._loss.value(last, batch.targets, batch.weights)

    def _forward(self, hidden: Tensor, outputs: list[Tensor]) -> list[Tensor]:
        """Return the input of each layer and, last, the output."""
        values = [hidden]
        for (weights, bias), output in zip(self._layers, outputs, strict=True):
            self._activate(values[-1])
            torch.addmm(bias, values[-1], weights.t(), out=output)
            values.append(output)
        return values

    def _buffers(self, n_rows: int) -> tuple[list[Tensor], list[Tensor]]:
        """Return the buffers of each layer's outputs and deltas, cut to `n_rows`.

        Nearly all calls are for full batches, which need no cut: a view costs as much as a small
        operation.
        """
        if n_rows == len(self._deltas[0]):
            return self._outputs, self._deltas
        return [b[:n_rows] for b in self._outputs], [b[:n_rows] for b in self._deltas]

    def to_module(self) -> nn.Module:
        """Return a copy on the CPU that predicts."""
        _, _, activation = _ACTIVATIONS[self._activation]
        modules: list[nn.Module] = []
        for weights, bias in self._layers:
            modules += [activation(), linear_module(weights, bias)]
        return nn.Sequential(*modules).eval()


def linear_module(weights: Tensor, bias: Tensor) -> nn.Linear:
    """Return a torch layer with copies of `weights` (outputs by inputs) and `bias` on the CPU."""
    n_outputs, n_inputs = weights.shape
    # An ordinary Linear would draw its first weights from torch's global generator.
    layer = nn.Linear(n_inputs, n_outputs, device="meta")
    layer.weight = nn.Parameter(weights.detach().cpu().clone(memory_format=torch.contiguous_format))
    layer.bias = nn.Parameter(bias.detach().cpu().clone())
    return layer


class AutogradBody:
    """Any torch module and any loss, differentiated by torch.

    The module takes the first layer's outputs, before any activation. It is copied, and the weights
    it comes with are the start of the training.
    """

    def __init__(
        self,
        module: nn.Module,
        loss: Callable[..., Tensor],
        *,
        n_hidden: int,
        n_outputs: int,
        device: torch.device,
    ) -> None:
        self._module = copy.deepcopy(module).to(device=device, dtype=torch.float32)
        self._loss = loss
        self._trained = [p for p in self._module.parameters() if p.requires_grad]
        self._gradients = torch.empty(0)
        self._check(n_hidden, n_outputs, device)

    def _check(self, n_hidden: int, n_outputs: int, device: torch.device) -> None:
        self._module.eval()
        try:
            with torch.no_grad():
                outputs = self._module(torch.zeros(2, n_hidden, device=device))
        except Exception as error:
            raise BodyError(
                f"body failed on an input of shape (2, {n_hidden}): {error}. It receives the "
                f"outputs of the first layer, whose width is the first of hidden_layer_sizes."
            ) from error
        shape = tuple(getattr(outputs, "shape", ()))
        if shape != (2, n_outputs):
            raise BodyError(
                f"body must return {n_outputs} output(s) per sample, i.e. shape (2, {n_outputs}) "
                f"for 2 samples; got {shape or type(outputs).__name__}. Change its last layer."
            )

    @property
    def n_parameters(self) -> int:
        """Number of trained values."""
        return sum(p.numel() for p in self._trained)

    def bind(self, parameters: Tensor, gradients: Tensor) -> None:
        """Move the trained values into `parameters` and write gradients to `gradients`."""
        self._gradients = gradients
        start = 0
        for parameter in self._trained:
            stop = start + parameter.numel()
            view = parameters[start:stop].view_as(parameter)
            view.copy_(parameter.detach())
            parameter.data = view
            parameter.grad = gradients[start:stop].view_as(parameter)
            start = stop

    def backward(self, hidden: Tensor, batch: Batch) -> tuple[Tensor, Tensor]:
        """Return the mean loss and its gradient with respect to `hidden`."""
        self._module.train()
        self._gradients.zero_()
        leaf = hidden.detach().requires_grad_()
        with torch.enable_grad():
            # A copy, because a module may work in place, which a leaf does not allow.
            loss = self._scalar_loss(self._module(leaf.clone()), batch)
            if loss.requires_grad:
                loss.backward()  # type: ignore[no-untyped-call]
        if leaf.grad is None:
            raise BodyError(
                "the loss does not depend on the first layer, so there is nothing to train: body "
                "and loss must pass gradients on (no detach(), no argmax)."
            )
        return loss.detach(), leaf.grad

    def loss(self, hidden: Tensor, batch: Batch) -> Tensor:
        """Return the mean loss without training."""
        self._module.eval()
        with torch.no_grad():
            return self._scalar_loss(self._module(hidden), batch)

    def _scalar_loss(self, outputs: Tensor, batch: Batch) -> Tensor:
        if batch.weights is None:
            loss = self._loss(outputs, batch.targets)
        else:  # only with losses of our own, which take them
            loss = self._loss(outputs, batch.targets, batch.weights)
        if not isinstance(loss, torch.Tensor) or loss.dim() != 0:
            got = tuple(loss.shape) if isinstance(loss, torch.Tensor) else type(loss).__name__
            raise BodyError(
                f"loss must return a scalar tensor (shape ()), got {got}. Take the mean over the "
                f"samples."
            )
        return loss

    def to_module(self) -> nn.Module:
        """Return a copy on the CPU that predicts."""
        module = copy.deepcopy(self._module).cpu().eval()
        for parameter in module.parameters():
            parameter.grad = None
        return module


def make_body(
    widths: Sequence[int],
    activation: str,
    *,
    loss: str | LossFunction,
    quantile: float = 0.5,
    module: nn.Module | None,
    max_rows: int,
    generator: Generator,
    device: torch.device,
) -> Body:
    """Build what follows the first layer, with fresh weights: by hand wherever that is possible."""
    dense = partial(DenseBody, widths, activation, generator=generator)
    if isinstance(loss, str):
        known_loss = make_loss(loss, quantile)
        if module is None:
            return dense(known_loss, max_rows=max_rows, device=device)
        return _autograd(module, known_loss.value, widths, device)
    if module is None:
        # The user's own loss comes after the ordinary layers.
        module = dense(CrossEntropy(), max_rows=0, device=torch.device("cpu")).to_module()
    return _autograd(module, loss, widths, device)


def _autograd(
    module: nn.Module, loss: Callable[..., Tensor], widths: Sequence[int], device: torch.device
) -> AutogradBody:
    return AutogradBody(module, loss, n_hidden=widths[0], n_outputs=widths[-1], device=device)
