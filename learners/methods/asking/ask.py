"""`ask`: the table of an agent from questions to it, until the prover finds no difference."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from compiler.automata.behaviour_names import named_by_behaviour
from compiler.proofs.joint_step import STRICT
from compiler.proofs.prove import prove
from gridlang.table import Table
from learners.methods.asking.discrimination_tree import Learner
from learners.methods.asking.teacher import Reads, Teacher
from learners.methods.table_rows import rows_to_table


class Asked(NamedTuple):
    """A table, what it cost to ask for it, and how often the prover was asked for a difference."""

    table: Table
    queries: int
    steps: int
    rounds: int

    def costs(self) -> dict[str, int]:
        return {"queries": self.queries, "steps": self.steps, "rounds": self.rounds}


class Oracle:
    """Says where a table differs from an expert: the prover, and nothing but its shortest differences."""

    def __init__(self, expert: Table, scope: str = "worlds") -> None:
        self.expert, self.scope, self.rounds = expert, scope, 0

    def difference(self, table: Table) -> Reads | None:
        """Reads after which the table errs at the scope; None if it does not.

        A comparison on all reads is the cheapest, and most of its differences are those of a world too. Where
        the prover cannot decide, the table has to be right on all reads.
        """
        self.rounds += 1
        verdict = prove(self.expert, table, "table", stuck=STRICT)
        shown = self.scope == "table" or (self.scope == "worlds" and verdict.world is not None)
        if not verdict.equivalent and not shown:
            narrower = prove(self.expert, table, self.scope, stuck=STRICT)
            verdict = verdict if narrower.equivalent is None else narrower
        if verdict.equivalent:
            return None
        return tuple(self.expert.symbols.index(step.read) for step in verdict.counterexample or ())


def ask(
    expert: Table, scope: str = "worlds", progress: Callable[[int, int], None] = lambda _, __: None
) -> Asked:
    """A table that does what the expert does at the scope, and is stuck where it is.

    Only the oracle knows the expert. No such table that is right on all reads has fewer states. `progress` is
    told the states and the queries so far.
    """
    teacher, oracle = Teacher(expert), Oracle(expert, scope)
    learner = Learner(teacher, lambda states: progress(states, teacher.queries))
    while (reads := oracle.difference(table := _table(learner, expert))) is not None:
        learner.learn_from(reads)
    return Asked(named_by_behaviour(table), teacher.queries, teacher.steps, oracle.rounds)


def _table(learner: Learner, like: Table) -> Table:
    """What was learned so far."""
    acts, after = (np.array(rows, np.int32) for rows in learner.rows())
    return rows_to_table(like, acts, after)
