"""The equations of networks for many of them at once on whole traces, in PyTorch.

Every tensor has the networks first: products of all of them are one batched product, so that a GPU has
enough to do. `recurrent.c` says the same of GRUs and LSTMs a step at a time.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from collections.abc import Sequence as Rows
from ctypes import Structure
from functools import lru_cache
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import torch
from torch import Tensor
from torch.autograd import Function
from torch.autograd.function import once_differentiable
from torch.nn.functional import embedding, log_softmax, one_hot

from gridlang.compiler.native.c_library import CLibrary
from gridlang.compiler.tensors.model import Floats, Ints
from gridlang.learners.methods.networks.shapes import GATES, GRU, MOVES, TRANSFORMER, NetworkShape
from gridlang.learners.runtime.cuda import CannotLaunch, Kernel, Module
from gridlang.terminal.notes import tell_once

SOURCE = Path(__file__).with_name("recurrences.cu")
JOB = CLibrary(SOURCE).structs["Recurrence"]
WIDEST = 64  # numbers of a state, as many registers of a thread as weights

Launch = Callable[[str, Structure], None]


ROTARY_BASE = 10_000.0  # angles of rotary positions fall from 1 to about its inverse, as is usual
TINY = 1e-6  # keeps the root of a mean square away from zero
MASKED = -1e30  # added to scores of what is not attended to; finite, so that no row is all nothing


class Sequence(NamedTuple):
    """The networks' outputs and final state: logits (models, traces, steps, symbols + moves).

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
    """The networks' outputs on the symbols x (models, traces, steps), from a state or from the start."""
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
    """One network, by PyTorch's own layers: its states (traces, steps, d), and the final one."""
    weights: list[Tensor] = []
    for layer in range(shape.layers):
        enters, bias, recur = (tensors[f"{name}{layer}"][model] for name in ("in", "bias", "recur"))
        own = torch.zeros_like(bias)
        if shape.architecture == GRU:
            own = torch.cat([own[shape.dim :], tensors[f"recur_bias{layer}"][model]])
        weights += [enters.t().contiguous(), recur.t().contiguous(), bias, own]
    parts = start.permute(2, 1, 0, 3).contiguous()  # (1 or 2, layers, traces, d)
    # biases, layers, dropout, with gradients, bidirectional, batch first
    how = weights, True, shape.layers, 0.0, torch.is_grad_enabled(), False, True
    reads = one_hot(x, shape.symbols).to(start.dtype)
    with warnings.catch_warnings(), torch.backends.cudnn.flags(enabled=True, allow_tf32=False):
        warnings.filterwarnings("ignore", "RNN module weights")  # these weights are separate
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
    """One network on many sequences: a `Follower` of `gridlang.compiler.tensors.model`.

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


def recurrence_kernels(shape: NetworkShape, x: Tensor) -> Launch | None:
    """The launcher of the kernels for this shape on x (models, traces, steps); None for PyTorch."""
    if not x.is_cuda or shape.architecture not in GATES or shape.layers > 1 or shape.dim > WIDEST:
        return None
    return _on_this_gpu(macros(shape, x.shape[1]), x.shape[0])


def macros(shape: NetworkShape, batch: int) -> tuple[tuple[str, int], ...]:
    """The constants that the source is compiled with."""
    rows = next(rows for rows in (8, 4, 2, 1) if batch % rows == 0)
    sizes = {"GATES": GATES[shape.architecture], "D": shape.dim, "K": shape.symbols}
    return tuple({**sizes, "BATCH": batch, "ROWS": rows}.items())


@lru_cache(maxsize=8)
def _on_this_gpu(sizes: tuple[tuple[str, int], ...], models: int) -> Launch | None:
    given = dict(sizes)
    wide, batch = given["GATES"] * given["D"], given["BATCH"]
    numbers = {
        "ahead": batch * (wide + 2 * given["D"]),
        "back": batch * (2 * wide + 2 * given["D"]) + given["K"] * wide,
    }
    device = torch.cuda.get_device_properties(torch.cuda.current_device())
    if 4 * numbers["back"] > device.shared_memory_per_block_optin:  # type: ignore[attr-defined]
        return None
    try:
        module = Module(SOURCE.read_text("utf-8"), given, (device.major, device.minor))
        kernels = {name: Kernel(module, name, wide, 4 * count) for name, count in numbers.items()}
    except CannotLaunch as error:
        tell_once(f"{error}; training in plain PyTorch on the GPU, which is much slower")
        return None

    def launch(name: str, job: Structure) -> None:
        kernels[name].launch(torch.cuda.current_stream().cuda_stream, (models, 1), job)

    return launch


class FusedRecurrence(Function):
    """From what symbols add to gates (models, symbols, wide) and x (T, models, traces): states and cells.

    Both are (T + 1, models, traces, d), and begin with zeros; a GRU has no cells. One kernel goes ahead and
    one back: in PyTorch each step is several small kernels, and takes ten times as long for short traces.
    """

    @staticmethod
    def forward(
        ctx: Any, table: Tensor, recur: Tensor, bias: Tensor | None, x: Tensor, launch: Launch
    ) -> tuple[Tensor, Tensor]:
        steps, models, traces = x.shape
        d, wide = recur.shape[1:]
        states = table.new_empty(steps + 1, models, traces, d)
        cells = torch.empty_like(states) if bias is None else table.new_empty(0)
        gates, shown = table.new_empty(*x.shape, wide), table.new_empty(*x.shape, d)
        of_bias = recur if bias is None else bias
        kept = {"x": x, "table": table, "recur": recur, "bias": of_bias, "states": states}
        kept |= {"cells": cells, "gates": gates, "shown": shown}
        launch("ahead", _job(kept, steps, models))
        ctx.names, ctx.launch, ctx.is_gru = tuple(kept), launch, bias is not None
        ctx.save_for_backward(*kept.values())
        ctx.mark_non_differentiable(cells)
        return states, cells

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, wanted: Tensor, _: Tensor) -> tuple[Tensor | None, ...]:
        kept = dict(zip(ctx.names, ctx.saved_tensors, strict=True))
        steps, models, _traces = kept["x"].shape
        back, of_table = torch.empty_like(kept["gates"]), torch.empty_like(kept["table"])
        of_bias = torch.empty_like(kept["bias"])
        given = {"wanted": wanted[1:].contiguous(), "back": back, "of_table": of_table, "of_bias": of_bias}
        ctx.launch("back", _job(kept | given, steps, models))
        of_recur = of_weights(kept["states"][:-1], back)
        return of_table, of_recur, of_bias if ctx.is_gru else None, None, None


def _job(arrays: dict[str, Tensor], steps: int, models: int) -> Structure:
    return JOB(**{name: array.data_ptr() for name, array in arrays.items()}, steps=steps, models=models)


def of_weights(before: Tensor, product: Tensor) -> Tensor:
    """The gradient (models, d, wide) of weights that states were multiplied by, over all steps and traces."""
    rows = (part.transpose(0, 1).flatten(1, 2) for part in (before, product))  # (models, T * traces, ...)
    states, gradients = rows
    return torch.bmm(states.transpose(1, 2), gradients)
