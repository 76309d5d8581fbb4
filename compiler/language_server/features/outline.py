"""The declarations of a file as an outline, and what can be folded."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from gridlang.compiler.language_server.names import FileNames
from gridlang.source import Span
from gridlang.syntax import tree as s
from gridlang.syntax.parser import ParsedLine
from gridlang.syntax.unparse import parameters

_RUNS = {s.Use: "imports", s.Test: ""}  # consecutive lines of a kind fold as one


class Symbol(NamedTuple):
    """A declaration in the outline: `span` is all of it, `name_span` what is marked."""

    name: str
    kind: str
    detail: str
    span: Span
    name_span: Span


def symbols(names: FileNames) -> list[Symbol]:
    """The declarations of a file in their order; a test without a name goes by its input."""
    outline: list[Symbol] = []
    for block in names.blocks:
        node = block.node
        detail = parameters(block.params) if block.params else ""
        kind = "library" if isinstance(node, s.Header) and node.library else block.kind
        if isinstance(node, s.ClassDecl):
            detail = node.members.span.text
        outline += [
            Symbol(n.name or " ", kind, detail, _around(block.span, n.span), n.span) for n in block.names
        ]
        if isinstance(node, s.Test) and not block.names:
            label = f"test {node.world.span.text.split()[0] if node.world.span.text.split() else ''}"
            outline.append(Symbol(label, "test", "", block.span, node.world.span))
    return outline


def _around(span: Span, name: Span) -> Span:
    return Span(span.source, min(span.start, name.start), max(span.end, name.end))


class Fold(NamedTuple):
    """First and last line of what folds, counted from 1; `kind` is comment, imports or nothing."""

    first: int
    last: int
    kind: str = ""


def folds(names: FileNames) -> list[Fold]:
    """All that can be folded in a file, outermost first; nothing of a single line."""
    found = {*_blocks(names), *_runs(names), *_long_lines(names)}
    return sorted((fold for fold in found if fold.last > fold.first), key=lambda f: (f.first, -f.last))


def _last(line: ParsedLine) -> int:
    tokens = line.line.tokens
    return line.line.span.source.position(tokens[-1].span.end)[0] if tokens else line.line.span.line


def _blocks(names: FileNames) -> Iterator[Fold]:
    """States and the alphabet, each with the lines that belong to it."""
    first, last = 0, 0
    for line in names.lines:
        if not line.line.tokens:
            continue
        inside = line.node is None or isinstance(line.node, s.Rule | s.ClassDecl)
        if not inside:
            yield Fold(first, last)
            first = line.line.span.line if isinstance(line.node, s.StateLine | s.AlphabetLine) else 0
        last = _last(line) if first else 0
    yield Fold(first, last)


def _runs(names: FileNames) -> Iterator[Fold]:
    """Comments that stand alone, `use` lines and tests, where some follow each other."""
    first, last, kind = 0, 0, None
    for line in names.lines:
        alone = "comment" if line.comments and not line.line.tokens else None
        new = alone or _RUNS.get(type(line.node))
        if new != kind and first:
            yield Fold(first, last, kind or "")
        if new != kind:
            first = line.line.span.line if new is not None else 0
        last, kind = _last(line), new
    if first:
        yield Fold(first, last, kind or "")


def _long_lines(names: FileNames) -> Iterator[Fold]:
    """Lines that continue, as those with a picture do."""
    for line in names.lines:
        if line.line.tokens:
            yield Fold(line.line.tokens[0].span.line, _last(line))
