"""`gridlang extract`: from the weights of a model back to source."""

from __future__ import annotations

import time
from typing import Annotated, Any

import click

import gridlang as gl
from gridlang.compiler.api.models import extract
from gridlang.compiler.given import load_program
from gridlang.compiler.terminal.printing import verbose, with_details
from gridlang.diagnostics import Diagnostic
from gridlang.files import write_whole
from gridlang.options import Definitions, File, Option, output_option
from gridlang.terminal.console import show_progress
from gridlang.terminal.options import Answer, as_command, refuse_unwritable


@with_details
@as_command("extract", extract)
def command(
    model: File,
    *,
    against: str | None,
    traces: str | None,
    output: Annotated[File | None, output_option("stdout", "File of the source.")] = None,
    raw: Annotated[bool, Option("One state per cluster, and only observed rules.")] = False,
    definitions: Definitions,
    **options: Any,
) -> Answer:
    """Of a model that is refused no file is written, and the exit status is 1.

    \b
    gridlang extract add2.safetensors -o learned.grid
    gridlang extract add2.safetensors --against add2.grid -o learned.grid
    gridlang extract add2.safetensors --raw -o observed.grid
    gridlang extract mine.safetensors --traces mine.jsonl -o learned.grid
    """
    from gridlang.compiler.extraction.extract_text import evidence_lines, extraction_data, source_of
    from gridlang.compiler.tensors.dfst import read_dfst

    output = None if output == "-" else output
    refuse_unwritable(output, model, against)
    if definitions and not against:
        raise click.UsageError("-D is for the expert, which --against names")
    dfst = read_dfst(model)
    recorded = gl.load_traces(traces) if traces else None
    expert = load_program(against, definitions) if against else None
    begun = time.monotonic()
    extraction = extract(dfst, expert, traces=recorded, progress=show_progress, **options)
    seconds = time.monotonic() - begun
    source = source_of(extraction, model, raw)
    prediction = gl.predict(extraction.table, recorded) if recorded and extraction.table else None
    if output and source:
        write_whole(output, source)
    data = extraction_data(extraction, model, against, output if source else None, source, seconds)
    data |= {"prediction": prediction.as_json()} if prediction else {}
    if extraction.refusal:
        code, reason, hint = extraction.refusal
        refused = Diagnostic(code, f"refused: {reason}", None, hint=hint, file=model)
        return Answer(data=data, holds=False, diagnostics=[refused])
    notes = [*evidence_lines(extraction, model, raw, verbose()), *([f"wrote {output}"] if output else [])]
    notes += [f"  {prediction.claim()}"] if prediction else []
    return Answer((), data, notes=notes, source="" if output else source)
