"""What `prove` says of an agent whose output is that of another: it is tested, and not proven."""

from __future__ import annotations

import shlex
from collections.abc import Callable

from compiler.proofs.results.claims import REFUTED, TESTED, UNKNOWN, Claim
from compiler.testing.limits import LIMITS
from compiler.testing.oracles import clause_of, expectation_of
from compiler.testing.output_search import search_counterexample
from gridlang.diagnostics import counted
from gridlang.program import Program


def oracle_claim(program: Program, progress: Callable[[int], None] = lambda _: None) -> Claim | None:
    """The claim about the agent that `output as` names; None if the line names none."""
    rule, other = expectation_of(program, LIMITS.most_steps), program.oracle
    if other is None or rule is None:
        return None
    found = search_counterexample(program.table, rule, progress=progress)
    wrong, says = found.counterexample, clause_of(program)
    if wrong:
        left = f"it leaves `{wrong.got}`" if wrong.got is not None else f"it ends {wrong.outcome}"
        return Claim(
            says, REFUTED, f"{left} where `{wrong.expected or wrong.verdict}` is wanted", None, wrong.input
        )
    both = f"{shlex.quote(other.file)} {shlex.quote(program.file)}"
    why = f"not proven: `gridlang equiv --io {both}` may prove it"
    if not found.inputs.checked:
        return Claim(says, UNKNOWN, why)
    return Claim(says, TESTED, f"on {counted(found.inputs.checked, 'input')}, {why}")
