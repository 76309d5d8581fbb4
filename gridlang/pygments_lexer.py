"""`.grid` for Pygments, which finds it by its entry point: sites, notebooks and papers colour sources by it.

The scanner splits the text; what it cannot read is an error. A word's colour depends on its place:
`state` begins a declaration, is a kind behind a colon, and belongs to `in` in a test.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any, ClassVar

from pygments.lexer import Lexer
from pygments.token import Comment, Error, Keyword, Name, Number, Operator, Punctuation, String, Whitespace

from gridlang.clauses.functions import ACCEPTANCES, FUNCTIONS
from gridlang.source import Source
from gridlang.syntax.scanner import Token, scan
from gridlang.vocabulary import (
    BEFORE_STATES,
    HEADERS,
    LOCAL_WORDS,
    MARKED,
    NUMBER_FUNCTIONS,
    PARAMETER_KINDS,
    RESERVED,
    TURNS,
)

OPERATOR_WORDS = ("and", "or", "not", "div", "mod", "in", "except")
BUILT_IN = {*FUNCTIONS, *NUMBER_FUNCTIONS, *TURNS, MARKED}
NAMED = {"agent": Name.Class, "library": Name.Class, "let": Name.Constant}
OF_TYPE = {"INT": Number.Integer, "BLANK": Keyword.Constant, "MOVE": Name.Builtin.Pseudo}
# what a quoted text is, and what stands out in it
TEXTS = {
    "SYMBOL": (String.Char, r"\\.", String.Escape),
    "STRING": (String.Double, r"\\.", String.Escape),
    "PICTURE": (String.Heredoc, r"\[[^\s\[\]]\]", String.Interpol),  # the head's cell
}

Piece = tuple[int, Any, str]  # place, kind, text


class GridLexer(Lexer):  # type: ignore[misc]
    """The language of agents that live on a grid."""

    name = "gridlang"
    aliases: ClassVar = ["grid", "gridlang"]
    filenames: ClassVar = ["*.grid"]
    mimetypes: ClassVar = ["text/x-gridlang"]

    def get_tokens_unprocessed(self, text: str) -> Iterator[Piece]:
        at = 0
        for start, kind, piece in sorted(_pieces(text), key=lambda each: each[0]):
            yield from _between(at, text[at:start])
            yield start, kind, piece
            at = start + len(piece)
        yield from _between(at, text[at:])


def _between(at: int, text: str) -> Iterator[Piece]:
    """The text between two tokens: blanks, or what the scanner could not read."""
    for part in re.finditer(r"[ \t\f\r\n]+|[^ \t\f\r\n]+", text):
        yield at + part.start(), Whitespace if part[0].isspace() else Error, part[0]


def _pieces(text: str) -> Iterator[Piece]:
    for line in scan(Source("", text))[0]:
        for comment in line.comments:
            yield comment.span.start, Comment.Single, comment.span.text
        for number, token in enumerate(line.tokens):
            start, shown = token.span.start, token.span.text
            if token.type not in TEXTS:
                yield start, _kind(number, line.tokens), shown
                continue
            kind, pattern, special = TEXTS[token.type]
            for part in re.split(f"({pattern})", shown):
                if part:
                    yield start, special if re.fullmatch(pattern, part) else kind, part
                start += len(part)


def _kind(number: int, line: tuple[Token, ...]) -> Any:
    token, header = line[number], line[0].value
    before, after = (line[at].value if 0 <= at < len(line) else "" for at in (number - 1, number + 1))
    word = token.value
    if token.type == "mark":
        return Punctuation if word in ":;,(){}[]" else Operator
    if token.type in ("word", "MOVE") and before in BEFORE_STATES and word not in RESERVED:
        return Name.Function
    if token.type != "word":
        return OF_TYPE[token.type]
    if number == 0 and word in HEADERS:
        return Keyword.Declaration
    if before == ":" and header in ("agent", "library", "use", "state") and word in PARAMETER_KINDS:
        return Keyword.Type
    if word in LOCAL_WORDS.get(header, ()):
        return Keyword
    if header == "output" and word in ACCEPTANCES:
        return Keyword.Constant
    if word in OPERATOR_WORDS:
        return Operator.Word
    if word in RESERVED:
        return Keyword.Constant if word == "any" else Keyword
    return _name(number, line, after)


def _name(number: int, line: tuple[Token, ...], after: str) -> Any:
    header = line[0].value
    if number == 1 and header in NAMED:
        return NAMED[header]
    if number == 1 and header == "test" and after == ":":
        return Name.Label
    if number == 0 and after == "=":
        return Name.Class
    if header in ("state", "use") and all(token.value == "," for token in line[2:number:2]):
        return Name.Function  # `state strip, init`
    if after == "(":
        return Name.Builtin if line[number].value in BUILT_IN else Name.Function
    return Name.Variable if after == "in" else Name
