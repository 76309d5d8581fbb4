"""Exact tensors do what the table does, by the paper's equations alone."""

from __future__ import annotations

import json

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from safetensors.numpy import load

from gridlang.compiler.simulation.simulate import run
from gridlang.compiler.targets import TARGETS
from gridlang.compiler.tensors.closed_loop import decide, why_stuck
from gridlang.compiler.tensors.dfst import Dfst, dfst_from_bytes, dfst_to_bytes, table_to_dfst
from gridlang.diagnostics import GridError
from gridlang.loading import load_source
from gridlang.outcomes import Outcome, Reason
from gridlang.source import Source
from gridlang.table import Table
from gridlang.world import World, string_world
from tests.programs import PROGRAMS, Example
from tests.strategies import tables, worlds
from tests.support.searches import searched


def closed_loop(dfst: Dfst, world: World, limit: int) -> tuple[str, list[tuple[str, str, str]]]:
    """The paper's update equations on a grid, written independently of the product."""
    cells, (x, y), h = dict(world.cells), world.start, dfst.h0
    trace = []
    for _ in range(limit):
        symbol = dfst.symbols.index(cells.get((x, y), "_"))
        s, m = dfst.B[symbol] @ h, dfst.C[symbol] @ h
        if not s.any() and not m.any():
            return Outcome.STUCK, trace
        h = dfst.A[symbol] @ h
        write, move = dfst.symbols[int(np.argmax(s))], dfst.moves[int(np.argmax(m))]
        trace.append((dfst.symbols[symbol], write, move))
        if write == dfst.symbols[symbol] and move == "S":
            return Outcome.HALTED, trace
        cells[x, y] = write
        x, y = x + (move == "R") - (move == "L"), y + (move == "D") - (move == "U")
    return Outcome.BUDGET, trace


@given(st.data())
@searched(50)
def test_for_every_agent_and_world_the_tensors_emulate_the_table(data: st.DataObject) -> None:
    table: Table = data.draw(tables())
    world: World = data.draw(worlds(table))
    done = run(table, world, 40, trace=True)
    assert closed_loop(table_to_dfst(table), world, 40) == (done.outcome, list(done.trace or ()))


@pytest.mark.parametrize("example", [p for p in PROGRAMS if p.cases], ids=lambda e: e.name)
def test_examples_run_the_same_on_their_tensors(example: Example) -> None:
    table = example.load().table
    text = example.cases[0][0]
    done = run(table, string_world(text), 400, trace=True)
    assert closed_loop(table_to_dfst(table), string_world(text), 400)[1] == list(done.trace or ())


@pytest.mark.parametrize(("name", "weights"), [("add2", 1020), ("add10", 8900)])
def test_parameter_counts_are_the_papers(name: str, weights: int) -> None:
    program = next(p for p in PROGRAMS if p.name == name).load()
    assert table_to_dfst(program.table).parameters == weights


def test_the_file_holds_named_tensors_and_metadata_that_rebuild_the_agent() -> None:
    program = next(p for p in PROGRAMS if p.name == "add10").load()
    data = TARGETS["dfst"].render(program)
    tensors = load(data)
    assert {name: t.shape for name, t in tensors.items()} == {
        "A": (12, 20, 20),
        "B": (12, 12, 20),
        "C": (12, 5, 20),
        "h0": (20,),
    }
    assert all(t.dtype == np.float32 for t in tensors.values())
    header = json.loads(data[8 : 8 + int.from_bytes(data[:8], "little")])["__metadata__"]
    assert header["format"] == "gridlang-dfst/1" and header["blank"] == "_"
    assert json.loads(header["symbols"]) == list(program.table.symbols)
    assert json.loads(header["moves"]) == list("UDLRS")
    assert json.loads(header["states"]) == list(program.table.states)
    assert header["input"] == "a = digit+, sign, b = digit+"
    assert load_source(Source("metadata", header["source"])).table == program.table


def test_the_same_program_always_gives_the_same_bytes() -> None:
    program = next(p for p in PROGRAMS if p.name == "add2").load()
    assert dfst_to_bytes(table_to_dfst(program.table)) == dfst_to_bytes(table_to_dfst(program.table))


@given(st.data())
@searched(50)
def test_damaged_bytes_are_refused_in_words(data: st.DataObject) -> None:
    whole = dfst_to_bytes(table_to_dfst(next(p for p in PROGRAMS if p.name == "add2").load().table))
    place, value = data.draw(st.integers(0, len(whole) - 1)), data.draw(st.integers(0, 255))
    for damaged in (whole[:place], whole[:place] + bytes([value]) + whole[place + 1 :]):
        try:
            dfst_from_bytes(damaged)
        except GridError as error:
            assert error.diagnostics[0].code == "G081"
        else:
            assert len(damaged) == len(whole)


def test_the_largest_outputs_decide_and_ties_go_to_the_lowest_index() -> None:
    assert decide(np.array([0, 2, 2, -1, -1], np.float32), 3) == (1, 0)
    for outputs, why in (
        ([0, 0], Reason.ALL_ZERO),
        ([1, np.nan], Reason.NOT_FINITE),
        ([1, -np.inf], Reason.NOT_FINITE),
    ):
        stuck = np.array(outputs, np.float32)
        assert decide(stuck, 1) is None and why_stuck(stuck) == why
