"""What is said of a claim about an agent."""

from __future__ import annotations

from compiler.proofs.results.claims import PROVEN, TESTED, Claim
from gridlang.diagnostics import counted
from gridlang.printable import quoted_input


def claim_words(claim: Claim, halts: bool) -> str:
    """The answer in words; `halts` says whether that is proven too."""
    verdict = claim.verdict
    if claim.answer == PROVEN and verdict is not None:
        also = f", also where `{verdict.condition}` is not met" if verdict.condition else ""
        also += ", where it halts" if verdict.output and not (halts or verdict.halts) else ""
        ranked = f", a ranking of {counted(verdict.levels, 'level')}" if verdict.halts else ""
        size = counted(verdict.product_states, "product state")
        return f"proven on every declared input{also}; {size}{ranked}"
    if claim.answer == TESTED:
        return f"tested {claim.tried}{f', not proven: {claim.reason}' if claim.reason else ''}"
    shown = f" on the input {quoted_input(claim.input)}" if claim.input is not None else ""
    return f"{claim.answer}{shown}: {claim.reason}"
