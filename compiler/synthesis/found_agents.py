"""A candidate of the search as an agent: its table, and a source that spells it out."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from compiler.synthesis.native_search import HALT as HALTS
from compiler.synthesis.native_search import OPEN, STUCK, Candidate
from compiler.synthesis.specification import has_no_states
from gridlang.printer import declared_states, rule_lines, table_to_source, target_name
from gridlang.program import Program
from gridlang.source import Source
from gridlang.syntax.formatter import format_source
from gridlang.table import STAY, Entry, Row, Table
from gridlang.vocabulary import HALT


def found_table(specified: Table, candidate: Candidate, letters: str) -> Table:
    """The table of a candidate, with the states that its rules lead to, in the order of discovery."""
    count, names = len(specified.symbols), _names(specified, candidate, letters)
    rows = [candidate.rules[n : n + count] for n in range(0, len(candidate.rules), count)]
    order, halts = [0], False
    for state in order:  # grows in the loop
        for symbol, (write, _, after) in enumerate(rows[state]):
            halts |= after == HALTS and write != symbol
            order += [after] if after < STUCK and after not in order else []
    named = [names[state] for state in order]
    if halts and HALT not in named:
        named.append(HALT)
    place = {state: number for number, state in enumerate(order)}

    def entry(state: int, symbol: int) -> Entry | None:
        write, move, after = rows[state][symbol]
        if after in (OPEN, STUCK):
            return None
        if after == HALTS:
            return Entry(write, STAY, place[state] if write == symbol else named.index(HALT))
        return Entry(write, move, place[after])

    found: list[Row] = [tuple(entry(state, symbol) for symbol in range(count)) for state in order]
    if len(named) > len(found):
        found.append(tuple(Entry(symbol, STAY, len(found)) for symbol in range(count)))
    return replace(specified, states=tuple(named), rows=tuple(found), families=())


def _names(specified: Table, candidate: Candidate, letters: str) -> list[str]:
    """Names of all states: those that are written, then s1, s2 and so on; s3_a and s3_b in a family."""
    names, number = list(specified.states), len(specified.states)
    for state in range(len(names), len(candidate.base)):
        letter = candidate.letter[state]
        if letter < 0 or candidate.base[state] == state:
            number += 1
        part = letters[letter] if letter >= 0 and letters[letter].isalnum() else str(letter)
        name = f"s{number - 1}" + (f"_{part}" if letter >= 0 else "")
        while name in names:
            name = f"{name}x"
        names.append(name)
    return names


def found_source(specified: Program, table: Table, source: Source) -> str:
    """The agent as a text: what was given, and the states below it; all anew where some were written."""
    if not has_no_states(source) or specified.overridden:
        return table_to_source(table)
    lines = "\n".join(_state_lines(table))
    return format_source(Source(source.path, f"{source.text.rstrip()}\n\n{lines}\n"))


def _state_lines(table: Table) -> Iterator[str]:
    def name(state: int) -> str:
        return target_name(table, state)

    yield f"start {name(0)}"
    for state in declared_states(table):
        yield from ("", f"state {name(state)}", *rule_lines(table, state, name))
