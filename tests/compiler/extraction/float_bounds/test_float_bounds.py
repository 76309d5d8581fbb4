"""The bound on raw weights: no run in the graph, in any order of summation, ever goes past it."""

from __future__ import annotations

import json
from dataclasses import replace
from fractions import Fraction
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np
import pytest
from click.testing import CliRunner
from hypothesis import assume, given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from gridlang.cli import main
from gridlang.compiler.extraction.explorer import NONE, Rules, rules_for
from gridlang.compiler.extraction.extract import extract
from gridlang.compiler.extraction.float_bounds.error_norms import StateNorms, edges_of, state_norms
from gridlang.compiler.extraction.float_bounds.error_propagation import ALL, SCALE, StepCount
from gridlang.compiler.extraction.float_bounds.float_bounds import ErrorAnalysis, FloatBound, bound_of
from gridlang.compiler.extraction.float_bounds.interval_matrices import (
    Doubles,
    Enclosed,
    lowered,
    product,
    raised,
    spectral_norm,
)
from gridlang.compiler.extraction.float_bounds.reference_vectors import ReferenceGraph, reference_graph
from gridlang.compiler.extraction.limits import LIMITS
from gridlang.compiler.tensors.dfst import Dfst, Floats, table_to_dfst
from gridlang.loading import load_source
from gridlang.source import Source
from gridlang.table import Table, canonical
from tests.strategies import canonical_tables, tables
from tests.support.lockstep import run_lockstep
from tests.support.searches import searched
from tests.support.weights import MODELS, TABLES, model, rotated

DELAY = """agent delay
alphabet
  digit = 0..1
input a = digit+
start first
state first
  d in digit : write 0, R -> hold(d)
state hold(v in digit)
  d in digit : write v, R -> hold(d)
  _          : write v, R -> done
state done
  _          : halt
"""


@pytest.fixture(autouse=True)
def quick_norms(monkeypatch: pytest.MonkeyPatch) -> None:
    """Worse norms, sooner: bounds are weaker, never wrong."""
    few = replace(LIMITS, norm_rounds=60)
    monkeypatch.setattr("gridlang.compiler.extraction.float_bounds.error_norms.LIMITS", few)


class Case(NamedTuple):
    """A model with all that a bound rests on."""

    dfst: Dfst
    rules: Rules
    norms: StateNorms
    references: ReferenceGraph
    counted: StepCount


def case_of(dfst: Dfst, near: float = 1e-3) -> Case:
    extraction = extract(dfst)
    assert extraction.raw is not None, extraction.refused
    rules = rules_for(dfst, extraction.raw)
    edges = edges_of(dfst, rules)
    states = range(len(extraction.raw.states))
    directions = np.stack([extraction.centres[extraction.home == state][0] for state in states])
    norms = state_norms(dfst, edges, directions.astype(np.float64))
    references = reference_graph(dfst, edges, norms, near)
    count, _ = ErrorAnalysis(dfst, rules, norms, references).count(lambda _: None)
    return Case(dfst, rules, norms, references, count)


@lru_cache
def known(name: str) -> Case:
    return case_of(model(name))


def times(matrix: Floats, vector: Floats, random: np.random.Generator) -> Floats:
    """A product in float32, with sums in some order."""
    total = np.zeros(len(matrix), np.float32)
    for column in random.permutation(len(vector)):
        total = (total + matrix[:, column] * vector[column]).astype(np.float32)
    return total


