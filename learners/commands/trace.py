"""`gridlang trace`: record what an agent does, as data to learn from."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable, Mapping
from typing import Annotated, Any

import click

import gridlang as gl
from gridlang.learners.api.data import is_traces, trace
from gridlang.options import Definitions, File, Option, output_option
from gridlang.terminal.console import show_progress
from gridlang.terminal.options import Answer, as_command, refuse_unwritable, typed

# options that record an agent
OF_AGENTS = ("rule", "short", "long", "steps", "greedy", "strict", "inputs", "world", "add")


@as_command("trace", trace)
def command(
    file: File,
    *,
    rule: tuple[str, ...],
    inputs: Annotated[tuple[File, ...], Option("Record the inputs in this file, one per line.")] = (),
    world: Annotated[
        tuple[File, ...], Option("Record the pictures in this file, with empty lines between them.")
    ] = (),
    output: Annotated[File | None, output_option("NAME.npz")] = None,
    definitions: Definitions,
    **options: Any,
) -> Answer:
    """FILE may also be traces, to convert. The ending of --output chooses the format: `.npz`, or `.jsonl`,
    one trace a line, which other programs can read and write.

    \b
    gridlang trace add10.grid                                    add10.npz, as the paper does
    gridlang trace add10.grid --rule paper:500 --long 4 --greedy
    gridlang trace mult2.grid --rule paper --rule worlds:2000 -o both.npz
    gridlang trace mult10.grid --rule peek-reads                 a DFST learns fastest from these
    gridlang trace acceptor.grid --strict                        also where it is stuck
    gridlang trace flood.grid --world rooms.txt --add flood.npz -o more.npz
    gridlang trace mine.jsonl -o mine.npz                        traces of another program
    """
    from gridlang.compiler.given import load_program
    from gridlang.learners.traces.trace_text import coverage_lines

    if is_traces(file):
        return _convert(file, output)
    program = load_program(file, definitions)
    path = output or f"{program.name}.npz"
    refuse_unwritable(path, file)
    _check_ending(path)
    recorded = _given(program, inputs, world)
    try:
        traces = trace(program, rule or None, inputs=recorded, progress=show_progress, **options)
    except ValueError as error:
        raise click.UsageError(f"--{error}") from None
    coverage = gl.coverage(program, traces)
    return _written(traces, path, coverage_lines(program.name, traces, coverage), coverage.as_json())


def _given(
    program: gl.Program, input_files: tuple[str, ...], world_files: tuple[str, ...]
) -> dict[str, list[str] | list[gl.World]]:
    """The inputs and pictures in files, by the names of the files."""
    from gridlang.files import read_source
    from gridlang.learners.traces.recording import given_inputs, given_worlds

    given: dict[str, list[str] | list[gl.World]] = {}
    for files, read in ((input_files, given_inputs), (world_files, given_worlds)):
        for source in map(read_source, files):
            given[source.path] = read(program.table, source)
    return given


def _check_ending(path: str) -> None:
    from gridlang.learners.traces.dataset import FILE_ENDINGS

    if path != "-" and not path.endswith(FILE_ENDINGS):
        stem = os.path.splitext(path)[0]
        raise click.UsageError(
            f"traces are `.npz` or `.jsonl`, which pandas reads: name the file {stem}.npz or {stem}.jsonl"
        )


def _convert(file: str, output: str | None) -> Answer:
    """Traces as a file of the other kind."""
    from gridlang.learners.traces.dataset import as_traces
    from gridlang.learners.traces.trace_text import traces_data, traces_lines

    for option in typed(*OF_AGENTS):
        raise click.UsageError(f"{option} is for agents, and {file} holds traces of one")
    traces = as_traces(file)
    path = output or f"{traces.name}.npz"
    refuse_unwritable(path, file)
    _check_ending(path)
    return _written(traces, path, traces_lines(traces), traces_data(traces))


def _written(traces: gl.Traces, path: str, lines: Iterable[str], data: Mapping[str, Any]) -> Answer:
    """Writes the traces, and describes them unless they go to stdout."""
    from gridlang.files import write_whole
    from gridlang.learners.traces.dataset import traces_to_file

    content = traces_to_file(traces, path)
    if path == "-":
        sys.stdout.buffer.write(content)
        return Answer()
    write_whole(path, content)
    about = {"name": traces.name, "output": path, "data": dict(traces.data)}
    return Answer([*lines, f"wrote {path}"], about | {**data})
