"""Inputs that are drawn to see what values do."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from random import Random

from compiler.proofs.limits import LIMITS
from gridlang.clauses.inputs import InputLanguage
from gridlang.clauses.repetitions import bounds_of
from gridlang.syntax import tree as s

MORE = (0, 0, 1, 1, 2, 3, 4)  # repetitions beyond the least
FAR_MORE = tuple(range(14))  # so that powers of weights are told apart at odd and even places


def random_texts(language: InputLanguage, more: Sequence[int] = MORE) -> Iterator[str]:
    """Texts of a clause, for ever, with repetitions of a few; those that its condition allows."""
    random = Random(0)
    for _ in range(LIMITS.most_value_texts):
        cells = iter(language.cells)
        text = "".join(_drawn(part.piece, cells, random, more)() for part in language.parts)
        if language.allows(text):
            yield text


def _drawn(piece: s.Piece, cells: Iterator[str], random: Random, more: Sequence[int]) -> Callable[[], str]:
    """Draws a text of a piece each time it is called; takes the piece's cells now."""
    if isinstance(piece, s.One):
        symbols = next(cells)
        return lambda: random.choice(symbols)
    if isinstance(piece, s.Choice):
        options = [_drawn(option, cells, random, more) for option in piece.options]
        return lambda: random.choice(options)()
    if isinstance(piece, s.Sequence):
        parts = [_drawn(part.piece, cells, random, more) for part in piece.parts]
        return lambda: "".join(part() for part in parts)
    least, most = bounds_of(piece)
    body = _drawn(piece.piece, cells, random, more)
    return lambda: "".join(body() for _ in range(min(least + random.choice(more), most or 99)))
