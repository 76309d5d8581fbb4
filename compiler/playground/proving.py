"""Proofs in the playground: claims are told when decided, as proven only if the checker accepts them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from gridlang.compiler.language_server.features.renaming import Refused
from gridlang.compiler.proofs.certificates import Subject
from gridlang.compiler.proofs.results.claims import Claim
from gridlang.compiler.proofs.results.correctness import accepted_claims, claims_of
from gridlang.compiler.terminal.printing import claim_words
from gridlang.loading import load_source
from gridlang.source import Source

Tell = Callable[[dict[str, Any]], None]


def prove(source: Source, tell: Tell) -> dict[str, Any]:
    """Whether the agent is never stuck, does what it says, and halts; and a certificate of what is proven."""
    program = load_source(source)
    if not program.table.input:
        raise Refused(f"`{program.name}` declares no inputs to prove anything of: add a line `input …`")
    side, told = Subject.of(program), list[Claim]()

    def decided(claim: Claim) -> None:
        told.append(claim)
        (checked,), _ = accepted_claims(side, [claim])
        tell({"claim": _claim_data(checked, told)})

    claims_of(program.table, lambda done: tell({"progress": done}), tell=decided)
    claims, text = accepted_claims(side, {claim.says: claim for claim in told}.values())
    # once halting is proven, `where it halts` is left out
    for claim in claims:
        tell({"claim": _claim_data(claim, claims)})
    return {"certificate": text or None}


def _claim_data(claim: Claim, told: Sequence[Claim]) -> dict[str, Any]:
    return {
        "says": claim.says,
        "answer": claim.answer,
        "words": claim_words(claim, told),
        "input": claim.input,
    }
