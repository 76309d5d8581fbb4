"""Machines on one row, between a table and the tools that write them.

A Turing machine stops where it has no rule. One that stops in a halting state becomes an agent that halts
there; one that stops elsewhere is stuck. So both leave the same tape and head, and the halt costs the agent
one step more, its idle one.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from string import ascii_letters, digits
from typing import NamedTuple

from gridlang.diagnostics import Fault, GridError, fail
from gridlang.printable import printable
from gridlang.source import Span
from gridlang.table import BLANK, MAX_STATES, MAX_SYMBOLS, MOVES, STAY, Entry, Table
from gridlang.vocabulary import HALT, agent_name, is_symbol

LEFT, RIGHT = MOVES.index("L"), MOVES.index("R")
# for symbols that are none here, such as a space that is not the blank: more than an agent can have
SPARE = ascii_letters + digits + "".join(map(chr, range(0x4E00, 0x4E00 + 2 * MAX_SYMBOLS)))


def misread(message: str, span: Span, label: str = "", hint: str = "") -> GridError:
    """The error about a file that is not in its format."""
    return Fault("G191", message, span, label, hint)


def unfit(message: str, span: Span | None, label: str = "", hint: str = "", file: str = "") -> GridError:
    """The error about a well-written machine that is not an agent."""
    return Fault("G192", message, span, label, hint, file=file)


def inexpressible(table: Table, message: str, hint: str = "") -> GridError:
    """The error about an agent that another tool's format cannot say."""
    return fail("G193", message, hint, table.name)


class TapeRule(NamedTuple):
    """What to write, the move (L, R or S), the next state, and its place in the file."""

    write: str
    move: str
    next: str
    span: Span | None = None


@dataclass(frozen=True, slots=True)
class TapeMachine:
    """A deterministic machine on one tape; in `rules`, halting states have no rule.

    `called` are the names of states, where these are not their keys.
    """

    blank: str
    start: str
    rules: Mapping[str, Mapping[str, TapeRule]]
    halting: frozenset[str]
    symbols: tuple[str, ...] = ()  # in this order, and then others that rules read and write
    called: Mapping[str, str] = field(default_factory=dict)


class Imported(NamedTuple):
    """A machine as a table, what its symbols were called, and the input of its file."""

    table: Table
    former: Mapping[str, str]
    input: str | None = None

    @property
    def notes(self) -> tuple[str, ...]:
        """What had to change on the way."""
        return tuple(f"`{own}` stands for {name!r}" for own, name in self.former.items() if own != name)


def machine_to_table(machine: TapeMachine, file: str, text: str | None = None) -> Imported:
    """The agent that does what the machine does; `text` is its first input, in the machine's own symbols.

    A rule that neither writes nor moves only hands over to another state, whose rule is taken in its place.
    """
    every = [(read, rule.write) for rules in machine.rules.values() for read, rule in rules.items()]
    others = {symbol for pair in every for symbol in pair} | set(text or "")
    symbols = own_symbols([*machine.symbols, *sorted(others)], machine.blank, file)
    keys = [machine.start, *(state for state in machine.rules if state != machine.start)]
    place = {state: number for number, state in enumerate(keys)}
    names = own_states({state: machine.called.get(state, state) for state in keys}, file)
    number = {symbol: at for at, symbol in enumerate(symbols)}

    def entry(state: str, symbol: str) -> Entry | None:
        here = state
        seen = {state}
        while True:
            if state in machine.halting:
                return Entry(number[symbol], STAY, place[here])
            rule = machine.rules[state].get(symbol)
            if rule is None:
                return None
            if rule.move != "S" or rule.write != symbol:
                return Entry(number[rule.write], MOVES.index(rule.move), place[rule.next])
            state = rule.next
            if state in seen:
                name = machine.called.get(here, here)
                message = f"state `{name}` goes round in circles on {symbol!r} and does nothing"
                raise unfit(message, rule.span, "", "an agent that does nothing has halted", file)
            seen.add(state)

    rows = tuple(tuple(entry(state, symbol) for symbol in symbols) for state in place)
    table = Table(agent_name(file), tuple(symbols.values()), tuple(names.values()), rows)
    given = None if text is None else "".join(symbols[symbol] for symbol in text)
    return Imported(table, {own: symbol for symbol, own in symbols.items()}, given)


def table_to_machine(table: Table, *, halting_start: bool = True) -> TapeMachine:
    """The machine that does what the agent does; GridError where it leaves its row.

    Where the agent writes and stays, the machine steps to the right and back. Where the agent halts in a
    state that also does something else, it goes to a state that only halts, called `halt`.
    """
    names = own_states(dict(zip(table.states, table.states, strict=True)), table.name)
    keys = [names[state] for state in table.states]
    halts = (state for state in range(len(keys)) if table.halts_everywhere(state))
    halting = {keys[state] for state in halts if state or halting_start}
    rules: dict[str, dict[str, TapeRule]] = {key: {} for key in keys}
    halt = HALT
    while halt in rules and halt not in halting:
        halt += "'"

    def stay(symbol: str, target: str) -> TapeRule:
        """Writes a symbol and stays there, in two steps."""
        if target == halt:
            halting.add(halt)
            rules.setdefault(halt, {})
        back = f"{target} <"
        while back in keys:
            back += "<"
        rules.setdefault(back, {read: TapeRule(read, "L", target) for read in table.symbols})
        return TapeRule(symbol, "R", back)

    for state, symbol, entry in table.entries():
        key, read, write = keys[state], table.symbols[symbol], table.symbols[entry.write]
        if key in halting:
            continue
        if entry.move not in (LEFT, RIGHT, STAY):
            where = f"state `{table.states[state]}` on `{read}`"
            hint = "only agents that keep to one row are machines with a tape"
            raise inexpressible(table, f"{where} moves {'up' if MOVES[entry.move] == 'U' else 'down'}", hint)
        if entry.move != STAY:
            rules[key][read] = TapeRule(write, MOVES[entry.move], keys[entry.next])
        else:
            rules[key][read] = stay(write, halt if entry.is_idle(symbol) else keys[entry.next])
    return TapeMachine(BLANK, keys[0], rules, frozenset(halting), table.symbols)


def own_symbols(foreign: Iterable[str], blank: str, file: str) -> dict[str, str]:
    """A symbol for each of another tool's, the blank first.

    One that can be a symbol keeps its character. Others take a letter of their own, if it is free.
    """
    names = list(dict.fromkeys(foreign))
    if len(names) >= MAX_SYMBOLS:
        raise unfit(f"it has {len(names):,} symbols, and an agent {MAX_SYMBOLS:,} at most", None, file=file)
    symbols = {blank: BLANK}
    kept = [name for name in names if is_symbol(name) and name not in (BLANK, blank)]
    taken = {BLANK, *kept}
    for name in names:
        if name not in symbols:
            symbols[name] = name if name in kept else next(char for char in SPARE if char not in taken)
            taken.add(symbols[name])
    return symbols


def own_states(called: Mapping[str, str], file: str) -> dict[str, str]:
    """A printable name for each state, by its key, with this key where two are alike."""
    if len(called) > MAX_STATES:
        raise unfit(f"it has {len(called):,} states, and an agent {MAX_STATES:,} at most", None, file=file)
    names: dict[str, str] = {}
    taken: set[str] = set()
    for key, text in called.items():
        name = printable(text) or "state"
        if name in taken:
            name = f"{name} {printable(key)}"
        while name in taken:
            name += "'"
        taken.add(name)
        names[key] = name
    return names
