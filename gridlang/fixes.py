"""Applies the sure fixes of diagnostics to texts until none is left."""

from __future__ import annotations

from bisect import bisect, insort
from codecs import BOM_UTF8
from collections.abc import Iterable, Mapping
from typing import NamedTuple

from gridlang.diagnostics import LONGEST_LINE, Diagnostic, Edit, GridError, edited
from gridlang.file_kinds import refuse_other_kinds
from gridlang.files import read_bytes, shown, source_of, write_whole
from gridlang.loading import try_load_source
from gridlang.source import MAX_BYTES, Source

Edits = tuple[Edit, ...]
GROWTH = 2  # a text that grows more is not being mended
MOST_ROUNDS = 100  # one mistake per line and round


class Mended(NamedTuple):
    """A source, and how many fixes are in it."""

    source: Source
    fixes: int


def sure_fixes(diagnostics: Iterable[Diagnostic], source: Source) -> list[Edits]:
    """Sure fixes about one text that do not overlap."""
    fixes = (fix for diagnostic in diagnostics for fix in diagnostic.fixes if fix.sure)
    return apart(fix.edits for fix in fixes if all(edit.span.source is source for edit in fix.edits))


def apart(groups: Iterable[Edits]) -> list[Edits]:
    """The groups of edits that touch none of those before them."""
    chosen: list[Edits] = []
    taken: list[tuple[int, int]] = []  # (start, end), sorted
    for edits in groups:
        if not any(_touches(edit, taken) for edit in edits):
            chosen.append(edits)
            for edit in edits:
                insort(taken, edit.span[1:])
    return chosen


def _touches(edit: Edit, taken: list[tuple[int, int]]) -> bool:
    place = bisect(taken, (edit.span.end, MAX_BYTES))
    return place > 0 and taken[place - 1][1] >= edit.span.start


def mend_source(source: Source, definitions: Mapping[str, str] | None = None) -> Mended:
    """The source with all sure fixes.

    A mistake in the syntax hides others, so it is looked at again after each round.
    """
    count, seen, most = 0, {source.text}, GROWTH * len(source.text) + LONGEST_LINE
    while True:
        fixes = sure_fixes(try_load_source(source, definitions, library=True).diagnostics, source)
        text = edited(source.text, (edit for edits in fixes for edit in edits))
        if text in seen or len(seen) > MOST_ROUNDS or len(text) > most:
            return Mended(source, count)
        seen.add(text)
        count += len(fixes)
        source = Source(source.path, text)


def mend(path: str, definitions: Mapping[str, str] | None = None) -> Mended | None:
    """Writes all sure fixes into a file, whose line ends stay as they are; what is piped in stays unwritten.

    None where there is no source to mend.
    """
    try:
        data = read_bytes(path, MAX_BYTES, path)
        refuse_other_kinds(shown(path), data, "source", "table")
        mended = mend_source(source_of(data, path), definitions)
    except GridError:
        return None
    if mended.fixes and path != "-":
        text = mended.source.text.replace("\n", "\r\n") if b"\r\n" in data else mended.source.text
        mark = BOM_UTF8 if data.startswith(BOM_UTF8) else b""
        write_whole(path, mark + text.encode())
    return mended
