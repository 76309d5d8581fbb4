"""Codebooks found by following the expert: proofs about models whose float vectors never settle."""

from __future__ import annotations

import math

import numpy as np
import pytest

import gridlang as gl
from gridlang.compiler.extraction.limits import LIMITS
from gridlang.compiler.judging.equivalence_query import SNAPPED, judge
from gridlang.compiler.proofs.prove import prove
from gridlang.compiler.tensors.dfst import Floats
from tests.support.pairs import changed, table_of
from tests.support.weights import rotated

pytestmark = pytest.mark.usefixtures("few_worlds")


@pytest.mark.parametrize("scope", ["inputs", "worlds"])
@pytest.mark.parametrize("name", ["add2", "brackets"])
def test_weights_that_err_as_floats_are_proven_with_snapped_inference(name: str, scope: str) -> None:
    expert = table_of(name)
    model = rotated(expert, 3, 0.02)
    assert judge(model, expert, scope).verdict.equivalent is False  # the float weights err
    answer = judge(model, expert, scope, snapped=True)
    assert answer.verdict.equivalent and answer.verdict.subject == SNAPPED and answer.snapping is not None
    assert answer.table is not None
    assert answer.verdict.stray is not None and answer.verdict.stray.decision > 0


@pytest.mark.parametrize("name", ["add2", "brackets"])
def test_a_python_function_is_proven_after_few_calls(name: str) -> None:
    expert, calls = table_of(name), 0
    dfst = rotated(expert, 3)

    def step(hidden: Floats, symbol: int) -> tuple[object, Floats]:
        nonlocal calls
        calls += 1
        after = dfst.A[symbol] @ hidden
        return (dfst.B[symbol] @ hidden, dfst.C[symbol] @ hidden), after / max(np.linalg.norm(after), 1e-9)

    wrapped = gl.wrap(step, dfst.h0, dfst.symbols, moves=dfst.moves, agent=expert)
    verdict = gl.equiv(expert, wrapped, scope="inputs")
    assert verdict.equivalent and verdict.subject == "table" and calls < 60_000
    calls = 0
    found = gl.extract(wrapped, expert).table
    assert found is not None and prove(expert, found, "inputs").equivalent and calls < 5_000
    alone = gl.extract(wrapped).table
    assert alone is not None and prove(expert, alone, "inputs").equivalent, "on its own runs"
    bad = changed(expert, *(("take", "1") if name == "add2" else ("seek", ")")), move=0)
    dfst = rotated(bad, 3)
    assert gl.equiv(expert, wrapped, scope="inputs").equivalent is False


def test_a_python_function_that_counts_without_end_is_refused_soon() -> None:
    """It writes a 1 at each square number of steps."""

    def step(count: float, symbol: int) -> tuple[list[int], float]:
        square = math.isqrt(int(count)) ** 2 == int(count)
        return [not square, square, 0, 1, 0, 0, 0], count + 1

    found = gl.extract(gl.wrap(step, 0.0, "_1", moves="LRUDS"))
    assert "clusters overlap" in found.refused and 0 < found.steps <= LIMITS.wrapped_steps


def test_a_model_of_another_agent_is_never_proven() -> None:
    expert = table_of("brackets")
    tried = 0
    for state, symbol, entry in list(expert.entries())[::9]:
        after = (entry.next + 1) % len(expert.states)
        if entry.is_idle(symbol):
            continue
        other = changed(expert, expert.states[state], expert.symbols[symbol], next=after)
        if prove(expert, other, "worlds").equivalent is False:
            tried += 1
            assert not judge(rotated(other, 3, 0.02), expert, "worlds", snapped=True).verdict.equivalent
    assert tried > 2
