"""Proofs in the playground: claims are told when decided, as proven only if the checker accepts them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from gridlang.compiler.proofs.certificates import Subject, certificate
from gridlang.compiler.proofs.equivalence import Verdict
from gridlang.compiler.proofs.results.claims import PROVEN, UNKNOWN, WITHOUT_NUMPY, Claim
from gridlang.compiler.proofs.results.correctness import claims_of, strongest
from gridlang.compiler.terminal.printing import claim_words
from gridlang.compiler.verifier.verify import verify
from gridlang.loading import load_source
from gridlang.program import Program
from gridlang.source import Source

Tell = Callable[[dict[str, Any]], None]
REFUSED = "a proof was found, and the checker refuses it"


def prove(source: str, name: str, tell: Tell) -> dict[str, Any]:
    """Whether the agent is never stuck, does what it says, and halts; and a certificate of what is proven."""
    program = load_source(Source(name, source))
    if not program.table.input:
        return {"failure": f"`{program.name}` declares no inputs to prove anything of: add a line `input …`."}
    told: list[Claim] = []

    def decided(claim: Claim) -> None:
        checked = _checked(program, claim)
        told.append(checked)
        tell({"claim": _claim_data(checked, told)})

    claims_of(program.table, lambda done: tell({"progress": done}), tell=decided)
    last = {claim.says: claim for claim in told}
    # once halting is proven, `where it halts` is left out
    for claim in last.values():
        tell({"claim": _claim_data(claim, told)})
    proven = strongest(last.values())
    return {"certificate": _certificate(program, proven) if proven is not None else None}


def _checked(program: Program, claim: Claim) -> Claim:
    if claim.answer != PROVEN or claim.verdict is None or verify(_certificate(program, claim.verdict)):
        return claim
    return Claim(claim.says, UNKNOWN, REFUSED)


def _certificate(program: Program, verdict: Verdict) -> str:
    side = Subject.of(program)
    return certificate(side, side, verdict)


def _claim_data(claim: Claim, told: list[Claim]) -> dict[str, Any]:
    return {
        "says": claim.says,
        "answer": claim.answer,
        "words": claim_words(claim, told),
        "input": claim.input,
        "elsewhere": WITHOUT_NUMPY in claim.reason,
    }
