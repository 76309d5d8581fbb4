"""The values of clauses: what an expression of `output` or `where` is for the parts of one input.

A part whose class counts 0, 1, 2 … is a number in base |class|; any other part is text. A
number can stand where text is wanted: a part as it was written, a literal as its digits.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import groupby
from math import isqrt

from gridlang.clauses.limits import LIMITS
from gridlang.clauses.output_kinds import ARITHMETIC, FUNCTIONS, ORDER, TEXT, Kinds
from gridlang.diagnostics import fail
from gridlang.syntax import tree as s

NEGATE = "negate"  # a minus before a number or a bracket
BINDING = {"(": 0, "+": 1, "-": 1, "*": 2, NEGATE: 3}


def in_base(value: int, digits: str) -> str:
    """A number written in the digits of a class."""
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
    """The number, of a long text by its halves: digit by digit it would take the square of its length."""
    if len(text) >= LIMITS.long_number:
        middle = len(text) // 2
        low = _value(text[middle:], digits)
        return _value(text[:middle], digits) * int(len(digits) ** (len(text) - middle)) + low
    if text and "0123456789".startswith(digits):
        return int(text, len(digits))
    value = 0
    for c in text:
        value = value * len(digits) + digits.index(c)
    return value


class NoValue(Exception):
    """A division by zero, a text that is no expression, or a number or text too long to be meant."""


class Reader:
    """Evaluates a clause for the texts of the parts of one input.

    `members` are the classes of the parts; numbers are written in `digits`, and `symbols` are in their order.
    """

    def __init__(
        self, members: Mapping[str, str], digits: str, symbols: tuple[str, ...], parts: Mapping[str, str]
    ) -> None:
        self.members, self.digits, self.symbols, self.parts = members, digits, symbols, parts

    def is_number(self, node: s.Expr) -> bool:
        return Kinds(self.members, {}).is_number(node)

    def branch(self, node: s.Expr) -> s.Expr:
        """What a clause chooses, whose conditions are asked."""
        while isinstance(node, s.Conditional):
            node = node.then if self.truth(node.condition) else node.otherwise
        return node

    def rows(self, node: s.Expr) -> Iterator[list[tuple[str, str]]]:
        """The parts of each row: the text of each, and the digits of a number."""
        yield [self.part(part) for part in (node.parts if isinstance(node, s.Row) else (node,))]

    def part(self, node: s.Expr) -> tuple[str, str]:
        if self.is_number(node):
            return in_base(self.number(node), self.digits), self.digits
        return self.text(node), ""

    def number(self, node: s.Expr) -> int:
        if isinstance(node, s.Number):
            return node.value
        if isinstance(node, s.Name):
            return from_base(self.parts[node.name], self.members[node.name])
        if isinstance(node, s.Unary):
            return -self.number(node.operand)
        if isinstance(node, s.Conditional):
            return self.number(node.then if self.truth(node.condition) else node.otherwise)
        if isinstance(node, s.Call):
            return self.number_call(node)
        assert isinstance(node, s.Binary)
        right = self.number(node.right)
        left = self.number(node.left)
        if node.op in ("div", "mod") and right == 0:
            raise NoValue
        if node.op == "^" and (
            right < 0 or (abs(left) > 1 and right * left.bit_length() > LIMITS.number_bits)
        ):
            raise NoValue
        return ARITHMETIC[node.op](left, right)

    def number_call(self, node: s.Call) -> int:
        name = node.name.name
        if name == "length":
            return len(self.text(node.args[0]))
        if name == "count":
            return self.text(node.args[0]).count(self.text(node.args[1]))
        if name == "number":
            members = self.members.get(getattr(node.args[0], "name", ""), "") or self.digits
            return from_base(self.text(node.args[0]), members)
        if name == "value":
            return expression_value(self.text(node.args[0]), self.digits)
        values = [self.number(arg) for arg in node.args]
        if name == "sqrt":
            if values[0] < 0:
                raise NoValue
            return isqrt(values[0])
        return {"abs": lambda: abs(values[0]), "min": lambda: min(values), "max": lambda: max(values)}[name]()

    def text(self, node: s.Expr) -> str:
        if isinstance(node, s.Number):
            return str(node.value)
        if isinstance(node, s.Symbol):
            return node.char
        if isinstance(node, s.Text):
            return node.value
        if isinstance(node, s.Name):
            return self.parts[node.name]
        if isinstance(node, s.Conditional):
            return self.text(node.then if self.truth(node.condition) else node.otherwise)
        if isinstance(node, s.Call) and FUNCTIONS[node.name.name].gives == TEXT:
            return self.text_call(node)
        return in_base(self.number(node), self.digits)

    def text_call(self, node: s.Call) -> str:
        name = node.name.name
        if name == "text":
            return in_base(self.number(node.args[0]), self.digits)
        first = self.text(node.args[0])
        if name == "reverse":
            return first[::-1]
        if name == "sorted":
            return "".join(sorted(first, key=self.symbols.index))
        if name == "repeat":
            times = max(0, self.number(node.args[1]))
            if times * len(first) > LIMITS.longest_text:
                raise NoValue
            return first * times
        if name == "every":
            start, step = (self.number(arg) for arg in node.args[1:])
            if start < 1 or step < 1:
                raise NoValue
            return first[start - 1 :: step]
        others = [self.text(arg) for arg in node.args[1:]]
        if name == "replace":
            old, new = others
            if old and len(first) + first.count(old) * len(new) > LIMITS.longest_text:
                raise NoValue
            return first.replace(old, new) if old else first
        if name == "join":
            return first + "".join(others)
        while any(other and other in first for other in others):
            for other in others:
                first = first.replace(other, "") if other else first
        return first

    def truth(self, node: s.Expr) -> bool:
        if isinstance(node, s.Unary):
            return not self.truth(node.operand)
        assert isinstance(node, s.Binary)
        if node.op == "and":
            return self.truth(node.left) and self.truth(node.right)
        if node.op == "or":
            return self.truth(node.left) or self.truth(node.right)
        if node.op in ORDER or (self.is_number(node.left) and self.is_number(node.right)):
            a, b = self.number(node.left), self.number(node.right)
            return {"==": a == b, "!=": a != b, "<": a < b, "<=": a <= b, ">": a > b, ">=": a >= b}[node.op]
        return (self.text(node.left) == self.text(node.right)) == (node.op == "==")


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
