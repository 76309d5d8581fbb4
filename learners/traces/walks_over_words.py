"""Traces of machines without a grid: each walks over a word from left to right, and halts behind it."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from gridlang.table import MOVES, STAY, Entry, Table
from learners.traces.dataset import Traces

LETTER, CLAUSE = "letter", "word = letter*"  # the inputs of such a machine: all words over its letters


def walk_over_words(traces: Traces) -> bool:
    """Whether every trace writes over a word, and halts behind it."""
    if traces.input != CLAUSE or set(traces.ending) != {"halted"}:
        return False
    steps = np.arange(traces.x.shape[1])
    last, inside = steps == traces.length[:, None] - 1, steps < traces.length[:, None]
    walks = (traces.x > 0) & (traces.s > 0) & (traces.m == MOVES.index("R"))
    halts = (traces.x == 0) & (traces.s == 0) & (traces.m == STAY)
    return bool(np.where(last, halts, walks | ~inside).all())


def halting_behind_words(table: Table) -> Table:
    """The table with a halt on the blank wherever there is no rule for it: any prefix may be the word."""
    rows = tuple((row[0] or Entry(0, STAY, state), *row[1:]) for state, row in enumerate(table.rows))
    return replace(table, rows=rows)
