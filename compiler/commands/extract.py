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
from gridlang.terminal.console import emit, report, say, say_source, show_progress
from gridlang.terminal.options import as_command, refuse_unwritable


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
    as_json: bool,
    **options: Any,
) -> bool:
    """Of a model that is refused no file is written, and the exit status is 1.

    \b
    gridlang extract add2.safetensors -o learned.grid
    gridlang extract add2.safetensors --against add2.grid -o learned.grid
    gridlang extract add2.safetensors --raw -o observed.grid
    gridlang extract mine.safetensors --traces mine.jsonl -o learned.grid
    """
    from gridlang.compiler.extraction.extract_text import extraction_data, source_of
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
    prediction = None
    if recorded and source and extraction.table:
        prediction = gl.predict(extraction.table, recorded)
    if output and source:
        write_whole(output, source)
    if as_json:
        data = extraction_data(extraction, model, against, output if source else None, source, seconds)
        emit(data | ({"prediction": prediction.as_json()} if prediction else {}))
    else:
        _print(extraction, model, output, source, raw)
        if prediction:
            say(f"  {prediction.claim()}", err=True)
    return not extraction.refusal


def _print(extraction: gl.Extraction, model: str, output: str | None, source: str, raw: bool) -> None:
    """The source, or where it was written; the evidence goes to stderr."""
    from gridlang.compiler.extraction.extract import EXACT
    from gridlang.compiler.extraction.extract_text import explored, summary
    from gridlang.diagnostics import counted

    if extraction.refusal:
        code, reason, hint = extraction.refusal
        report([Diagnostic(code, f"refused: {reason}", None, hint=hint, file=model)], False)
        return
    if not output:
        say_source(source)
    lines = [f"{model}: {summary(extraction)}", f"  {explored(extraction)}"]
    if extraction.scope != EXACT:
        numbers = f"spread {extraction.spread:.2g}, gap {extraction.gap:.2g}"
        fewest, bound = counted(extraction.fewest, "state"), extraction.bound
        exact = bound == extraction.fewest
        smallest = f"the smallest table {'has' if exact else 'known has'} {fewest}"
        if verbose():
            lines.append(f"  clusters: {numbers}, least margin {extraction.margin:.2g}; {smallest}")
        for formula, broken, entries in extraction.odd:
            lines.append(f"  `{formula}` does not hold for {broken:,} of {entries:,} entries")
        if extraction.guessed and not raw:
            never = "the model was never seen on them, or where they lead; --raw leaves them out"
            lines.append(f"  {counted(extraction.guessed, 'pair')} guessed: {never}")
    say(*lines, *([f"wrote {output}"] if output else []), err=True)
