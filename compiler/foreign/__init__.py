"""Files of other tools, both ways: one module a tool, with a reader and a writer; registered here."""

from __future__ import annotations

import os
import re
from importlib import import_module
from typing import NamedTuple

from gridlang.compiler.foreign.machines import Imported
from gridlang.compiler.simulation.simulate import run
from gridlang.diagnostics import fail
from gridlang.loading import load_source
from gridlang.outcomes import Outcome
from gridlang.printable import printable
from gridlang.printer import table_to_source
from gridlang.program import Program
from gridlang.source import Source
from gridlang.table import Table, canonical
from gridlang.vocabulary import quote_text
from gridlang.world import string_world

TESTED_STEPS = 100_000  # a tenth of a second for the reference; most inputs halt sooner
SHOWN_STEPS = 20  # of a machine that runs on: enough to see that it is the same


class Format(NamedTuple):
    """A format of another tool: its module reads and renders it."""

    module: str
    about: str
    endings: tuple[str, ...]
    begins: re.Pattern[str]  # how a text in it begins
    comment: str = ""  # a line that says who made the file, `{}` being where

    def read(self, source: Source) -> Imported:
        imported: Imported = import_module(f"gridlang.compiler.foreign.{self.module}").read(source)
        return imported

    def render(self, program: Program) -> bytes:
        return bytes(import_module(f"gridlang.compiler.foreign.{self.module}").render(program))


FORMATS = {
    "bbchallenge": Format(
        "bbchallenge",
        "one line, as on bbchallenge.org",
        (".bb",),
        re.compile(r"\s*([0-9][LR][A-Z]|---)+(_([0-9][LR][A-Z]|---)+)*\s*$"),
    ),
    "turingmachine": Format(
        "turingmachine_io",
        "a machine for turingmachine.io",
        (".yaml", ".yml"),
        re.compile(r"(\s*(#.*)?\n)*[^\n]*\S:"),
        "# {}",
    ),
}


def foreign_format(source: Source) -> Format:
    """The format of another tool's file; GridError where neither its ending nor its text tells."""
    ending = os.path.splitext(source.path)[1].lower()
    by_ending = (each for each in FORMATS.values() if ending in each.endings)
    by_text = (each for each in FORMATS.values() if each.begins.match(source.text))
    known = next(by_ending, None) or next(by_text, None)
    if known is None:
        hint = f"say which it is with --from {', '.join(FORMATS)}"
        raise fail("G194", "it cannot be told which tool this file is from", hint, source.path)
    return known


class ImportedFile(NamedTuple):
    """The agent in a file of another tool, its source, and what had to change.

    >>> import gridlang as gl
    >>> gl.ImportedFile._fields
    ('program', 'source', 'notes')
    """

    program: Program
    source: str
    notes: tuple[str, ...]


def import_source(source: Source, origin: str | None = None) -> ImportedFile:
    """Another tool's machine as an agent that does the same; `origin` names its format.

    Its source says where it comes from, what had to change, and in a test what it does on the file's input.
    """
    imported = (FORMATS[origin] if origin else foreign_format(source)).read(source)
    table, notes = canonical(imported.table), imported.notes
    lines = [f"imported from {os.path.basename(source.path).strip('<>')}", *notes]
    text = "".join(f"# {printable(line)}\n" for line in lines) + table_to_source(table)
    if imported.input is not None:
        text += f"\n{_test_line(table, imported.input)}\n"
    program = load_source(Source(source.path, text))
    again = program.table
    assert (again.symbols, again.states, again.rows) == (table.symbols, table.states, table.rows)
    return ImportedFile(program, text, notes)


def _test_line(table: Table, text: str) -> str:
    """What the machine does on its input, as a test."""
    done = run(table, string_world(text), TESTED_STEPS)
    if done.outcome == Outcome.HALTED:
        return f"test {quote_text(text)} = {quote_text(done.result)}"
    if done.outcome == Outcome.BUDGET:
        done = run(table, string_world(text), SHOWN_STEPS)
        return f"test {quote_text(text)} after {SHOWN_STEPS} steps = {quote_text(done.result)}"
    return f"test {quote_text(text)} stuck"
