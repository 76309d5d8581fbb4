"""`gridlang import`: a file of another tool, as source."""

from __future__ import annotations

import os
from typing import Annotated

import click

from gridlang.compiler.api.files import import_file
from gridlang.files import read_source, write_whole
from gridlang.options import File, output_option
from gridlang.table import size_in_words
from gridlang.terminal.options import Answer, as_command, refuse_unwritable


@as_command("import", import_file)
def command(
    file: File,
    *,
    origin: str | None,
    output: Annotated[File | None, output_option("NAME.grid")] = None,
) -> Answer:
    """`-` reads stdin.

    \b
    gridlang import machine.yaml
    gridlang import machine.yaml -o mine.grid
    echo 1RB1LB_1LA1RZ | gridlang import - --from bbchallenge -o beaver.grid
    """
    imported = import_file(read_source(file, wanted="" if origin else "machine"), origin=origin)
    table = imported.program.table
    path = output or f"{table.name}.grid"
    refuse_unwritable(path, file)
    if path == "-":
        return Answer(source=imported.source)
    if output is None and os.path.exists(path):
        raise click.UsageError(f"{path} exists already; name another file with -o")
    write_whole(path, imported.source)
    data = {"name": table.name, "states": len(table.states), "symbols": len(table.symbols)}
    data |= {"transitions": table.transitions, "notes": imported.notes, "output": path}
    about = f"{table.name}: {size_in_words(table)}"
    return Answer([about, *(f"  {note}" for note in imported.notes), f"wrote {path}"], data)
