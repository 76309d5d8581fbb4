"""State merging that allows for noise: C does what Python says, and most records outvote the lies."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gridlang.compiler.traces.dataset import Traces
from gridlang.learners.learning.noisy_rounds import verdicts_of
from gridlang.learners.methods.noise import cleaning
from gridlang.learners.methods.noise.cleaning import Records, Rows, Tolerance, merged_rows, tolerant_tables
from gridlang.learners.methods.noise.corruption import corrupted
from gridlang.learners.methods.noise.limits import LIMITS
from gridlang.learners.traces.choosing.sampling import make_traces, sampling_plan
from gridlang.loading import load
from tests.programs import ROOT
from tests.support.tolerant_merger import PlainMerger


@st.composite
def some_records(draw: st.DrawFn) -> Records:
    """Traces of a few steps, with so few symbols and actions that nodes are visited often."""
    symbols, actions = draw(st.integers(1, 3)), draw(st.integers(1, 4))
    lengths = draw(st.lists(st.integers(1, 7), min_size=1, max_size=40))
    random = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    shape = (len(lengths), max(lengths))
    read, action = (random.integers(0, most, shape, np.int32) for most in (symbols, actions))
    if draw(st.booleans()):  # Mostly the same action on a symbol: states that look alike.
        action = np.where(random.random(shape) < 0.8, read % actions, action).astype(np.int32)
    return Records(symbols, read, action, np.array(lengths, np.int32))


tolerances = st.builds(
    Tolerance, st.integers(1, 5), st.sampled_from([0.0, 0.05, 0.25]), st.sampled_from([0.0, 0.25, 1.0])
)


@given(some_records(), tolerances, st.sampled_from([1, 3, LIMITS.merged_states]))
def test_merging_in_c_comes_to_the_rows_of_the_definition(
    records: Records, tolerance: Tolerance, most: int
) -> None:
    rows = merged_rows(records, tolerance, most)
    for name, ours, defined in zip(
        Rows._fields, rows, PlainMerger(records, tolerance, most).run(), strict=True
    ):
        assert np.array_equal(ours, defined), name


def traces_of(agent: str, worlds: int) -> Traces:
    program = load(ROOT / "examples" / f"{agent}.grid", {})
    return make_traces(program, [sampling_plan(program.table, f"worlds:{worlds}")], 7)


def proven_on_worlds(agent: str, traces: Traces) -> int:
    expert = load(ROOT / "examples" / f"{agent}.grid", {}).table
    return sum(verdicts_of(table, expert)["worlds"] == "proven" for table in tolerant_tables(traces, traces))


@pytest.mark.parametrize("agent", ["increment", "add2"])
def test_traces_without_noise_lead_to_the_agent(agent: str) -> None:
    assert proven_on_worlds(agent, traces_of(agent, 400)) > 0


def test_there_is_a_table_even_of_traces_that_no_agent_made(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(
        cleaning, "LIMITS", replace(LIMITS, merged_states=1)
    )  # Every tolerance is too strict.
    random, seen = np.random.default_rng(2), traces_of("increment", 200)
    x, s, m = (
        np.where(seen.x >= 0, random.integers(0, 3, seen.x.shape), -1).astype(np.int16) for _ in range(3)
    )
    made_up = replace(seen, x=x, s=s, m=m)
    (only,) = tolerant_tables(made_up, made_up)
    assert len(only.states) == 1


def test_noise_in_writes_and_moves_alone_is_outvoted() -> None:
    noisy = corrupted(traces_of("increment", 400), 0.02, ("writes", "moves"), seed=3)
    assert proven_on_worlds("increment", noisy) > 0
