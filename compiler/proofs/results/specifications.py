"""One agent by the clauses of another: an expert says which inputs there are and what must be left.

The other agent's own clauses are not asked. Whoever meets the expert's on every input, halting, is right,
whichever way it goes.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import NamedTuple

from gridlang.compiler.proofs.certificates import Subject
from gridlang.compiler.proofs.equivalence import aligned
from gridlang.compiler.proofs.reports import Listener
from gridlang.compiler.proofs.results.claims import PROVEN
from gridlang.compiler.proofs.results.correctness import accepted_claims, claims_of
from gridlang.table import STAY, Entry, Table


class ClauseProof(NamedTuple):
    """What is proven of an agent on every declared input."""

    output: bool  # never stuck, and what the clause says is left wherever it halts; or ended as it says
    halts: bool  # or ended as an acceptor should
    accepts: bool = False  # The clause says how runs end, and nothing else.

    @property
    def total(self) -> bool:
        return self.output and self.halts


def clause_proof(table: Table, progress: Listener | None = None) -> ClauseProof:
    claims, _ = accepted_claims(Subject(table, table.name, b""), claims_of(table, progress))
    proven = {claim.says: claim.verdict for claim in claims if claim.answer == PROVEN}
    output = proven.get(f"output {table.output}")
    accepts = output is not None and output.accepts
    return ClauseProof(output is not None, accepts or "halts" in proven, accepts)


def _knowing(table: Table, symbols: Iterable[str]) -> Table:
    """With rules for new symbols only in states that halt on everything."""
    more = tuple(symbol for symbol in symbols if symbol not in table.symbols)
    first = len(table.symbols)

    def added(state: int) -> tuple[Entry | None, ...]:
        halts = table.halts_everywhere(state)
        return tuple(Entry(first + at, STAY, state) if halts else None for at in range(len(more)))

    rows = tuple(row + added(state) for state, row in enumerate(table.rows))
    return replace(table, symbols=table.symbols + more, rows=rows)


def by_clauses_of(expert: Table, student: Table) -> tuple[Table, Table]:
    """Both over the same symbols in the expert's order, and both with the expert's clauses."""
    left, right = _knowing(expert, student.symbols), _knowing(student, expert.symbols)
    rows, families = aligned(left, right).rows, student.families
    return left, replace(left, name=student.name, states=student.states, rows=rows, families=families)
