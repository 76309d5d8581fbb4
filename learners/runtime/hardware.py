"""What this machine lends to this process: cores and GPUs."""

from __future__ import annotations

import ctypes

from compiler.native.cores import cores

__all__ = ["cores", "gpu_count"]


def gpu_count() -> int:
    """How many CUDA devices the driver sees; asks without PyTorch, which takes seconds to import."""
    try:
        driver = ctypes.CDLL("libcuda.so.1")
    except OSError:
        return 0
    count = ctypes.c_int()
    failed = driver.cuInit(0) or driver.cuDeviceGetCount(ctypes.byref(count))
    return 0 if failed else count.value
