"""The world that a command line names: an input, a picture, or what is piped in."""

from __future__ import annotations

from gridlang.clauses.given_inputs import input_world
from gridlang.clauses.inputs import InputLanguage
from gridlang.files import read_source
from gridlang.source import Source
from gridlang.terminal.console import read_stdin
from gridlang.world import World, source_world


def read_source_or_stdin(path: str) -> Source:
    """The text of a file; `-` is stdin."""
    return Source("<stdin>", read_stdin()) if path == "-" else read_source(path)


def given_world(
    symbols: tuple[str, ...], language: InputLanguage | None, text: str | None, picture: str | None
) -> World:
    """The world that a file, or stdin, has a picture of; else that of an input, or the empty one."""
    if picture is not None:
        return source_world(read_source_or_stdin(picture), symbols)
    return input_world(text or "", symbols, language)
