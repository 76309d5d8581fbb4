"""`gridlang compile`: a program as exact tensors, or as another target."""

from __future__ import annotations

import sys
from typing import Annotated

import click

from gridlang.compiler.api.agents import compile as compiled
from gridlang.compiler.api.agents import minimize as minimized
from gridlang.compiler.given import load_program, with_table
from gridlang.compiler.targets import TARGETS, refuse_what_others_made
from gridlang.compiler.terminal.printing import counts, summary_lines
from gridlang.files import write_whole
from gridlang.options import Definitions, File, Option, output_option
from gridlang.terminal.options import Answer, as_command, refuse_unwritable


@as_command("compile", compiled)
def command(
    file: File,
    *,
    to: str,
    output: Annotated[File | None, output_option("NAME with the target's ending")] = None,
    force: Annotated[bool, Option("Overwrite a file that this command did not make.")] = False,
    minimize: bool,
    definitions: Definitions,
) -> Answer:
    """
    \b
    gridlang compile add10.grid                  add10.safetensors
    gridlang compile add.grid -D base=2 -o add2.safetensors
    gridlang compile mult2.grid --minimize       fewer states, the same behaviour
    gridlang compile add10.grid --to c           a standalone C program
    gridlang compile add10.grid --to grid -o -   the table as source
    gridlang compile increment.grid --to turingmachine   for another tool; `import` reads it back
    """
    program = load_program(file, definitions)
    fewer, before = minimized(program) if minimize else None, len(program.table.states)
    program = with_table(program, fewer.table) if fewer else program
    path = output or f"{program.name}.{TARGETS[to].extension}"
    refuse_unwritable(path, file)
    _refuse_ending(path, to)
    data = TARGETS[to].content(program)
    if path == "-":
        sys.stdout.buffer.write(data)
        return Answer()
    if not force:
        refuse_what_others_made(path, data)
    write_whole(path, data)
    given = {"name": program.name, "arguments": dict(program.arguments), "output": path, "target": to}
    lines, made = [*summary_lines(program)], {**given, **counts(program)}
    if fewer:
        made["minimized"] = smaller = fewer.as_json(before)
        lines.append(f"  {smaller['note']}")
    return Answer([*lines, f"wrote {path} ({TARGETS[to].about})"], made)


def _refuse_ending(path: str, target: str) -> None:
    """UsageError if a file would end like another target: `-o add.svg` alone is not a picture."""
    about = TARGETS[target].about
    endings = {name: "." + each.extension.rpartition(".")[2] for name, each in TARGETS.items()}
    for other, ending in endings.items():
        if path.endswith(ending) and ending != endings[target]:
            raise click.UsageError(f"{path} would hold {about}; add --to {other}, or rename it")
