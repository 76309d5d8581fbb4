"""The world that a command line names: an input, a picture, or what is piped in."""

from __future__ import annotations

from gridlang.console import read_stdin
from gridlang.files import read_source
from gridlang.inputs import InputLanguage, input_world
from gridlang.source import Source, Span
from gridlang.world import World, picture_world


def read_source_or_stdin(path: str) -> Source:
    """The text of a file; `-` is stdin."""
    return Source("<stdin>", read_stdin()) if path == "-" else read_source(path)


def picture_file_world(path: str, symbols: tuple[str, ...]) -> World:
    """The world that a file, or stdin, has a picture of; GridError if it is none for these symbols."""
    source = read_source_or_stdin(path)
    return picture_world(Span(source, 0, len(source.text)), symbols)


def given_world(
    symbols: tuple[str, ...], language: InputLanguage | None, text: str | None, picture: str | None
) -> World:
    """The world of a picture, of an input (`-` reads it from stdin), or the empty one if neither is given."""
    if picture is not None:
        return picture_file_world(picture, symbols)
    return input_world(read_stdin().strip("\r\n") if text == "-" else text or "", symbols, language)
