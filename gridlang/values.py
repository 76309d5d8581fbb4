"""The values of expressions: numbers, symbols, classes, moves and states.

A symbol counts as a number: a digit as itself, any other by its place in its class. A number
computed from symbols of one class can be written as a symbol of that class again.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Mapping
from functools import lru_cache
from typing import Any, NamedTuple, TypeAlias

from gridlang.table import Value

ARITHMETIC: dict[str, Callable[[int, int], int]] = {
    "+": operator.add,
    "-": operator.sub,
    "*": operator.mul,
    "div": operator.floordiv,
    "mod": operator.mod,
    "^": operator.pow,
}
COMPARISONS: Mapping[str, Callable[[Any, Any], bool]] = {
    "==": operator.eq,
    "!=": operator.ne,
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
}
LONGEST_WORD = 1_000  # letters; each takes a state, named after the letters that follow


class Klass(NamedTuple):
    """A set of symbols in a fixed order, and its name.

    `counts` are the numbers of its symbols, if they are those of the symbols they copy.
    """

    name: str
    chars: str
    counts: tuple[int, ...] = ()


class Val(NamedTuple):
    """A number, or a symbol with its number; `home` is the class it came from."""

    number: int
    char: str = ""
    home: Klass | None = None


class Word(NamedTuple):
    letters: str


class Instance(NamedTuple):
    state: str
    args: tuple[Arg, ...] = ()

    @property
    def label(self) -> str:
        return f"{self.state}({','.join(map(show, self.args))})" if self.args else self.state

    @property
    def short_label(self) -> str:
        return self.label if len(self.label) <= 60 else self.label[:59] + "…"

    @property
    def depth(self) -> int:
        return 1 + max((a.depth for a in self.args if isinstance(a, Instance)), default=0)

    @property
    def size(self) -> int:
        """How many states it is made of, itself included; one that is passed twice counts twice."""
        return 1 + sum(a.size for a in self.args if isinstance(a, Instance))


Arg: TypeAlias = Val | Klass | Word | Instance | str
Env: TypeAlias = Mapping[str, Arg]


def plain(arg: Arg) -> Value:
    """An argument as a table keeps it: a number as such, all else as it is written."""
    if isinstance(arg, Val):
        return arg.char or arg.number
    if isinstance(arg, Klass):
        return arg.name
    if isinstance(arg, Word):
        return arg.letters
    return arg.label if isinstance(arg, Instance) else arg


def show(arg: Arg) -> str:
    return str(plain(arg))


def clause_values(env: Env) -> dict[str, int | str]:
    """The parameters and constants that clauses can speak of: numbers and words."""
    known = ((name, arg) for name, arg in env.items() if isinstance(arg, Val | Word))
    return {name: arg.number if isinstance(arg, Val) else arg.letters for name, arg in known}


@lru_cache(maxsize=4096)
def numbers(klass: Klass) -> dict[str, int]:
    if klass.counts:
        return dict(zip(klass.chars, klass.counts, strict=True))
    return {c: int(c) if c.isascii() and c.isdigit() else i for i, c in enumerate(klass.chars)}


def members(klass: Klass, number: int) -> list[str]:
    return [char for char, count in numbers(klass).items() if count == number]


def member(klass: Klass, number: int) -> str:
    """The one symbol of a class that counts as this number; empty if there is none, or two."""
    chars = members(klass, number)
    return chars[0] if len(chars) == 1 else ""
