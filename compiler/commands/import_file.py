"""`gridlang import`: a file of another tool, as source."""

from __future__ import annotations

import os
from typing import Annotated

import click

from gridlang.compiler.api.files import import_file
from gridlang.files import read_source, write_whole
from gridlang.options import File, output_option
from gridlang.table import size_in_words
from gridlang.terminal.console import emit, say, say_source
from gridlang.terminal.options import as_command, refuse_overwriting


@as_command("import", import_file)
def command(
    file: File,
    *,
    origin: str | None,
    output: Annotated[File | None, output_option("NAME.grid")] = None,
    as_json: bool,
) -> None:
    """`-` reads stdin.

    \b
    gridlang import machine.yaml
    gridlang import machine.yaml -o mine.grid
    echo 1RB1LB_1LA1RZ | gridlang import - --from bbchallenge -o beaver.grid
    """
    imported = import_file(read_source(file, wanted="" if origin else "machine"), origin=origin)
    table = imported.program.table
    path = output or f"{table.name}.grid"
    refuse_overwriting(path, file)
    if path == "-":
        say_source(imported.source)
        return
    if output is None and os.path.exists(path):
        raise click.UsageError(f"{path} exists already; name another file with -o")
    write_whole(path, imported.source)
    if as_json:
        data = {"name": table.name, "states": len(table.states), "symbols": len(table.symbols)}
        emit({**data, "transitions": table.transitions, "notes": imported.notes, "output": path})
        return
    say(f"{table.name}: {size_in_words(table)}", *(f"  {note}" for note in imported.notes), f"wrote {path}")
