"""`gridlang extract`: from the weights of a model back to source."""

from __future__ import annotations

import time
from typing import Any

import click

import gridlang as gl
from gridlang.compiler.program_files import load_program
from gridlang.compiler.simulation.simulate import MAX_STEPS
from gridlang.diagnostics import Diagnostic
from gridlang.files import write_whole
from gridlang.terminal.console import emit, report, say, say_source, show_progress
from gridlang.terminal.options import answering, defines, refuse_unwritable, seed_option

# the defaults of `extract`, repeated here: --help needs no numpy
SCOPES, LONGEST_REPETITION, STEPS = ("auto", "inputs", "worlds"), 300, 6_000_000


@click.command("extract")
@click.argument("model", type=click.Path())
@click.option(
    "--against", type=click.Path(), help="The expert, which names the states and says which worlds matter."
)
@click.option(
    "--traces",
    type=click.Path(),
    help="Explore only these traces (.npz, .jsonl), and count those that the source predicts.",
)
@click.option("-o", "--output", type=click.Path(), help="File of the source.  [default: stdout]")
@click.option("--raw", is_flag=True, help="One state per cluster, and only observed rules.")
@click.option(
    "--scope",
    default=SCOPES[0],
    type=click.Choice(SCOPES),
    help="What to explore; auto includes worlds if the model settles there, in few states.",
)
@click.option(
    "--longest", default=LONGEST_REPETITION, type=click.IntRange(1), help="Longest repetitions in the inputs."
)
@click.option(
    "--tolerance",
    type=click.FloatRange(0, 2, min_open=True),
    help="Distance within which vectors are one state.  [default: the largest that explains all runs]",
)
@click.option(
    "--steps", default=STEPS, type=click.IntRange(1, MAX_STEPS), help="Rough number of steps to explore."
)
@seed_option("Seed of the random inputs and worlds.")
@defines
@answering
def command(
    model: str, against: str | None, output: str | None, raw: bool, as_json: bool, **options: Any
) -> bool:
    """Extract the state graph that MODEL follows, as source.

    The model runs in closed loop on its declared inputs and on random worlds, ever longer, until they show
    nothing new. Vectors form clusters, and clusters that never disagree form states. A model that does not
    settle, or whose clusters overlap, is refused: no file is written, and the exit status is 1. The source
    does what the model was observed to do. Other pairs of a state and a symbol are guesses, and their number
    is printed; a pair on which the model was tried and undecided is never guessed.

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
    definitions, traces_file = options.pop("definitions"), options.pop("traces")
    if definitions and not against:
        raise click.UsageError("-D is for the expert, which --against names")
    dfst = read_dfst(model)
    traces = gl.load_traces(traces_file) if traces_file else None
    expert = load_program(against, definitions) if against else None
    begun = time.monotonic()
    extraction = gl.extract(dfst, expert, traces=traces, progress=show_progress, **options)
    seconds = time.monotonic() - begun
    source = source_of(extraction, model, raw)
    shown = None
    if traces and source and extraction.table:
        shown = gl.predict(extraction.table, traces)
    if output and source:
        write_whole(output, source)
    if as_json:
        data = extraction_data(extraction, model, against, output if source else None, source, seconds)
        said = {"prediction": shown.as_json()} if shown else {}
        emit({**data, **said})
    else:
        _print(extraction, model, output, source, raw)
        if shown:
            say(f"  {shown.claim()}", err=True)
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
        lines.append(f"  clusters: {numbers}, least margin {extraction.margin:.2g}; {smallest}")
        for formula, broken, entries in extraction.odd:
            lines.append(f"  `{formula}` does not hold for {broken:,} of {entries:,} entries")
        if extraction.guessed and not raw:
            never = "the model was never seen on them, or where they lead; --raw leaves them out"
            lines.append(f"  {counted(extraction.guessed, 'pair')} guessed: {never}")
    say(*lines, *([f"wrote {output}"] if output else []), err=True)
