"""Training in PyTorch, on any device and with any loss: `dfst` for all models of a job at once."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from math import log2
from typing import Any, NamedTuple

import numpy as np
import torch
from torch import Tensor

from gridlang.compiler.testing.function_files import LOSS, load_function, reporting_errors
from gridlang.compiler.testing.output_search import WrongOracle
from gridlang.learners.train.dfst import (
    Batch,
    Weights,
    batch_of,
    loss,
    outer,
    scan,
    squares,
)
from gridlang.learners.train.engine import Ints, Shape, State, TrainingJob, batches
from gridlang.learners.train.recipes import SQUARES, AdamSchedule, Floats
from gridlang.table import MOVES

Function = Callable[..., Tensor]
LARGEST = float(np.finfo(np.float32).max)
WARM_UP = 3  # iterations before a graph is captured, as PyTorch asks
AHEAD = 256  # iterations whose traces are drawn at once: to draw for one takes as long as for many
# Seconds of a round of a scan, of a number of its matrices, of a step in turn, and of a product there:
COSTS = {"cuda": (3e-5, 9e-11, 1.8e-5, 4e-13), "cpu": (2e-3, 2.2e-8, 3e-4, 5.4e-10)}
SMALL = 1e-6  # added to a norm that is divided by


def loss_named(name: str, numbers: int) -> Function:
    """The loss of a recipe: the paper's, or a function in a file, tried on outputs of so many numbers."""
    if name == SQUARES:
        return squares
    file = load_function(name, LOSS)

    def own(said: Tensor, wanted: Tensor) -> Tensor:
        assert file.function is not None
        with reporting_errors(file):
            value = file.function(said, wanted)
            if not isinstance(value, Tensor) or value.shape != said.shape[:2]:
                given = tuple(value.shape) if isinstance(value, Tensor) else type(value).__name__
                raise WrongOracle(f"the loss gives {given}, not a number for each of {tuple(said.shape[:2])}")
        return value

    tried = torch.zeros(2, 3, numbers)
    own(tried, tried)
    return own


def scan_seconds(shape: Shape, traces: int, steps: int, device: str) -> float:
    """About what an iteration takes by a scan."""
    round, number, _, _ = COSTS[device]
    return round * log2(steps + 1) + number * traces * steps * shape.dim**2


def cheaper(shape: Shape, traces: int, steps: int, device: str) -> Function:
    """A scan where the steps one after the other take longer than the products that it makes instead."""
    _, _, step, product = COSTS[device]
    in_turns = step * steps + product * traces * steps * shape.symbols * shape.dim**2
    return scan if scan_seconds(shape, traces, steps, device) < in_turns else in_turn


def weights_of(shape: Shape, flat: Tensor) -> Weights:
    """The parts of a flat vector."""
    stacked = flat[: -shape.dim].view(shape.symbols, shape.rows, shape.dim)
    A, B, C = torch.split(stacked, [shape.dim, shape.symbols, len(MOVES)], 1)
    return Weights(A, B, C, flat[-shape.dim :])


def in_turn(A: Tensor, h0: Tensor, x: Tensor) -> Tensor:
    """The vectors of `dfst.hidden` for many states: vectors are multiplied, and not matrices."""
    h: Tensor = InTurn.apply(A, h0, x)  # type: ignore[no-untyped-call]
    return h


class InTurn(torch.autograd.Function):
    """Every step multiplies by the matrices of all symbols at once, and keeps what was read.

    So matrices are not copied for each trace, and the gradient of A is one product over all steps.
    """

    generate_vmap_rule = True

    @staticmethod
    def forward(A: Tensor, h0: Tensor, x: Tensor) -> Tensor:
        h, of_every_symbol = [h0.expand(len(x), -1)], A.flatten(0, 1).T
        for t in range(x.shape[1] - 1):
            after = (h[-1] @ of_every_symbol).view(len(x), *A.shape[:2])
            read = x[:, t, None, None].expand(-1, 1, A.shape[1])
            h.append(after.gather(1, read)[:, 0])
        return torch.stack(h, 1)

    @staticmethod
    def setup_context(ctx: Any, inputs: tuple[Tensor, ...], output: Tensor) -> None:
        A, _, x = inputs
        ctx.save_for_backward(A, x, output)

    @staticmethod
    def backward(ctx: Any, g: Tensor) -> tuple[Tensor, Tensor, None]:
        A, x, h = ctx.saved_tensors
        own = (x[..., None] == torch.arange(len(A), device=x.device)).to(h)  # (N, T, symbols)
        whole = [g[:, -1]]
        for t in reversed(range(x.shape[1] - 1)):
            spread = (own[:, t, :, None] * whole[-1][:, None, :]).flatten(1)
            whole.append(g[:, t] + spread @ A.flatten(0, 1))
        slopes = torch.stack(whole[::-1], 1)
        return outer(slopes[:, 1:], h[:, :-1], x[:, :-1], len(A)), slopes[:, 0].sum(0), None


