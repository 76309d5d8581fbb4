"""The equations of networks for many of them at once on whole traces, in PyTorch.

Every tensor has the networks first: products of all of them are one batched product, so that a GPU has
enough to do. `recurrent.c` says the same of GRUs and LSTMs a step at a time.
"""

from __future__ import annotations

from collections.abc import Sequence as Rows
from typing import Any, NamedTuple

import numpy as np
import torch
from torch import Tensor
from torch.autograd import Function
from torch.nn.functional import embedding, log_softmax, one_hot

from compiler.tensors.model import Ints
from compiler.tensors.stored_tensors import Floats
from learners.methods.networks.recurrences_cuda import FusedRecurrence, Launch, recurrence_kernels
from learners.methods.networks.shapes import GRU, MOVES, TRANSFORMER, NetworkShape

ROTARY_BASE = 10_000.0  # angles of rotary positions fall from 1 to about its inverse, as is usual
TINY = 1e-6  # keeps the root of a mean square away from zero
MASKED = -1e30  # added to scores of what is not attended to; finite, so that no row is all nothing


class Sequence(NamedTuple):
    """What networks said, and the state they are left in: logits (models, traces, steps, symbols + moves).

    A recurrent network's state is (models, traces, layers, 1 or 2, d): an LSTM has a cell beside it.
    """

    logits: Tensor
    state: Any


def cut(shape: NetworkShape, flat: Tensor) -> dict[str, Tensor]:
    """The tensors of stacked networks, (models, ...), from their flat vectors (models, parameters)."""
    models = flat.shape[0]
    return {
        name: flat[:, first : first + int(np.prod(size))].reshape(models, *size)
        for name, first, size in shape.places
    }


def follow(shape: NetworkShape, flat: Tensor, x: Tensor, state: Any = None) -> Sequence:
    """What the networks say on the symbols x (models, traces, steps), from a state or from the start."""
    tensors = cut(shape, flat)
    go = _attend if shape.architecture == TRANSFORMER else _recur
    seen, after = go(shape, tensors, x, state)  # (models, traces, steps, d)
    models, traces, steps, d = seen.shape
    logits = torch.baddbmm(tensors["out_bias"][:, None], seen.reshape(models, -1, d), tensors["out"])
    return Sequence(logits.reshape(models, traces, steps, shape.outputs), after)


def _looked_up(table: Tensor, x: Tensor) -> Tensor:
    """Rows of a table for each network, (models, symbols, wide), by x (steps, models, traces)."""
    models, symbols, wide = table.shape
    offsets = torch.arange(models, device=x.device)[:, None] * symbols
    return embedding(x + offsets, table.reshape(models * symbols, wide))


def _recur(shape: NetworkShape, tensors: dict[str, Tensor], x: Tensor, state: Any) -> tuple[Tensor, Any]:
    models, traces, _ = x.shape
    by_time = x.permute(2, 0, 1)
    launch = recurrence_kernels(shape, x) if state is None else None
    if launch is not None:
        return _fused(tensors, by_time, launch)
    kept = shape.state // (shape.layers * shape.dim)  # one vector of a GRU, two of an LSTM
    if state is None:
        state = tensors["out"].new_zeros(models, traces, shape.layers, kept, shape.dim)
    told = [_recur_alone(shape, tensors, *one) for one in zip(range(models), x, state, strict=True)]
    seen, after = zip(*told, strict=True)
    return torch.stack(seen), torch.stack(after)


def _recur_alone(
    shape: NetworkShape, tensors: dict[str, Tensor], model: int, x: Tensor, start: Tensor
) -> tuple[Tensor, Tensor]:
    """One network, by PyTorch's own layers: its states (traces, steps, d), and what it is left with."""
    weights: list[Tensor] = []
    for layer in range(shape.layers):
        enters, bias, recur = (tensors[f"{name}{layer}"][model] for name in ("in", "bias", "recur"))
        own = torch.zeros_like(bias)
        if shape.architecture == GRU:
            own = torch.cat([own[shape.dim :], tensors[f"recur_bias{layer}"][model]])
        weights += [enters.t().contiguous(), recur.t().contiguous(), bias, own]
    parts = start.permute(2, 1, 0, 3).contiguous()  # (1 or 2, layers, traces, d)
    # biases, layers, dropout, whether gradients are wanted, both ways, traces first
    how = weights, True, shape.layers, 0.0, torch.is_grad_enabled(), False, True
    reads = one_hot(x, shape.symbols).to(start.dtype)
    if shape.architecture == GRU:
        seen, *last = torch.gru(reads, parts[0], *how)
    else:
        seen, *last = torch.lstm(reads, tuple(parts), *how)
    return seen, torch.stack(last).permute(2, 1, 0, 3)


def _fused(tensors: dict[str, Tensor], x: Tensor, launch: Launch) -> tuple[Tensor, Any]:
    """One layer in kernels of our own, x as (steps, models, traces)."""
    bias = tensors.get("recur_bias0")
    table, recur = tensors["in0"] + tensors["bias0"][:, None], tensors["recur0"].contiguous()
    weights = table, recur, None if bias is None else bias.contiguous()
    states, cells = _applied(FusedRecurrence, *weights, x.to(torch.int32).contiguous(), launch)
    last = [part[-1] for part in (states, cells) if len(part)]
    return states[1:].permute(1, 2, 0, 3), torch.stack(last, 2)[:, :, None]


