"""Reads from which state merging comes to the agent itself."""

from __future__ import annotations

from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from gridlang.compiler.automata.merging import NONE
from gridlang.compiler.proofs.equivalence import compare_tables
from gridlang.learners.methods.merging.merge import merged
from gridlang.learners.traces.choosing.reads import SAME, Reads, StatePairs, reached, record_reads
from gridlang.learners.traces.dataset import Traces
from gridlang.program import Program
from gridlang.table import MOVES, STAY, Entry, Table
from tests.strategies import tables


@st.composite
def total_tables(draw: st.DrawFn) -> Table:
    """A table with a rule for every symbol in every state."""
    table = draw(tables())
    states, symbols = range(len(table.states)), range(len(table.symbols))
    moves = [move for move in range(len(MOVES)) if move != STAY]  # Whoever stays and keeps a symbol halts.
    entries = st.builds(Entry, st.sampled_from(symbols), st.sampled_from(moves), st.sampled_from(states))
    rows = tuple(tuple(entry or draw(entries) for entry in row) for row in table.rows)
    return replace(table, rows=rows)


def telling_word(pairs: StatePairs, state: int, other: int) -> Reads:
    """The fewest reads that tell two states of a total table apart; none where nothing does."""
    left = pairs.count[state, other]
    if left == SAME:
        return ()
    if left == 1:
        return (int((pairs.action[state] != pairs.action[other]).argmax()),)
    after = [(x, *map(int, pairs.next[[state, other], x])) for x in range(pairs.next.shape[1])]
    read, one, two = next(each for each in after if NONE not in each and pairs.count[each[1:]] == left - 1)
    return (read, *telling_word(pairs, one, two))


def characteristic_traces(table: Table) -> Traces:
    """The shortest reads to each state and one step further, each with what tells the reached state from all
    others (Gold 1978; Oncina and García 1992).
    """
    states, pairs = reached(table), StatePairs(table)
    telling = {state: {telling_word(pairs, state, other) for other in states.nodes} for state in states.nodes}
    sequences: set[Reads] = set()
    for state in states.nodes:
        way = tuple(states.path(state))
        sequences |= {way + word for word in telling[state]}
        for symbol, entry in enumerate(table.rows[state]):
            if entry is not None:
                words = {()} if entry.is_idle(symbol) else telling[entry.next]
                sequences |= {(*way, symbol, *word) for word in words}
    return record_reads(Program(table, "random"), sorted(sequences - {()}), {})


@given(total_tables())
def test_merging_from_the_root_comes_to_any_agent_that_is_never_stuck(table: Table) -> None:
    assert compare_tables(table, merged(characteristic_traces(table), "breadth").table).equivalent
