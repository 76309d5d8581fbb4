"""How training goes, in words."""

from __future__ import annotations

import numpy as np

from compiler.tensors.dfst import Floats


def loss_text(losses: Floats) -> str:
    """The median loss of the models that have not diverged."""
    alive = losses[~np.isnan(losses)]
    return f"loss {np.median(alive):.2e}" if len(alive) else "all diverged"