def violations(case: Case, seed: int, most: int = 400) -> list[str]:
    """What goes wrong on a random run in the graph, up to the number of steps that is certified."""
    dfst, rules, references = case.dfst, case.rules, case.references
    random, k = np.random.default_rng(seed), len(case.dfst.symbols)
    leads = {
        (int(s), int(x)): int(t)
        for s, x, t in zip(references.source, references.symbol, references.target, strict=True)
    }
    hidden, at, wrong, last = dfst.h0, 0, [], NONE
    limit = most if case.counted.steps == ALL else min(most, int(case.counted.steps))
    for step in range(limit):
        state = int(references.state[at])
        whole = np.concatenate([references.vector[at][:, None], case.norms.basis[state]], 1)
        place = np.linalg.solve(whole, hidden.astype(np.float64))
        if not np.linalg.norm(place[1:] / place[0]) <= case.counted.u[at] * (1 + 1e-9) + 1e-12:
            wrong.append(f"step {step}: the vector is outside its set")
        allowed = np.flatnonzero(rules["write"][state] != NONE)
        if not len(allowed):
            break
        symbol = last if last in allowed and random.random() < 0.6 else int(random.choice(allowed))
        out = times(np.concatenate([dfst.B[symbol], dfst.C[symbol]]), hidden, random)
        rule = rules[state, symbol]
        if (out[:k].argmax(), out[k:].argmax()) != (rule["write"], rule["move"]):
            wrong.append(f"step {step}: another output leads")
        if (at, symbol) not in leads:
            break
        hidden, at, last = times(dfst.A[symbol], hidden, random), leads[at, symbol], symbol
    return wrong


@pytest.mark.parametrize("name", ["worlds", "inputs"])
@pytest.mark.parametrize("seed", range(12))
def test_no_run_of_a_learned_model_in_its_graph_goes_past_the_bound(name: str, seed: int) -> None:
    case = known(name)
    assert int(case.counted.steps) >= 5
    assert violations(case, seed) == []


@searched(5)
@given(tables(max_states=6, max_symbols=3), st.integers(0, 1000), st.sampled_from((0.0, 1e-6, 1e-3)))
def test_no_run_of_a_disguised_table_goes_past_the_bound(table: Table, seed: int, noise: float) -> None:
    source = canonical(table)
    assume(any(source.rows[0]))
    dfst = rotated(source, seed, noise)
    assume(not extract(dfst).refused)
    case = case_of(dfst)
    assert violations(case, seed) == [] and violations(case, seed + 1) == []
    if noise == 0.0:
        assert case.counted.steps == ALL or int(case.counted.steps) >= 10


def test_the_bound_stays_below_where_a_model_is_known_to_fail() -> None:
    text = "1" * 600 + "+" + "10" * 300
    mistake = run_lockstep(model("inputs"), TABLES["add2"], [text])[0].mistake
    assert mistake is not None
    assert int(known("inputs").counted.steps) < mistake.step


def test_the_violations_are_found_where_there_are_some() -> None:
    case = known("worlds")
    narrow = case._replace(counted=case.counted._replace(u=case.counted.u * 1e-3))
    assert any(violations(narrow, seed) for seed in range(4))
    wrong = case._replace(dfst=replace(case.dfst, B=-case.dfst.B))
    assert any("another output" in each for each in violations(wrong, 0))


@given(canonical_tables)
def test_exact_weights_are_proven_at_every_length(table: Table) -> None:
    dfst = table_to_dfst(table)
    bound = bound_of(dfst, extract(dfst))
    assert bound.steps == ALL and bound.closed and bound.margin == 1.0


def test_a_bound_closes_where_every_step_forgets() -> None:
    dfst = rotated(load_source(Source("delay", DELAY), {}).table)
    bound = bound_of(dfst, extract(dfst))
    assert bound.closed and bound.ended == SCALE
    assert int(bound.steps or 0) > 1_000_000 and bound.margin is not None and bound.margin > 0.99


def shrinking(factor: float) -> FloatBound:
    dfst = rotated(load_source(Source("delay", DELAY), {}).table)
    less = replace(dfst, A=(dfst.A * np.float32(factor)).astype(np.float32))
    return bound_of(less, extract(less))


def test_a_vector_that_shrinks_is_proven_until_it_may_leave_the_range_of_float32() -> None:
    bound = shrinking(0.5)
    assert bound.ended == SCALE and 50 <= int(bound.steps or 0) <= 60
    assert int(shrinking(0.9).steps or 0) > 300


ERASER = """agent eraser
alphabet
  digit = 0..1
input a = digit+
start erase
state erase
  digit : write _, R
  _     : halt
"""


