"""`gridlang trace`: record what an agent does, as data to learn from."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

import click

from gridlang.console import clear_progress, emit, progress_line
from gridlang.options import (
    defines,
    definitions_of,
    guarded,
    json_option,
    refuse_overwriting,
    seed_option,
)

if TYPE_CHECKING:
    from gridlang.program import Program
    from gridlang.source import Source
    from learners.traces.dataset import Traces
    from learners.traces.sampling import SamplingPlan


@click.command()
@click.argument("file", type=click.Path())
@click.option("-o", "--output", type=click.Path(allow_dash=True), help="Where to write; `-` is stdout.")
@click.option(
    "--rule",
    "rules",
    multiple=True,
    metavar="RULE[:N]",
    help="paper, inputs or worlds, and how many; may be repeated.  [default: paper, or worlds for an agent "
    "that declares no inputs]",
)
@click.option("--short", type=click.IntRange(0, 100), help="paper: take all inputs of up to this length (p).")
@click.option("--long", type=click.IntRange(1, 10_000), help="paper, inputs: the longest random inputs (q).")
@click.option(
    "--steps",
    type=click.IntRange(1, 10_000_000),
    help="Cut a trace here.  [default: 60 in random worlds, else 1000]",
)
@click.option("--greedy", is_flag=True, help="Choose what shows most of the agent, among many more.")
@click.option(
    "--inputs",
    "input_files",
    multiple=True,
    type=click.Path(allow_dash=True),
    help="Record these, one a line.",
)
@click.option(
    "--world",
    "world_files",
    multiple=True,
    type=click.Path(allow_dash=True),
    help="Record these pictures, empty lines between them.",
)
@click.option("--add", "added", multiple=True, type=click.Path(), help="Add the traces of this .npz file.")
@seed_option("For all that is random.")
@defines
@json_option
@guarded
def command(
    file: str,
    output: str | None,
    rules: tuple[str, ...],
    short: int | None,
    long: int | None,
    steps: int | None,
    greedy: bool,
    input_files: tuple[str, ...],
    world_files: tuple[str, ...],
    added: tuple[str, ...],
    seed: int,
    definitions: tuple[str, ...],
    as_json: bool,
) -> None:
    """Record what the agent in FILE reads, writes and moves, to learn from, and say what that shows of it.

    A length is that of each repetition in the agent's `input` line. In --rule paper, all inputs of
    up to --short are taken, all that repeat one symbol --long times, and random ones of up to
    --long; the defaults are the paper's for its four tasks. In --rule worlds, the agent runs on
    random grids, declared as inputs or not.

    \b
    gridlang trace add10.grid                                    add10.npz, as the paper does
    gridlang trace add10.grid --rule paper:500 --long 4 --greedy
    gridlang trace mult2.grid --rule paper --rule worlds:2000 -o both.npz
    gridlang trace flood.grid --world rooms.txt --add flood.npz -o more.npz
    """
    from compiler.program_files import load_program
    from gridlang.files import write_whole
    from gridlang.given_worlds import read_source_or_stdin
    from learners.traces.coverage import coverage
    from learners.traces.dataset import traces_to_bytes
    from learners.traces.summaries import coverage_lines

    program = load_program(file, definitions_of(definitions))
    path = output or f"{program.name}.npz"
    refuse_overwriting(path, [file], "is the file that is traced; write to another one with -o")
    default = not (input_files or world_files or added)
    names = rules or (("paper" if program.table.input else "worlds",) if default else ())
    plans = [_plan(program, name, short, long, steps, greedy) for name in names]
    parts = [_given(program, read_source_or_stdin(each), steps, pictures=False) for each in input_files]
    parts += [_given(program, read_source_or_stdin(each), steps, pictures=True) for each in world_files]
    traces = _joined(program, plans, seed, parts, added)
    shown = coverage(program.table, traces)
    data = traces_to_bytes(traces)
    if path == "-":
        sys.stdout.buffer.write(data)
        return
    write_whole(path, data)
    if as_json:
        emit({"name": program.name, "output": path, "data": dict(traces.data), **shown.as_json()})
        return
    click.echo("\n".join([*coverage_lines(program.name, traces, shown), f"wrote {path}"]))


def _plan(
    program: Program, text: str, short: int | None, long: int | None, steps: int | None, greedy: bool
) -> SamplingPlan:
    from learners.traces.sampling import RULES, sampling_plan

    rule, colon, number = text.partition(":")
    count = int(number) if number.isascii() and number.isdigit() and len(number) < 9 else 0
    if rule not in RULES or (colon and not count):
        raise click.UsageError(f"--rule takes {', '.join(RULES)}, as in --rule worlds:4000, not {text!r}")
    return sampling_plan(
        program.table, rule, count=count or None, short=short, long=long, steps=steps, greedy=greedy
    )


def _given(program: Program, source: Source, steps: int | None, pictures: bool) -> Traces:
    """The traces of the inputs or pictures in a file."""
    from learners.traces.input_files import given_inputs, given_worlds
    from learners.traces.recording import record
    from learners.traces.sampling import INPUT_STEPS

    cut = steps or INPUT_STEPS
    starts: list[Any] = (given_worlds if pictures else given_inputs)(program.table, source)
    return record(program, starts, cut, {"file": source.path, "count": len(starts), "steps": cut})


def _joined(
    program: Program, plans: list[SamplingPlan], seed: int, parts: list[Traces], added: tuple[str, ...]
) -> Traces:
    """What was asked for, all together; added traces must be of this agent."""
    from learners.traces.coverage import replay
    from learners.traces.dataset import read_traces
    from learners.traces.joining import join
    from learners.traces.sampling import make_traces

    made = [make_traces(program, [plan], seed, progress_line(f"runs of {program.name}")) for plan in plans]
    clear_progress()
    more = [read_traces(path) for path in added]
    for path, traces in zip(added, more, strict=True):
        replay(program.table, traces, path)
    whole = [*made, *parts, *more]
    return whole[0] if len(whole) == 1 else join(whole)
