"""The one-line format of bbchallenge.org: `1RB1LB_1LA1RZ` has a group a state and three letters a symbol.

A machine starts in `A` on an empty tape of zeros. `---` is an undefined pair; a letter beyond the states,
usually `Z`, is the halt, which is reached after the write and the move.
"""

from __future__ import annotations

import re
from string import ascii_uppercase

from gridlang.compiler.foreign.machines import (
    Imported,
    TapeMachine,
    TapeRule,
    inexpressible,
    machine_to_table,
    misread,
    table_to_machine,
)
from gridlang.program import Program
from gridlang.source import Source, Span

MOST_SYMBOLS = 10  # a symbol is one digit
HALT = "Z"
MOST_STATES = ascii_uppercase.index(HALT)  # a state is one letter, and this one is the halt
UNDEFINED = "---"
_TRIPLE = re.compile(r"[0-9][LR][A-Z]|---")


def read(source: Source) -> Imported:
    """The machine in a file of one line."""
    lines = [line for line in re.finditer(r"\S[^\n]*", source.text) if not line[0].startswith("#")]
    if len(lines) != 1:
        where = Span(source, lines[1].start(), lines[1].end()) if lines else Span(source, 0, 0)
        what = f"this file holds {len(lines):,} machines" if lines else "this file holds no machine"
        raise misread(what, where, "", "keep one line, as `1RB1LB_1LA1RZ`")
    text, at = lines[0][0].rstrip(), lines[0].start()
    groups = text.split("_")
    if len(groups) > len(ascii_uppercase):
        whole = Span(source, at, at + len(text))
        raise misread(f"this machine has {len(groups):,} states", whole, "there are 26 letters")
    states = ascii_uppercase[: len(groups)]
    rules: dict[str, dict[str, TapeRule]] = {state: {} for state in states}
    halting = set()
    for state, group in zip(states, groups, strict=True):
        _check_group(source, at, group, groups[0])
        for place in range(0, len(group), 3):
            triple = group[place : place + 3]
            if triple == UNDEFINED:
                continue
            span = Span(source, at + place, at + place + 3)
            if int(triple[0]) >= len(group) // 3:
                known = f"the symbols are 0 to {len(group) // 3 - 1}"
                raise misread(f"`{triple}` writes {triple[0]}", span, known)
            if triple[2] not in states:
                halting.add(triple[2])
            rules[state][str(place // 3)] = TapeRule(triple[0], triple[1], triple[2], span)
        at += len(group) + 1
    symbols = tuple(str(number) for number in range(len(groups[0]) // 3))
    called = dict.fromkeys(halting, "halt") if len(halting) == 1 else {}
    rules |= {state: {} for state in sorted(halting)}
    machine = TapeMachine("0", "A", rules, frozenset(halting), symbols, called)
    return machine_to_table(machine, source.path, "")


def _check_group(source: Source, at: int, group: str, first: str) -> None:
    """Three letters a symbol, and as many symbols as the first state has."""
    span = Span(source, at, at + max(len(group), 1))
    for place in range(0, len(group), 3):
        if not _TRIPLE.fullmatch(group, place, place + 3):
            wrong = Span(source, at + place, at + min(place + 3, len(group)))
            hint = "a pair is a digit, L or R and a letter, as `1RB`; an undefined one is `---`"
            raise misread(f"`{wrong.text}` is not a pair", wrong, "", hint)
    if len(group) > 3 * MOST_SYMBOLS:
        raise misread(f"this state has {len(group) // 3:,} pairs", span, "there are ten digits")
    if not group or len(group) != len(first):
        raise misread(f"this state has {len(group) // 3} pairs", span, f"the first one has {len(first) // 3}")


def render(program: Program) -> bytes:
    """The agent in a line; symbols are numbered in the order of its alphabet, the blank is 0."""
    table = program.table
    machine = table_to_machine(table, halting_start=False)
    if len(table.symbols) > MOST_SYMBOLS:
        raise inexpressible(table, f"it has {len(table.symbols)} symbols, and a digit says which of 10")
    working = [state for state in machine.rules if state not in machine.halting]
    if len(working) > MOST_STATES:
        raise inexpressible(
            table, f"it takes {len(working)} states, and a letter says which of {MOST_STATES}"
        )
    letters = {state: ascii_uppercase[number] for number, state in enumerate(working)}
    number = {symbol: str(at) for at, symbol in enumerate(table.symbols)}

    def triple(rule: TapeRule | None) -> str:
        if rule is None:
            return UNDEFINED
        return f"{number[rule.write]}{rule.move}{letters.get(rule.next, HALT)}"

    groups = (
        "".join(triple(machine.rules[state].get(symbol)) for symbol in table.symbols) for state in working
    )
    return ("_".join(groups) + "\n").encode()
