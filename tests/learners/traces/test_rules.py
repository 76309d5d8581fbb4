"""Who sees what: blind rules never look at a state, others say so in their names, and pages tell it."""

from __future__ import annotations

import re

import pytest

from gridlang.learners.traces.choosing.rules import PEEK, RULES
from gridlang.learners.traces.choosing.sampling import make_traces, sampling_plan
from gridlang.loading import load
from gridlang.table import Entry, Table
from tests.programs import EXAMPLES, ROOT

BLIND = ("worlds", "reads")
ADD2 = str(EXAMPLES / "add2.grid")


def doubled(table: Table) -> Table:
    """The same agent with every state twice, which nobody sees who does not look at states."""
    many = len(table.states)

    def moved(entry: Entry | None, symbol: int, half: int) -> Entry | None:
        """Each step goes to the other half; a halt keeps its state."""
        if entry is None:
            return None
        other = half if entry.is_idle(symbol) else 1 - half
        return entry._replace(next=entry.next + other * many)

    rows = [
        tuple(moved(entry, symbol, half) for symbol, entry in enumerate(row))
        for half in (0, 1)
        for row in table.rows
    ]
    names = (*table.states, *(f"{name}x" for name in table.states))
    return Table(table.name, table.symbols, names, tuple(rows), table.classes, table.input)


@pytest.mark.parametrize("rule", [*BLIND, "paper", "inputs"])
def test_a_blind_rule_records_the_same_of_an_agent_with_other_states(rule: str) -> None:
    program = load(ADD2)
    other = program._replace(table=doubled(program.table))
    plan = sampling_plan(program.table, rule, count=50)
    one, two = (make_traces(each, [plan], seed=3) for each in (program, other))
    assert (one.x == two.x).all() and (one.s == two.s).all() and one.inputs == two.inputs


def test_the_page_on_traces_says_what_each_rule_knows() -> None:
    page = (ROOT / "docs/guide/training.md").read_text(encoding="utf-8")
    rows = dict(re.findall(r"^\| `([a-z-]+)` \|.*\| ([a-z ]+) \|$", page, re.MULTILINE))
    assert set(RULES) <= rows.keys()
    assert {rule for rule in RULES if rows[rule] == "nothing"} == set(BLIND)
    assert {rule for rule in RULES if rows[rule] == "its states"} == {
        rule for rule in RULES if rule.startswith(PEEK)
    }
