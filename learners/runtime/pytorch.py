"""PyTorch, loaded late, because that takes seconds; without it, an error that says what to do instead."""

from __future__ import annotations

from types import ModuleType

from gridlang.diagnostics import GridError, fail
from learners.runtime import hardware


def pytorch(missing: str) -> ModuleType:
    """The module `torch`; a GridError that says what is missing without it."""
    try:
        import torch
    except ImportError:
        raise fail("G122", missing, "install it with `pip install gridlang[learn]`") from None
    return torch


def pytorch_on_cuda(instead: str) -> ModuleType:
    """The module `torch` on a machine where it has a GPU; else a GridError that says what to do instead."""
    if not hardware.gpu_count():
        raise no_gpu(instead)
    torch = pytorch("the GPU needs PyTorch, which is not installed")
    if not torch.cuda.is_available():
        hint = f"install a CUDA build of torch, or {instead}"
        raise fail("G122", "this PyTorch has no CUDA", hint)
    return torch


def no_gpu(instead: str) -> GridError:
    """The error of a machine without a GPU."""
    return fail("G122", "there is no CUDA device here", instead)
