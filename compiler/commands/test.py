"""`gridlang test`: the tests of a file, and a search for an input with a wrong result."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import nullcontext
from typing import Any

import click

from gridlang.compiler.api.agents import test
from gridlang.compiler.program_files import load_program
from gridlang.compiler.simulation.simulate import MAX_STEPS
from gridlang.compiler.testing.function_files import ORACLE, load_function, told
from gridlang.compiler.testing.limits import LIMITS
from gridlang.compiler.testing.report import report_lines
from gridlang.diagnostics import GridError
from gridlang.loading import definitions_for
from gridlang.program import Program
from gridlang.terminal.console import emit, say, show_progress
from gridlang.terminal.given_texts import source_files
from gridlang.terminal.options import answering, defines, engine_option, seed_option

LIBRARY = "G055"  # a file with states but no agent


@click.command("test")
@click.argument("files", nargs=-1, required=True, type=click.Path())
@defines
@click.option(
    "--cases",
    default=LIMITS.cases,
    type=click.IntRange(0),
    help="Inputs to draw for `output`, after all short ones.",
)
@click.option(
    "--longest",
    type=click.IntRange(0, LIMITS.most_symbols),
    help=f"Longest input, in symbols.  [default: {LIMITS.longest}, or what the shortest one needs]",
)
@click.option(
    "--steps",
    default=LIMITS.most_steps,
    type=click.IntRange(1, MAX_STEPS),
    help="Step limit of each run; a test that names more steps runs that far.",
)
@click.option("--oracle", metavar="FILE.py:NAME", help="Ask this function what must be left, not `output`.")
@seed_option("Seed of the random inputs.")
@engine_option
@answering
def command(
    files: tuple[str, ...], definitions: dict[str, str], oracle: str | None, as_json: bool, **options: Any
) -> bool:
    """Run the tests in FILES, or in folders, and search for an input whose result differs from their `output`
    clause.

    It tries all short inputs, then longer ones, random and patterned, shrinks one that fails, and reports
    what it tried. It counts separately the inputs for which the clause has no value, and longer ones on which
    a run does not halt. If it checked nothing, it fails.

    An --oracle gets the named parts of the input, numbers as int and all else as str, and returns the result,
    an int or a str, or a verdict: True for accept, False for stuck. Where it returns None, nothing is asked.

    \b
    gridlang test add10.grid
    gridlang test add10.grid --oracle spec.py:add      spec.py: def add(a, b): return a + b
    gridlang test add.grid -D base=7 --cases 2000 --longest 500
    gridlang test .
    """
    files = source_files(files)
    programs = _programs(files, definitions_for(files, definitions))
    asked = load_function(oracle, ORACLE) if oracle is not None else None
    reports = []
    for program in programs:
        with told(asked) if asked else nullcontext():
            function = asked.function if asked else None
            tested = test(program, progress=show_progress, oracle=function, **options)
        reports.append(tested.data)
        if not as_json:
            say(*report_lines(program, tested.data))
    passed, failed = (sum(r[key] for r in reports) for key in ("passed", "failed"))
    if as_json:
        first = next((r["counterexample"] for r in reports if r["counterexample"]), None)
        emit({"passed": passed, "failed": failed, "counterexample": first, "files": reports})
    elif len(files) > 1:
        say(f"{passed} passed, {failed} failed")
    return not failed and passed > 0


def _programs(files: Sequence[str], given: Sequence[Mapping[str, str]]) -> list[Program]:
    """The agents of all files, without libraries among several."""
    programs = []
    for file, parameters in zip(files, given, strict=True):
        try:
            programs.append(load_program(file, parameters))
        except GridError as error:
            if len(files) == 1 or [diagnostic.code for diagnostic in error.diagnostics] != [LIBRARY]:
                raise
            say(f"note: {file} is a library, which has nothing to test by itself", err=True)
    return programs
