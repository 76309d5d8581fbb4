"""`gridlang test`: the tests of a file, and a search for an input with a wrong result."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import nullcontext
from typing import Annotated, Any

from gridlang.compiler.api.agents import test
from gridlang.compiler.given import load_program
from gridlang.compiler.testing.function_files import ORACLE, load_function, reporting_errors
from gridlang.compiler.testing.report import report_lines
from gridlang.diagnostics import GridError
from gridlang.files import source_files
from gridlang.loading import definitions_for
from gridlang.options import Definitions, File, Option
from gridlang.program import Program
from gridlang.terminal.console import say, show_progress
from gridlang.terminal.options import Answer, as_command

LIBRARY = "G055"  # a file with states but no agent


@as_command("test", test)
def command(
    file: tuple[File, ...],
    *,
    oracle: Annotated[
        str | None,
        Option("Ask this function what must be left, not the clause.", metavar="FILE.py:NAME"),
    ] = None,
    definitions: Definitions,
    as_json: bool,
    **options: Any,
) -> Answer:
    """FILE may be a folder, whose files are all tested.

    \b
    gridlang test add10.grid
    gridlang test add10.grid --oracle spec.py:add      spec.py: def add(a, b): return a + b
    gridlang test add.grid -D base=7 --cases 2000 --longest 500
    gridlang test .
    """
    files = source_files(file)
    programs = _programs(files, definitions_for(files, definitions))
    spec = load_function(oracle, ORACLE) if oracle is not None else None
    reports = []
    for program in programs:
        with reporting_errors(spec) if spec else nullcontext():
            function = spec.function if spec else None
            tested = test(program, progress=show_progress, oracle=function, **options)
        reports.append(tested.data)
        if not as_json:
            say(*report_lines(program, tested.data))
    passed, failed = (sum(r[key] for r in reports) for key in ("passed", "failed"))
    first = next((r["counterexample"] for r in reports if r["counterexample"]), None)
    data = {"passed": passed, "failed": failed, "counterexample": first, "files": reports}
    lines = [f"{passed} passed, {failed} failed"] if len(files) > 1 else []
    return Answer(lines, data, holds=not failed and passed > 0)


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
