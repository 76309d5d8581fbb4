"""`gridlang prove`: an agent, or a model by its expert, proven correct on every declared input."""

from __future__ import annotations

import click

from gridlang.compiler.api.proofs import prove, proven
from gridlang.compiler.given import is_model, refuse_parameters
from gridlang.compiler.terminal.printing import with_details
from gridlang.options import Definitions, File
from gridlang.terminal.console import show_progress
from gridlang.terminal.options import Answer, as_command, refuse_unwritable


@with_details
@as_command("prove", prove)
def command(file: File, *, expert: str | None, certificate: str | None, definitions: Definitions) -> Answer:
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
    nothing = "no certificate was written: nothing was proven"
    notes = [f"wrote {certificate}" if outcome.certificate else nothing] if certificate else []
    return Answer(outcome.lines(), outcome.as_json(), bool(outcome), notes)
