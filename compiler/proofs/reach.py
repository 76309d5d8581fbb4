"""Which input leads an agent to a pair of a state and a symbol? A search that windows guide."""

from __future__ import annotations

from dataclasses import replace

from compiler.proofs.differences.difference_search import DifferenceSearch
from compiler.proofs.limits import LIMITS
from compiler.proofs.prove import comparison_of
from compiler.proofs.stages import Proof, WindowStage
from gridlang.table import STAY, Entry, Table


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
    search = DifferenceSearch(comparison, lacking)
    search.after(outcome)
    difference = search.at_last(shortly=True)
    return difference and difference.input


def _with_entry(table: Table, state: int, symbol: int, entry: Entry | None) -> Table:
    row = table.rows[state]
    changed = (*row[:symbol], entry, *row[symbol + 1 :])
    return replace(table, rows=(*table.rows[:state], changed, *table.rows[state + 1 :]))
