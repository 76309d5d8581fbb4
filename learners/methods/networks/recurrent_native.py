"""GRUs and LSTMs in C: steps and points of one network, and how far it follows an expert."""

from __future__ import annotations

import ctypes
from functools import lru_cache
from pathlib import Path

import numpy as np

from compiler.simulation.native.build import THIS_CPU, load_library
from learners.methods.networks.network import Network
from learners.methods.networks.shapes import GRU

SOURCE = Path(__file__).parent / "recurrent.c"
FLAGS = (*THIS_CPU, "-O3", "-ffp-contract=fast", "-fno-math-errno", "-fno-trapping-math")


class NetworkStructure(ctypes.Structure):
    """As `struct network` in C."""

    _fields_ = [
        *((name, ctypes.c_int32) for name in ("is_gru", "symbols", "moves", "d", "layers", "state")),
        ("weights", ctypes.c_void_p),
    ]


class _Margin(ctypes.Structure):
    _fields_ = [("least", ctypes.c_double), *((name, ctypes.c_int64) for name in ("step", "x", "y"))]


class FollowReport(ctypes.Structure):
    """As `struct follow_report` in C."""

    _fields_ = [
        *((name, ctypes.c_int64) for name in ("steps", "x", "y", "write", "move", "stuck")),
        ("margins", _Margin * 2),
    ]


class NativeWeights:
    """A recurrent network in memory as C reads it; it lives as long as this object."""

    def __init__(self, network: Network) -> None:
        shape = network.shape
        self.weights = np.ascontiguousarray(network.weights, np.float32)
        sizes = (shape.symbols, shape.outputs - shape.symbols, shape.dim, shape.layers, shape.state)
        self.structure = NetworkStructure(shape.architecture == GRU, *sizes, self.weights.ctypes.data)

    @property
    def address(self) -> int:
        return ctypes.addressof(self.structure)


@lru_cache(maxsize=1)
def library() -> ctypes.CDLL:
    """The library; CannotBuild without a compiler."""
    loaded = load_library(SOURCE.read_text(encoding="utf-8"), FLAGS, ("network_step", "network_follow"))
    pointer = ctypes.c_void_p
    loaded.network_step.argtypes = [pointer, ctypes.c_int, *[pointer] * 3]
    loaded.network_step.restype = None
    loaded.network_follow.argtypes = [*[pointer] * 3, ctypes.c_int64, *[pointer] * 4]
    return loaded
