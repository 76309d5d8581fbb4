"""`gridlang run`: one agent or model on one world."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from typing import Annotated, Any

import click

import gridlang as gl
from gridlang.compiler.api.agents import run
from gridlang.compiler.engines import by_weights
from gridlang.compiler.given import alphabet_of, is_model, load_program, refuse_parameters
from gridlang.compiler.simulation.worlds.files import given_world, kind_of, write_world
from gridlang.compiler.terminal.run_output import emit_run, print_run
from gridlang.files import read_source
from gridlang.options import Definitions, File, Option
from gridlang.outcomes import Outcome
from gridlang.terminal.console import progress_line, say, show_progress
from gridlang.terminal.options import Answer, as_command, refuse_unwritable


@as_command("run", run)
def command(
    file: File,
    input: str | None = None,
    *,
    world: Annotated[File | None, Option("World file: a picture with its start cell in brackets.")] = None,
    output: Annotated[File | None, Option("Write the final world: .txt or .png.", spelt=("-o",))] = None,
    watch: Annotated[bool, Option("Show the run in the terminal, step by step.")] = False,
    speed: Annotated[float, Option("Steps per second of --watch.", 0, 10_000, above=True)] = 12.0,
    snap: Annotated[bool, Option("Snap a model's hidden vectors to the centres of their clusters.")] = False,
    certificate: Annotated[File | None, Option("Snap to the centres in this certificate of `equiv`.")] = None,
    definitions: Definitions,
    as_json: bool,
    **options: Any,
) -> Answer:
    """INPUT is a row of symbols; `-` reads it from stdin.

    FILE is a `.grid` file, a table, or a model (`.safetensors`). The result goes to stdout. -o writes the
    final world: a picture (.txt), which --world reads, or an image (.png). How the run ended goes to stderr.
    Exits with 0 if it halted. The world of a run takes at most 256 MB.

    \b
    gridlang run add10.grid 12+34
    gridlang run add10.grid 12+34 --watch
    gridlang run add10.grid 12+34 --trace --json
    gridlang run add10.safetensors 12+34
    gridlang run add10.safetensors 12+34 --snap
    gridlang run add10.safetensors 12+34 --snap --certificate proof.json
    gridlang run ant.grid --steps 11000 -o ant.png
    gridlang run flood.grid --world room.txt
    gridlang run ant.grid --world room.txt -o after.txt
    """
    how = {**options, "watch": watch, "speed": speed, "snap": snap}
    _refuse_mixtures(file, input, world, how)
    if watch and as_json:
        raise click.UsageError("--watch shows a run to people; programs read --trace --json")
    if certificate is not None and not snap:
        raise click.UsageError("--certificate holds the centres for --snap: give that too")
    if output is not None:
        kind_of(output)
        refuse_unwritable(output, file, world)
    input = read_source(input).text.strip("\n") if input == "-" else input
    agent = _loaded(file, definitions, certificate, how)
    symbols, language = alphabet_of(agent)
    done = _ran(agent, given_world(symbols, language, input, world), how, as_json)
    if output is not None:
        write_world(output, done.world, symbols)
    if as_json:
        more: dict[str, Any] = {"output": output} if output is not None else {}
        more |= {"snapped": True, "certificate": certificate} if snap else {}
        emit_run(done, **more)
    else:
        print_run(done, output)
    return Answer(holds=done.outcome == Outcome.HALTED)


def _loaded(file: str, definitions: Mapping[str, str], certificate: str | None, how: dict[str, Any]) -> Any:
    """The weights of a model where they suffice, else a program."""
    if is_model(file):
        refuse_parameters(file, definitions)
        with_states = how["watch"] or how["snap"] or how["detect_loops"]
        if by_weights(how["engine"], with_states=with_states):
            from gridlang.compiler.tensors.dfst import read_dfst

            return read_dfst(file)
    return _snapped(file, certificate) if how["snap"] else load_program(file, definitions)


def _ran(agent: Any, start: gl.World, how: dict[str, Any], as_json: bool) -> gl.Run:
    if how["watch"]:
        from gridlang.compiler.terminal.watch import watch

        done = watch(agent, start, how["steps"], how["speed"])
    else:
        from gridlang.compiler.terminal.run_output import TraceLines

        lines = TraceLines(agent, start.start, sys.stdout.write, as_json) if how["trace"] else None
        engine = "auto" if how["snap"] else how["engine"]
        options = {name: how[name] for name in ("steps", "detect_loops")}
        done = run(agent, start, engine=engine, record=lines, progress=show_progress, **options)
    if not how["snap"]:
        return done
    from gridlang.compiler.extraction.snapped_inference import as_snapped_run

    return as_snapped_run(done)


def _refuse_mixtures(file: str, input: str | None, world: str | None, how: dict[str, Any]) -> None:
    engine = how["engine"]
    if how["snap"] and not (is_model(file) and engine in ("auto", "dfst")):
        raise click.UsageError("--snap is for models (.safetensors) on --engine dfst: only they have vectors")
    if engine == "dfst" and how["detect_loops"]:
        raise click.UsageError("--detect-loops needs states, which --engine dfst does not have")
    if input is not None and world is not None:
        raise click.UsageError("give an INPUT or a --world, not both")


def _snapped(file: str, certificate: str | None) -> gl.Program:
    """The table of a model with snapped vectors; every step of every centre is checked."""
    if certificate is not None:
        from gridlang.compiler.api.certified_files import certified_program

        program = certified_program(certificate, file)
        centres = f"the {len(program.table.states):,} centres of {certificate}"
        say(f"snapped to {centres}; all their steps are checked", err=True)
        return program
    from gridlang.compiler.api.models import snapped
    from gridlang.compiler.tensors.dfst import read_dfst

    program = gl.Program(snapped(read_dfst(file), file, progress_line("steps explored")), file)
    say(f"snapped to {len(program.table.states):,} centres; all their steps are checked", err=True)
    say("these centres were made for this run; a proof is about those of its --certificate", err=True)
    return program
