"""The values of clauses: what an expression of `output` or `where` is for the parts of one input.

A part whose class counts 0, 1, 2 … is a number in base |class|; any other part is text. A
number can stand where text is wanted: a part as it was written, a literal as its digits.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterator, Mapping
from functools import reduce
from itertools import groupby
from math import gcd, isqrt

from gridlang.clauses.functions import ARITHMETIC, FUNCTIONS, NUMBER, ORDER, TEXT, counts, is_based
from gridlang.clauses.limits import LIMITS
from gridlang.clauses.output_kinds import Kinds, Local, digits_of, is_range
from gridlang.diagnostics import fail
from gridlang.syntax import tree as s

NEGATE = "negate"  # a minus before a number or a bracket
BINDING = {"(": 0, "+": 1, "-": 1, "*": 2, NEGATE: 3}


class NoValue(Exception):
    """A division by zero, a text that cannot be read, or a number or text that is too large."""


class _Calculator:
    """Operators wait until what binds tighter is done, so brackets may be nested to any depth."""

    def __init__(self) -> None:
        self.values: list[int] = []
        self.waiting: list[str] = []  # operators and opening brackets

    def settle(self, binding: int) -> None:
        """Applies the waiting operators that bind at least as tightly."""
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
    """The value of an expression with + - * and brackets, as on paper; NoValue if it has none.

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
    """The number; a long text is halved, since digit by digit takes quadratic time."""
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


def _of_numbers(name: str, values: list[int]) -> int:
    """A function of numbers; NoValue for the least of none, or the root of one below 0."""
    if (name in ("min", "max") and not values) or (name == "sqrt" and values[0] < 0):
        raise NoValue
    return {
        "abs": lambda: abs(values[0]),
        "sqrt": lambda: isqrt(values[0]),
        "min": lambda: min(values),
        "max": lambda: max(values),
        "gcd": lambda: gcd(*values),
        "xor": lambda: reduce(operator.xor, values, 0),
        "sum": lambda: sum(values),
    }[name]()


def _letter(word: str, place: int) -> str:
    if not 0 <= place < len(word):
        raise NoValue
    return word[place]


def _letters(word: str, first: int, last: int) -> str:
    """The letters from one place to another, which may be none."""
    if not 0 <= first <= len(word) or last >= len(word):
        raise NoValue
    return word[first : max(last + 1, first)]


def _is_large(value: int | str) -> bool:
    """Whether the value of a fold is too large."""
    if isinstance(value, str):
        return len(value) > LIMITS.folded_text
    return value.bit_length() > LIMITS.number_bits


