"""The resources of this process: cores, GPUs, and PyTorch, which takes seconds to load."""

from __future__ import annotations

import ctypes
import os
from types import ModuleType

from gridlang.compiler.native.build import cores
from gridlang.diagnostics import GridError, fail

__all__ = ["cores", "gpu_count", "pytorch", "pytorch_on_cuda"]


def core_numbers() -> list[int]:
    """The cores that this process may use, by number; none where processes cannot be bound to some."""
    return sorted(os.sched_getaffinity(0))[: cores()] if hasattr(os, "sched_getaffinity") else []


def gpu_count() -> int:
    """How many CUDA devices the driver sees; asks without PyTorch, which takes seconds to import."""
    try:
        driver = ctypes.CDLL("libcuda.so.1")
    except OSError:
        return 0
    count = ctypes.c_int()
    failed = driver.cuInit(0) or driver.cuDeviceGetCount(ctypes.byref(count))
    return 0 if failed else count.value


def gpu_names() -> list[str]:
    """The names by which CUDA_VISIBLE_DEVICES may give a process one GPU."""
    visible, count = os.environ.get("CUDA_VISIBLE_DEVICES"), gpu_count()
    return [name.strip() for name in visible.split(",")][:count] if visible else list(map(str, range(count)))


def pytorch(missing: str) -> ModuleType:
    """The module `torch`; a GridError that says what is missing without it."""
    try:
        import torch
    except ImportError:
        raise fail("G122", missing, "install it with `pip install torch`") from None
    return torch


def pytorch_on_cuda(instead: str) -> ModuleType:
    """The module `torch` on a machine where it has a GPU; else a GridError that says what to do instead."""
    if not gpu_count():
        raise no_gpu(instead)
    torch = pytorch("the GPU needs PyTorch, which is not installed")
    if not torch.cuda.is_available():
        hint = f"install a CUDA build of torch, or {instead}"
        raise fail("G122", "this PyTorch has no CUDA", hint)
    return torch


def no_gpu(instead: str) -> GridError:
    """The error of a machine without a GPU."""
    return fail("G122", "there is no CUDA device here", instead)
