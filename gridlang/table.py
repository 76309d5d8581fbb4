"""`Table`: the transition table of an agent, which every other part makes or uses."""

from __future__ import annotations

import copyreg
from array import array
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain
from types import MappingProxyType
from typing import Any, NamedTuple, TypeAlias

import gridlang as gl
from gridlang.diagnostics import counted, fail
from gridlang.display import Shown
from gridlang.vocabulary import BLANK as BLANK
from gridlang.vocabulary import HALT, is_name, is_symbol

MOVES = "UDLRS"
STAY = MOVES.index("S")
DELTAS = ((0, -1), (0, 1), (-1, 0), (1, 0), (0, 0))
MAX_SYMBOLS = 1_000  # exact tensors grow with its square
MAX_STATES = 10_000  # more is most often a mistake in a range


def read_only(data: dict[Any, Any]) -> MappingProxyType[Any, Any]:
    return MappingProxyType(data)


# Worlds, programs and views hold such maps; without this they are neither pickled nor copied.
copyreg.pickle(MappingProxyType, lambda view: (read_only, (dict(view),)))


class Entry(NamedTuple):
    """The action of one state on one symbol; all three are indices."""

    write: int
    move: int
    next: int

    def is_idle(self, symbol: int) -> bool:
        """Whether this entry, looked up on a symbol, is the halt: it keeps the symbol and stays."""
        return self.write == symbol and self.move == STAY


Row = tuple[Entry | None, ...]
NO_RULE = (-1, -1, -1)  # in numbers
NO_ENTRY = "an entry must be three small whole numbers"
Value: TypeAlias = int | str  # a number, or the spelling of a symbol, move, class or state


class Member(NamedTuple):
    """A state of a family, and the values of the family's parameters that make it."""

    state: int
    values: tuple[Value, ...]


class Family(NamedTuple):
    """States that are instances of one declaration: `carry(0)` to `carry(9)` of `carry(v in digit)`.

    Members are those listed here, whatever other states are called; each is called by its `label`.
    """

    name: str
    parameters: tuple[str, ...]
    members: tuple[Member, ...]

    @property
    def title(self) -> str:
        """`times(m, c)`."""
        return f"{self.name}({', '.join(self.parameters)})"

    def label(self, values: Sequence[Value]) -> str:
        """`times(3,1)`, the name of the member with these values."""
        return f"{self.name}({','.join(map(str, values))})"


@dataclass(frozen=True, slots=True)
class Table(Shown):
    """A partial deterministic transition table, validated once.

    `symbols[0]` is the blank, `states[0]` the start; `rows[state][symbol]` is None where the agent gets
    stuck. An idle entry (keeps its symbol and stays) is a halt and keeps its state. `classes` name sets of
    symbols; `input` and `output` are clauses of the language, without parameters. `families` only name
    states, so they take no part in `==`. `flat` is `rows` as numbers, for arrays and C, never changed.

    >>> import gridlang as gl
    >>> gl.load("examples/add10.grid").table
    Table(add10: 20 states, 12 symbols, 206 rules)
    """

    name: str
    symbols: tuple[str, ...]
    states: tuple[str, ...]
    rows: tuple[Row, ...]
    classes: tuple[tuple[str, str], ...] = ()
    input: str = ""
    output: str = ""
    families: tuple[Family, ...] = field(default=(), compare=False)
    flat: array[int] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        try:
            object.__setattr__(self, "flat", flattened(self.rows))
            problem = next(_problems(self), None)
        except (TypeError, OverflowError):
            problem = NO_ENTRY
        if problem:
            raise fail("G080", f"this is not a table: {problem}", file=self.name)

    def __hash__(self) -> int:
        """Of the names alone: tables are keys of caches, and to hash thousands of rules takes long."""
        return hash((self.name, self.symbols, self.states))

    @property
    def transitions(self) -> int:
        return sum(entry is not None for row in self.rows for entry in row)

    def entries(self) -> Iterator[tuple[int, int, Entry]]:
        for state, row in enumerate(self.rows):
            for symbol, entry in enumerate(row):
                if entry is not None:
                    yield state, symbol, entry

    def is_halt(self, state: int, symbol: int) -> bool:
        """Whether this pair is the idle step."""
        entry = self.rows[state][symbol]
        return entry is not None and entry.is_idle(symbol)

    def is_halt_target(self, state: int) -> bool:
        """Whether rules that lead to this state are written `-> halt`, and it needs no declaration."""
        return self.states[state] == HALT and self.halts_everywhere(state)

    def is_written(self, state: int) -> bool:
        """Whether its rules are in a source: neither those of the target `halt` nor of the rest of a word."""
        return not (self.is_halt_target(state) or self.states[state].startswith("write "))

    def halts_everywhere(self, state: int) -> bool:
        return all(self.is_halt(state, symbol) for symbol in range(len(self.symbols)))

    def missing(self) -> Iterator[tuple[int, int]]:
        for state, row in enumerate(self.rows):
            for symbol, entry in enumerate(row):
                if entry is None:
                    yield state, symbol

    def family_by_state(self) -> dict[int, Family]:
        return {member.state: family for family in self.families for member in family.members}

    def family_numbers(self) -> tuple[int, ...]:
        """A number for each state, counted from 0: shared by the members of a family, else its own."""
        home = self.family_by_state()
        numbers: dict[str | int, int] = {}
        keys = (home[state].name if state in home else state for state in range(len(self.states)))
        return tuple(numbers.setdefault(key, len(numbers)) for key in keys)

    def to_source(self) -> str:
        """The table as a `.grid` file, a state at a time; `gridlang.loads` reads it back."""
        return str(gl.compile(self, to="grid"))

    def to_json(self) -> str:
        """The table as JSON; `gridlang.loads` reads it back."""
        return str(gl.compile(self, to="table"))

    def __repr__(self) -> str:
        return f"Table({self.name}: {size_in_words(self)})"


