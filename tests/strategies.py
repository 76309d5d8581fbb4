"""Hypothesis strategies: random agents and worlds."""

from __future__ import annotations

from hypothesis import strategies as st

from gridlang.table import Entry, Family, Member, Table, Value, canonical
from gridlang.tiles import tiles_of
from gridlang.world import World

SYMBOLS = "01ab#'\\\"[é→"
STATE_NAMES = st.one_of(
    st.sampled_from(
        ["seek", "if", "halt", "S", "_", "bring(7)", "a b", '"', "\\", "état", "x'", "walk(R,digit,f(0))"]
    ),
    st.text(
        st.characters(min_codepoint=33, max_codepoint=0x2FF, exclude_categories=("C", "Z")),
        min_size=1,
        max_size=6,
    ),
)


FAMILY_VALUES: st.SearchStrategy[Value] = st.one_of(
    st.integers(-1, 99), st.sampled_from(["0", "9", "R", "digit", ")", ",", "f(0)"])
)


@st.composite
def with_family(draw: st.DrawFn, states: list[str]) -> tuple[list[str], tuple[Family, ...]]:
    """Some of the states turned into a family, unless that names two alike."""
    count = draw(st.integers(0, len(states)))
    parameters = draw(st.sampled_from([("v",), ("u", "v")]))
    each = st.tuples(*(FAMILY_VALUES for _ in parameters))
    values = draw(st.lists(each, min_size=count, max_size=count, unique=True))
    members = tuple(Member(state, given) for state, given in enumerate(values))
    family = Family(draw(st.sampled_from(["carry", "f", "a(b)"])), parameters, members)
    called = [*map(family.label, values), *states[count:]]
    return (called, (family,)) if count and len(set(called)) == len(called) else (states, ())


@st.composite
def tables(draw: st.DrawFn, max_states: int = 12, max_symbols: int = 6, names: bool = False) -> Table:
    """Agents with 1 to 12 states and 2 to 6 symbols, partial or total, many of them walking."""
    k = draw(st.integers(2, max_symbols))
    d = draw(st.integers(1, max_states))
    symbols = ("_", *draw(st.permutations(SYMBOLS))[: k - 1])
    total = draw(st.booleans())
    walking = draw(st.booleans())

    def entry(state: int, symbol: int) -> Entry | None:
        if not total and draw(st.integers(0, 3)) == 0:
            return None
        if walking and draw(st.booleans()):
            return Entry(symbol, draw(st.integers(0, 3)), state)
        write, move, after = draw(st.integers(0, k - 1)), draw(st.integers(0, 4)), draw(st.integers(0, d - 1))
        entry = Entry(write, move, after)
        return entry._replace(next=state) if entry.is_idle(symbol) else entry

    idle = d - 1 if draw(st.integers(0, 3)) == 0 else d  # The last state may be one that only halts.
    rows = tuple(tuple(Entry(x, 4, q) if q == idle else entry(q, x) for x in range(k)) for q in range(d))
    states = [f"q{i}" for i in range(d)]
    if names:
        states = draw(st.lists(STATE_NAMES, min_size=d, max_size=d, unique=True))
        if idle < d and "halt" not in states:
            states[idle] = "halt"
    states, families = draw(with_family(states))
    classes = draw(st.sampled_from([(), (("mark", symbols[-1]),), (("all", "".join(reversed(symbols))),)]))
    return Table("random", symbols, tuple(states), rows, classes, families=families)


canonical_tables = tables(names=True).map(canonical)


def tile_cells() -> st.SearchStrategy[dict[tuple[int, int], str]]:
    """Cells on both sides of the borders of tiles, with symbols of one, two and four bytes."""
    places = st.tuples(
        st.sampled_from([-129, -65, -64, -1, 0, 5, 63, 64, 200]),
        st.sampled_from([-33, -16, -1, 0, 7, 15, 16, 40]),
    )
    return st.dictionaries(places, st.sampled_from(["a", "1", "[", "]", "#", "é", "→", "𝄞"]), max_size=12)


@st.composite
def worlds(draw: st.DrawFn, table: Table, size: int = 4) -> World:
    """A few cells around the origin, and a start among them."""
    coordinate = st.integers(-size, size)
    cells = draw(
        st.dictionaries(st.tuples(coordinate, coordinate), st.sampled_from(table.symbols), max_size=12)
    )
    held = draw(st.sampled_from([cells, tiles_of(cells), tiles_of(cells, table.symbols)]))
    return World(held, draw(st.tuples(coordinate, coordinate)))
