"""Making a failing input smaller: symbols are lowered, then left out, as long as it still fails."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from gridlang.clauses.inputs import InputLanguage

SHORT_CUT = 8  # Cuts of up to so many symbols are tried at every place, which fits most groups that repeat.
SHORT_TEXT = 16  # Of a text so short every lower symbol is tried; of a longer one the two lowest.


def shrink(text: str, language: InputLanguage, fails: Callable[[str], bool]) -> str:
    """A smaller input that fails; nothing can be left out of it or lowered, unless `fails` gives up.

    Lowering comes first: most cuts of a text of one symbol are the same, and are tried once.
    """
    shrinking = _Shrinking(language, fails)
    before = ""
    while text != before:
        before = text
        text = shrinking.shortened(shrinking.lowered(text))
    return text


class _Shrinking:
    def __init__(self, language: InputLanguage, fails: Callable[[str], bool]) -> None:
        self.language, self.is_failing = language, fails
        self.lower: dict[str, str] = {}  # The symbols of its class before each, the lowest first.
        for cell in language.cells:
            for place, symbol in enumerate(cell):
                self.lower.setdefault(symbol, cell[:place])

    def fails(self, text: str) -> bool:
        return self.language.mismatch(text) is None and self.is_failing(text)

    def lowered(self, text: str) -> str:
        """The lowest symbols in blocks, from the whole text to single places; then the others there."""
        size = len(text)
        while size:
            for start in range(0, len(text), size):
                block = text[start : start + size]
                low = "".join((self.lower[symbol] or symbol)[0] for symbol in block)
                lowered = text[:start] + low + text[start + size :]
                if low != block and self.fails(lowered):
                    text = lowered
            size //= 2
        most = None if len(text) <= SHORT_TEXT else 2
        for place in range(len(text)):
            lower = self.lower[text[place]][1:most]
            choices = (text[:place] + symbol + text[place + 1 :] for symbol in lower)
            text = next((choice for choice in choices if self.fails(choice)), text)
        return text

    def shortened(self, text: str) -> str:
        """Long cuts first; a cut that helps is tried again at the same place."""
        for size in _sizes(len(text)):
            stride = 1 if size <= SHORT_CUT else size
            start = 0
            while start + size <= len(text):
                shorter = text[:start] + text[start + size :]
                if self.fails(shorter):
                    text = shorter
                else:
                    start += stride
        return text


def _sizes(length: int) -> Iterator[int]:
    size = length
    while size > SHORT_CUT:
        yield size
        size //= 2
    yield from range(min(length, SHORT_CUT), 0, -1)
