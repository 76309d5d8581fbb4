"""The margin of a network on traces: the least lead of what is right over all else."""

from __future__ import annotations

from math import isfinite

import numpy as np
import torch

from learners.methods.networks.network import Network
from learners.methods.networks.sequences import follow

Arrays = tuple[np.ndarray[tuple[int, ...], np.dtype[np.integer]], ...]


def least_margin(network: Network, arrays: Arrays) -> float | None:
    """Over all steps of some traces (x, s, m and their lengths); below zero where one is wrong.

    None where numbers are no longer finite.
    """
    x, s, m, length = (torch.as_tensor(np.asarray(array, np.int64)) for array in arrays)
    longest = int(length.max())
    x, s, m = (part[:, :longest].clamp(min=0) for part in (x, s, m))
    with torch.no_grad():
        logits = follow(network.shape, torch.as_tensor(network.weights)[None], x[None]).logits[0]
        leads = [
            _lead(part.softmax(-1), wanted)
            for part, wanted in zip(torch.split(logits, [network.shape.symbols, 5], -1), (s, m), strict=True)
        ]
        inside = torch.arange(longest) < length[:, None]
        lead = float(torch.minimum(*leads)[inside].min())
    return lead if isfinite(lead) else None


def _lead(shares: torch.Tensor, wanted: torch.Tensor) -> torch.Tensor:
    """How far what is wanted is ahead of the largest of the others."""
    right = shares.gather(-1, wanted[..., None])
    others = shares.scatter(-1, wanted[..., None], -1.0).max(-1).values
    return right[..., 0] - others
