"""The call that is being typed, found from the tokens before it: what is called, and with which argument."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from compiler.language_server import words
from compiler.language_server.project import Project
from gridlang.source import Source
from gridlang.syntax import tree as s
from gridlang.syntax.scanner import Token, scan
from gridlang.vocabulary import HEADERS


def tokens_of(text: str) -> tuple[Token, ...]:
    lines, _ = scan(Source("<line>", text))
    return tuple(token for line in lines for token in line.tokens)


def opened_by(tokens: tuple[Token, ...]) -> str:
    """The block that a line opens."""
    first = tokens[0] if tokens else None
    return first.value if first and first.type == "word" and first.value in HEADERS else ""


class Call(NamedTuple):
    """A call that is being typed: what is called, and the number of the argument."""

    name: str
    argument: int


def call_at(tokens: Iterable[Token]) -> Call | None:
    """The innermost call whose parenthesis is open behind these tokens."""
    stack: list[Call] = []
    before: Token | None = None
    for token in tokens:
        if token.type == "mark" and token.value in "([{":
            name = before.value if before and before.type in ("word", "MOVE") and token.value == "(" else ""
            stack.append(Call(name, 0))
        elif token.type == "mark" and token.value in ")]}" and stack:
            stack.pop()
        elif token.type == "mark" and token.value == "," and stack:
            stack[-1] = stack[-1]._replace(argument=stack[-1].argument + 1)
        before = token
    return next((call for call in reversed(stack) if call.name), None)


class Signature(NamedTuple):
    """What is called with its arguments, and which of them is typed."""

    name: str
    arguments: tuple[str, ...]
    active: int
    about: str


def signature(project: Project, path: str, offset: int) -> Signature | None:
    """The call that an offset stands in: of a family, a function, a turn or a class."""
    names = project.names(path)
    line = names.line_at(offset) if names else None
    if names is None or line is None:
        return None
    tokens = tokens_of(names.source.text[line[1].line.span.start : offset])
    call = call_at(tokens)
    if call is None or opened_by(tokens) in ("state", "agent", "library", "use"):
        return None
    declared = project.state(path, call.name)
    behind = {token.value for token in tokens}
    if declared and behind & {"->", "as", "start", "state"}:
        node = declared[1].node
        params = node.params if isinstance(node, s.StateLine) else ()
        if params:
            texts = tuple(param.span.text for param in params)
            return Signature(call.name, texts, call.argument, declared[1].about)
    functions = words.OUTPUT_FUNCTIONS if opened_by(tokens) in ("output", "input") else words.RULE_FUNCTIONS
    if call.name in functions:
        arguments, meaning = functions[call.name]
        return Signature(call.name, arguments, min(call.argument, len(arguments) - 1), meaning)
    if call.name in names.declared("class"):
        return Signature(call.name, ("number",), 0, "The symbol of this class that has the number.")
    return None
