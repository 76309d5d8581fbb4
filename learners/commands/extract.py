"""`gridlang extract`: from the weights of a model back to source."""

from __future__ import annotations

import os
import time
from typing import Any

import click

from compiler.dfst import read_dfst
from compiler.program_files import load_program
from gridlang.console import clear_progress, emit, progress_line, report
from gridlang.diagnostics import Diagnostic
from gridlang.files import write_whole
from gridlang.options import defines, definitions_of, guarded, json_option
from learners.certification.error_propagation import ALL, SCALE
from learners.certification.float_bounds import Bound, bound_of
from learners.extraction.extract import AUTO, EXACT, SCOPES, STEPS, Extraction, extract
from learners.extraction.saturation import LONGEST_REPETITION
from learners.extraction.summaries import counted, explored, extraction_data, source_of, summary


@click.command("extract")
@click.argument("model", type=click.Path())
@click.option(
    "--against", type=click.Path(), help="The expert: it names the states, and says which worlds matter."
)
@click.option("-o", "--output", type=click.Path(), help="Where to write the source.  [default: stdout]")
@click.option("--raw", is_flag=True, help="A state for each cluster, and only rules that were seen.")
@click.option(
    "--scope",
    default=AUTO,
    show_default=True,
    type=click.Choice(SCOPES),
    help="What to explore; auto takes worlds in if the model settles there, in few states.",
)
@click.option(
    "--longest",
    default=LONGEST_REPETITION,
    show_default=True,
    type=click.IntRange(1),
    help="Of repetitions in the inputs.",
)
@click.option(
    "--tolerance",
    type=click.FloatRange(0, 0.5, min_open=True),
    help="Vectors this near are one point.  [default: chosen by what keeps clusters apart]",
)
@click.option("--steps", default=STEPS, show_default=True, type=click.IntRange(1), help="Explored, about.")
@click.option("--seed", default=0, show_default=True, help="For the random inputs and worlds.")
@click.option("--bound", is_flag=True, help="Also bound the errors of the float32 weights themselves.")
@defines
@json_option
@guarded
def command(
    model: str,
    against: str | None,
    output: str | None,
    raw: bool,
    scope: str,
    longest: int,
    tolerance: float | None,
    steps: int,
    seed: int,
    bound: bool,
    definitions: tuple[str, ...],
    as_json: bool,
) -> None:
    """Extract the state graph that MODEL follows, as source.

    The model runs in closed loop on its declared inputs and on random worlds, longer and longer, until its
    hidden vectors show nothing new. They are gathered into clusters, and clusters that never disagree into
    states. A model that does not settle, or whose clusters overlap, is refused: then nothing is written, and
    the exit status is 1. The source is what the model was seen to do; `gridlang equiv` proves what follows.
    With --bound, also for how many steps the weights as they are provably decide as the raw graph does.

    \b
    gridlang extract add2.safetensors -o learned.grid
    gridlang extract add2.safetensors --against add2.grid -o learned.grid
    gridlang extract add2.safetensors --raw -o observed.grid
    gridlang extract add2.safetensors --bound -o learned.grid
    """
    if output and os.path.exists(output):
        for path in filter(None, (model, against)):
            if os.path.exists(path) and os.path.samefile(output, path):
                raise click.UsageError(f"{output} is read by this command; write to another file with -o")
    dfst = read_dfst(model)
    expert = load_program(against, definitions_of(definitions)).table if against else None
    begun = time.monotonic()
    found = extract(
        dfst,
        expert=expert,
        scope=scope,
        longest=longest,
        tolerance=tolerance,
        seed=seed,
        budget=steps,
        progress=progress_line("steps explored"),
    )
    clear_progress()
    seconds = time.monotonic() - begun
    certified = bound_of(dfst, found, progress_line("steps bounded")) if bound and found.raw else None
    clear_progress()
    source = source_of(found, model, raw)
    if output and source:
        write_whole(output, source)
    if as_json:
        data = extraction_data(found, model, against, output if source else None, source, seconds)
        emit({**data, **(bound_data(certified) if bound else {})})
    else:
        print_extraction(found, model, output, source)
        if certified:
            click.echo(f"  {bounded(certified)}", err=True)
    if found.refusal:
        raise click.exceptions.Exit(1)


def print_extraction(found: Extraction, model: str, output: str | None, source: str) -> None:
    """The source, or where it was written; what it rests on goes to stderr."""
    if found.refusal:
        code, reason, hint = found.refusal
        report([Diagnostic(code, f"refused: {reason}", None, hint=hint, file=model)], False)
        return
    if not output:
        click.echo(source, nl=False)
    click.echo(f"{model}: {summary(found)}", err=True)
    click.echo(f"  {explored(found)}", err=True)
    if found.scope != EXACT:
        numbers = f"spread {found.spread:.2g}, gap {found.gap:.2g}, least margin {found.margin:.2g}"
        bound = f"no fewer than {counted(found.bound, 'state')} can do the same"
        click.echo(f"  clusters: {numbers}; {bound}", err=True)
    if output:
        click.echo(f"wrote {output}", err=True)


def bounded(bound: Bound) -> str:
    """What is proven of the weights as they are; not of the extracted table, and not of snapped vectors."""
    weights, where = "raw float32 weights", "on the observed language"
    if bound.steps is None:
        return f"{weights}: nothing is proven; the bound on their errors is too wide from the first step on"
    length = "at every length" if bound.steps == ALL else f"for {counted(int(bound.steps), 'step')}"
    later = "; later its length may leave float32, no argmax changes before" if bound.ended == SCALE else ""
    return f"{weights}: argmax proven {length} {where}, least margin {bound.margin:.2g}{later}"


def bound_data(bound: Bound | None) -> dict[str, Any]:
    """The bound as JSON: `certified_steps` is null if nothing is proven, "all" for every length."""
    return {
        "certified_steps": bound.steps if bound else None,
        "certified_margin": bound.margin if bound else None,
        "certified_closed": bound.closed if bound else False,
        "certified_subject": "raw float32 weights, on the observed language",
    }
