"""Whether a derivation ends in the empty clause: reverse unit propagation.

In C; certificates are checked in plain Python where there is no compiler.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from gridlang.compiler.simulation.native.c_library import CLibrary

LIBRARY = CLibrary(Path(__file__).parent / "derivation.c", "-O2")
GIVEN, FOLLOWS, DELETED = b"iad"  # kinds of lines, as in C
DERIVED, NO_MEMORY = -1, -2
MALFORMED = "this is not a derivation"


class NotDerived(Exception):
    """The empty clause does not follow, and why."""


class Line(NamedTuple):
    """A clause, and the lines that it follows from, in the order in which they leave one literal open."""

    number: int
    literals: list[int]  # 2 * variable, and 1 more where it is denied
    hints: list[int] | None  # None for a clause that is given


def check_derivation(formula: Sequence[int], lines: bytes, variables: int) -> None:
    """NotDerived unless each clause of a binary DRUP derivation follows, and the empty one is among them.

    The formula has its clauses one after the other, each ended by 0.
    """
    steps, given = _steps(formula, lines, variables)
    count = int((steps == 0).sum())
    answer = _derive(steps, count, variables)[0] if LIBRARY.builds() else plain_answer(steps.tolist())
    if answer == NO_MEMORY:
        raise MemoryError("there is no memory to check the derivation")
    if answer == count:
        raise NotDerived("it does not come to the empty clause")
    if answer != DERIVED:
        raise NotDerived(f"clause {answer - given} does not follow")


def hinted_lines(formula: Sequence[int], lines: bytes, variables: int) -> list[Line]:
    """The lines of a valid derivation that lead to the empty clause; CannotBuild without a C compiler."""
    steps, _ = _steps(formula, lines, variables)
    ends = np.flatnonzero(steps == 0)
    starts = np.concatenate(([0], ends + 1))[:-1]
    answer, hints = _derive(steps, len(ends), variables)
    assert answer == DERIVED
    told = iter(hints)
    reasons = [[next(told) for _ in range(size)] for size in told]
    following = np.flatnonzero(steps[starts] == FOLLOWS).tolist()
    because = dict(zip(following, reasons[:-1], strict=False))
    found = [
        Line(number, steps[starts[number] + 1 : ends[number]].tolist(), because.get(number))
        for number in _needed(because, reasons[-1])
    ]
    return [*found, Line(len(ends), [], reasons[-1])]


def _needed(because: Mapping[int, list[int]], last: list[int]) -> list[int]:
    """The lines that lead to the last one, in order."""
    needed: set[int] = set()
    work = list(last)
    while work:
        number = work.pop()
        if number not in needed:
            needed.add(number)
            work += because.get(number, ())
    return sorted(needed)


def _steps(formula: Sequence[int], lines: bytes, variables: int) -> tuple[npt.NDArray[np.int32], int]:
    """The clauses of the formula, and the lines after them, as C reads them; how many are given."""
    given = np.array(formula, np.int32)
    ends = np.flatnonzero(given == 0)
    coded = np.where(given < 0, -2 * given + 1, 2 * given)
    first = np.insert(coded, np.concatenate(([0], ends + 1))[:-1], GIVEN)
    steps = np.concatenate((first, _numbers(lines, variables)))
    return np.ascontiguousarray(steps, np.int32), len(ends)


def _derive(steps: npt.NDArray[np.int32], count: int, variables: int) -> tuple[int, list[int]]:
    """The answer of C, and the hints."""
    room, needed = len(steps), np.zeros(1, np.int64)
    while True:
        hints = np.zeros(room, np.int32)
        answer = LIBRARY.derive(steps, len(steps), count, 2 * variables + 2, hints, room, needed)
        if needed[0] <= room:
            return int(answer), hints[: needed[0]].tolist()
        room = int(needed[0])


def _numbers(lines: bytes, variables: int) -> npt.NDArray[np.int32]:
    """Binary DRUP as numbers: of each line its kind, its literals, and 0; NotDerived if it is malformed."""
    data = np.frombuffer(lines, np.uint8).astype(np.int32)
    ends = np.flatnonzero(data < 128)
    starts = np.concatenate(([0], ends + 1))
    size = np.diff(starts)
    if starts[-1] != len(data) or (size > 4).any():
        raise NotDerived(MALFORMED)
    if not len(data):
        return data
    shift = 7 * (np.arange(len(data)) - np.repeat(starts[:-1], size))
    numbers: npt.NDArray[np.int32] = np.add.reduceat((data & 127) << shift, starts[:-1])
    begins = np.concatenate(([True], numbers[:-1] == 0))
    kinds, literals = begins & (size == 1) & np.isin(numbers, (FOLLOWS, DELETED)), numbers[~begins]
    if (begins != kinds).any() or numbers[-1] or ((literals == 1) | (literals > 2 * variables + 1)).any():
        raise NotDerived(MALFORMED)
    return numbers


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


def plain_answer(steps: Sequence[int]) -> int:
    """As C does it, but nothing is deleted: that only saves time."""
    state, at, line = _Propagation(), 0, 0
    while at < len(steps) and not state.contradiction:
        end = steps.index(0, at)
        literals = [-(code >> 1) if code & 1 else code >> 1 for code in steps[at + 1 : end]]
        if steps[at] == FOLLOWS:
            follows, trail = state.conflicts([-literal for literal in literals])
            state.true.difference_update(trail)
            if not follows:
                return line
        if steps[at] != DELETED:
            state.add(literals)
        at, line = end + 1, line + 1
    return DERIVED if state.contradiction else line
