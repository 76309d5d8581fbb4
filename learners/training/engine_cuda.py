"""Training on a GPU with kernels of our own: many models at once, three launches an iteration."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from math import ceil
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import torch

from compiler.simulation.native.c_library import CLibrary
from learners.runtime.cuda import CannotLaunch, Kernel, Module
from learners.traces.dataset import Traces
from learners.training.engine import Shape, State, TrainingJob
from learners.training.limits import LIMITS
from learners.training.recipes import AdamSchedule, Floats

STUCK = 255  # the symbol written, to the kernels, where an agent is stuck
KERNELS = Path(__file__).parent / "kernels"
JOB = CLibrary(KERNELS / "common.cu").structs["Job"]  # what every kernel is given


class KernelPlan(NamedTuple):
    """How the work of an iteration is cut into blocks, and the blocks into clusters."""

    kernel: str  # `narrow` or `wide`
    groups: int  # of the traces of a model, each the work of one cluster
    cluster: int  # blocks per cluster
    slots: int  # traces per group
    warps: int  # warps per block
    parts: int  # gradients per group, added at the end
    tall: int  # tiles of four rows that a lane sums
    shared: int  # bytes of shared memory per block
    resident: bool  # All weights stay in shared memory.


def kernel_plan(shape: Shape, batch: int, models: int, processors: int, shared: int) -> KernelPlan:
    """`narrow` for up to 32 states where the weights fit into `shared` bytes, else `wide`."""
    slots = min(ceil(batch / min(max(processors // models, 1), batch)), LIMITS.most_slots)
    warps = 16
    needed = 4 * _narrow_image(shape) + _narrow_bytes(shape, warps, slots)
    if shape.dim <= 32 and shape.seen <= 32 and _padded_rows(shape) <= 48 and needed <= shared:
        down = 32 // (_padded(shape.dim) // 4)
        tall = ceil(_padded_rows(shape) / 4 / down)  # One tile holds all rows.
        parts = min(8 if slots > 8 else 2, ceil(2 * warps / shape.symbols))
        return KernelPlan("narrow", ceil(batch / slots), 1, slots, warps, parts, tall, needed, True)
    if shape.dim > 128 or shape.symbols > 128:
        raise CannotLaunch(
            f"the kernels serve up to 128 states and symbols, not {shape.dim} and {shape.symbols}"
        )
    return _wide_kernel_plan(shape, batch, models, processors, shared)


def _wide_kernel_plan(shape: Shape, batch: int, models: int, processors: int, shared: int) -> KernelPlan:
    """The smallest cluster whose blocks hold all weights; if none does, they are read from the cache."""
    for resident in (True, False):
        for cluster in (2, 4, 8):
            room = processors // 16 * (16 // cluster)  # A cluster lies within 16 neighbours.
            slots = min(ceil(batch / min(max(room // models, 1), batch)), LIMITS.most_slots)
            weights = 4 * _wide_image(shape, cluster) if resident else 0
            needed = _wide_bytes(shape, cluster, slots) + weights
            if _owned_rows(shape, cluster) <= 32 and needed <= shared:
                return KernelPlan("wide", ceil(batch / slots), cluster, slots, 16, 1, 2, needed, resident)
    raise CannotLaunch(f"no kernel serves {shape.dim} states and {shape.symbols} symbols")


def _padded(number: int) -> int:
    return ceil(number / 4) * 4


def _padded_rows(shape: Shape) -> int:
    return _padded(shape.dim) + _padded(shape.seen)


def _owned_rows(shape: Shape, cluster: int) -> int:
    return ceil(max(shape.dim, cluster) / cluster) + ceil((shape.seen) / cluster)


def _spread_pitch(width: int) -> int:
    """Rows of four numbers at this distance lie in different banks."""
    return width if width // 4 % 2 else width + 4


def _narrow_image(shape: Shape) -> int:
    """IMAGE in kernels/narrow.cu."""
    pitch = _spread_pitch(_padded(shape.dim))
    return shape.symbols * (shape.rows + shape.dim) * pitch + _padded(shape.dim)


def _wide_image(shape: Shape, cluster: int) -> int:
    """IMAGE in kernels/wide.cu."""
    return shape.symbols * _owned_rows(shape, cluster) * _padded(max(shape.dim, cluster))


def _cast_bytes(shape: Shape, slots: int) -> int:
    """The size of `struct Cast` in kernels/common.cu."""
    return 4 * (slots * (2 * shape.symbols + 4) + 2 * shape.symbols + 1)


def _narrow_bytes(shape: Shape, warps: int, slots: int) -> int:
    """The size of narrow's `struct Shared`, without the weights, and a little."""
    lanes = 16 if shape.dim <= 16 and shape.seen <= 16 else 32
    wide, rows = _padded(shape.dim), _padded_rows(shape)
    stage = max(8 * (wide + rows), 32 * 4 * (rows // 4 | 1) if slots > 4 else 0)
    numbers = warps * (32 // lanes * 2 * wide + stage + 1)
    return 4 * numbers + _cast_bytes(shape, slots) + 64


def _wide_bytes(shape: Shape, cluster: int, slots: int) -> int:
    """The size of wide's `struct Shared`, and a little."""
    states = max(shape.dim, cluster)
    numbers = slots * (2 * _padded(states) + 3 * ceil(states / cluster) * cluster) + 16
    return 4 * numbers + 40 * slots + _cast_bytes(shape, slots) + 64


def sorted_by_symbol(traces: Traces, pitch: int) -> dict[str, Any]:
    """The traces as the kernels read them, with their steps sorted by symbol."""
    rows, steps = traces.x.shape
    padded = {}
    for name in ("x", "s", "m"):
        padded[name] = np.zeros((rows, pitch), np.uint8)
        padded[name][:, :steps] = np.maximum(getattr(traces, name), 0)
    inside = np.arange(steps) < traces.length[:, None]
    padded["s"][:, :steps][inside & (traces.s < 0)] = STUCK
    order = np.zeros((rows, pitch), np.uint16)
    order[:, :steps] = np.argsort(np.where(traces.x < 0, 32_767, traces.x), axis=1, kind="stable")
    counts = np.stack([(traces.x == symbol).sum(1) for symbol in range(len(traces.symbols))], 1)
    starts = np.concatenate([np.zeros((rows, 1), np.int64), counts.cumsum(1)], 1)
    return {**padded, "sorted": order, "starts": starts.astype(np.uint16)}


def source_of(kernel: str) -> str:
    """The CUDA source with one of the two kernels that go through a batch."""
    return "\n".join((KERNELS / f"{name}.cu").read_text("utf-8") for name in ("common", kernel, "adam"))


class CudaEngine:
    """Trains on one GPU; CannotLaunch where the kernels cannot serve."""

    name = "cuda"

    def __init__(self, job: TrainingJob[Shape]) -> None:
        traces, shape, recipe, seeds, state, _ = job
        if traces.x.shape[1] > 65_535:
            raise CannotLaunch(f"the kernels serve traces of up to 65,535 steps, not {traces.x.shape[1]:,}")
        if traces.strict and shape.symbols > STUCK:
            raise CannotLaunch(f"the kernels serve strict agents of up to {STUCK} symbols")
        self.shape, self.models, self.batch, self.strict = shape, len(seeds), job.batch, traces.strict
        self.iteration = state.iteration
        device = torch.cuda.get_device_properties(torch.cuda.current_device())
        self.overlaps = device.major >= 9
        torch.zeros(1, device="cuda")  # This makes the context that modules are loaded into.
        # A row is whole pieces of eight steps, and one to spare.
        self.pitch = (traces.x.shape[1] + 8) // 8 * 8 + 8
        room = device.shared_memory_per_block_optin  # type: ignore[attr-defined]
        self.plan = kernel_plan(shape, self.batch, self.models, device.multi_processor_count, room)
        self.module = Module(source_of(self.plan.kernel), self._macros(), (device.major, device.minor))
        self.step_kernel = Kernel(self.module, self.plan.kernel, 32 * self.plan.warps, self.plan.shared)
        self.reduce, self.adam = (Kernel(self.module, name, LIMITS.block) for name in ("reduce", "adam"))
        self.memory = self._memory(job)
        self.arguments = JOB(
            **{name: array.data_ptr() for name, array in self.memory.items()},
            pitch=self.pitch,
            parts_count=self.plan.groups * self.plan.parts,
            room=LIMITS.room,
            **{name: getattr(recipe, name) for name in ("clip", "beta1", "beta2", "epsilon")},
        )
        arrange = Kernel(self.module, "arrange", LIMITS.block)
        arrange.launch(torch.cuda.current_stream().cuda_stream, self._spread, self.arguments)

    def _macros(self) -> Mapping[str, int | None]:
        shape, plan = self.shape, self.plan
        sizes = {"D": shape.dim, "K": shape.symbols, "BATCH": self.batch, "LOSSES": self._blocks}
        cut = {name.upper(): getattr(plan, name) for name in ("slots", "warps", "parts", "cluster", "tall")}
        said = {"RESIDENT": plan.resident, "STRICT": self.strict}
        return {**sizes, **cut, **{name: None for name, holds in said.items() if holds}}

    @property
    def _blocks(self) -> int:
        """The blocks that the first kernel has for one model."""
        return self.plan.groups * self.plan.cluster

    @property
    def _spread(self) -> tuple[int, int]:
        return ceil(self.shape.parameters / LIMITS.block), self.models

    def _memory(self, job: TrainingJob[Shape]) -> dict[str, torch.Tensor]:
        """Every array that the kernels are given, on the device."""
        models, P, plan = self.models, self.shape.parameters, self.plan
        traces, seeds, state, shares = job.traces, job.seeds, job.state, np.array(job.each_share, np.int32)
        arrays = sorted_by_symbol(traces, self.pitch)
        arrays |= {
            "length": traces.length.astype(np.int32),
            "firsts": shares[:, 0],
            "counts": shares[:, 1],
            "seeds": np.array(seeds, np.uint64).astype(np.uint32),
        }
        arrays |= {"w": state.weights, "mean": state.mean, "variance": state.variance}
        arrays |= {"diverged": state.diverged, "clock": np.array([state.iteration] * 3, np.int64)}
        steps, padded = (models, self.batch, self.pitch), _padded(self.shape.dim)
        narrow = plan.kernel == "narrow"
        image = _narrow_image(self.shape) if narrow else _wide_image(self.shape, plan.cluster)
        zeros = {
            "h": (*steps, padded),
            "q": (*steps, _padded_rows(self.shape)),
            "parts": (models, plan.groups * plan.parts, P),
            "gradient": (models, P),
            "losses": (models, self._blocks),
            "curve": (models, LIMITS.room),
            "step": (LIMITS.room,),
            "root": (LIMITS.room,),
            "keep": (LIMITS.room,),
            "images": (models, plan.cluster, image),
        }
        memory = {name: torch.from_numpy(np.array(array)).cuda() for name, array in arrays.items()}
        memory |= {name: torch.zeros(size, device="cuda") for name, size in zeros.items()}
        memory["list"] = torch.zeros(steps, device="cuda", dtype=torch.int32)
        memory["squares"] = torch.zeros((models, self._spread[0]), device="cuda", dtype=torch.float64)
        return memory

    def _iterations(self, count: int) -> None:
        """Each kernel may start before the one before it has ended, but for the first."""
        stream = torch.cuda.current_stream().cuda_stream
        for number in range(count):
            blocks, early = (self._blocks, self.models), self.overlaps and number > 0
            self.step_kernel.launch(stream, blocks, self.arguments, early=early)
            self.reduce.launch(stream, self._spread, self.arguments, early=self.overlaps)
            self.adam.launch(stream, self._spread, self.arguments, early=self.overlaps)

    @cached_property
    def _graph(self) -> torch.cuda.CUDAGraph:
        """Many iterations in one launch."""
        torch.cuda.synchronize()
        graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(graph):
            self._iterations(LIMITS.unrolled)
        return graph

    def advance(self, schedule: AdamSchedule) -> Floats:
        """Trains on; the losses, (models, iterations)."""
        count = len(schedule.step)
        pieces = [self._piece(schedule.between(at, at + LIMITS.room)) for at in range(0, count, LIMITS.room)]
        return np.concatenate(pieces, 1)

    def _piece(self, schedule: AdamSchedule) -> Floats:
        count = len(schedule.step)
        for name, values in schedule._asdict().items():
            self.memory[name][:count].copy_(torch.from_numpy(np.ascontiguousarray(values)))
        self.memory["clock"].fill_(self.iteration)
        for _ in range(count // LIMITS.unrolled):
            self._graph.replay()
        self._iterations(count % LIMITS.unrolled)
        self.iteration += count
        losses: Floats = self.memory["curve"][:, :count].cpu().numpy()
        return losses

    def state(self) -> State:
        """Where it stands, on the host."""
        on_host = {name: self.memory[name].cpu().numpy() for name in ("w", "mean", "variance", "diverged")}
        return State(self.iteration, on_host["w"], on_host["mean"], on_host["variance"], on_host["diverged"])
