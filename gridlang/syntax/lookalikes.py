"""Characters that look like those of the language, or mean the same elsewhere, and what to type for them."""

from __future__ import annotations

from gridlang.diagnostics import Edit, Fix, replacing
from gridlang.source import Span
from gridlang.vocabulary import quote_text

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


def plain_fixes(value: str, span: Span) -> tuple[Fix, ...]:
    """The fix that types what a character looks like; quotes of a line are typed all together."""
    near, source = LOOKALIKES.get(value, ""), span.source
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
