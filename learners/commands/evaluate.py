"""`gridlang eval`: how far a model generalises, told for people and for machines."""

from __future__ import annotations

import math
import time
from typing import Any

import click

from compiler.dfst import Dfst, read_dfst
from compiler.program_files import load_program
from gridlang.console import clear_progress, emit, progress_texts
from gridlang.diagnostics import fail
from gridlang.loading import load_source
from gridlang.options import defines, definitions_of, guarded, json_option
from gridlang.source import Source
from gridlang.table import Table
from gridlang.world import World
from learners.evaluation.evaluate import (
    BACKENDS,
    FOUND,
    LONGEST,
    MEMORY,
    Evaluation,
    Evaluator,
    FirstError,
    Search,
    Watch,
    search,
)
from learners.evaluation.lockstep import Action, Case, Margin, Mistake
from learners.evaluation.lockstep_cpu import Progress
from learners.evaluation.suites import MOST_REPEATED, PLG, RLG, WORLDS, Suite

SEARCH_SECONDS = 60.0
SHOWN = 60  # symbols of an input that are shown
BAR = 24


@click.command("eval")
@click.argument("model", type=click.Path())
@click.option(
    "--against",
    type=click.Path(),
    help="The expert: source, a table or exact weights. Default: the model's own.",
)
@click.option("--digits", type=click.IntRange(1), help="Test this length: of every repetition in the inputs.")
@click.option(
    "--suite",
    default=RLG,
    show_default=True,
    type=click.Choice((PLG, RLG)),
    help="plg: random inputs; rlg: also all inputs of one symbol repeated.",
)
@click.option("--largest", is_flag=True, help="Search for the largest length passed.")
@click.option(
    "--seconds",
    type=click.FloatRange(0, min_open=True),
    help=f"Stop after this time; {SEARCH_SECONDS:.0f} for --largest unless given.",
)
@click.option("--seed", default=0, show_default=True, help="For the random inputs.")
@click.option("--threads", type=click.IntRange(1), help="Default: all cores.")
@click.option("--steps", type=click.IntRange(1), help="Cut each run after so many steps.")
@click.option(
    "--device",
    default="auto",
    show_default=True,
    type=click.Choice(tuple(BACKENDS)),
    help="auto takes the CPU, whose cores are mostly faster; cuda may win on many cases of a large model.",
)
@defines
@json_option
@guarded
def command(
    model: str,
    against: str | None,
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
    """
    if digits is None and not largest:
        raise click.UsageError("give --digits N for one length, --largest for a search, or both")
    dfst = read_dfst(model)
    table, expert = _expert(dfst, model, against, definitions_of(definitions))
    evaluator = Evaluator(dfst, table, suite, seed, threads, steps, device)
    begun = time.monotonic()
    limit = seconds or (SEARCH_SECONDS if largest else math.inf)
    line = progress_bar()
    one = found = None
    try:
        if digits is not None:
            one = evaluator.at(digits, begun + limit, line)
        if largest:
            found = search(evaluator, limit - (time.monotonic() - begun), one, line)
    finally:
        clear_progress()
    spent = time.monotonic() - begun
    if as_json:
        emit(evaluation_data(model, expert, one, found, spent))
    else:
        print_evaluation(model, expert, one, found)
    if not (one.passed if one else found and found.largest):
        raise click.exceptions.Exit(1)


def _expert(dfst: Dfst, model: str, against: str | None, definitions: dict[str, str]) -> tuple[Table, str]:
    """The table to hold the model against, and its name."""
    if against is not None:
        return load_program(against, definitions).table, against
    source = dfst.metadata.get("source", "")
    if not source:
        raise fail(
            "G110", "this model does not carry its source", "name the expert with --against FILE", model
        )
    return load_source(Source(f"<source in {model}>", source), definitions).table, f"the source in {model}"


def progress_bar() -> Watch:
    """Shows on one line of a terminal what is done, at most five times a second."""
    show, begun = progress_texts(), time.monotonic()

    def text(suite: Suite, progress: Progress) -> str:
        full = BAR * progress.cases // suite.count
        bar = "#" * full + "." * (BAR - full)
        spent = time.monotonic() - begun
        done = f"{progress.cases}/{suite.count} cases, {progress.steps:,} steps, {spent:.0f} s"
        return f"{suite.name} {suite.digits:,} [{bar}] {done}"

    return lambda suite, progress: show(lambda: text(suite, progress))


def evaluation_data(
    model: str, expert: str, one: Evaluation | None, found: Search | None, seconds: float
) -> dict[str, Any]:
    """All that was found as JSON; the length asked for comes first, else the largest that was passed."""
    told = one or _main(found)
    tried = found.tried if found else (one,)
    return {
        "model": model,
        "against": expert,
        "suite": told.suite,
        "digits": one.digits if one else None,
        "plg": one.plg if one else None,
        "rlg": one.rlg if one else None,
        "worlds": one.worlds if one else None,
        "largest": found.largest if found else None,
        "ended": found.ended if found else None,
        "cases": told.cases,
        "cut": told.cut,
        "sampled": told.sampled,
        "first_error": error_data(_error(one, found)),
        "margin": told.margin.value if told.margin else None,
        "margins": {"write": margin_data(told.write_margin), "move": margin_data(told.move_margin)},
        "steps": sum(each.steps for each in tried if each),
        "seconds": round(seconds, 3),
        "lengths": [length_data(each) for each in tried if each],
    }


def _main(found: Search | None) -> Evaluation:
    """The length that a search is about: the largest passed, or the first tried."""
    assert found is not None and found.tried
    return next((one for one in found.tried if one.digits == found.largest and one.passed), found.tried[0])


def _error(one: Evaluation | None, found: Search | None) -> FirstError | None:
    """The error at the length asked for; for a search, at the shortest length that failed."""
    if one is not None:
        return one.first_error
    failed = [each for each in (found.tried if found else ()) if each.first_error]
    return min(failed, key=lambda each: each.digits).first_error if failed else None


def length_data(one: Evaluation) -> dict[str, Any]:
    """One length of a search."""
    return {
        "digits": one.digits,
        "passed": one.passed,
        "cases": one.cases,
        "steps": one.steps,
        "seconds": round(one.seconds, 3),
        "margin": one.margin.value if one.margin else None,
    }


def margin_data(margin: Margin | None) -> dict[str, Any] | None:
    return {"value": margin.value, "step": margin.step, "cell": margin.cell} if margin else None


def error_data(error: FirstError | None) -> dict[str, Any] | None:
    if error is None:
        return None
    wrong = error.mistake
    return {
        "case": error.number,
        "input": case_text(error.case),
        "step": wrong.step,
        "cell": wrong.cell,
        "state": wrong.state,
        "read": wrong.read,
        "expected": wrong.expected._asdict(),
        "got": wrong.got._asdict() if wrong.got else None,
        "reason": wrong.reason or None,
        "around": wrong.around,
    }


def case_text(case: Case) -> str:
    """A case in a few words: an input, cut in its middle, or the size of a world."""
    if isinstance(case, World):
        return f"a world of {len(case.cells):,} cells, from {case.start}"
    return case if len(case) <= SHOWN else f"{case[: SHOWN // 2]}…{case[-SHOWN // 2 :]}"


def print_evaluation(model: str, expert: str, one: Evaluation | None, found: Search | None) -> None:
    """A line a length, the answer, and the first error."""
    tried = [*found.tried] if found else [one] if one else []
    click.echo(f"{model} against {expert}")
    print_lengths(tried)
    told = one or _main(found)
    if one is not None:
        click.echo(answer(one))
    if found is not None:
        click.echo(search_answer(found))
    for note in notes(told):
        click.echo(f"  {note}")
    error = _error(one, found)
    if error is not None:
        print_error(error)


def print_lengths(tried: list[Evaluation]) -> None:
    click.echo(f"  {'digits':>9}  {'result':<7}  {'cases':>11}  {'steps':>17}  {'seconds':>8}  {'margin':>8}")
    for each in tried:
        result = {True: "passed", False: "failed", None: "unknown"}[each.passed]
        cases, margin = f"{each.cases}/{each.count}", f"{each.margin.value:.6f}" if each.margin else "-"
        row = f"{each.digits:>9,}  {result:<7}  {cases:>11}  {each.steps:>17,}  {each.seconds:>8.2f}"
        click.echo(f"  {row}  {margin:>8}")


def answer(one: Evaluation) -> str:
    """What is known at one length; tested, never proven."""
    if one.suite == WORLDS:
        claims = [
            (f"random worlds of {one.digits} x {one.digits} cells (there is no input clause)", one.worlds)
        ]
    else:
        claims = [(f"{name}({one.digits:,})", value) for name, value in (("PLG", one.plg), ("RLG", one.rlg))]
    words = {True: "passed", False: "failed", None: "unknown"}
    asked = [
        f"{name}: {words[value]}" for name, value in claims if value is not None or name.startswith("RLG")
    ]
    return ", ".join(asked)


def search_answer(found: Search) -> str:
    why = {
        FOUND: "",
        LONGEST: "; longer inputs are not made",
        MEMORY: "; a longer one did not fit in memory",
    }.get(found.ended, "; then the time was up")
    shortest = min((each.digits for each in found.tried if each.passed is False), default=None)
    failed = f", the shortest that failed {shortest:,}" if shortest else ""
    return f"largest length passed: {found.largest:,}{failed}{why}"


def notes(one: Evaluation) -> list[str]:
    """What the numbers alone would hide."""
    found = []
    if one.cut:
        found.append(f"{one.cut} of {one.cases} runs were cut at the step limit, without an error so far")
    if one.sampled:
        found.append(f"too many inputs of repeated symbols: {MOST_REPEATED:,} were drawn")
    if one.out_of_memory:
        found.append("a world did not fit in memory")
    return found


def print_error(error: FirstError) -> None:
    """The first error, with the world around it."""
    wrong: Mistake = error.mistake
    click.echo(f"first error: case {error.number}, {case_text(error.case)}")
    click.echo(f"  step {wrong.step:,} at {wrong.cell}, in state {wrong.state}, reading {wrong.read}")
    click.echo(f"  expected  {action_text(wrong.expected)}")
    click.echo(f"  got       {action_text(wrong.got) if wrong.got else f'nothing: {wrong.reason}'}")
    for row in wrong.around.split("\n"):
        click.echo(f"    {row}")


def action_text(action: Action) -> str:
    return f"write {action.write}, move {action.move}"
