"""Which engine trains: our kernels on a GPU, native code on the CPU, or plain PyTorch."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from typing import TYPE_CHECKING

import numpy as np

from compiler.native.build import CannotBuild
from gridlang.diagnostics import GridError, fail
from gridlang.notes import tell_once
from learners.runtime.cuda import CannotLaunch
from learners.runtime.hardware import cores, gpu_count
from learners.traces.dataset import Traces
from learners.training.engine import Engine, State
from learners.training.engine_cpu import NativeTrainer
from learners.training.model import Floats, Shape
from learners.training.recipes import Numbers, Recipe

if TYPE_CHECKING:
    from types import ModuleType

Problem = tuple[Traces, Shape, Recipe, tuple[int, ...], State]
DEVICES = ("auto", "cuda", "cpu", "torch")


class NativeEngine:
    """Many models on the CPU: each on a core of its own, or one on all of them."""

    name = "native"

    def __init__(
        self, traces: Traces, shape: Shape, recipe: Recipe, seeds: tuple[int, ...], state: State
    ) -> None:
        self.seeds, self.iteration = seeds, state.iteration
        self.weights, self.mean, self.variance = (
            np.array(array, np.float32) for array in (state.weights, state.mean, state.variance)
        )
        self.diverged = state.diverged.copy()
        self.trainer = NativeTrainer(
            *(traces.x, traces.s, traces.m, traces.length, shape.symbols, shape.dim),
            batch=min(recipe.batch, len(traces.x)),
            clip=recipe.clip,
            beta1=recipe.beta1,
            beta2=recipe.beta2,
            eps=recipe.epsilon,
            threads=1 if len(seeds) > 1 else None,
        )

    def advance(self, numbers: Numbers) -> Floats:
        """Trains on; the losses, (models, iterations)."""

        def one(model: int) -> Floats:
            vectors = (self.weights[model], self.mean[model], self.variance[model])
            lost = int(self.diverged[model])
            losses, found = self.trainer.advance(self.seeds[model], *vectors, self.iteration, *numbers, lost)
            self.diverged[model] = found
            return losses

        with ThreadPoolExecutor(cores()) as pool:
            losses = np.stack(list(pool.map(one, range(len(self.seeds)))))
        self.iteration += len(numbers.step)
        return losses

    def state(self) -> State:
        """Where it stands."""
        weights, mean, variance = self.weights.copy(), self.mean.copy(), self.variance.copy()
        return State(self.iteration, weights, mean, variance, self.diverged.copy())


def open_engine(
    device: str, traces: Traces, shape: Shape, recipe: Recipe, seeds: tuple[int, ...], state: State
) -> Engine:
    """The engine for a device; `auto` takes a GPU where there is one. Says so where it must fall back."""
    problem = (traces, shape, recipe, seeds, state)
    if device == "torch":
        torch = _torch("--device torch needs PyTorch, which is not installed")
        return _plain_engine(problem, "cuda" if torch.cuda.is_available() else "cpu")
    if device == "cuda":
        return _gpu_engine(problem)
    if device == "auto" and gpu_count():
        try:
            return _gpu_engine(problem)
        except GridError as error:
            tell_once(f"{error.diagnostics[0].message}; training on the CPU")
    try:
        return NativeEngine(*problem)
    except CannotBuild as error:
        _torch(f"{error}, and PyTorch, which could do without, is not installed")
        tell_once(f"{error}; training in plain PyTorch, which is much slower")
        return _plain_engine(problem, "cpu")


def _plain_engine(problem: Problem, device: str) -> Engine:
    from learners.training.engine_torch import PlainEngine

    return PlainEngine(*problem, device=device)


def _gpu_engine(problem: Problem) -> Engine:
    """Our kernels, or plain PyTorch where they cannot serve; GridError without a GPU to use."""
    if not gpu_count():
        raise fail("G122", "there is no CUDA device here", "train on the CPU with --device cpu")
    torch = _torch("the GPU needs PyTorch, which is not installed")
    if not torch.cuda.is_available():
        hint = "install a CUDA build of torch, or train with --device cpu"
        raise fail("G122", "this PyTorch has no CUDA", hint)
    from learners.training.engine_cuda import GpuEngine

    try:
        return GpuEngine(*problem)
    except CannotLaunch as error:
        tell_once(f"{error}; training in plain PyTorch on the GPU, which is much slower")
        return _plain_engine(problem, "cuda")


@contextmanager
def device_errors(models: int) -> Iterator[None]:
    """Tells what a device cannot do, as a GridError; a run goes on from its last checkpoint."""
    fewer = "train fewer seeds at once, or cut the traces shorter"
    try:
        yield
    except MemoryError:
        raise fail("G122", f"there is too little memory for {_count(models)}", fewer) from None
    except CannotLaunch as error:
        hint = "--resume goes on from the last checkpoint; --device torch needs no kernels"
        raise fail("G122", f"the GPU cannot go on: {error}", hint) from None
    except RuntimeError as error:
        if type(error).__name__ != "OutOfMemoryError":  # of torch, which may not be installed
            raise
        raise fail("G122", f"the GPU has too little memory for {_count(models)}", fewer) from None


def _count(models: int) -> str:
    return f"{models:,} models" if models > 1 else "one model"


def _torch(missing: str) -> ModuleType:
    try:
        import torch
    except ImportError:
        raise fail("G122", missing, "install it with `pip install gridlang[learn]`") from None
    return torch
