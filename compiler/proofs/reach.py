"""Dead rules: pairs of a state and a symbol that no run ever comes to, shown by the abstractions of proofs.

A fixpoint of an abstraction holds at least every pair that some run comes to. What one of them does not hold
is dead; what they hold may be dead all the same.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress

from gridlang.compiler.automata.explore import TooLarge
from gridlang.compiler.proofs.abstractions.grains import (
    bare_rules,
    families_and_states,
    grain_of,
    strip_evidence,
    widened,
)
from gridlang.compiler.proofs.abstractions.windows import WindowAnalysis, WindowProduct
from gridlang.compiler.proofs.limits import LIMITS
from gridlang.compiler.proofs.results.readings import as_checked
from gridlang.compiler.verifier.strips import check_strips
from gridlang.compiler.verifier.tables import Wrong
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
    left = as_checked(table) if scope == "inputs" else bare_rules(table)
    most, grain = LIMITS.most_dead_rule_nodes, grain_of(table, *families_and_states(table), dim=True)
    for depth, dim in ((1, True), (2, False)):
        tried = grain._replace(depth=depth, ahead=AHEAD, dim=dim)
        with suppress(Wrong):
            strip, _ = widened(
                lambda grain: check_strips(left, left, scope, strip_evidence(grain), "unasked", most), tried
            )
            yield strip.read_pairs()
    with suppress(TooLarge):
        yield set(WindowAnalysis(WindowProduct(table.rows, table.rows, 1), most).reads())
