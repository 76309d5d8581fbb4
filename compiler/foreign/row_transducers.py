"""Finite automata and Mealy machines as agents: they walk along a row, and halt or are stuck behind it.

A transducer writes its output over its input; an acceptor keeps what it reads, halts behind a word that it
accepts, and is stuck behind any other.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import NamedTuple

from compiler.foreign.imported import Imported, agent_name, numbered_states, own_symbols
from gridlang.table import MOVES, STAY, Entry, Table

RIGHT = MOVES.index("R")


class Transition(NamedTuple):
    output: str
    next: str


@dataclass(frozen=True, slots=True)
class RowTransducer:
    """A deterministic machine that reads a word from left to right; `rules` has every state.

    An acceptor has `final` states, and its outputs are its inputs; a Mealy machine has None.
    """

    start: str
    rules: Mapping[str, Mapping[str, Transition]]
    final: frozenset[str] | None = None
    labels: Mapping[str, str] | None = None


def transducer_to_table(transducer: RowTransducer, file: str) -> Imported:
    """The agent that walks along the word; its inputs are all words over what the machine reads."""
    rules = transducer.rules
    inputs = sorted({read for each in rules.values() for read in each})
    outputs = sorted({transition.output for each in rules.values() for transition in each.values()})
    symbols, notes = own_symbols([*inputs, *outputs], None, file)
    place, names = numbered_states(transducer.start, rules, transducer.labels, file)
    number = {symbol: at for at, symbol in enumerate(symbols, 1)}

    def row(state: str) -> tuple[Entry | None, ...]:
        accepts = transducer.final is None or state in transducer.final
        entries: list[Entry | None] = [Entry(0, STAY, place[state]) if accepts else None]
        for symbol in symbols:
            step = rules[state].get(symbol)
            entries.append(Entry(number[step.output], RIGHT, place[step.next]) if step else None)
        return tuple(entries)

    letters = "".join(symbols[read] for read in inputs)
    table = Table(
        agent_name(file),
        ("_", *symbols.values()),
        names,
        tuple(row(state) for state in place),
        (("letter", letters),) if letters else (),
        "word = letter*" if letters else "",
    )
    return Imported(table, tuple(notes))


def table_to_transducer(table: Table) -> RowTransducer | str:
    """The automaton or Mealy machine that an agent is, or why it is none."""
    rules: dict[str, dict[str, Transition]] = {state: {} for state in table.states}
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
            rules[name][read] = Transition(write, table.states[entry.next])
            keeps = keeps and read == write
    if keeps:
        return RowTransducer(table.states[0], rules, frozenset(final))
    if len(final) < len(table.states):
        stuck = next(state for state in table.states if state not in final)
        return f"state `{stuck}` is stuck behind the word, and a Mealy machine never is"
    return RowTransducer(table.states[0], rules)
