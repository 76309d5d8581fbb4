"""`gridlang eval`: how far a model generalises."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any

import click

import gridlang as gl
from gridlang.compiler.program_files import load_program
from gridlang.compiler.simulation.simulate import MAX_STEPS
from gridlang.terminal.console import emit, say, show_progress
from gridlang.terminal.notes import paced
from gridlang.terminal.options import answering, defines, seed_option

if TYPE_CHECKING:
    from gridlang.compiler.lockstep.lockstep import BatchProgress
    from gridlang.learners.evaluation.evaluate import Suite, SuiteListener

SEARCH_SECONDS = 60.0  # that of `measure`, repeated here: --help needs no numpy
BAR = 24  # characters


@click.command("eval")
@click.argument("model", type=click.Path())
@click.option(
    "--against",
    type=click.Path(),
    help="The expert: source, a table or exact weights.  [default: the model's own source]",
)
@click.option(
    "--traces",
    "traces_file",
    type=click.Path(),
    help="Instead, count how many of these traces (.npz, .jsonl) it predicts; MODEL may be an agent.",
)
@click.option(
    "--digits", type=click.IntRange(1), help="Length to test: that of every repetition in the inputs."
)
@click.option(
    "--suite",
    default="rlg",
    type=click.Choice(("plg", "rlg")),
    help="plg: random inputs; rlg: also all inputs that repeat one symbol.",
)
@click.option("--largest", is_flag=True, help="Search for the largest length that passes.")
@click.option(
    "--seconds",
    type=click.FloatRange(0, min_open=True),
    help=f"Time limit.  [default: {SEARCH_SECONDS:.0f} for --largest, else none]",
)
@seed_option("Seed of the random inputs.")
@click.option("--steps", type=click.IntRange(1, MAX_STEPS), help="Step limit of each run.")
@defines
@answering
def command(model: str, against: str | None, traces_file: str | None, as_json: bool, **options: Any) -> bool:
    """Test how far MODEL generalises, in lockstep with the expert it learned from.

    The model runs in closed loop on long inputs. Each step, its write and its move are compared with those
    of the expert; memory does not grow with the length of the run. PLG(N) means no error on 5 random inputs
    of exactly N digits and 5 of at most N; RLG(N), also none on all inputs of one digit repeated N times. An
    agent without an input clause is tested on random worlds of N x N cells. Exits with 0 if it passed.

    \b
    gridlang eval add2.safetensors --against add2.grid --digits 3850
    gridlang eval add2.safetensors --digits 100 --suite plg    against the source in the model
    gridlang eval mult10.safetensors --against mult.grid -D base=10 --largest --seconds 60
    gridlang eval mine.safetensors --traces more.jsonl         without any expert
    """
    from gridlang.compiler.tensors.dfst import read_dfst
    from gridlang.learners.api.evaluation import carried_agent
    from gridlang.learners.evaluation.eval_text import evaluation_data, evaluation_lines

    given = options.pop("definitions")
    if traces_file is not None:
        if against or options["digits"] or options["largest"]:
            raise click.UsageError("--traces needs no expert and no length: give it alone")
        return _predict(model, traces_file, given, as_json)
    if options["digits"] is None and not options["largest"]:
        raise click.UsageError("give --digits N for one length, --largest for a search, or both")
    dfst = read_dfst(model)
    if against is not None:
        expert, agent = against, load_program(against, given)
    else:
        expert, hint = f"the source in {model}", "name the expert with --against FILE"
        agent = carried_agent(dfst, model, hint, given)
    begun = time.monotonic()
    found: gl.Evaluation | gl.LengthSearch = gl.evaluate(dfst, agent, progress=_progress_bar(), **options)
    spent = time.monotonic() - begun
    searched = found if isinstance(found, gl.LengthSearch) else None
    one = found if not isinstance(found, gl.LengthSearch) else found.tried[0] if options["digits"] else None
    if as_json:
        emit(evaluation_data(model, expert, one, searched, spent))
    else:
        say(f"{model} against {expert}", *evaluation_lines(one, searched))
    return bool(one.passed if one is not None else searched and searched.largest)


def _predict(model: str, traces_file: str, definitions: dict[str, str], as_json: bool) -> bool:
    """Teacher-forced: the model reads what the traces read. Whether it predicts every step."""
    from gridlang.learners.evaluation.prediction import prediction_of, prediction_place
    from gridlang.learners.traces.dataset import as_traces

    traces = as_traces(traces_file)
    shown = prediction_of(model, traces, definitions)
    if as_json:
        emit({"model": model, "traces": traces_file, "prediction": shown.as_json()})
    else:
        verdict = "consistent with all traces" if shown.consistent else "not consistent with all traces"
        say(f"{model} on {traces_file}: {verdict}; predicts {shown.in_words()}")
        if shown.first is not None:
            say(f"  first error: {prediction_place(traces, *shown.first)}")
    return shown.consistent


def _progress_bar() -> SuiteListener:
    """Shows the cases done on one line of a terminal."""
    show, begun = paced(show_progress, show_progress.seconds), time.monotonic()

    def text(suite: Suite, progress: BatchProgress) -> str:
        full = BAR * progress.cases // suite.count
        bar = "#" * full + "." * (BAR - full)
        spent = time.monotonic() - begun
        done = f"{progress.cases}/{suite.count} cases, {progress.steps:,} steps, {spent:.0f} s"
        return f"{suite.name} {suite.digits:,} [{bar}] {done}"

    return lambda suite, progress: show(lambda: text(suite, progress))
