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
    """A fix, and the hint that goes with it unless its title does; `plain` is one that says little."""

    fix: Fix
    hint: str = ""
    plain: bool = False


class Tried(NamedTuple):
    """Whether the grammar takes a line with a fix in it, or at least the token behind the fix."""

    mends: bool = False
    goes_further: bool = False


def tried(kind: str, line: Span, fix: Fix) -> Tried:
    if any(edit.span.start < line.start or edit.span.end > line.end for edit in fix.edits):
        return Tried()
    by = line.start
    moved = [Edit(Span(line.source, at.start - by, at.end - by), text) for at, text in fix.edits]
    last = max(moved, key=lambda edit: edit.span.end)
    lines, complaints = scan(Source("", edited(line.text, moved)))
    tokens = tuple(token for each in lines for token in each.tokens)
    if complaints or not tokens:
        return Tried()
    grown = sum(len(edit.replacement) - (edit.span.end - edit.span.start) for edit in moved)
    behind = next((i for i, t in enumerate(tokens) if t.span.start >= last.span.end + grown), len(tokens))
    try:
        parse_tokens(kind, tokens)
    except Rejected as stop:
        return Tried(False, stop.index > behind)
    return Tried(True, True)


def repairs(kind: str, tokens: tuple[Token, ...], index: int, accepted: set[str]) -> list[Repair]:
    """Edits of one token, or two that change places, that make the line follow the grammar."""
    if len(tokens) > LONGEST_TRIED:
        return []
    line = tokens[0].span.to(tokens[-1].span)
    candidates = _candidates(tokens, index, accepted)
    return [*islice((each for each in candidates if tried(kind, line, each.fix).mends), MOST_REPAIRS)]


def _candidates(tokens: tuple[Token, ...], index: int, accepted: set[str]) -> Iterator[Repair]:
    if 0 < index < len(tokens) and tokens[index][:2] == tokens[index - 1][:2]:
        text = tokens[index].span.text
        sure = tokens[index].value in (":", "->", *RESERVED)
        yield Repair(_without(tokens, index, sure), f"`{text}` stands here twice: remove one")
    at_end = index == len(tokens)
    token = tokens[-1] if at_end else tokens[index]
    words = [word for word in _STRUCTURE if word in accepted]
    place = token.span.after() if at_end else token.span.before()
    colon = next((t for t in tokens[:index] if t.value == ":" and t.type == "mark"), None)
    if colon and all(t.value != "write" for t in tokens):
        yield Repair(replacing(colon.span.after(), " write", False, "add `write` behind the colon"))
    for word in () if at_end else words:
        yield Repair(replacing(place, f"{word} ", False, f"add `{word}` before `{token.span.text}`"))
    for first in (index - 1, index) if not at_end else ():
        if 0 <= first < len(tokens) - 1:
            one, other = tokens[first].span, tokens[first + 1].span
            edits = (Edit(one, other.text), Edit(other, one.text))
            yield Repair(Fix(f"swap `{one.text}` and `{other.text}`", edits, sure=False))
    if at_end:
        yield Repair(_without(tokens, index - 1), plain=True)
        return
    for word in words:
        yield Repair(replacing(token.span, word, False, f"write `{word}` for `{token.span.text}`"))
    for gone in (index, index - 1):
        if gone >= 0:
            yield Repair(_without(tokens, gone), plain=True)


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
    whole = list(sure) or [fix for fix in fixes if tried(kind, span, fix).mends]
    kept = tuple(whole or [fix for fix in fixes if tried(kind, span, fix).goes_further])
    if diagnostic.code == "G007" and len(whole) == 1:
        kept = (kept[0]._replace(sure=True),)
    missing = ")" if diagnostic.span and diagnostic.span.text == "(" else "("
    otherwise = f"add the missing `{missing}`" if diagnostic.code == "G007" else None
    hint = diagnostic.hint if kept else otherwise or diagnostic.hint
    if kept and kept[0] not in diagnostic.fixes:
        hint = kept[0].title
    return diagnostic._replace(fixes=kept[:MOST_REPAIRS], hint=hint, otherwise=otherwise)


def _parentheses(diagnostic: Diagnostic, line: Line) -> Iterator[Fix]:
    """The places where the other parenthesis may stand, the likeliest first, or that this one goes."""
    at = diagnostic.span
    assert at is not None
    if at.text == "(":
        for token in reversed(line.tokens[-LONGEST_TRIED:]):
            if token.span.start >= at.start:
                yield replacing(token.span.after(), ")", False, f"add `)` after `{token.span.text}`")
    yield replacing(at, "", sure=False, title=f"remove this `{at.text}`")
    if at.text == ")":
        before = [token for token in line.tokens if token.span.end <= at.start]
        for token in reversed(before[-LONGEST_TRIED:-1]):  # around the last alone they would mean nothing
            yield replacing(token.span.before(), "(", False, f"add `(` before `{token.span.text}`")
