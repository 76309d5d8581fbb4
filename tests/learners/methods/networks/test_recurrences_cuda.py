"""Recurrences in kernels of our own: what they say and their gradients are those of PyTorch.

Without a GPU the same kernel source runs on the CPU, one block at a time (see cuda_block.h).
"""

from __future__ import annotations

import ctypes
from pathlib import Path

import numpy as np
import pytest

torch = pytest.importorskip("torch")

from gridlang.compiler.native.build import THIS_CPU, CannotBuild, load_library  # noqa: E402
from gridlang.learners.methods.networks import sequences  # noqa: E402
from gridlang.learners.methods.networks.sequences import SOURCE, Launch, follow, losses, macros  # noqa: E402
from gridlang.learners.methods.networks.shapes import NetworkShape  # noqa: E402
from gridlang.learners.runtime.hardware import gpu_count  # noqa: E402

MODELS, STEPS = 3, 7
BLOCK = Path(__file__).parents[2] / "evaluation" / "cuda_block.h"
RUN = """
float4 room[1 << 16];
extern "C" bool run_blocks(const Recurrence *job, bool ahead_of, bool reversed) {
  for (int i = 0; i < job->models; i++) {
    memset(room, 0xAB, sizeof room); /* nothing that was there before is relied on */
    if (!run_block(ahead_of ? ahead : back, *job, i, WIDE, reversed)) return false;
  }
  return true;
}
"""


def host_launch(shape: NetworkShape, batch: int, reversed: bool) -> Launch:
    """The kernels for the CPU."""
    given = [f"-D{name}={value}" for name, value in macros(shape, batch)]
    flags = ("-xc++", "-std=c++17", "-O1", "-Wno-unknown-pragmas", *THIS_CPU, *given)
    try:
        source = BLOCK.read_text("utf-8") + SOURCE.read_text("utf-8") + RUN
        library = load_library(source, flags, ("run_blocks",))
    except CannotBuild as error:
        pytest.skip(f"there is no C++ compiler: {error}")

    def launch(name: str, job: ctypes.Structure) -> None:
        assert library.run_blocks(ctypes.byref(job), name == "ahead", reversed)

    return launch


@pytest.mark.parametrize("reversed", [False, True], ids=["", "reversed"])
@pytest.mark.parametrize(("architecture", "dim", "batch"), [("gru", 8, 4), ("lstm", 8, 6), ("gru", 24, 8)])
def test_kernels_say_what_pytorch_says_with_the_same_gradient(
    architecture: str, dim: int, batch: int, reversed: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    shape = NetworkShape(architecture, 3, dim)
    launch = host_launch(shape, batch, reversed)
    compare(shape, batch, "cpu", monkeypatch, launch)


@pytest.mark.gpu
@pytest.mark.skipif(not gpu_count(), reason="there is no GPU")
@pytest.mark.parametrize("architecture", ["gru", "lstm"])
def test_on_a_gpu_they_do(architecture: str, monkeypatch: pytest.MonkeyPatch) -> None:
    compare(NetworkShape(architecture, 5, 64), 32, "cuda", monkeypatch)


def compare(
    shape: NetworkShape,
    batch: int,
    device: str,
    monkeypatch: pytest.MonkeyPatch,
    launch: Launch | None = None,
) -> None:
    """Logits, states and gradients by the kernels, and by PyTorch with numbers twice as long."""
    random = np.random.default_rng(0)
    weights = np.stack([2 * shape.initial(seed) for seed in range(MODELS)])
    size = (MODELS, batch, STEPS)
    x, s, m = (
        torch.tensor(random.integers(0, most, size), device=device) for most in (shape.symbols,) * 2 + (5,)
    )
    length = torch.tensor(random.integers(1, STEPS + 1, size[:2]), device=device)
    found = []
    for kernels, numbers in ((launch, torch.float32), (None, torch.float64)):
        flat = torch.tensor(weights, device=device, dtype=numbers).requires_grad_(True)
        if numbers == torch.float64 or launch is not None:
            monkeypatch.setattr(sequences, "recurrence_kernels", lambda *_, kernels=kernels: kernels)
        said = follow(shape, flat, x)
        (gradient,) = torch.autograd.grad(losses(shape, flat, x, s, m, length).sum(), flat)
        found.append([said.logits.detach(), said.state.detach(), gradient])
    for by_kernels, by_pytorch in zip(*found, strict=True):
        assert by_kernels.shape == by_pytorch.shape
        assert (by_kernels - by_pytorch).abs().max() < 2e-6 * max(1.0, float(by_pytorch.abs().max()))
