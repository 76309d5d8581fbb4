"""A world to or from a file of the kind that its name ends in."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence

from gridlang.clauses.given_inputs import input_world
from gridlang.clauses.inputs import InputLanguage
from gridlang.compiler.simulation.limits import LIMITS
from gridlang.compiler.simulation.worlds.png import checked_area, write_png
from gridlang.diagnostics import GridError, fail, listing
from gridlang.files import read_bytes, source_of, write_whole
from gridlang.source import Span
from gridlang.terminal.notes import tell_once
from gridlang.tiles import blank_first
from gridlang.world import World, out_of_line, picture_rows, source_world

KINDS = {".txt": "a picture as text, its start cell in brackets", ".png": "an image"}


def kind_of(path: str) -> str:
    """What a world is written as, by the ending of a name; GridError says which there are."""
    ending = os.path.splitext(path)[1].lower()
    if ending not in KINDS:
        known = listing([f"{kind} ({about})" for kind, about in KINDS.items()])
        shown = f"`{ending}`" if ending else "a name without an ending"
        raise fail("G074", f"a world is not written as {shown}", f"the name ends in {known}", path)
    return ending


def write_world(path: str, world: World, symbols: Sequence[str]) -> None:
    """Writes the file whole or not at all. Symbols have numbers in this order, the blank the first."""
    try:
        write_whole(path, _pieces(kind_of(path), world, blank_first(symbols)))
    except GridError as error:
        raise GridError([each._replace(file=each.file or path) for each in error.diagnostics]) from None


def _pieces(ending: str, world: World, symbols: Sequence[str]) -> Iterator[bytes]:
    if ending == ".png":
        return write_png(world, symbols)
    checked_area(world.frame, ending)
    return (f"{row}\n".encode() for row in picture_rows(world))


def read_world(path: str, symbols: tuple[str, ...]) -> World:
    """The world in a file; what has no ending of ours is a picture. `-` is a picture from stdin."""
    ending = os.path.splitext(path)[1].lower()
    if ending == ".png":
        raise fail("G073", "a world is not read from an image", "it is read from a picture as text", path)
    source = source_of(read_bytes(path, LIMITS.file_bytes, too_large="no world may be that large"), path)
    world = source_world(source, symbols)
    if warning := out_of_line(Span(source, 0, len(source.text))):
        tell_once(f"{warning.message}; {warning.hint}")
    return world


def given_world(
    symbols: tuple[str, ...], language: InputLanguage | None, text: str | None, file: str | None
) -> World:
    """The world that a file, or stdin, holds; else that of an input, or the empty one."""
    if file is not None:
        return read_world(file, symbols)
    return input_world(text or "", symbols, language)
