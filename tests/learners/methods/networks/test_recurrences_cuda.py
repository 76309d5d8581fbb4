"""Recurrences in kernels of our own: what they say and their gradients are those of PyTorch."""

from __future__ import annotations

import numpy as np
import pytest

torch = pytest.importorskip("torch")

from gridlang.learners.methods.networks import sequences  # noqa: E402
from gridlang.learners.methods.networks.sequences import follow, losses  # noqa: E402
from gridlang.learners.methods.networks.shapes import NetworkShape  # noqa: E402
from gridlang.learners.runtime.hardware import gpu_count  # noqa: E402

MODELS, STEPS = 3, 7
CASES = [("gru", 3, 8, 4), ("lstm", 3, 8, 6), ("gru", 3, 24, 8), ("gru", 5, 64, 32), ("lstm", 5, 64, 32)]


@pytest.mark.gpu
@pytest.mark.skipif(not gpu_count(), reason="there is no GPU")
@pytest.mark.parametrize(("architecture", "symbols", "dim", "batch"), CASES)
def test_kernels_say_what_pytorch_says_with_the_same_gradient(
    architecture: str, symbols: int, dim: int, batch: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Logits, states and gradients by the kernels, and by PyTorch with numbers twice as long."""
    shape, random = NetworkShape(architecture, symbols, dim), np.random.default_rng(0)
    weights = np.stack([2 * shape.initial(seed) for seed in range(MODELS)])
    size = (MODELS, batch, STEPS)
    x, s, m = (torch.tensor(random.integers(0, most, size), device="cuda") for most in (symbols, symbols, 5))
    length = torch.tensor(random.integers(1, STEPS + 1, size[:2]), device="cuda")
    found = []
    for numbers in (torch.float32, torch.float64):
        flat = torch.tensor(weights, device="cuda", dtype=numbers).requires_grad_(True)
        if numbers == torch.float64:
            monkeypatch.setattr(sequences, "recurrence_kernels", lambda *_: None)
        said = follow(shape, flat, x)
        (gradient,) = torch.autograd.grad(losses(shape, flat, x, s, m, length).sum(), flat)
        found.append([said.logits.detach(), said.state.detach(), gradient])
    for by_kernels, by_pytorch in zip(*found, strict=True):
        assert by_kernels.shape == by_pytorch.shape
        assert (by_kernels - by_pytorch).abs().max() < 2e-6 * max(1.0, float(by_pytorch.abs().max()))
