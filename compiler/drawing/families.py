"""Families as they are drawn: which are worth a frame, in which order, and under which title."""

from __future__ import annotations

import re
from collections.abc import Mapping

from compiler.automata.state_graph import Pair
from gridlang.program import Program
from gridlang.syntax import tree as s
from gridlang.syntax.unparse import parameters
from gridlang.table import Member, Table

Rules = Mapping[Pair, s.Rule]


def families(table: Table) -> dict[str, tuple[int, ...]]:
    """The states of each family of two or more, in the order of their values."""
    return {
        family.name: tuple(member.state for member in sorted(family.members, key=_in_order))
        for family in table.families
        if len(family.members) > 1
    }


def _in_order(member: Member) -> list[list[tuple[int, int, str]]]:
    """Numbers within values by their size, all else by its letters."""
    return [_natural(str(value)) for value in member.values]


def _natural(text: str) -> list[tuple[int, int, str]]:
    words = re.split(r"(\d+)", text)
    return [(0, int(word), "") if word.isdecimal() and len(word) < 10 else (1, 0, word) for word in words]


def family_headers(program: Program) -> dict[str, str]:
    """Families as the source declares them: `times(m in digit, c in 0..8)`."""
    agent = program.definition.agent if program.definition else None
    return {
        name.name: f"{name.name}{parameters(declared.header.params)}"
        for declared in (agent.states if agent else ())
        for name in declared.header.names
        if declared.header.params
    }


def family_rules(program: Program, headers: Mapping[str, str]) -> Rules:
    """The rules of families that are declared as such; of others each state has words of its own."""
    declared = {state for state, home in program.table.family_by_state().items() if home.name in headers}
    return {pair: rule for pair, rule in program.rules.items() if pair[0] in declared}
