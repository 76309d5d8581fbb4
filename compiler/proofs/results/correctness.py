"""What can be proven of one agent: that it is never stuck, leaves what its `output` clause says, and halts.

All proofs are about every declared input, of any length. The proof of the result is one about runs that halt.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace
from typing import Any

from gridlang.clauses.functions import Acceptance
from gridlang.clauses.outputs import OutputRule, output_rule
from gridlang.compiler.proofs.certificates import Subject, accepted
from gridlang.compiler.proofs.equivalence import Never, Verdict
from gridlang.compiler.proofs.halting.halting import halting_claims, prove_halting
from gridlang.compiler.proofs.joint_step import NEVER
from gridlang.compiler.proofs.prove import by_itself, declared_inputs, prove, quick_proof
from gridlang.compiler.proofs.reports import Listener, telling
from gridlang.compiler.proofs.results.all_runs import with_all_runs
from gridlang.compiler.proofs.results.claims import NEVER_STUCK, PROVEN, REFUTED, UNKNOWN, Claim, shown_alone
from gridlang.compiler.proofs.results.output_proofs import OutputProofs, prove_output
from gridlang.compiler.proofs.results.readings import as_checked, counts_condition
from gridlang.compiler.proofs.results.unused_rules import as_shown, never_stuck_verdict, without_unused
from gridlang.table import Table

NOT_IN_CERTIFICATE = "no certificate says this together with what else is proven"


def claims_of(
    table: Table, progress: Listener | None = None, tell: Callable[[Claim], None] = lambda _: None
) -> tuple[Claim, ...]:
    """All that is said of an agent; GridError if it declares no inputs.

    `tell` is given each claim when it is decided, and once more if another proof decides it after all.
    """
    declared_inputs(table, alone=True)
    rule = output_rule(table)
    with telling(progress):
        claims = _claims(table, rule, tell)
    decided = with_all_runs(table, rule, claims)
    for claim in decided:
        if claim not in claims:
            tell(claim)
    return decided


def _claims(table: Table, rule: OutputRule | None, tell: Callable[[Claim], None]) -> tuple[Claim, ...]:
    may_be_stuck = rule is not None and Acceptance.STUCK in rule.acceptances
    counted = rule is not None and counts_condition(as_checked(table, conditioned=True))
    proofs = rule and OutputProofs(table, rule, counted)
    never_stuck = None
    shaped = proofs.by_shape[0] if proofs and not may_be_stuck and proofs.by_condition else None
    if shaped is not None:
        never_stuck = Claim(NEVER_STUCK, PROVEN, verdict=shaped)
    elif not may_be_stuck:
        never_stuck = prove_never_stuck(table, counted)
    if never_stuck:
        tell(never_stuck)
    output = proofs.claim(never_stuck) if proofs else None
    unknown = never_stuck and never_stuck.answer == UNKNOWN and (output is None or output.verdict is None)
    # Of a wrong agent a condition seldom tells enough, and that takes half a minute to find out.
    hopeful = proofs and proofs.places.wrong is None and proofs.places.endless is None
    if never_stuck and unknown and rule is not None and proofs and hopeful:
        alone = quick_proof(table, table, "inputs")
        unstuck = never_stuck_verdict(alone, table, table, rule)
        if unstuck is not None:
            never_stuck = Claim(NEVER_STUCK, PROVEN, verdict=unstuck)
            tell(never_stuck)
            output = proofs.claim(never_stuck)
    if output:
        tell(output)
    if never_stuck and never_stuck.answer == UNKNOWN and output and output.verdict is not None:
        never_stuck = Claim(NEVER_STUCK, PROVEN, verdict=output.verdict)
        tell(never_stuck)
    ending, why = prove_halting(table)
    if ending is None and counted:
        ending, _ = prove_halting(table, met=True)
    if rule and rule.acceptances and output and output.answer != REFUTED and ending is not None:
        from gridlang.compiler.proofs.results.acceptance import acceptance_verdict

        verdict, reason = acceptance_verdict(table, rule, ending)
        proven_so = Claim(output.says, PROVEN, verdict=verdict)
        output = output._replace(reason=reason) if verdict is None else proven_so
        tell(output)
    shown = ending is not None and ending.stuck == NEVER
    if ending is not None and shown and never_stuck and never_stuck.answer == UNKNOWN:
        never_stuck = Claim(never_stuck.says, PROVEN, verdict=replace(ending, never=()))
        tell(never_stuck)
    claims = [claim for claim in (never_stuck, output) if claim]
    proven = _verdicts(claims)
    shown |= any(not verdict.accepts for verdict in proven)  # Other outputs only where never stuck.
    conditioned = any(claim.verdict is not None and claim.verdict.conditioned for claim in claims)
    last = halting_claims(table, ending, why, shown, conditioned)
    if hopeful and rule and rule.language.condition and (ending is None or not shown):
        fewer = _without_unused(table, rule) if never_stuck else None
        for claim in fewer or ():
            tell(claim)
        if fewer:
            return fewer
    if any(verdict.accepts for verdict in proven):  # It says where the agent halts.
        last = [claim for claim in last if claim.answer == PROVEN]
    for claim in last:
        tell(claim)
    return (*claims, *last)


def _without_unused(table: Table, rule: OutputRule) -> tuple[Claim, ...] | None:
    """All claims, shown of the agent without rules that no declared input uses; None if they are not."""
    fewer = without_unused(table, rule)
    alone = quick_proof(fewer, table, "inputs")
    verdict = never_stuck_verdict(alone, table, fewer, rule)
    ending, _ = prove_halting(fewer) if verdict is not None else (None, "")
    if verdict is None or ending is None:
        return None
    never_stuck = Claim(NEVER_STUCK, PROVEN, verdict=verdict)
    output = prove_output(fewer, never_stuck)
    if output is None or output.answer != PROVEN or output.verdict is None:
        return None
    halts = Claim("halts", PROVEN, verdict=replace(ending, condition="", conditioned=True))
    return never_stuck, output, halts


def _verdicts(claims: Iterable[Claim]) -> list[Verdict]:
    """What is proven; if any of it only of inputs that meet their condition, all is said of these."""
    proven = [claim.verdict for claim in claims if claim.answer == PROVEN and claim.verdict is not None]
    conditioned = any(verdict.conditioned for verdict in proven)
    return [replace(verdict, conditioned=conditioned) for verdict in proven]


def strongest(table: Table, claims: Iterable[Claim]) -> Verdict | None:
    """All that was proven of an agent, as one verdict for a certificate; None if nothing was."""
    proven = [claim for claim in claims if claim.answer == PROVEN and claim.verdict is not None]
    if not proven:
        return None
    return with_claims(by_itself(as_shown(table, proven), table), proven)


def accepted_claims(side: Subject, claims: Iterable[Claim]) -> tuple[tuple[Claim, ...], str]:
    """Claims about an agent, and one certificate of all that are proven, which `verify` has accepted.

    What it refuses is not proven: the last claim is given up until the others are accepted.
    """
    left = list(claims)
    while (verdict := strongest(side.table, left)) is not None:
        known, text = accepted(side, side, verdict)
        if text and are_shown(left, known):
            return tuple(left), text
        at = max(at for at, claim in enumerate(left) if claim.answer == PROVEN)
        left[at] = Claim(left[at].says, UNKNOWN, known.reason or NOT_IN_CERTIFICATE)
    return tuple(left), ""


def are_shown(claims: Iterable[Claim], verdict: Verdict) -> bool:
    """Whether a verdict says all of LEFT that is claimed to be proven."""
    return verdict.equivalent is True and all(
        (verdict.stuck == NEVER or each.stuck != NEVER or each.accepts)
        and (verdict.output or not each.output)
        and (verdict.halts or not each.halts)
        for each in _verdicts(claims)
    )


def with_claims(verdict: Verdict, claims: Iterable[Claim]) -> Verdict:
    """A verdict that also says what is proven of LEFT alone; of its output only where it is never stuck."""
    proven = _verdicts(claims)
    never = _joined(each for verdict in proven for each in shown_alone(verdict))
    if any("stuck" in each.ends for each in never):
        verdict = replace(verdict, stuck=NEVER)
    accepts = any(each.accepts for each in proven)
    output = any(each.output for each in proven) and (accepts or verdict.stuck == NEVER)
    shown = tuple(each for each in never if output or "wrong" not in each.ends)
    conditioned = verdict.conditioned or any(each.conditioned for each in proven)
    return replace(verdict, output=output, accepts=accepts, never=shown, conditioned=conditioned)


def _joined(shown: Iterable[Never]) -> list[Never]:
    """What shows all ends, those that show most of them first."""
    joined, known = list[Never](), set[Any]()
    for each in sorted(shown, key=lambda each: -len(each.ends)):
        if each not in joined and not known.issuperset(each.ends):
            joined.append(each)
            known |= set() if each.assume else set(each.ends)
    return joined


def prove_never_stuck(table: Table, counted: bool = False) -> Claim:
    """Whether the agent is stuck on no declared input; by their condition, if that is `counted`."""
    quick = quick_proof(table, table, "inputs", stuck=NEVER) if counted else None
    verdict = quick
    if verdict is None:
        verdict = prove(table, table, "inputs", stuck=NEVER, met=counted)
    if verdict.equivalent and counted and quick is None:
        verdict = replace(verdict, condition="", conditioned=True)
    if verdict.equivalent:
        return Claim(NEVER_STUCK, PROVEN, verdict=verdict)
    if verdict.equivalent is None:
        return Claim(NEVER_STUCK, UNKNOWN, verdict.reason, verdict)
    read = (verdict.counterexample or ())[-1].read
    reason = f"it is stuck at step {len(verdict.counterexample or ()):,}, where it reads `{read}`"
    return Claim(NEVER_STUCK, REFUTED, reason, verdict, verdict.input)
