"""`gridlang eval`: how far a model generalises, told for people and for machines."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

import click

from compiler.program_files import load_program
from compiler.simulation.simulate import MAX_STEPS
from gridlang.terminal.console import clear_progress, emit, progress_texts, say
from gridlang.terminal.options import defines, definitions_of, guarded, json_option, seed_option

if TYPE_CHECKING:
    from learners.evaluation.evaluate import SuiteListener
    from learners.evaluation.lockstep import BatchProgress
    from learners.evaluation.suites import Suite

SEARCH_SECONDS = 60.0  # as `measure` takes, written out here so that --help needs no numpy
BAR = 24  # characters of the bar


@click.command("eval")
@click.argument("model", type=click.Path())
@click.option(
    "--against",
    type=click.Path(),
    help="The expert: source, a table or exact weights. Default: the model's own.",
)
@click.option(
    "--traces",
    "traces_file",
    type=click.Path(),
    help="Instead, how many of these traces (.npz, or a log) are predicted; MODEL may be an agent too.",
)
@click.option("--digits", type=click.IntRange(1), help="Test this length: of every repetition in the inputs.")
@click.option(
    "--suite",
    default="rlg",
    show_default=True,
    type=click.Choice(("plg", "rlg")),
    help="plg: random inputs; rlg: also all inputs of one symbol repeated.",
)
@click.option("--largest", is_flag=True, help="Search for the largest length passed.")
@click.option(
    "--seconds",
    type=click.FloatRange(0, min_open=True),
    help=f"Stop after this time; {SEARCH_SECONDS:.0f} for --largest unless given.",
)
@seed_option("For the random inputs.")
@click.option("--threads", type=click.IntRange(1), help="Default: all cores.")
@click.option("--steps", type=click.IntRange(1, MAX_STEPS), help="Cut each run after so many steps.")
@click.option(
    "--device",
    default="auto",
    show_default=True,
    type=click.Choice(("auto", "cpu", "cuda")),
    help="auto takes the CPU, whose cores are mostly faster; cuda may win on many cases of a large model.",
)
@defines
@json_option
@guarded
def command(
    model: str,
    against: str | None,
    traces_file: str | None,
    digits: int | None,
    suite: str,
    largest: bool,
    seconds: float | None,
    seed: int,
    threads: int | None,
    steps: int | None,
    device: str,
    definitions: tuple[str, ...],
    as_json: bool,
) -> None:
    """Test how far MODEL generalises, in lockstep with the expert it learned from.

    The model runs in closed loop on long inputs. At each step what it writes and how it moves is compared
    with the expert; memory does not grow with the length of the run. PLG(N) means no error on 5 random
    inputs of exactly N digits and 5 of at most N; RLG(N) also on all inputs of one digit repeated N times.
    An agent without an input clause is tested on random worlds of N x N cells. Exits with 0 if it passed.

    \b
    gridlang eval add2.safetensors --against add2.grid --digits 3850
    gridlang eval add2.safetensors --digits 100 --suite plg    against the source kept in the model
    gridlang eval mult10.safetensors --against mult.grid -D base=10 --largest --seconds 60
    gridlang eval coffee.safetensors --traces more.csv         a log, without any expert
    """
    from compiler.tensors.model import read_model
    from learners.api.models import carried_agent
    from learners.evaluation.eval_text import evaluation_data, evaluation_lines
    from learners.evaluation.evaluate import Evaluator
    from learners.evaluation.length_search import measure

    if traces_file is not None:
        if against or digits or largest:
            raise click.UsageError("--traces needs no expert and no length: give it alone")
        _predict(model, traces_file, definitions_of(definitions), as_json)
        return
    if digits is None and not largest:
        raise click.UsageError("give --digits N for one length, --largest for a search, or both")
    dfst, given = read_model(model), definitions_of(definitions)
    if against is not None:
        expert, agent = against, load_program(against, given)
    else:
        expert, hint = f"the source in {model}", "name the expert with --against FILE"
        agent = carried_agent(dfst, model, hint, given)
    evaluator = Evaluator(dfst, agent.table, suite, seed, threads, steps, device)
    begun = time.monotonic()
    try:
        one, searched = measure(evaluator, digits, largest, seconds, _progress_bar())
    finally:
        clear_progress()
    spent = time.monotonic() - begun
    if as_json:
        emit(evaluation_data(model, expert, one, searched, spent))
    else:
        say(f"{model} against {expert}", *evaluation_lines(one, searched))
    if not (one.passed if one is not None else searched and searched.largest):
        raise click.exceptions.Exit(1)


def _predict(model: str, traces_file: str, definitions: dict[str, str], as_json: bool) -> None:
    """Teacher-forced: the model reads what the traces read. Exits with 1 unless all steps are predicted."""
    from learners.api.data import as_traces
    from learners.evaluation.log_claims import prediction_of, prediction_place

    traces = as_traces(traces_file)
    shown = prediction_of(model, traces, definitions)
    if as_json:
        emit({"model": model, "traces": traces_file, "prediction": shown.as_json()})
    else:
        verdict = "consistent with all traces" if shown.consistent else "not consistent with all traces"
        say(f"{model} on {traces_file}: {verdict}; predicts {shown.in_words()}")
        if shown.first is not None:
            say(f"  first error: {prediction_place(traces, *shown.first)}")
    if not shown.consistent:
        raise click.exceptions.Exit(1)


def _progress_bar() -> SuiteListener:
    """Shows on one line of a terminal what is done, at most five times a second."""
    show, begun = progress_texts(), time.monotonic()

    def text(suite: Suite, progress: BatchProgress) -> str:
        full = BAR * progress.cases // suite.count
        bar = "#" * full + "." * (BAR - full)
        spent = time.monotonic() - begun
        done = f"{progress.cases}/{suite.count} cases, {progress.steps:,} steps, {spent:.0f} s"
        return f"{suite.name} {suite.digits:,} [{bar}] {done}"

    return lambda suite, progress: show(lambda: text(suite, progress))
