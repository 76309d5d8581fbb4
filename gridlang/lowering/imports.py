"""Files that a file names, found and parsed: `from "file.grid"` and `output as "spec.grid"`."""

from __future__ import annotations

import os
from typing import NamedTuple

from gridlang.clauses.inputs import InputLanguage
from gridlang.diagnostics import GridError, listing, replacing, respelt
from gridlang.files import is_source, look_at, read_source
from gridlang.lowering.limits import LIMITS
from gridlang.lowering.values import Fault
from gridlang.syntax import tree as s
from gridlang.syntax.parser import Parsed, parse
from gridlang.table import Table
from gridlang.vocabulary import quote_text


class Imported(NamedTuple):
    """A file by its real path, and what was read of it."""

    path: str
    parsed: Parsed
    agent: s.Agent


def parse_origin(origin: s.Origin, chain: tuple[str, ...]) -> Imported:
    """The file that an agent is taken from, which defines that agent."""
    inner = parse_import(origin.path, import_path(origin.path, chain))
    name = inner.agent.header.name.name
    if inner.agent.header.library:
        message = f'"{origin.path.value}" is a library: it holds states, and no agent'
        raise Fault("G053", message, origin.path.span, "", f'write `use STATE from "{origin.path.value}"`')
    if name != origin.agent.name:
        message = f'"{origin.path.value}" defines `{name}`, not `{origin.agent.name}`'
        fixes = (replacing(origin.agent.span, name),)
        raise Fault("G053", message, origin.agent.span, hint=f"write `{name}`", fixes=fixes)
    return inner


class Circle(NamedTuple):
    """What to say of files that lead to each other, of one that leads to itself, and what to type."""

    several: str
    one: str
    cure: str


ASKS = Circle(
    "ask each other for their output",
    "this output asks for itself: every agent leaves what it leaves",
    "name the file of another agent, or say what is left, as in `output a + 1`",
)
IMPORTS = Circle("import each other", "this file imports itself", "one file must declare the states")


def import_path(named: s.Text, chain: tuple[str, ...], circle: Circle = IMPORTS) -> str:
    """The real path of a file that is named, which lies in the folder of the importing file or below.

    `chain` are the files that lead here, each imported by the one before it.
    """
    span, here = named.span, os.path.dirname(chain[-1])
    try:
        path = os.path.realpath(os.path.join(here, named.value))
        inside = os.path.commonpath([here, path]) == here
        exists = is_source(path)
    except (OSError, ValueError):
        path, inside, exists = "", True, False
    if not inside:
        hint = "move it beside this file, or below"
        raise Fault("G052", "this file lies outside the importing file's folder", span, hint=hint)
    if path in chain:
        if path == chain[-1]:
            raise Fault("G051", circle.one, span, "", circle.cure)
        way = " -> ".join(map(os.path.basename, [*chain[chain.index(path) :], path]))
        message = f"these files {circle.several}: {way}"
        raise Fault("G051", message, span, "closes the circle here", circle.cure)
    if not exists:
        look_at(path)
        near = [name for name in os.listdir(here) if name.endswith(".grid")] if os.path.isdir(here) else []
        relative = "paths are relative to the folder of this file"
        hint, fixes = respelt(os.path.basename(named.value), near, span, relative, quote_text)
        raise Fault("G050", f'there is no file "{named.value}"', span, "", hint, fixes)
    if path.endswith(".json"):
        raise Fault("G050", "this is a table: states are taken from a `.grid` file", span)
    if len(chain) >= LIMITS.imports:
        raise Fault("G051", f"more than {LIMITS.imports} files import each other", span)
    return path


def parse_import(named: s.Text, path: str) -> Imported:
    """What is read of a file at a path, shown under the name that it was given."""
    parsed = parse(read_source(path, os.path.join(os.path.dirname(named.span.source.path), named.value)))
    if parsed.agent is None:
        raise GridError(parsed.diagnostics)
    return Imported(path, parsed, parsed.agent)


def oracle_file(asked: s.Oracle, chain: tuple[str, ...]) -> Imported:
    """The file that is named, which holds an agent and does not ask this one."""
    file = parse_import(asked.path, import_path(asked.path, chain, ASKS))
    if file.agent.header.library:
        message = f'"{asked.path.value}" is a library: it holds states, and no agent'
        raise Fault("G055", message, asked.path.span, "", "name the file of an agent")
    return file


def refuse_unknown_symbols(asked: s.Oracle, language: InputLanguage, spec: Table) -> None:
    """Fault if the other agent does not know a symbol of the inputs."""
    foreign = sorted({symbol for cell in language.cells for symbol in cell} - set(spec.symbols))
    if foreign:
        message = f"`{spec.name}` does not know {listing(foreign, 'and')} of the inputs"
        hint = "both agents are run on the same inputs: give them the same alphabet"
        raise Fault("G090", message, asked.path.span, "", hint)
