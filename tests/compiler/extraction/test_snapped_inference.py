"""Snapped inference: it is the raw table, at every length; leaving the codebook is an error."""

from __future__ import annotations

import json
from dataclasses import replace
from functools import lru_cache
from itertools import islice
from pathlib import Path
from random import Random

import numpy as np
import pytest
from click.testing import Result
from hypothesis import assume, given
from hypothesis import strategies as st

import gridlang as gl
from gridlang.compiler.engines import execute
from gridlang.compiler.extraction.extract import extract
from gridlang.compiler.extraction.snapped_inference import (
    StateCodebook,
    as_snapped_run,
    codebook_of,
    snapped_table,
)
from gridlang.compiler.simulation.random_worlds import random_worlds
from gridlang.compiler.simulation.simulate import run
from gridlang.compiler.tensors.dfst import read_dfst, table_to_dfst
from gridlang.diagnostics import GridError
from gridlang.outcomes import Outcome, Reason
from gridlang.table import Table, canonical
from gridlang.world import World, string_world
from tests.programs import EXAMPLES
from tests.strategies import canonical_tables, tables, worlds
from tests.support import command_line
from tests.support.lockstep import run_lockstep
from tests.support.searches import searched
from tests.support.snapped_runs import run_snapped
from tests.support.weights import MODELS, TABLES, inputs_of, rotated

WORLDS, INPUTS, DRIFTING = (str(MODELS / f"{name}.safetensors") for name in ("worlds", "inputs", "drifting"))


@lru_cache
def book_of(file: str) -> StateCodebook:
    dfst = read_dfst(file)
    return codebook_of(dfst, extract(dfst))


def agrees(file: str, book: StateCodebook, world: World, steps: int) -> bool:
    """Whether the table's run is the run with all float32 products, whatever happens in it."""
    slow = run_snapped(read_dfst(file), book, world, steps, trace=True)
    return as_snapped_run(run(book.table, world, steps, trace=True)) == slow


@pytest.mark.parametrize("file", [WORLDS, INPUTS])
def test_a_snapped_model_is_its_raw_table_on_inputs_and_on_worlds(file: str) -> None:
    book = book_of(file)
    snapped_table(read_dfst(file), book)
    texts = inputs_of(TABLES["add2"], 12, 6)
    assert all(agrees(file, book, string_world(text), 2_000) for text in texts)
    assert all(
        agrees(file, book, world, 200) for world in islice(random_worlds(book.table, Random(3), 60), 40)
    )


@searched(12)
@given(st.data(), tables(max_states=6, max_symbols=3), st.integers(0, 1000))
def test_snapping_disguised_tables_changes_nothing(data: st.DataObject, table: Table, seed: int) -> None:
    source = canonical(table)
    assume(any(source.rows[0]))
    dfst = rotated(source, seed)
    book = codebook_of(dfst, extract(dfst, seed=seed))
    assert snapped_table(dfst, book) is book.table
    world = data.draw(worlds(source))
    slow = run_snapped(dfst, book, world, 100, trace=True)
    fast = as_snapped_run(run(book.table, world, 100, trace=True))
    assert (slow.outcome, slow.trace, slow.world) == (fast.outcome, fast.trace, fast.world)


@given(canonical_tables)
def test_exact_weights_are_snapped_to_their_own_table(table: Table) -> None:
    dfst = table_to_dfst(table)
    assert snapped_table(dfst, codebook_of(dfst, extract(dfst))).rows == table.rows


def test_snapping_goes_on_where_the_weights_alone_fail() -> None:
    random = Random(600)
    a, b = ("".join(random.choice("01") for _ in range(600)) for _ in range(2))
    alone = run_lockstep(read_dfst(INPUTS), TABLES["add2"], [f"{a}+{b}"])[0]
    assert alone.mistake is not None
    done = execute(book_of(INPUTS).table, string_world(f"{a}+{b}"), 10_000_000)
    assert done.outcome == Outcome.HALTED and int(done.result, 2) == int(a, 2) + int(b, 2)


