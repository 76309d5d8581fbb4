"""`OutputTask`: an output clause to be proven by invariants of values or words; what these proofs share."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from typing import Any, NamedTuple

from gridlang.clauses.clause_tree import Node
from gridlang.clauses.inputs import InputLanguage
from gridlang.clauses.outputs import OutputRule
from gridlang.compiler.proofs.abstractions.grains import (
    families_and_states,
    grain_of,
    strip_evidence,
    symbol_classes,
    widened,
)
from gridlang.compiler.proofs.clause_data import as_data
from gridlang.compiler.proofs.limits import LIMITS
from gridlang.compiler.proofs.results.readings import Unsaid, as_checked
from gridlang.compiler.verifier.strips import Grain
from gridlang.compiler.verifier.tables import Rules, TooMuch, Wrong
from gridlang.compiler.verifier.values.strips import ValueStrip
from gridlang.compiler.verifier.values.values import check_values
from gridlang.table import Table

Evidence = dict[str, Any]


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

    def strip(
        self, told: Table, grain: Grain, distances: tuple[int, int] = (0, 0), words: bool = False
    ) -> ValueStrip:
        """All that may stand around the head, with the classes of `told`; TooMuch or Unsaid without one."""
        left = self.left if self.conditioned else self.left._replace(where=None)
        grain = grain._replace(classes=symbol_classes(told))

        def made(grain: Grain) -> ValueStrip:
            return ValueStrip(left, grain_evidence(grain, distances), words, LIMITS.most_value_nodes)

        try:
            return widened(made, grain)[0]
        except TooMuch:
            raise
        except Wrong as wrong:
            raise Unsaid(
                str(wrong).replace("the head leaves the strip", "the agent does not stay within a few rows")
            ) from None

    def first_evidence(self, attempt: Callable[[Grain], Evidence]) -> Evidence:
        """By the first grain that gives some; Unsaid if none does, and why the last does not."""
        reason, marks = "", families_and_states(self.table)
        for index, some in enumerate(marks):
            if index and some == marks[0]:
                continue
            try:
                return attempt(grain_of(self.table, some, some, dim=True))
            except TooMuch:
                reason = "too much would have to be told apart"
            except Wrong as wrong:
                reason = str(wrong).replace("LEFT", "the agent")
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


def grain_evidence(grain: Grain, distances: tuple[int, int]) -> Evidence:
    """The grain of a strip of values, as a certificate names it."""
    parts = strip_evidence(grain)
    near, far = distances
    kept = {name: parts[name] for name in ("rows", "dim", "classes", "marks", "kinds")}
    return {**kept, "near": near, "far": far}
