"""GRUs and LSTMs in C, which takes a hundredth of PyTorch's time where a step follows from the one before."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

import numpy as np

from compiler.simulation.native.build import THIS_CPU
from compiler.simulation.native.c_library import CLibrary
from compiler.tensors.model import RECURRENT, Ints, Recurrence
from compiler.tensors.stored_tensors import Floats

FLAGS = (*THIS_CPU, "-O3", "-ffp-contract=fast", "-fno-math-errno", "-fno-trapping-math")


@lru_cache(maxsize=1)
def in_c() -> CLibrary:
    """`recurrent.c`."""
    return CLibrary(RECURRENT, *FLAGS)


class NativeFollower:
    """One GRU or LSTM on many sequences; its state is an array (rows, numbers kept)."""

    steps = 1024  # a tenth of a second for many rows

    def __init__(self, network: Recurrence) -> None:
        self.network, self.struct = network, in_c().structs["network"](*network)

    def follow(self, reads: Ints, state: Floats | None = None) -> tuple[Floats, Floats]:
        rows, steps = reads.shape
        kept = np.zeros((rows, self.network.state), np.float32) if state is None else state.copy()
        said = np.empty((rows, steps, self.network.symbols + self.network.moves), np.float32)
        in_c().network_follow(self.struct, rows, steps, np.ascontiguousarray(reads), kept, said)
        return said, kept

    def chosen(self, state: Floats, rows: Sequence[int]) -> Floats:
        return state[rows]
