"""Claims that are not proven are searched: an input refutes them, or they held on all that were tried."""

from __future__ import annotations

import shlex
from collections.abc import Callable, Iterable

from compiler.proofs.results.claims import REFUTED, TESTED, UNKNOWN, Claim
from compiler.simulation.simulate import BUDGET, HALTED, LOOPING
from compiler.testing.limits import LIMITS
from compiler.testing.oracles import clause_of, expectation_of
from compiler.testing.output_search import Counterexample, search_counterexample
from gridlang.clauses.inputs import RareInputs
from gridlang.diagnostics import counted
from gridlang.program import Program


def searched_claims(
    program: Program, claims: Iterable[Claim], progress: Callable[[int], None] = lambda _: None
) -> tuple[Claim, ...]:
    """Claims about an agent, after the search of `test` where its `output` line is not proven.

    What another agent says (`output as`) is one claim more.
    """
    given, says = tuple(claims), clause_of(program)
    if program.oracle:
        both = f"{shlex.quote(program.oracle.file)} {shlex.quote(program.file)}"
        given = (Claim(says, UNKNOWN, f"`gridlang equiv --io {both}` may prove it"), *given)
    open_claims = [claim for claim in given if claim.says == says and claim.answer in (TESTED, UNKNOWN)]
    rule = expectation_of(program, LIMITS.most_steps)
    if not open_claims or rule is None:
        return given
    try:
        found = search_counterexample(program.table, rule, progress=progress)
    except RareInputs:
        return given
    wrong = found.counterexample
    if wrong:
        return tuple(_refuted(claim, wrong, says) for claim in given)
    if not found.inputs.checked:
        return given
    all_of_them = "all " if found.inputs.complete and found.inputs.checked == found.inputs.cases > 1 else ""
    tried = f"on {all_of_them}{counted(found.inputs.checked, 'input')}"
    return tuple(
        claim._replace(answer=TESTED, tried=tried) if claim in open_claims else claim for claim in given
    )


def _refuted(claim: Claim, wrong: Counterexample, output: str) -> Claim:
    """What a wrong run says of a claim: that of the output is refuted, and halting by a run without end."""
    if claim.answer not in (TESTED, UNKNOWN) or claim.says not in (output, "halts"):
        return claim
    if claim.says == output:
        wanted = "that it halts" if wrong.verdict == "accept" else f"`{wrong.verdict or wrong.expected}`"
        return Claim(output, REFUTED, f"{_ending(wrong)} where {wanted} is wanted", None, wrong.input)
    if wrong.outcome == HALTED or wrong.verdict == "stuck":
        return claim
    answer = REFUTED if wrong.outcome != BUDGET or wrong.reason else UNKNOWN
    return Claim("halts", answer, _ending(wrong), None, wrong.input)


def _ending(wrong: Counterexample) -> str:
    """How a run ends."""
    if wrong.got is not None:
        return f"it leaves `{wrong.got}`"
    if wrong.outcome == LOOPING:
        return "it goes round in circles"
    if wrong.outcome == BUDGET:
        return wrong.reason or f"it still runs after {wrong.steps:,} steps"
    return f"it is {wrong.outcome}"
