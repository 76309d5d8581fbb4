"""The trainable DFST: `h' = A[x] h`, `s = B[x] h`, `m = C[x] h`, and its loss, in plain PyTorch.

The definition that every faster engine is checked against. Parameters are one flat vector: for each
symbol the rows of A, B and C stacked, then h0; `shapes` cuts it up.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import numpy.typing as npt

if TYPE_CHECKING:
    from torch import Tensor

    from compiler.tensors.dfst import Dfst

MOVES = 5  # U D L R S, in this order
Floats = npt.NDArray[np.float32]


class Shape(NamedTuple):
    """How many symbols, and how many states."""

    symbols: int
    dim: int

    @property
    def rows(self) -> int:
        """Rows of A[x], B[x] and C[x] together."""
        return self.dim + self.symbols + MOVES

    @property
    def parameters(self) -> int:
        return self.symbols * self.rows * self.dim + self.dim


def initial(shape: Shape, seed: int) -> Floats:
    """The paper's start: A = I, B = C = 0, h0 uniform in (0, 1) and then of length one."""
    stacked = np.zeros((shape.symbols, shape.rows, shape.dim), np.float32)
    stacked[:, : shape.dim] = np.eye(shape.dim, dtype=np.float32)
    h0 = np.random.default_rng(seed).uniform(size=shape.dim)
    return np.concatenate([stacked.ravel(), (h0 / np.linalg.norm(h0)).astype(np.float32)])


def tensors(shape: Shape, flat: Floats) -> tuple[Floats, Floats, Floats, Floats]:
    """A, B, C and h0 of a flat vector."""
    stacked = flat[: -shape.dim].reshape(shape.symbols, shape.rows, shape.dim)
    A, B, C = np.split(stacked, [shape.dim, shape.dim + shape.symbols], axis=1)
    return A.copy(), B.copy(), C.copy(), flat[-shape.dim :].copy()


def flatten(dfst: Dfst) -> Floats:
    """The flat vector of a model."""
    stacked = np.concatenate([dfst.A, dfst.B, dfst.C], 1)
    return np.concatenate([stacked.ravel(), dfst.h0]).astype(np.float32)


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
    import torch

    stacked, h = _cut(shape, flat, x)
    said = []
    for t in range(x.shape[1]):
        out = torch.einsum("nrd,nd->nr", stacked[x[:, t]], h)
        h = out[:, : shape.dim]
        said.append(out[:, shape.dim :])
    return torch.stack(said, 1)


def _cut(shape: Shape, flat: Tensor, x: Tensor) -> tuple[Tensor, Tensor]:
    """The matrices of each symbol, zeros for padding behind them, and h0 for each trace."""
    import torch

    stacked = flat[: -shape.dim].reshape(shape.symbols, shape.rows, shape.dim)
    silent = torch.zeros_like(stacked[:1])
    return torch.cat([stacked, silent]), flat[-shape.dim :].expand(x.shape[0], -1)


def loss(shape: Shape, flat: Tensor, batch: Batch) -> Tensor:
    """`1/(2T) sum |s - s*|^2 + |m - m*|^2` of each trace, and the mean over the traces.

    Where the agent is stuck, `s` and `m` hold -1, and so shall all outputs.
    """
    import torch
    from torch.nn.functional import one_hot

    valid = torch.arange(batch.x.shape[1], device=flat.device) < batch.length[:, None]
    # What is not part of a trace can neither grow nor diverge.
    x = torch.where(valid, batch.x, shape.symbols)
    said = outputs(shape, flat, x)
    s, m = (torch.where(valid, indices, 0).clamp(min=0) for indices in (batch.s, batch.m))
    wanted = torch.cat([one_hot(s, shape.symbols), one_hot(m, MOVES)], 2).to(said.dtype)
    wanted = torch.where((valid & (batch.s < 0))[:, :, None], -1, wanted)
    squares = torch.where(valid, ((said - wanted) ** 2).sum(2), 0)
    return (squares.sum(1) / (2 * batch.length)).mean()
