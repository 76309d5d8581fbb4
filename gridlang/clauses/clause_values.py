"""The values of clauses: what a tree is for the parts of one input."""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import groupby
from math import isqrt
from typing import Any, TypeAlias

from gridlang.clauses.clause_tree import Constant, Node, Operation, Part
from gridlang.diagnostics import fail
from gridlang.values import ARITHMETIC, COMPARISONS

Value: TypeAlias = int | str | bool
NEGATE = "negate"  # a minus before a number or a bracket
LONGEST_TEXT = 10_000_000  # symbols that `repeat` and `replace` make: more would fill the memory
LONG_NUMBER = 4_000  # digits; Python's own limit is little more
NUMBER_BITS = 10_000  # of a power, or of a value within an expression: more than any test's grid holds
BINDING = {"(": 0, ")": 1, "+": 1, "-": 1, "*": 2, NEGATE: 3}


class NoValue(Exception):
    """A division by zero, a text that cannot be read, or a number or text that is too large."""


def expression_value(text: str, digits: str) -> int:
    """The value of an expression with + - * and brackets, as on paper; NoValue if it has none.

    Products come before sums, and a minus may stand before a number or a bracket. Numbers are in `digits`.
    Operators wait until what binds tighter is done, so brackets may be nested to any depth.
    """
    values, waiting, is_complete = list[int](), ["("], False
    for token in (*_tokens(text, digits), ")"):
        if isinstance(token, int) and not is_complete:
            values.append(token)
            is_complete = True
        elif not is_complete and token in ("-", "("):
            waiting.append(NEGATE if token == "-" else "(")
        elif is_complete and token in ("+", "-", "*", ")"):
            while waiting and BINDING[waiting[-1]] >= BINDING[str(token)]:
                _apply(waiting.pop(), values)
            if token == ")":
                _where(bool(waiting))
                waiting.pop()
            else:
                waiting.append(str(token))
                is_complete = False
        else:
            raise NoValue
    _where(is_complete and not waiting)
    return values[0]


def _apply(operator: str, values: list[int]) -> None:
    """Replaces the last values by what an operator makes of them."""
    right = values.pop()
    if operator == NEGATE:
        values.append(-right)
        return
    left = values.pop()
    _where(operator != "*" or left.bit_length() + right.bit_length() <= NUMBER_BITS)
    values.append(ARITHMETIC[operator](left, right))


def _tokens(text: str, digits: str) -> Iterator[int | str]:
    """Numbers, and all other symbols one by one."""
    for is_number, run in groupby(text, digits.__contains__):
        if not is_number:
            yield from run
            continue
        number = 0
        for symbol in run:
            number = number * len(digits) + digits.index(symbol)
            _where(number.bit_length() <= NUMBER_BITS)
        yield number


def in_base(value: int, digits: str) -> str:
    if value < 0:
        return "-" + in_base(-value, digits)
    text = ""
    while value or not text:
        value, digit = divmod(value, len(digits))
        text = digits[digit] + text
    return text


def from_base(text: str, digits: str) -> int:
    """The inverse of `in_base`; leading zeros and a minus sign allowed."""
    if text.startswith("-"):
        return -from_base(text[1:], digits)
    foreign = next((c for c in text if c not in digits), "")
    if foreign:
        raise fail("G090", f"the clause reads `{text}` as a number, but `{foreign}` is not a digit")
    return _value(text, digits)


def _value(text: str, digits: str) -> int:
    """The number; a long text is halved, since digit by digit takes quadratic time."""
    if len(text) >= LONG_NUMBER:
        middle = len(text) // 2
        low = _value(text[middle:], digits)
        return _value(text[:middle], digits) * int(len(digits) ** (len(text) - middle)) + low
    if text and "0123456789".startswith(digits):
        return int(text, len(digits))
    value = 0
    for c in text:
        value = value * len(digits) + digits.index(c)
    return value


class Evaluator:
    """Evaluates trees for the texts of the parts of one input; sorts by the order of `symbols`."""

    def __init__(self, parts: Sequence[str], symbols: tuple[str, ...]) -> None:
        self.parts, self.symbols = parts, symbols

    def chosen(self, node: Node) -> Node:
        while isinstance(node, Operation) and node.operator == "if":
            condition, then, otherwise = node.operands
            node = then if self.value(condition) else otherwise
        return node

    def value(self, node: Node) -> Value:
        """The value of a node that is not a verdict; NoValue without one."""
        node = self.chosen(node)
        if isinstance(node, Constant):
            return node.value
        if isinstance(node, Part):
            return self.parts[node.index]
        name = node.operator
        if name in ("and", "or"):
            left, right = node.operands
            return self.value(right) if bool(self.value(left)) == (name == "and") else name == "or"
        values = [self.value(operand) for operand in node.operands]
        if name in COMPARISONS:
            return COMPARISONS[name](*values)
        if name == "sorted":
            return "".join(sorted(str(values[0]), key=self.symbols.index))
        if name in _WITH_DIGITS:
            return _WITH_DIGITS[name](values[0], node.digits)
        return _PLAIN[name](*values)


def _where(defined: bool) -> None:
    if not defined:
        raise NoValue


def _difference(left: int, right: int | None = None) -> int:
    return -left if right is None else left - right


def _divided(name: str, left: int, right: int) -> int:
    _where(right != 0)
    return ARITHMETIC[name](left, right)


def _power(left: int, right: int) -> int:
    _where(right >= 0 and (abs(left) <= 1 or right * left.bit_length() <= NUMBER_BITS))
    return int(left**right)


def _root(value: int) -> int:
    _where(value >= 0)
    return isqrt(value)


def _repeated(text: str, times: int) -> str:
    _where(times * len(text) <= LONGEST_TEXT)
    return text * max(0, times)


def _every(text: str, start: int, step: int) -> str:
    _where(start >= 1 and step >= 1)
    return text[start - 1 :: step]


def _replaced(text: str, old: str, new: str) -> str:
    _where(not old or len(text) + text.count(old) * len(new) <= LONGEST_TEXT)
    return text.replace(old, new) if old else text


def _cancelled(text: str, *others: str) -> str:
    while any(other and other in text for other in others):
        for other in others:
            text = text.replace(other, "") if other else text
    return text


_WITH_DIGITS: Mapping[str, Callable[[Any, str], Value]] = {
    "number": from_base,
    "text": in_base,
    "value": expression_value,
}
_PLAIN: Mapping[str, Callable[..., Value]] = {
    "+": operator.add,
    "-": _difference,
    "*": operator.mul,
    "div": lambda left, right: _divided("div", left, right),
    "mod": lambda left, right: _divided("mod", left, right),
    "^": _power,
    "sqrt": _root,
    "not": operator.not_,
    "length": len,
    "count": str.count,
    "reverse": lambda text: text[::-1],
    "join": lambda *texts: "".join(texts),
    "repeat": _repeated,
    "every": _every,
    "replace": _replaced,
    "cancel": _cancelled,
}
