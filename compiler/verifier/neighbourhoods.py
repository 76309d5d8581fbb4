"""The part of `verify` that knows about places.

An element is both states and labels of cells near the head, the head's own among them. Of neighbours that are
not both known, `below` and `right` say which labels they may have, for each kind of LEFT's states.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from compiler.verifier.input_clauses import covers_inputs
from compiler.verifier.tables import MOVES, Rules, Wrong, cut, follow, in_range, known_cells, moved

Cells = dict[tuple[int, int], int]


class _Ground:
    """Labels, and which of them may be neighbours; all of it as the certificate gives it."""

    def __init__(self, left: Rules, scope: str, evidence: dict[str, Any]) -> None:
        self.labels = [(symbol, row, column, mark) for symbol, row, column, mark in evidence["labels"]]
        self.number = {label: index for index, label in enumerate(self.labels)}
        self.left, self.starts = left, [0]
        self.steps: list[list[list[int]]] | None = None
        if evidence["columns"] is not None:
            self._columns(scope, **evidence["columns"])
        sides = {"D": evidence["below"], "R": evidence["right"]}
        self.beside = {
            move: [[int(mask, 16) for mask in row] for row in rows] for move, rows in sides.items()
        }
        if len(self.number) != len(self.labels):
            raise Wrong("evidence, labels", "a label stands twice")
        masks = [mask for rows in self.beside.values() for row in rows for mask in row]
        if not all(0 <= mask < 1 << len(self.labels) for mask in masks):
            raise Wrong("evidence, neighbours", "a label among them does not exist")
        for one, other in (("D", "U"), ("R", "L")):
            self.beside[other] = [_turned(row, len(self.labels)) for row in self.beside[one]]

    def _columns(self, scope: str, starts: list[int], steps: list[list[list[int]]]) -> None:
        """Where in an input a column may lie; every input must be a path through it."""
        where = "evidence, columns"
        if scope != "inputs":
            raise Wrong(where, "all worlds have none")
        everything = [*starts, *(to for row in steps for afters in row for to in afters)]
        if any(len(row) != len(self.left.symbols) for row in steps):
            raise Wrong(where, "there must be a list for each symbol")
        if not all(type(to) is int and 0 <= to < len(steps) for to in everything):
            raise Wrong(where, "one of them does not exist")
        if not covers_inputs(self.left, starts, steps):
            raise Wrong(where, "an input is left out")
        self.starts, self.steps = starts, steps

    def fresh(self, row: int, column: int) -> list[int]:
        """The labels that a cell may have before anything happened."""
        symbols = range(len(self.left.symbols)) if self.steps is None else [0]
        if self.steps is not None and row == 0 and column >= 0:
            symbols = [symbol for symbol, afters in enumerate(self.steps[column]) if afters]
        missing = [symbol for symbol in symbols if (symbol, row, column, -1) not in self.number]
        if missing:
            raise Wrong("evidence, labels", f"a cell with `{self.left.symbols[missing[0]]}` is missing")
        return [self.number[symbol, row, column, -1] for symbol in symbols]

    def first_pairs(self) -> Iterator[tuple[str, int, int]]:
        """All neighbours before the first step; rows three or more away from row 0 are one."""
        if self.steps is None:
            yield from ((move, a, b) for move in "DR" for a in self.fresh(0, 0) for b in self.fresh(0, 0))
            return
        for row in range(-3, 4):
            for column in range(-1, len(self.steps)):
                for label in self.fresh(row, column):
                    for below in {max(-3, min(3, y + 1)) for y in _rows(row)}:
                        yield from (("D", label, other) for other in self.fresh(below, column))
                    for beside in self._after(self.steps, row, column, self.labels[label][0]):
                        yield from (("R", label, other) for other in self.fresh(row, beside))

    def _after(self, steps: list[list[list[int]]], row: int, column: int, symbol: int) -> set[int]:
        """The places that the next column may be."""
        if column < 0:
            return {-1, *self.starts}
        rest = steps[column] if row != 0 else [steps[column][symbol]]
        return {to for afters in rest for to in afters}


def _rows(row: int) -> list[int]:
    """Rows that a row of the certificate may stand for: itself, or the far ones."""
    return [-4, -3] if row == -3 else [3, 4] if row == 3 else [row]


def _turned(masks: list[int], size: int) -> list[int]:
    """The same neighbours, seen from the other side."""
    turned = [0] * size
    for label, mask in enumerate(masks):
        for other in _bits(mask):
            turned[other] |= 1 << label
    return turned


def _bits(mask: int) -> Iterator[int]:
    while mask:
        rest = mask & (mask - 1)
        yield (mask ^ rest).bit_length() - 1
        mask = rest


def check_places(left: Rules, right: Rules, scope: str, evidence: dict[str, Any]) -> tuple[int, int, int]:
    """Elements and neighbours, closed under every step; the radius, the elements, and LEFT's stuck ones."""
    return _Places(left, right, scope, evidence).check()


