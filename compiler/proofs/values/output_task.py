"""`OutputTask`: an output clause to be proven by invariants of values or words; what these proofs share."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from typing import Any, NamedTuple

from gridlang.clauses.clause_tree import Node
from gridlang.clauses.inputs import InputLanguage
from gridlang.clauses.outputs import OutputRule
from gridlang.compiler.automata.explore import TooLarge
from gridlang.compiler.proofs.abstractions.strip_labels import StripDetail, families_and_states
from gridlang.compiler.proofs.abstractions.strips import StripAnalysis, strip_analysis
from gridlang.compiler.proofs.clause_data import as_data
from gridlang.compiler.proofs.joint_step import UNASKED
from gridlang.compiler.proofs.results.readings import Unsaid, as_checked
from gridlang.compiler.proofs.values.part_columns import Distances, PartColumns, part_columns
from gridlang.compiler.verifier.tables import Rules, Wrong
from gridlang.compiler.verifier.values.values import check_values
from gridlang.table import Table

Strip = tuple[StripAnalysis, PartColumns]
Evidence = dict[str, Any]
NO_DISTANCES = Distances(0, 0)


class OutputTask(NamedTuple):
    """The clause of an agent whose results stand in a row; perhaps on inputs that meet their condition.

    `where` is the condition of the inputs, if it may exclude ends.
    """

    table: Table
    rule: OutputRule
    row: int = 0
    conditioned: bool = False
    where: Node | None = None

    @property
    def sampled(self) -> InputLanguage:
        """The inputs that runs are sampled of: all of the form show what holds without the condition."""
        language = self.rule.language
        return language if self.conditioned or self.where is None else replace(language, condition=None)

    @property
    def left(self) -> Rules:
        """The agent as its checker sees it, with the clause and the condition."""
        left = as_checked(self.table, self.conditioned)
        if self.where is None:
            return left
        output = left.output and {**left.output, "value": as_data(self.rule, self.rule.node)}
        return left._replace(where=as_data(self.rule, self.where), output=output)

    def details(self) -> list[StripDetail]:
        families, states = families_and_states(self.table)
        return [StripDetail(1, marks, marks, 0, True) for marks in dict.fromkeys((families, states))]

    def strip(
        self, told: Table, distances: Distances, detail: StripDetail, rows: tuple[int, int] = (0, 0)
    ) -> Strip:
        """All that may stand around the head, with the classes of `told`; TooLarge or Unsaid without one."""
        left = self.left if self.conditioned else self.left._replace(where=None)
        columns = part_columns(left, distances)
        strip = strip_analysis(told, told.rows, columns.places, detail, UNASKED, rows=rows)
        if strip is None or strip.descents:
            raise Unsaid("the agent does not stay within a few rows")
        return strip, columns

    def first_evidence(self, attempt: Callable[[StripDetail], Evidence]) -> Evidence:
        """By the first detail that gives some; Unsaid if none does, and why the last does not."""
        reason = ""
        for detail in self.details():
            try:
                return attempt(detail)
            except TooLarge:
                reason = "too much would have to be told apart"
            except Unsaid as unsaid:
                reason = str(unsaid)
        raise Unsaid(reason)

    def accepted(
        self, kind: str, evidence: Evidence, refused: str = "what was found was refused: {}"
    ) -> Evidence:
        """Evidence of a kind that the checker of certificates accepts; Unsaid if it refuses it, and why.

        It may: invariants are found modulo a prime, and where results end is told by runs.
        """
        try:
            check_values(self.left, as_json(evidence), kind)
        except Wrong as wrong:
            raise Unsaid(refused.format(str(wrong).replace("LEFT", "the agent"))) from None
        return {"kind": kind, **evidence}


def as_json(part: Any) -> Any:
    """As a certificate has it, without tuples."""
    return json.loads(json.dumps(part))


def strip_evidence(strip: StripAnalysis, row: int, distances: Distances = NO_DISTANCES) -> Evidence:
    """The grain of a strip, and the row of the results."""
    near, far = distances
    detail = strip.detail
    return {
        "rows": strip.rows,
        "row": row,
        "near": near,
        "far": far,
        "dim": detail.dimmed,
        "classes": strip.labels.classes,
        "marks": detail.marks,
        "kinds": detail.kinds,
    }
