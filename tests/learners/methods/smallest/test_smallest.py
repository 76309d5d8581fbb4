"""The smallest machine: held against all smaller ones, one by one, and against every trace."""

from __future__ import annotations

import sys
import time
from dataclasses import replace
from functools import lru_cache
from itertools import count

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import gridlang as gl
from gridlang.compiler.traces.dataset import Traces
from gridlang.diagnostics import GridError
from gridlang.learners.methods.minimality.check import check_minimality
from gridlang.learners.methods.prefix_tree import prefix_tree
from gridlang.learners.methods.smallest.clique import Comparison, large_clique
from gridlang.learners.methods.smallest.smallest import certificate, smallest_machine
from gridlang.table import STAY, Entry, Table
from tests.support.reads import drawn_traces, traces_on_reads
from tests.support.searches import searched

pytest.importorskip("pysat")


@st.composite
def observed(draw: st.DrawFn) -> Traces:
    """Traces of a small agent, partial or not, on random reads."""
    states, symbols = draw(st.integers(2, 3)), draw(st.integers(2, 3))

    def entry(state: int, read: int) -> Entry | None:
        if draw(st.integers(0, 5)) == 0:
            return None
        write, move = draw(st.integers(0, 1)), draw(st.sampled_from((0, STAY)))
        idle = write == read and move == STAY
        return Entry(write, move, state if idle else draw(st.integers(0, states - 1)))

    rows = tuple(tuple(entry(state, read) for read in range(symbols)) for state in range(states))
    table = Table("small", ("_", "a", "b")[:symbols], tuple(f"s{q}" for q in range(states)), rows)
    reads = st.lists(st.integers(0, symbols - 1), min_size=1, max_size=7)
    return traces_on_reads(table, draw(st.lists(reads, min_size=1, max_size=12)))


def some_machine_fits(traces: Traces, states: int) -> bool:
    """Tries every machine: each next state of each rule, as the traces come to it."""
    rows = [
        [
            (int(x), (int(s), int(m)))
            for x, s, m in zip(*(p[r, :n] for p in (traces.x, traces.s, traces.m)), strict=True)
        ]
        for r, n in enumerate(traces.length)
    ]

    def fits(rules: dict[tuple[int, int], tuple[tuple[int, int], int]]) -> bool:
        for row in rows:
            state = 0
            for read, act in row:
                if (state, read) not in rules:
                    idle = act in ((read, STAY), (-1, -1))
                    choices = [state] if idle else range(states)
                    return any(fits({**rules, (state, read): (act, after)}) for after in choices)
                done, after = rules[state, read]
                if done != act:
                    return False
                state = after
        return True

    return fits({})


def does_what_is_shown(table: Table, traces: Traces) -> bool:
    for row, length in enumerate(traces.length):
        state = 0
        for step in range(length):
            entry = table.rows[state][traces.x[row, step]]
            if (entry or (-1, -1))[:2] != (traces.s[row, step], traces.m[row, step]):
                return False
            state = entry.next if entry else state
    return True


@searched(60)
@given(observed())
def test_no_smaller_machine_does_what_the_traces_show_and_the_certificate_says_so(traces: Traces) -> None:
    smallest = smallest_machine(traces)
    assert smallest.table is not None and smallest.states is not None and smallest.minimal
    assert does_what_is_shown(smallest.table, traces)
    assert smallest.states == 1 or not some_machine_fits(traces, smallest.states - 1)
    assert smallest.excluded == tuple(range(1, smallest.states))
    assert smallest.evidence is not None
    assert check_minimality(certificate(traces, smallest.table, smallest.evidence), traces).valid


@searched(25)
@given(observed())
def test_a_clique_without_a_compiler_is_a_clique_too(traces: Traces) -> None:
    tree = prefix_tree(traces)
    native, plain = Comparison(tree), Comparison(tree)
    plain._native = None
    nodes = np.arange(tree.nodes)
    assert (native.differ(nodes, nodes) == plain.differ(nodes, nodes)).all()
    assert large_clique(native) == large_clique(plain)


@lru_cache
def add2(count: int) -> Traces:
    return gl.trace("examples/add2.grid", rule=f"worlds:{count}")


def test_on_worlds_enough_the_smallest_machine_is_the_expert() -> None:
    smallest = smallest_machine(add2(400), seconds=120)
    assert smallest.minimal and smallest.states == 12
    assert smallest.table is not None and does_what_is_shown(smallest.table, add2(400))
    assert gl.equiv("examples/add2.grid", smallest.table, scope="worlds").equivalent


def test_what_a_clique_does_not_exclude_a_derivation_does() -> None:
    """All machines of fewer states are tried here too, where that is still possible."""
    traces = drawn_traces(3)
    smallest = smallest_machine(traces)
    assert smallest.evidence is not None and smallest.evidence.derivation and smallest.states == 5
    assert len(smallest.evidence.clique) < smallest.states and not some_machine_fits(traces, 4)


def test_a_search_that_is_cut_short_ends_the_same_way_on_a_busy_machine(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Its limit is work: a clock that runs a thousand times as fast changes nothing."""
    traces = gl.trace("examples/compare.grid", rule="worlds:20")
    found = [smallest_machine(traces, seconds=0.3)]
    ticks = count(0, 1_000)
    monkeypatch.setattr(time, "monotonic", lambda: float(next(ticks)))
    found.append(smallest_machine(traces, seconds=0.3))
    one, other = (replace(each, seconds=0.0) for each in found)
    assert one == other


@pytest.mark.long
def test_a_size_bound_and_a_time_limit_hold() -> None:
    bounded = smallest_machine(add2(400), most_states=11)
    assert bounded.table is None and bounded.lower_bound == 12 and not bounded.minimal
    stopped = smallest_machine(gl.trace("examples/compare.grid", rule="peek-worlds:100"), seconds=1)
    assert stopped.table is None and not stopped.minimal and stopped.lower_bound >= 1


def test_traces_that_no_agent_did_are_refused_with_both_named() -> None:
    def rows(act: int) -> Traces:
        table = Table("one", ("_", "a"), ("q",), ((Entry(act, 3, 0), Entry(1, 3, 0)),))
        return traces_on_reads(table, [[1, 1, 0]])

    first, second = rows(0), rows(1)
    parts = {
        name: np.concatenate([getattr(t, name) for t in (first, second)])
        for name in ("x", "s", "m", "length")
    }
    both = Traces(**parts, ending=("cut", "cut"), inputs=("", ""), symbols=first.symbols, name="both")
    with pytest.raises(GridError, match="0 and 1 read the same up to step 2") as error:
        smallest_machine(both)
    assert error.value.diagnostics[0].code == "G202"


def test_without_python_sat_the_command_to_install_it_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pysat", None)
    with pytest.raises(GridError) as error:
        smallest_machine(add2(400))
    assert error.value.diagnostics[0].code == "G205" and "pip install" in error.value.diagnostics[0].hint
