"""Small edits that make a broken line follow the grammar, each tried before it is offered."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
from typing import NamedTuple

from gridlang.diagnostics import Diagnostic, Edit, Fix, edited, replacing
from gridlang.source import Source, Span
from gridlang.syntax.grammar import Rejected, parse_tokens
from gridlang.syntax.scanner import Line, Token, scan
from gridlang.vocabulary import RESERVED

MOST_REPAIRS = 6  # of a line
LONGEST_TRIED = 200  # tokens of a line
# what a line may lack, the likeliest first
_STRUCTURE = (
    ":", "->", "|", ",", "=", "==", "..", "in", "if", "else", "from", "steps", "halts", "write", "as",
)  # fmt: skip


class Repair(NamedTuple):
    """A fix and the hint that goes with it; `plain` is one that says little by itself."""

    fix: Fix
    hint: str
    plain: bool = False


def mends(kind: str, line: Span, fix: Fix) -> bool:
    return _outcome(kind, line, fix) is None


def goes_further(kind: str, line: Span, fix: Fix) -> bool:
    """Whether a line then follows the grammar at least up to and with the token behind the fix."""
    stop = _outcome(kind, line, fix)
    return stop is None or stop > 0


def _outcome(kind: str, line: Span, fix: Fix) -> int | None:
    """How many tokens behind the fix the grammar takes; None if all, and the line with them."""
    if any(edit.span.start < line.start or edit.span.end > line.end for edit in fix.edits):
        return 0
    moved = [Edit(_shifted(edit.span, -line.start), edit.replacement) for edit in fix.edits]
    last = max(moved, key=lambda edit: edit.span.end)
    lines, complaints = scan(Source("", edited(line.text, moved)))
    tokens = tuple(token for each in lines for token in each.tokens)
    if complaints or not tokens:
        return 0
    grown = sum(len(edit.replacement) - (edit.span.end - edit.span.start) for edit in moved)
    behind = next((i for i, t in enumerate(tokens) if t.span.start >= last.span.end + grown), len(tokens))
    try:
        parse_tokens(f"{kind}_line", tokens)
    except Rejected as stop:
        return max(stop.index - behind, 0)
    return None


def _shifted(span: Span, by: int) -> Span:
    return Span(span.source, span.start + by, span.end + by)


def repairs(kind: str, tokens: tuple[Token, ...], index: int, accepted: set[str]) -> list[Repair]:
    """Edits of one token, or two that change places, that make the line follow the grammar."""
    if len(tokens) > LONGEST_TRIED:
        return []
    line = tokens[0].span.to(tokens[-1].span)
    candidates = (*_doubled(tokens, index), *_others(tokens, index, accepted))
    return [*islice((each for each in candidates if mends(kind, line, each.fix)), MOST_REPAIRS)]


def _doubled(tokens: tuple[Token, ...], index: int) -> Iterator[Repair]:
    if 0 < index < len(tokens) and tokens[index][:2] == tokens[index - 1][:2]:
        text = tokens[index].span.text
        sure = tokens[index].value in (":", "->", *RESERVED)
        yield Repair(_without(tokens, index, sure), f"`{text}` stands here twice: remove one")


def _others(tokens: tuple[Token, ...], index: int, accepted: set[str]) -> Iterator[Repair]:
    at_end = index == len(tokens)
    token = tokens[-1] if at_end else tokens[index]
    words = [word for word in _STRUCTURE if word in accepted]
    place = token.span.after() if at_end else Span(token.span.source, token.span.start, token.span.start)
    colon = next((t for t in tokens[:index] if t.value == ":" and t.type == "mark"), None)
    if colon and all(t.value != "write" for t in tokens):
        hint = "add `write` behind the colon"
        yield Repair(replacing(colon.span.after(), " write", sure=False, title=hint), hint)
    for word in () if at_end else words:
        hint = f"add `{word}` before `{token.span.text}`"
        yield Repair(replacing(place, f"{word} ", sure=False, title=hint), hint)
    for first in (index - 1, index) if not at_end else ():
        if 0 <= first < len(tokens) - 1:
            one, other = tokens[first].span, tokens[first + 1].span
            hint = f"swap `{one.text}` and `{other.text}`"
            edits = (Edit(one, other.text), Edit(other, one.text))
            yield Repair(Fix(hint, edits, sure=False), hint)
    if at_end:
        yield Repair(_without(tokens, index - 1), f"remove `{token.span.text}`", plain=True)
        return
    for word in words:
        hint = f"write `{word}` for `{token.span.text}`"
        yield Repair(replacing(token.span, word, sure=False, title=hint), hint)
    for gone in (index, index - 1):
        if gone >= 0:
            yield Repair(_without(tokens, gone), f"remove `{tokens[gone].span.text}`", plain=True)


def _without(tokens: tuple[Token, ...], index: int, sure: bool = False) -> Fix:
    """The fix that removes a token, with the space before it."""
    span = tokens[index].span
    start = tokens[index - 1].span.end if index else span.start
    end = span.end if index or len(tokens) < 2 else tokens[1].span.start
    around = span.source.text[start - 1 : start] + span.source.text[end : end + 1]
    gap = " " if index and len(around) == 2 and around.replace("_", "a").isalnum() else ""
    return replacing(Span(span.source, start, end), gap, sure, f"remove `{span.text}`")


def mended(diagnostic: Diagnostic, kind: str, line: Line) -> Diagnostic:
    """A complaint of the scanner with the fixes that make its line follow the grammar."""
    span = Span(line.span.source, line.span.start, line.span.end)
    fixes = diagnostic.fixes
    if diagnostic.code == "G007":
        fixes = (*_parentheses(diagnostic, line),)
    elif diagnostic.code == "G002" and diagnostic.span:
        fixes += (replacing(diagnostic.span, "", False, f"remove `{diagnostic.span.text}`"),)
    if not fixes:
        return diagnostic
    sure = tuple(fix for fix in fixes if fix.sure and diagnostic.code == "G002")
    whole = list(sure) or [fix for fix in fixes if mends(kind, span, fix)]
    kept = tuple(whole or [fix for fix in fixes if goes_further(kind, span, fix)])
    if diagnostic.code == "G007" and len(whole) == 1:
        kept = (kept[0]._replace(sure=True),)
    hint = diagnostic.hint
    if kept and kept[0] not in diagnostic.fixes:
        hint = kept[0].title
    missing = ")" if diagnostic.span and diagnostic.span.text == "(" else "("
    otherwise = f"add the missing `{missing}`" if diagnostic.code == "G007" else None
    if not kept and otherwise:
        hint = otherwise
    return diagnostic._replace(fixes=kept[:MOST_REPAIRS], hint=hint, otherwise=otherwise)


def _parentheses(diagnostic: Diagnostic, line: Line) -> Iterator[Fix]:
    """The places where the other parenthesis may stand, the likeliest first, or that this one goes."""
    at = diagnostic.span
    assert at is not None
    if at.text == "(":
        for token in reversed(line.tokens[-LONGEST_TRIED:]):
            if token.span.start >= at.start:
                where = f"add `)` after `{token.span.text}`"
                yield replacing(token.span.after(), ")", sure=False, title=where)
    yield replacing(at, "", sure=False, title=f"remove this `{at.text}`")
    if at.text == ")":
        before = [token for token in line.tokens if token.span.end <= at.start]
        for token in reversed(before[-LONGEST_TRIED:-1]):  # around the last alone they would mean nothing
            place = Span(at.source, token.span.start, token.span.start)
            yield replacing(place, "(", sure=False, title=f"add `(` before `{token.span.text}`")
