"""Worlds that tell states apart which differ only late, as those of an acceptor do."""

from __future__ import annotations

from random import Random

from gridlang.learners.traces.choosing.coverage import coverage
from gridlang.learners.traces.choosing.telling_worlds import telling_worlds
from gridlang.learners.traces.recording import record
from gridlang.loading import load
from tests.programs import EXAMPLES

AGENTS = EXAMPLES.parent / "benchmarks" / "agents"


def test_all_states_of_an_acceptor_are_told_apart_and_most_runs_come_to_an_end() -> None:
    program = load(AGENTS / "find.grid")
    worlds = telling_worlds(program.table, Random(0), 60)
    traces = record(program, worlds, 60)
    shown = coverage(program.table, traces)
    assert not shown.missing and all("halt" in pair for pair in shown.alike)
    assert traces.ending.count("halted") > 0.9 * len(traces)
    ends = {text.strip().replace("[", "").replace("]", "")[-9:] for text in traces.inputs}
    assert any(text.startswith("abaab") and len(text) > 6 for text in ends)  # It was found, and more came.


def test_agents_whose_states_differ_soon_need_none() -> None:
    table = load(EXAMPLES / "add2.grid").table
    assert telling_worlds(table, Random(0), 60) == []
    assert telling_worlds(table, Random(0), 60, always=True)
