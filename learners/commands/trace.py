"""`gridlang trace`: record what an agent does, as data to learn from."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import click
from click.core import ParameterSource

from gridlang.terminal.console import clear_progress, emit, progress_line, say
from gridlang.terminal.options import (
    defines,
    definitions_of,
    guarded,
    json_option,
    refuse_overwriting,
    seed_option,
)
from learners.commands.noise_options import noise_options

if TYPE_CHECKING:
    from gridlang.table import Table
    from gridlang.world import World
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
@click.option("--strict", is_flag=True, help="Show where the agent is stuck, so that a model learns it.")
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
@noise_options
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
    strict: bool,
    input_files: tuple[str, ...],
    world_files: tuple[str, ...],
    added: tuple[str, ...],
    noise: float | None,
    noise_in: tuple[str, ...],
    seed: int,
    definitions: tuple[str, ...],
    as_json: bool,
) -> None:
    """Record what the agent in FILE reads, writes and moves, to learn from, and say what that shows of it.

    FILE may also be a log (`.csv`, `.jsonl` and others) or traces (`.npz`), which are read as they are. It
    writes `.npz`, or `.csv` or `.jsonl` by the ending of --output.

    A length is that of each repetition in the agent's `input` line. In --rule paper, all inputs of
    up to --short are taken, all that repeat one symbol --long times, and random ones of up to
    --long; the defaults are the paper's for its four tasks. In --rule worlds, the agent runs on
    random grids, declared as inputs or not. In --rule reads, the agent's table is asked what it does on
    short sequences of symbols, which no world need show, until each two rules in a row were seen four times;
    in --rule characteristic, on the fewest and shortest from which --method merge comes to the agent.

    \b
    gridlang trace add10.grid                                    add10.npz, as the paper does
    gridlang trace add10.grid --rule paper:500 --long 4 --greedy
    gridlang trace mult2.grid --rule paper --rule worlds:2000 -o both.npz
    gridlang trace mult10.grid --rule reads                      what a network learns it from soonest
    gridlang trace mult10.grid --rule characteristic             what state merging learns it from
    gridlang trace acceptor.grid --strict                        with where it is stuck
    gridlang trace add2.grid --rule worlds:400 --noise 5%        partly wrong, for `learn --noisy`
    gridlang trace flood.grid --world rooms.txt --add flood.npz -o more.npz
    gridlang trace coffee.csv -o coffee.npz                      a log, whoever made it
    """
    from compiler.program_files import load_program
    from gridlang.terminal.given_texts import read_source_or_stdin
    from learners.api.data import is_traces
    from learners.traces.collection import collected, default_rules
    from learners.traces.coverage import coverage
    from learners.traces.dataset import read_traces
    from learners.traces.input_files import given_inputs, given_worlds
    from learners.traces.trace_text import coverage_lines

    if is_traces(file):
        _convert(file, output, as_json)
        return
    program = load_program(file, definitions_of(definitions))
    table = program.table
    path = output or f"{program.name}.npz"
    refuse_overwriting(path, [file], "is the file that is traced; write to another one with -o")
    default = () if input_files or world_files or added else default_rules(table)
    plans = _plans(table, rules or default, short=short, long=long, steps=steps, greedy=greedy)
    given: list[tuple[str, Sequence[str | World]]] = []
    for read, files in ((given_inputs, input_files), (given_worlds, world_files)):
        sources = map(read_source_or_stdin, files)
        given += [(source.path, read(table, source)) for source in sources]
    counted = progress_line(f"runs of {program.name}")
    more = [(each, read_traces(each)) for each in added]
    traces = collected(program, plans, given, more, steps=steps, seed=seed, strict=strict, progress=counted)
    clear_progress()
    shown = coverage(table, traces)
    if noise is not None:
        from learners.methods.noise.corruption import corrupted

        traces = corrupted(traces, noise, noise_in, seed)
    if _is_written(traces, path, as_json, shown.as_json()):
        return
    corrupt = [] if noise is None else [f"  noise    {100 * noise:g} % of {', '.join(noise_in)}, by chance"]
    say(*coverage_lines(program.name, traces, shown), *corrupt, f"wrote {path}")


def _convert(file: str, output: str | None, as_json: bool) -> None:
    """A log, or traces, as a file of another kind."""
    from learners.api.data import as_traces
    from learners.traces.logs.log_text import log_data, log_lines

    context = click.get_current_context()
    for name in (
        "rules",
        "short",
        "long",
        "steps",
        "greedy",
        "strict",
        "input_files",
        "world_files",
        "added",
    ):
        if context.get_parameter_source(name) is ParameterSource.COMMANDLINE:
            raise click.UsageError(
                f"--{name.removesuffix('_files')} is for agents, and {file} is a log of one"
            )
    traces = as_traces(file)
    path = output or f"{traces.name}.npz"
    refuse_overwriting(path, [file], "is the file that is read; write to another one with -o")
    if not _is_written(traces, path, as_json, log_data(traces)):
        say(*log_lines(traces), f"wrote {path}")


def _is_written(traces: Traces, path: str, as_json: bool, about: Mapping[str, Any]) -> bool:
    """Writes the traces; whether that is all, with nothing to be told in words."""
    from gridlang.files import write_whole
    from learners.traces.logs.writing import traces_to_file

    data = traces_to_file(traces, path)
    if path == "-":
        sys.stdout.buffer.write(data)
        return True
    write_whole(path, data)
    if as_json:
        emit({"name": traces.name, "output": path, "data": dict(traces.data), **about})
    return as_json


def _plans(table: Table, rules: Iterable[str], **numbers: Any) -> list[SamplingPlan]:
    from learners.traces.collection import plans_of
    from learners.traces.sampling import RULES

    plans = []
    for text in rules:
        try:
            plans += plans_of(table, [text], **numbers)
        except ValueError:
            known = ", ".join(RULES)
            message = f"--rule takes {known}, as in --rule worlds:4000, not {text!r}"
            raise click.UsageError(message) from None
    return plans
