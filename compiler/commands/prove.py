"""`gridlang prove`: one agent, proven correct on every declared input."""

from __future__ import annotations

from typing import Any

import click

from compiler.api.agents import prove
from compiler.program_files import load_program
from compiler.proofs.results.claims import PROVEN, TESTED, Claim
from gridlang.diagnostics import counted
from gridlang.printable import quoted_input
from gridlang.terminal.console import emit, say, show_progress
from gridlang.terminal.options import answering, defines, refuse_overwriting


@click.command("prove")
@click.argument("file", type=click.Path())
@defines
@click.option("--certificate", type=click.Path(), help="Write all that is proven here, for `verify`.")
@answering
def command(file: str, definitions: dict[str, str], certificate: str | None, as_json: bool) -> bool:
    """Prove that FILE is never stuck, leaves what its `output` clause says, and halts.

    All claims cover every declared input, of any length. The clause is proven if it can be decided column by
    column, or digit by digit of two numbers: `a + 1`, `a + b`, a verdict, a copy; otherwise it is tested.
    Each claim is proven, tested, refuted with an input, or unknown. Exits with 1 unless all are proven.

    \b
    gridlang prove increment.grid
    gridlang prove increment.grid -D base=10 --certificate proof.json
    gridlang verify proof.json increment.grid increment.grid
    """
    refuse_overwriting(certificate, file)
    program = load_program(file, definitions)
    outcome = prove(program, certificate=certificate, progress=show_progress)
    written = certificate if certificate and any(c.answer == PROVEN for c in outcome.claims) else None
    if as_json:
        claims = [_claim_data(claim) for claim in outcome.claims]
        emit({"file": file, "name": program.name, "claims": claims, "certificate": written})
    else:
        width = max(len(claim.says) for claim in outcome.claims)
        say(f"{program.name} from {file}")
        halts = any(claim.says == "halts" and claim.answer == PROVEN for claim in outcome.claims)
        for claim in outcome.claims:
            say(f"  {claim.says:<{width}}  {_answer(claim, halts)}")
        if certificate:
            say(f"wrote {written}" if written else "no certificate was written: nothing was proven", err=True)
    return bool(outcome)


def _answer(claim: Claim, halts: bool) -> str:
    """The answer in words."""
    verdict = claim.verdict
    if claim.answer == PROVEN and verdict is not None:
        also = f", also where `{verdict.condition}` is not met" if verdict.condition else ""
        also += ", where it halts" if verdict.output and not halts else ""
        ranked = f", a ranking of {counted(verdict.levels, 'level')}" if verdict.halts else ""
        return f"proven on every declared input{also}; {verdict.product_states:,} product states{ranked}"
    if claim.answer == TESTED:
        return f"tested {claim.reason}"
    shown = f" on the input {quoted_input(claim.input)}" if claim.input is not None else ""
    return f"{claim.answer}{shown}: {claim.reason}"


def _claim_data(claim: Claim) -> dict[str, Any]:
    verdict = claim.verdict
    return {
        "claim": claim.says,
        "answer": claim.answer,
        "reason": claim.reason or None,
        "input": claim.input,
        "product_states": verdict.product_states if verdict is not None and claim.answer == PROVEN else None,
        "radius": verdict.radius if verdict is not None and claim.answer == PROVEN else None,
        "levels": verdict.levels if verdict is not None and verdict.halts else None,
    }