def gradients(
    shape: Shape, weights: Tensor, batch: Batch, how: Function, of: Function
) -> tuple[Tensor, Tensor]:
    """The loss of each model, (models,), and its gradient, (models, parameters), of a batch for each."""

    def value(flat: Tensor, *own: Tensor) -> Tensor:
        return loss(weights_of(shape, flat), Batch(*own), how, of)

    slopes, losses = torch.vmap(torch.func.grad_and_value(value))(weights, *batch)
    return losses.detach(), slopes.detach()


class _Drawn(NamedTuple):
    """The traces of some iterations from the first on, (models, iterations, batch), also on the device."""

    first: int
    order: Ints
    rows: Tensor


class TorchEngine:
    """All models of a job, an iteration at a time; one that diverges stays as it was before.

    An iteration is one function of tensors without a branch, so that a GPU captures it once as a graph, and
    then launches its many small kernels in one call. There every batch is as long as the longest trace.
    """

    name = "torch"

    def __init__(
        self,
        job: TrainingJob,
        device: str = "cpu",
        dtype: torch.dtype = torch.float32,
        how: Function | None = None,
    ) -> None:
        self.shape, self.recipe, self.seeds, self.batch = job.shape, job.recipe, job.seeds, job.batch
        self.device, self.iteration = torch.device(device), job.state.iteration
        self.captures = device == "cuda"
        self.of = loss_named(job.recipe.loss, job.shape.seen)
        longest = int(job.traces.length.max())
        self.how = how or cheaper(job.shape, self.batch * len(job.seeds), longest, device)
        state, models = job.state, len(self.seeds)
        self.weights, self.mean, self.variance = (
            torch.tensor(array, dtype=dtype, device=self.device)
            for array in (state.weights, state.mean, state.variance)
        )
        self.lost = torch.tensor(state.diverged, device=self.device)
        # without padding that no trace needs
        x, s, m, self.length = (part.to(self.device) for part in batch_of(job.traces))
        self.data = [part[:, :longest] for part in (x, s, m)]
        self.lengths, self.ranked = job.traces.length, job.ranked
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
            self.ranked[batches(seed, len(self.ranked), first, count, self.batch, self.recipe.bands)]
            for seed in self.seeds
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
        longest, side = self.data[0].shape[1], torch.cuda.Stream()  # type: ignore[no-untyped-call]
        side.wait_stream(torch.cuda.current_stream())
        with _fast_products() if self.how is in_turn else nullcontext():
            with torch.cuda.stream(side):
                for _ in range(WARM_UP):
                    self._iterate(longest)
            torch.cuda.current_stream().wait_stream(side)
            self.graph = torch.cuda.CUDAGraph()
            with torch.cuda.graph(self.graph):
                self._iterate(longest)
        for array, before in zip((self.weights, self.mean, self.variance, self.lost), kept, strict=True):
            array.copy_(before)

    def _iterate(self, longest: int) -> None:
        """One iteration of Adam for every model that has not diverged, on the rows and numbers of now."""
        x, s, m = (part[:, :longest][self.rows] for part in self.data)  # (models, batch, T)
        batch = Batch(x, s, m, self.length[self.rows])
        losses, gradient = gradients(self.shape, self.weights, batch, self.how, self.of)
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

    def freeze(self, models: list[int]) -> None:
        """Trains these models no further."""
        self.lost[models] = self.iteration

    def state(self) -> State:
        """The state so far, on the host."""
        weights, mean, variance = (
            array.float().cpu().numpy().copy() for array in (self.weights, self.mean, self.variance)
        )
        return State(self.iteration, weights, mean, variance, self.lost.cpu().numpy().copy())


@contextmanager
def _fast_products() -> Iterator[None]:
    """Products of numbers with ten binary digits: twice as fast. A scan multiplies them by each other."""
    flags = torch.backends.cuda.matmul
    before, flags.allow_tf32 = flags.allow_tf32, True
    try:
        yield
    finally:
        flags.allow_tf32 = before
