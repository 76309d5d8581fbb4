"""What a certificate says of snapped weights: recorded with its margins, and checked from the weights alone."""

from __future__ import annotations

import copy
import json
from collections.abc import Callable
from dataclasses import replace
from functools import lru_cache
from random import Random

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from gridlang.compiler.extraction.clusters import Clusters, graph_to_table
from gridlang.compiler.extraction.exploration import Explained
from gridlang.compiler.extraction.extract import EXACT, extract
from gridlang.compiler.extraction.model_metadata import declared
from gridlang.compiler.extraction.own_runs import OwnRun, OwnRunner
from gridlang.compiler.extraction.snapped_graph import snapped_clusters
from gridlang.compiler.extraction.snapped_inference import (
    StateCodebook,
    codebook,
    codebook_of,
    snapped_table,
    snapping_of,
    state_of,
)
from gridlang.compiler.tensors.dfst import Dfst
from gridlang.compiler.tensors.model import symbols_of
from gridlang.compiler.tensors.snapping import check_snapping
from gridlang.table import Table, canonical
from gridlang.table_json import table_to_json
from tests.strategies import tables
from tests.support.searches import searched
from tests.support.snapping_forgeries import FORGERIES, Side
from tests.support.weights import TABLES, inputs_of, model, rotated


@lru_cache
def book_of(name: str) -> StateCodebook:
    return codebook_of(model(name), extract(model(name), expert=TABLES["add2"], scope="inputs"))


def side_of(dfst: Dfst, book: StateCodebook) -> Side:
    """A side of a certificate, as JSON gives it back."""
    table = json.loads(table_to_json(book.table, families=False))
    snapping, _ = snapping_of(dfst, book) or (None, None)
    return copy.deepcopy({"table": table, "snapping": snapping})


def problems_of(side: Side, dfst: Dfst) -> list[str]:
    return check_snapping(side, dfst).problems


@pytest.mark.parametrize("name", ["worlds", "inputs"])
def test_what_is_recorded_is_shown_by_the_weights_alone(name: str) -> None:
    side = side_of(model(name), book_of(name))
    assert side["snapping"] is not None and problems_of(side, model(name)) == []
    margins = {key: float.fromhex(value) for key, value in side["snapping"]["margins"].items()}
    assert margins["lead"] > 0.1 and margins["within"] > 0 and margins["apart"] > 0


@searched(12)
@given(tables(max_states=6, max_symbols=3), st.integers(0, 1000))
def test_disguised_tables_are_recorded_and_checked(table: Table, seed: int) -> None:
    source = canonical(table)
    assume(any(source.rows[0]))
    dfst = rotated(source, seed)
    extraction = extract(dfst, seed=seed)
    assume(extraction.scope != EXACT)  # Exact weights need no snapping.
    book = codebook_of(dfst, extraction)
    assert problems_of(side_of(dfst, book), dfst) == []


@pytest.mark.parametrize("name", ["worlds", "inputs"])
def test_margins_hold_in_any_order_of_summation(name: str) -> None:
    """Every product is summed in float32, in orders drawn at random: decisions and snapping stay the same."""
    dfst, book, random = model(name), book_of(name), np.random.default_rng(5)
    symbols = symbols_of(dfst)

    def product(matrix: np.ndarray, vector: np.ndarray) -> np.ndarray:
        order = random.permutation(len(vector))
        terms = (matrix * vector)[:, order].astype(np.float32)
        return np.cumsum(terms, axis=1, dtype=np.float32)[:, -1]

    for state, number, entry in book.table.entries():
        x, centre = symbols.index(book.table.symbols[number]), book.centre[state]
        for _ in range(5):
            assert symbols[int(product(dfst.B[x], centre).argmax())] == book.table.symbols[entry.write]
            if not book.table.is_halt(state, number):
                assert state_of(book, product(dfst.A[x], centre)) == entry.next


def heavier(dfst: Dfst) -> Dfst:
    """One weight of B changed by 3: another output leads somewhere."""
    B = dfst.B.copy()
    B[1, 0] += 3
    return replace(dfst, B=B)


def test_other_weights_are_told() -> None:
    dfst = model("worlds")
    side = side_of(dfst, book_of("worlds"))
    assert any("do not surely decide" in each for each in problems_of(side, heavier(dfst)))
    turned = replace(dfst, A=np.roll(dfst.A, 1, axis=1))
    assert any("does not surely snap" in each for each in problems_of(side, turned))
    assert "the first vector" in problems_of(side, replace(dfst, h0=-dfst.h0))[0]
    assert "another format, or for weights of another size" in problems_of(side, rotated(TABLES["add10"]))[0]


@pytest.mark.parametrize(("forge", "said"), FORGERIES)
def test_a_forged_snapping_is_told_for_what_it_is(forge: Callable[[Side], object], said: str) -> None:
    side = side_of(model("worlds"), book_of("worlds"))
    forge(side)
    problems = problems_of(side, model("worlds"))
    assert problems and any(said in problem for problem in problems), problems


def test_damaged_snappings_are_told_and_raise_nothing() -> None:
    random, dfst = Random(1), model("worlds")
    whole = side_of(dfst, book_of("worlds"))
    for _ in range(200):
        side = copy.deepcopy(whole)
        part = random.choice([side["snapping"], side["snapping"]["margins"], side["table"]])
        key = random.choice(list(part))
        part[key] = random.choice([None, -1, [], {}, "x", 1e308, [[]], {"x": []}, part[key], "0x1.8p+4000"])
        assert isinstance(problems_of(side, dfst), list)


def snapped(dfst: Dfst, runs: int) -> tuple[Clusters, Clusters]:
    """What inputs show of a model, and what its centres do."""
    explained = Explained(model("inputs"))
    cases = [OwnRun(text, 1_000) for text in inputs_of(TABLES["add2"], runs, 4)]
    explained.learn(OwnRunner(model("inputs"), None).run(cases))
    seen = explained.clusters()
    assert seen is not None
    return seen, snapped_clusters(dfst, seen)


def test_snapped_clusters_are_what_the_centres_do_and_nothing_unsure() -> None:
    dfst = model("inputs")
    seen, all_rules = snapped(dfst, 60)
    table = graph_to_table(all_rules.graph, dfst, declared(dfst))
    book = codebook(dfst, table, all_rules.centres[list(map(int, table.states))], all_rules.tolerance)
    assert all_rules.graph.edges > seen.graph.edges
    assert snapped_table(dfst, book) is book.table
    assert problems_of(side_of(dfst, book), dfst) == []


def test_states_that_snapped_inference_never_reaches_are_left_out_with_their_centres() -> None:
    _, alone = snapped(replace(model("inputs"), A=np.zeros_like(model("inputs").A)), 20)
    assert alone.graph.size == len(alone.centres) == 1