def test_what_was_never_seen_is_stuck_with_the_reason() -> None:
    book = book_of(INPUTS)
    world = World({(0, 0): "+", (1, 0): "+", (2, 0): "+"}, (0, 0))
    slow = run_snapped(read_dfst(INPUTS), book, world)
    assert slow.outcome == Outcome.STUCK and slow.reason is Reason.OFF_CODEBOOK
    assert as_snapped_run(run(book.table, world)).reason == slow.reason


def test_a_vector_far_from_all_centres_has_left_the_codebook() -> None:
    book = book_of(WORLDS)
    dfst = read_dfst(WORLDS)
    assert run_snapped(replace(dfst, h0=-dfst.h0), book, string_world("1+1")).outcome == Outcome.STUCK
    with pytest.raises(GridError, match="its first vector is near no centre"):
        snapped_table(replace(dfst, h0=-dfst.h0), book)


@pytest.mark.parametrize("state", [1, 5])
def test_a_codebook_that_is_not_closed_is_refused(state: int) -> None:
    book = book_of(WORLDS)
    centre = book.centre.copy()
    centre[state] = centre[state - 1]
    with pytest.raises(GridError, match="cannot be snapped") as caught:
        snapped_table(read_dfst(WORLDS), replace(book, centre=centre))
    assert caught.value.diagnostics[0].code == "G154"
    outputs = replace(read_dfst(WORLDS), B=np.zeros_like(read_dfst(WORLDS).B))
    with pytest.raises(GridError, match="another output leads"):
        snapped_table(outputs, book)


def invoke(*arguments: str) -> Result:
    return command_line.invoke("run", *arguments)


def test_run_snap_gives_the_result_and_says_that_it_snapped() -> None:
    done = invoke(WORLDS, "1011+110", "--engine", "dfst", "--snap")
    assert done.exit_code == 0 and done.stdout == "10001\n" and "snapped to 12 centres" in done.stderr
    data = json.loads(invoke(WORLDS, "1+1", "--snap", "--json").stdout)
    assert data["snapped"] is True and data["result"] == "10"
    assert "snapped" not in json.loads(invoke(WORLDS, "1+1", "--json").stdout)


@pytest.mark.parametrize(
    ("name", "row"),
    [("add2", "[1]011+110"), ("add10", "[9]7+58"), ("mult2", "[1]01*11"), ("mult10", "[9]7*58")],
)
def test_run_snap_does_with_every_model_we_ship_what_its_agent_does_on_a_world(
    name: str, row: str, tmp_path: Path
) -> None:
    picture = tmp_path / "world.txt"
    picture.write_text(f"{row}\n")
    done = invoke(str(EXAMPLES / "models" / f"{name}.safetensors"), "--world", str(picture), "--snap")
    assert done.exit_code == 0
    assert done.stdout == invoke(str(EXAMPLES / f"{name}.grid"), "--world", str(picture)).stdout


def test_run_snap_takes_weights_as_they_were_just_learned(tmp_path: Path) -> None:
    weights = tmp_path / "learned.safetensors"
    gl.learn(EXAMPLES / "increment.grid").model.save(weights)
    done = invoke(str(weights), "1" * 40, "--snap")
    assert done.stdout == "1" + "0" * 40 + "\n"


def test_run_snap_says_why_it_is_stuck(tmp_path: Path) -> None:
    picture = tmp_path / "world.txt"
    picture.write_text("[+]++\n")
    told = invoke(INPUTS, "--world", str(picture), "--snap", "--json")
    data = json.loads(told.stdout)
    assert told.exit_code == 1 and data["outcome"] == "stuck" and "leaves its codebook" in data["reason"]


def test_a_model_that_drifts_runs_with_snapped_inference_on_inputs_that_it_errs_on() -> None:
    text = "1" * 60 + "+" + "1" * 60
    assert invoke(DRIFTING, text, "--snap").stdout == "1" * 60 + "0\n"
    assert invoke(DRIFTING, text).stdout != "1" * 60 + "0\n"


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ([str(EXAMPLES / "add2.grid"), "1+1", "--snap"], "--snap is for models"),
        ([WORLDS, "1+1", "--snap", "--engine", "native"], "--snap is for models"),
        ([WORLDS, "1x1", "--snap"], "G070"),
    ],
)
def test_wrong_use_of_snap_is_told(arguments: list[str], said: str) -> None:
    told = invoke(*arguments)
    assert told.exit_code == 2 and said in told.output
