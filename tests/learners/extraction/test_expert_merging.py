"""Extracted states merged as the expert's are: nothing that was seen is lost, and proofs become easy."""

from __future__ import annotations

from dataclasses import replace
from itertools import islice
from random import Random

from hypothesis import given, settings
from hypothesis import strategies as st

from compiler.proofs.equivalence import compare_tables
from compiler.proofs.prove import prove
from gridlang.loading import load
from gridlang.table import Entry, Table, canonical
from learners.extraction.expert_merging import merged_after
from learners.extraction.extract import Extraction, extract
from learners.traces.random_worlds import random_worlds
from tests.programs import EXAMPLES
from tests.strategies import tables
from tests.support.weights import model, rotated

ADD2 = load(EXAMPLES / "add2.grid").table


def test_a_model_of_an_expert_is_merged_into_its_very_states() -> None:
    found = extract(rotated(ADD2), expert=ADD2, scope="worlds")
    merged = merged_after(ADD2, found, islice(random_worlds(ADD2, Random(0), 60), 300))
    assert merged and merged.table and set(merged.table.states) == set(ADD2.states)
    assert prove(ADD2, merged.table, "worlds", radius=1).equivalent
    assert merged.table.states[merged.merged[0]] == ADD2.states[0]


def test_without_a_graph_there_is_nothing_to_merge() -> None:
    assert merged_after(ADD2, Extraction(), []) is None
    refused = extract(model("drifting"), expert=ADD2)
    assert refused.refused and merged_after(ADD2, refused, ["1+1"]) is None


@settings(max_examples=60, deadline=None)
@given(st.data())
def test_merging_keeps_all_that_was_seen_whoever_the_expert_is(data: st.DataObject) -> None:
    expert = data.draw(tables())
    raw = canonical(_split(expert, Random(data.draw(st.integers(0, 99)))))
    cases = list(islice(random_worlds(expert, Random(0), 20), data.draw(st.integers(0, 8))))
    merged = merged_after(expert, Extraction(table=raw, raw=raw), cases)
    assert merged and merged.table and compare_tables(raw, merged.table).equivalent
    assert len(merged.merged) == len(raw.states) and len(merged.table.states) <= len(raw.states)


def _split(table: Table, random: Random) -> Table:
    """The same agent with every state twice, and rules that lead to either."""
    size = len(table.states)

    def entry(place: int, symbol: int) -> Entry | None:
        known = table.rows[place % size][symbol]
        if known is None or known.is_idle(symbol):
            return known and known._replace(next=place)
        return known._replace(next=known.next + size * random.randint(0, 1))

    rows = tuple(tuple(entry(place, x) for x in range(len(table.symbols))) for place in range(2 * size))
    states = (*table.states, *(f"{name}_again" for name in table.states))
    return replace(table, states=states, rows=rows)
