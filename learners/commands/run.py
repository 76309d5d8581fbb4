"""`gridlang run`: one agent or model on one world."""

from __future__ import annotations

import sys

import click

from compiler.engines import by_weights, execute
from compiler.program_files import is_model, load_program, refuse_parameters
from compiler.simulation.simulate import MAX_STEPS, Record
from compiler.simulation.worlds.files import checked_output, given_world, write_world
from compiler.terminal.run_output import emit_run, print_run
from gridlang.clauses.inputs import language_of
from gridlang.program import Program
from gridlang.table import MOVES
from gridlang.terminal.console import clear_progress, progress_line, read_stdin, say
from gridlang.terminal.options import (
    defines,
    definitions_of,
    engine_option,
    guarded,
    json_option,
    picture_option,
    refuse_overwriting,
)
from gridlang.world import Cell


@click.command("run")
@click.argument("file", type=click.Path())
@click.argument("input", required=False)
@picture_option
@click.option(
    "-o", "output", type=click.Path(), help="Write the world that is left: .txt, .png, .npy or .rle."
)
@engine_option
@click.option(
    "--steps",
    default=10_000_000,
    show_default=True,
    type=click.IntRange(0, MAX_STEPS),
    help="Stop after so many steps.",
)
@click.option("--detect-loops", is_flag=True, help="Stop when a configuration comes twice.")
@click.option("--watch", is_flag=True, help="Show the run in the terminal, step by step.")
@click.option(
    "--speed",
    default=12.0,
    show_default=True,
    type=click.FloatRange(0.1, 10_000),
    help="Steps a second for --watch.",
)
@click.option("--trace", is_flag=True, help="Print every step; with --json a line each.")
@click.option("--profile", is_flag=True, help="Count how often each rule was used.")
@click.option("--snap", is_flag=True, help="Snap hidden vectors of a model to the centres of their clusters.")
@defines
@json_option
@guarded
def command(
    file: str,
    input: str | None,
    world: str | None,
    output: str | None,
    engine: str,
    steps: int,
    detect_loops: bool,
    watch: bool,
    speed: float,
    trace: bool,
    profile: bool,
    snap: bool,
    definitions: tuple[str, ...],
    as_json: bool,
) -> None:
    """Run FILE on INPUT (`-` reads it from stdin), on a world, or on the empty grid.

    FILE is a `.grid` file, a table, or a model (`.safetensors`). The result goes to stdout, or the world
    that is left to a file with -o: a picture (.txt), an image (.png), an array (.npy) or Golly's run lengths
    (.rle); --world reads all but images. How the run ended goes to stderr. Exits with 0 if it halted. The
    world of a run takes 256 MB at most.

    \b
    gridlang run add10.grid 12+34
    gridlang run add10.grid 12+34 --watch
    gridlang run add10.grid 12+34 --trace --json
    gridlang run add10.safetensors 12+34
    gridlang run add10.safetensors 12+34 --engine dfst --snap
    gridlang run ant.grid --steps 11000 -o ant.png
    gridlang run flood.grid --world room.txt
    gridlang run ant.grid --world glider.rle -o after.rle
    """
    _refuse_mixtures(file, input, world, engine, snap=snap, counted=profile or detect_loops)
    if output is not None:
        checked_output(output)
        refuse_overwriting(output, (file, world), "is read by this command; write to another file with -o")
    input = read_stdin().strip("\r\n") if input == "-" else input
    program: Program | None = None
    given = definitions_of(definitions)
    if is_model(file):
        refuse_parameters(file, given)
    with_states = watch or profile or detect_loops or snap
    if is_model(file) and by_weights(engine, with_states=with_states):
        from compiler.tensors.closed_loop import run_model
        from compiler.tensors.model import model_language, read_model

        model = read_model(file)
        symbols, moves = model.symbols, model.moves
        start = given_world(symbols, model_language(model), input, world)
        record = _printer(None, symbols, moves, start.start, as_json) if trace else None
        done = run_model(model, start, steps, progress=progress_line("steps done"), record=record)
    else:
        program = _snapped(file) if snap else load_program(file, given)
        symbols, moves = program.table.symbols, tuple(MOVES)
        start = given_world(symbols, language_of(program.table), input, world)
        record = _printer(program, symbols, moves, start.start, as_json) if trace else None
        if watch:
            from compiler.terminal.watch import watch as show

            done = show(program, start, steps, speed)
        else:
            done = execute(
                program.table,
                start,
                steps,
                "auto" if snap else engine,
                profile=profile,
                detect_loops=detect_loops,
                progress=progress_line("steps done"),
                record=record,
            )
    clear_progress()
    if snap:
        from learners.extraction.float_bounds.snapped_inference import as_snapped_run

        done = as_snapped_run(done)
    if output is not None:
        write_world(output, done.world, symbols, done.steps)
    if as_json:
        more = {"output": output} if output is not None else {}
        emit_run(program, done, **more, **({"snapped": True} if snap else {}))
    else:
        print_run(program, done, output)
    if done.outcome != "halted":
        raise click.exceptions.Exit(1)


def _refuse_mixtures(
    file: str, input: str | None, world: str | None, engine: str, *, snap: bool, counted: bool
) -> None:
    """Options that cannot be given together."""
    if snap and not (is_model(file) and engine in ("auto", "dfst")):
        raise click.UsageError("--snap is for models (.safetensors) on --engine dfst: only they have vectors")
    if engine == "dfst" and counted:
        raise click.UsageError("--profile and --detect-loops need states, which --engine dfst does not have")
    if input is not None and world is not None:
        raise click.UsageError("give an INPUT or a --world, not both")


def _printer(
    program: Program | None, symbols: tuple[str, ...], moves: tuple[str, ...], start: Cell, as_json: bool
) -> Record:
    """Prints every step while the run goes on."""
    from compiler.terminal.trace_lines import TraceLines

    return TraceLines(program, symbols, moves, start, sys.stdout.write, as_json)


def _snapped(file: str) -> Program:
    """The table that a model is once its vectors are snapped: every step of every centre has been checked."""
    from learners.extraction.float_bounds.snapped_inference import snapped_program

    program = snapped_program(file, progress_line("steps explored"))
    clear_progress()
    say(f"snapped to {len(program.table.states):,} centres; all their steps are checked", err=True)
    return program
