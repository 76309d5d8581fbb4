"""Training of networks in PyTorch: all seeds at once, every product a batched one, on the CPU or on a GPU.

What an iteration does is one function of tensors without a branch, so that a GPU captures it once as a graph
and then launches the hundreds of small kernels of a recurrence in one call.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import torch
from torch import Tensor

from learners.methods.networks.sequences import losses
from learners.methods.networks.shapes import NetworkShape
from learners.traces.dataset import Traces
from learners.training.engine import Ints, State, TrainingJob, batches
from learners.training.recipes import AdamSchedule, Floats

WARM_UP = 3  # iterations before a graph is captured, as PyTorch asks
AHEAD = 256  # iterations whose traces are drawn at once: to draw for one takes as long as for many
SMALL = 1e-6  # added to a norm that is divided by, as in `engine_torch`


class _Data(NamedTuple):
    """All traces as tensors, (N, T) each, and their lengths."""

    x: Tensor
    s: Tensor
    m: Tensor
    length: Tensor


class _Drawn(NamedTuple):
    """The traces of some iterations from the first on, (models, iterations, batch), also on the device."""

    first: int
    order: Ints
    rows: Tensor


class NetworkEngine:
    """All networks of a job, an iteration at a time; a network that diverges stays as it was before.

    On a GPU every batch is as long as the longest trace, because a graph has one shape.
    """

    name = "networks"

    def __init__(self, job: TrainingJob[NetworkShape], device: str = "cpu") -> None:
        self.shape, self.recipe, self.seeds, self.batch = job.shape, job.recipe, job.seeds, job.batch
        self.device, self.iteration = torch.device(device), job.state.iteration
        if device == "cuda":
            self.name = "networks on cuda"
        state = job.state
        self.weights, self.mean, self.variance = (
            torch.tensor(array, device=self.device) for array in (state.weights, state.mean, state.variance)
        )
        self.lost = torch.tensor(state.diverged, device=self.device)
        self.data = _on(job.traces, self.device)
        self.lengths, self.shares = job.traces.length, job.each_share
        models = len(self.seeds)
        self.rows = torch.zeros(models, self.batch, dtype=torch.long, device=self.device)
        self.now = torch.zeros(4, dtype=torch.float64, device=self.device)  # step, root, keep, iteration
        self.loss = torch.zeros(models, device=self.device)
        self.graph: torch.cuda.CUDAGraph | None = None
        self.drawn = self._draw(self.iteration, 0)

    def advance(self, schedule: AdamSchedule) -> Floats:
        """Trains on; the losses, (models, iterations)."""
        count, first = len(schedule.step), self.iteration
        if first + count > self.drawn.first + self.drawn.order.shape[1]:
            self.drawn = self._draw(first, max(count, AHEAD))
        begun = first - self.drawn.first
        numbers = np.stack([*schedule, np.arange(first, first + count)], 1).astype(np.float64)
        now = torch.as_tensor(numbers, device=self.device)
        said = torch.empty(len(self.seeds), count, device=self.device)
        for i in range(count):
            self.rows.copy_(self.drawn.rows[:, begun + i])
            self.now.copy_(now[i])
            self._launch(begun + i)
            said[:, i] = self.loss
        self.iteration += count
        return np.asarray(said.cpu().numpy(), np.float32)

    def _draw(self, first: int, count: int) -> _Drawn:
        """Which traces each network takes."""
        orders = [
            share.first + batches(seed, share.number, first, count, self.batch)
            for seed, share in zip(self.seeds, self.shares, strict=True)
        ]
        order = np.stack(orders)
        return _Drawn(first, order, torch.as_tensor(order, device=self.device))

    def _launch(self, at: int) -> None:
        if self.device.type != "cuda":
            self._iterate(int(self.lengths[self.drawn.order[:, at]].max()))
            return
        if self.graph is None:
            self._capture()
        assert self.graph is not None
        self.graph.replay()

    def _capture(self) -> None:
        """Captures an iteration; those that warm up leave everything as it was."""
        kept = [array.clone() for array in (self.weights, self.mean, self.variance, self.lost)]
        side = torch.cuda.Stream()  # type: ignore[no-untyped-call]
        side.wait_stream(torch.cuda.current_stream())
        with torch.cuda.stream(side):
            for _ in range(WARM_UP):
                self._iterate(self.data.x.shape[1])
        torch.cuda.current_stream().wait_stream(side)
        self.graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(self.graph):
            self._iterate(self.data.x.shape[1])
        for array, before in zip((self.weights, self.mean, self.variance, self.lost), kept, strict=True):
            array.copy_(before)

    def _iterate(self, longest: int) -> None:
        """One iteration of Adam for every network that has not diverged, on the rows and numbers of now."""
        x, s, m = (part[:, :longest][self.rows] for part in self.data[:3])  # (models, batch, T)
        flat = self.weights.detach().requires_grad_(True)
        loss = losses(self.shape, flat, x, s, m, self.data.length[self.rows])
        # A network's weights touch its own loss alone, so the gradient of the sum is that of each.
        (gradient,) = torch.autograd.grad(loss.sum(), flat)
        with torch.no_grad():
            norm = torch.linalg.vector_norm(gradient.double(), dim=1)
            fine = torch.isfinite(norm) & torch.isfinite(loss)
            self.lost.copy_(torch.where((self.lost < 0) & ~fine, self.now[3].long(), self.lost))
            alive = self.lost < 0
            self.loss.copy_(torch.where(alive, loss, torch.nan))
            if self.recipe.clip:
                gradient = gradient * (self.recipe.clip / (norm + SMALL)).clamp(max=1.0)[:, None].float()
            self._adam(gradient, alive[:, None])

    def _adam(self, gradient: Tensor, alive: Tensor) -> None:
        step, root, keep = self.now[:3].float()
        recipe = self.recipe
        mean = torch.lerp(gradient, self.mean, recipe.beta1)
        variance = torch.lerp(gradient.square(), self.variance, recipe.beta2)
        weights = keep * self.weights - step * mean / (variance.sqrt() / root + recipe.epsilon)
        for array, after in ((self.mean, mean), (self.variance, variance), (self.weights, weights)):
            array.copy_(torch.where(alive, after, array))

    def state(self) -> State:
        """Where it stands, on the host."""
        weights, mean, variance = (
            np.asarray(array.cpu().numpy(), np.float32).copy()
            for array in (self.weights, self.mean, self.variance)
        )
        return State(self.iteration, weights, mean, variance, self.lost.cpu().numpy().copy())


def _on(traces: Traces, device: torch.device) -> _Data:
    """The traces on a device, without padding that no trace needs."""
    longest = int(traces.length.max())
    parts = (traces.x[:, :longest], traces.s[:, :longest], traces.m[:, :longest], traces.length)
    return _Data(*(torch.as_tensor(np.asarray(part, np.int64), device=device) for part in parts))
