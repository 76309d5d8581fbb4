"""`gridlang eval`: how far a model generalises."""

from __future__ import annotations

import time
from collections.abc import Mapping
from typing import TYPE_CHECKING, Annotated, Any

import click

import gridlang as gl
from gridlang.compiler.given import carried_agent, load_program
from gridlang.learners.api.evaluation import evaluate
from gridlang.options import Definitions, File, Option
from gridlang.terminal.console import show_progress
from gridlang.terminal.notes import paced
from gridlang.terminal.options import Answer, as_command

if TYPE_CHECKING:
    from gridlang.compiler.lockstep.lockstep import BatchProgress
    from gridlang.learners.evaluation.evaluate import Suite, SuiteListener

BAR = 24  # characters


@as_command("eval", evaluate)
def command(
    model: File,
    *,
    against: str | None,
    traces: Annotated[
        File | None,
        Option("Instead, count how many of these traces (.npz, .jsonl) it predicts; MODEL may be an agent."),
    ] = None,
    definitions: Definitions,
    **options: Any,
) -> Answer:
    """Exits with 0 if it passed.

    \b
    gridlang eval add2.safetensors --against add2.grid --digits 3850
    gridlang eval add2.safetensors --digits 100 --suite plg    against the source in the model
    gridlang eval mult10.safetensors --against mult.grid -D base=10 --largest --seconds 60
    gridlang eval mine.safetensors --traces more.jsonl         without any expert
    """
    from gridlang.compiler.tensors.dfst import read_dfst
    from gridlang.learners.evaluation.eval_text import evaluation_data, evaluation_lines

    if traces is not None:
        if against or options["digits"] or options["largest"]:
            raise click.UsageError("--traces needs no expert and no length: give it alone")
        return _predict(model, traces, definitions)
    if options["digits"] is None and not options["largest"]:
        raise click.UsageError("give --digits N for one length, --largest for a search, or both")
    dfst = read_dfst(model)
    if against is not None:
        expert, agent = against, load_program(against, definitions)
    else:
        expert, hint = f"the source in {model}", "name the expert with --against FILE"
        agent = carried_agent(dfst, model, hint, definitions)
    begun = time.monotonic()
    found: gl.Evaluation | gl.LengthSearch = evaluate(dfst, agent, progress=_progress_bar(), **options)
    spent = time.monotonic() - begun
    searched = found if isinstance(found, gl.LengthSearch) else None
    one = found if not isinstance(found, gl.LengthSearch) else found.tried[0] if options["digits"] else None
    data = evaluation_data(model, expert, one, searched, spent)
    lines = [f"{model} against {expert}", *evaluation_lines(one, searched)]
    return Answer(lines, data, bool(one.passed if one is not None else searched and searched.largest))


def _predict(model: str, traces_file: str, definitions: Mapping[str, str]) -> Answer:
    """Teacher-forced: the model reads what the traces read. Whether it predicts every step."""
    from gridlang.learners.evaluation.prediction import prediction_of, prediction_place
    from gridlang.learners.traces.dataset import as_traces

    traces = as_traces(traces_file)
    prediction = prediction_of(model, traces, definitions)
    data = {"model": model, "traces": traces_file, "prediction": prediction.as_json()}
    verdict = "consistent with all traces" if prediction.consistent else "not consistent with all traces"
    lines = [f"{model} on {traces_file}: {verdict}; predicts {prediction.in_words()}"]
    if prediction.first is not None:
        lines.append(f"  first error: {prediction_place(traces, *prediction.first)}")
    return Answer(lines, data, prediction.consistent)


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
