"""Proofs that an agent is never stuck, by what would be below 0 where it is."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction

from gridlang.compiler.automata.explore import TooLarge
from gridlang.compiler.proofs.clause_data import as_data
from gridlang.compiler.proofs.joint_step import LEFT_STUCK
from gridlang.compiler.proofs.limits import LIMITS
from gridlang.compiler.proofs.results.readings import Unsaid, as_checked
from gridlang.compiler.proofs.values.affine_program import AffineProgram
from gridlang.compiler.proofs.values.conditions.exclusions import Conditions, Exclusions, Read
from gridlang.compiler.proofs.values.output_task import (
    NO_DISTANCES,
    Evidence,
    OutputTask,
    Strip,
    as_json,
    strip_evidence,
)
from gridlang.compiler.proofs.values.polynomials import ONE, Monomials
from gridlang.compiler.proofs.values.weighted_sums import System
from gridlang.compiler.verifier.tables import Wrong
from gridlang.compiler.verifier.values.values import check_inequalities

TELLS = [(False, False), (True, False), (True, True)]  # of parts: in sums of columns, in nodes


def never_stuck_evidence(task: OutputTask) -> Evidence:
    """That the agent is never stuck on inputs that meet the task's condition; Unsaid if it is not found."""
    ones = System(Fraction(1), tuple(int(i > 0) for i in range(len(task.table.symbols))))
    conditions = Conditions(task, [ones])
    evidence = task.first_evidence(
        lambda detail: _on_strip(task, task.strip(task.table, NO_DISTANCES, detail), conditions)
    )
    left = as_checked(task.table)._replace(where=task.where and as_data(task.rule, task.where))
    try:
        check_inequalities(left, as_json(evidence))
    except Wrong as wrong:
        raise Unsaid(f"the checker refused the proof that was found: {wrong}") from None
    return evidence


def _on_strip(task: OutputTask, strip: Strip, conditions: Conditions) -> Evidence:
    if len(strip[0].nodes) > LIMITS.most_value_nodes:
        raise TooLarge(len(strip[0].nodes))
    for by_part, apart in TELLS:
        systems = conditions.systems
        program = AffineProgram(task.table, task.sampled, *strip, systems, Monomials(), by_part, apart)
        exclusions = Exclusions(program, conditions)
        found = exclusions.proof(
            task, (exclusions.monomials, [ONE]), lambda search: _stuck_ends(search.program), lambda _: None
        )
        if found is not None:
            proof, ends = found
            return {"kind": "inequalities", **strip_evidence(strip[0], 0), "proofs": [proof], "ends": ends}
    raise Unsaid("nothing was found about the numbers on the grid that rules it out")


def _stuck_ends(program: AffineProgram) -> Iterator[Read]:
    for state in program.strip.nodes:
        yield from ((state, symbol) for symbol, step in program.strip.steps(state) if step is LEFT_STUCK)
