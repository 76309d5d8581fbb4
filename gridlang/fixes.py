"""Fixes put into texts: those of diagnostics that leave no choice, again and again until none is left."""

from __future__ import annotations

from codecs import BOM_UTF8
from collections.abc import Iterable, Mapping
from typing import NamedTuple

from gridlang.diagnostics import Diagnostic, Edit, Fix, GridError
from gridlang.files import read_bytes, source_of, write_whole
from gridlang.loading import try_load_source
from gridlang.source import MAX_BYTES, Source

MOST_ROUNDS = 100  # A line tells one mistake at a time, and a file that has more is not mended but rewritten.


class Mended(NamedTuple):
    """A text, and how many fixes are in it."""

    text: str
    fixes: int


def sure_fixes(diagnostics: Iterable[Diagnostic], source: Source) -> list[Fix]:
    """The fixes that leave no choice and are about one text alone, none in the way of another."""
    chosen: list[Fix] = []
    taken: list[Edit] = []
    for diagnostic in diagnostics:
        for fix in diagnostic.fixes:
            own = all(edit.span.source is source for edit in fix.edits)
            if fix.sure and own and not any(_touch(one, other) for one in fix.edits for other in taken):
                chosen.append(fix)
                taken += fix.edits
    return chosen


def _touch(one: Edit, other: Edit) -> bool:
    return one.span.start <= other.span.end and other.span.start <= one.span.end


def edited(text: str, edits: Iterable[Edit]) -> str:
    """The text with edits, none of which touches another."""
    for edit in sorted(edits, key=lambda edit: edit.span.start, reverse=True):
        text = text[: edit.span.start] + edit.replacement + text[edit.span.end :]
    return text


def mend_source(source: Source, definitions: Mapping[str, str] | None = None) -> Mended:
    """The text with all sure fixes.

    A mistake in the syntax hides others, so it is looked at again after each round.
    """
    count, seen = 0, {source.text}
    while True:
        fixes = sure_fixes(try_load_source(source, definitions, library=True).diagnostics, source)
        text = edited(source.text, (edit for fix in fixes for edit in fix.edits))
        if text in seen or len(seen) > MOST_ROUNDS:
            return Mended(source.text, count)
        seen.add(text)
        count += len(fixes)
        source = Source(source.path, text)


def mend_file(path: str, definitions: Mapping[str, str] | None = None) -> int:
    """Writes all sure fixes into a file, whose line ends stay as they are; says how many there were."""
    try:
        data = read_bytes(path, MAX_BYTES, path)
        mended = mend_source(source_of(data, path), definitions)
    except GridError:  # What cannot be read is reported by the check that follows.
        return 0
    if mended.fixes:
        text = mended.text.replace("\n", "\r\n") if b"\r\n" in data else mended.text
        mark = BOM_UTF8 if data.startswith(BOM_UTF8) else b""
        write_whole(path, mark + text.encode())
    return mended.fixes
