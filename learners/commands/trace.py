"""`gridlang trace`: record what an agent does, as data to learn from."""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING, Any

import click

from gridlang.console import clear_progress, emit, progress_line, read_stdin
from gridlang.options import defines, definitions_of, guarded, json_option

if TYPE_CHECKING:
    from gridlang.loading import Program
    from gridlang.source import Source
    from learners.traces.coverage import Coverage
    from learners.traces.dataset import Traces
    from learners.traces.sampling import SamplingPlan

SHOWN = 6  # states with missing rules


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
@click.option("--seed", default=0, show_default=True, help="For all that is random.")
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
    from learners.traces.coverage import coverage
    from learners.traces.dataset import traces_to_bytes

    program = load_program(file, definitions_of(definitions))
    path = output or f"{program.name}.npz"
    if os.path.exists(path) and os.path.exists(file) and os.path.samefile(path, file):
        raise click.UsageError(f"{path} is the file that is traced; write to another one with -o")
    default = not (input_files or world_files or added)
    names = rules or (("paper" if program.table.input else "worlds",) if default else ())
    plans = [_plan(program, name, short, long, steps, greedy) for name in names]
    parts = [_given(program, source, steps, pictures=False) for source in map(_source, input_files)]
    parts += [_given(program, source, steps, pictures=True) for source in map(_source, world_files)]
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
    _print(program, traces, shown)
    click.echo(f"wrote {path}")


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


def _source(path: str) -> Source:
    from gridlang.files import read_source
    from gridlang.source import Source

    return Source("<stdin>", read_stdin()) if path == "-" else read_source(path)


def _given(program: Program, source: Source, steps: int | None, pictures: bool) -> Traces:
    """The traces of the inputs or pictures in a file."""
    from learners.traces.input_files import given_inputs, given_worlds
    from learners.traces.recording import record
    from learners.traces.sampling import INPUT_STEPS

    cut = steps or INPUT_STEPS
    found: list[Any] = (given_worlds if pictures else given_inputs)(program.table, source)
    return record(program, found, cut, {"file": source.path, "count": len(found), "steps": cut})


def _joined(
    program: Program, plans: list[SamplingPlan], seed: int, parts: list[Traces], added: tuple[str, ...]
) -> Traces:
    """What was asked for, all together; added traces must be of this agent."""
    from learners.traces.coverage import replay
    from learners.traces.dataset import join, read_traces
    from learners.traces.sampling import make_traces

    made = [make_traces(program, [plan], seed, progress_line(f"runs of {program.name}")) for plan in plans]
    clear_progress()
    more = [read_traces(path) for path in added]
    for path, traces in zip(added, more, strict=True):
        replay(program.table, traces, path)
    whole = [*made, *parts, *more]
    return whole[0] if len(whole) == 1 else join(whole)


def _print(program: Program, traces: Traces, shown: Coverage) -> None:
    from learners.traces.dataset import origins

    steps = f"{shown.steps:,} steps in all, {shown.longest:,} the longest"
    click.echo(f"{program.name}: {shown.traces:,} traces, {steps}")
    rows = [("from", _origin(part)) for part in origins(traces)]
    rows += [("", str(part["note"])) for part in origins(traces) if "note" in part]
    lost = [part["stuck_at_once"] for part in origins(traces) if "stuck_at_once" in part]
    rows += [("", f"{count} left out: stuck before their first step") for count in lost]
    rows.append(("ended", ", ".join(f"{n:,} {ending}" for ending, n in shown.endings.items() if n)))
    rows.append(("rules", f"{shown.covered:,} of {shown.reachable:,} exercised"))
    rows += [("missing", _missing(shown))] if shown.missing else []
    rows += [("states", _states(shown))]
    for name, text in rows:
        click.echo(f"  {name:<9}{text}")


def _origin(part: dict[str, Any]) -> str:
    """`paper: p 1, q 3, N 20, seed 0`."""
    labels = {"short": "p", "long": "q", "count": "N", "seed": "seed"}
    sizes = ", ".join(f"{label} {part[key]}" for key, label in labels.items() if key in part)
    name = part.get("rule") or part.get("file") or "elsewhere"
    return f"{name}{', greedy' if part.get('greedy') else ''}{': ' if sizes else ''}{sizes}"


def _missing(shown: Coverage) -> str:
    by_state: dict[str, list[str]] = {}
    for state, symbol in shown.missing:
        by_state.setdefault(state, []).append(symbol)
    texts = [f"{state} on {' '.join(symbols)}" for state, symbols in by_state.items()]
    more = f", and in {len(texts) - SHOWN:,} more states" if len(texts) > SHOWN else ""
    return ", ".join(texts[:SHOWN]) + more


def _states(shown: Coverage) -> str:
    if shown.pairs is None or shown.told_apart is None or shown.possible is None:
        return f"{shown.states:,} reached"
    text = f"{shown.states:,} reached, {shown.told_apart:,} of {shown.pairs:,} pairs told apart"
    if shown.alike:
        return f"{text}; not, for one, {shown.alike[0][0]} and {shown.alike[0][1]}"
    return f"{text}; no traces tell more" if shown.told_apart < shown.pairs else text
