"""Training on a GPU with kernels of our own: many models at once, many iterations in one launch."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from math import ceil
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import torch

from gridlang.compiler.native.c_library import CLibrary
from gridlang.learners.runtime.cuda import CannotLaunch, Kernel, Module
from gridlang.learners.traces.dataset import Traces
from gridlang.learners.train.engine import Shape, State, TrainingJob
from gridlang.learners.train.limits import LIMITS
from gridlang.learners.train.recipes import AdamSchedule, Floats

STUCK = 255  # the symbol written, to the kernels, where an agent is stuck
KERNELS = Path(__file__).parent / "kernels"
JOB = CLibrary(KERNELS / "common.cu").structs["Job"]  # what every kernel is given


class KernelPlan(NamedTuple):
    """How the work of an iteration is cut into blocks, and the blocks into clusters."""

    kernel: str  # `narrow` or `wide`
    groups: int  # of the traces of a model, each the work of one cluster
    clusters: int  # per model, all at once
    cluster: int  # blocks per cluster
    slots: int  # traces per group, at most
    warps: int  # warps per block
    team: int  # warps per trace
    parts: int  # gradients per group, added at the end
    tall: int  # tiles of four rows that a lane sums
    shared: int  # bytes of shared memory per block
    resident: bool  # All weights stay in shared memory.
    local: bool  # So do all histories.
    private: bool = False  # So does all that Adam keeps, in each block.


class Room(NamedTuple):
    """What a GPU has for blocks that take a processor each."""

    shared: int  # bytes of shared memory per block
    clusters: Mapping[int, int]  # how many fit at once, by the number of their blocks


def kernel_plan(shape: Shape, batch: int, models: int, pitch: int, room: Room) -> KernelPlan:
    """`narrow` for up to 32 states where the weights fit into shared memory, else `wide`."""
    warps, clusters, groups, slots = 16, *_cut(batch, models, room.clusters[1])
    dim, rows = _padded(shape.dim), _padded_rows(shape)
    needed, history = 4 * _narrow_image(shape) + 384, 4 * pitch * (2 * dim + _padded(shape.seen) + 2)
    fit = (room.shared - needed - _casts_bytes(shape, batch, slots)) // history
    if LIMITS.fewest_slots <= fit < slots:
        groups, slots = _rounds(batch, clusters, fit)
    needed, histories = needed + _casts_bytes(shape, batch, slots), slots * history
    local = needed + histories <= room.shared
    needed += histories if local else warps * _stage_bytes(dim, rows)
    adam = 12 * _rows(shape) * dim
    private = local and shape.parameters <= LIMITS.private and needed + adam <= room.shared
    needed += adam * private
    if shape.dim <= 32 and shape.seen <= 32 and rows <= 48 and needed <= room.shared:
        tall = ceil(rows / 4 / (32 // (dim // 4)))  # One tile holds all rows.
        few = 1 + (slots * pitch > 32 * shape.symbols)  # A part has as many steps as lanes, about.
        parts = min(8, ceil(6 * warps / shape.symbols)) if slots > 8 else few
        return KernelPlan(
            "narrow", groups, clusters, 1, slots, warps, 1, parts, tall, needed, True, local, private
        )
    if shape.dim > 128 or shape.symbols > 128:
        raise CannotLaunch(
            f"the kernels serve up to 128 states and symbols, not {shape.dim} and {shape.symbols}"
        )
    return _wide_kernel_plan(shape, batch, models, room)


def _cut(batch: int, models: int, room: int) -> tuple[int, int, int]:
    """The clusters of a model, the groups of its traces, and the traces of the largest."""
    clusters = min(batch, max(room // models, 1))
    return clusters, *_rounds(batch, clusters, LIMITS.most_slots)


def _rounds(batch: int, clusters: int, most: int) -> tuple[int, int]:
    """The groups of a model's traces, as many for each cluster; the traces of the largest."""
    rounds = ceil(batch / clusters / most)
    return rounds * clusters, ceil(ceil(batch / rounds) / clusters)


