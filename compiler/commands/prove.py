"""`gridlang prove`: one agent, proven correct on every declared input."""

from __future__ import annotations

from typing import Any

import click

from compiler.api.agents import prove
from compiler.program_files import load_program
from compiler.proofs.results.correctness import PROVEN, TESTED, Claim
from gridlang.printable import quoted_input
from gridlang.terminal.console import emit, say, show_progress
from gridlang.terminal.options import answering, defines, refuse_overwriting


@click.command("prove")
@click.argument("file", type=click.Path())
@defines
@click.option("--certificate", type=click.Path(), help="Write the strongest proof here, for `verify`.")
@answering
def command(file: str, definitions: dict[str, str], certificate: str | None, as_json: bool) -> bool:
    """Prove that FILE is never stuck, and leaves what its `output` clause says.

    Both claims cover every declared input, of any length. The clause is proven if it can be decided column by
    column, or digit by digit of two numbers: `a + 1`, `a + b`, a verdict, a copy; otherwise it is tested.
    That the agent halts is only tested. Each claim is proven, tested, refuted with an input, or unknown.
    Exits with 1 unless both are proven.

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
        for claim in outcome.claims:
            say(f"  {claim.says:<{width}}  {_answer(claim)}")
        if certificate:
            say(f"wrote {written}" if written else "no certificate was written: nothing was proven", err=True)
    return bool(outcome)


def _answer(claim: Claim) -> str:
    """The answer in words."""
    verdict = claim.verdict
    if claim.answer == PROVEN and verdict is not None:
        halts = ", where it halts" if verdict.output else ""
        also = f", also where `{verdict.condition}` is not met" if verdict.condition else ""
        return f"proven on every declared input{also}{halts}; {verdict.product_states:,} product states"
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
    }
