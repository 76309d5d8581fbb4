"""Which engine trains: our kernels on a GPU, native code on the CPU, or plain PyTorch."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from gridlang.compiler.native.build import CannotBuild
from gridlang.diagnostics import GridError, fail
from gridlang.learners.runtime import hardware
from gridlang.learners.runtime.cuda import CannotLaunch
from gridlang.learners.runtime.hardware import pytorch, pytorch_on_cuda
from gridlang.learners.training.engine import Engine, Shape, TrainingJob
from gridlang.learners.training.engine_cpu import CpuEngine
from gridlang.terminal.notes import tell_once

ON_CPU = "train on the CPU with --device cpu"  # advice without a GPU
DEVICES = ("auto", "cuda", "cpu", "torch")
NETWORKS_NEED = "networks need PyTorch, which is not installed"
TORCH_NEEDS = "--device torch needs PyTorch, which is not installed"


def refuse_device(device: str, network: bool) -> None:
    """GridError if this machine lacks what the training needs; asked before anything is written."""
    if device == "cuda":
        pytorch_on_cuda(ON_CPU)
    elif network or device == "torch":
        pytorch(NETWORKS_NEED if network else TORCH_NEEDS)


def open_engine(device: str, job: TrainingJob[Any]) -> Engine:
    """The engine for a device; `auto` takes a GPU where there is one. Says so where it must fall back."""
    if not isinstance(job.shape, Shape):
        return _network_engine(device, job)
    if device == "torch":
        torch = pytorch(TORCH_NEEDS)
        return _torch_engine(job, "cuda" if torch.cuda.is_available() else "cpu")
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


def _network_engine(device: str, job: TrainingJob[Any]) -> Engine:
    """PyTorch on a GPU where there is one and nothing else is asked for, on the CPU otherwise."""
    if device == "cuda":
        pytorch_on_cuda(ON_CPU)
    torch = pytorch(NETWORKS_NEED)
    on_gpu = device == "cuda" or (device != "cpu" and torch.cuda.is_available())
    return _torch_engine(job, "cuda" if on_gpu else "cpu")


def _torch_engine(job: TrainingJob[Any], device: str) -> Engine:
    from gridlang.learners.training.engine_torch import TorchEngine

    return TorchEngine(job, device)


def _cuda_engine(job: TrainingJob[Shape]) -> Engine:
    """Our kernels, or plain PyTorch where they cannot serve; GridError without a GPU to use."""
    pytorch_on_cuda(ON_CPU)
    from gridlang.learners.training.engine_cuda import CudaEngine

    try:
        return CudaEngine(job)
    except CannotLaunch as error:
        tell_once(f"{error}; training in plain PyTorch on the GPU, which is much slower")
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