class _Places:
    def __init__(self, left: Rules, right: Rules, scope: str, evidence: dict[str, Any]) -> None:
        self.left, self.right = left, right
        self.ground = _Ground(left, scope, evidence)
        self.radius, self.marks, self.kinds = evidence["radius"], evidence["marks"], evidence["kinds"]
        if (
            not (len(self.marks) == len(self.kinds) == left.states)
            or min(self.marks) < 0
            or min(self.kinds) < 0
        ):
            raise Wrong("evidence", "it must have a mark and a kind a state")
        if type(self.radius) is not int or self.radius < 1:
            raise Wrong("evidence", "its radius must be at least 1")
        self.elements: list[tuple[int, int, Cells]] = []
        for index, (p, q, *numbers) in enumerate(evidence["elements"]):
            where = f"evidence, element {index}"
            cells = known_cells(numbers, len(self.ground.labels), where)
            if not in_range(p, q, left, right) or (0, 0) not in cells:
                raise Wrong(where, "it has no states, or no cell under the head")
            self.elements.append((p, q, cells))
        self.listed = {(p, q, frozenset(cells.items())) for p, q, cells in self.elements}
        self.flows: set[tuple[int, int]] = set()
        if len(self.listed) != len(self.elements):
            raise Wrong("evidence", "an element stands twice")

    def check(self) -> tuple[int, int, int]:
        first = self.kinds[0]
        for move, label, other in self.ground.first_pairs():
            self._has(first, move, label, 1 << other, "evidence, neighbours at the start")
        for label in [label for start in self.ground.starts for label in self.ground.fresh(0, start)]:
            if (0, 0, frozenset({((0, 0), label)})) not in self.listed:
                raise Wrong("evidence", "a start is missing")
        stuck = sum(self._element(index, *element) for index, element in enumerate(self.elements))
        for kind, later in self.flows:
            for move in "DR":
                for label, mask in enumerate(self.ground.beside[move][kind]):
                    self._has(later, move, label, mask, f"evidence, neighbours of kind {later}")
        return self.radius, len(self.elements), stuck

    def _has(self, kind: int, move: str, label: int, mask: int, where: str) -> None:
        if mask & ~self.ground.beside[move][kind][label]:
            raise Wrong(where, "neighbours that there may be are missing")

    def _element(self, index: int, p: int, q: int, cells: Cells) -> bool:
        """Checks what follows an element; whether LEFT is stuck in it."""
        where = f"evidence, element {index}"
        old = cells[0, 0]
        symbol, row, column, _ = self.ground.labels[old]
        step = follow(self.left, self.right, p, q, symbol, where)
        if step is None:
            return (p, symbol) not in self.left.does
        write, move, p2, q2 = step
        label = self.ground.number.get((write, row, column, self.marks[p]))
        if label is None:
            raise Wrong(where, "the label that it writes is missing")
        kind, later = self.kinds[p], self.kinds[p2]
        self.flows.add((kind, later))
        target = MOVES[move]
        for side in "UDLR":
            if MOVES[side] not in cells and side != move:
                self._has(later, side, label, self.ground.beside[side][kind][old], where)
        options = -1
        if target not in cells:
            options = self.ground.beside[move][kind][old]
            for back, (dx, dy) in (("D", (0, -1)), ("U", (0, 1)), ("R", (-1, 0)), ("L", (1, 0))):
                near = (target[0] + dx, target[1] + dy)
                if near != (0, 0) and near in cells:
                    options &= self.ground.beside[back][kind][cells[near]]
        after = moved({**cells, (0, 0): label}, move)
        kept = cut(after, self.radius)
        self._forgotten(after, kept, later, where)
        for new in _bits(options) if target not in cells else [kept[0, 0]]:
            if (p2, q2, frozenset({**kept, (0, 0): new}.items())) not in self.listed:
                raise Wrong(where, f"what follows it on `{self.left.symbols[symbol]}` is missing")
        return False

    def _forgotten(self, after: Cells, kept: Cells, later: int, where: str) -> None:
        """Known neighbours of which one is forgotten must be among those that there may be."""
        for (x, y), label in after.items():
            for move, near in (("D", (x, y + 1)), ("R", (x + 1, y))):
                if near in after and not ((x, y) in kept and near in kept):
                    self._has(later, move, label, 1 << after[near], where)
