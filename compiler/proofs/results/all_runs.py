"""Agents with few inputs: once each was run to its end, nothing is left to prove."""

from __future__ import annotations

from typing import NamedTuple

from gridlang.clauses.functions import Acceptance
from gridlang.clauses.input_clauses import language_of
from gridlang.clauses.outputs import OutputRule
from gridlang.compiler.proofs.equivalence import Never, Verdict
from gridlang.compiler.proofs.joint_step import NEVER, UNASKED
from gridlang.compiler.proofs.results.claims import NEVER_STUCK, PROVEN, REFUTED, Claim
from gridlang.compiler.proofs.results.output_proofs import wrong_end
from gridlang.compiler.proofs.stages import few_texts
from gridlang.compiler.simulation.simulate import run
from gridlang.compiler.verifier.limits import LIMITS
from gridlang.outcomes import Outcome
from gridlang.table import Table
from gridlang.world import string_world


class _Runs(NamedTuple):
    """What the runs on all declared inputs show."""

    verdict: Verdict  # what is true of all of them
    stuck: str | None  # an input on which the agent is stuck
    wrong: tuple[str, str] | None  # one on which it does not end as its clause says, and how


def with_all_runs(table: Table, rule: OutputRule | None, claims: tuple[Claim, ...]) -> tuple[Claim, ...]:
    """The claims, all decided where the inputs are few and each run ends soon; what is decided is kept."""
    runs = _runs(table, rule) if any(claim.answer != PROVEN for claim in claims) else None
    if runs is None:
        return claims
    known = {claim.says: claim for claim in claims}
    may_be_stuck = rule is not None and Acceptance.STUCK in rule.acceptances
    names = [] if may_be_stuck else [NEVER_STUCK]
    names += [f"output {table.output}"] if rule else []
    names += ["every run ends"] if may_be_stuck and runs.stuck is not None else ["halts"]
    decided = [_decided(known.get(says, Claim(says, PROVEN)), runs) for says in names]
    others = [claim for claim in claims if claim.answer == PROVEN and claim.says not in names]
    return (*decided, *others)


def _runs(table: Table, rule: OutputRule | None) -> _Runs | None:
    """None where there are too many inputs, or steps."""
    language = language_of(table)
    texts = few_texts(language) if language and (rule or language.condition is None) else None
    if language is None or texts is None:
        return None
    inputs, steps, stuck, wrong, met = 0, 0, list[str](), None, rule is not None
    for text in filter(language.allows, texts):
        done = run(table, string_world(text), LIMITS.run_steps + 1 - steps)
        inputs, steps = inputs + 1, steps + done.steps
        if done.outcome is Outcome.BUDGET or steps > LIMITS.run_steps:
            return None
        stuck += [text] * (done.outcome is Outcome.STUCK)
        expected = rule and rule.expected(text)
        if rule and expected is not None and not rule.is_met(expected, done):
            wrong = wrong or (text, wrong_end(done, expected))
        met = met and expected is not None and wrong is None
    evidence = {"kind": "runs", "inputs": inputs, "steps": steps}
    ends = ("endless", *["stuck"] * (not stuck), *["wrong"] * met)
    verdict = Verdict(
        True,
        "inputs",
        steps,
        len(stuck),
        stuck=UNASKED if stuck else NEVER,
        output=met,
        accepts=met and rule is not None and bool(rule.acceptances),
        evidence=evidence,
        never=(Never(ends, evidence),),
        conditioned=language.condition is not None,
    )
    return _Runs(verdict, next(iter(stuck), None), wrong)


def _decided(claim: Claim, runs: _Runs) -> Claim:
    if claim.answer == REFUTED or (claim.verdict is not None and claim.answer == PROVEN):
        return claim
    if claim.says.startswith("output "):
        if runs.wrong is not None:
            return Claim(claim.says, REFUTED, runs.wrong[1], None, runs.wrong[0])
        return Claim(claim.says, PROVEN, verdict=runs.verdict) if runs.verdict.output else claim
    if runs.stuck is not None and claim.says != "every run ends":
        return Claim(claim.says, REFUTED, "it is stuck", None, runs.stuck)
    return Claim(claim.says, PROVEN, verdict=runs.verdict)
