"""Extraction: what a model does becomes a table that does the same; a model that follows no graph is refused."""

from __future__ import annotations

import json
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from gridlang.compiler.automata.behaviour_names import behaviour
from gridlang.compiler.extraction.extract import EXACT, Extraction, extract
from gridlang.compiler.extraction.model_metadata import declared
from gridlang.compiler.lockstep.alone import run_model
from gridlang.compiler.proofs.equivalence import compare_tables
from gridlang.compiler.simulation.simulate import run
from gridlang.compiler.tensors.dfst import Dfst, read_dfst, table_to_dfst
from gridlang.compiler.weights.families.known import table_to_families
from gridlang.loading import load_source
from gridlang.outcomes import Outcome, Reason
from gridlang.source import Source
from gridlang.table import MOVES, Entry, Table, canonical
from gridlang.world import World, string_world
from tests.programs import EXAMPLES
from tests.strategies import canonical_tables, tables, worlds
from tests.support.lockstep import run_lockstep
from tests.support.searches import searched
from tests.support.weights import TABLES, doubting, inputs_of, model, rotated


def table_of(found: Extraction) -> Table:
    assert found.table is not None, found.refused
    return found.table


def follows(table: Table, expert: Table, world: World, steps: int = 300) -> bool:
    """Whether a table does what the expert does, up to where that halts or is stuck."""
    wanted, got = run(expert, world, steps, trace=True), run(table, world, steps, trace=True)
    assert wanted.trace is not None and got.trace is not None
    return got.trace[: len(wanted.trace)] == wanted.trace and (
        wanted.outcome != Outcome.HALTED or got.outcome == Outcome.HALTED
    )


# Exact weights, and exact weights in disguise.


@given(canonical_tables)
def test_exact_weights_extract_to_their_own_table(table: Table) -> None:
    found = extract(table_to_dfst(table))
    assert found.scope == EXACT and found.saturated and not found.refused
    assert (table_of(found).rows, table_of(found).states) == (table.rows, table.states)
    assert found.raw == found.table


@searched(15)
@given(st.data(), tables(max_states=8, max_symbols=4), st.integers(0, 1000))
def test_rotated_weights_extract_to_an_equivalent_table_with_no_more_states(
    data: st.DataObject, table: Table, seed: int
) -> None:
    source = canonical(table)
    assume(any(source.rows[0]))
    found = extract(rotated(source, seed), seed=seed)
    assert len(table_of(found).states) <= found.clusters <= len(source.states)
    for _ in range(5):
        assert follows(table_of(found), source, data.draw(worlds(source)))


# Noise.


@pytest.mark.long
@searched(6)
@given(st.sampled_from([1e-7, 1e-5, 1e-4, 1e-3, 1e-2, 0.1]), st.integers(0, 100))
def test_a_noisy_model_is_refused_or_does_what_its_table_says(noise: float, seed: int) -> None:
    noisy = rotated(TABLES["add2"], seed, noise)
    found = extract(noisy, seed=seed, budget=400_000)
    if found.table is not None:
        texts = inputs_of(TABLES["add2"], 10, min(20, found.drifts_beyond or 20), seed)
        assert all(
            outcome.ending != Reason.DIFFERS for outcome in run_lockstep(noisy, found.table, texts, 5_000)
        )
        assert compare_tables(found.raw, found.table).equivalent  # type: ignore[arg-type]


def test_a_little_noise_changes_nothing_and_much_noise_is_refused() -> None:
    assert len(table_of(extract(rotated(TABLES["add2"], noise=1e-6))).states) == 12
    assert extract(rotated(TABLES["add2"], noise=0.1)).refused


# Trained models.


@pytest.mark.parametrize("expert", [None, TABLES["add2"]])
def test_a_model_trained_on_inputs_has_no_more_states_than_the_expert(expert: Table | None) -> None:
    found = extract(model("inputs"), expert=expert)
    assert found.fewest <= 12 <= found.clusters
    for text in inputs_of(TABLES["add2"], 40, 12):
        assert follows(table_of(found), TABLES["add2"], string_world(text))
    raw = found.raw
    assert raw is not None and compare_tables(raw, table_of(found)).equivalent


def test_the_same_seed_gives_the_same_extraction() -> None:
    one, two = (extract(model("inputs"), seed=3, budget=100_000) for _ in range(2))
    assert one.table == two.table and one.raw == two.raw and one.history == two.history


# Refusals, and what a model does not tell.


def test_vectors_that_cannot_be_told_apart_but_do_different_things_are_refused() -> None:
    """Two states whose hidden vectors are almost the same: one walks right, one left."""
    going = Table(
        "two", ("_", "x"), ("r", "l"), ((Entry(0, 3, 0), Entry(1, 2, 1)), (Entry(0, 2, 1), Entry(1, 3, 0)))
    )
    exact = table_to_dfst(going)
    there = np.array([[1, 1], [0, 1e-3]])
    back = np.linalg.inv(there)
    tensors = (there @ exact.A @ back, exact.B @ back, exact.C @ back, there @ exact.h0)
    A, B, C, h0 = (tensor.astype(np.float32) for tensor in tensors)
    close = replace(exact, A=A, B=B, C=C, h0=h0, metadata={"symbols": exact.metadata["symbols"]})
    found = extract(close, expert=going)
    assert found.refusal is not None and found.refusal.code == "G152"
    assert "do" in found.refused and found.table is None


def test_a_model_that_is_never_sure_is_refused() -> None:
    zero = rotated(TABLES["ant"])
    found = extract(replace(zero, B=zero.B + 1, C=zero.C + 1))
    assert found.refusal is not None and found.refusal.code == "G153"


