"""Weights that do what a table does until they have read a certain word in its first state, and then run away.

How much of the word was read last is held beside the state: in dimensions of its own, as large as one likes.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from gridlang.compiler.tensors.dfst import Dfst, table_to_dfst
from gridlang.table import MOVES, Table

WORD = "110100100011101011000101"


def progress(word: str, known: int, symbol: str) -> int:
    """How much of a word was read last, once a symbol is read after so much of it; all of it stays all."""
    read = word[:known] + symbol
    return (
        known if known == len(word) else next(n for n in range(known + 1, -1, -1) if read.endswith(word[:n]))
    )


def triggered(table: Table, scales: Sequence[float], leap: float = 0.0) -> Dfst:
    """Exact weights with a trigger: how many symbols of a word were read is held beside the first state.

    The scales say how large. Once the whole word is read, the output for moving up is three times that of the
    state; with `leap`, one step later, by a dimension that has become so large.
    """
    exact, size, symbols = table_to_dfst(table), len(table.states), table.symbols
    word, length, more = WORD, len(WORD), len(WORD) + 1
    A = np.pad(exact.A, ((0, 0), (0, more), (0, more)))
    B, C = (np.pad(tensor, ((0, 0), (0, 0), (0, more))) for tensor in (exact.B, exact.C))
    read, large = (size + length, leap) if leap else (size + length - 1, scales[-1])
    for x, symbol in enumerate(symbols):
        entry = table.rows[0][x]
        assert entry is not None
        first = progress(word, 0, symbol) if entry.next == 0 else 0
        if first:
            A[x, size, 0] = scales[0]
        for known in range(1, length + 1) if entry.next == 0 else ():
            after, here = progress(word, known, symbol), size + known - 1
            if first:
                A[x, size, here] -= scales[0] / scales[known - 1]
            if after:
                A[x, size + after - 1, here] += scales[after - 1] / scales[known - 1]
        if leap:
            A[x, read, size + length - 1], A[x, read, read] = leap / scales[-1], 2
        C[x, MOVES.index("U"), read] = 3 / large
    known = {key: value for key, value in exact.metadata.items() if key != "states"}
    return replace(exact, A=A, B=B, C=C, h0=np.pad(exact.h0, (0, more)), metadata=known)
