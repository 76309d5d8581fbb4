"""Proofs that an agent is never stuck, by what would be below 0 where it is."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction

from gridlang.compiler.proofs.clause_data import as_data
from gridlang.compiler.proofs.results.readings import Unsaid, as_checked
from gridlang.compiler.proofs.values.affine_program import AffineProgram, System
from gridlang.compiler.proofs.values.conditions.exclusions import Conditions, Exclusions, Read
from gridlang.compiler.proofs.values.output_task import Evidence, OutputTask, as_json, grain_evidence
from gridlang.compiler.proofs.values.polynomials import ONE
from gridlang.compiler.verifier.tables import Wrong
from gridlang.compiler.verifier.values.strips import ValueStrip
from gridlang.compiler.verifier.values.values import check_inequalities

TELLS = [(False, False), (True, False), (True, True)]  # of parts: in sums of columns, in nodes


def never_stuck_evidence(task: OutputTask) -> Evidence:
    """That the agent is never stuck on inputs that meet the task's condition; Unsaid if it is not found."""
    ones = System(Fraction(1), tuple(int(i > 0) for i in range(len(task.table.symbols))))
    conditions = Conditions(task, [ones])
    evidence = task.first_evidence(lambda grain: _on_strip(task, task.strip(task.table, grain), conditions))
    left = as_checked(task.table)._replace(where=task.where and as_data(task.rule, task.where))
    try:
        check_inequalities(left, as_json(evidence))
    except Wrong as wrong:
        raise Unsaid(f"the checker refused the proof that was found: {wrong}") from None
    return evidence


def _on_strip(task: OutputTask, strip: ValueStrip, conditions: Conditions) -> Evidence:
    for by_part, apart in TELLS:
        program = AffineProgram(task.table, task.sampled, strip, conditions.systems, by_part, apart)
        exclusions = Exclusions(program, conditions)
        found = exclusions.proof(
            task, (exclusions.monomials, [ONE]), lambda search: _stuck_ends(search.program), lambda _: None
        )
        if found is not None:
            proof, ends = found
            grain = grain_evidence(strip.grain, (0, 0))
            return {"kind": "inequalities", **grain, "row": 0, "proofs": [proof], "ends": ends}
    raise Unsaid("nothing was found about the numbers on the grid that rules it out")


def _stuck_ends(program: AffineProgram) -> Iterator[Read]:
    strip = program.strip
    for element in strip.elements:
        for symbol in strip.reads(element):
            if (element[0], symbol) not in strip.left.does:
                yield element, symbol
