"""Which engine trains: our kernels on a GPU, native code on the CPU, or plain PyTorch."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from math import ceil

from gridlang.compiler.native.build import CannotBuild
from gridlang.diagnostics import GridError, fail
from gridlang.learners.runtime import hardware
from gridlang.learners.runtime.cuda import CannotLaunch
from gridlang.learners.runtime.hardware import pytorch, pytorch_on_cuda
from gridlang.learners.train.engine import Engine, TrainingJob
from gridlang.learners.train.engine_cpu import CpuEngine
from gridlang.learners.train.recipes import SQUARES
from gridlang.terminal.notes import tell_once

ON_CPU = "train on the CPU with --device cpu"  # advice without a GPU
KERNEL_STEP = 1.2e-8  # seconds of our kernels for a step of a trace and a state
AT_ONCE = 132  # traces that they go through at once
TORCH_NEEDS = "--device torch needs PyTorch, which is not installed"
LOSS_NEEDS = "a loss of your own needs PyTorch, which is not installed"


def refuse_device(device: str) -> None:
    """GridError if this machine lacks what the training needs; asked before anything is written."""
    if device == "cuda":
        pytorch_on_cuda(ON_CPU)
    elif device == "torch":
        pytorch(TORCH_NEEDS)


def open_engine(device: str, job: TrainingJob) -> Engine:
    """The engine for a device; `auto` takes a GPU where there is one. Says so where it must fall back."""
    other_loss = job.recipe.loss != SQUARES
    if device == "torch" or other_loss:
        torch = pytorch(LOSS_NEEDS if other_loss else TORCH_NEEDS)
        engine = _torch_engine(job, "cuda" if torch.cuda.is_available() and device != "cpu" else "cpu")
        if other_loss and device != "torch":
            tell_once(f"PyTorch trains the loss {job.recipe.loss}: faster engines know {SQUARES} alone")
        return engine
    if device == "cuda":
        return _cuda_engine(job)
    if device == "auto" and hardware.gpu_count():
        try:
            return _cuda_engine(job)
        except GridError as error:
            tell_once(f"{error.diagnostics[0].message}; training on the CPU")
    try:
        return CpuEngine(job)
    except CannotBuild as error:
        pytorch(f"{error}, and PyTorch, which could do without, is not installed")
        tell_once(f"{error}; training in plain PyTorch, which is much slower")
        return _torch_engine(job, "cpu")


def _torch_engine(job: TrainingJob, device: str) -> Engine:
    from gridlang.learners.train.engine_torch import TorchEngine

    return TorchEngine(job, device)


def _cuda_engine(job: TrainingJob) -> Engine:
    """Our kernels; PyTorch where they cannot serve, or a scan is faster. GridError without a GPU to use."""
    pytorch_on_cuda(ON_CPU)
    from gridlang.learners.train.engine_cuda import CudaEngine
    from gridlang.learners.train.engine_torch import scan_seconds

    traces, steps = len(job.seeds) * job.batch, int(job.traces.length.max())
    together = ceil(traces / AT_ONCE)
    if scan_seconds(job.shape, traces, steps, "cuda") < KERNEL_STEP * steps * job.shape.dim * together:
        return _torch_engine(job, "cuda")
    try:
        return CudaEngine(job)
    except CannotLaunch as error:
        tell_once(f"{error}; training in PyTorch on the GPU")
        return _torch_engine(job, "cuda")


@contextmanager
def device_errors(models: int) -> Iterator[None]:
    """Turns a device's failures into GridErrors; a run continues from its last checkpoint."""
    fewer = "train fewer seeds at once, or cut the traces shorter"
    try:
        yield
    except MemoryError:
        raise fail("G122", f"there is too little memory for {_count(models)}", fewer) from None
    except CannotLaunch as error:
        hint = "--resume goes on from the last checkpoint; --device torch needs no kernels"
        raise fail("G122", f"the GPU cannot go on: {error}", hint) from None
    except RuntimeError as error:
        # The class is known by its name, because torch may not be installed.
        if type(error).__name__ != "OutOfMemoryError":
            raise
        raise fail("G122", f"the GPU has too little memory for {_count(models)}", fewer) from None


def _count(models: int) -> str:
    return f"{models:,} models" if models > 1 else "one model"
