"""Budgets of the search for a smallest machine: counted, since a clock would find less on a busy machine."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class Limits:
    """Sizes and shares; times are settings of the method."""

    most_states: int = 64  # clauses grow with the square of the states
    seconds: float = 600.0  # of a usual core, counted in work
    share: float = 1 / 3  # of the time left, for each size on the way up: larger ones are easier to meet
    added_at_once: int = 8  # contradictions that become clauses per guess; 32 are slower on worlds
    hard: int = 2_000  # conflicts after which more of the traces become clauses
    edges: int = 4_000  # with 20 states, some million clauses
    candidates: int = 3_000  # for a clique; their pairs are compared within two seconds
    plain_candidates: int = 150  # without a C compiler
    clique_nodes: int = 200_000  # nearest to the start: most was seen below them
    sample: int = 256  # nodes that tell how often a candidate differs from others
    pairs: int = 2_000  # of nodes in two subtrees that are compared; long equal ones say nothing
    starts: int = 60  # from which a clique is grown
    refutation_conflicts: int = 500_000  # more make a file of hundreds of megabytes
    refutation_bytes: int = 64 * 2**20  # unpacked; the checker reads no more
    conflicts_per_look: int = 500  # at the work done, some tenths of a second
    propagations_a_second: int = 4_000_000  # of a usual core: what is counted, not what is measured
    clause_work: int = 8  # propagations that take as long as making a clause
    steps_looked_at: int = 20  # in a search for contradictions, as long as a propagation


LIMITS = Limits()


class OutOfWork(Exception):
    """The budget is spent without an answer."""


class Work:
    """Counts up, in propagations of the solver; `seconds` is what a usual core takes for them."""

    def __init__(self, seconds: float) -> None:
        self.spent = 0
        self.end = seconds * LIMITS.propagations_a_second

    @property
    def is_left(self) -> bool:
        return self.spent < self.end

    def after(self, share: float) -> float:
        """Where the count stands once this part of what is left is spent."""
        return self.spent + (self.end - self.spent) * share

    def spend(self, work: int, until: float) -> None:
        """OutOfWork once the count stands at `until`."""
        self.spent += work
        if self.spent > until:
            raise OutOfWork


def propagations(solver: Any) -> int:
    """The work of a solver so far."""
    return int((solver.accum_stats() or {}).get("propagations", 0))
