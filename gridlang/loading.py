"""From a path to a `Program`: imports resolved, parameters bound, everything checked."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

from gridlang.diagnostics import Diagnostic, GridError, did_you_mean, fail, in_order, listing
from gridlang.file_kinds import KINDS, refuse_other_kinds
from gridlang.files import checked_path, checked_reader, label_of, read_bytes, source_of
from gridlang.fixes import tried
from gridlang.program import Program
from gridlang.resolving import MOST_ROWS, refused_library, resolve
from gridlang.source import MAX_BYTES, Source
from gridlang.syntax.parser import parse
from gridlang.table_json import table_from_json

if TYPE_CHECKING:
    from pathlib import Path

# endings of files without parameters
OTHERS = {ending for name, kind in KINDS.items() if name != "source" for ending in kind.endings}


class Loaded(NamedTuple):
    """A program, or None with the errors that stand in its way.

    >>> import gridlang as gl
    >>> isinstance(gl.try_load("examples/add2.grid"), gl.Loaded)
    True
    """

    program: Program | None
    diagnostics: tuple[Diagnostic, ...]

    def whole(self) -> Program:
        if self.program is None:
            raise GridError(self.diagnostics)
        return self.program


class Misused(Loaded):
    """Wrong are the definitions, not the file."""


def load(
    path: str | Path, definitions: Mapping[str, str] | None = None, /, **parameters: int | str
) -> Program:
    """The agent in a `.grid` file or a table; GridError with everything that is wrong.

    Parameters of the agent are given by name, or all together as `-D` gives them.

    >>> import gridlang as gl
    >>> agent = gl.load("examples/add.grid", base=2)
    >>> agent.name, len(agent.table.states)
    ('add', 12)
    """
    if not isinstance(path, str | os.PathLike):
        raise TypeError(f"an agent is read from a path, not from {type(path).__name__}")
    return try_load(checked_reader(checked_path(path), "load"), _texts(definitions, parameters)).whole()


def loads(text: str, /, **parameters: int | str) -> Program:
    """The agent in a text: source, or a table as JSON.

    >>> import gridlang as gl
    >>> flip = gl.loads('''
    ... agent flip
    ... alphabet
    ...   bit = 0..1
    ... input bit+
    ... start walk
    ... state walk
    ...   b in bit : write 1 - b, R
    ...   _        : halt
    ... ''')
    >>> flip.run("1011").result
    '0100'
    """
    if not isinstance(text, str | os.PathLike):
        raise TypeError(f"an agent is read from a text, not from {type(text).__name__}")
    if isinstance(text, os.PathLike) or ("\n" not in text and text.strip().endswith((".grid", ".json"))):
        raise ValueError(f"{str(text)!r} looks like a path, not like a text: read it with `gridlang.load`")
    source = Source("<text>", text)
    read = _load_table if text.lstrip()[:1] == "{" else _load_source
    return read(source, _texts(None, parameters)).whole()


def _texts(definitions: Mapping[str, str] | None, parameters: Mapping[str, int | str]) -> dict[str, str]:
    return {**(definitions or {}), **{name: str(value) for name, value in parameters.items()}}


def load_source(source: Source, definitions: Mapping[str, str] | None = None) -> Program:
    return _load_source(source, definitions or {}).whole()


def try_load(
    path: str | Path, definitions: Mapping[str, str] | None = None, *, library: bool = False
) -> Loaded:
    """Like `load`, but errors are values; a file that is a `library` may be checked, and has no program.

    >>> import gridlang as gl
    >>> gl.try_load("examples/add2.grid").program.name
    'add2'
    """
    try:
        data = read_bytes(path, MAX_BYTES)
        refuse_other_kinds(label_of(path), data, "source", "table")
        return try_load_source(source_of(data, str(path)), definitions, library=library, data=data)
    except GridError as error:
        return Loaded(None, tuple(error.diagnostics))


def try_load_source(
    source: Source,
    definitions: Mapping[str, str] | None = None,
    *,
    library: bool = False,
    data: bytes = b"",
) -> Loaded:
    """Like `try_load`, for a text that was read already, from a file of these bytes or from elsewhere."""
    try:
        if source.text.lstrip()[:1] == "{" or source.path.endswith(".json"):
            return _load_table(source, definitions or {}, data)
        return _load_source(source, definitions or {}, library)
    except GridError as error:
        return Loaded(None, tuple(error.diagnostics))


def definitions_for(paths: Sequence[str], definitions: Mapping[str, str]) -> list[Mapping[str, str]]:
    """The definitions that each file has parameters for; GridError for one that no file has."""
    if len(paths) == 1 or not definitions:
        return [definitions] * len(paths)
    own = [_parameters(path) for path in paths]
    known = [name for names in own for name in names or ()]
    for name in definitions:
        if name not in known and None not in own:
            hint = did_you_mean(name, known, "" if known else "they have no parameters")
            message = f"{listing(paths, 'and')} have no parameter `{name}`"
            raise fail("G026", message, hint)
    return [{name: definitions[name] for name in definitions if name in (names or ())} for names in own]


def _parameters(path: str) -> set[str] | None:
    """The names of an agent's parameters; None where its file cannot be read."""
    if os.path.splitext(path)[1].lower() in OTHERS:
        return set()
    try:
        data = read_bytes(path, MAX_BYTES)
        refuse_other_kinds(path, data, "source", "table")
        source = source_of(data, path)
    except GridError:
        return None
    if source.text.lstrip()[:1] == "{":
        return set()
    agent = parse(source).agent
    return {param.name.name for param in agent.header.params} if agent else None


def _load_table(source: Source, definitions: Mapping[str, str], data: bytes = b"") -> Loaded:
    from gridlang.clauses.outputs import output_rule

    table = table_from_json(source.text, source.path)
    for name in definitions:
        refused = fail("G026", f"a table has no parameter `{name}`", file=source.path)
        return Misused(None, tuple(refused.diagnostics))
    output_rule(table)  # raises for clauses without meaning
    return Loaded(Program(table, source.path, file_bytes=data), ())


def _load_source(source: Source, definitions: Mapping[str, str], library: bool = False) -> Loaded:
    def errors_of(changed: Source) -> list[Diagnostic]:
        return resolve(parse(changed), definitions, MOST_ROWS).errors

    parsed = parse(source)
    found = resolve(parsed, definitions)
    if found.errors:
        refused = tuple(tried(in_order(found.diagnostics), source, errors_of))
        return (Misused if found.misused else Loaded)(None, refused)
    if found.program is None and not library:
        return Loaded(None, (refused_library(parsed),))
    return Loaded(found.program, tuple(in_order(found.diagnostics)))
