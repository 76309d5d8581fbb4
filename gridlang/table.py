"""`Table`: the transition table of an agent, the waist of the toolkit."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

from gridlang.diagnostics import GridError, fail
from gridlang.display import Shown
from gridlang.scanner import is_name, is_symbol

FORMAT = "gridlang-table/1"
BLANK = "_"
MOVES = "UDLRS"
STAY = MOVES.index("S")
DELTAS = ((0, -1), (0, 1), (-1, 0), (1, 0), (0, 0))
MAX_STATES = 10_000
MAX_SYMBOLS = 1_000


class Entry(NamedTuple):
    """What to do in one state on one symbol; all three are indices."""

    write: int
    move: int
    next: int

    def is_idle(self, symbol: int) -> bool:
        """Whether this entry, looked up on a symbol, is the halt: it keeps the symbol and stays."""
        return self.write == symbol and self.move == STAY


Row = tuple[Entry | None, ...]


@dataclass(frozen=True, slots=True)
class Table(Shown):
    """A partial deterministic transition table, validated once.

    `symbols[0]` is the blank, `states[0]` the start; `rows[state][symbol]` is None where the
    agent gets stuck. An idle entry (keeps its symbol and stays) is a halt and keeps its state.
    `classes` name sets of symbols; `input` and `output` are clauses of the language, in its
    own words, without parameters.

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

    def __post_init__(self) -> None:
        problem = next(_problems(self), None)
        if problem:
            raise fail("G080", f"this is not a table: {problem}", file=self.name)

    @property
    def transitions(self) -> int:
        """The number of defined pairs."""
        return sum(entry is not None for row in self.rows for entry in row)

    def entries(self) -> Iterator[tuple[int, int, Entry]]:
        """All defined pairs as (state, symbol, entry)."""
        for state, row in enumerate(self.rows):
            for symbol, entry in enumerate(row):
                if entry is not None:
                    yield state, symbol, entry

    def is_halt(self, state: int, symbol: int) -> bool:
        """Whether this pair is the idle step."""
        entry = self.rows[state][symbol]
        return entry is not None and entry.is_idle(symbol)

    def missing(self) -> Iterator[tuple[int, int]]:
        """All undefined pairs."""
        for state, row in enumerate(self.rows):
            for symbol, entry in enumerate(row):
                if entry is None:
                    yield state, symbol

    def to_source(self) -> str:
        """The table as a `.grid` file, a state at a time; `gridlang.loads` reads it back."""
        import gridlang

        return str(gridlang.compile(self, to="grid"))

    def to_json(self) -> str:
        """The table as JSON; `gridlang.loads` reads it back."""
        return table_to_json(self)

    def __repr__(self) -> str:
        return f"Table({self.name}: {size_in_words(self)})"


def size_in_words(table: Table) -> str:
    """`12 states, 4 symbols, 38 rules`."""
    return f"{len(table.states):,} states, {len(table.symbols):,} symbols, {table.transitions:,} rules"


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
    for row, column, (write, move, after) in table.entries():
        where = f"state `{states[row]}` on `{symbols[column]}`"
        if not (0 <= write < len(symbols) and 0 <= move < len(MOVES) and 0 <= after < len(states)):
            yield f"{where} names a symbol, move or state that does not exist"
        if Entry(write, move, after).is_idle(column) and after != row:
            yield f"{where} is idle but changes the state"
    for name, members in table.classes:
        if not set(members) <= set(symbols) or not members or not is_name(name):
            yield f"class {name!r} is not a named set of its symbols"


def make_table(
    name: str,
    symbols: tuple[str, ...],
    start: str,
    rules: Mapping[tuple[str, str], tuple[str, str, str]],
    classes: tuple[tuple[str, str], ...] = (),
    input: str = "",
    output: str = "",
) -> Table:
    """A table in canonical order: what is reachable from `start`, breadth first."""
    order = [start]
    index = {start: 0}
    for state in order:
        for symbol in symbols:
            rule = rules.get((state, symbol))
            if rule and rule[2] not in index:
                index[rule[2]] = len(order)
                order.append(rule[2])
    place = {symbol: i for i, symbol in enumerate(symbols)}

    def entry(state: str, symbol: str) -> Entry | None:
        rule = rules.get((state, symbol))
        return Entry(place[rule[0]], MOVES.index(rule[1]), index[rule[2]]) if rule else None

    rows = tuple(tuple(entry(state, symbol) for symbol in symbols) for state in order)
    return Table(name, symbols, tuple(order), rows, classes, input, output)


