"""Merged tables do what all traces show, in both orders, in C as in Python."""

from dataclasses import replace
from itertools import chain

import numpy as np
import pytest
from hypothesis import HealthCheck, assume, given
from hypothesis import strategies as st

from gridlang.compiler.native.build import compiler
from gridlang.compiler.native.c_library import CLibrary
from gridlang.compiler.proofs.prove import prove
from gridlang.diagnostics import GridError
from gridlang.learners.methods.merging.merge import NativeMerger, merged, plain_merger
from gridlang.learners.methods.merging.state_merger import EVIDENCE, ORDERS, StateMerger
from gridlang.learners.methods.prefix_tree import prefix_tree
from gridlang.learners.traces.choosing.sampling import make_traces, sampling_plan
from gridlang.learners.traces.dataset import Traces
from gridlang.learners.traces.recording import record
from gridlang.loading import load
from gridlang.outcomes import Outcome
from gridlang.program import Program
from gridlang.table import Table, canonical
from tests.programs import ROOT
from tests.strategies import tables, worlds
from tests.support.searches import searched


@st.composite
def traces_of_agents(draw: st.DrawFn) -> Traces:
    """Traces of a random agent on random worlds, with and without the symbols on which it is stuck."""
    table = draw(tables(max_states=6, max_symbols=4))
    chosen = draw(st.lists(worlds(table), min_size=1, max_size=12))
    assume(any(table.rows[0][table.symbols.index(w.cells.get(w.start, "_"))] for w in chosen))
    return record(Program(table, "t"), chosen, draw(st.integers(1, 25)), strict=draw(st.booleans()))


def assert_does_all_that(traces: Traces, table: Table) -> None:
    """Replays each trace: the same writes and moves, an end where it halts, no rule where it is stuck."""
    for row, length in enumerate(traces.length.tolist()):
        state = 0
        for step in range(length):
            read, written, move = (int(part[row, step]) for part in (traces.x, traces.s, traces.m))
            entry = table.rows[state][read]
            assert (entry is None) == (written < 0)
            if entry is not None:
                assert (entry.write, entry.move) == (written, move)
                assert entry.is_idle(read) == (traces.ending[row] == "halted" and step == length - 1)
                state = entry.next


@searched(40, suppress_health_check=[HealthCheck.filter_too_much])
@given(traces=traces_of_agents(), order=st.sampled_from(ORDERS))
def test_a_merged_table_does_all_that_the_traces_show(traces: Traces, order: str) -> None:
    table = merged(traces, order).table
    assert_does_all_that(traces, table)
    assert canonical(table) == table
    assert (table.name, table.symbols, table.classes) == (traces.name, traces.symbols, traces.classes)


def decisions(merger: NativeMerger | StateMerger) -> list[object]:
    told = chain.from_iterable(iter(lambda: merger.steps(7), []))
    return [*told, *merger.lists()]


@pytest.mark.skipif(not compiler(), reason="there is no C compiler")
@searched(40, suppress_health_check=[HealthCheck.filter_too_much])
@given(traces=traces_of_agents(), order=st.sampled_from(ORDERS))
def test_merging_in_c_decides_as_the_definition(traces: Traces, order: str) -> None:
    tree = prefix_tree(traces)
    assert decisions(NativeMerger(tree, order)) == decisions(plain_merger(tree, order))


def worlds_of(name: str, count: int, seed: int = 0) -> Traces:
    program = load(ROOT / "examples" / f"{name}.grid")
    return make_traces(program, [sampling_plan(program.table, "peek-worlds", count=count)], seed)


@pytest.mark.skipif(not compiler(), reason="there is no C compiler")
@pytest.mark.parametrize("name", ["mult2", "compare", "subtract"])
def test_merging_in_c_decides_as_the_definition_on_larger_agents(name: str) -> None:
    tree = prefix_tree(worlds_of(name, 50))
    assert decisions(NativeMerger(tree, EVIDENCE)) == decisions(plain_merger(tree, EVIDENCE))


@pytest.mark.parametrize(("name", "count"), [("add2", 400), ("mult2", 400), ("add10", 1_000)])
def test_random_worlds_identify_an_agent(name: str, count: int) -> None:
    result = merged(worlds_of(name, count))
    expert = load(ROOT / "examples" / f"{name}.grid").table
    assert prove(expert, result.table, "worlds").equivalent
    assert len(result.table.states) <= len(expert.states)


def test_without_a_compiler_the_table_is_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    traces = worlds_of("increment", 60)
    fast = merged(traces).table
    monkeypatch.setattr(CLibrary, "builds", lambda _: False)
    assert merged(traces).table == fast


def small_traces() -> Traces:
    """Three traces of add2 that halt."""
    program = load(ROOT / "examples" / "add2.grid")
    return record(program, ["1+1", "1+0", "10+1"], 100)


def changed(traces: Traces, row: int, step: int, written: int, move: int) -> Traces:
    s, m = traces.s.copy(), traces.m.copy()
    s[row, step], m[row, step] = written, move
    return replace(traces, s=s, m=m)


def test_a_contradiction_is_refused_with_the_two_traces_and_the_step() -> None:
    wrong = changed(small_traces(), 1, 1, 0, 3)
    with pytest.raises(GridError) as error:
        merged(wrong)
    [diagnostic] = error.value.diagnostics
    assert diagnostic.code == "G202"
    assert "0 and 1 read the same up to step 1" in diagnostic.message
    assert diagnostic.hint == "they write + and move R and write _ and move R there; give traces of one agent"


def test_a_trace_that_goes_on_after_its_halt_is_refused() -> None:
    traces = small_traces()
    halting = changed(traces, 2, 4, int(traces.x[2, 4]), 4)
    with pytest.raises(
        GridError, match=r"G203[\s\S]*trace 2 goes on after it has halted: step 4 keeps its symbol"
    ):
        merged(halting)


@pytest.mark.parametrize(
    ("said", "why"),
    [
        (Outcome.BUDGET, "ends cut, but its last step is an idle step"),
        (Outcome.HALTED, "ends halted, but its last step is no"),
    ],
)
def test_a_trace_that_does_not_end_as_it_says_is_refused(said: Outcome, why: str) -> None:
    traces = small_traces()
    if said == Outcome.HALTED:
        short = int(traces.length[0]) - 1
        x, s, m = (rows[:1, :short] for rows in (traces.x, traces.s, traces.m))
        traces = replace(
            traces,
            x=x,
            s=s,
            m=m,
            length=np.array([short], np.int32),
            ending=(Outcome.BUDGET,),
            inputs=("1+1",),
        )
    wrong = replace(traces, ending=(said,) * len(traces))
    with pytest.raises(GridError, match=f"trace 0 {why}"):
        merged(wrong)


def test_an_unknown_order_is_refused() -> None:
    with pytest.raises(GridError, match=r"G204[\s\S]*there is no order of merging called 'depth'"):
        merged(small_traces(), "depth")
