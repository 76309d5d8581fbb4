"""The rules of a source behind pairs of state and symbol, and how often a run used them."""

from __future__ import annotations

from typing import NamedTuple

from gridlang.compiler.simulation.simulate import Run
from gridlang.program import Program
from gridlang.vocabulary import HALT


class SourceRule(NamedTuple):
    """A rule by its line; 0 without a source."""

    line: int
    text: str
    file: str = ""  # of the library that the rule is in; empty for the agent's own

    def in_words(self) -> str:
        """`line 12: 0 : R` or `line 12 of walks.grid: 0 : R`; without a source, the text alone."""
        place = f"line {self.line}{f' of {self.file}' if self.file else ''}: "
        return f"{place if self.line else ''}{self.text}"


def rule_at(program: Program, state: int, symbol: int) -> SourceRule:
    """The rule behind a pair."""
    rule = program.rules.get((state, symbol))
    if rule is None:
        halts = program.table.is_halt_target(state)
        return SourceRule(0, HALT if halts else f"on {program.table.symbols[symbol]}")
    own = program.definition is None or rule.span.source is program.definition.source
    return SourceRule(rule.span.line, " ".join(rule.span.text.split()), "" if own else rule.span.source.path)


class ProfileRow(NamedTuple):
    """How often a pair, or a rule of the source, was used."""

    state: str
    symbol: str
    times: int
    line: int
    rule: str
    file: str


def profile_rows(program: Program, done: Run) -> list[ProfileRow]:
    """One row a pair of state and symbol, most used first."""
    assert done.profile is not None
    states, symbols = program.table.states, program.table.symbols
    return [
        ProfileRow(states[state], symbols[symbol], times, *rule_at(program, state, symbol))
        for (state, symbol), times in done.profile.most_common()
    ]


def by_line(program: Program, done: Run) -> list[ProfileRow]:
    """One row a rule of the source, most used first; a table without source keeps its pairs."""
    table = program.table
    family = {table.states[state]: home.name for state, home in table.family_by_state().items()}
    agent = program.definition.agent if program.definition else None
    homes = {
        (rule.span.source.path, rule.span.line): [name.name for name in state.header.names]
        for state in (agent.states if agent else ())
        for rule in state.rules
    }
    own = program.definition.source.path if program.definition else ""
    merged: dict[tuple[str, int, str], ProfileRow] = {}
    for row in profile_rows(program, done):
        declared = homes.get((row.file or own, row.line), [])
        if declared and family.get(row.state, row.state) not in declared:  # reached by `as`
            row = row._replace(state=declared[0])
        key = (row.file, row.line, row.rule if row.line else f"{row.state} {row.symbol}")
        before = merged.get(key)
        if before:
            row = row._replace(
                times=row.times + before.times,
                state=row.state if row.state == before.state else family.get(before.state, before.state),
            )
        merged[key] = row
    return sorted(merged.values(), key=lambda row: -row.times)
