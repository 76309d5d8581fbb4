"""Exact tensors do what the table does, by the paper's equations alone."""

from __future__ import annotations

import json

import numpy as np
from safetensors.numpy import load

from gridlang.compiler.targets import TARGETS
from gridlang.compiler.tensors.closed_loop import decide, why_stuck
from gridlang.compiler.tensors.dfst import dfst_to_bytes, table_to_dfst
from gridlang.loading import load_source
from gridlang.outcomes import Reason
from gridlang.source import Source
from tests.programs import PROGRAMS


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


def test_the_largest_outputs_decide_and_ties_go_to_the_lowest_index() -> None:
    assert decide(np.array([0, 2, 2, -1, -1], np.float32), 3) == (1, 0)
    for outputs, why in (
        ([0, 0], Reason.ALL_ZERO),
        ([1, np.nan], Reason.NOT_FINITE),
        ([1, -np.inf], Reason.NOT_FINITE),
    ):
        stuck = np.array(outputs, np.float32)
        assert decide(stuck, 1) is None and why_stuck(stuck) == why
