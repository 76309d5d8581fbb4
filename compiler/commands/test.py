"""`gridlang test`: the tests of a file, and a search for an input with a wrong result."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from time import sleep, strftime
from typing import Any

import click

from gridlang.compiler.api.agents import test
from gridlang.compiler.program_files import load_program
from gridlang.compiler.simulation.simulate import MAX_STEPS
from gridlang.compiler.testing.limits import LIMITS
from gridlang.compiler.testing.report import report_lines
from gridlang.diagnostics import GridError, counted
from gridlang.files import FileState, file_state, files_looked_at
from gridlang.loading import definitions_for
from gridlang.program import Program
from gridlang.terminal.console import emit, report, say, show_progress
from gridlang.terminal.given_texts import source_files
from gridlang.terminal.options import answering, defines, engine_option, seed_option

LOOK_SECONDS = 0.2


def again_when_saved(do: Callable[[], object]) -> None:
    """Does it, and again after each change, until Ctrl-C; what is wrong with the files is reported."""
    try:
        while True:
            with files_looked_at() as read:
                try:
                    do()
                except GridError as error:
                    report(error.diagnostics, machine=False)
            files = counted(len(read), "file")
            say(f"{strftime('%H:%M:%S')} watching {files}; Ctrl-C ends", "", err=True)
            wait_for_change(read)
    except KeyboardInterrupt:
        say("", err=True)


def wait_for_change(read: dict[str, FileState]) -> None:
    """Until a file is another than the one that was read, and stays so for two looks."""
    last = dict(read)
    while True:
        sleep(LOOK_SECONDS)
        now = {path: file_state(path) for path in read}
        if now == last and now != read:
            return
        last = now


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
@seed_option("Seed of the random inputs.")
@engine_option
@click.option("--watch", is_flag=True, help="Test again whenever a file is saved, until Ctrl-C.")
@answering
def command(
    files: tuple[str, ...], definitions: dict[str, str], watch: bool, as_json: bool, **options: Any
) -> bool:
    """Run the tests in FILES, or in folders, and search for an input whose result differs from their `output`
    clause.

    It tries all short inputs, then longer ones, random and patterned, shrinks one that fails, and reports
    what it tried. It counts separately the inputs for which the clause has no value, and longer ones on which
    a run does not halt. If it checked nothing, it fails.

    \b
    gridlang test add10.grid
    gridlang test add.grid -D base=7 --cases 2000 --longest 500
    gridlang test . --watch
    """
    if watch:
        if as_json:
            raise click.UsageError("--watch goes on until Ctrl-C and has no answer in JSON: leave out --json")
        again_when_saved(lambda: _test(files, definitions, False, options))
        return True
    return _test(files, definitions, as_json, options)


def _test(
    named: tuple[str, ...], definitions: dict[str, str], as_json: bool, options: Mapping[str, Any]
) -> bool:
    files = source_files(named)
    given = definitions_for(files, definitions)
    programs = _programs(files, given)
    reports = []
    for program in programs:
        tested = test(program, progress=show_progress, **options)
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