def test_a_model_whose_vectors_never_come_back_is_refused() -> None:
    """It walks right for ever, and turns its hidden vector by an angle that no number of steps undoes."""
    turn = np.array([[np.cos(1), -np.sin(1)], [np.sin(1), np.cos(1)]])
    A = np.zeros((2, 3, 3))
    A[:, :2, :2], A[:, 2, 2] = turn, 1
    B, C = np.zeros((2, 2, 3)), np.zeros((2, 5, 3))
    B[0, 0, 2] = B[1, 1, 2] = C[:, 3, 2] = 1
    tensors = [tensor.astype(np.float32) for tensor in (A, B, C, np.array([1.0, 0, 1]))]
    found = extract(Dfst(*tensors, ("_", "x")), tolerance=0.001)
    assert found.refusal is not None and found.refusal.code == "G151"


def test_a_model_made_elsewhere_may_order_its_symbols_and_moves_otherwise() -> None:
    given, k = model("worlds"), 4
    order, turns = [2, 0, 3, 1], [4, 2, 0, 3, 1]
    other = replace(
        given,
        A=given.A[order],
        B=given.B[order][:, order],
        C=given.C[order][:, turns],
        symbols=tuple(given.symbols[i] for i in order),
        moves=tuple(given.moves[i] for i in turns),
    )
    assert len(other.symbols) == k
    assert compare_tables(TABLES["add2"], table_of(extract(other))).equivalent


def test_inputs_are_taken_from_the_source_or_the_expert_where_classes_are_missing() -> None:
    given = model("worlds")
    bare = {key: value for key, value in given.metadata.items() if key not in ("classes", "source")}
    assert declared(replace(given, metadata=bare)).language is None
    assert declared(replace(given, metadata=bare), TABLES["add2"]).input == TABLES["add2"].input
    assert (
        declared(replace(given, metadata={**bare, "source": given.metadata["source"]})).language is not None
    )
    nonsense = {**bare, "classes": json.dumps([["digit", "xyz"]]), "name": "no name"}
    assert declared(replace(given, metadata=nonsense)).name == "learned"


# Clusters and folding.


def test_every_hidden_vector_of_a_run_is_near_the_state_that_the_raw_table_is_in() -> None:
    dfst = model("inputs")
    found = extract(dfst)
    raw = found.raw
    assert raw is not None
    for text in inputs_of(TABLES["add2"], 5, 10):
        done = run_model(dfst, string_world(text), trace=True)
        assert done.trace is not None
        hidden, state = dfst.h0, 0
        for action in done.trace[:-1]:
            far = np.linalg.norm(found.centres - hidden / np.linalg.norm(hidden), axis=1)
            assert far.min() <= found.spread + found.tolerance
            assert far.argmin() == state
            entry = raw.rows[state][raw.symbols.index(action.read)]
            assert entry is not None
            hidden, state = dfst.A[dfst.symbols.index(action.read)] @ hidden, entry.next


# Names and families.


def test_states_are_named_by_what_they_do() -> None:
    table = TABLES["add2"]
    words = {name: behaviour(table, state) for state, name in enumerate(table.states)}
    assert words["seek"] == "walk_R" and words["home"] == "walk_L" and words["take"] == "write_plus_D"
    assert behaviour(TABLES["mult"], TABLES["mult"].states.index("done")) == "done"


def test_families_are_found_without_an_expert() -> None:
    found = extract(rotated(TABLES["add10"]))
    text = table_to_families(table_of(found)).text
    assert "state add(v in digit)" in text and text.count("\nstate ") < len(table_of(found).states)


@given(canonical_tables)
def test_any_table_reads_back_from_its_families(table: Table) -> None:
    assert load_source(Source("<families>", table_to_families(table).text), {}).table == table


def test_a_family_is_one_state_with_a_parameter() -> None:
    text = table_to_families(TABLES["mult10"]).text
    assert "state times(v in digit, c in 0..max(v-1, 0))" in text and len(text.split("\n")) < 100


def test_what_a_model_was_asked_and_left_undecided_is_never_filled() -> None:
    """Both states do the same wherever both are sure, so folding would make one of them."""
    halt, right = Entry(0, MOVES.index("S"), 0), MOVES.index("R")
    rows = ((halt, Entry(1, right, 1)), (halt._replace(next=1), Entry(1, right, 0)))
    wavering = doubting(Table("twice", ("_", "1"), ("one", "other"), rows), "other", "1", "_")
    extraction = extract(wavering)
    assert extraction.table and extraction.states == 2 and extraction.guessed == 0
    assert extraction.table.rows[1][1] is None
    assert run(extraction.table, string_world("11")).outcome == Outcome.STUCK


def test_a_model_that_errs_where_it_is_unsure_is_not_extracted_to_one_that_does_not() -> None:
    wavering = doubting(TABLES["add2"], "carry(1)", "1", "1")
    assert run_model(wavering, string_world("1+11")).result != "100"
    extraction = extract(wavering)
    assert extraction.table and run(extraction.table, string_world("1+11")).outcome == Outcome.STUCK


@pytest.mark.long
def test_a_model_that_follows_the_expert_is_written_as_the_expert_is() -> None:
    """Merged to the fewest states, the times table would be no formula any more."""
    dfst = read_dfst(str(EXAMPLES / "models" / "mult10.safetensors"))
    table = extract(dfst, expert=TABLES["mult10"], longest=3, budget=2_000_000).table
    assert table is not None and len(table.states) <= 95
    assert "state times(v in digit, c in 0..max(v-1, 0))" in table_to_families(table).text
