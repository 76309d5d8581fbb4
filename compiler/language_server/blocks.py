"""The declarations of a file, line by line; of a broken line, what it would declare."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from gridlang.source import Span
from gridlang.syntax import tree as s
from gridlang.syntax.parser import ParsedLine

_KINDS: dict[type, str] = {s.Header: "agent", s.StateLine: "state", s.Let: "constant", s.ClassDecl: "class"}
RECOVERED = {"agent": "agent", "library": "agent", "state": "state", "let": "constant"}


class Block(NamedTuple):
    """A declaration: its line, the lines that belong to it, and what comments say about it."""

    names: tuple[s.Name, ...]
    kind: str
    node: s.Node | None
    span: Span
    about: str = ""

    @property
    def params(self) -> tuple[s.Param, ...]:
        """Those of a state or an agent."""
        return self.node.params if isinstance(self.node, s.StateLine | s.Header) else ()

    def until(self, end: Span) -> Block:
        return self._replace(span=self.span.to(end))


def blocks_of(lines: Iterable[ParsedLine]) -> tuple[Block, ...]:
    blocks: list[Block] = []
    above: list[str] = []
    for line in lines:
        beside = [comment.text for comment in line.comments]
        if not line.line.tokens:
            above = [*above, *beside] if beside else []
            continue
        in_alphabet = bool(blocks) and (
            blocks[-1].kind == "class" or isinstance(blocks[-1].node, s.AlphabetLine)
        )
        block = _block(line, "\n".join([*above, *beside]), in_alphabet)
        above = []
        if block:
            blocks.append(block)
        elif blocks and blocks[-1].kind == "state":
            blocks[-1] = blocks[-1].until(line.line.tokens[-1].span)
    return tuple(blocks)


def _block(line: ParsedLine, about: str, in_alphabet: bool) -> Block | None:
    """The declaration that a line is, or would be if the rest of it could be read."""
    node, tokens = line.node, line.line.tokens
    span = tokens[0].span.to(tokens[-1].span)
    if isinstance(node, s.StateLine):
        return Block(node.names, "state", node, span, about)
    if isinstance(node, s.Header | s.Let | s.ClassDecl):
        return Block((node.name,), _KINDS[type(node)], node, span, about) if node.name else None
    if isinstance(node, s.InputClause):
        return Block(tuple(part.name for part in node.parts if part.name), "part", node, span, about)
    if isinstance(node, s.Test):
        return Block((node.name,) if node.name else (), "test", node, span, about)
    if isinstance(node, s.StartLine | s.OutputClause | s.AlphabetLine | s.Use):
        return Block((), "start", node, span, about)
    kind = RECOVERED.get(tokens[0].value, "") if node is None and tokens[0].type == "word" else ""
    if kind and len(tokens) > 1 and tokens[1].type in ("word", "MOVE", "STRING"):
        return Block((s.Name(tokens[1].span, tokens[1].value),), kind, None, span, about)
    if in_alphabet and node is None and tokens[0].type == "word" and [t.value for t in tokens[1:2]] == ["="]:
        return Block((s.Name(tokens[0].span, tokens[0].value),), "class", None, span, about)
    return None