def _applied(function: type[Function], *given: Any) -> Any:
    return function.apply(*given)  # type: ignore[no-untyped-call]


def _attend(shape: NetworkShape, tensors: dict[str, Tensor], x: Tensor, state: Any) -> tuple[Tensor, Any]:
    """Attention to the last `context` steps; of earlier steps the keys and values are in the state."""
    models, traces, steps = x.shape
    size, heads = shape.dim // shape.heads, shape.heads
    first, past = (0, None) if state is None else state
    before = 0 if past is None else past[0][0].shape[-2]
    mask = _band(steps, before, shape.context, x.device)
    angle = torch.as_tensor(angles(np.arange(first, first + steps), size), device=x.device)
    sine, cosine = angle.sin(), angle.cos()
    seen = _looked_up(tensors["embedding"], x.permute(2, 0, 1)).permute(1, 2, 0, 3)
    after = []
    for layer in range(shape.layers):
        flat = _normed(seen, tensors[f"gain{layer}"]).reshape(models, -1, shape.dim)
        mixed = torch.bmm(flat, tensors[f"qkv{layer}"]).reshape(models, traces, steps, 3, heads, size)
        query, key, value = mixed.permute(3, 0, 1, 4, 2, 5)  # (models, traces, heads, steps, size) each
        query, key = _turned(query, sine, cosine), _turned(key, sine, cosine)
        if past is not None:
            key, value = torch.cat([past[layer][0], key], -2), torch.cat([past[layer][1], value], -2)
        scores = query @ key.transpose(-1, -2) / size**0.5 + mask
        read = (scores.softmax(-1) @ value).transpose(2, 3).reshape(models, -1, shape.dim)
        seen = seen + torch.bmm(read, tensors[f"join{layer}"]).reshape(seen.shape)
        inner = _normed(seen, tensors[f"inner_gain{layer}"]).reshape(models, -1, shape.dim)
        inner = torch.bmm(inner, tensors[f"up{layer}"])
        seen = seen + torch.bmm(inner * torch.sigmoid(inner), tensors[f"down{layer}"]).reshape(seen.shape)
        kept = max(0, key.shape[-2] - (shape.context - 1))
        after.append((key[..., kept:, :], value[..., kept:, :]))
    return _normed(seen, tensors["last_gain"]), (first + steps, after)


def angles(positions: Any, size: int) -> Floats:
    """The angles of rotary positions, (positions, size / 2), in float64 until the end: they grow."""
    speeds = ROTARY_BASE ** (-np.arange(0, size, 2, dtype=np.float64) / size)
    turned: Floats = np.remainder(np.multiply.outer(positions, speeds), 2 * np.pi).astype(np.float32)
    return turned


def _band(steps: int, before: int, context: int, device: torch.device) -> Tensor:
    """What each step may attend to: itself and the steps before, `context` of them together."""
    now = torch.arange(before, before + steps, device=device)[:, None]
    then = torch.arange(before + steps, device=device)
    return torch.where((then <= now) & (then > now - context), 0.0, MASKED)


def _normed(x: Tensor, gain: Tensor) -> Tensor:
    return x * torch.rsqrt(x.square().mean(-1, keepdim=True) + TINY) * gain[:, None, None]


def _turned(vectors: Tensor, sine: Tensor, cosine: Tensor) -> Tensor:
    one, other = vectors.chunk(2, -1)
    return torch.cat([one * cosine - other * sine, one * sine + other * cosine], -1)


def losses(shape: NetworkShape, flat: Tensor, x: Tensor, s: Tensor, m: Tensor, length: Tensor) -> Tensor:
    """Cross-entropy of write and of move, the mean over the steps of a trace and over traces; (models,)."""
    valid = torch.arange(x.shape[2], device=x.device) < length[..., None]
    logits = follow(shape, flat, torch.where(valid, x, 0)).logits
    parts = (logits[..., : shape.symbols], s), (logits[..., shape.symbols :], m)
    missed = sum(
        -log_softmax(said, -1).gather(-1, torch.where(valid, wanted, 0)[..., None])[..., 0]
        for said, wanted in parts
    )
    return (torch.where(valid, missed, 0).sum(2) / length).mean(1)


class TorchFollower:
    """One network on many sequences: a `Follower` of `compiler.tensors.model`.

    The state of a recurrent network is an array (rows, numbers kept); a transformer keeps tensors.
    """

    steps = 256  # a transformer's scores grow with them

    def __init__(self, shape: NetworkShape, weights: Floats) -> None:
        self.shape, self.flat = shape, torch.as_tensor(weights)[None]

    def follow(self, reads: Ints, state: Any = None) -> tuple[Floats, Any]:
        shape = self.shape
        if state is not None and shape.state:
            state = torch.as_tensor(state).reshape(1, len(reads), shape.layers, -1, shape.dim)
        with torch.no_grad():
            logits, after = follow(shape, self.flat, torch.as_tensor(reads)[None], state)
            parts = torch.split(logits[0], [shape.symbols, MOVES], -1)
            shares = torch.cat([part.softmax(-1) for part in parts], -1).numpy()
        return shares, after.reshape(len(reads), -1).numpy() if shape.state else after

    def chosen(self, state: Any, rows: Rows[int]) -> Any:
        if self.shape.state:
            return state[rows]
        position, past = state
        return position, [(key[:, rows], value[:, rows]) for key, value in past]
