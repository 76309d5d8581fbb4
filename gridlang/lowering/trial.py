"""Fixes tried on the whole file: only those that help are offered, and hints that rest on others go."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence

from gridlang.diagnostics import Diagnostic, Fix, edited
from gridlang.source import Source

LONGEST_TRIED = 20_000  # characters of a file
MOST_TRIED = 24  # fixes of a file, about 5 ms each
MOST_ERRORS = 12  # of a file whose fixes are tried; with more, reading it again takes long too
OF_VALUES = "G030"  # the first code about values, which come after names and kinds
MOST_OFFERED = 3  # fixes of one error
Errors = Callable[[str], Sequence[Diagnostic]]
Told = Counter[tuple[str, str]]  # code, message


def tried(found: Sequence[Diagnostic], source: Source, errors_of: Errors) -> list[Diagnostic]:
    """The diagnostics with fixes that help; `errors_of` finds the errors of a changed text."""
    before = Counter(_told(d) for d in found if d.is_error)
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


def _told(diagnostic: Diagnostic) -> tuple[str, str]:
    return diagnostic.code, diagnostic.message


def _with_helpful(
    diagnostic: Diagnostic,
    fixes: Iterable[Fix],
    before: Told,
    source: Source,
    errors_of: Errors,
) -> Diagnostic:
    whole, part = list[Fix](), list[Fix]()
    for fix in fixes:
        after = errors_of(edited(source.text, fix.edits))
        told = Counter(map(_told, after))
        gone = told[_told(diagnostic)] < before[_told(diagnostic)]
        new = [d for d in after if _told(d) not in before]
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
    """Whether all that is new after a fix is one second slip, elsewhere on its line."""
    edit = max(fix.edits, key=lambda edit: edit.span.end)
    end = edit.span.start + len(edit.replacement)
    return len(new) == 1 and all(
        d.span is not None
        and d.span.line == edit.span.line
        and (d.span.start > end or d.span.end < edit.span.start)
        for d in new
    )
