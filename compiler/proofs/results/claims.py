"""Claims about one agent, and the short inputs on which they are tried."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
from typing import Any, NamedTuple

from gridlang.clauses.inputs import InputLanguage
from gridlang.compiler.proofs.equivalence import Never, Verdict
from gridlang.compiler.proofs.joint_step import NEVER
from gridlang.compiler.proofs.limits import LIMITS
from gridlang.compiler.simulation.simulate import Run, run
from gridlang.table import Table
from gridlang.world import string_world

PROVEN, REFUTED, UNKNOWN, TESTED = "proven", "refuted", "unknown", "tested"
NEVER_STUCK = "never stuck"


class Claim(NamedTuple):
    """What is said of an agent, and whether it is proven, refuted, tested or unknown, with the reason.

    A proven claim has a `verdict` with its evidence, a refuted one an `input` that shows it, a tested one
    says what was `tried`, and the `reason` that it is not proven.
    """

    says: str
    answer: str
    reason: str = ""
    verdict: Verdict | None = None
    input: str | None = None
    tried: str = ""  # as in "on 200 inputs"

    def as_json(self) -> dict[str, Any]:
        verdict = self.verdict
        proof = verdict if self.answer == PROVEN else None
        return {
            "claim": self.says,
            "answer": self.answer,
            "reason": self.reason or None,
            "tried": self.tried or None,
            "input": self.input,
            "product_states": proof.product_states if proof is not None else None,
            "radius": proof.radius if proof is not None else None,
            "levels": verdict.levels if verdict is not None and verdict.halts else None,
        }


def shown_alone(verdict: Verdict) -> tuple[Never, ...]:
    """What a proof of LEFT against itself shows of it."""
    told = any("stuck" in each.ends for each in verdict.never)
    if told or verdict.stuck != NEVER or verdict.evidence is None:
        return verdict.never
    return Never(("stuck",), verdict.evidence), *verdict.never


def short_runs(table: Table, language: InputLanguage) -> Iterator[tuple[str, Run]]:
    """The shortest inputs, with what the agent does on each."""
    for text in islice(language.shortest(LIMITS.longest_sample), LIMITS.samples):
        yield text, run(table, string_world(text), LIMITS.steps_of_a_result, profile=True)