def test_nothing_is_certified_where_float32_may_overflow_while_the_scale_is_in_range() -> None:
    plain = rotated(load_source(Source("eraser", ERASER), {}).table)
    h0, A, B = plain.h0 * np.float32(2.0**38), plain.A * np.float32(2), plain.B * np.float32(2.0**39)
    dfst = replace(plain, h0=h0, A=A, B=B)
    hidden = h0.astype(np.float64)
    for _ in range(60):
        hidden = A[1].astype(np.float64) @ hidden
    assert np.abs(B[1].astype(np.float64) @ hidden).max() > np.finfo(np.float32).max
    bound = bound_of(dfst, extract(dfst))
    assert bound.steps is None and bound.ended == SCALE


def test_a_refused_model_has_no_bound() -> None:
    dfst = model("drifting")
    with pytest.raises(ValueError, match="refused"):
        bound_of(dfst, extract(dfst, scope="worlds"))


# Arithmetic with outward rounding.

numbers = st.floats(-1e3, 1e3).map(lambda x: x if abs(x) > 1e-100 else 0.0)
square = arrays(np.float64, (3, 3), elements=numbers)


def exact(matrix: Doubles) -> list[list[Fraction]]:
    return [[Fraction(float(x)) for x in row] for row in matrix]


@given(square, square)
def test_a_product_encloses_the_exact_one(left: Doubles, right: Doubles) -> None:
    enclosed, a, b = product(left, right), exact(left), exact(right)
    for i in range(3):
        for j in range(3):
            true = sum(a[i][n] * b[n][j] for n in range(3))
            assert abs(true - Fraction(float(enclosed.mid[i, j]))) <= Fraction(float(enclosed.rad[i, j]))


@given(square, arrays(np.float64, 3, elements=st.integers(-9, 9).map(float)))
def test_no_vector_is_stretched_more_than_the_spectral_norm(matrix: Doubles, vector: Doubles) -> None:
    most = Fraction(float(spectral_norm(Enclosed(matrix[None], np.zeros((1, 3, 3))))[0]))
    image = [sum(a * Fraction(v) for a, v in zip(row, vector.tolist(), strict=True)) for row in exact(matrix)]
    assert sum(x * x for x in image) <= most**2 * sum(Fraction(v) ** 2 for v in vector.tolist())


@given(st.lists(st.floats(0, 1e6), min_size=1, max_size=50))
def test_raised_and_lowered_sums_are_on_their_side(values: list[float]) -> None:
    true = sum(map(Fraction, values))
    total = float(np.sum(values))
    assert Fraction(float(lowered(total))) <= true <= Fraction(float(raised(total)))


# The command.


@pytest.mark.long
def test_extract_bound_says_what_is_proven_of_which_subject(monkeypatch: pytest.MonkeyPatch) -> None:
    """In JSON and in words, of one and the same bound."""
    bounds: list[FloatBound] = []

    def kept(*given: Any) -> FloatBound:
        bounds.append(bound_of(*given))
        return bounds[-1]

    monkeypatch.setattr("gridlang.compiler.api.models.bound_of", kept)
    file = str(MODELS / "worlds.safetensors")
    told = CliRunner().invoke(main, ["extract", file, "--bound", "--json"])
    data = json.loads(told.stdout)
    assert told.exit_code == 0 and data["certified_steps"] >= 5 and 0 < data["certified_margin"] < 1
    assert data["certified_closed"] is False and "raw float32 weights" in data["certified_subject"]
    (certified,) = bounds
    monkeypatch.setattr("gridlang.compiler.api.models.bound_of", lambda *_: certified)
    plain = CliRunner().invoke(main, ["extract", file, "--bound"])
    said = f"raw float32 weights: argmax proven for {data['certified_steps']} steps on the observed language"
    assert said in plain.stderr


def test_a_refused_model_certifies_nothing() -> None:
    drifting = str(MODELS / "drifting.safetensors")
    told = CliRunner().invoke(main, ["extract", drifting, "--scope", "worlds", "--bound", "--json"])
    assert told.exit_code == 1 and json.loads(told.stdout)["certified_steps"] is None
