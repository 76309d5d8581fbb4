"""`gridlang prove`: an agent, or a model by its expert, proven correct on every declared input."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

import click

from gridlang.compiler.api.agents import Correctness
from gridlang.compiler.api.proofs import prove, proven
from gridlang.compiler.given import is_model, refuse_parameters
from gridlang.compiler.proofs.results.claims import PROVEN, Claim
from gridlang.compiler.terminal.printing import Named, claim_words, verdict_data, verdict_lines, with_details
from gridlang.options import Definitions, File
from gridlang.terminal.console import emit, say, show_progress
from gridlang.terminal.options import as_command, refuse_unwritable

if TYPE_CHECKING:
    from gridlang.compiler.api.comparison import Compared


@with_details
@as_command("prove", prove)
def command(
    file: File, *, expert: str | None, certificate: str | None, definitions: Definitions, as_json: bool
) -> bool:
    """Exits with 1 unless all claims are proven.

    \b
    gridlang prove increment.grid
    gridlang prove increment.grid -D base=10 --certificate proof.json
    gridlang verify proof.json increment.grid increment.grid
    gridlang prove add2.safetensors
    gridlang prove add2.safetensors --expert add2.grid --certificate proof.json
    gridlang verify proof.json add2.grid add2.safetensors
    """
    refuse_unwritable(certificate, file, expert)
    if is_model(file) and expert is None:
        refuse_parameters(file, definitions)
    if expert is not None and not is_model(file):
        raise click.UsageError("--expert is for models (.safetensors): an agent has its own output clause")
    outcome = proven(file, expert, definitions, certificate, show_progress)
    both = outcome.both
    if as_json:
        emit(_data(file, outcome))
        return bool(outcome)
    say(*(_model_lines(outcome, both) if both else _agent_lines(file, outcome, outcome.claims)))
    if certificate:
        nothing = "no certificate was written: nothing was proven"
        say(f"wrote {certificate}" if outcome.certificate else nothing, err=True)
    return bool(outcome)


def _agent_lines(file: str, outcome: Correctness, claims: Sequence[Claim]) -> Iterator[str]:
    yield f"{outcome.program.name} from {file}"
    width = max(len(claim.says) for claim in claims)
    yield from (f"  {claim.says:<{width}}  {claim_words(claim, claims)}" for claim in claims)


def _model_lines(outcome: Correctness, both: Compared) -> Iterator[str]:
    """Lines about a model: its proof, the evidence, and the limits of the claim."""
    from gridlang.compiler.api.comparison import of_float_weights
    from gridlang.compiler.api.proven_weights import weights_line

    left, right, verdict, *_ = both
    if not verdict.equivalent:
        called = Named(right.called(verdict.subject), right.program)
        yield from verdict_lines(Named(left.file, left.program), called, verdict)
    else:
        yield weights_line(outcome)
        yield f"  {right.called(verdict.subject)} {outcome.claims[0].says}, step by step"
    if len(outcome.claims) > 1:
        yield from (f"  {line}" for line in _agent_lines(left.file, outcome, outcome.claims[1:]))
    if verdict.equivalent and right.dfst:
        yield from (f"  {line}" for line in of_float_weights(verdict))


def _data(file: str, outcome: Correctness) -> dict[str, Any]:
    both = outcome.both
    return {
        "file": file,
        "name": outcome.program.name,
        "proven": bool(outcome),
        "subject": outcome.subject,
        "expert": outcome.program.file if outcome.model else None,
        "claims": [_claim_data(claim) for claim in outcome.claims],
        "certificate": outcome.certificate,
        **({"verdict": verdict_data(both.verdict, both.left.program)} if both else {}),
    }


def _claim_data(claim: Claim) -> dict[str, Any]:
    verdict = claim.verdict
    return {
        **claim.as_json(),
        "product_states": verdict.product_states if verdict is not None and claim.answer == PROVEN else None,
        "radius": verdict.radius if verdict is not None and claim.answer == PROVEN else None,
        "levels": verdict.levels if verdict is not None and verdict.halts else None,
    }
