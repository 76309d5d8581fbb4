"""`.grid` for Pygments, which finds it by its entry point: sites, notebooks and papers colour sources by it.

It splits a text as `syntax/scanner.py` does; only what means nothing there is an error here. A word is
coloured by its place: `state` begins a declaration, is a kind behind a colon, and belongs to `in` in a test.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import ClassVar

from pygments.lexer import RegexLexer, bygroups, default, include, words
from pygments.token import (
    Comment,
    Error,
    Keyword,
    Name,
    Number,
    Operator,
    Punctuation,
    String,
    Whitespace,
)

from gridlang.clauses.functions import ACCEPTANCES, FUNCTIONS
from gridlang.vocabulary import (
    HEADERS,
    IMPORT_WORDS,
    INPUT_WORDS,
    LOOP_WORDS,
    MARKED,
    NUMBER_FUNCTIONS,
    PARAMETER_KINDS,
    RESERVED,
    TEST_WORDS,
    TURNS,
)

NAME = r"[^\W\d]\w*"
OPERATOR_WORDS = ("and", "or", "not", "div", "mod", "in", "except")
BUILT_IN = (*FUNCTIONS, *NUMBER_FUNCTIONS, *TURNS, MARKED)
KEYWORDS = tuple(sorted(RESERVED - {*HEADERS, *OPERATOR_WORDS, "any"}))
# begins a line, so closes parentheses left open
NEXT_LINE = rf"(?=\n(?:{'|'.join(HEADERS)})\b)"


def _words(*texts: str) -> words:
    return words(texts, prefix=r"\b", suffix=r"\b")


def _line(state: str, own: Iterable[object] = ()) -> list[object]:
    """What may stand in a line of one kind: its own words first."""
    return [(r"\n", Whitespace, "#pop"), *own, (r"\(", Punctuation, f"{state} parentheses"), include("parts")]


def _parentheses(own: Iterable[object] = ()) -> list[object]:
    """What may stand in parentheses, in which a line goes on."""
    return [
        (NEXT_LINE, bygroups(), "#pop"),
        (r"\n", Whitespace),
        (r"\)", Punctuation, "#pop"),
        (r"\(", Punctuation, "#push"),
        *own,
        include("parts"),
    ]


def _kinds_of_line() -> dict[str, list[object]]:
    """A state for each kind of line, and one for parentheses in it."""
    kinds = (
        rf"(:)([ \t]*)\b({'|'.join(PARAMETER_KINDS)})\b",
        bygroups(Punctuation, Whitespace, Keyword.Type),
    )
    own: dict[str, list[object]] = {
        "plain": [],
        "import": [(_words(*IMPORT_WORDS), Keyword), kinds],
        "declaration": [kinds],
        "input": [(_words(*INPUT_WORDS, *LOOP_WORDS), Keyword)],
        "output": [(_words(*ACCEPTANCES), Keyword.Constant), (_words(*LOOP_WORDS), Keyword)],
        "test": [(_words(*TEST_WORDS, "state"), Keyword)],
    }
    lines = {f"{name} line": _line(f"{name} line", rules) for name, rules in own.items()}
    return lines | {f"{name} line parentheses": _parentheses(rules) for name, rules in own.items()}


class GridLexer(RegexLexer):  # type: ignore[misc]
    """The language of agents that live on a grid."""

    name = "gridlang"
    aliases: ClassVar = ["grid", "gridlang"]
    filenames: ClassVar = ["*.grid"]
    mimetypes: ClassVar = ["text/x-gridlang"]
    tokens: ClassVar = {
        "root": [
            (r"\n", Whitespace),
            include("blank"),
            (r"(?:agent|library)\b", Keyword.Declaration, ("import line", "named")),
            (r"use\b", Keyword.Declaration, ("import line", "states")),
            (r"state\b", Keyword.Declaration, ("declaration line", "states")),
            (r"start\b", Keyword.Declaration, ("plain line", "target")),
            (r"let\b", Keyword.Declaration, ("plain line", "constant")),
            (r"input\b", Keyword.Declaration, "input line"),
            (r"output\b", Keyword.Declaration, "output line"),
            (r"test\b", Keyword.Declaration, ("test line", "title")),
            (r"alphabet\b", Keyword.Declaration, "plain line"),
            (rf"(?!_\b)({NAME})(?=[ \t]*=)", Name.Class, "plain line"),
            default("plain line"),
        ],
        "blank": [(r"[ \t\f\r]+", Whitespace), (r"#[^\n]*", Comment.Single)],
        "named": [(r"[ \t]+", Whitespace), (NAME, Name.Class, "#pop"), default("#pop")],
        "constant": [(r"[ \t]+", Whitespace), (NAME, Name.Constant, "#pop"), default("#pop")],
        "target": [
            (r"[ \t]+", Whitespace),
            (r"halt\b", Keyword, "#pop"),
            (NAME, Name.Function, "#pop"),
            (r'(?!""")"', String.Double, ("#pop", "string")),
            default("#pop"),
        ],
        "states": [  # `state strip, init`
            (r"[ \t]+", Whitespace),
            (r",", Punctuation),
            (_words(*IMPORT_WORDS), Keyword, "#pop"),
            (NAME, Name.Function),
            (r'(?!""")"', String.Double, "string"),
            default("#pop"),
        ],
        "title": [
            (r"[ \t]+", Whitespace),
            (rf"({NAME})([ \t]*)(:)", bygroups(Name.Label, Whitespace, Punctuation), "#pop"),
            default("#pop"),
        ],
        "parts": [
            include("blank"),
            (r'"""', String.Heredoc, "picture"),
            (r'"', String.Double, "string"),
            (r"(')(\\[^\n])(')", bygroups(String.Char, String.Escape, String.Char)),
            (r"'(?:[^'\\\n]|\\[^\n])*'", String.Char),
            (r"'", Error),
            (r"[0-9]+(?:_[0-9]+)*", Number.Integer),
            (r"->", Operator, "target"),
            (r"as\b", Keyword, "target"),
            (r"\.\.|==|!=|<=|>=|[<>=+\-*^|?]", Operator),
            (r"[:;,(){}\[\]]", Punctuation),
            (r"_\b", Keyword.Constant),
            (r"any\b", Keyword.Constant),
            (r"[UDLRS]\b", Name.Builtin.Pseudo),
            (_words(*OPERATOR_WORDS), Operator.Word),
            (_words(*KEYWORDS), Keyword),
            (words(tuple(dict.fromkeys(BUILT_IN)), prefix=r"\b", suffix=r"(?=[ \t]*\()"), Name.Builtin),
            (rf"{NAME}(?=[ \t]+in\b)", Name.Variable),
            (rf"{NAME}(?=[ \t]*\()", Name.Function),
            (NAME, Name),
        ],
        "string": [
            (r'"', String.Double, "#pop"),
            (r"\\[^\n]", String.Escape),
            (r'[^"\\\n]+', String.Double),
            (r"\\", Error),
            default("#pop"),
        ],
        "picture": [
            (r'"""', String.Heredoc, "#pop"),
            (r"\[[^\s\[\]]\]", String.Interpol),  # the head's cell
            (r'[^"\[]+|["\[]', String.Heredoc),
        ],
        **_kinds_of_line(),
    }