def size_in_words(table: Table) -> str:
    """`12 states, 4 symbols, 38 rules`."""
    states, symbols = counted(len(table.states), "state"), counted(len(table.symbols), "symbol")
    return f"{states}, {symbols}, {counted(table.transitions, 'rule')}"


def flattened(rows: Sequence[Row]) -> array[int]:
    """The rules of all states, row by row, as numbers: write, move and next state; -1 without a rule."""
    rules = [NO_RULE if entry is None else entry for row in rows for entry in row]
    if set(map(len, rules)) - {len(NO_RULE)}:
        raise TypeError("rules of other lengths")
    return array("i", list(chain.from_iterable(rules)))  # a third faster than without the list


def refuse_other_symbols(
    left: Sequence[str], right: Sequence[str], names: tuple[str, str] = ("LEFT", "RIGHT")
) -> None:
    """GridError unless both have the same symbols, in any order."""
    only = [
        f"only {who} knows {' '.join(sorted({*mine} - {*other}))}"
        for who, mine, other in ((names[0], left, right), (names[1], right, left))
        if {*mine} - {*other}
    ]
    if only:
        raise fail("G085", f"the alphabets differ: {'; '.join(only)}")


def _problems(table: Table) -> Iterator[str]:
    symbols, states, rows = table.symbols, table.states, table.rows
    if not symbols or symbols[0] != BLANK:
        yield f"its first symbol must be the blank `{BLANK}`"
    for symbol in symbols:
        if not is_symbol(symbol):
            yield f"{symbol!r} cannot be a symbol: a symbol is one printable character"
    if len(set(symbols)) != len(symbols) or len(set(states)) != len(states):
        yield "a symbol or a state is named twice"
    if len(dict(table.classes)) != len(table.classes):
        yield "a class is named twice"
    if not 1 <= len(states) <= MAX_STATES or len(symbols) > MAX_SYMBOLS:
        yield f"it must have 1 to {MAX_STATES} states and at most {MAX_SYMBOLS} symbols"
    if not is_name(table.name):
        yield f"{table.name!r} cannot name an agent"
    for name in states:
        if not name or not name.isprintable():
            yield f"{name!r} cannot be a name"
    if len(rows) != len(states) or any(len(row) != len(symbols) for row in rows):
        yield "it must have a row a state and an entry a symbol"
    yield from _rule_problems(table)
    for name, members in table.classes:
        if not set(members) <= set(symbols) or not members or not is_name(name):
            yield f"class {name!r} is not a named set of its symbols"
    yield from _family_problems(table)


def _rule_problems(table: Table) -> Iterator[str]:
    symbols, moves, states = len(table.symbols), len(MOVES), len(table.states)
    for state, symbol, (write, move, after) in table.entries():
        if not (0 <= write < symbols and 0 <= move < moves and 0 <= after < states):
            problem = "names a symbol, move or state that does not exist"
        elif move == STAY and write == symbol and after != state:
            problem = "is idle but changes the state"
        else:
            continue
        yield f"state `{table.states[state]}` on `{table.symbols[symbol]}` {problem}"


def _family_problems(table: Table) -> Iterator[str]:
    if len({family.name for family in table.families}) != len(table.families):
        yield "a family is named twice"
    members = [member.state for family in table.families for member in family.members]
    if len(set(members)) != len(members):
        yield "a state is in a family twice"
    for family in table.families:
        names = family.parameters
        if not names or len(set(names)) != len(names) or not all(map(is_name, names)):
            yield f"family {family.name!r} must have parameters, each with a name of its own"
        if not family.members:
            yield f"family {family.name!r} has no states"
        for state, values in family.members:
            if len(values) != len(names) or not all(type(value) in (int, str) for value in values):
                yield f"a state of family {family.name!r} must have a number or a text for each parameter"
            if not 0 <= state < len(table.states) or table.states[state] != family.label(values):
                yield f"family {family.name!r} has a state that is not called {family.label(values)!r}"


def families_for(states: Sequence[str], table: Table) -> tuple[Family, ...]:
    """The families of a table, for other states that have taken over the names of its own."""
    place = {name: state for state, name in enumerate(states)}

    def taken_over(family: Family) -> Family:
        named = ((table.states[member.state], member) for member in family.members)
        members = [member._replace(state=place[name]) for name, member in named if name in place]
        return family._replace(members=tuple(members))

    return tuple(family for family in map(taken_over, table.families) if family.members)


def reached_states(table: Table) -> list[int]:
    following, k = table.flat[2::3].tolist(), len(table.symbols)
    order, seen = [0], {-1, 0}
    for state in order:
        for after in following[state * k : (state + 1) * k]:
            if after not in seen:
                seen.add(after)
                order.append(after)
    return order


def canonical(table: Table) -> Table:
    """The same agent with its states breadth first and unreachable ones left out."""
    order = reached_states(table)
    place = {state: number for number, state in enumerate(order)}
    if order == list(range(len(table.states))):
        return table
    states = tuple(table.states[state] for state in order)
    rows = tuple(
        tuple(entry and Entry(entry.write, entry.move, place[entry.next]) for entry in table.rows[state])
        for state in order
    )
    return replace(table, states=states, rows=rows, families=families_for(states, table))
