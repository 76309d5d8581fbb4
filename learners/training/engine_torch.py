"""Training in PyTorch, on any device: of networks, and of the DFST `h' = A[x] h`, `s = B[x] h`, `m = C[x] h`.

For a DFST this is the slow, general definition that faster engines are checked against.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import torch
from torch import Tensor
from torch.nn.functional import one_hot

from gridlang.learners.traces.dataset import Traces
from gridlang.learners.training.engine import AnyShape, Ints, Shape, State, TrainingJob, batches, networks
from gridlang.learners.training.recipes import AdamSchedule, Floats
from gridlang.table import MOVES

LARGEST = float(np.finfo(np.float32).max)
WARM_UP = 3  # iterations before a graph is captured, as PyTorch asks
AHEAD = 256  # iterations whose traces are drawn at once: to draw for one takes as long as for many
SMALL = 1e-6  # added to a norm that is divided by


class Batch(NamedTuple):
    """Traces as tensors: indices (N, T), valid where `t < length`; padding may hold any index."""

    x: Tensor
    s: Tensor
    m: Tensor
    length: Tensor


def outputs(shape: Shape, flat: Tensor, x: Tensor) -> Tensor:
    """The model's outputs at each step, (N, T, symbols + moves), one step after the other.

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
    # padding can neither grow nor diverge
    x = torch.where(valid, batch.x, shape.symbols)
    said = outputs(shape, flat, x)
    s, m = (torch.where(valid, indices, 0).clamp(min=0) for indices in (batch.s, batch.m))
    wanted = torch.cat([one_hot(s, shape.symbols), one_hot(m, len(MOVES))], 2).to(said.dtype)
    wanted = torch.where((valid & (batch.s < 0))[:, :, None], -1, wanted)
    squares = torch.where(valid, ((said - wanted) ** 2).sum(2), 0)
    return (squares.sum(1) / (2 * batch.length)).mean()


def gradients(shape: AnyShape, weights: Tensor, batch: Batch) -> tuple[Tensor, Tensor]:
    """The loss of each model, (models,), and its gradient, (models, parameters), of a batch for each."""
    if not isinstance(shape, Shape):
        flat = weights.detach().requires_grad_(True)
        losses = networks("sequences").losses(shape, flat, *batch)
        # A network's weights touch its own loss alone, so the gradient of the sum is that of each.
        return losses.detach(), torch.autograd.grad(losses.sum(), flat)[0]
    found = []
    for model, own in enumerate(weights):  # one after the other, as each takes a matrix a step
        flat = own.clone().requires_grad_(True)
        value = loss(shape, flat, Batch(*(part[model] for part in batch)))
        found.append((value.detach(), *torch.autograd.grad(value, flat)))
    losses, slopes = zip(*found, strict=True)
    return torch.stack(losses), torch.stack(slopes)


class _Drawn(NamedTuple):
    """The traces of some iterations from the first on, (models, iterations, batch), also on the device."""

    first: int
    order: Ints
    rows: Tensor


class TorchEngine:
    """All models of a job, an iteration at a time; one that diverges stays as it was before.

    What an iteration does for networks is one function of tensors without a branch, so that a GPU captures
    it once as a graph and then launches the hundreds of small kernels of a recurrence in one call. There
    every batch is as long as the longest trace, because a graph has one shape.
    """

    def __init__(
        self, job: TrainingJob[AnyShape], device: str = "cpu", dtype: torch.dtype = torch.float32
    ) -> None:
        self.shape, self.recipe, self.seeds, self.batch = job.shape, job.recipe, job.seeds, job.batch
        self.device, self.iteration = torch.device(device), job.state.iteration
        of_networks = not isinstance(job.shape, Shape)
        self.captures = of_networks and device == "cuda"
        self.name = "networks on cuda" if self.captures else "networks" if of_networks else "torch"
        state, models = job.state, len(self.seeds)
        self.weights, self.mean, self.variance = (
            torch.tensor(array, dtype=dtype, device=self.device)
            for array in (state.weights, state.mean, state.variance)
        )
        self.lost = torch.tensor(state.diverged, device=self.device)
        self.data = _on(job.traces, self.device)
        self.lengths, self.shares = job.traces.length, job.each_share
        self.ranked = {share: job.ranked(share) for share in set(self.shares)}
        self.rows = torch.zeros(models, self.batch, dtype=torch.long, device=self.device)
        self.now = torch.zeros(4, dtype=torch.float64, device=self.device)  # step, root, keep, iteration
        self.loss = torch.zeros(models, dtype=dtype, device=self.device)
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
        """Which traces each model takes."""
        orders = [
            self.ranked[share][batches(seed, share.number, first, count, self.batch, self.recipe.bands)]
            for seed, share in zip(self.seeds, self.shares, strict=True)
        ]
        order = np.stack(orders)
        return _Drawn(first, order, torch.as_tensor(order, device=self.device))

    def _launch(self, at: int) -> None:
        if not self.captures:
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
        """One iteration of Adam for every model that has not diverged, on the rows and numbers of now."""
        x, s, m = (part[:, :longest][self.rows] for part in self.data[:3])  # (models, batch, T)
        batch = Batch(x, s, m, self.data.length[self.rows])
        losses, gradient = gradients(self.shape, self.weights, batch)
        norm = torch.linalg.vector_norm(gradient.double(), dim=1)
        fine = torch.isfinite(norm) & torch.isfinite(losses)
        if not self.recipe.clip:
            fine &= norm.square() <= LARGEST  # else Adam's variance would stay infinite
        self.lost.copy_(torch.where((self.lost < 0) & ~fine, self.now[3].long(), self.lost))
        alive = self.lost < 0
        self.loss.copy_(torch.where(alive, losses, torch.nan))
        if self.recipe.clip:
            share = (self.recipe.clip / (norm + SMALL)).clamp(max=1.0)
            gradient = gradient * share[:, None].to(gradient.dtype)
        self._adam(gradient, alive[:, None])

    def _adam(self, gradient: Tensor, alive: Tensor) -> None:
        step, root, keep = self.now[:3].to(gradient.dtype)
        recipe = self.recipe
        mean = torch.lerp(gradient, self.mean, recipe.beta1)
        variance = torch.lerp(gradient.square(), self.variance, recipe.beta2)
        weights = keep * self.weights - step * mean / (variance.sqrt() / root + recipe.epsilon)
        for array, after in ((self.mean, mean), (self.variance, variance), (self.weights, weights)):
            array.copy_(torch.where(alive, after, array))

    def state(self) -> State:
        """The state so far, on the host."""
        weights, mean, variance = (
            array.float().cpu().numpy().copy() for array in (self.weights, self.mean, self.variance)
        )
        return State(self.iteration, weights, mean, variance, self.lost.cpu().numpy().copy())


def _on(traces: Traces, device: torch.device) -> Batch:
    """The traces on a device, without padding that no trace needs."""
    longest = int(traces.length.max())
    parts = (traces.x[:, :longest], traces.s[:, :longest], traces.m[:, :longest], traces.length)
    return Batch(*(torch.as_tensor(np.asarray(part, np.int64), device=device) for part in parts))
