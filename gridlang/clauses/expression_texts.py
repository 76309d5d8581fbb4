"""The value of a text that is an expression: `value(a)` in a clause."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import groupby

from gridlang.clauses.limits import LIMITS

NEGATE = "negate"  # a minus before a number or a bracket
BINDING = {"(": 0, "+": 1, "-": 1, "*": 2, NEGATE: 3}


class NoValue(Exception):
    """A division by zero, a text that cannot be read, or a number or text longer than anyone means."""


class _Calculator:
    """Operators wait until what binds tighter is done, so brackets may be nested to any depth."""

    def __init__(self) -> None:
        self.values: list[int] = []
        self.waiting: list[str] = []  # operators and opening brackets

    def settle(self, binding: int) -> None:
        """Does all that waits and binds at least so tightly."""
        while self.waiting and BINDING[self.waiting[-1]] >= binding:
            operator, right = self.waiting.pop(), self.values.pop()
            if operator == NEGATE:
                self.values.append(-right)
                continue
            left = self.values.pop()
            value = {"+": left + right, "-": left - right}.get(operator)
            if value is None:
                if left.bit_length() + right.bit_length() > LIMITS.number_bits:
                    raise NoValue
                value = left * right
            self.values.append(value)

    def close(self) -> None:
        self.settle(BINDING["+"])
        if not self.waiting:
            raise NoValue
        self.waiting.pop()


def expression_value(text: str, digits: str) -> int:
    """The value of an expression with + - * and brackets, as one reads it on paper; NoValue if it is none.

    Products come before sums, and a minus may stand before a number or a bracket. Numbers are in `digits`.
    """
    calculator, is_complete = _Calculator(), False
    for token in _tokens(text, digits):
        if isinstance(token, int) and not is_complete:
            calculator.values.append(token)
            is_complete = True
        elif is_complete and token == ")":
            calculator.close()
        elif is_complete and token in ("+", "-", "*"):
            calculator.settle(BINDING[str(token)])
            calculator.waiting.append(str(token))
            is_complete = False
        elif not is_complete and token in ("-", "("):
            calculator.waiting.append(NEGATE if token == "-" else "(")
        else:
            raise NoValue
    if not is_complete:
        raise NoValue
    calculator.settle(BINDING["+"])
    if calculator.waiting:
        raise NoValue
    return calculator.values[0]


def _tokens(text: str, digits: str) -> Iterator[int | str]:
    """Numbers, and all other symbols one by one."""
    for is_number, run in groupby(text, digits.__contains__):
        if not is_number:
            yield from run
            continue
        number = 0
        for symbol in run:
            number = number * len(digits) + digits.index(symbol)
            if number.bit_length() > LIMITS.number_bits:
                raise NoValue
        yield number