class Reader:
    """Evaluates a clause for the texts of the parts of one input.

    `members` are the classes of the parts; numbers are written in `digits`, and `symbols` are in their order.
    """

    def __init__(
        self,
        members: Mapping[str, str],
        digits: str,
        symbols: tuple[str, ...],
        parts: Mapping[str, str],
        classes: Mapping[str, str],
    ) -> None:
        self.members, self.digits, self.symbols, self.parts = members, digits, symbols, parts
        self.classes, self.rounds = classes, 0
        self.local: dict[str, Local] = {}

    def kinds(self) -> Kinds:
        return Kinds(self.members, {}, local=self.local)

    def is_number(self, node: s.Expr) -> bool:
        return self.kinds().is_number(node)

    def branch(self, node: s.Expr) -> s.Expr:
        """The branch that a clause chooses; its conditions are evaluated."""
        while isinstance(node, s.Conditional):
            node = node.then if self.truth(node.condition) else node.otherwise
        return node

    def rows(self, node: s.Expr) -> Iterator[list[tuple[str, str]]]:
        """The parts of each row: the text of each, and the digits of a number."""
        for row in node.rows if isinstance(node, s.Rows) else (node,):
            yield [self.part(part) for part in (row.parts if isinstance(row, s.Row) else (row,))]

    def part(self, node: s.Expr) -> tuple[str, str]:
        return self.written(node) if self.is_number(node) else (self.text(node), "")

    def written(self, node: s.Expr) -> tuple[str, str]:
        """A number as text, and the digits of it."""
        number, digits = self.number(node), self.written_in(node)
        return in_base(number, digits), digits

    def written_in(self, node: s.Expr) -> str:
        """The digits of a number: those that it names itself, or those of the clause."""
        if isinstance(node, s.Conditional):
            return self.written_in(node.then if self.truth(node.condition) else node.otherwise)
        if not is_based(node):
            return self.digits
        assert isinstance(node, s.Binary)
        return digits_of(node.right, self.classes, self.symbols)

    def number(self, node: s.Expr) -> int:
        if isinstance(node, s.Number):
            return node.value
        if isinstance(node, s.Name):
            local = self.local.get(node.name)
            if local is not None:
                assert isinstance(local.value, int)
                return local.value
            return from_base(self.parts[node.name], self.members[node.name])
        if isinstance(node, s.Each):
            value = self.loop(node)
            assert isinstance(value, int)
            return value
        if isinstance(node, s.Unary):
            return -self.number(node.operand)
        if isinstance(node, s.Conditional):
            return self.number(node.then if self.truth(node.condition) else node.otherwise)
        if isinstance(node, s.Call):
            return self.number_call(node)
        assert isinstance(node, s.Binary)
        if node.op == "in":
            return self.number(node.left)
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
            word = node.args[0]
            return len(word.parts) if isinstance(word, s.Row) else len(self.text(word))
        if name == "count":
            return self.text(node.args[0]).count(self.text(node.args[1]))
        if name == "number":
            members = self.kinds().members(node.args[0]) or self.digits
            return from_base(self.text(node.args[0]), members)
        if name == "value":
            return expression_value(self.text(node.args[0]), self.digits)
        return _of_numbers(name, [self.number(arg) for arg in node.args])

    def text(self, node: s.Expr) -> str:
        if isinstance(node, s.Number):
            return str(node.value)
        if isinstance(node, s.Symbol):
            return node.char
        if isinstance(node, s.Text):
            return node.value
        if isinstance(node, s.Name):
            return self.named(node.name)
        if isinstance(node, s.Index | s.Tail):
            return self.letters(node)
        if isinstance(node, s.Conditional):
            return self.text(node.then if self.truth(node.condition) else node.otherwise)
        if isinstance(node, s.Call) and node.name.name not in FUNCTIONS:
            return _letter(self.classes[node.name.name], self.number(node.args[0]))
        if isinstance(node, s.Call) and FUNCTIONS[node.name.name].gives == TEXT:
            return self.text_call(node)
        if isinstance(node, s.Each) and not self.is_number(node):
            value = self.loop(node)
            assert isinstance(value, str)
            return value
        return in_base(self.number(node), self.written_in(node))

    def named(self, name: str) -> str:
        """The text of a part, of a symbol in a loop, or of what a fold has so far."""
        local = self.local.get(name)
        if local is None:
            return self.parts[name]
        if isinstance(local.value, str):
            return local.value
        return local.members[local.value] if local.members else in_base(local.value, self.digits)

    def letters(self, node: s.Index | s.Tail) -> str:
        """Letters of a text, or a text of a table; NoValue for a place that it does not have."""
        if isinstance(node.word, s.Row) and isinstance(node, s.Index) and not is_range(node.place):
            place = self.number(node.place)
            if not 0 <= place < len(node.word.parts):
                raise NoValue
            return self.text(node.word.parts[place])
        word = self.text(node.word)
        if isinstance(node, s.Tail) or not is_range(node.place):
            first = self.number(node.place)
            return _letters(word, first, len(word) - 1) if isinstance(node, s.Tail) else _letter(word, first)
        assert isinstance(node.place, s.Binary)
        return _letters(word, self.number(node.place.left), self.number(node.place.right))

    def items(self, node: s.Each) -> Iterator[Local]:
        """What a loop goes through: the numbers of a range, or the symbols of a text."""
        if is_range(node.over):
            assert isinstance(node.over, s.Binary)
            low, high = self.number(node.over.left), self.number(node.over.right)
            yield from (Local(NUMBER, "", number) for number in range(low, high + 1))
            return
        members = self.kinds().members(node.over)
        for symbol in self.text(node.over):
            if counts(members):
                yield Local(NUMBER, members, members.index(symbol))
            else:
                yield Local(TEXT, members, symbol)

    def loop(self, node: s.Each) -> int | str:
        """The function of a value for each item, or what a fold has in the end."""
        outer, name = self.local, node.name.name
        gives, state = self.kinds().kind(node), node.state.name if node.state else ""
        evaluate: Callable[[s.Expr], int | str] = self.number if gives == NUMBER else self.text
        so_far = evaluate(node.start) if node.start is not None else 0
        values: list[int | str] = []
        for item in self.items(node):
            self.rounds += 1
            if self.rounds > LIMITS.most_rounds or _is_large(so_far):
                raise NoValue
            self.local = {**outer, node.variable.name: item}
            if state:
                self.local[state] = Local(gives, "", so_far)
            so_far = evaluate(node.body)
            self.local = outer
            values += [] if state else [so_far]
        if state:
            return so_far
        if gives == TEXT:
            return "".join(map(str, values))
        return _of_numbers(name, [int(value) for value in values])

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
