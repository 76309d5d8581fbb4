"""Places as editors count them: lines from 0, and columns in units of UTF-16 or what was agreed on."""

from __future__ import annotations

from collections.abc import Callable

from gridlang.source import Source

# How many units a character takes, by the name of the encoding.
UNITS: dict[str, Callable[[str], int]] = {
    "utf-8": lambda char: len(char.encode("utf-8", "surrogatepass")),
    "utf-16": lambda char: 1 + (char > "\uffff"),
    "utf-32": len,
}


def document_text(text: str) -> str:
    """The text of an editor with plain line ends, each line as long as before.

    The mark that may stand before all text becomes a blank: without it columns would shift.
    """
    plain = text.replace("\r\n", "\n").replace("\r", "\n")
    return " " + plain[1:] if plain.startswith("\ufeff") else plain


def offset_at(source: Source, line: int, column: int, encoding: str = "utf-16") -> int:
    """The offset of a place; one behind the end of a line, or of the text, is that end."""
    if line >= len(source.starts):
        return len(source.text)
    text, units = source.line(line + 1), UNITS[encoding]
    if text.isascii():
        return source.starts[line] + max(0, min(column, len(text)))
    spent = 0
    for place, char in enumerate(text):
        if spent >= column:
            return source.starts[line] + place
        spent += units(char)
    return source.starts[line] + len(text)


def place_of(source: Source, offset: int, encoding: str = "utf-16") -> tuple[int, int]:
    """Line and column of an offset."""
    line, column = source.position(min(offset, len(source.text)))
    before = source.text[source.starts[line - 1] : source.starts[line - 1] + column - 1]
    units = UNITS[encoding]
    return line - 1, len(before) if before.isascii() else sum(map(units, before))
