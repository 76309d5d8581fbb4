"""From a difference that may exist to a world that shows it.

The search forgets nothing: it reads cell after cell, remembers each, and only branches where a cell is read
for the first time. What an abstraction knows of the way to the nearest failure guides it and cuts branches
that can never fail. Its estimates are never too large, so that the first difference found by A* is a shortest
one. Where that takes too long, any difference will do: the nearest by the estimate, or one on few cells.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from heapq import heappop, heappush
from itertools import count
from random import Random
from typing import NamedTuple, Protocol

from compiler.proofs.window_abstraction import Level
from gridlang.table import DELTAS, Row
from gridlang.world import Cell

LONGEST = 4_000  # steps of one history; what runs longer is given up


class Way(NamedTuple):
    """An order of search: the weights of steps behind, steps ahead, and cells chosen."""

    behind: int
    ahead: int
    chosen: int


SHORTEST, NEAREST, SMALLEST = Way(1, 1, 0), Way(1, 8, 0), Way(0, 1, 64)


class Guide(Protocol):
    """What an abstraction knows about the way ahead; its notes say where it stands."""

    def ahead(self, notes: int, p: int, q: int, symbol: int) -> int | None:
        """At least so many steps to a difference if this is read now, this step included; None for never."""

    def after(self, notes: int, write: int, move: int) -> int:
        """The notes after a step; they begin with 0."""


class Reader(Protocol):
    """Which worlds there are: what a cell may hold that is read for the first time."""

    def options(self, first: Mapping[Cell, int], cell: Cell) -> Sequence[int]: ...


class AnySymbol(NamedTuple):
    """All worlds."""

    symbols: int

    def options(self, first: Mapping[Cell, int], cell: Cell) -> Sequence[int]:  # noqa: ARG002
        return range(self.symbols)


class WindowGuide(NamedTuple):
    """The way ahead as a level of windows knows it; the notes are the window."""

    level: Level

    def ahead(self, notes: int, p: int, q: int, symbol: int) -> int | None:
        product, left = self.level.product, self.level.ahead
        entry, other = product.left[p][symbol], product.right[q][symbol]
        if entry is None:
            return None
        if other is None or other[:2] != entry[:2]:
            return 1
        if entry.is_idle(symbol):
            return None
        after = product.windows.after(notes, entry.write, entry.move)
        steps = left.get(product.node(entry.next, other.next, after))
        return None if steps is None else steps + 1

    def after(self, notes: int, write: int, move: int) -> int:
        return self.level.product.windows.after(notes, write, move)


class Blind(NamedTuple):
    """Knows nothing of the way ahead but the step at hand; it needs no notes."""

    left: Sequence[Row]
    right: Sequence[Row]

    def ahead(self, notes: int, p: int, q: int, symbol: int) -> int | None:  # noqa: ARG002
        entry, other = self.left[p][symbol], self.right[q][symbol]
        if entry is None:
            return None
        if other is None or other[:2] != entry[:2]:
            return 1
        return None if entry.is_idle(symbol) else 2

    def after(self, notes: int, write: int, move: int) -> int:  # noqa: ARG002
        return notes


class Realized(NamedTuple):
    """First contents of all cells read before a difference, the step of it, and whether none is earlier."""

    first: dict[Cell, int]
    step: int
    shortest: bool


History = tuple["History", int] | None


class _Search:
    def __init__(
        self, left: Sequence[Row], right: Sequence[Row], guide: Guide, reader: Reader, budget: int
    ) -> None:
        self.left, self.right, self.guide, self.reader = left, right, guide, reader
        self.budget = budget

    def run(self, way: Way) -> Realized | None:
        """The difference that comes first in an order."""
        order = count()
        queue: list[tuple[int, int, int, int, History | Realized]] = [(0, 0, 0, 0, None)]
        while queue and self.budget > 0:
            _, _, _, chosen, history = heappop(queue)
            if isinstance(history, Realized):
                return history._replace(shortest=way == SHORTEST)
            for steps, ahead, options, onward in self._follow(history):
                many = chosen + (options > 1)
                cost = way.behind * steps + way.ahead * ahead + way.chosen * many
                heappush(queue, (cost, -steps, -next(order), many, onward))
        return None

    def wander(self, seed: int = 0) -> Realized | None:
        """Chooses at random, over and over, among what may still end in a difference."""
        rng = Random(seed)
        while self.budget > 0:
            for found in self._follow(None, rng):
                assert isinstance(found[3], Realized)
                return found[3]
        return None

    def _follow(
        self, history: History, rng: Random | None = None
    ) -> Iterator[tuple[int, int, int, History | Realized]]:
        """Lives a history again, up to a difference or to the next cell that is read for the first time.

        Gives the steps behind and ahead, the number of symbols to choose from, and the longer history. With
        a random generator it chooses, and goes on to the end.
        """
        chosen = _symbols(history)
        first: dict[Cell, int] = {}
        now: dict[Cell, int] = {}
        p = q = notes = steps = x = y = 0
        while steps < LONGEST:
            cell = (x, y)
            if cell not in now:
                if not chosen:
                    options = self.reader.options(first, cell)
                    known = [(symbol, self.guide.ahead(notes, p, q, symbol)) for symbol in options]
                    viable = [(symbol, ahead) for symbol, ahead in known if ahead is not None]
                    if rng is None or not viable:
                        for symbol, ahead in viable:
                            yield steps, ahead, len(options), (history, symbol)
                        break
                    chosen.append(rng.choice(viable)[0])
                first[cell] = now[cell] = chosen.pop()
            symbol = now[cell]
            if self.guide.ahead(notes, p, q, symbol) is None:
                break
            entry, other = self.left[p][symbol], self.right[q][symbol]
            assert entry is not None
            steps += 1
            if other is None or other[:2] != entry[:2]:
                yield steps, 0, 1, Realized(first, steps, False)
                break
            notes = self.guide.after(notes, entry.write, entry.move)
            now[cell] = entry.write
            x, y = x + DELTAS[entry.move][0], y + DELTAS[entry.move][1]
            p, q = entry.next, other.next
        self.budget -= steps + 1


def _symbols(history: History) -> list[int]:
    """The symbols of a history, the last one first."""
    symbols = []
    while history is not None:
        history, symbol = history
        symbols.append(symbol)
    return symbols


def realize(
    left: Sequence[Row], right: Sequence[Row], guide: Guide, reader: Reader, budget: int
) -> Realized | None:
    """A shortest difference if the budget of steps allows, or else any; None if none was found."""
    for way in (SHORTEST, NEAREST, SMALLEST):
        found = _Search(left, right, guide, reader, budget).run(way)
        if found:
            return found
    return _Search(left, right, guide, reader, budget).wander()
