"""Traces of a table on reads that are given, whatever a grid would show."""

from __future__ import annotations

import random
from collections.abc import Sequence

import numpy as np

from gridlang.compiler.traces.dataset import Traces
from gridlang.table import Entry, Table


def traces_on_reads(table: Table, reads: Sequence[Sequence[int]]) -> Traces:
    """A strict trace for each sequence of reads; it ends where the table halts or is stuck."""
    wide = max(map(len, reads))
    rows = np.full((3, len(reads), wide), -1, np.int16)
    lengths, endings = [], []
    for number, sequence in enumerate(reads):
        state, ending, step = 0, "cut", 0
        for step, read in enumerate(sequence, 1):
            entry = table.rows[state][read]
            rows[:, number, step - 1] = (read, -1, -1) if entry is None else (read, *entry[:2])
            if entry is None or entry.is_idle(read):
                ending = "stuck" if entry is None else "halted"
                break
            state = entry.next
        lengths.append(step)
        endings.append(ending)
    return Traces(
        *rows,
        length=np.array(lengths, np.int32),
        ending=tuple(endings),
        inputs=("",) * len(reads),
        symbols=table.symbols,
        name=table.name,
    )


def drawn_traces(seed: int) -> Traces:
    """Eight short traces of a random machine of 8 states, which show too little for a clique to bound it."""
    drawn, states = random.Random(seed), range(8)
    rows = tuple(tuple(Entry(drawn.randrange(2), 0, drawn.randrange(8)) for _ in range(3)) for _ in states)
    table = Table("drawn", ("_", "a", "b"), tuple(f"s{q}" for q in states), rows)
    return traces_on_reads(table, [[drawn.randrange(3) for _ in range(12)] for _ in range(8)])
