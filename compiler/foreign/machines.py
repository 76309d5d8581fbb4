"""Machines on one row, between a table and the tools that write them.

A Turing machine stops where it has no rule. One that stops in a halting state becomes an agent that halts
there; one that stops elsewhere is stuck. So both leave the same tape and head, and the halt costs the agent
one step more, its idle one.

Finite automata and Mealy machines walk along a row, and halt or are stuck behind it. A transducer writes its
output over its input; an acceptor keeps what it reads, halts behind a word that it accepts, and is stuck
behind any other.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import NamedTuple

from gridlang.compiler.foreign.imported import (
    Imported,
    inexpressible,
    numbered_states,
    own_states,
    own_symbols,
    unfit,
)
from gridlang.labels import labelled
from gridlang.source import Span
from gridlang.table import BLANK, MOVES, STAY, Entry, Table
from gridlang.vocabulary import HALT, agent_name

LEFT, RIGHT = MOVES.index("L"), MOVES.index("R")


class TapeRule(NamedTuple):
    """What to write, the move (L, R or S), the next state, and its place in the file."""

    write: str
    move: str
    next: str
    span: Span | None = None


@dataclass(frozen=True, slots=True)
class TapeMachine:
    """A deterministic machine on one tape; `rules` has every state, and those that halt have none.

    `labels` are what people call the states, where that is not their key.
    """

    blank: str
    start: str
    rules: Mapping[str, Mapping[str, TapeRule]]
    halting: frozenset[str]
    symbols: tuple[str, ...] = ()  # in this order, and then others that rules read and write
    labels: Mapping[str, str] | None = None


def machine_to_table(machine: TapeMachine, file: str, text: str | None = None) -> Imported:
    """The agent that does what the machine does; `text` is its first input, in the machine's own symbols.

    A rule that neither writes nor moves only hands over to another state, whose rule is taken in its place.
    """
    every = [(read, rule.write) for rules in machine.rules.values() for read, rule in rules.items()]
    others = {symbol for pair in every for symbol in pair} | set(text or "")
    symbols = own_symbols([*machine.symbols, *sorted(others)], machine.blank, file)
    place, names = numbered_states(machine.start, machine.rules, machine.labels, file)
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
                label = (machine.labels or {}).get(here, here)
                message = f"state `{label}` goes round in circles on {symbol!r} and does nothing"
                raise unfit(message, rule.span, "", "an agent that does nothing has halted", file)
            seen.add(state)

    rows = tuple(tuple(entry(state, symbol) for symbol in symbols) for state in place)
    legend = {own: symbol for symbol, own in symbols.items() if own != symbol}
    labels = labelled(symbols.values(), legend)
    table = Table(agent_name(file), tuple(symbols.values()), names, rows, labels=labels)
    given = None if text is None else "".join(symbols[symbol] for symbol in text)
    return Imported(table, machine.blank, given)


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


@dataclass(frozen=True, slots=True)
class RowTransducer:
    """A deterministic machine that reads a word from left to right; `rules` has every state.

    An acceptor has `final` states, and its outputs are its inputs; a Mealy machine has None.
    """

    start: str
    rules: Mapping[str, Mapping[str, TapeRule]]
    final: frozenset[str] | None = None
    labels: Mapping[str, str] | None = None


def transducer_to_table(transducer: RowTransducer, file: str) -> Imported:
    """The agent that walks along the word; its inputs are all words over what the machine reads."""
    rules = transducer.rules
    inputs = sorted({read for each in rules.values() for read in each})
    outputs = sorted({transition.write for each in rules.values() for transition in each.values()})
    symbols = own_symbols([*inputs, *outputs], None, file)
    place, names = numbered_states(transducer.start, rules, transducer.labels, file)
    number = {symbol: at for at, symbol in enumerate(symbols, 1)}

    def row(state: str) -> tuple[Entry | None, ...]:
        accepts = transducer.final is None or state in transducer.final
        entries: list[Entry | None] = [Entry(0, STAY, place[state]) if accepts else None]
        for symbol in symbols:
            step = rules[state].get(symbol)
            entries.append(Entry(number[step.write], RIGHT, place[step.next]) if step else None)
        return tuple(entries)

    letters = "".join(symbols[read] for read in inputs)
    legend = {own: label for label, own in symbols.items() if own != label}
    table = Table(
        agent_name(file),
        ("_", *symbols.values()),
        names,
        tuple(row(state) for state in place),
        (("letter", letters),) if letters else (),
        "word = letter*" if letters else "",
        labels=tuple(symbols) if transducer.final is None else labelled(symbols.values(), legend),
    )
    return Imported(table)


def table_to_transducer(table: Table) -> RowTransducer | str:
    """The automaton or Mealy machine of an agent, or why there is none."""
    rules: dict[str, dict[str, TapeRule]] = {state: {} for state in table.states}
    final = set()
    keeps = True
    for state, symbol, entry in table.entries():
        name, read, write = table.states[state], table.symbols[symbol], table.symbols[entry.write]
        if not symbol:
            if not entry.is_idle(symbol):
                return f"state `{name}` moves on behind the word"
            final.add(name)
        elif entry.is_idle(symbol):
            return f"state `{name}` halts on `{read}`, before the end of the word"
        elif entry.move != RIGHT or not entry.write:
            return f"state `{name}` on `{read}` does not write a symbol and move to the right"
        else:
            rules[name][read] = TapeRule(write, "R", table.states[entry.next])
            keeps = keeps and read == write
    if keeps:
        return RowTransducer(table.states[0], rules, frozenset(final))
    if len(final) < len(table.states):
        stuck = next(state for state in table.states if state not in final)
        return f"state `{stuck}` is stuck behind the word, and a Mealy machine never is"
    return RowTransducer(table.states[0], rules)
