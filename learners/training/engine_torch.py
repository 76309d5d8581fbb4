"""The trainable DFST, `h' = A[x] h`, `s = B[x] h`, `m = C[x] h`, and its loss and training in plain PyTorch.

On any device, slow and general: the definition that every faster engine is checked against.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import torch
from torch import Tensor
from torch.nn.functional import one_hot

from gridlang.table import MOVES
from learners.training.engine import Ints, Shape, State, TrainingJob, batches
from learners.training.recipes import AdamSchedule, Floats

LARGEST = float(np.finfo(np.float32).max)


class Batch(NamedTuple):
    """Traces as tensors: indices (N, T), valid where `t < length`; padding may hold any index."""

    x: Tensor
    s: Tensor
    m: Tensor
    length: Tensor


def outputs(shape: Shape, flat: Tensor, x: Tensor) -> Tensor:
    """What the model says at each step, (N, T, symbols + moves), one step after the other.

    A step that reads the index `shape.symbols` is padding: the model says nothing, then and after.
    """
    stacked = flat[: -shape.dim].reshape(shape.symbols, shape.rows, shape.dim)
    stacked = torch.cat([stacked, torch.zeros_like(stacked[:1])])
    h = flat[-shape.dim :].expand(x.shape[0], -1)
    said = []
    for t in range(x.shape[1]):
        out = torch.einsum("nrd,nd->nr", stacked[x[:, t]], h)
        h = out[:, : shape.dim]
        said.append(out[:, shape.dim :])
    return torch.stack(said, 1)


def loss(shape: Shape, flat: Tensor, batch: Batch) -> Tensor:
    """`1/(2T) sum |s - s*|^2 + |m - m*|^2` of each trace, and the mean over the traces.

    Where the agent is stuck, `s` and `m` hold -1, and so shall all outputs.
    """
    valid = torch.arange(batch.x.shape[1], device=flat.device) < batch.length[:, None]
    # What is not part of a trace can neither grow nor diverge.
    x = torch.where(valid, batch.x, shape.symbols)
    said = outputs(shape, flat, x)
    s, m = (torch.where(valid, indices, 0).clamp(min=0) for indices in (batch.s, batch.m))
    wanted = torch.cat([one_hot(s, shape.symbols), one_hot(m, len(MOVES))], 2).to(said.dtype)
    wanted = torch.where((valid & (batch.s < 0))[:, :, None], -1, wanted)
    squares = torch.where(valid, ((said - wanted) ** 2).sum(2), 0)
    return (squares.sum(1) / (2 * batch.length)).mean()


class TorchEngine:
    """One model after the other, one step after the other, gradients by autograd."""

    name = "torch"

    def __init__(
        self, job: TrainingJob[Shape], device: str = "cpu", dtype: torch.dtype = torch.float32
    ) -> None:
        traces, state = job.traces, job.state
        self.shape, self.recipe, self.seeds, self.batch = job.shape, job.recipe, job.seeds, job.batch
        self.iteration, self.shares = state.iteration, job.each_share
        self.weights, self.mean, self.variance = (
            torch.tensor(array, dtype=dtype, device=device)
            for array in (state.weights, state.mean, state.variance)
        )
        self.diverged = state.diverged.copy()
        x, s, m, length = (
            torch.tensor(array, dtype=torch.long, device=device)
            for array in (traces.x, traces.s, traces.m, traces.length)
        )
        self.data = Batch(x, s, m, length)

    def advance(self, schedule: AdamSchedule) -> Floats:
        """Trains on; the losses, (models, iterations)."""
        losses = np.full((len(self.seeds), len(schedule.step)), np.nan, np.float32)
        for model, seed in enumerate(self.seeds):
            first, number = self.shares[model]
            orders = first + batches(seed, number, self.iteration, len(schedule.step), self.batch)
            for i, order in enumerate(orders):
                if self.diverged[model] >= 0:
                    break
                losses[model, i] = self._step(model, order, self.iteration + i, schedule.between(i, i + 1))
        self.iteration += len(schedule.step)
        return losses

    def _step(self, model: int, order: Ints, iteration: int, now: AdamSchedule) -> float:
        rows = torch.as_tensor(order, device=self.weights.device)
        chosen = Batch(*(array[rows] for array in self.data))
        longest = int(chosen.length.max())
        chosen = Batch(chosen.x[:, :longest], chosen.s[:, :longest], chosen.m[:, :longest], chosen.length)
        flat = self.weights[model].clone().requires_grad_(True)
        value = loss(self.shape, flat, chosen)
        (gradient,) = torch.autograd.grad(value, flat)
        norm = float(torch.linalg.vector_norm(gradient.double()))
        frozen = not self.recipe.clip and norm**2 > LARGEST  # Adam's variance would stay infinite.
        if not np.isfinite(norm) or not np.isfinite(float(value.detach())) or frozen:
            self.diverged[model] = iteration
            return float("nan")
        if self.recipe.clip:
            gradient = gradient * min(1.0, self.recipe.clip / (norm + 1e-6))
        mean, variance = self.mean[model], self.variance[model]
        mean.mul_(self.recipe.beta1).add_(gradient, alpha=1 - self.recipe.beta1)
        variance.mul_(self.recipe.beta2).addcmul_(gradient, gradient, value=1 - self.recipe.beta2)
        step, root, keep = (float(values[0]) for values in now)
        change = step * mean / (variance.sqrt() / root + self.recipe.epsilon)
        self.weights[model] = keep * self.weights[model] - change
        return float(value.detach())

    def state(self) -> State:
        """Where it stands, on the host."""
        weights, mean, variance = (
            array.float().cpu().numpy().copy() for array in (self.weights, self.mean, self.variance)
        )
        return State(self.iteration, weights, mean, variance, self.diverged.copy())
