"""`gridlang trace`: record what an agent does, as data to learn from."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

import click

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

    A length is that of each repetition in the agent's `input` line. In --rule paper, all inputs of
    up to --short are taken, all that repeat one symbol --long times, and random ones of up to
    --long; the defaults are the paper's for its four tasks. In --rule worlds, the agent runs on
    random grids, declared as inputs or not.

    \b
    gridlang trace add10.grid                                    add10.npz, as the paper does
    gridlang trace add10.grid --rule paper:500 --long 4 --greedy
    gridlang trace mult2.grid --rule paper --rule worlds:2000 -o both.npz
    gridlang trace acceptor.grid --strict                        with where it is stuck
    gridlang trace add2.grid --rule worlds:400 --noise 5%        partly wrong, for `learn --noisy`
    gridlang trace flood.grid --world rooms.txt --add flood.npz -o more.npz
    """
    from compiler.program_files import load_program
    from gridlang.files import write_whole
    from gridlang.terminal.given_texts import read_source_or_stdin
    from learners.traces.collection import collected, default_rules
    from learners.traces.coverage import coverage
    from learners.traces.dataset import read_traces, traces_to_bytes
    from learners.traces.input_files import given_inputs, given_worlds
    from learners.traces.summaries import coverage_lines

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
        from learners.noise.corruption import corrupted

        traces = corrupted(traces, noise, noise_in, seed)
    data = traces_to_bytes(traces)
    if path == "-":
        sys.stdout.buffer.write(data)
        return
    write_whole(path, data)
    if as_json:
        emit({"name": program.name, "output": path, "data": dict(traces.data), **shown.as_json()})
        return
    corrupt = [] if noise is None else [f"  noise    {100 * noise:g} % of {', '.join(noise_in)}, by chance"]
    say(*coverage_lines(program.name, traces, shown), *corrupt, f"wrote {path}")


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
