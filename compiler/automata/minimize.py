"""Fewer states for a table: those that never disagree are merged, and the result is checked.

Undefined pairs are don't-cares, so the result may go on where the original is stuck, and does the same
everywhere else.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from compiler.automata.equivalence import follows
from compiler.automata.merging import fold_equivalent, graph_to_rows, table_to_graph
from gridlang.diagnostics import fail
from gridlang.table import Table, canonical, families_for


@dataclass(frozen=True, slots=True)
class Minimized:
    """A smaller table, and the fewest states that any could have; equal means exact.

    >>> import gridlang as gl
    >>> gl.minimize("examples/mult2.grid").bound
    21
    """

    table: Table
    bound: int

    @property
    def exact(self) -> bool:
        return len(self.table.states) == self.bound

    def __repr__(self) -> str:
        best = "no table can have fewer" if self.exact else f"at least {self.bound} are needed"
        return f"Minimized({self.table.name}: {len(self.table.states)} states, {best})"


def minimize_table(table: Table, seed: int = 0) -> Minimized:
    """Merges states that agree wherever both are defined; each class is named after its first member."""
    reached = canonical(table)
    folded = fold_equivalent(table_to_graph(reached), seed)
    first: dict[int, int] = {}
    for state, home in enumerate(folded.home):
        first.setdefault(home, state)
    names = tuple(reached.states[first[home]] for home in range(folded.graph.size))
    rows, families = graph_to_rows(folded.graph), families_for(names, reached)
    smaller = canonical(replace(table, states=names, rows=rows, families=families))
    if not follows(table.rows, smaller.rows):
        raise fail("G086", f"minimising `{table.name}` went wrong; the original was kept")
    return Minimized(smaller, folded.bound)
