"""The part of `verify` that evaluates clauses for one input: the value of each expression of `outputs`.

Three more are known here: ["cancel", x, "ab", …], a text without some texts, until none stands in it;
["replace", x, "a", "b"]; and a minus before one number. A condition that has no value, as in `a mod 0 == 1`,
does not hold; a result that has none is not claimed.
"""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

from gridlang.compiler.verifier.clauses.inputs import InputClause
from gridlang.compiler.verifier.clauses.outputs import COMPARISONS, compare, digits_of, in_digits
from gridlang.compiler.verifier.limits import LIMITS
from gridlang.compiler.verifier.tables import Rules, check

Cells = dict[tuple[int, int], str]


class NoValue(Exception):
    """What a clause asks for does not exist, or is too long."""


class Evaluation:
    """LEFT's condition and output clause, for one input after another."""

    def __init__(self, left: Rules, inputs: InputClause) -> None:
        self.where, self.output, self.inputs = left.where, left.output["value"], inputs
        small = _size(self.where) <= LIMITS.nodes and _size(self.output) <= LIMITS.nodes
        check(small, "left", "its output clause is too long")
        self.digits, self.members, self.parts = digits_of(left), inputs.members, list[str]()
        self.functions: dict[str, tuple[list[type], Callable[..., Any]]] = {
            "+": ([int, int], operator.add),
            "-": ([int, int], operator.sub),
            "negate": ([int], operator.neg),
            "*": ([int, int], operator.mul),
            "div": ([int, int], operator.floordiv),
            "mod": ([int, int], operator.mod),
            "not": ([bool], operator.not_),
            "length": ([str], len),
            "count": ([str, str], str.count),
            "text": ([int], self._written),
            "reverse": ([str], lambda text: text[::-1]),
            "sorted": ([str], lambda text: "".join(sorted(text, key=left.symbols.index))),
            "repeat": ([str, int], lambda text, times: text * _short(len(text), times)),
            "every": ([str, int, int], lambda text, n, k: text[_positive(n) - 1 :: _positive(k)]),
            "replace": ([str, str, str], lambda text, a, b: text.replace(a, b) if a else text),
            "join": ([str], lambda *texts: "".join(texts)),
            "cancel": ([str], _cancelled),
        }

    def is_input(self, text: str) -> bool:
        """Whether a text of the input clause meets the condition."""
        self.parts = self.inputs.parts(text)
        try:
            return self.where is None or self._holds(self.where)
        except (NoValue, ZeroDivisionError):
            return False

    def is_met(self, text: str, halted: bool, cells: Cells) -> bool:
        """Whether a run on an input ended as the output clause says, where it left these cells."""
        self.parts, tree = self.inputs.parts(text), self.output
        try:
            while isinstance(tree, list) and tree[0] == "if":
                tree = tree[2] if self._holds(tree[1]) else tree[3]
            if tree in (["accept"], ["stuck"]):
                return halted is (tree == ["accept"])
            wanted = self.value(tree)
        except (NoValue, ZeroDivisionError):
            return False
        shown = _row(cells)
        if type(wanted) is int:
            reads = shown and set(shown) <= set(self.digits)
            right = _number(str(shown), self.digits) == wanted if reads else shown == self._written(wanted)
            return halted and right
        return halted and shown == wanted.strip("_")

    def value(self, tree: Any) -> Any:
        """A number, a text or a truth; Wrong for what is no expression."""
        if type(tree) is int or isinstance(tree, str):
            return tree
        kind, *inner = tree
        if kind == "part":
            return self.parts[inner[0]]
        if kind == "if":
            condition, one, other = inner
            return self.value(one if self._holds(condition) else other)
        if kind in ("and", "or"):
            one, other = inner
            return self._holds(other) if self._holds(one) == (kind == "and") else kind == "or"
        values = [self.value(each) for each in inner]
        kinds = [type(value) for value in values]
        if kind in COMPARISONS:
            check(kinds in ([int, int], [str, str]), "left", "a clause compares what is not alike")
            return compare(kind, *values)
        if kind == "number":
            [of] = inner
            part = of[1] if of[0] == "reverse" else of
            check(part[0] == "part", "left", "a clause reads a number from more than a part")
            return _number(values[0], self.members[part[1]])
        name = "negate" if kind == "-" and len(values) == 1 else kind
        takes, function = self.functions.get(name, ([], None))
        fits = kinds == takes or (kind in ("join", "cancel") and set(kinds) == {str})
        check(function and fits, "left", f"a clause has `{kind}`, which is not known of such things")
        return function and function(*values)

    def _holds(self, condition: Any) -> bool:
        truth = self.value(condition)
        check(type(truth) is bool, "left", "a clause has a condition that is none")
        return bool(truth)

    def _written(self, number: int) -> str:
        check(self.digits, "left", "its output clause has a number and no digits")
        return "-" * (number < 0) + in_digits(abs(number), self.digits)


def _row(cells: Cells) -> str | None:
    """What stands on the grid, from the first to the last that is not blank; None if it is not in one row."""
    stands = {x: symbol for (x, _), symbol in cells.items() if symbol != "_"}
    rows = {y for (_, y), symbol in cells.items() if symbol != "_"}
    if len(rows) > 1:
        return None
    return "".join(stands.get(x, "_") for x in range(min(stands), max(stands) + 1)) if stands else ""


def _number(text: str, digits: str) -> int:
    check(1 < len(digits) == len(set(digits)), "left", "a clause reads a number whose symbols are no digits")
    value = 0
    for symbol in text:
        value = value * len(digits) + digits.index(symbol)
    return value


def _cancelled(text: str, *others: str) -> str:
    while any(other and other in text for other in others):
        for other in others:
            text = text.replace(other, "") if other else text
    return text


def _positive(number: int) -> int:
    if number < 1:
        raise NoValue
    return number


def _short(length: int, times: int) -> int:
    if length * times > LIMITS.run_steps:  # No run leaves more.
        raise NoValue
    return times


def _size(tree: Any) -> int:
    return 1 + sum(map(_size, tree)) if isinstance(tree, list) else 0
