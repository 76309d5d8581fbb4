"""From text to logical lines of tokens, which end at a line end outside parentheses.

Comments are kept beside the tokens, so that the formatter can put them back.
"""

from __future__ import annotations

import re
from typing import Any, NamedTuple

from gridlang.diagnostics import Diagnostic, Edit, Fix, replacing
from gridlang.source import Source, Span
from gridlang.vocabulary import HEADERS, is_symbol, quote, quote_text, unescape

QUOTE_THE_FILE = 'the file is named in double quotes, as in from "add.grid"'
LOOKALIKES = {
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


WIDE = ord("\uff01") - ord("!")  # full-width letters and marks, as an input method types them


def plain(value: str) -> str:
    """The text of the language that a character or a word looks like; empty if none."""
    wide = "".join(chr(ord(char) - WIDE) if "\uff01" <= char <= "\uff5e" else char for char in value)
    return LOOKALIKES.get(value, wide if wide != value else "")


def plain_fixes(value: str, span: Span) -> tuple[Fix, ...]:
    """The fix that types what a character looks like; quotes of a line are typed all together."""
    near, source = plain(value), span.source
    if not near:
        return ()
    if near in "'\"":
        line, column = source.position(span.start)
        first = span.start - column + 1
        edits = (
            Edit(Span(source, first + at, first + at + 1), LOOKALIKES[char])
            for at, char in enumerate(source.line(line))
            if LOOKALIKES.get(char, "?") in "'\""
        )
        return (Fix("type plain quotes", tuple(edits)),)
    if value == "\N{NO-BREAK SPACE}":
        return (replacing(span, " ", title="type a plain space"),)
    if value == "&":  # `&&` of other languages
        doubled = source.text.startswith("&", span.end)
        span = Span(source, span.start, span.end + doubled)
    return (replacing(span, _apart(near, span)),)


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


MAX_NESTING = 60  # deeper nesting overflows the stack of the passes


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
_HEADER = re.compile(rf"^(?:{'|'.join(HEADERS)})\b", re.MULTILINE)
# after these a line is meant to go on
_GOES_ON = {*"(,|+-*^=<>:", "->", "..", "==", "!=", "<=", ">=", "and", "or", "not", "if", "else", "in"}
MOST_RESTARTS = 20  # each reads on to the next declaration


class _Scanner:
    def __init__(self, source: Source) -> None:
        self.source = source
        self.diagnostics: list[Diagnostic] = []
        self.lines: list[Line] = []
        self.restarts = 0
        self._clear(0)

    def _clear(self, start: int) -> None:
        self.start = start
        self.tokens: list[Token] = []
        self.comments: list[Comment] = []
        self.open: list[Span] = []
        self.damaged = False

    def run(self) -> None:
        place: int | None = 0
        while place is not None:
            place = self._read(place)

    def _read(self, place: int) -> int | None:
        """Reads on from a place; where something is never closed, the place to start again."""
        text = self.source.text
        for match in _TOKEN.finditer(text, place):
            kind = match.lastgroup or "bad"
            if kind == "space":
                continue
            if kind == "newline":
                if not self.open:
                    self._finish(match.start())
                    self.start = match.end()
                elif _HEADER.match(text, match.end()):
                    return self._unclosed(match.start())
                continue
            span = Span(self.source, match.start(), match.end())
            if kind == "unclosed_picture":
                return self._unclosed_picture(span)
            self._token(kind, match.group(), span)
        if self.open:
            return self._unclosed(len(text))
        if self.tokens or self.comments:
            self._finish(len(text))
        return None

    def _unclosed(self, end: int) -> int | None:
        """Reports a parenthesis that nothing closes before `end`, and ends its line where it should."""
        opened = self.open[0]
        last = next(
            (
                token
                for token, after in zip(self.tokens, self.tokens[1:], strict=False)
                if token.span.start >= opened.start
                and token.value not in _GOES_ON
                and after.span.line > token.span.line
            ),
            self.tokens[-1],
        )
        stop = self.source.text.find("\n", last.span.end, end)
        self.restarts += 1
        if stop < 0 or self.restarts > MOST_RESTARTS:
            stop = end
        else:
            self.tokens = [token for token in self.tokens if token.span.start < stop]
            self.comments = [comment for comment in self.comments if comment.span.start < stop]
            self.diagnostics = [d for d in self.diagnostics if d.span and d.span.start < stop]
            self.damaged = any(d.span and d.span.start >= self.start for d in self.diagnostics)
        fixes = (replacing(last.span.after(), ")", sure=False, title="close it at the end of its line"),)
        self._error("G007", "this `(` is never closed", opened, "opened here", "add the missing `)`", fixes)
        return self._restart(stop)

    def _restart(self, stop: int) -> int | None:
        self._finish(stop)
        self.start = stop + 1
        return stop + 1 if stop < len(self.source.text) else None

    def _unclosed_picture(self, span: Span) -> int | None:
        """Reports the picture without an end: the first that holds a declaration, or else the last."""
        for number, line in enumerate(self.lines):
            for place, token in enumerate(line.tokens):
                if token.type == "PICTURE" and _HEADER.search(token.span.text):
                    del self.lines[number:]
                    self._clear(line.span.start)
                    self.diagnostics = [d for d in self.diagnostics if d.span and d.span.start < self.start]
                    self.tokens = list(line.tokens[:place])
                    return self._end_picture(token.span)
        return self._end_picture(span)

    def _end_picture(self, span: Span) -> int | None:
        first = Span(self.source, span.start, span.start + 3)
        self._error("G003", "this picture is never closed", first, "opened here", 'close it with """')
        after = _HEADER.search(self.source.text, span.start)
        return self._restart(after.start() - 1 if after else len(self.source.text))

    def _token(self, kind: str, value: str, span: Span) -> None:
        if kind == "comment":
            self.comments.append(Comment(span, value[1:].strip()))
        elif kind == "word" and plain(value):
            self._bad(kind, value, span)
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
        else:
            shown = value if value.isprintable() else f"U+{ord(value):04X}"
            near = plain(value)
            hint, fixes = f"did you mean `{near}`?" if near else "", plain_fixes(value, span)
            opened = next((token.span for token in self.tokens if token.value == "from"), None)
            if value == "." and opened:
                hint, fixes = QUOTE_THE_FILE, quoted_file(opened)
            elif value == ".":
                hint = "a range has two dots, as in 0..9; a symbol of the alphabet is quoted: '.'"
                fixes = tuple(replacing(span, text, sure=False) for text in ("..", "'.'"))
            elif value.isprintable() and not near:
                hint = f"a symbol of the alphabet is quoted: {quote(value)}"
                fixes = (replacing(span, quote(value), sure=False),)
            self._error(
                "G002", f"`{shown}` means nothing here", span, "not part of the language", hint, fixes
            )

    def _error(self, *found: Any) -> None:
        if not self.damaged:
            self.diagnostics.append(Diagnostic(*found))
        self.damaged = True

    def _finish(self, end: int) -> None:
        span = Span(self.source, self.start, end)
        self.lines.append(Line(span, tuple(self.tokens), tuple(self.comments), self.damaged))
        self._clear(end)


def scan(source: Source) -> tuple[list[Line], list[Diagnostic]]:
    """All logical lines, blank ones included, and what could not be read."""
    scanner = _Scanner(source)
    scanner.run()
    return scanner.lines, scanner.diagnostics
