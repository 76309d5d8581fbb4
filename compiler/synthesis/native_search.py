"""The search in C, one task at a time: all its files as one source."""

from __future__ import annotations

from array import array
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise, permutations
from pathlib import Path as FilePath

from gridlang.compiler.simulation.native.c_library import CLibrary
from gridlang.compiler.synthesis.asked import DECIDE, NEW_ROW, Asked, Pattern
from gridlang.compiler.synthesis.limits import step_limit
from gridlang.compiler.synthesis.snapshots import LAST_ALONE
from gridlang.table import BLANK, MOVES, Table

EXHAUSTED, FOUND, PAUSED, CUT = range(4)
OPEN, HALT, STUCK, ENDS = 255, 254, 253, 245  # as `next` of a rule
ORDER = "LRUDS"  # of moves in C
WANTED = (1, 0, OPEN)  # a rule that is to be found
NO_RULE = (OPEN, STUCK)
ROOM = 240  # states that C has room for
ENDLESS = 2**62
HIDDEN = 1 << 30
ANY_COST = 10**6
Path = tuple[int, ...]  # the choices that a task begins with
Groups = tuple[frozenset[Pattern], ...]  # of results
Rules = tuple[tuple[int, int, int], ...]  # write, move, next; states and symbols in the order of a table
FILES = ("runs.c", "shown.c", "search.c", "costs.c", "look_ahead.c", "search_room.c")


def _source() -> str:
    folder = FilePath(__file__).parent
    return "\n".join((folder / name).read_text(encoding="utf-8") for name in FILES)


LIBRARY = CLibrary(_source, "-O3")


@dataclass(frozen=True)
class Space:
    """The agents that are searched: all that keep the table's rules, within bounds.

    `letters` are permuted by rules that permute alike. `best` bounds the steps on all inputs together. If
    `every` is not 0, agents must show the grids of all inputs, seen after every `every` steps and at the end.
    An agent that `decides` leaves anything, but inputs with results of different groups end at different
    pairs. `kept` are rules of the first states, in place of the table's.
    """

    table: Table
    states: int
    moves: str
    inputs: tuple[Asked, ...]
    active: int
    letters: str = ""
    most_cost: int = ANY_COST
    best: int = ENDLESS
    stuck: bool = False
    every: int = 0
    decides: Groups = ()
    kept: Rules = ()

    @cached_property
    def given(self) -> Rules:
        """The rules that are kept, of each state and symbol."""
        return self.kept or tuple(_given(self.table))

    @cached_property
    def order(self) -> str:
        """The blank, other symbols, the letters that are permuted, and the marks."""
        marks = _marks(self)
        others = [c for c in self.table.symbols if c not in self.letters and c not in marks]
        return "".join([*others, *self.letters, *marks])

    @cached_property
    def problem(self) -> object:
        """As C reads it, once for all tasks: it takes longer than many of them."""
        return _problem(self, self.order)


@dataclass(frozen=True, slots=True)
class Candidate:
    """An agent that is right on all inputs of the search: rules by pair, families of states, steps in all."""

    rules: Rules
    base: tuple[int, ...]
    letter: tuple[int, ...]
    steps: int


class Task:
    """A part of a space: all agents whose first choices are those of a path."""

    def __init__(self, space: Space, path: Path = (), split: int = 0) -> None:
        self.space = space
        self.symbols = space.order
        self._search = LIBRARY.own(self, "search_new", "search_free", space.problem)
        given = array("i", path or (0,))
        self._state = LIBRARY.search_start(self._search, given, len(path), split, space.most_cost, space.best)
        self._is_new = True

    @property
    def nodes(self) -> int:
        """Rules that were tried."""
        return int(LIBRARY.search_nodes(self._search))

    def go_on(self, nodes: int) -> int:
        """How it stands after `nodes` more rules, or earlier, at a candidate or a cut."""
        if not (self._is_new and self._state != PAUSED):
            self._state = LIBRARY.search_on(self._search, nodes)
        self._is_new = False
        return int(self._state)

    def path(self) -> Path:
        room = array("i", [0] * (self.space.states * len(self.symbols) + 1))
        count = LIBRARY.search_path(self._search, room)
        return tuple(room[:count])

    def candidate(self) -> Candidate:
        count = len(self.symbols)
        flat = array("B", bytes(4 * self.space.states * count))
        base, letter = array("i", [0] * ROOM), array("i", [0] * ROOM)
        steps = LIBRARY.search_found(self._search, flat, base, letter)
        place = [self.symbols.index(symbol) for symbol in self.space.table.symbols]
        names = self.space.table.symbols
        rules = []
        for state in range(self.space.states):
            for symbol in place:
                write, move, after, _ = flat[4 * (state * count + symbol) :][:4]
                rules.append((names.index(self.symbols[write]), MOVES.index(ORDER[move]), after))
        states = self.space.states
        return Candidate(tuple(rules), tuple(base[:states]), tuple(letter[:states]), int(steps))


