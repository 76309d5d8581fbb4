"""The declarations of a file as an outline, and its tokens by what they stand for."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from compiler.language_server.names import FileNames
from gridlang.source import Span
from gridlang.syntax import tree as s
from gridlang.syntax.scanner import Token
from gridlang.syntax.unparse import parameters
from gridlang.vocabulary import RESERVED

# What editors call the things of this language: the types of semantic tokens, in the order of their numbers.
TOKEN_TYPES = (
    "namespace", "function", "type", "parameter", "variable", "enumMember", "keyword", "string", "number",
    "operator", "comment",
)  # fmt: skip
_OF_KIND = {
    "agent": "namespace", "state": "function", "class": "type", "parameter": "parameter",
    "argument": "parameter", "constant": "variable", "part": "variable", "variable": "variable",
    "file": "string",
}  # fmt: skip
_OF_TOKEN = {
    "BLANK": "enumMember", "SYMBOL": "enumMember", "MOVE": "enumMember", "STRING": "string",
    "PICTURE": "string", "INT": "number", "mark": "operator",
}  # fmt: skip
_PLAIN_WORDS = {"from", "where", "halts", "stuck", "loops", "after", "within", "steps", "step"}


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


def semantic_tokens(names: FileNames) -> Iterator[tuple[Span, str, bool]]:
    """Span, type and whether it declares something, of all tokens in their order, each on one line."""
    meant = {o.span.start: o for o in names.occurrences}
    for line in names.lines:
        pieces: list[tuple[Span, Token | None]] = [(token.span, token) for token in line.line.tokens]
        pieces += [(comment.span, None) for comment in line.comments]
        for span, token in sorted(pieces, key=lambda piece: piece[0].start):
            occurrence = meant.get(span.start)
            if token is None:
                kind = "comment"
            elif occurrence:
                kind = _OF_KIND[occurrence.kind]
            elif token.type == "word":
                kind = "keyword" if token.value in RESERVED or token.value in _PLAIN_WORDS else ""
            else:
                kind = _OF_TOKEN[token.type]
            if kind and "\n" not in span.text:
                yield span, kind, bool(occurrence and occurrence.declares)
