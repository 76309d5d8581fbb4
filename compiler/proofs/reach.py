"""Dead rules: pairs of a state and a symbol that no run ever comes to, shown by the abstractions of proofs.

A fixpoint of an abstraction holds at least every pair that some run comes to. What one of them does not hold
is dead; what they hold may be dead all the same.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress

from gridlang.clauses.input_clauses import language_of
from gridlang.compiler.automata.explore import TooLarge
from gridlang.compiler.proofs.abstractions.columns import columns_of
from gridlang.compiler.proofs.abstractions.input_automaton import row_automaton
from gridlang.compiler.proofs.abstractions.strip_labels import StripDetail, families_and_states
from gridlang.compiler.proofs.abstractions.strips import strip_analysis
from gridlang.compiler.proofs.abstractions.windows import WindowAnalysis, WindowProduct
from gridlang.compiler.proofs.limits import LIMITS
from gridlang.table import Table

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
    families, states = families_and_states(table)
    for depth, dimmed in ((1, True), (2, False)):
        detail = StripDetail(depth, families, states, AHEAD, dimmed)
        with suppress(TooLarge):
            strips = strip_analysis(table, table.rows, columns, detail, limit=most)
            if strips is not None:
                yield strips.pairs()
    with suppress(TooLarge):
        yield set(WindowAnalysis(WindowProduct(table.rows, table.rows, 1), most).reads())
