"""Families: states that are instances of one declaration, such as `carry(0)` to `carry(9)`."""

from __future__ import annotations

import re
from collections.abc import Mapping

from compiler.state_graph import Pair
from gridlang import syntax as s
from gridlang.loading import Program
from gridlang.table import Table
from gridlang.unparse import parameters

Rules = Mapping[Pair, s.Rule]


def family_of(name: str) -> str:
    """`times` for `times(3,1)`; empty for a state that stands alone."""
    return name.split("(")[0] if name.endswith(")") else ""


def families(table: Table) -> dict[str, tuple[int, ...]]:
    """The states of each family of two or more."""
    found: dict[str, list[int]] = {}
    for state, name in enumerate(table.states):
        if family_of(name):
            found.setdefault(family_of(name), []).append(state)
    return {
        name: tuple(sorted(states, key=lambda state: _natural(table.states[state])))
        for name, states in found.items()
        if len(states) > 1
    }


def _natural(name: str) -> list[tuple[int, int, str]]:
    """Numbers by their value, all else by its letters."""
    words = re.split(r"(\d+)", name)
    return [(0, int(word), "") if word.isdecimal() and len(word) < 10 else (1, 0, word) for word in words]


def family_headers(program: Program) -> dict[str, str]:
    """Families as the source declares them: `times(m in digit, c in 0..8)`."""
    agent = program.definition.agent if program.definition else None
    return {
        name.name: f"{name.name}{parameters(declared.header.params)}"
        for declared in (agent.states if agent else ())
        for name in declared.header.names
    }


def family_rules(program: Program, headers: Mapping[str, str]) -> Rules:
    """The rules of families that are declared as such; of others each state has words of its own."""
    states = program.table.states
    return {pair: rule for pair, rule in program.rules.items() if family_of(states[pair[0]]) in headers}


def short_header(header: str) -> str:
    """`times(m, c)` for `times(m in digit, c in 0..8)`."""
    stem, opening, inner = header.partition("(")
    if not opening:
        return ""
    names, depth, word = [], 0, ""
    for char in inner[:-1]:
        depth += (char == "(") - (char == ")")
        if char == "," and depth == 0:
            names.append(word)
            word = ""
        else:
            word += char
    names.append(word)
    return f"{stem}({', '.join(name.replace(':', ' ').replace('<', ' ').split()[0] for name in names)})"