def _marks(space: Space) -> list[str]:
    """Symbols that no input, result or written rule mentions: they are alike."""
    asked = {c for one in space.inputs for c in (one.text if space.decides else one.symbols())}
    symbols = space.table.symbols
    rules = [(at % len(symbols), write) for at, (write, _, to) in enumerate(space.given) if to not in NO_RULE]
    written = {symbols[n] for pair in rules for n in pair}
    return [c for c in symbols[1:] if c not in asked | written | set(space.letters)]


def _problem(space: Space, symbols: str) -> object:
    """The space as C reads it."""
    place = {symbol: number for number, symbol in enumerate(symbols)}
    symbols_there, patterns = array("B"), array("B")
    cell_x, cell_y, begins, pattern_begins = (array("i", first) for first in ((), (), (0,), (0,)))
    for one in space.inputs:
        for (x, y), symbol in one.cells().items():
            cell_x.append(x)
            cell_y.append(y)
            symbols_there.append(place[symbol])
        begins.append(len(cell_x))
        patterns.extend(127 if c == NEW_ROW else place[c] | (128 if many else 0) for c, many in one.pattern)
        pattern_begins.append(len(patterns))
    orders = list(permutations(range(len(space.letters)))) if space.letters else [()]
    moves = {MOVES[move] for _, move, to in space.given if to < ENDS}
    return LIBRARY.structs["problem"](
        states=space.states,
        named=len(space.given) // len(symbols),
        symbols=len(symbols),
        marks=len(symbols) - len(_marks(space)),
        moves=len(space.moves),
        flat=int(len(space.moves) == 2 and not moves & {"U", "D"}),
        stuck=int(space.stuck),
        first_letter=place[space.letters[0]] if space.letters else 0,
        letters=len(space.letters),
        orders=len(orders),
        inputs=len(space.inputs),
        active=min(space.active, len(space.inputs)),
        rules=array("B", _rules(space, place)),
        permutations=array("B", [*(number for order in orders for number in order), 0]),
        begins=begins,
        limits=array("i", (steps_limit(one, space.every) for one in space.inputs)),
        asked=array("i", _asked(space)),
        pattern_begins=pattern_begins,
        cell_x=cell_x or array("i", [0]),
        cell_y=cell_y or array("i", [0]),
        cell_symbols=symbols_there or array("B", [0]),
        patterns=patterns or array("B", [0]),
        every=space.every,
        **_shown(space.inputs, place),
    )


def _asked(space: Space) -> Iterator[int]:
    """How each run must end."""
    group = {pattern: number for number, patterns in enumerate(space.decides) for pattern in patterns}
    return (DECIDE + group[one.pattern] if group else one.ending for one in space.inputs)


def steps_limit(one: Asked, every: int) -> int:
    """Steps that a run may take; one of which grids are seen ends soon after the last but one."""
    if 0 < every < LAST_ALONE:
        return every * len(one.grids)
    return step_limit(max(len(one.text), sum(not many for _, many in one.pattern)))


def _shown(inputs: tuple[Asked, ...], place: dict[str, int]) -> dict[str, array[int]]:
    """The grids that were seen, as C reads them."""
    told = {name: array("i", [0]) for name in ("grids", "changes")}
    told |= {name: array("i") for name in ("change_x", "change_y", "head_x", "head_y")}
    told |= {name: array("B") for name in ("symbol_before", "symbol_after")}
    for one in inputs:
        for grid, after in pairwise(one.grids):
            for x, y in sorted({*grid.cells, *after.cells}):
                before, now = (each.cells.get((x, y), BLANK) for each in (grid, after))
                if before != now:
                    told["change_x"].append(x)
                    told["change_y"].append(y)
                    told["symbol_before"].append(place[before])
                    told["symbol_after"].append(place[now])
            told["changes"].append(len(told["change_x"]))
            head_x, head_y = after.head or (HIDDEN, HIDDEN)
            told["head_x"].append(head_x)
            told["head_y"].append(head_y)
        told["grids"].append(len(told["changes"]) - 1)
    for each in told.values():
        each.append(0)  # C is given no empty array
    return told


def _given(table: Table) -> Iterator[tuple[int, int, int]]:
    """The rules of a table, and those that are open."""
    for row in table.rows:
        for symbol, entry in enumerate(row):
            if entry is None:
                yield 0, 0, OPEN
            elif entry.is_idle(symbol):
                yield symbol, 0, HALT
            else:
                yield entry.write, entry.move, entry.next


def _rules(space: Space, place: dict[str, int]) -> Iterator[int]:
    """Write, move, next and 0 of each state and symbol."""
    names = space.table.symbols
    for state in range(space.states):
        for symbol in place:
            at = state * len(names) + names.index(symbol)
            write, move, after = space.given[at] if at < len(space.given) else (0, 0, OPEN)
            if after == OPEN:
                yield from (write, 0, OPEN, 0)
            else:
                yield from (place[names[write]], ORDER.index(MOVES[move]) if after < ENDS else 0, after, 0)
