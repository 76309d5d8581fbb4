"""The part of `verify` that sees which result stands in the world where LEFT halts, for `goals`."""

from __future__ import annotations

from typing import NamedTuple

from gridlang.compiler.verifier.tables import check
from gridlang.compiler.verifier.values.strips import WHERE, Element, ValueStrip


class Column(NamedTuple):
    """What may stand in a column in the row of the results, and its coarse number."""

    symbols: tuple[int, ...]
    label: int

    @property
    def is_blank(self) -> bool:
        return self.symbols == (0,)


Triple = tuple[Column, Column, Column]  # a column that is not blank, between its neighbours


class Result(NamedTuple):
    columns: set[Triple]
    may_be_empty: bool


class Results:
    """What may stand in one row; Wrong where anything else may stand in the world."""

    def __init__(self, strip: ValueStrip, row: int) -> None:
        self.strip, self.index = strip, row - strip.grain.low
        self._sides: dict[tuple[int, int, int, Column], Result] = {}
        self._columns: dict[int, Column] = {}

    def at(self, element: Element, symbol: int) -> Result:
        """Where LEFT halts on a symbol."""
        (p, _, _, (left,), _, (right,)), head = element, self._head(element, symbol)
        kind = self.strip.grain.kinds[p]
        sides = [self._side(-1, kind, left, head), self._side(1, kind, right, head)]
        columns = sides[0].columns | sides[1].columns
        if not head.is_blank:
            columns.add((self._column(left), head, self._column(right)))
            return Result(columns, False)
        check(not (sides[0].columns and sides[1].columns), WHERE, "LEFT may halt where a result has a gap")
        return Result(columns, all(side.may_be_empty for side in sides))

    def _side(self, side: int, kind: int, first: int, head: Column) -> Result:
        key = (side, kind, first, head)
        if key not in self._sides:
            self._sides[key] = self._walk(side, kind, first, head)
        return self._sides[key]

    def _walk(self, side: int, kind: int, first: int, head: Column) -> Result:
        grams = self.strip.grams.get((side, kind), {})
        columns, empty = set(), False
        # a column, the one nearer to the head, and whether a result was seen: 0 not yet, 1 here, 2 before
        work = [(head, self._column(first), 0 if head.is_blank else 1)]
        seen = set(work)
        for nearer, here, phase in work:
            check(here.is_blank or phase < 2, WHERE, "LEFT may halt where a result has a gap")
            now = (2 if phase else 0) if here.is_blank else 1
            empty = empty or (now == 0 and here.label == self._outermost(side))
            for _, beyond in grams.get((here.label,), ()):
                further = self._column(beyond)
                if not here.is_blank:
                    columns.add((nearer, here, further) if side > 0 else (further, here, nearer))
                if (here, further, now) not in seen:
                    seen.add((here, further, now))
                    work.append((here, further, now))
        return Result(columns, empty)

    def _outermost(self, side: int) -> int:
        """The coarse number of what all columns far out are."""
        return self.strip.coarse[self.strip.fresh(0, self.strip.places.outermost[side])]

    def _column(self, label: int) -> Column:
        if label not in self._columns:
            cells = [self.strip.members[cell] for cell in self.strip.rough[label].cells]
            symbols = tuple(cells.pop(self.index))
            check(all(cell == [0] for cell in cells), WHERE, "LEFT may halt where more stands than a result")
            self._columns[label] = Column(symbols, label)
        return self._columns[label]

    def _head(self, element: Element, symbol: int) -> Column:
        """The head's column, whose cells are known better."""
        _, _, y, _, label, _ = element
        cells = list(self.strip.labels[label].cells)
        cells[y - self.strip.grain.low] = symbol
        cell = cells.pop(self.index)
        check(not any(cells), WHERE, "LEFT may halt where more stands than a result")
        return Column(
            (cell,) if cell >= 0 else tuple(self.strip.members[-1 - cell]), self.strip.coarse[label]
        )
