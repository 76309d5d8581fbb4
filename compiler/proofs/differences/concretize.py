"""From a difference that an abstraction suspects to a world that shows it.

The search forgets nothing: it reads cell after cell, remembers each, and only branches where a cell is read
for the first time. What an abstraction knows of the way to the nearest failure guides it and cuts branches
that can never fail. Its estimates are never too large, so that the first difference found by A* is a shortest
one. Where that takes too long, any difference will do: the nearest by the estimate, or one on few cells.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from heapq import heappop, heappush
from itertools import count
from random import Random
from typing import NamedTuple, Protocol

from compiler.proofs.joint_step import RIGHT_DIFFERS, UNASKED, Stuck, joint_step
from compiler.proofs.limits import LIMITS
from compiler.proofs.stages import Guide
from gridlang.table import DELTAS, Row
from gridlang.world import Cell


class SearchOrder(NamedTuple):
    """What comes first: the weights of steps behind, of steps ahead, and of cells that were chosen."""

    behind: int
    ahead: int
    chosen: int


# Equal weights of behind and ahead make A*. Eight times as much ahead goes for the failure and rarely back.
# With no weight behind, and a cell as dear as 64 steps, long runs on few cells come first.
SHORTEST, NEAREST, SMALLEST = SearchOrder(1, 1, 0), SearchOrder(1, 8, 0), SearchOrder(0, 1, 64)


class Reader(Protocol):
    """Which worlds there are: what a cell may hold that is read for the first time."""

    def options(self, first: Mapping[Cell, int], cell: Cell) -> Sequence[int]: ...


class AnySymbol(NamedTuple):
    """All worlds."""

    symbols: int

    def options(self, first: Mapping[Cell, int], cell: Cell) -> Sequence[int]:  # noqa: ARG002
        return range(self.symbols)


class Blind(NamedTuple):
    """Knows nothing of the way ahead but the step at hand; it has one abstract state."""

    left: Sequence[Row]
    right: Sequence[Row]
    stuck: Stuck = UNASKED

    def ahead(self, abstract_state: int, p: int, q: int, symbol: int) -> int | None:  # noqa: ARG002
        step = joint_step(self.left[p][symbol], self.right[q][symbol], symbol, self.stuck)
        if isinstance(step, tuple):
            return 2
        return 1 if step is RIGHT_DIFFERS else None

    def after(self, abstract_state: int, write: int, move: int) -> int:  # noqa: ARG002
        return abstract_state


class Concretized(NamedTuple):
    """First contents of all cells read before a difference, the step of it, and whether none is earlier."""

    first: dict[Cell, int]
    step: int
    shortest: bool


History = tuple["History", int] | None  # The symbol read last is outermost.


class _WorldSearch:
    """One search with a budget of steps, over all histories of reads that the reader allows."""

    def __init__(
        self,
        left: Sequence[Row],
        right: Sequence[Row],
        guide: Guide,
        reader: Reader,
        budget: int,
        stuck: Stuck,
        progress: Callable[[int], None],
    ) -> None:
        self.left, self.right, self.guide, self.reader = left, right, guide, reader
        self.budget, self.stuck, self.progress = budget, stuck, progress
        self.histories = 0

    def best_first(self, order: SearchOrder) -> Concretized | None:
        """The difference that comes first in an order; of equals, the longest history and then the last."""
        serial = count()
        queue: list[tuple[int, int, int, int, History | Concretized]] = [(0, 0, 0, 0, None)]
        while queue and self.budget > 0:
            _, _, _, chosen, history = heappop(queue)
            if isinstance(history, Concretized):
                return history._replace(shortest=order == SHORTEST)
            for steps, ahead, options, onward in self._follow(history):
                many = chosen + (options > 1)
                cost = order.behind * steps + order.ahead * ahead + order.chosen * many
                heappush(queue, (cost, -steps, -next(serial), many, onward))
        return None

    def wander(self, seed: int = 0) -> Concretized | None:
        """Chooses at random, over and over, among what may still end in a difference."""
        rng = Random(seed)
        while self.budget > 0:
            for *_, difference in self._follow(None, rng):
                assert isinstance(difference, Concretized)
                return difference
        return None

    def _follow(
        self, history: History, rng: Random | None = None
    ) -> Iterator[tuple[int, int, int, History | Concretized]]:
        """Lives a history again, up to a difference or to the next cell that is read for the first time.

        Gives the steps behind and ahead, the number of symbols to choose from, and the longer history. With
        a random generator it chooses, and goes on to the end.
        """
        self.histories += 1
        self.progress(self.histories)
        chosen = _symbols(history)
        first: dict[Cell, int] = {}
        now: dict[Cell, int] = {}
        p = q = abstract_state = steps = x = y = 0
        while steps < LIMITS.most_steps_replayed:
            cell = (x, y)
            if cell not in now:
                if not chosen:
                    options = self.reader.options(first, cell)
                    viable = list(self._viable(options, abstract_state, p, q))
                    if rng is None or not viable:
                        for symbol, ahead in viable:
                            yield steps, ahead, len(options), (history, symbol)
                        break
                    chosen.append(rng.choice(viable)[0])
                first[cell] = now[cell] = chosen.pop()
            symbol = now[cell]
            if self.guide.ahead(abstract_state, p, q, symbol) is None:
                break
            steps += 1
            step = joint_step(self.left[p][symbol], self.right[q][symbol], symbol, self.stuck)
            if not isinstance(step, tuple):
                assert step is RIGHT_DIFFERS, "where nothing more is asked, no guide sees a difference ahead"
                yield steps, 0, 1, Concretized(first, steps, False)
                break
            entry, q = step
            p = entry.next
            now[cell] = entry.write
            x, y = x + DELTAS[entry.move][0], y + DELTAS[entry.move][1]
            abstract_state = self.guide.after(abstract_state, entry.write, entry.move)
        self.budget -= steps + 1

    def _viable(
        self, options: Sequence[int], abstract_state: int, p: int, q: int
    ) -> Iterator[tuple[int, int]]:
        """The symbols after which a difference may still come, and the least number of steps to it."""
        for symbol in options:
            ahead = self.guide.ahead(abstract_state, p, q, symbol)
            if ahead is not None:
                yield symbol, ahead


def _symbols(history: History) -> list[int]:
    """The symbols of a history, the last one first."""
    symbols = []
    while history is not None:
        history, symbol = history
        symbols.append(symbol)
    return symbols


def concretize(
    left: Sequence[Row],
    right: Sequence[Row],
    guide: Guide,
    reader: Reader,
    budget: int,
    stuck: Stuck = UNASKED,
    progress: Callable[[int], None] = lambda _: None,
) -> Concretized | None:
    """A shortest difference if the budget of steps allows, or else any; None if none was found."""
    for order in (SHORTEST, NEAREST, SMALLEST):
        search = _WorldSearch(left, right, guide, reader, budget, stuck, progress)
        difference = search.best_first(order)
        if difference:
            return difference
    return _WorldSearch(left, right, guide, reader, budget, stuck, progress).wander()


def first_step_of_difference(
    left: Sequence[Row], right: Sequence[Row], reader: Reader, budget: int, stuck: Stuck
) -> int | None:
    """The least number of steps after which a world shows a difference; None if the budget is too small."""
    guide = Blind(left, right, stuck)
    search = _WorldSearch(left, right, guide, reader, budget, stuck, lambda _: None)
    difference = search.best_first(SHORTEST)
    return difference.step if difference else None
