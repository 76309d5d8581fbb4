"""Fixes: edits that are tried on the whole file before they are offered, and made until none is left."""

from __future__ import annotations

from bisect import bisect, insort
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple

from gridlang.diagnostics import LONGEST_LINE, Diagnostic, Edit, Fix, edited
from gridlang.source import MAX_BYTES, Source

LONGEST_TRIED = 20_000  # characters of a file
MOST_TRIED = 24  # fixes of a file, about 5 ms each
MOST_ERRORS = 12  # of a file whose fixes are tried; with more, reading it again takes long too
OF_VALUES = "G030"  # the first code about values, which come after names and kinds
MOST_OFFERED = 3  # fixes of one error
GROWTH = 2  # a text that grows more is not being mended
MOST_ROUNDS = 100  # one mistake per line and round
Edits = tuple[Edit, ...]
Found = Callable[[Source], Sequence[Diagnostic]]  # what is wrong with a text
Fact = tuple[str, str]  # code, message


def tried(found: Sequence[Diagnostic], source: Source, errors_of: Found) -> list[Diagnostic]:
    """The diagnostics with fixes that help; `errors_of` finds the errors of a changed text."""
    before = Counter(_fact(d) for d in found if d.is_error)
    if len(source.text) > LONGEST_TRIED or before.total() > MOST_ERRORS:
        return list(found)
    left, result = MOST_TRIED, []
    for diagnostic in found:
        own = all(edit.span.source is source for fix in diagnostic.fixes for edit in fix.edits)
        if not diagnostic.is_error or not diagnostic.fixes or not own or left <= 0:
            result.append(diagnostic)
            continue
        fixes = diagnostic.fixes[:left]
        left -= len(fixes)
        result.append(_with_helpful(diagnostic, fixes, before, source, errors_of))
    return result


def _fact(diagnostic: Diagnostic) -> Fact:
    return diagnostic.code, diagnostic.message


def _with_helpful(
    diagnostic: Diagnostic,
    fixes: Iterable[Fix],
    before: Counter[Fact],
    source: Source,
    errors_of: Found,
) -> Diagnostic:
    whole, part = list[Fix](), list[Fix]()
    for fix in fixes:
        after = errors_of(Source(source.path, edited(source.text, fix.edits)))
        left = Counter(map(_fact, after))
        gone = left[_fact(diagnostic)] < before[_fact(diagnostic)]
        new = [d for d in after if _fact(d) not in before]
        if gone and not (_beside(fix, new) if before.total() > 1 else new):
            whole.append(fix)
        elif gone and fix.sure and _is_apart(fix, new):
            part.append(fix)
    kept = tuple((whole or part)[:MOST_OFFERED])
    hint = diagnostic.hint
    if kept and kept[0] != diagnostic.fixes[0]:
        hint = kept[0].title
    elif not kept and diagnostic.otherwise is not None:
        hint = diagnostic.otherwise
    return diagnostic._replace(fixes=kept, hint=hint)


def _beside(fix: Fix, new: Sequence[Diagnostic]) -> bool:
    """Whether the line of a fix has an error that was not there; others may have been hidden before."""
    lines = {edit.span.line for edit in fix.edits}
    return any(d.code < OF_VALUES and d.span and d.span.line in lines for d in new)


def _is_apart(fix: Fix, new: Sequence[Diagnostic]) -> bool:
    """Whether the only new error after a fix is elsewhere on its line."""
    edit = max(fix.edits, key=lambda edit: edit.span.end)
    end = edit.span.start + len(edit.replacement)
    return len(new) == 1 and all(
        d.span is not None
        and d.span.line == edit.span.line
        and (d.span.start > end or d.span.end < edit.span.start)
        for d in new
    )


class Mended(NamedTuple):
    """A source, and how many fixes are in it."""

    source: Source
    fixes: int


def apart(groups: Iterable[Edits]) -> list[Edits]:
    """The groups of edits that touch none of those before them."""
    chosen, taken = list[Edits](), list[tuple[int, int]]()  # taken: (start, end), sorted
    for edits in groups:
        before = [bisect(taken, (edit.span.end, MAX_BYTES)) for edit in edits]
        if not any(
            at and taken[at - 1][1] >= edit.span.start for at, edit in zip(before, edits, strict=True)
        ):
            chosen.append(edits)
            for edit in edits:
                insort(taken, edit.span[1:])
    return chosen


def mend_source(source: Source, diagnostics_of: Found) -> Mended:
    """The source with all its own sure fixes; read again after each round, as a mistake hides others."""
    count, seen, most = 0, {source.text}, GROWTH * len(source.text) + LONGEST_LINE
    while True:
        sure = (fix.edits for found in diagnostics_of(source) for fix in found.fixes if fix.sure)
        fixes = apart(edits for edits in sure if all(edit.span.source is source for edit in edits))
        text = edited(source.text, (edit for edits in fixes for edit in edits))
        if text in seen or len(seen) > MOST_ROUNDS or len(text) > most:
            return Mended(source, count)
        seen.add(text)
        count += len(fixes)
        source = Source(source.path, text)
