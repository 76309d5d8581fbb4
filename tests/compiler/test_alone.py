"""A DFST in closed loop in C does what its equations do."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import gridlang as gl
from gridlang.compiler.lockstep import alone
from gridlang.compiler.lockstep.alone import can_run, run_in_c, run_model
from gridlang.compiler.lockstep.cpu import library_for
from gridlang.compiler.simulation.limits import LIMITS
from gridlang.compiler.tensors.closed_loop import run_by_equations
from gridlang.compiler.tensors.dfst import Dfst
from gridlang.table import MOVES
from gridlang.world import World, string_world
from tests.programs import ROOT
from tests.support.searches import searched
from tests.support.weights import widened

pytestmark = pytest.mark.skipif(not library_for(2, 2, 5, False).builds(), reason="needs a C compiler")


def same(model: Dfst, world: World, steps: int) -> None:
    assert run_in_c(model, world, steps) == run_by_equations(model, world, steps)


@given(st.data(), st.integers(1, 4), st.integers(1, 4))
@searched(60)
def test_weights_of_whole_numbers_decide_alike_also_where_they_grow_or_are_strict(
    data: st.DataObject, states: int, symbols: int
) -> None:
    """Sums of whole numbers are exact in any order."""
    random = np.random.default_rng(data.draw(st.integers(0, 10**6)))
    orders = [random.permutation(states) for _ in range(symbols)]
    factor = np.float32(data.draw(st.sampled_from([1, -1, 2.0**100])))
    A = np.eye(states, dtype=np.float32)[np.array(orders)] * factor
    B, C = (random.integers(-2, 3, (symbols, n, states)).astype(np.float32) for n in (symbols, len(MOVES)))
    h0 = random.integers(-1, 2, states).astype(np.float32)
    stuck = data.draw(st.sampled_from([{}, {"stuck": "negative"}]))
    model = widened(Dfst(A, B, C, h0, tuple("_abc"[:symbols]), metadata=stuck))
    same(model, string_world(data.draw(st.text("_abc"[:symbols], max_size=6))), 50)


def test_long_runs_of_learned_weights_go_to_c_and_short_ones_and_traces_do_not(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    model = gl.load_model(ROOT / "examples" / "models" / "add10.safetensors")
    assert can_run(model)
    world = string_world("8" * 40 + "+" + "5" * 40)
    long = run_model(model, world)
    assert long.steps > LIMITS.short and long == run_by_equations(model, world, 10_000)
    called: list[int] = []
    monkeypatch.setattr(alone, "run_in_c", lambda *_: called.append(1) or long)
    assert run_model(model, world, trace=True).trace is not None
    assert run_model(model, string_world("4+8")).steps < LIMITS.short
    assert not called and run_model(model, world) is long and called
