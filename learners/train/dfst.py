"""The DFST, whole: model, loss, initial weights, scan, and a loop of plain PyTorch.

An agent reads a symbol x, writes a symbol s and makes a move m. The model keeps a hidden vector h, which
every symbol multiplies by a matrix of its own:

    s[t] = B[x[t]] h[t]        m[t] = C[x[t]] h[t]        h[t+1] = A[x[t]] h[t]

The largest numbers of s and m are what it does. Every engine is held against this file, which runs alone:

    python -m gridlang.learners.train.dfst examples/add2.grid
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
import torch
from torch import Tensor
from torch.nn import functional

import gridlang
from gridlang.compiler.tensors.dfst import Dfst
from gridlang.learners.traces.dataset import Traces
from gridlang.learners.train.model_metadata import metadata_of
from gridlang.table import MOVES

Function = Callable[..., Tensor]


class Weights(NamedTuple):
    """All that is learned, for k symbols and d states."""

    A: Tensor  # (k, d, d)
    B: Tensor  # (k, k, d)
    C: Tensor  # (k, moves, d)
    h0: Tensor  # (d,)


class Batch(NamedTuple):
    """N traces of T steps as indices; a trace has `length` steps, and then padding."""

    x: Tensor  # (N, T) symbols read
    s: Tensor  # (N, T) symbols written, -1 where the agent is stuck
    m: Tensor  # (N, T) moves, -1 where the agent is stuck
    length: Tensor  # (N,)


def initial(symbols: int, states: int, seed: int) -> Weights:
    """The paper's start: A = I, B = C = 0, and h0 a random positive vector of length one.

    The identity keeps h0 as it is over any number of steps, so no gradient explodes or fades at first.
    """
    h0 = torch.tensor(np.random.default_rng(seed).uniform(size=states))
    B, C = torch.zeros(symbols, symbols, states), torch.zeros(symbols, len(MOVES), states)
    return Weights(torch.eye(states).repeat(symbols, 1, 1), B, C, (h0 / h0.norm()).float())


def hidden(A: Tensor, h0: Tensor, x: Tensor) -> Tensor:
    """h[t] before each of the steps (N, T, d), one after the other: the definition."""
    h = [h0.expand(len(x), -1)]
    for t in range(x.shape[1] - 1):
        h.append(times(A[x[:, t]], h[-1]))
    return torch.stack(h, 1)


def scan(A: Tensor, h0: Tensor, x: Tensor) -> Tensor:
    """The same vectors for all t at once: products of matrices are associative, so log T rounds will do."""
    h: Tensor = Scan.apply(A, h0, x)[0]  # type: ignore[no-untyped-call]
    return h


class Scan(torch.autograd.Function):
    """A tree of products: of two steps, of four, and so on; vectors come down along it.

    The gradient of h[t] is what it adds itself, and A[x[t]]' times that of h[t+1]: the same tree, transposed.
    """

    generate_vmap_rule = True

    @staticmethod
    def forward(A: Tensor, h0: Tensor, x: Tensor) -> tuple[Tensor, ...]:
        tree = [A[x[:, :-1]]]
        while (steps := tree[-1].shape[1]) > 1:
            tree.append(tree[-1][:, 1::2] @ tree[-1][:, 0 : steps - 1 : 2])
        h = h0.expand(len(x), 1, -1)
        for products in reversed(tree):
            before = products[:, 0::2]
            h = _mixed(h, times(before, h[:, : before.shape[1]]))
        return h, *tree

    @staticmethod
    def setup_context(ctx: Any, inputs: tuple[Tensor, ...], output: tuple[Tensor, ...]) -> None:
        ctx.symbols = len(inputs[0])
        ctx.save_for_backward(inputs[2], *output)
        ctx.mark_non_differentiable(*output[1:])

    @staticmethod
    def backward(ctx: Any, g: Tensor, *_: Tensor) -> tuple[Tensor, Tensor, None]:
        x, h, *tree = ctx.saved_tensors
        own = [g]  # what the vectors between the products of each level add
        for products in tree:
            even, odd = own[-1][:, 0::2], own[-1][:, 1::2]
            own.append(even + _longer(times(products[:, 0::2].mT, odd), even))
        whole = own.pop()
        for products, added in zip(reversed(tree), reversed(own), strict=True):
            after, odd = products[:, 1::2], added[:, 1::2]
            whole = _mixed(whole, odd + _longer(times(after.mT, whole[:, 1 : 1 + after.shape[1]]), odd))
        return outer(whole[:, 1:], h[:, :-1], x[:, :-1], ctx.symbols), whole[:, 0].sum(0), None


def times(matrices: Tensor, vectors: Tensor) -> Tensor:
    """Each vector multiplied by its matrix."""
    return (matrices @ vectors[..., None])[..., 0]


def outer(left: Tensor, right: Tensor, x: Tensor, symbols: int) -> Tensor:
    """For each symbol the sum of left right' over the steps that read it."""
    own = (x[..., None] == torch.arange(symbols, device=x.device)).to(left)
    return torch.einsum("ntk,nti,ntj->kij", own, left, right)


