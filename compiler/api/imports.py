"""The API to files of other tools."""

from __future__ import annotations

import os
from typing import NamedTuple

from compiler.arguments import Path, one_of
from compiler.foreign import FORMATS, foreign_format
from compiler.foreign.imported import imported_source
from gridlang.files import read_source, write_whole
from gridlang.loading import load_source
from gridlang.program import Program
from gridlang.source import Source


class ImportedFile(NamedTuple):
    """The agent in a file of another tool, its source, and what had to change."""

    program: Program
    source: str
    notes: tuple[str, ...]


def import_file(
    file: Path | Source, *, origin: str | None = None, output: Path | None = None
) -> ImportedFile:
    """Turns a file of another tool into an agent that does the same.

    `origin` is turingmachine, jflap, bbchallenge or mealy-dot; by default the ending or the text tells. The
    source is written to `output`. GridError for a machine that no agent can be.

    >>> import gridlang as gl, os, tempfile
    >>> path = os.path.join(tempfile.mkdtemp(), "beaver.bb")
    >>> _ = open(path, "w").write("1RB1LB_1LA1RZ")
    >>> gl.import_file(path).program.run().steps
    6
    """
    source = file if isinstance(file, Source) else read_source(os.fspath(file))
    form = FORMATS[one_of("origin", origin, FORMATS)] if origin else foreign_format(source)
    imported = form.read(source)
    text = imported_source(imported, os.path.basename(source.path).strip("<>"))
    if output is not None:
        write_whole(os.fspath(output), text)
    return ImportedFile(load_source(Source(source.path, text)), text, imported.notes)
