"""`gridlang extract`: from the weights of a model back to source."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

import click

from compiler.program_files import load_program
from compiler.simulation.simulate import MAX_STEPS
from gridlang.diagnostics import Diagnostic
from gridlang.files import write_whole
from gridlang.terminal.console import clear_progress, emit, progress_line, report, say, say_source
from gridlang.terminal.options import (
    defines,
    definitions_of,
    guarded,
    json_option,
    refuse_overwriting,
    seed_option,
)

if TYPE_CHECKING:
    from compiler.tensors.model import Model
    from learners.evaluation.prediction import Prediction
    from learners.extraction.extract import Extraction
    from learners.traces.dataset import Traces

# The defaults of `extract`, written out here so that --help needs no numpy.
SCOPES, LONGEST_REPETITION, STEPS = ("auto", "inputs", "worlds"), 300, 6_000_000


@click.command("extract")
@click.argument("model", type=click.Path())
@click.option(
    "--against", type=click.Path(), help="The expert: it names the states, and says which worlds matter."
)
@click.option(
    "--traces",
    "traces_file",
    type=click.Path(),
    help="Explore it on these traces (.npz, or a log) alone, and say how many the source predicts.",
)
@click.option("-o", "--output", type=click.Path(), help="Where to write the source.  [default: stdout]")
@click.option("--raw", is_flag=True, help="A state for each cluster, and only rules that were seen.")
@click.option(
    "--scope",
    default=SCOPES[0],
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
@click.option(
    "--steps", default=STEPS, show_default=True, type=click.IntRange(1, MAX_STEPS), help="Explored, about."
)
@seed_option("For the random inputs and worlds.")
@click.option("--bound", is_flag=True, help="Also bound the errors of the float32 weights themselves.")
@defines
@json_option
@guarded
def command(
    model: str,
    against: str | None,
    traces_file: str | None,
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
    the exit status is 1. The source does what the model was seen to do. What else it does is a guess, in so
    many pairs of a state and a symbol as are told, and never where the model was asked and was not sure.
    With --bound, also for how many steps the weights as they are provably decide as the raw graph does.

    \b
    gridlang extract add2.safetensors -o learned.grid
    gridlang extract add2.safetensors --against add2.grid -o learned.grid
    gridlang extract add2.safetensors --raw -o observed.grid
    gridlang extract add2.safetensors --bound -o learned.grid
    gridlang extract coffee.safetensors --traces coffee.csv -o learned.grid
    """
    from compiler.tensors.dfst import Dfst, only_dfst
    from compiler.tensors.model import read_model
    from learners.api.data import as_traces
    from learners.evaluation.log_claims import cases_of, traces_claim
    from learners.extraction.extract import extract
    from learners.extraction.extract_text import bound_claim, bound_data, extraction_data, source_of
    from learners.extraction.float_bounds.float_bounds import bound_of
    from learners.traces.logs.legend import legend_comments, model_legend

    output = None if output == "-" else output
    if output:
        refuse_overwriting(output, (model, against), "is read by this command; write to another file with -o")
    if definitions and not against:
        raise click.UsageError("-D is for the expert, which --against names")
    dfst = read_model(model)
    if bound:
        only_dfst(dfst, "bounds are of the products of a DFST", model)
    traces = as_traces(traces_file) if traces_file else None
    expert = load_program(against, definitions_of(definitions)).table if against else None
    begun = time.monotonic()
    extraction = extract(
        dfst,
        expert=expert,
        scope=scope,
        longest=longest,
        tolerance=tolerance,
        seed=seed,
        budget=steps,
        progress=progress_line("steps explored"),
        seen=cases_of(dfst, traces) if traces else (),
    )
    clear_progress()
    seconds = time.monotonic() - begun
    certified = (
        bound_of(dfst, extraction, progress_line("steps bounded"))
        if bound and extraction.raw and isinstance(dfst, Dfst)
        else None
    )
    clear_progress()
    source = source_of(extraction, model, raw, legend_comments(model_legend(dfst)))
    if output and source:
        write_whole(output, source)
    if as_json:
        data = extraction_data(extraction, model, against, output if source else None, source, seconds)
        said = {"prediction": _predicted(extraction, dfst, traces).as_json()} if traces and source else {}
        emit({**data, **(bound_data(certified) if bound else {}), **said})
    else:
        _print(extraction, model, output, source, raw)
        if traces and source:
            say(f"  {traces_claim(_predicted(extraction, dfst, traces))}", err=True)
        if certified:
            say(f"  {bound_claim(certified)}", err=True)
    if extraction.refusal:
        raise click.exceptions.Exit(1)


def _predicted(extraction: Extraction, dfst: Model, traces: Traces) -> Prediction:
    """How well the table that is written predicts the traces."""
    from learners.evaluation.prediction import predicted
    from learners.traces.logs.legend import legend_of, model_legend

    assert extraction.table is not None
    return predicted(extraction.table, traces, model_legend(dfst), legend_of(traces))


def _print(extraction: Extraction, model: str, output: str | None, source: str, raw: bool) -> None:
    """The source, or where it was written; what it rests on goes to stderr."""
    from gridlang.diagnostics import counted
    from learners.extraction.extract import EXACT
    from learners.extraction.extract_text import explored, summary

    if extraction.refusal:
        code, reason, hint = extraction.refusal
        report([Diagnostic(code, f"refused: {reason}", None, hint=hint, file=model)], False)
        return
    if not output:
        say_source(source)
    say(f"{model}: {summary(extraction)}", err=True)
    say(f"  {explored(extraction)}", err=True)
    if extraction.scope != EXACT:
        numbers = (
            f"spread {extraction.spread:.2g}, gap {extraction.gap:.2g}, least margin {extraction.margin:.2g}"
        )
        bound = f"no fewer than {counted(extraction.bound, 'state')} can do the same"
        say(f"  clusters: {numbers}; {bound}", err=True)
        if extraction.guessed and not raw:
            never = "the model was never seen on them, or where they lead; --raw leaves them out"
            say(f"  {counted(extraction.guessed, 'pair')} guessed: {never}", err=True)
    if output:
        say(f"wrote {output}", err=True)
