"""A DFST in closed loop in C does what its equations do."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import gridlang as gl
from gridlang.compiler.simulation.limits import LIMITS
from gridlang.compiler.tensors import native_loop
from gridlang.compiler.tensors.closed_loop import run_by_equations, run_model
from gridlang.compiler.tensors.dfst import Dfst, table_to_dfst
from gridlang.compiler.tensors.native_loop import can_run, run_in_c
from gridlang.table import MOVES, Table
from gridlang.world import World, string_world
from tests.programs import ROOT
from tests.strategies import tables, worlds
from tests.support.searches import searched

pytestmark = pytest.mark.skipif(not native_loop._library("uint8_t").builds(), reason="needs a C compiler")


def same(model: Dfst, world: World, steps: int) -> None:
    assert run_in_c(model, world, steps, lambda _: None) == run_by_equations(model, world, steps)


@given(st.data(), tables())
@searched(60)
def test_exact_weights_take_the_same_steps_and_leave_the_same_world(
    data: st.DataObject, table: Table
) -> None:
    same(table_to_dfst(table), data.draw(worlds(table)), data.draw(st.integers(0, 300)))


@given(st.data(), st.integers(1, 4), st.integers(1, 4))
@searched(60)
@pytest.mark.filterwarnings("ignore:overflow", "ignore:invalid")
def test_weights_of_whole_numbers_decide_alike_also_where_they_overflow(
    data: st.DataObject, states: int, symbols: int
) -> None:
    """Sums of whole numbers are exact in any order; vectors are permuted, as what overflows is not."""
    random = np.random.default_rng(data.draw(st.integers(0, 10**6)))
    orders = [random.permutation(states) for _ in range(symbols)]
    factor = np.float32(data.draw(st.sampled_from([1, -1, 2.0**100])))
    A = np.eye(states, dtype=np.float32)[np.array(orders)] * factor
    B, C = (random.integers(-2, 3, (symbols, n, states)).astype(np.float32) for n in (symbols, len(MOVES)))
    h0 = random.integers(-1, 2, states).astype(np.float32)
    model = Dfst(A, B, C, h0, tuple("_abc"[:symbols]))
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
    monkeypatch.setattr(native_loop, "run_in_c", lambda *_: called.append(1) or long)
    assert run_model(model, world, trace=True).trace is not None
    assert run_model(model, string_world("4+8")).steps < LIMITS.short
    assert not called and run_model(model, world) is long and called


def test_a_budget_of_steps_and_of_memory_is_kept() -> None:
    walk = gl.loads("agent walk\nalphabet\n  a = 'a'\nstart go\nstate go\n  _ | a : write 'a', R\n")
    model = gl.compile(walk)
    assert run_model(model, World({}), 123_456).steps == 123_456
    for steps in (127, 128, 129, 5_000):
        same(model, World({}), steps)
