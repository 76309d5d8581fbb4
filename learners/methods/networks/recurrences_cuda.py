"""Recurrences of stacked GRUs and LSTMs in two kernels of our own, one ahead and one back.

In PyTorch each step is several small kernels, and a batch of short traces takes ten times as long.
"""

from __future__ import annotations

from collections.abc import Callable
from ctypes import Structure
from functools import lru_cache
from pathlib import Path
from typing import Any

import torch
from torch import Tensor
from torch.autograd import Function
from torch.autograd.function import once_differentiable

from compiler.simulation.native.c_library import CLibrary
from gridlang.terminal.notes import tell_once
from learners.methods.networks.shapes import GATES, NetworkShape
from learners.runtime.cuda import CannotLaunch, Kernel, Module

SOURCE = Path(__file__).with_name("recurrences.cu")
JOB = CLibrary(SOURCE).structs["Recurrence"]
WIDEST = 64  # numbers of a state, as many registers of a thread as weights

Launch = Callable[[str, Structure], None]


def recurrence_kernels(shape: NetworkShape, x: Tensor) -> Launch | None:
    """What launches the kernels for networks of this shape on x (models, traces, steps); None for PyTorch."""
    if not x.is_cuda or shape.architecture not in GATES or shape.layers > 1 or shape.dim > WIDEST:
        return None
    return _on_this_gpu(macros(shape, x.shape[1]), x.shape[0])


def macros(shape: NetworkShape, batch: int) -> tuple[tuple[str, int], ...]:
    """What the source is compiled for."""
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

    Both are (T + 1, models, traces, d), and begin with zeros; a GRU has no cells.
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
