"""What is said of how an agent's runs end: that it halts, or that every run ends, halted or stuck."""

from __future__ import annotations

from dataclasses import replace
from itertools import islice

from compiler.proofs.equivalence import Verdict
from compiler.proofs.limits import LIMITS
from compiler.proofs.results.claims import PROVEN, REFUTED, TESTED, UNKNOWN, Claim
from compiler.simulation.simulate import BUDGET, STUCK, run
from gridlang.clauses.functions import Acceptance
from gridlang.clauses.inputs import language_of
from gridlang.clauses.outputs import output_rule
from gridlang.table import Table
from gridlang.world import string_world


def halting_claims(
    table: Table, ending: Verdict | None, why: str, never_stuck: bool, conditioned: bool
) -> list[Claim]:
    """That the agent halts, or what is known instead, by a proof that its runs end or why there is none.

    It may be never stuck only on inputs that meet their condition.
    """
    if ending is not None and never_stuck:
        met = replace(ending, condition="") if conditioned else ending
        return [Claim("halts", PROVEN, verdict=met)]
    tested = test_halting(table)
    if tested and tested.answer == TESTED and ending is None:
        tested = tested._replace(reason=why)
    every_run_ends = Claim("every run ends", PROVEN, verdict=ending) if ending is not None else None
    return [claim for claim in (tested, every_run_ends) if claim]


def test_halting(table: Table) -> Claim | None:
    """On how many short inputs the agent halts.

    Where its output clause says `stuck`, nothing is asked; None if that is so on all of them.
    """
    language, rule = language_of(table), output_rule(table)
    assert language is not None
    tried = 0
    for text in islice(language.shortest(LIMITS.longest_sample), LIMITS.samples):
        if rule and rule.acceptances and rule.expected(text) is Acceptance.STUCK:
            continue
        outcome = run(table, string_world(text), LIMITS.steps_of_a_result).outcome
        tried += 1
        if outcome == BUDGET:
            return Claim(
                "halts", UNKNOWN, f"it still runs after {LIMITS.steps_of_a_result:,} steps", None, text
            )
        if outcome == STUCK:
            return Claim("halts", REFUTED, "it is stuck", None, text)
    if not tried and rule and rule.acceptances:
        return None
    if not tried:
        return Claim("halts", UNKNOWN, "no short input was found that meets the condition")
    is_all = language.condition is None and language.longest() <= LIMITS.longest_sample
    where = " where it should" if rule and Acceptance.STUCK in rule.acceptances else ""
    one = f"its {'only' if is_all else 'shortest'} input"
    which = f"on {f'the {tried:,} shortest inputs' if tried > 1 else one}{where}"
    return Claim("halts", TESTED, tried=which)
