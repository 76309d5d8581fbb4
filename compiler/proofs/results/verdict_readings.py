"""Verdict readings: one of finitely many texts at a fixed place, by what is counted along the input.

The text depends on conditions on `q mod k`, and on q against numbers, where q is the number or the length of
a part, or the count of a symbol in it; it may be `q mod k` itself. It stands at a fixed distance from the
first column of the input, or from the first one after it.
"""

from __future__ import annotations

from collections.abc import Iterator
from math import lcm
from typing import NamedTuple

from compiler.proofs.abstractions.columns import Anchor
from compiler.proofs.results.readings import (
    NOTHING,
    Node,
    Reading,
    Unsaid,
    branches,
    check_number,
    chosen,
    comparisons,
    constant_text,
    operator_of,
)
from gridlang.clauses.clause_values import in_base
from gridlang.clauses.outputs import OutputRule


class _Monitor:
    """A clause as a function of finitely many facts about quantities: what they leave, and small values.

    A quantity is kept below `bound`, which is above all numbers in the clause and a multiple of all that it
    is divided by; above, it is kept up to that multiple.
    """

    def __init__(self, rule: OutputRule, node: Node) -> None:
        self.rule, self.node = rule, node
        self.members = [part.members for part in rule.language.parts]
        self.quantities: list[Node] = []
        self.texts: set[str] = set()
        divisors, limits = {1}, {0}
        for comparison in comparisons(node):
            numbers = [side for side in comparison[1:] if isinstance(side, int)]
            changing = [side for side in comparison[1:] if not isinstance(side, int)]
            if len(changing) != 1:
                raise Unsaid("it compares what changes with what changes")
            limits.update(numbers)
            divisors.add(self._note(changing[0]))
        for branch in branches(node):
            if isinstance(branch, int | str):
                self.texts.add(constant_text(rule, branch))
            elif branch[0] == "mod":
                divisors.add(self._note(branch))
                rests = branch[2] if isinstance(branch[2], int) else 0
                self.texts |= {in_base(rest, rule.digits) for rest in range(rests)}
            else:
                raise Unsaid("its results are more than finitely many texts")
        self.period = lcm(*divisors)
        self.bound = max(limits) + 1
        check_number(self.period, self.bound)

    def _note(self, node: Node) -> int:
        """Puts a quantity down that is compared, or `quantity mod number`; what it is divided by."""
        divisor = 1
        if operator_of(node) == "mod" and isinstance(node[2], int):
            _, node, divisor = node
            if divisor == 0:
                raise Unsaid("it divides by 0")
        if not self._is_quantity(node):
            raise Unsaid("it speaks of more than numbers, lengths and counts of parts")
        if node not in self.quantities:
            self.quantities.append(node)
        return divisor

    def _is_quantity(self, node: Node) -> bool:
        kind = operator_of(node)
        if kind not in ("number", "length", "count") or operator_of(node[1]) != "part":
            return False
        if kind == "number":
            members = self.members[node[1][1]]
            return len(members) > 1 and "-" not in members
        return kind == "length" or (isinstance(node[2], str) and len(node[2]) == 1)

    def after(self, values: tuple[int, ...], part: int, symbol: str) -> tuple[int, ...]:
        return tuple(map(lambda q, value: self._counted(q, value, part, symbol), self.quantities, values))

    def _counted(self, quantity: Node, value: int, part: int, symbol: str) -> int:
        """The least number that no condition of the clause can tell from the quantity after a symbol."""
        kind, (_, counted), *what = quantity
        if counted != part:
            return value
        if kind == "number":
            value = value * len(self.members[part]) + self.members[part].index(symbol)
        else:
            value += kind == "length" or symbol in what
        return value if value < self.bound else self.bound + (value - self.bound) % self.period

    def text(self, values: tuple[int, ...]) -> str:
        """What the clause wants where the quantities are so."""

        def value(node: Node) -> int:
            if isinstance(node, int):
                return node
            if node[0] == "mod":
                return value(node[1]) % value(node[2])
            return values[self.quantities.index(node)]

        branch = chosen(self.node, value)
        constant = branch if isinstance(branch, int | str) else value(branch)
        return constant_text(self.rule, constant)


class _Told(NamedTuple):
    """The state of a verdict's transducer: the text guessed, the quantities, and where in the input it is.

    `at` counts the columns from the start, or those that remain up to the end; None where that is far.
    """

    text: tuple[int, ...]
    values: tuple[int, ...]
    at: int | None


def verdict_reading(rule: OutputRule, node: Node, anchor: Anchor) -> Reading:
    """A text at a fixed place: it is guessed at the start, and must be right at the end."""
    monitor, offset = _Monitor(rule, node), anchor.offset
    zeros = (0,) * len(monitor.quantities)
    texts = {_numbers(text, rule.symbols) for text in monitor.texts}
    # at the end: columns before it where the text may begin
    lengths = [0] if not anchor.end else [None, *range(1 - offset)] if offset < 0 else [None]

    def outwards(text: tuple[int, ...], at: int | None) -> tuple[int, ...]:
        """What is wanted to the left of the input, the nearest column first."""
        column = offset + (at or 0)
        return () if at is None else tuple(_wanted(text, x - column) for x in range(-1, column - 1, -1))

    def step(told: _Told, part: int, symbol: str) -> Iterator[tuple[_Told, int]]:
        text, _, at = told
        later = told._replace(values=monitor.after(told.values, part, symbol))
        if not anchor.end:
            past = at is None or at + 1 >= offset + len(text)
            wanted = NOTHING if at is None else _wanted(text, at - offset)
            yield later._replace(at=None if past or at is None else at + 1), wanted
        elif at is None:
            yield later, NOTHING
            if offset < 0:
                yield later._replace(at=-offset), NOTHING
        elif at > 0:
            yield later._replace(at=at - 1), _wanted(text, -at - offset)

    def ended(told: _Told) -> tuple[int, ...] | None:
        text, values, at = told
        if _numbers(monitor.text(values), rule.symbols) != text or (anchor.end and offset < 0 and at != 0):
            return None
        if anchor.end:
            return (NOTHING,) * offset + text if offset >= 0 else text[-offset:]
        return () if at is None else tuple(_wanted(text, x - offset) for x in range(at, offset + len(text)))

    starts = tuple((_Told(text, zeros, at), outwards(text, at)) for text in texts for at in lengths)
    return Reading(starts, step, ended, NOTHING, False)


def _numbers(text: str, symbols: tuple[str, ...]) -> tuple[int, ...]:
    unknown = [symbol for symbol in text if symbol not in symbols]
    if unknown:
        raise Unsaid(f"its result `{text}` has a symbol that the agent does not know")
    return tuple(symbols.index(symbol) for symbol in text)


def _wanted(text: tuple[int, ...], index: int) -> int:
    """What is wanted where a text has this index."""
    return text[index] if 0 <= index < len(text) else NOTHING
