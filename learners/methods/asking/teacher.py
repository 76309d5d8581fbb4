"""`Teacher`: an agent as a black box that says what it does on a sequence of reads, and counts questions."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, TypeAlias

from gridlang.table import MOVES, STAY, Table

STUCK = -1  # it has no rule
Reads: TypeAlias = tuple[int, ...]
Answer: TypeAlias = tuple[int, ...]  # an act for each read: write * 5 + move, or STUCK


class Teacher:
    """Answers questions from the start of an agent; nobody sees its states, and nothing is asked twice.

    After a halt, and where it is stuck, nothing more is read: such an answer is shorter than its question.
    """

    def __init__(self, table: Table) -> None:
        self.symbols = len(table.symbols)
        self.queries = self.steps = 0
        self._known: dict[int, Any] = {}  # all answers as a tree: of a read its act, and what comes after
        self._rows = [
            [None if entry is None else (entry.write * len(MOVES) + entry.move, entry.next) for entry in row]
            for row in table.rows
        ]

    def ask(self, reads: Sequence[int]) -> Answer:
        """What the agent does on these reads; counted unless it is known from what was asked before."""
        acts, after = [], self._known
        for read in reads:
            step = after.get(read)
            if step is None:
                return self._answered(reads)
            acts.append(step[0])
            if ends(read, step[0]):
                break
            after = step[1]
        return tuple(acts)

    def _answered(self, reads: Sequence[int]) -> Answer:
        acts, state, after = [], 0, self._known
        for read in reads:
            act, state = self._rows[state][read] or (STUCK, state)
            acts.append(act)
            after = after.setdefault(read, (act, {}))[1]
            if ends(read, act):
                break
        self.queries += 1
        self.steps += len(acts)
        return tuple(acts)


def ends(read: int, act: int) -> bool:
    """Whether a run ends with this act: it halts, or is stuck."""
    return act in (STUCK, read * len(MOVES) + STAY)