def _longer(vectors: Tensor, other: Tensor) -> Tensor:
    """Zeros after the vectors, up to as many steps as the other has."""
    return functional.pad(vectors, (0, 0, 0, other.shape[1] - vectors.shape[1]))


def _mixed(even: Tensor, odd: Tensor) -> Tensor:
    """even[0], odd[0], even[1], odd[1], and so on along time."""
    pairs = torch.stack([even, _longer(odd, even)], 2)
    return pairs.flatten(1, 2)[:, : even.shape[1] + odd.shape[1]]


def outputs(weights: Weights, x: Tensor, how: Function = scan) -> Tensor:
    """What it says at each step, s above m: (N, T, k + moves). To read k is padding, where h ends as 0."""
    A, B, C, h0 = weights
    h = how(torch.cat([A, torch.zeros_like(A[:1])]), h0, x)
    said = torch.cat([B, C], 1)
    of_every_symbol = functional.linear(h, said.flatten(0, 1)).view(*x.shape, *said.shape[:2])
    read = x.clamp(max=len(A) - 1)[..., None, None].expand(-1, -1, 1, said.shape[1])
    return torch.gather(of_every_symbol, 2, read)[:, :, 0]


def targets(batch: Batch, symbols: int) -> Tensor:
    """One-hot numbers that the outputs shall be; where the agent is stuck all of them are -1."""
    sizes = (batch.s, symbols), (batch.m, len(MOVES))
    rows = [i[..., None] == torch.arange(n, device=i.device) for i, n in sizes]
    return torch.where(batch.s[..., None] < 0, -1.0, torch.cat(rows, 2).float())


def squares(said: Tensor, wanted: Tensor) -> Tensor:
    """The loss of each step. Outputs are linear in h, so finite weights can make every square 0."""
    return ((said - wanted) ** 2).sum(2) / 2


def loss(weights: Weights, batch: Batch, how: Function = scan, of: Function = squares) -> Tensor:
    """`1/(2T) sum |s - s*|^2 + |m - m*|^2` of a trace, lest long ones drown others; their mean."""
    valid = torch.arange(batch.x.shape[1], device=batch.x.device) < batch.length[:, None]
    said = outputs(weights, torch.where(valid, batch.x, len(weights.A)), how)
    each = of(said, targets(batch, len(weights.A)).to(said))
    return (torch.where(valid, each, 0).sum(1) / batch.length).mean()


def batch_of(traces: Traces) -> Batch:
    """Traces as tensors."""
    return Batch(*(torch.tensor(np.int64(getattr(traces, name))) for name in Batch._fields))


def learn(traces: Traces, states: int, seed: int = 0, iterations: int = 3_000, rate: float = 1e-2) -> Dfst:
    """Adam down a cosine, clipped lest long traces explode; what no trace needs decays."""
    data = batch_of(traces)
    weights = Weights(*(part.requires_grad_() for part in initial(len(traces.symbols), states, seed)))
    adam = torch.optim.AdamW(weights, rate, betas=(0.95, 0.98), weight_decay=3e-2)
    cosine = torch.optim.lr_scheduler.CosineAnnealingLR(adam, iterations)
    for iteration in range(1, iterations + 1):
        value = loss(weights, data)
        adam.zero_grad()
        value.backward()  # type: ignore[no-untyped-call]
        torch.nn.utils.clip_grad_norm_(weights, 0.1)
        adam.step()
        cosine.step()
        if iteration % max(1, iterations // 10) == 0:
            print(f"iteration {iteration:,}: loss {value.item():.2e}")
    return model_of(weights, traces)


def model_of(weights: Weights, traces: Traces) -> Dfst:
    """What `run`, `extract`, `equiv` and all others take."""
    A, B, C, h0 = (part.detach().numpy() for part in weights)
    return Dfst(A, B, C, h0, traces.symbols, metadata=metadata_of(traces))


if __name__ == "__main__":
    torch.set_num_threads(1)  # several would wait for each other: the matrices are small
    agent = gridlang.load(sys.argv[1]).table
    rules = ["paper", "inputs:30"] if agent.input else None
    shown = gridlang.trace(agent, rules, long=4)  # type: ignore[has-type]
    print(gridlang.evaluate(learn(shown, 4 * len(agent.states) // 3), agent, digits=100))
