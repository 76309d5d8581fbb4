"""`Dfst`: exact tensors of a table, as in the emulation theorem.

One-hot states make `h' = A[x] h`, `s = B[x] h`, `m = C[x] h` follow the table step for step. An
undefined pair has all-zero columns, so outputs that are all exactly zero mean stuck.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from gridlang.table import BLANK, MOVES, Table

FORMAT = "gridlang-dfst/1"
Floats = npt.NDArray[np.float32]


@dataclass(frozen=True, slots=True, eq=False)
class Dfst:
    """`A[symbol, next_state, state]`, `B[symbol, written, state]`, `C[symbol, move, state]`, `h0[state]`."""

    A: Floats  # (k, d, d)
    B: Floats  # (k, k, d)
    C: Floats  # (k, 5, d)
    h0: Floats  # (d,)
    symbols: tuple[str, ...]
    moves: tuple[str, ...] = tuple(MOVES)
    metadata: Mapping[str, str] = field(default_factory=dict)

    @property
    def parameters(self) -> int:
        """The number of weights."""
        return int(self.A.size + self.B.size + self.C.size + self.h0.size)


def table_to_dfst(table: Table, source: str = "") -> Dfst:
    """The tensors that emulate a table exactly; `source` is kept in the metadata."""
    d, k = len(table.states), len(table.symbols)
    A = np.zeros((k, d, d), np.float32)
    B = np.zeros((k, k, d), np.float32)
    C = np.zeros((k, len(MOVES), d), np.float32)
    h0 = np.zeros(d, np.float32)
    h0[0] = 1
    for state, symbol, (write, move, after) in table.entries():
        A[symbol, after, state] = 1
        B[symbol, write, state] = 1
        C[symbol, move, state] = 1
    metadata = {
        "format": FORMAT,
        "name": table.name,
        "symbols": json.dumps(table.symbols, ensure_ascii=False),
        "moves": json.dumps(list(MOVES)),
        "blank": BLANK,
        "states": json.dumps(table.states, ensure_ascii=False),
    }
    if table.input:
        metadata["input"] = table.input
    if source:
        metadata["source"] = source
    return Dfst(A, B, C, h0, table.symbols, tuple(MOVES), metadata)


def dfst_to_bytes(dfst: Dfst) -> bytes:
    """The content of a `.safetensors` file; the same tensors always give the same bytes."""
    tensors = {"A": dfst.A, "B": dfst.B, "C": dfst.C, "h0": dfst.h0}
    header: dict[str, object] = {"__metadata__": dict(dfst.metadata)}
    body = b""
    for name, tensor in tensors.items():
        data = np.ascontiguousarray(tensor, "<f4").tobytes()
        offsets = [len(body), len(body) + len(data)]
        header[name] = {"dtype": "F32", "shape": list(tensor.shape), "data_offsets": offsets}
        body += data
    text = json.dumps(header, ensure_ascii=False).encode()
    text += b" " * (-len(text) % 8)
    return len(text).to_bytes(8, "little") + text + body
