"""`gridlang test`: the tests of a file, and a search for an input that its `output` clause gets wrong."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import click

from compiler.program_files import load_program
from compiler.simulation.simulate import MAX_STEPS
from compiler.testing.limits import LIMITS
from compiler.testing.report import print_report, test_report
from gridlang.diagnostics import GridError
from gridlang.loading import definitions_for
from gridlang.program import Program
from gridlang.terminal.console import clear_progress, emit, progress_line, say
from gridlang.terminal.options import (
    defines,
    definitions_of,
    engine_option,
    guarded,
    json_option,
    seed_option,
)

LIBRARY = "G055"  # This is said of a file that holds states, and no agent.


@click.command("test")
@click.argument("files", nargs=-1, required=True, type=click.Path())
@defines
@click.option(
    "--cases",
    default=LIMITS.cases,
    show_default=True,
    type=click.IntRange(0),
    help="Inputs to draw for `output`, after all short ones.",
)
@click.option(
    "--longest",
    type=click.IntRange(0, LIMITS.most_symbols),
    help=f"Symbols of an input at most.  [default: {LIMITS.longest}, or what the shortest one needs]",
)
@click.option(
    "--steps",
    default=LIMITS.most_steps,
    show_default=True,
    type=click.IntRange(1, MAX_STEPS),
    help="Step limit of one run; a test that names more steps is run as far as it says.",
)
@seed_option("For the random inputs.")
@engine_option
@json_option
@guarded
def command(
    files: tuple[str, ...],
    definitions: tuple[str, ...],
    cases: int,
    longest: int | None,
    steps: int,
    seed: int,
    engine: str,
    as_json: bool,
) -> None:
    """Run the tests in FILES, and search for an input that their `output` clause gets wrong.

    All short inputs are tried, then others of growing length, drawn at random and in patterns; a failing one
    is shrunk. It is told which were tried. Inputs of which nothing is asked, since the clause has no value
    there, and longer ones on which a run does not halt are counted apart. If nothing was checked, it fails.

    \b
    gridlang test add10.grid
    gridlang test add.grid -D base=7 --cases 2000 --longest 500
    """
    given = definitions_for(files, definitions_of(definitions))
    programs = _programs(files, given)
    reports = [_test(program, cases, longest, steps, seed, engine, as_json) for program in programs]
    passed, failed = (sum(r[key] for r in reports) for key in ("passed", "failed"))
    if as_json:
        first = next((r["counterexample"] for r in reports if r["counterexample"]), None)
        emit(
            {
                "passed": passed,
                "failed": failed,
                "counterexample": first,
                "files": reports,
            }
        )
    elif len(files) > 1:
        say(f"{passed} passed, {failed} failed")
    if failed or not passed:
        raise click.exceptions.Exit(1)


def _programs(files: Sequence[str], given: Sequence[Mapping[str, str]]) -> list[Program]:
    """The agents of all files; a library among them has nothing to test by itself."""
    programs = []
    for file, parameters in zip(files, given, strict=True):
        try:
            programs.append(load_program(file, parameters))
        except GridError as error:
            if len(files) == 1 or [diagnostic.code for diagnostic in error.diagnostics] != [LIBRARY]:
                raise
            say(f"note: {file} is a library, which has nothing to test by itself", err=True)
    return programs


def _test(
    program: Program, cases: int, longest: int | None, steps: int, seed: int, engine: str, machine: bool
) -> dict[str, Any]:
    progress = progress_line(f"inputs of {program.name} tried")
    data = test_report(program, cases, steps, seed, engine, progress, longest)
    clear_progress()
    if not machine:
        print_report(program, data, say)
    return data
