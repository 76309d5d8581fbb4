"""Which input leads an agent to a pair of a state and a symbol? A search that windows guide.

Dead rules: pairs of a state and a symbol that no run ever comes to, shown by the abstractions of proofs.

A fixpoint of an abstraction holds at least every pair that some run comes to. What one of them does not hold
is dead; what they hold may be dead all the same.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from dataclasses import replace

from gridlang.clauses.input_clauses import language_of
from gridlang.compiler.automata.explore import TooLarge
from gridlang.compiler.proofs.abstractions.columns import columns_of
from gridlang.compiler.proofs.abstractions.input_automaton import row_automaton
from gridlang.compiler.proofs.abstractions.strip_labels import StripDetail
from gridlang.compiler.proofs.abstractions.strips import strip_analysis
from gridlang.compiler.proofs.abstractions.windows import WindowAnalysis, WindowProduct
from gridlang.compiler.proofs.differences.difference_search import DifferenceSearch
from gridlang.compiler.proofs.limits import LIMITS
from gridlang.compiler.proofs.prove import comparison_of
from gridlang.compiler.proofs.stages import Proof, WindowStage
from gridlang.table import STAY, Entry, Table

Pair = tuple[int, int]
AHEAD = 1  # A column that looks one ahead knows the last symbol of a part from the others.


def dead_pairs(table: Table, scope: str) -> set[Pair]:
    """Entries that are used on no world, or on no declared input, as far as that can be shown."""
    entries = {(state, symbol) for state, symbol, _ in table.entries()}
    dead: set[Pair] = set()
    for live in _live_pairs(table, scope):
        dead |= entries - live
    return dead


def _live_pairs(table: Table, scope: str) -> Iterator[set[Pair]]:
    """What each abstraction holds: at least all pairs that some run comes to."""
    columns, most = None, LIMITS.most_dead_rule_nodes
    if scope == "inputs":
        language = language_of(table)
        automaton = row_automaton(language, table.symbols) if language else None
        if automaton is None:
            return
        columns = columns_of(automaton, AHEAD)
    families, states = table.family_numbers(), tuple(range(len(table.states)))
    for depth, dimmed in ((1, True), (2, False)):
        detail = StripDetail(depth, families, states, AHEAD, dimmed)
        with suppress(TooLarge):
            strips = strip_analysis(table, table.rows, columns, detail, limit=most)
            if strips is not None:
                yield strips.pairs()
    with suppress(TooLarge):
        yield set(WindowAnalysis(WindowProduct(table.rows, table.rows, 1), most).reads())


def input_to(table: Table, state: int, symbol: int) -> str | None:
    """A declared input on which the agent comes to the pair; None if none is found soon.

    The agent is compared with itself without the pair; where it has no rule there, a halt stands in for one.
    """
    row = table.rows[state]
    acting = _with_entry(table, state, symbol, row[symbol] or Entry(symbol, STAY, state))
    lacking = _with_entry(table, state, symbol, None)
    comparison = comparison_of(acting, lacking, "inputs", limit=LIMITS.most_quick_nodes)
    outcome = WindowStage(1).prove(comparison)
    if isinstance(outcome, Proof):
        return None
    search = DifferenceSearch(comparison)
    search.after(outcome)
    difference = search.at_last(shortly=True)
    return difference and difference.input


def _with_entry(table: Table, state: int, symbol: int, entry: Entry | None) -> Table:
    row = table.rows[state]
    changed = (*row[:symbol], entry, *row[symbol + 1 :])
    return replace(table, rows=(*table.rows[:state], changed, *table.rows[state + 1 :]))
