"""From grids that were seen to an agent that shows the same ones, the smallest first."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from itertools import permutations

from gridlang.compiler.synthesis.asked import NEW_ROW, RESULT, Asked, Token, permutable
from gridlang.compiler.synthesis.found_agents import Judged, found_table
from gridlang.compiler.synthesis.level import Found, Progress, Questions
from gridlang.compiler.synthesis.limits import LIMITS
from gridlang.compiler.synthesis.native_search import ANY_COST, Candidate, Space, steps_limit
from gridlang.compiler.synthesis.snapshots import LAST_ALONE, Grid, Snapshots
from gridlang.compiler.synthesis.specification import START
from gridlang.compiler.synthesis.synthesize import PLANE, ROWS, Outcome, Synthesizer
from gridlang.diagnostics import fail
from gridlang.loading import load_source
from gridlang.printer import table_to_source
from gridlang.source import Source
from gridlang.table import BLANK, Table
from gridlang.world import Cell, World


class SnapshotSearch(Synthesizer):
    """A search for the smallest agent that shows these grids."""

    def __init__(
        self,
        snapshots: Snapshots,
        moves: str | None,
        most_states: int,
        nodes: int,
        tell: Callable[[str], Callable[[int], None]],
    ) -> None:
        self.snapshots, self.most_states, self.nodes, self.tell = snapshots, most_states, nodes, tell
        self.left, self.least = nodes, 1
        self.decisions, self.is_open = (), True
        self.moves = moves or (ROWS if snapshots.flat else PLANE)
        empty = (tuple(None for _ in snapshots.symbols),)
        self.table = Table(snapshots.name, snapshots.symbols, (START,), empty)
        inputs = sorted(map(_asked, snapshots.runs), key=lambda one: (len(one.text), len(one.grids)))
        self.inputs = tuple(inputs) if self.moves == ROWS else self._for_a_plane(inputs)
        self.known = {one.text: one for one in self.inputs}
        self.tells_much = snapshots.every <= LIMITS.tells_much
        shortest = [one for one in self.inputs if len(one.text) == len(self.inputs[0].text)]
        self.letters = "" if self.tells_much else permutable(self._is_asked, shortest, snapshots.symbols[1:])
        self.progress = Progress()
        self.questions = Questions(self._judge, lambda _: None)
        self.outcome = Outcome()
        self.unproven = self.in_proof = None

    def _for_a_plane(self, inputs: Iterable[Asked]) -> tuple[Asked, ...]:
        """The shortest; GridError if all are long, for a run has room for all its steps in each direction."""
        most = LIMITS.steps_on_plane
        short = [one for one in inputs if steps_limit(one, self.snapshots.every) <= most]
        if not short:
            hint = "show shorter runs; where only last grids were seen, smaller ones"
            raise fail("G175", f"all runs may take more than {most:,} steps on the plane", hint)
        return tuple(short[: LIMITS.on_plane])

    def _find(self, most_states: int, nodes: int) -> Found | None:
        """Any agent. Where grids say much, rounds go through all sizes without a bound on cost."""
        if not self.tells_much:
            return super()._find(most_states, nodes)
        spent, allowance, sizes = 0, LIMITS.first_allowance, list(range(1, most_states + 1))
        while sizes and spent < nodes:
            for states in tuple(sizes):
                answer = self._search(self._space(states, ""), min(allowance, nodes - spent))
                spent += answer.nodes
                if answer.found:
                    return answer.found
                if answer.exhausted:
                    sizes.remove(states)
            allowance *= LIMITS.growth
        return None

    def _find_smaller(self) -> None:
        """Only if grids say little; otherwise the smallest were tried first."""
        if not self.tells_much:
            super()._find_smaller()

    def _exclude_smaller(self) -> None:
        """A short search if an agent was found at once."""
        self.left = min(self.left, LIMITS.again * self.outcome.nodes)
        super()._exclude_smaller()

    def _find_faster(self) -> None:
        """Nothing: the number of steps is seen, or not asked."""

    def _space(self, states: int, letters: str, cost: int = ANY_COST) -> Space:
        active = LIMITS.active if self.snapshots.every == LAST_ALONE else LIMITS.most_active
        inputs = tuple(self._representatives(letters))
        return Space(
            self.table, states, self.moves, inputs, active, letters, cost, every=self.snapshots.every
        )

    def _representatives(self, letters: str) -> Iterator[Asked]:
        """One of all runs that are permuted into each other, as far as these were seen."""
        orders = [dict(zip(letters, order, strict=True)) for order in permutations(letters)]
        others = {one: {"".join(order.get(c, c) for c in one) for order in orders} for one in self.known}
        return (run for one, run in self.known.items() if one == min(others[one] & self.known.keys()))

    def _is_asked(self, one: Asked) -> bool:
        """Whether it was seen."""
        return self.known.get(one.text) == one

    def _judge(self, candidate: Candidate, space: Space) -> Judged:
        text = table_to_source(found_table(self.table, candidate, space.letters))
        program = load_source(Source(f"<{self.snapshots.name}>", text))
        return Judged(program, text, as_shown=True)


def _asked(run: tuple[Grid, ...]) -> Asked:
    """A run that must show these grids; what it leaves tells it from others that stand alike before."""
    text = _text(run[0].cells)
    pattern = tuple(_left(run[-1]))
    return Asked(text, RESULT, pattern if len(pattern) <= LIMITS.most_tokens else (), run)


def _text(cells: Mapping[Cell, str]) -> str:
    """A word as it is; of another world its rows, and before them how far it lies to the left and above."""
    frame = World(cells).frame
    across, down = range(frame.left, frame.right + 1), range(frame.top, frame.bottom + 1)
    rows = ("".join(cells.get((x, y), BLANK) for x in across).rstrip(BLANK) for y in down)
    return "\t" * -frame.left + "\v" * -frame.top + NEW_ROW.join(rows)


def _left(grid: Grid) -> list[Token]:
    """The rows of a grid from the first to the last that is not blank, without blanks at their ends."""
    tokens: list[Token] = []
    rows = [y for _, y in grid.cells]
    for y in range(min(rows, default=0), max(rows, default=-1) + 1):
        tokens += [(NEW_ROW, False)] if tokens or y > min(rows) else []
        places = [x for x, row in grid.cells if row == y]
        xs = range(min(places, default=0), max(places, default=-1) + 1)
        tokens += [(grid.cells.get((x, y), BLANK), False) for x in xs]
    return tokens
