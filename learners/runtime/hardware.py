"""What this machine lends to this process: cores and GPUs."""

from __future__ import annotations

import ctypes
import os

from compiler.simulation.native.cores import cores

__all__ = ["cores", "gpu_count"]


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
