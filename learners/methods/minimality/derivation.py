"""Whether a derivation ends in the empty clause: reverse unit propagation.

In C; certificates are checked in plain Python where there is no compiler.
"""

from __future__ import annotations

import ctypes
from array import array
from collections import defaultdict
from collections.abc import Iterator, Sequence
from pathlib import Path

from compiler.simulation.native.c_library import CLibrary

LIBRARY = CLibrary(Path(__file__).parent / "derivation.c", "-O2")


class NotDerived(Exception):
    """The empty clause does not follow, and why."""


def check_derivation(formula: array[int], lines: bytes, variables: int) -> None:
    """NotDerived unless each clause of a binary DRUP derivation follows, and the empty one is among them.

    The formula has its clauses one after the other, each ended by 0.
    """
    if not LIBRARY.builds():
        check_plainly(formula, lines, variables)
        return
    where = ctypes.c_int64()
    numbers = (ctypes.c_int32 * len(formula)).from_buffer(formula) if formula else None
    answer = LIBRARY.derive(numbers, len(formula), lines, len(lines), variables, ctypes.byref(where))
    if answer == -1:
        raise MemoryError("there is no memory to check the derivation")
    if answer != 1:
        raise NotDerived(_reason(None if answer == -2 else where.value))


def _reason(line: int | None) -> str:
    if line is None:
        return "this is no derivation"
    return f"clause {line} does not follow" if line >= 0 else "it does not come to the empty clause"


def _lines(data: bytes, variables: int) -> Iterator[tuple[bool, list[int]]]:
    """Whether each line deletes, and its literals; NotDerived where this is no binary DRUP."""
    at = 0
    while at < len(data):
        kind, literals = data[at], list[int]()
        at += 1
        while kind in b"ad":
            code = shift = 0
            while True:
                if at == len(data) or shift > 28:
                    raise NotDerived(_reason(None))
                code |= (data[at] & 127) << shift
                shift, at = shift + 7, at + 1
                if data[at - 1] < 128:
                    break
            if code == 1 or code > 2 * variables + 1:
                raise NotDerived(_reason(None))
            if not code:
                break
            literals.append(-(code >> 1) if code & 1 else code >> 1)
        else:
            raise NotDerived(_reason(None))
        yield kind == ord("d"), literals


class _Propagation:
    """Clauses, and what follows from them alone; two literals of each clause are watched."""

    def __init__(self) -> None:
        self.true: set[int] = set()
        self.watching: dict[int, list[list[int]]] = defaultdict(list)
        self.contradiction = False

    def add(self, literals: Sequence[int]) -> None:
        clause = sorted(literals, key=lambda literal: -literal in self.true)
        is_open = sum(-literal not in self.true for literal in clause)
        if is_open < 2:
            self.contradiction |= not is_open or self.conflicts([clause[0]])[0]
            return
        for literal in clause[:2]:
            self.watching[literal].append(clause)

    def conflicts(self, assumed: Sequence[int]) -> tuple[bool, list[int]]:
        """Whether some clause is false once these literals are true, and all that has become true."""
        trail: list[int] = []
        for literal in assumed:
            if -literal in self.true:
                return True, trail
            self._set(literal, trail)
        for literal in trail:
            watching, self.watching[-literal] = self.watching[-literal], []
            for place, clause in enumerate(watching):
                if clause[0] == -literal:
                    clause[0], clause[1] = clause[1], clause[0]
                other = next((i for i in range(2, len(clause)) if -clause[i] not in self.true), None)
                if clause[0] not in self.true and other is not None:
                    clause[1], clause[other] = clause[other], clause[1]
                    self.watching[clause[1]].append(clause)
                    continue
                self.watching[-literal].append(clause)
                if -clause[0] in self.true:
                    self.watching[-literal] += watching[place + 1 :]
                    return True, trail
                self._set(clause[0], trail)
        return False, trail

    def _set(self, literal: int, trail: list[int]) -> None:
        if literal not in self.true:
            self.true.add(literal)
            trail.append(literal)


def check_plainly(formula: Sequence[int], lines: bytes, variables: int) -> None:
    """As C does it, but nothing is deleted: that only saves time."""
    state, clause = _Propagation(), list[int]()
    for number in formula:
        if number:
            clause.append(number)
        else:
            state.add(clause)
            clause = []
    for line, (deletes, literals) in enumerate(_lines(lines, variables)):
        if state.contradiction:
            return
        if deletes:
            continue
        follows, trail = state.conflicts([-literal for literal in literals])
        state.true.difference_update(trail)
        if not follows:
            raise NotDerived(_reason(line))
        state.add(literals)
    if not state.contradiction:
        raise NotDerived(_reason(-1))
