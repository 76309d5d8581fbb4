"""The part of `verify` that computes the strip of (V12): all that may stand around LEFT's head on an input.

It is the strip of (V8) at depth 1, of LEFT alone and on declared inputs, as the least that is closed. The
certificate only chooses its grain: the rows, how far places tell distances, classes of symbols, whether
written symbols are known by class alone, and the marks and kinds of states. A label is (cells, place, mark),
a cell a symbol, or -1 - c for any of class c; its coarse number keeps the classes, the place and the mark. An
element is (p, y, l, c, r): a state, the head's row, the label c of its column, coarse numbers to both sides.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

from gridlang.compiler.verifier.limits import LIMITS
from gridlang.compiler.verifier.tables import MOVES, Rules, are_numbers, check
from gridlang.compiler.verifier.values.places import Places

WHERE = "total, output"
FRESH = -1  # the mark of a column that was never acted on
Element = tuple[int, int, int, int, int]
Node = tuple[int, int, tuple[int, ...], int]  # a state, the head's row, the classes of its column, its part
Side = tuple[int, int]  # -1 or 1, and a kind


class Column(NamedTuple):
    """A label, or what its coarse number keeps of one: then its cells are classes."""

    cells: tuple[int, ...]
    place: int
    mark: int


class Grain(NamedTuple):
    """What the certificate chooses, checked."""

    low: int
    high: int
    dim: bool
    classes: list[int]
    marks: list[int]
    kinds: list[int]
    words: bool  # by the kind of the evidence


def read_grain(left: Rules, part: dict[str, Any], words: bool) -> Grain:
    """Wrong if a part of it is none."""
    rows, classes = part["rows"], part["classes"]
    tall = are_numbers(rows, -LIMITS.strip_rows, LIMITS.strip_rows + 1) and len(rows) == 2
    check(tall and rows[0] <= 0 <= rows[1], WHERE, "its rows are none, or too many")
    check(type(part["dim"]) is bool, WHERE, "it does not say whether it is dim")
    told = are_numbers([part["near"], part["far"]], 0, LIMITS.distance + 1)
    check(told, WHERE, "its distances are none, or too large")
    partition = are_numbers(classes, 0, len(left.symbols)) and len(classes) == len(left.symbols)
    check(partition and set(classes) == set(range(max(classes) + 1)), WHERE, "its classes are none")
    check(classes.count(classes[0]) == 1, WHERE, "the blank is not alone in its class")
    for name in ("marks", "kinds"):
        one_each = are_numbers(part[name], 0, LIMITS.number) and len(part[name]) == left.states
        check(one_each, WHERE, f"its {name} are not one for each state")
    return Grain(rows[0], rows[1], part["dim"], classes, part["marks"], part["kinds"], words)


class ValueStrip:
    """The strip, closed."""

    def __init__(self, left: Rules, part: dict[str, Any], words: bool) -> None:
        self.left, self.grain = left, read_grain(left, part, words)
        self.places = Places(left, part["near"], part["far"])
        self.rows = range(self.grain.low, self.grain.high + 1)
        classes = self.grain.classes
        self.members = [
            [s for s, c in enumerate(classes) if c == number] for number in range(max(classes) + 1)
        ]
        self.labels: list[Column] = []
        self.coarse: list[int] = []  # of each label
        self.rough: list[Column] = []  # by coarse number
        self._number: dict[Column, int] = {}
        self._coarse_number: dict[Column, int] = {}
        self._after_writing: dict[tuple[int, int, int, int], int] = {}
        self.elements: dict[Element, None] = {}
        self.grams: dict[Side, dict[int, dict[tuple[int, int], None]]] = {}  # by the label's coarse number
        self._waiting: dict[tuple[Side, int], dict[tuple[int, int, int], None]] = {}
        self._flows: dict[int, set[int]] = {}
        self.starts: list[Element] = []
        self._work: list[Element] = []
        self._spent = 0
        self._saturate()

    def node(self, element: Element) -> Node:
        p, y, _, label, _ = element
        cells, place, _ = self.rough[self.coarse[label]]
        return p, y, cells, self.places.told[place].part

    def reads(self, element: Element) -> list[int]:
        cell = self.labels[element[3]].cells[element[1] - self.grain.low]
        return [cell] if cell >= 0 else self.members[-1 - cell]

    def halts(self, p: int, symbol: int) -> bool:
        write, move, _ = self.left.does.get((p, symbol), (-1, "", 0))
        return write == symbol and move == "S"

    def steps(self, p: int, symbol: int) -> bool:
        """Whether LEFT goes on, neither halting nor stuck."""
        return (p, symbol) in self.left.does and not self.halts(p, symbol)

    def follows(self, element: Element, symbol: int) -> Iterator[Element]:
        p, y, left, c, right = element
        write, move, later = self.left.does[p, symbol]
        label = self._written(c, y, write, self.grain.marks[p])
        side, down = MOVES[move]
        if side == 0:
            yield (later, y + down, left, label, right)
            return
        behind = self.coarse[label]
        for x, beyond in self.grams.get((side, self.grain.kinds[p]), {}).get(right if side > 0 else left, ()):
            yield (later, y, behind, x, beyond) if side > 0 else (later, y, beyond, x, behind)

    def _saturate(self) -> None:
        self._begin()
        while self._work:
            element = self._work.pop()
            for symbol in self.reads(element):
                if self.steps(element[0], symbol):
                    self._step(element, symbol)

    def _begin(self) -> None:
        kind, places = self.grain.kinds[0], self.places
        before = self.coarse[self.fresh(0, places.before)]
        starts = set(places.starts)
        for place, onward in enumerate(places.onward):
            side = -1 if places.told[place].part < 0 else 1
            for symbol, to in onward:
                label = self.fresh(symbol, place)
                for other, _ in places.onward[to]:
                    beyond = self.coarse[self.fresh(other, to)]
                    self._add_gram((side, kind), label, beyond)
                    if place in starts:
                        self.starts.append((0, 0, before, label, beyond))
        for element in self.starts:
            self._add(element)

    def _step(self, element: Element, symbol: int) -> None:
        p, y, left, c, right = element
        write, move, later = self.left.does[p, symbol]
        kinds, (side, down) = self.grain.kinds, MOVES[move]
        self._flow(kinds[p], kinds[later])
        label = self._written(c, y, write, self.grain.marks[p])
        if side == 0:
            check(self.grain.low <= y + down <= self.grain.high, WHERE, "the head leaves the strip")
            self._add((later, y + down, left, label, right))
            return
        ahead, back = (right, left) if side > 0 else (left, right)
        self._add_gram((-side, kinds[later]), label, back)
        waiting = self._waiting.setdefault(((side, kinds[p]), ahead), {})
        comes = (later, y, self.coarse[label])
        if comes not in waiting:
            waiting[comes] = None
            for x, beyond in self.grams.get((side, kinds[p]), {}).get(ahead, ()):
                self._enter(side, comes, x, beyond)

    def _enter(self, side: int, comes: tuple[int, int, int], x: int, beyond: int) -> None:
        p, y, behind = comes
        self._add((p, y, behind, x, beyond) if side > 0 else (p, y, beyond, x, behind))

    def _add(self, element: Element) -> None:
        self._spend()
        if element not in self.elements:
            self.elements[element] = None
            self._work.append(element)
            check(len(self.elements) <= LIMITS.value_elements, WHERE, "its strip has too many elements")

    def _add_gram(self, side: Side, label: int, beyond: int) -> None:
        work = [side]
        while work:
            self._spend()
            here = work.pop()
            grams = self.grams.setdefault(here, {}).setdefault(self.coarse[label], {})
            if (label, beyond) in grams:
                continue
            grams[label, beyond] = None
            for comes in self._waiting.get((here, self.coarse[label]), ()):
                self._enter(here[0], comes, label, beyond)
            work += [(here[0], later) for later in self._flows.get(here[1], ())]

    def _flow(self, kind: int, later: int) -> None:
        """(f) of (V8)."""
        flows = self._flows.setdefault(kind, set())
        if later == kind or later in flows:
            return
        flows.add(later)
        for side in (-1, 1):
            for grams in list(self.grams.get((side, kind), {}).values()):
                for label, beyond in list(grams):
                    self._add_gram((side, later), label, beyond)

    def _spend(self) -> None:
        self._spent += 1
        check(self._spent <= LIMITS.value_steps, WHERE, "its strip takes too long to compute")

    def _written(self, label: int, y: int, symbol: int, mark: int) -> int:
        """(c) of (V8): the label of the head's column after the step."""
        key = (label, y, symbol, mark)
        if key not in self._after_writing:
            cells = list(self.labels[label].cells)
            cells[y - self.grain.low] = symbol
            if self.grain.dim:
                cells = [cell if cell < 0 else self._dimmed(cell) for cell in cells]
            self._after_writing[key] = self._label(Column(tuple(cells), self.labels[label].place, mark))
        return self._after_writing[key]

    def _dimmed(self, symbol: int) -> int:
        number = self.grain.classes[symbol]
        return symbol if len(self.members[number]) == 1 else -1 - number

    def fresh(self, symbol: int, place: int) -> int:
        return self._label(Column(tuple(symbol if y == 0 else 0 for y in self.rows), place, FRESH))

    def _label(self, column: Column) -> int:
        if column not in self._number:
            self._number[column] = len(self.labels)
            self.labels.append(column)
            self.coarse.append(self._rough(column))
        return self._number[column]

    def _rough(self, column: Column) -> int:
        cells = tuple(self.grain.classes[cell] if cell >= 0 else -1 - cell for cell in column.cells)
        rough = column._replace(cells=cells)
        if rough not in self._coarse_number:
            self._coarse_number[rough] = len(self.rough)
            self.rough.append(rough)
        return self._coarse_number[rough]