def _wide_kernel_plan(shape: Shape, batch: int, models: int, room: Room) -> KernelPlan:
    """The smallest cluster whose blocks hold all weights; if none does, they are read from the cache."""
    for resident in (True, False):
        for cluster in (2, 4, 8):
            clusters, groups, slots = _cut(batch, models, room.clusters.get(cluster, 0))
            weights = 4 * _wide_image(shape, cluster) if resident else 0
            needed = _wide_bytes(shape, cluster, batch, slots) + weights
            if room.clusters.get(cluster) and _owned_rows(shape, cluster) <= 32 and needed <= room.shared:
                team = max(16 // slots, 1) if slots < 8 or not resident else 1
                parts = min(4, ceil(slots / 4))
                return KernelPlan(
                    "wide",
                    groups,
                    clusters,
                    cluster,
                    slots,
                    16,
                    team,
                    parts,
                    2,
                    needed,
                    resident,
                    local=False,
                )
    raise CannotLaunch(f"no kernel serves {shape.dim} states and {shape.symbols} symbols")


def _padded(number: int) -> int:
    return ceil(number / 4) * 4


def _rows(shape: Shape) -> int:
    """Rows of all parameters."""
    return shape.symbols * shape.rows + 1


def _padded_rows(shape: Shape) -> int:
    """RQ in kernels/common.cu."""
    return ceil((_padded(shape.dim) + shape.seen) / 8) * 8


def _owned_rows(shape: Shape, cluster: int) -> int:
    """RC in kernels/wide.cu."""
    return ceil((_padded(shape.dim) + shape.seen) / (4 * cluster)) * 4


def _spread_pitch(width: int) -> int:
    """Rows of four numbers at this distance lie in different banks."""
    return width if width // 4 % 2 else width + 4


def _narrow_image(shape: Shape) -> int:
    """IMAGE in kernels/narrow.cu."""
    pitch = _spread_pitch(_padded(shape.dim))
    return shape.symbols * (shape.rows + shape.dim) * pitch + _padded(shape.dim)


def _wide_image(shape: Shape, cluster: int) -> int:
    """IMAGE in kernels/wide.cu."""
    return shape.symbols * _owned_rows(shape, cluster) * _wide_row(shape, cluster)


def _wide_row(shape: Shape, cluster: int) -> int:
    """DW in kernels/wide.cu."""
    return ceil(cluster * _owned_rows(shape, cluster) / 32) * 32


def _casts_bytes(shape: Shape, batch: int, slots: int) -> int:
    """The size of two `struct Cast` of kernels/common.cu."""
    return 8 * (2 * batch + slots * (2 * shape.symbols + 3) + 2 * shape.symbols + 2)


def _stage_bytes(dim: int, rows: int) -> int:
    """What a warp has in narrow's `struct Shared`, where histories lie elsewhere."""
    return 4 * (2 * 2 * dim + max(8 * (dim + rows), 32 * 4 * (rows // 4 | 1)))


def _wide_bytes(shape: Shape, cluster: int, batch: int, slots: int) -> int:
    """The size of wide's `struct Shared`, and a little."""
    numbers = slots * (2 * _wide_row(shape, cluster) + 3 * cluster * _owned_rows(shape, cluster)) + 16 * 33
    return 4 * numbers + 40 * slots + _casts_bytes(shape, batch, slots) + 384


def sorted_by_symbol(traces: Traces, pitch: int) -> dict[str, Any]:
    """The traces as the kernels read them, with their steps sorted by symbol."""
    rows, steps = traces.x.shape
    padded = {}
    for name in ("x", "s", "m"):
        padded[name] = np.zeros((rows, pitch), np.uint8)
        padded[name][:, :steps] = np.maximum(getattr(traces, name), 0)
    inside = np.arange(steps) < traces.length[:, None]
    padded["s"][:, :steps][inside & (traces.s < 0)] = STUCK
    order = np.argsort(np.where(traces.x < 0, 32_767, traces.x), axis=1, kind="stable")
    shown = np.take_along_axis(padded["s"] | padded["m"].astype(np.uint32) << 8, order, 1)
    listed = np.zeros((rows, pitch), np.uint32)
    listed[:, :steps] = order.astype(np.uint32) | shown << 16
    counts = np.stack([(traces.x == symbol).sum(1) for symbol in range(len(traces.symbols))], 1)
    starts = np.concatenate([np.zeros((rows, 1), np.int64), counts.cumsum(1)], 1)
    return {**padded, "sorted": listed, "starts": starts.astype(np.uint16)}


def source_of(kernel: str) -> str:
    """The CUDA source with one of the two kernels that go through a batch."""
    files = KERNELS.parent / "dealing.c", *(KERNELS / f"{name}.cu" for name in ("common", kernel, "train"))
    return "\n".join(file.read_text("utf-8") for file in files)


@cache
def clusters_at_once(capability: tuple[int, int], shared: int) -> Mapping[int, int]:
    """How many clusters fit together, by the number of their blocks, each of which takes a processor."""
    if capability < (9, 0):
        return {}
    probe = Module('extern "C" __global__ void probe() {}', {}, capability)
    kernel = Kernel(probe, "probe", 512, shared)
    return {cluster: kernel.clusters_at_once(cluster) for cluster in (2, 4, 8)}


class CudaEngine:
    """Trains on one GPU; CannotLaunch where the kernels cannot serve."""

    name = "cuda"

    def __init__(self, job: TrainingJob) -> None:
        traces, shape, recipe, seeds, state = job
        if traces.x.shape[1] > 65_535:
            raise CannotLaunch(f"the kernels serve traces of up to 65,535 steps, not {traces.x.shape[1]:,}")
        if traces.strict and shape.symbols > STUCK:
            raise CannotLaunch(f"the kernels serve strict agents of up to {STUCK} symbols")
        self.shape, self.models, self.batch, self.strict = shape, len(seeds), job.batch, traces.strict
        self.bands = recipe.bands
        self.iteration = state.iteration
        device = torch.cuda.get_device_properties(torch.cuda.current_device())
        capability = device.major, device.minor
        torch.zeros(1, device="cuda")  # This makes the context that modules are loaded into.
        # A row is whole pieces of eight steps, and one to spare.
        self.pitch = (traces.x.shape[1] + 8) // 8 * 8 + 8
        shared = device.shared_memory_per_block_optin  # type: ignore[attr-defined]
        room = Room(shared, {1: device.multi_processor_count, **clusters_at_once(capability, shared)})
        self.plan = kernel_plan(shape, self.batch, self.models, self.pitch, room)
        module = Module(source_of(self.plan.kernel), self._macros(), capability)
        self.kernel = Kernel(module, "train", 32 * self.plan.warps, self.plan.shared)
        self.memory = self._memory(job)
        self.arguments = JOB(
            **{name: array.data_ptr() for name, array in self.memory.items()},
            pitch=self.pitch,
            room=LIMITS.room,
            **{name: getattr(recipe, name) for name in ("clip", "beta1", "beta2", "epsilon")},
        )

    def _macros(self) -> Mapping[str, int | None]:
        shape, plan = self.shape, self.plan
        sizes = {"D": shape.dim, "K": shape.symbols, "BATCH": self.batch, "BANDS": self.bands}
        numbers = ("groups", "clusters", "cluster", "slots", "warps", "team", "parts", "tall")
        cut = {name.upper(): getattr(plan, name) for name in numbers}
        said = {
            "RESIDENT": plan.resident,
            "LOCAL": plan.local,
            "PRIVATE": plan.private,
            "STRICT": self.strict,
        }
        return {**sizes, **cut, **{name: None for name, holds in said.items() if holds}}

    def _memory(self, job: TrainingJob) -> dict[str, torch.Tensor]:
        """Every array that the kernels are given, on the device."""
        models, plan = self.models, self.plan
        traces, seeds, state = job.traces, job.seeds, job.state
        arrays = sorted_by_symbol(traces, self.pitch)
        arrays |= {
            "length": traces.length.astype(np.int32),
            "ranked": job.ranked.astype(np.int32),
            "firsts": np.zeros(models, np.int32),
            "counts": np.full(models, len(traces), np.int32),
            "seeds": np.array(seeds, np.uint64).astype(np.uint32),
        }
        narrow, padded = plan.kernel == "narrow", _padded(self.shape.dim)
        past = (0, 0), (0, 0), (0, padded - self.shape.dim)
        for name, flat in ("w", state.weights), ("mean", state.mean), ("variance", state.variance):
            arrays[name] = np.pad(flat.reshape(models, -1, self.shape.dim), past)
        arrays["diverged"] = state.diverged
        steps = (models, 0 if plan.local else plan.clusters * plan.slots, self.pitch)
        part = _rows(self.shape) * padded
        image = _narrow_image(self.shape) if narrow else _wide_image(self.shape, plan.cluster)
        zeros = {
            "h": (*steps, padded),
            "q": (*steps, _padded_rows(self.shape)),
            "parts": (models, plan.groups * plan.parts, part),
            "gradient": (models, part),
            "losses": (models, 2, plan.groups * plan.cluster),
            "curve": (models, LIMITS.room),
            "step": (LIMITS.room,),
            "root": (LIMITS.room,),
            "keep": (LIMITS.room,),
            "images": (models, plan.cluster, image),
        }
        memory = {name: torch.from_numpy(np.array(array)).cuda() for name, array in arrays.items()}
        memory |= {name: torch.zeros(size, device="cuda") for name, size in zeros.items()}
        memory["list"] = torch.zeros(steps, device="cuda", dtype=torch.int64)
        memory["arrivals"] = torch.zeros(models, device="cuda", dtype=torch.int32)
        blocks = plan.clusters * plan.cluster
        memory["squares"] = torch.zeros((models, blocks), device="cuda", dtype=torch.float64)
        return memory

    def advance(self, schedule: AdamSchedule) -> Floats:
        """Trains on; the losses, (models, iterations)."""
        count = len(schedule.step)
        pieces = [self._piece(schedule.between(at, at + LIMITS.room)) for at in range(0, count, LIMITS.room)]
        return np.concatenate(pieces, 1)

    def _piece(self, schedule: AdamSchedule) -> Floats:
        count = len(schedule.step)
        for name, values in schedule._asdict().items():
            self.memory[name][:count].copy_(torch.from_numpy(np.ascontiguousarray(values)))
        self.memory["arrivals"].zero_()
        self.arguments.first, self.arguments.count = self.iteration, count
        blocks = self.plan.clusters * self.plan.cluster
        self.kernel.launch(torch.cuda.current_stream().cuda_stream, (blocks, self.models), self.arguments)
        self.iteration += count
        losses: Floats = self.memory["curve"][:, :count].cpu().numpy()
        return losses

    def freeze(self, models: list[int]) -> None:
        """Trains these models no further."""
        self.memory["diverged"][models] = self.iteration

    def state(self) -> State:
        """The state so far, on the host."""
        padded = (self.memory[name].cpu().numpy() for name in ("w", "mean", "variance"))
        w, mean, variance = (rows[..., : self.shape.dim].reshape(self.models, -1) for rows in padded)
        return State(self.iteration, w, mean, variance, self.memory["diverged"].cpu().numpy())
