"""Where the steps of a run went."""

from __future__ import annotations

from typing import NamedTuple

from compiler.simulation.simulate import Run
from gridlang.program import Program
from gridlang.vocabulary import HALT


class ProfileRow(NamedTuple):
    """How often a pair, or a rule of the source, was used."""

    state: str
    symbol: str
    times: int
    line: int
    rule: str
    file: str = ""  # of the library that the rule is in; empty for the agent's own


def profile_rows(program: Program, done: Run) -> list[ProfileRow]:
    """One row a pair of state and symbol, most used first."""
    assert done.profile is not None
    table = program.table
    rows = []
    for (state, symbol), times in done.profile.most_common():
        line, text = rule_text(program, state, symbol)
        file = library_of(program, state, symbol)
        rows.append(ProfileRow(table.states[state], table.symbols[symbol], times, line, text, file))
    return rows


def by_line(program: Program, done: Run) -> list[ProfileRow]:
    """One row a rule of the source, most used first; a table without source keeps its pairs."""
    table = program.table
    family = {table.states[state]: home.name for state, home in table.family_by_state().items()}
    merged: dict[tuple[str, int, str], ProfileRow] = {}
    for row in profile_rows(program, done):
        key = (row.file, row.line, row.rule if row.line else f"{row.state} {row.symbol}")
        before = merged.get(key)
        if before:
            row = row._replace(
                times=row.times + before.times,
                state=row.state if row.state == before.state else family.get(before.state, before.state),
            )
        merged[key] = row
    return sorted(merged.values(), key=lambda row: -row.times)


def rule_text(program: Program, state: int, symbol: int) -> tuple[int, str]:
    """The line and text of the rule behind a pair."""
    rule = program.rules.get((state, symbol))
    if rule is None:
        return 0, HALT if program.table.is_halt_target(state) else f"on {program.table.symbols[symbol]}"
    return rule.span.line, " ".join(rule.span.text.split())


def library_of(program: Program, state: int, symbol: int) -> str:
    """The file of a rule that is used from a library; empty for one of the agent's own."""
    rule = program.rules.get((state, symbol))
    if rule is None or program.definition is None or rule.span.source is program.definition.source:
        return ""
    return rule.span.source.path


def rule_place(program: Program, state: int, symbol: int) -> str:
    """`line 12: ` or `line 12 of walks.grid: `, to stand before the rule; empty without a source."""
    line, file = rule_text(program, state, symbol)[0], library_of(program, state, symbol)
    return f"line {line}{f' of {file}' if file else ''}: " if line else ""
