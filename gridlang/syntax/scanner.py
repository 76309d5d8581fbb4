"""From text to logical lines of tokens.

A logical line ends at a line end outside parentheses. Comments are kept beside the tokens, so
that the formatter can put them back.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from gridlang.diagnostics import Diagnostic, Edit, Fix, replacing
from gridlang.source import Source, Span
from gridlang.vocabulary import HEADERS, is_symbol, quote, quote_text, unescape

MAX_NESTING = 60  # deeper nesting overflows the stack of the passes
QUOTE_THE_FILE = 'the file is named in double quotes, as in from "add.grid"'


class Token(NamedTuple):
    """A terminal of the grammar, or `word`/`mark`, which the parser turns into one."""

    type: str
    value: str
    span: Span


class Comment(NamedTuple):
    span: Span
    text: str


class Line(NamedTuple):
    """A logical line: no tokens and no comment means a blank line."""

    span: Span
    tokens: tuple[Token, ...]
    comments: tuple[Comment, ...]
    damaged: bool  # has an unreadable token, reported already


_TOKEN = re.compile(
    r"""
    (?P<space>[ \t\f\r]+)
  | (?P<newline>\n)
  | (?P<comment>\#[^\n]*)
  | (?P<picture>\"\"\"(?:[^"]|"(?!""))*\"\"\")
  | (?P<unclosed_picture>\"\"\".*)
  | (?P<string>"(?:[^"\\\n]|\\[^\n])*")
  | (?P<symbol>'(?:[^'\\\n]|\\[^\n])*')
  | (?P<unclosed>["'][^\n]*)
  | (?P<int>[0-9]+(?:_[0-9]+)*)
  | (?P<word>[^\W\d]\w*)
  | (?P<mark>->|\.\.|==|!=|<=|>=|[<>=+\-*^|:,(){}?\[\]])
  | (?P<bad>.)
    """,
    re.VERBOSE | re.DOTALL,
)
_HEADER = re.compile(rf"(?:{'|'.join(HEADERS)})\b")
_LOOKALIKE = {
    "→": "->",
    "⇒": "->",
    "‘": "'",
    "’": "'",
    "“": '"',
    "”": '"',
    "≤": "<=",
    "≥": ">=",
    "≠": "!=",
    "…": "..",
    "–": "-",
    "—": "-",
    "\N{NO-BREAK SPACE}": "a plain space",
    "×": "'*'",
    "/": "div",
    "%": "mod",
    "&": "and",
    "!": "not",
}


class _Scanner:
    def __init__(self, source: Source) -> None:
        self.source = source
        self.diagnostics: list[Diagnostic] = []
        self.lines: list[Line] = []
        self._clear(0)

    def _clear(self, start: int) -> None:
        self.start = start
        self.tokens: list[Token] = []
        self.comments: list[Comment] = []
        self.open: list[Span] = []
        self.damaged = False

    def run(self) -> None:
        text = self.source.text
        for match in _TOKEN.finditer(text):
            kind = match.lastgroup or "bad"
            if kind == "space":
                continue
            if kind == "newline":
                if self.open and not _HEADER.match(text, match.end()):
                    continue
                self._finish(match.start())
                self.start = match.end()
                continue
            self._token(kind, match.group(), Span(self.source, match.start(), match.end()))
        if self.tokens or self.comments:
            self._finish(len(text))

    def _token(self, kind: str, value: str, span: Span) -> None:
        if kind == "comment":
            self.comments.append(Comment(span, value[1:].strip()))
        elif kind == "word":
            move = len(value) == 1 and value in "UDLRS"
            self.tokens.append(Token("BLANK" if value == "_" else "MOVE" if move else "word", value, span))
        elif kind == "mark":
            self._nesting(value, span)
            self.tokens.append(Token("mark", value, span))
        elif kind == "symbol":
            self._symbol(value, span)
        elif kind == "string":
            self.tokens.append(Token("STRING", unescape(value[1:-1]), span))
        elif kind == "picture":
            self.tokens.append(Token("PICTURE", value[3:-3], span))
        elif kind == "int":
            self._number(value, span)
        else:
            self._bad(kind, value, span)

    def _nesting(self, value: str, span: Span) -> None:
        if value == "(":
            self.open.append(span)
            if len(self.open) == MAX_NESTING:
                self._error(
                    "G008", f"parentheses are nested more than {MAX_NESTING} deep", span, "too deep here"
                )
        elif value == ")":
            if self.open:
                self.open.pop()
            else:
                fixes = (replacing(span, "", title="remove this `)`"),)
                self._error("G007", "this `)` closes nothing", span, "no `(` before it", "remove it", fixes)

    def _number(self, value: str, span: Span) -> None:
        value = value.replace("_", "")
        if len(value) > 9:
            self._error("G006", "this number is too large", span, "at most nine digits")
            value = value[:9]
        self.tokens.append(Token("INT", value, span))

    def _symbol(self, value: str, span: Span) -> None:
        char = unescape(value[1:-1])
        if len(char) == 1 and is_symbol(char):
            self.tokens.append(Token("SYMBOL", char, span))
        elif len(char) == 1:
            self._error("G004", "this character cannot be a symbol", span, "not printable, or a space")
        elif char:
            symbols = " | ".join(map(quote, char))
            hint = f'a string is written "{char}"; several symbols are written {symbols}'
            fixes = (replacing(span, symbols, sure=False), replacing(span, quote_text(char), sure=False))
            self._error(
                "G004", "a symbol is a single character", span, f"{len(char)} characters", hint, fixes
            )
        else:
            hint, blank = "the blank is written `_`", (replacing(span, "_"),)
            self._error("G004", "a symbol is a single character", span, "empty", hint, blank)

    def _bad(self, kind: str, value: str, span: Span) -> None:
        if kind == "unclosed":
            first = Span(self.source, span.start, span.start + 1)
            hint = f"close it with {value[0]} on the same line"
            if value[0] == "'":
                hint += r"; the quote itself as a symbol is written '\''"
            self._error("G003", "this quote is never closed", first, "opened here", hint)
        elif kind == "unclosed_picture":
            first = Span(self.source, span.start, span.start + 3)
            self._error("G003", "this picture is never closed", first, "opened here", 'close it with """')
        else:
            shown = value if value.isprintable() else f"U+{ord(value):04X}"
            near = _LOOKALIKE.get(value, "")
            hint, fixes = f"did you mean `{near}`?" if near else "", self._plain(value, span)
            opened = next((token.span for token in self.tokens if token.value == "from"), None)
            if value == "." and opened:
                hint, fixes = QUOTE_THE_FILE, quoted_file(opened)
            elif value.isprintable() and not near:
                hint = f"a symbol of the alphabet is quoted: {quote(value)}"
                fixes = (replacing(span, quote(value), sure=False),)
            self._error(
                "G002", f"`{shown}` means nothing here", span, "not part of the language", hint, fixes
            )

    def _plain(self, value: str, span: Span) -> tuple[Fix, ...]:
        """The fix that types what a character looks like; quotes of a line are typed all together."""
        near = _LOOKALIKE.get(value, "")
        if not near:
            return ()
        if near in "'\"":
            line, column = self.source.position(span.start)
            first = span.start - column + 1
            edits = (
                Edit(Span(self.source, first + at, first + at + 1), _LOOKALIKE[char])
                for at, char in enumerate(self.source.line(line))
                if _LOOKALIKE.get(char, "?") in "'\""
            )
            return (Fix("type plain quotes", tuple(edits)),)
        if value == "\N{NO-BREAK SPACE}":
            return (replacing(span, " ", title="type a plain space"),)
        if value == "&":  # `&&` of other languages
            doubled = self.source.text.startswith("&", span.end)
            span = Span(self.source, span.start, span.end + doubled)
        return (replacing(span, _apart(near, span)),)

    def _error(
        self,
        code: str,
        message: str,
        span: Span,
        label: str = "",
        hint: str = "",
        fixes: tuple[Fix, ...] = (),
    ) -> None:
        if not self.damaged:
            self.diagnostics.append(Diagnostic(code, message, span, label, hint, fixes=fixes))
        self.damaged = True

    def _finish(self, end: int) -> None:
        if self.open:
            opened = self.open[0]
            beside = [token.span for token in self.tokens if token.span.line == opened.line]
            fixes = (replacing(beside[-1].after(), ")", sure=False, title="close it at the end of its line"),)
            hint = "add the missing `)`"
            self._error("G007", "this `(` is never closed", opened, "opened here", hint, fixes)
        span = Span(self.source, self.start, end)
        self.lines.append(Line(span, tuple(self.tokens), tuple(self.comments), self.damaged))
        self._clear(end)


def quoted_file(before: Span) -> tuple[Fix, ...]:
    """The fix that puts quotes around the name of a file, which is all that follows `from` on its line."""
    source = before.source
    rest = source.text[before.end :].partition("\n")[0].partition("#")[0]
    start = before.end + len(rest) - len(rest.lstrip())
    named = rest.strip()
    bare = named and not set(named) & set("\"'\\")
    return (replacing(Span(source, start, start + len(named)), quote_text(named)),) if bare else ()


def _apart(word: str, span: Span) -> str:
    """A word that takes the place of a mark, with blanks where letters or digits touch it."""
    text = span.source.text
    if not word.isalpha():
        return word
    before = "" if text[span.start - 1 : span.start] in ("", "(", " ", "\n") else " "
    return before + word + (" " if text[span.end : span.end + 1].strip() else "")


def scan(source: Source) -> tuple[list[Line], list[Diagnostic]]:
    """All logical lines, blank ones included, and what could not be read."""
    scanner = _Scanner(source)
    scanner.run()
    return scanner.lines, scanner.diagnostics
