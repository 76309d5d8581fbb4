"""Agents drawn at random, of families that a fast engine treats in different ways, and worlds for them."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable
from itertools import product
from random import Random

from gridlang.table import Entry, Table
from gridlang.tiles import tiles_of
from gridlang.world import Cell, World
from tests.programs import DISTINCT

U, D, L, R, S = range(5)
WAYS = (U, D, L, R)
TO_LEFT, TO_RIGHT, ON, BACK = (L, R, D, U), (R, L, U, D), (U, D, L, R), (D, U, R, L)  # by the way so far
FAR = 10**9


class Draft:
    """A table that is put together rule by rule; states have the numbers in which they are first named."""

    def __init__(self, symbols: int) -> None:
        self.symbols = symbols
        self._numbers: dict[Hashable, int] = {}
        self._rules: dict[tuple[int, int], Entry] = {}

    def number(self, state: Hashable) -> int:
        return self._numbers.setdefault(state, len(self._numbers))

    def on(
        self, state: Hashable, symbols: Iterable[int], write: int | None, move: int, after: Hashable
    ) -> None:
        """A rule for each of some symbols; `write` is None where the symbol is kept."""
        here, there = self.number(state), self.number(after)
        for symbol in symbols:
            entry = Entry(symbol if write is None else write, move, there)
            self._rules[here, symbol] = entry._replace(next=here) if entry.is_idle(symbol) else entry

    def mutate(self, random: Random, rules: int, ways: tuple[int, ...] = WAYS) -> Draft:
        """Some pairs get a rule of chance."""
        for _ in range(rules):
            state, symbol = random.randrange(len(self._numbers)), random.randrange(self.symbols)
            after = random.randrange(len(self._numbers))
            self._rules[state, symbol] = Entry(random.randrange(self.symbols), random.choice(ways), after)
        return self

    def table(self) -> Table:
        names = ("_", *(chr(0x4E00 + number) for number in range(1, self.symbols)))
        states = range(len(self._numbers))
        rows = tuple(tuple(self._rules.get((q, x)) for x in range(self.symbols)) for q in states)
        return Table("random", names, tuple(f"q{q}" for q in states), rows)


def turmite(random: Random) -> Draft:
    """An ant with states of its own."""
    own, k = random.randint(1, 4), random.randint(2, 6)
    draft = Draft(k)
    for state, x in product(range(own), range(k)):
        write, turn, after = (
            random.randrange(k),
            random.choice((TO_LEFT, TO_RIGHT, ON, BACK)),
            random.randrange(own),
        )
        for way in WAYS:
            draft.on((state, way), [x], write, turn[way], (after, turn[way]))
    return draft


def chance(random: Random, ways: tuple[int, ...]) -> Draft:
    n, k = random.randint(1, 6), random.randint(2, 5)
    draft = Draft(k)
    undefined, staying = random.choice((0, 0, 0.05, 0.15)), random.choice((0, 0.05, 0.2))
    for q in range(n):
        draft.number(q)
    for q, x in product(range(n), range(k)):
        if random.random() >= undefined:
            move = S if random.random() < staying else random.choice(ways)
            draft.on(q, [x], random.randrange(k), move, random.randrange(n))
    return draft


def chance_on_a_tape(random: Random) -> Draft:
    return chance(random, random.choice(((L, R), (L, R), (L, R), (U, D))))


def chance_on_a_plane(random: Random) -> Draft:
    return chance(random, WAYS)


LONG_RUNNERS = (
    "1RB1LC_1RC1RB_1RD0LE_1LA1LD_1RZ0LA",
    "1RB2LA1RA1RA_1LB1LA3RB---",
    "1RB2RB3LA2RA_1LA3RB1LB2LB",
    "1RB0RF_1LC1RB_0RE0LD_0LC0LB_1RA0RE_0RD1RZ",
    "1RB1RC_1LC1RA_1RA1LD_0LE1RB_1RZ0LA",
    "1RB2LA1LA_2LA1RB1RA",
)


def beaver(random: Random) -> Draft:
    """A small machine known to run for long, and its relatives."""
    rows = random.choice(LONG_RUNNERS).split("_")
    k = len(rows[0]) // 3
    draft = Draft(k)
    for state in "ABCDEF"[: len(rows)]:
        draft.number(state)
    for (state, row), x in product(zip("ABCDEF", rows, strict=False), range(k)):
        write, way, after = row[3 * x : 3 * x + 3]
        if write != "-":
            draft.on(state, [x], int(write), L if way == "L" else R, after)
    if "Z" in draft._numbers:
        draft.on("Z", range(k), None, S, "Z")
    ways = random.choice(((L, R), WAYS))
    return draft.mutate(random, random.choice((0, 1, 2)), ways)


def example(random: Random) -> Draft:
    """One of the examples, which carry, count, sort, walk home and fill rooms, with a rule or two of chance."""
    table = random.choice(DISTINCT).load().table
    draft = Draft(len(table.symbols))
    for q in range(len(table.states)):
        draft.number(q)
    for q, x, entry in table.entries():
        draft.on(q, [x], entry.write, entry.move, entry.next)
    return draft.mutate(random, random.choice((0, 0, 1, 2)), random.choice(((L, R), WAYS)))


def dwelling(random: Random) -> Draft:
    """Many steps without a move, and rounds that come back to where they began."""
    n, k = random.randint(2, 10), random.randint(2, 5)
    draft = Draft(k)
    for q in range(n):
        draft.number(q)
    round_trip = random.random() < 0.5
    for q, x in product(range(n), range(k)):
        if round_trip:
            write, after = (x if random.random() < 0.7 else (x + 1) % k), (q + 1) % n
            move = (R, D, L, U)[q % 4] if random.random() < 0.85 else random.choice(WAYS)
            draft.on(q, [x], write, move, after if random.random() < 0.85 else random.randrange(n))
        else:
            move = S if random.random() < 0.4 else random.choice(WAYS)
            write = random.randrange(k)
            draft.on(q, [x], (x + 1) % k if move == S and write == x else write, move, random.randrange(n))
    return draft


def distant(random: Random) -> Draft:
    """Each state walks over blanks for ever, and turns at what stands in its way."""
    n, k = random.randint(4, 8), random.randint(2, 4)
    draft = Draft(k)
    for q in range(n):
        draft.on(q, [0], 0, random.choice(WAYS), q)
    for q, x in product(range(n), range(1, k)):
        draft.on(q, [x], random.choice((x, 0, random.randrange(k))), random.choice(WAYS), random.randrange(n))
    q = random.randrange(n)
    draft.on(q, [0], random.randint(1, k - 1), random.choice(WAYS), random.randrange(n))
    return draft


def many_symbols(random: Random) -> Draft:
    """Cells of one byte and of two, on both sides of where they change, and sets of symbols with gaps."""
    n, k = random.randint(1, 12), random.choice((12, 40, 253, 254, 255, 256, 300))
    ways = random.choice(((L, R), WAYS))
    draft = Draft(k)
    for q in range(n):
        draft.number(q)
    for q in range(n):
        shift, way = random.randrange(k), random.choice((L, R))
        for x in range(k):
            if random.random() < 0.6:
                draft.on(q, [x], None, way, q)
            elif random.random() < 0.97:
                draft.on(q, [x], (x + shift) % k, random.choice(ways), random.randrange(n))
    return draft


FAMILIES: dict[str, Callable[[Random], Draft]] = {
    drawn.__name__: drawn
    for drawn in (
        *(turmite, chance_on_a_tape, chance_on_a_plane, beaver, example),
        *(dwelling, distant, many_symbols),
    )
}


def drawn_world(random: Random, symbols: tuple[str, ...]) -> World:
    """Blank, a row, painted, sparse or far away, on both sides of 0; as a map or in tiles."""
    cells: dict[Cell, str] = {}
    kind = random.choice(("blank", "row", "row", "block", "painted", "sparse", "scattered"))
    if kind == "row":
        few = random.sample(symbols, min(len(symbols), random.randint(1, 4)))
        cells = {(x, 0): random.choice(few) for x in range(random.randint(1, 150))}
    elif kind in ("block", "painted"):
        left, top = random.randint(-100, 20), random.randint(-50, 20)
        paint = random.choices(symbols, k=1 if kind == "painted" else 3)
        for x, y in product(range(random.randint(1, 90)), range(random.randint(1, 30))):
            if kind == "painted" or random.random() < 0.8:
                cells[left + x, top + y] = random.choice(paint)
    elif kind == "sparse":
        reach = 10 ** random.randint(1, 9)
        for _ in range(random.randint(1, 12)):
            row = random.choice((0, 0, random.randint(-reach, reach)))
            cells[random.randint(-reach, reach), row] = random.choice(symbols)
    elif kind == "scattered":
        for _ in range(random.randint(1, 60)):
            cells[random.randint(-40, 40), random.randint(-40, 40)] = random.choice(symbols)
    at = (0, 0) if random.random() < 0.8 else (random.randint(-FAR, FAR), random.randint(-FAR, FAR))
    cells = {(x + at[0], y + at[1]): symbol for (x, y), symbol in cells.items() if symbol != symbols[0]}
    start = random.choice(((0, 0), (0, 0), (random.randint(-70, 70), random.randint(-40, 40))))
    held = tiles_of(cells, symbols) if random.random() < 0.2 else cells
    return World(held, (at[0] + start[0], at[1] + start[1]))


def drawn_budgets(random: Random, most: int) -> list[int]:
    """Where a run is looked at: small and large numbers of steps, in order."""
    last = min(most, 1 << random.randint(0, most.bit_length()))
    return sorted(random.randint(1, last) for _ in range(random.randint(1, 6)))
