"""A place where something is typed, and the call that it stands in.

Both are found from the tokens before it, so that the line need not be right.
"""

from __future__ import annotations

from typing import NamedTuple

from compiler.language_server import words
from compiler.language_server.names import FileNames
from compiler.language_server.project import Project
from gridlang.source import Source
from gridlang.syntax.scanner import Token, scan
from gridlang.vocabulary import HEADERS


class Call(NamedTuple):
    """A call that is being typed: what is called, and the number of the argument."""

    name: str
    argument: int


class Place(NamedTuple):
    """Where something is typed: the tokens before it on its line, and the block that the line stands in."""

    project: Project
    path: str
    names: FileNames
    offset: int
    tokens: tuple[Token, ...]
    rest: tuple[Token, ...]
    block: str
    flush: bool

    @property
    def values(self) -> list[str]:
        return [token.value for token in self.tokens]

    @property
    def header(self) -> str:
        """The block that the line itself opens."""
        return _opened_by(self.tokens)

    @property
    def call(self) -> Call | None:
        """The innermost call whose parenthesis is open."""
        stack: list[Call] = []
        before: Token | None = None
        for token in self.tokens:
            if token.type == "mark" and token.value in "([{":
                named = before and before.type in ("word", "MOVE") and token.value == "("
                stack.append(Call(before.value if before and named else "", 0))
            elif token.type == "mark" and token.value in ")]}" and stack:
                stack.pop()
            elif token.type == "mark" and token.value == "," and stack:
                stack[-1] = stack[-1]._replace(argument=stack[-1].argument + 1)
            before = token
        return next((call for call in reversed(stack) if call.name), None)

    @property
    def other(self) -> FileNames | None:
        """The names of the file that the rest of the line takes something from."""
        file = next((token.value for token in self.rest if token.type == "STRING"), "")
        return self.project.names(self.project.imported(self.path, file)) if file else None


def _tokens_of(text: str) -> tuple[Token, ...]:
    lines, _ = scan(Source("<line>", text))
    return tuple(token for line in lines for token in line.tokens)


def _opened_by(tokens: tuple[Token, ...]) -> str:
    """The block that a line opens."""
    first = tokens[0] if tokens else None
    return first.value if first and first.type == "word" and first.value in HEADERS else ""


def place_at(project: Project, path: str, names: FileNames, offset: int) -> Place:
    at = names.line_at(offset)
    start, end = (at[1].line.span.start, at[1].line.span.end) if at else (offset, offset)
    text = names.source.text
    begin = text.rfind("\n", 0, offset) + 1
    number = at[0] if at else len(names.lines)
    if start < begin and ":" in text[begin:offset] and _opened_by(at[1].line.tokens if at else ()) == "state":
        # The line above has swallowed a rule: its parenthesis is open.
        start, number = begin, number + 1
    tokens, rest = _tokens_of(text[start:offset]), _tokens_of(text[offset:end])
    typing = bool(tokens) and tokens[-1].span.end == offset - start and tokens[-1].type in ("word", "MOVE")
    tokens = tokens[:-1] if typing else tokens
    block = next((b for line in reversed(names.lines[:number]) if (b := _opened_by(line.line.tokens))), "")
    return Place(project, path, names, offset, tokens, rest, block, not text[begin : begin + 1].isspace())


class Signature(NamedTuple):
    """What is called with its arguments, and which of them is typed."""

    name: str
    arguments: tuple[str, ...]
    active: int
    about: str


def signature(project: Project, path: str, offset: int) -> Signature | None:
    """The call that an offset stands in: of a family, a function, a turn or a class."""
    names = project.names(path)
    place = place_at(project, path, names, offset) if names else None
    call = place.call if place else None
    if names is None or place is None or call is None or place.header in ("state", "agent", "library", "use"):
        return None
    declared = project.state(path, call.name)
    if declared and declared[1].params and {"->", "as", "start", "state"} & set(place.values):
        texts = tuple(param.span.text for param in declared[1].params)
        return Signature(call.name, texts, call.argument, declared[1].about)
    functions = words.OUTPUT_FUNCTIONS if place.header in ("output", "input") else words.RULE_FUNCTIONS
    if call.name in functions:
        arguments, meaning = functions[call.name]
        return Signature(call.name, arguments, min(call.argument, len(arguments) - 1), meaning)
    if call.name in names.declared("class"):
        return Signature(call.name, ("number",), 0, "The symbol of this class that has the number.")
    return None
