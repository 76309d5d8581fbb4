"""Source text and places in it."""

from __future__ import annotations

from bisect import bisect_right
from typing import NamedTuple

MAX_BYTES = 4_000_000  # read in seconds


class Source:
    """The text of one file, with the offsets of its lines."""

    __slots__ = ("_starts", "path", "text")

    def __init__(self, path: str, text: str) -> None:
        self.path = path
        self.text = text
        self._starts: list[int] | None = None

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Source) and (self.path, self.text) == (other.path, other.text)

    def __hash__(self) -> int:
        return hash((self.path, self.text))

    @property
    def starts(self) -> list[int]:
        if self._starts is None:
            self._starts = [0, *(i + 1 for i, c in enumerate(self.text) if c == "\n")]
        return self._starts

    def position(self, offset: int) -> tuple[int, int]:
        """Line and column of an offset, both counted from 1."""
        line = bisect_right(self.starts, offset)
        return line, offset - self.starts[line - 1] + 1

    def line(self, number: int) -> str:
        start = self.starts[number - 1]
        end = self.text.find("\n", start)
        return self.text[start:] if end < 0 else self.text[start:end]


class Span(NamedTuple):
    """A half-open range of offsets in one source."""

    source: Source
    start: int
    end: int

    def to(self, other: Span) -> Span:
        return Span(self.source, self.start, other.end)

    def before(self) -> Span:
        return Span(self.source, self.start, self.start)

    def after(self) -> Span:
        return Span(self.source, self.end, self.end)

    @property
    def text(self) -> str:
        return self.source.text[self.start : self.end]

    @property
    def line(self) -> int:
        return self.source.position(self.start)[0]