def canonical(table: Table) -> Table:
    """The same agent with its states breadth first and unreachable ones left out."""
    rules = {
        (table.states[state], table.symbols[symbol]): (
            table.symbols[entry.write],
            MOVES[entry.move],
            table.states[entry.next],
        )
        for state, symbol, entry in table.entries()
    }
    return make_table(
        table.name, table.symbols, table.states[0], rules, table.classes, table.input, table.output
    )


def table_to_json(table: Table) -> str:
    """Complete and stable: the same table always gives the same text."""
    rules = [
        [table.states[q], table.symbols[x], table.symbols[e.write], MOVES[e.move], table.states[e.next]]
        for q, x, e in table.entries()
    ]
    data = {
        "format": FORMAT,
        "name": table.name,
        "symbols": list(table.symbols),
        "blank": BLANK,
        "moves": list(MOVES),
        "states": list(table.states),
        "start": table.states[0],
        "classes": [[name, members] for name, members in table.classes],
        "input": table.input or None,
        "output": table.output or None,
    }
    head = json.dumps(data, ensure_ascii=False, indent=1)[:-2]
    body = ",\n  ".join(json.dumps(rule, ensure_ascii=False) for rule in rules)
    return f'{head},\n "rules": [\n  {body}\n ]\n}}\n'


def table_from_json(text: str, file: str = "") -> Table:
    """Reads what `table_to_json` writes; GridError for anything else."""
    try:
        data = json.loads(text)
        if not isinstance(data, dict) or data.get("format") != FORMAT:
            found = data.get("format") if isinstance(data, dict) else None
            raise fail("G080", f"this is not a table: its format is {found!r}, not {FORMAT!r}", file=file)
        return _from_dict(data)
    except GridError as error:
        raise GridError(d._replace(file=file) for d in error.diagnostics) from None
    except KeyError as missing:
        name = str(missing)[:60]
        raise fail("G080", f"this is not a table: {name} is missing or not declared", file=file) from None
    except (ValueError, TypeError, IndexError, RecursionError, AttributeError):
        hint = "make it anew with `gridlang compile FILE --to table`"
        raise fail("G080", "this is not a table: it is not built like one", hint, file) from None


def _from_dict(data: Mapping[str, Any]) -> Table:
    if data["blank"] != BLANK or data["moves"] != list(MOVES):
        raise fail("G080", f"this is not a table: its blank must be `{BLANK}`, its moves {' '.join(MOVES)}")
    texts = (data["name"], data.get("input") or "", data.get("output") or "")
    if not all(isinstance(text, str) for text in texts) or not isinstance(data["rules"], list):
        raise fail("G080", "this is not a table: its name and clauses are texts, its rules a list")
    symbols = tuple(map(str, data["symbols"]))
    states = tuple(map(str, data["states"]))
    if data["start"] != states[0]:
        raise fail("G080", "this is not a table: its first state must be the start state")
    place = {symbol: i for i, symbol in enumerate(symbols)}
    index = {state: i for i, state in enumerate(states)}
    rows: list[list[Entry | None]] = [[None] * len(symbols) for _ in states]
    for state, symbol, write, move, after in data["rules"]:
        if rows[index[state]][place[symbol]] is not None:
            raise fail("G080", f"this is not a table: two rules for `{state}` on `{symbol}`")
        rows[index[state]][place[symbol]] = Entry(place[write], MOVES.index(move), index[after])
    classes = tuple((str(name), str(members)) for name, members in data.get("classes") or ())
    return Table(
        str(data["name"]),
        symbols,
        states,
        tuple(map(tuple, rows)),
        classes,
        str(data.get("input") or ""),
        str(data.get("output") or ""),
    )
