"""The rules of a source behind pairs of state and symbol."""

from __future__ import annotations

from typing import NamedTuple

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
    rule = program.rules.get((state, symbol))
    if rule is None:
        halts = program.table.is_halt_target(state)
        return SourceRule(0, HALT if halts else f"on {program.table.symbols[symbol]}")
    own = program.definition is None or rule.span.source is program.definition.source
    return SourceRule(rule.span.line, " ".join(rule.span.text.split()), "" if own else rule.span.source.path)
