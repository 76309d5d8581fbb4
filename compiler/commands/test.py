"""`gridlang test`: the tests of a file, and a search for an input that its `output` clause gets wrong."""

from __future__ import annotations

from typing import Any

import click

from compiler.program_files import load_program
from compiler.simulate import MAX_STEPS
from compiler.testing.report import print_report, test_report
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


@click.command("test")
@click.argument("files", nargs=-1, required=True, type=click.Path())
@defines
@click.option(
    "--cases",
    default=400,
    show_default=True,
    type=click.IntRange(0),
    help="Random inputs to try for `output`.",
)
@click.option(
    "--steps",
    default=100_000,
    show_default=True,
    type=click.IntRange(1, MAX_STEPS),
    help="Step limit of one run.",
)
@seed_option("For the random inputs.")
@engine_option
@json_option
@guarded
def command(
    files: tuple[str, ...],
    definitions: tuple[str, ...],
    cases: int,
    steps: int,
    seed: int,
    engine: str,
    as_json: bool,
) -> None:
    """Run the tests in FILES, and search for an input that their `output` clause gets wrong.

    All short inputs are tried, then random ones of growing length; a failing one is shrunk.

    \b
    gridlang test add10.grid
    gridlang test add.grid -D base=7 --cases 2000
    """
    given = definitions_for(files, definitions_of(definitions))
    programs = [load_program(file, parameters) for file, parameters in zip(files, given, strict=True)]
    reports = [_test(program, cases, steps, seed, engine, as_json) for program in programs]
    failed = sum(r["failed"] for r in reports)
    if as_json:
        first = next((r["counterexample"] for r in reports if r["counterexample"]), None)
        emit(
            {
                "passed": sum(r["passed"] for r in reports),
                "failed": failed,
                "counterexample": first,
                "files": reports,
            }
        )
    elif len(files) > 1:
        say(f"{sum(r['passed'] for r in reports)} passed, {failed} failed")
    if failed:
        raise click.exceptions.Exit(1)


def _test(program: Program, cases: int, steps: int, seed: int, engine: str, machine: bool) -> dict[str, Any]:
    data = test_report(program, cases, steps, seed, engine, progress_line(f"inputs of {program.name} tried"))
    clear_progress()
    if not machine:
        print_report(program, data, say)
    return data
