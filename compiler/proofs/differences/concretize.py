"""From a difference that an abstraction suspects to a world that shows it.

The search forgets nothing: it reads cell after cell, remembers each, and only branches where a cell is read
for the first time. What an abstraction knows of the way to the nearest failure guides it and cuts branches
that can never fail. Its estimates are never too large, so that the first difference found by A* is a shortest
one. To go for the nearest, or to choose at random where that takes too long, found nothing in 79 searches.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from heapq import heappop, heappush
from itertools import count
from typing import NamedTuple, Protocol

from gridlang.compiler.proofs.abstractions.windows import Guide
from gridlang.compiler.proofs.limits import LIMITS
from gridlang.compiler.proofs.reports import report
from gridlang.table import DELTAS
from gridlang.world import Cell


class Reader(Protocol):
    """Which worlds there are: what a cell may hold that is read for the first time."""

    def options(self, first: Mapping[Cell, int], cell: Cell) -> Sequence[int]: ...


class AnySymbol(NamedTuple):
    """All worlds."""

    symbols: int

    def options(self, first: Mapping[Cell, int], cell: Cell) -> Sequence[int]:  # noqa: ARG002
        return range(self.symbols)


class Concretized(NamedTuple):
    """First contents of all cells read before a difference, and the step of it."""

    first: dict[Cell, int]
    step: int


History = tuple["History", int] | None  # The symbol read last is outermost.


class _WorldSearch:
    """One search with a budget of steps, over all histories of reads that the reader allows."""

    def __init__(self, guide: Guide, reader: Reader, budget: int) -> None:
        self.guide, self.reader, self.budget = guide, reader, budget
        self.histories = 0

    def first(self) -> Concretized | None:
        """The difference that comes first; of equals, the longest history and then the last."""
        serial = count()
        queue: list[tuple[int, int, int, History | Concretized]] = [(0, 0, 0, None)]
        while queue and self.budget > 0:
            *_, history = heappop(queue)
            if isinstance(history, Concretized):
                return history
            for steps, ahead, onward in self._follow(history):
                heappush(queue, (steps + ahead, -steps, -next(serial), onward))
        return None

    def _follow(self, history: History) -> Iterator[tuple[int, int, History | Concretized]]:
        """Lives a history again, up to a difference or to the next cell that is read for the first time.

        Gives the steps behind and ahead, and the longer history.
        """
        self.histories += 1
        report(self.histories)
        chosen = _symbols(history)
        first: dict[Cell, int] = {}
        now: dict[Cell, int] = {}
        node = steps = x = y = 0
        while steps < LIMITS.most_steps_replayed:
            cell, guided = (x, y), self.guide.steps(node)
            if cell not in now:
                if not chosen:
                    for symbol in self.reader.options(first, cell):
                        if symbol in guided:
                            yield steps, guided[symbol].ahead, (history, symbol)
                    break
                first[cell] = now[cell] = chosen.pop()
            step = guided.get(now[cell])
            if step is None:
                break
            steps += 1
            if step.after is None:
                yield steps, 0, Concretized(first, steps)
                break
            node, now[cell], move = step.after, step.write, step.move
            x, y = x + DELTAS[move][0], y + DELTAS[move][1]
        self.budget -= steps + 1


def _symbols(history: History) -> list[int]:
    """The symbols of a history, the last one first."""
    symbols = []
    while history is not None:
        history, symbol = history
        symbols.append(symbol)
    return symbols


def concretize(guide: Guide, reader: Reader, budget: int) -> Concretized | None:
    """A shortest difference, if the budget of steps allows."""
    return _WorldSearch(guide, reader, budget).first()
