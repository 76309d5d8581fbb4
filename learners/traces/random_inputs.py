"""Inputs drawn from the `input` clause of any agent: all short ones, repeated ones, random ones.

A repetition is a `+` or `*` of the clause; its length is how often its body stands in the input.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import islice
from random import Random
from typing import TypeVar

from gridlang.clauses.inputs import InputLanguage
from gridlang.syntax import tree as s

MANY = 10**12  # No one asks for so many inputs, so counting ends there.

Folded = TypeVar("Folded")
Lengths = Callable[[str], range]  # A repetition with this quantifier may have these lengths.


def lengths_up_to(longest: int) -> Lengths:
    """A `+` has 1 to `longest`, a `*` 0 to `longest`, a `?` 0 or 1."""
    most = {"+": range(1, max(longest, 1) + 1), "*": range(max(longest, 0) + 1), "?": range(2)}
    return most.__getitem__


def lengths_of(length: int) -> Lengths:
    """Every repetition has exactly this length, a `+` at least 1; a `?` still has 0 or 1."""
    same = {"+": range(max(length, 1), max(length, 1) + 1), "*": range(length, length + 1), "?": range(2)}
    return same.__getitem__


def count_inputs(language: InputLanguage, lengths: Lengths) -> int:
    """How many ways there are to draw an input, at least as many as inputs; MANY for more than that."""

    def many(body: int, quantifier: str) -> int:
        ways = 0
        for n in lengths(quantifier):
            ways += body**n
            if ways > MANY:
                break
        return ways

    def cell(members: str) -> int:
        return len(members)

    def either(options: list[int]) -> int:
        return sum(options)

    def row(parts: list[int]) -> int:
        ways = 1
        for part in parts:
            ways *= part
        return ways

    return min(_fold(language, cell, many, either, row), MANY)


def all_inputs(language: InputLanguage, longest: int) -> Iterator[str]:
    """Every input whose repetitions have at most this length; one may come twice."""
    lengths = lengths_up_to(longest)

    def many(body: _Texts, quantifier: str) -> _Texts:
        return lambda: (text for n in lengths(quantifier) for text in _row([body] * n)())

    return _fold(language, _cell, many, _either, _row)()


def repeating_inputs(language: InputLanguage, length: int) -> Iterator[str]:
    """Every input whose repetitions repeat one thing so many times: `111+444` for `digit+, sign, digit+`."""
    lengths = lengths_of(length)

    def many(body: _Texts, quantifier: str) -> _Texts:
        return lambda: (text * n for n in lengths(quantifier) for text in islice(body(), None if n else 1))

    return _fold(language, _cell, many, _either, _row)()


def random_input(language: InputLanguage, lengths: Lengths, random: Random) -> str:
    """Each repetition's length uniform in its lengths, each symbol uniform in its class."""
    return input_drawer(language, random)(lengths)


_Draw = Callable[[int, Lengths], str]  # It draws so many bodies after each other.


def input_drawer(language: InputLanguage, random: Random) -> Callable[[Lengths], str]:
    """`random_input` for many inputs: most of its time is that of going through the clause."""
    choice, number = random.choice, random.random

    def cell(members: str) -> _Draw:
        count = len(members)  # What follows is `choices`, number by number, in half the time.
        return lambda n, _: "".join([members[int(number() * count)] for _ in range(n)])

    def many(body: _Draw, quantifier: str) -> _Draw:
        def drawn(n: int, lengths: Lengths) -> str:
            if n == 1:
                return body(choice(lengths(quantifier)), lengths)
            return "".join([body(choice(lengths(quantifier)), lengths) for _ in range(n)])

        return drawn

    def either(options: list[_Draw]) -> _Draw:
        return lambda n, lengths: "".join([choice(options)(1, lengths) for _ in range(n)])

    def row(parts: list[_Draw]) -> _Draw:
        return lambda n, lengths: "".join([part(1, lengths) for _ in range(n) for part in parts])

    whole = _fold(language, cell, many, either, row)
    return lambda lengths: whole(1, lengths)


_Texts = Callable[[], Iterator[str]]


def _cell(members: str) -> _Texts:
    return lambda: iter(members)


def _either(options: list[_Texts]) -> _Texts:
    return lambda: (text for option in options for text in option())


def _row(parts: list[_Texts]) -> _Texts:
    """Products that are never held in memory as a whole."""
    if not parts:
        return lambda: iter([""])
    if len(parts) == 1:
        return parts[0]
    rest = _row(parts[1:])
    return lambda: (first + after for first in parts[0]() for after in rest())


def _fold(
    language: InputLanguage,
    cell: Callable[[str], Folded],
    many: Callable[[Folded, str], Folded],
    either: Callable[[list[Folded]], Folded],
    row: Callable[[list[Folded]], Folded],
) -> Folded:
    """The clause from its cells upwards; a choice between single cells is one cell."""
    cells = iter(language.cells)

    def piece(node: s.Piece) -> Folded:
        if isinstance(node, s.One):
            return cell(next(cells))
        if isinstance(node, s.Repeat):
            return many(piece(node.piece), node.quantifier)
        if isinstance(node, s.Choice):
            if all(isinstance(option, s.One) for option in node.options):
                return cell("".join(dict.fromkeys("".join(next(cells) for _ in node.options))))
            return either([piece(option) for option in node.options])
        return row([piece(part.piece) for part in node.parts])

    return row([piece(part.piece) for part in language.parts])


def repeated_input(language: InputLanguage, length: int, random: Random) -> str:
    """One of the inputs whose every repetition is one thing, so many times."""
    cells = iter(language.cells)

    def piece(node: s.Piece) -> str:
        if isinstance(node, s.One):
            return random.choice(next(cells))
        if isinstance(node, s.Repeat):
            return piece(node.piece) * (random.randint(0, 1) if node.quantifier == "?" else length)
        if isinstance(node, s.Choice):
            return random.choice([piece(option) for option in node.options])
        return "".join(piece(part.piece) for part in node.parts)

    return "".join(piece(part.piece) for part in language.parts)


def periodic_input(language: InputLanguage, period: int, length: int, random: Random) -> str:
    """An input whose every repetition has this length and repeats a word of so many things: `101101`."""
    cells = iter(language.cells)

    def piece(node: s.Piece) -> Callable[[], str]:
        if isinstance(node, s.One):
            members = next(cells)
            return lambda: random.choice(members)
        if isinstance(node, s.Repeat):
            body, one = piece(node.piece), node.quantifier == "?"
            return lambda: _repeated([body() for _ in range(period)], random.randint(0, 1) if one else length)
        if isinstance(node, s.Choice):
            options = [piece(option) for option in node.options]
            return lambda: random.choice(options)()
        parts = [piece(part.piece) for part in node.parts]
        return lambda: "".join(part() for part in parts)

    return "".join(piece(part.piece)() for part in language.parts)


def _repeated(word: list[str], length: int) -> str:
    return "".join(word[n % len(word)] for n in range(length))


def longest_input(language: InputLanguage, length: int) -> int:
    """The symbols in a longest input whose repetitions have this length."""

    def piece(node: s.Piece) -> int:
        if isinstance(node, s.One):
            return 1
        if isinstance(node, s.Repeat):
            return piece(node.piece) * (1 if node.quantifier == "?" else length)
        if isinstance(node, s.Choice):
            return max(piece(option) for option in node.options)
        return sum(piece(part.piece) for part in node.parts)

    return sum(piece(part.piece) for part in language.parts)
