"""Judging a model ends with an answer, whatever the model is: no exception is shown, and what is hopeless is refuted at once."""

from __future__ import annotations

import json
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gridlang.compiler.judging.equivalence_query import judge
from gridlang.compiler.tensors.dfst import Dfst, dfst_to_bytes, read_dfst, table_to_dfst
from gridlang.compiler.tensors.model import DFST_FORMAT
from gridlang.learners.learning.seed_verdicts import (
    PROVEN,
    REFUSED,
    REFUTED,
    UNKNOWN,
    SeedQuery,
    SeedResult,
    result_or_refusal,
)
from gridlang.table import Table
from gridlang.table_json import table_to_json
from tests.programs import EXAMPLES
from tests.support.searches import searched
from tests.support.weights import TABLES, rotated, turned, widened, with_action_of

AGENTS = ("increment", "palindrome", "ant")  # with inputs, with inputs and more moves, and without any
HUGE = float(np.finfo(np.float32).max) / 2


def verdict_on(dfst: Dfst, expert: Table, scope: str = "worlds") -> SeedResult:
    parts = table_to_json(expert), "expert.grid", b""
    query = SeedQuery(0, "model.safetensors", dfst_to_bytes(dfst), *parts, {}, scope, None, 12, 1)
    result = result_or_refusal(query)
    assert result.verdict in (PROVEN, REFUTED, UNKNOWN, REFUSED)
    assert result.verdict != REFUTED or result.counterexample
    return result


@st.composite
def hostile_models(draw: st.DrawFn) -> tuple[Table, Dfst]:
    """Weights of any kind over the symbols of an agent, in another order, with other moves."""
    table = TABLES[draw(st.sampled_from(AGENTS))]
    k, d, moves = (
        len(table.symbols),
        draw(st.sampled_from([1, 5, 13])),
        draw(st.sampled_from(["LRUDS", "S", "RL"])),
    )
    random = np.random.default_rng(draw(st.integers(0, 1_000)))
    kinds = {
        "zeros": lambda shape: np.zeros(shape),
        "equal": lambda shape: np.ones(shape),
        "huge": lambda shape: HUGE * random.choice([-1, 1], shape),
        "tiny": lambda shape: 1e-40 * random.standard_normal(shape),
        "random": lambda shape: random.standard_normal(shape),
        "sparse": lambda shape: random.integers(0, 2, shape),
    }
    shapes = (k, d, d), (k, k, d), (k, len(moves), d), (d,)
    A, B, C, h0 = (kinds[draw(st.sampled_from(sorted(kinds)))](shape).astype(np.float32) for shape in shapes)
    symbols = draw(st.permutations(table.symbols))
    metadata = {"format": DFST_FORMAT, "symbols": json.dumps(symbols), "moves": json.dumps(list(moves))}
    metadata |= draw(st.sampled_from([{}, {"stuck": "negative"}]))
    return table, Dfst(A, B, C, h0, tuple(symbols), tuple(moves), metadata)


@pytest.mark.long
@searched(12)
@given(hostile_models(), st.sampled_from(["worlds", "inputs"]))
def test_no_model_makes_judging_crash(model: tuple[Table, Dfst], scope: str) -> None:
    table, dfst = model
    verdict_on(dfst, table, scope if table.input else "worlds")


@st.composite
def nearly_right_models(draw: st.DrawFn) -> Dfst:
    """A model of increment that is explored: scaled, noisy, wider than it has states, or wrong in one rule."""
    table = TABLES["increment"]
    noise = draw(st.sampled_from([0.0, 1e-3, 3e-2]))
    dfst = turned(widened(table_to_dfst(table)), draw(st.integers(0, 50)), noise)
    if draw(st.booleans()):
        state, symbol, entry = draw(st.sampled_from(list(table.entries())))
        row = list(table.rows[state])
        row[symbol] = None if draw(st.booleans()) else entry._replace(write=0)
        rows = (*table.rows[:state], tuple(row), *table.rows[state + 1 :])
        dfst = with_action_of(dfst, replace(table, rows=rows)) if draw(st.booleans()) else dfst
    scale = np.float32(draw(st.sampled_from([1.0, 1e-20, 1e20])))
    return replace(dfst, A=dfst.A * np.float32(draw(st.sampled_from([1.0, 3.0, 0.1]))), h0=dfst.h0 * scale)


@pytest.mark.long
@searched(3)
@given(nearly_right_models(), st.sampled_from(["worlds", "inputs"]))
def test_no_model_that_is_nearly_right_makes_judging_crash(dfst: Dfst, scope: str) -> None:
    verdict_on(dfst, TABLES["increment"], scope)


@pytest.mark.parametrize("scope", ["worlds", "inputs"])
def test_a_model_that_errs_nearly_everywhere_is_refuted_before_it_is_explored(scope: str) -> None:
    noise = rotated(TABLES["add2"], 1, 0.5)
    result = verdict_on(noise, TABLES["add2"], scope)
    assert result.verdict == REFUTED and "of the 40 shortest inputs" in result.reason
    assert len(result.hard) == 1, "all else that it gets wrong would be everything"
    assert result.counterexample in ("0+0", "[0]+0\n")


def test_a_model_of_another_agent_is_refuted_at_once() -> None:
    palindrome = TABLES["palindrome"]
    other = replace(palindrome, rows=tuple(tuple(reversed(row)) for row in palindrome.rows))
    assert not judge(turned(table_to_dfst(other), 1), palindrome).explored


@pytest.mark.parametrize(
    ("name", "states"),
    [
        ("add2", 12),
        ("mult2", 27),
        ("add10", 20),
        pytest.param("mult10", 95, marks=pytest.mark.long),
    ],
)
@pytest.mark.usefixtures("few_worlds")
def test_the_weights_among_the_examples_are_proven_on_all_inputs(name: str, states: int) -> None:
    dfst = read_dfst(str(EXAMPLES / "models" / f"{name}.safetensors"))
    result = verdict_on(dfst, TABLES[name], "inputs")
    assert (result.verdict, result.states) == (PROVEN, states)
    assert result.product_states and result.product_states < 20_000, "columns remember what acted on them"
    assert not any(part in dfst.metadata["training"] for part in ("/work", "/home", "/tmp"))
