"""The part of `verify` that knows output clauses: what each column of a declared input must hold at the end.

A clause is read from its text, as an expression: `x if c else y`, `or`, `and`, `not`, comparisons, sums,
products with `*`, `div` and `mod`, names of parts, numbers, texts and calls; it has no line break, and no
comment. A part is a number if its class counts 0, 1, 2 …, after 9 with letters; numbers are in the base of
that class. No class that is used has a symbol twice, and no digit is the blank. Three forms are known, and no
others:

(R1) k * a + c, or a div k, a being the first part: the digits stand in the columns of a, those that are more
     to the left of it, the last one where the last one of a was;
(R2) a part that is no number: as it is, in its own columns;
(R3) constants, and q mod k, by conditions on q mod k, or on q, against numbers; q is a part that is a number,
     or the length of a part, or the count of one symbol in it. The text stands some columns from the first
     column of the input, or from the first one after it, as the certificate says.

What is wanted in a column is a symbol, LEADING for a column to the left of a number, or NOTHING. It is said
by a reading: a machine that reads the input from the left, guesses, and comes to the end only if it has
guessed right. For (R1) a state is what comes into the column at its left: B * state + wanted = k * digit +
next state; or the rest of a division. For (R3) a state has the text, which is guessed at first, and the
quantities: each as it is below all numbers in the clause, and above them but for multiples of all divisors.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from math import lcm
from typing import Any, NamedTuple

from compiler.verifier.input_clauses import Clause
from compiler.verifier.tables import Rules, check

LEADING, NOTHING = -1, -2
LARGEST = 1_000  # of the numbers in a clause: states are as many
MOST_TOKENS = 99  # The language may refuse longer clauses, as too deep.
# ("number", 1), ("text", "x"), ("name", "a"), ("call", name, args), ("if", …), (op, a, b)
Node = tuple[Any, ...]
Word = tuple[int, ...]

_SEEN = r"(?:[^\\\0- \x7f{}]|\\[^\0- \x7f])"  # no space and no quote, or any behind a backslash
_TOKEN = re.compile(
    r"(?P<name>[^\W\d]\w*)|(?P<number>[0-9]{1,9}(?![0-9]))|(?P<mark>[=!<>]=|[<>+*(),])|(?P<space>[ \t\f\r]+)"
    rf"""|'(?P<symbol>{_SEEN.format("'")})'|"(?P<text>{_SEEN.format('"')}*)\""""
)
_LEVELS = (("or",), ("and",), ("==", "!=", "<", "<=", ">", ">="), ("+",), ("*", "div", "mod"))


class _Parser:
    """An expression from its text; what binds tighter is deeper."""

    def __init__(self, text: str) -> None:
        self.tokens: list[tuple[str, str]] = []
        at = 0
        while at < len(text):
            token = _TOKEN.match(text, at)
            check(token, "left", "its output clause cannot be read")
            assert token is not None and token.lastgroup is not None
            if token.lastgroup != "space":
                self.tokens.append((token.lastgroup, re.sub(r"\\(.)", r"\1", token[token.lastgroup])))
            at = token.end()
        check(len(self.tokens) <= MOST_TOKENS, "left", "its output clause is too long")
        self.tokens.append(("end", ""))
        self.at = 0
        self.node = self.expression()
        check(self.tokens[self.at][0] == "end", "left", "its output clause goes on where it must end")

    def take(self) -> tuple[str, str]:
        self.at += 1
        return self.tokens[self.at - 1]

    def is_next(self, *words: str) -> bool:
        kind, text = self.tokens[self.at]
        return kind in ("name", "mark") and text in words

    def expect(self, word: str) -> None:
        check(self.is_next(word), "left", f"its output clause needs {word!r}")
        self.at += 1

    def expression(self) -> Node:
        value = self.level(0)
        if not self.is_next("if"):
            return value
        self.take()
        condition = self.level(0)
        self.expect("else")
        return ("if", condition, value, self.expression())

    def level(self, depth: int) -> Node:
        if depth == 2 and self.is_next("not"):
            self.take()
            return ("not", self.level(2))
        if depth == len(_LEVELS):
            return self.atom()
        node = self.level(depth + 1)
        while self.is_next(*_LEVELS[depth]):
            node = (self.take()[1], node, self.level(depth + 1))
            if depth == 2:
                break
        return node

    def atom(self) -> Node:
        kind, text = self.take()
        if (kind, text) == ("mark", "("):
            node = self.expression()
            self.expect(")")
            return node
        if kind == "number":
            return ("number", int(text))
        if kind in ("symbol", "text") or (kind, text) == ("name", "_"):
            return ("text", text)
        check(kind == "name", "left", "its output clause cannot be read")
        if not self.is_next("("):
            return ("name", text)
        self.take()
        arguments = [self.expression()]
        while self.is_next(","):
            self.take()
            arguments.append(self.expression())
        self.expect(")")
        return ("call", text, tuple(arguments))


class Reading(NamedTuple):
    """What is wanted, as the input is read from the left; see (R1) to (R3)."""

    starts: list[tuple[Any, Word]]  # with what is wanted to the left of the input, nearest first
    left: int  # what is wanted further left
    numeric: bool  # zeros may stand before it
    form: Any

    def step(self, state: Any, part: int, symbol: str) -> list[tuple[Any, int]]:
        """States after a symbol of a part, each with what is wanted in its column."""
        return list(self.form.step(state, part, symbol))

    def ended(self, state: Any) -> Word | None:
        """What is wanted after the input; None where it cannot have ended."""
        after: Word | None = self.form.ended(state)
        return after


def reading_of(left: Rules, clause: Clause, anchor: tuple[str, int] | None) -> Reading:
    """The reading of LEFT's output clause; Wrong if it is of none of the forms."""
    return _Forms(left, clause, anchor).reading()


def _counts(members: str) -> bool:
    """Whether symbols count 0, 1, 2 …; Wrong if that depends on what is a digit beyond ASCII."""
    if len(members) < 2 or members[:10] != "0123456789"[: len(members)]:
        return False
    check(members.isascii(), "left", "a class counts on with letters that are not known")
    return not any(c.isdigit() for c in members[10:])


class _Forms:
    """One clause, and which of the forms it has."""

    def __init__(self, left: Rules, clause: Clause, anchor: tuple[str, int] | None) -> None:
        self.left, self.clause, self.anchor = left, clause, anchor
        self.node = _Parser(left.output).node
        self.parts = {name: index for index, name in enumerate(clause.names) if name}
        check(len(self.parts) == len([name for name in clause.names if name]), "left", "a part stands twice")
        used = {clause.members[self.parts[name]] for name in self.names(self.node)}
        bases = [members for members in used if _counts(members)]
        check(len(bases) <= 1, "left", "its output clause has numbers in two bases")
        spare = [members for members in left.classes.values() if _counts(members)]
        self.digits = (bases or spare or [""])[0]
        once = all(len(set(members)) == len(members) for members in (*clause.members, self.digits))
        check(once, "left", "a class has a symbol twice")
        check("_" not in self.digits, "left", "a blank is a digit")

    def names(self, node: Node) -> Iterator[str]:
        if node[0] == "name":
            check(node[1] in self.parts, "left", f"its output clause names {node[1]!r}, which is no part")
            yield node[1]
        for part in node[1:]:
            for child in part if node[0] == "call" and isinstance(part, tuple) else [part]:
                if isinstance(child, tuple):
                    yield from self.names(child)

    def is_number(self, node: Node) -> bool:
        if node[0] == "if":
            return self.is_number(node[2]) and self.is_number(node[3])
        if node[0] == "name":
            return _counts(self.clause.members[self.parts[node[1]]])
        return node[0] != "text" and (node[0] != "call" or node[1] in ("count", "length", "number"))

    def reading(self) -> Reading:
        numeric = self.is_number(self.node)
        form = self.linear(self.node) if numeric else None
        if form is not None:
            part, factor, divisor, addend = form
            first = part == 0 and self.clause.members[0] == self.digits != ""
            check(first and max(form) <= LARGEST, "left", "its output clause is a number that is not known")
            numbers = [self.left.symbols.index(digit) for digit in self.digits]
            if divisor > 1:
                return Reading([(0, ())], LEADING, True, _Quotient(self.digits, numbers, divisor))
            line = _Line(self.digits, numbers, factor, addend)
            return Reading([(c, line.outwards(c)) for c in sorted(line.carries)], LEADING, True, line)
        if self.node[0] == "name":
            copy = _Copy(self.left.symbols, self.parts[self.node[1]])
            return Reading([(None, ())], NOTHING, False, copy)
        check(self.anchor is not None, "evidence, result", "it does not say where the text stands")
        assert self.anchor is not None
        told = Told(self, numeric, *self.anchor)
        return Reading(told.starts(), NOTHING, False, told)

    def linear(self, node: Node) -> tuple[int, int, int, int] | None:
        """A part, its factor, its divisor, and what is added; None for another form."""
        if node[0] == "name":
            return self.parts[node[1]], 1, 1, 0
        if node[0] not in ("+", "*", "div"):
            return None
        op, a, b = node
        if op != "div" and a[0] == "number":
            a, b = b, a
        inner = self.linear(a) if b[0] == "number" else None
        if inner is None:
            return None
        part, factor, divisor, addend = inner
        if op == "div":
            return (part, 1, b[1], 0) if (factor, divisor, addend) == (1, 1, 0) and b[1] > 1 else None
        if divisor > 1 or (op == "*" and b[1] == 0):
            return None
        return (part, factor, 1, addend + b[1]) if op == "+" else (part, factor * b[1], 1, addend * b[1])


class _Line:
    """(R1), k * a + c: a state is what comes in at the left of a column; "over" is after the part."""

    def __init__(self, digits: str, numbers: list[int], factor: int, addend: int) -> None:
        self.digits, self.numbers, self.factor, self.addend = digits, numbers, factor, addend
        self.carries = {addend}
        while True:
            more = {(factor * d + c) // len(digits) for c in self.carries for d in range(len(digits))}
            if more <= self.carries:
                break
            self.carries |= more

    def outwards(self, number: int) -> Word:
        word = []
        while number:
            word.append(self.numbers[number % len(self.digits)])
            number //= len(self.digits)
        return tuple(word)

    def step(self, state: Any, part: int, symbol: str) -> Iterator[tuple[Any, int]]:
        if part:
            if self.ended(state) is not None:
                yield "over", NOTHING
            return
        for after in self.carries:
            digit = self.factor * self.digits.index(symbol) + after - len(self.digits) * state
            if 0 <= digit < len(self.digits):
                yield after, self.numbers[digit]

    def ended(self, state: Any) -> Word | None:
        return () if state in (self.addend, "over") else None


class _Quotient:
    """(R1), a div k: a state is the rest so far."""

    def __init__(self, digits: str, numbers: list[int], divisor: int) -> None:
        self.digits, self.numbers, self.divisor = digits, numbers, divisor

    def step(self, state: Any, part: int, symbol: str) -> Iterator[tuple[Any, int]]:
        if part:
            yield "over", NOTHING
        else:
            number = state * len(self.digits) + self.digits.index(symbol)
            yield number % self.divisor, self.numbers[number // self.divisor]

    def ended(self, _: Any) -> Word | None:
        return ()


class _Copy:
    """(R2): there is one state."""

    def __init__(self, symbols: tuple[str, ...], part: int) -> None:
        self.symbols, self.part = symbols, part

    def step(self, state: Any, part: int, symbol: str) -> Iterator[tuple[Any, int]]:
        yield state, self.symbols.index(symbol) if part == self.part else NOTHING

    def ended(self, _: Any) -> Word | None:
        return ()


class Told:
    """(R3): a state is the text, the quantities, and the column, counted from the start, or how many remain.

    The column is None where it is past the text, or where more remain than the text begins before the end.
    """

    def __init__(self, forms: _Forms, numeric: bool, side: str, offset: int) -> None:
        self.forms, self.numeric, self.from_end, self.offset = forms, numeric, side == "end", offset
        self.quantities: list[tuple[int, str, bool]] = []  # a part, what counts in it, and whether it is read
        self.period, self.bound = 1, 1
        self.texts: set[str] = set()
        self.look(forms.node)
        check(max(self.period, self.bound) <= LARGEST, "left", "its output clause has too large numbers")

    def look(self, node: Node) -> None:
        """Every value and condition of the clause must be of a known form."""
        if node[0] == "if":
            self.look_at_condition(node[1])
            self.look(node[2])
            self.look(node[3])
        elif node[0] in ("number", "text"):
            self.texts.add(self.spelled(node))
        else:
            check(node[0] == "mod", "left", "its output clause has more than finitely many results")
            self.note(node)
            self.texts |= {self.in_digits(rest) for rest in range(node[2][1])}

    def look_at_condition(self, node: Node) -> None:
        if node[0] in ("and", "or", "not"):
            for part in node[1:]:
                self.look_at_condition(part)
            return
        check(node[0] in _LEVELS[2], "left", "its output clause has a condition that is not known")
        numbers = [side for side in node[1:] if side[0] == "number"]
        check(len(numbers) == 1, "left", "its output clause compares what is not known")
        self.bound = max(self.bound, numbers[0][1] + 1)
        self.note(node[1] if node[2] is numbers[0] else node[2])

    def note(self, node: Node) -> None:
        if node[0] == "mod":
            known = node[2][0] == "number" and node[2][1] > 0
            check(known, "left", "its output clause divides by what is not known")
            self.period = lcm(self.period, node[2][1])
            check(self.period <= LARGEST, "left", "its output clause has too large numbers")
            node = node[1]
        quantity = self.quantity(node)
        if quantity not in self.quantities:
            self.quantities.append(quantity)

    def quantity(self, node: Node) -> tuple[int, str, bool]:
        forms, of = self.forms, node
        if node[0] == "call":
            of = node[2][0]
        check(of[0] == "name", "left", "its output clause speaks of more than parts")
        part = forms.parts[of[1]]
        members = forms.clause.members[part]
        if node[0] == "name" and _counts(members):
            return part, members, True
        if node[0] == "call" and node[1] == "number" and len(node[2]) == 1:
            check(
                len(members) > 1 and "-" not in members, "left", "its output clause reads what is no number"
            )
            return part, members, True
        if node[0] == "call" and node[1] == "length" and len(node[2]) == 1:
            return part, "".join(forms.left.symbols), False
        counted = node[0] == "call" and node[1] == "count" and len(node[2]) == 2
        what = self.constant(node[2][1]) if counted else None
        check(what is not None and len(what) == 1, "left", "its output clause counts what is not known")
        assert what is not None
        return part, what, False

    def constant(self, node: Node) -> str | None:
        return str(node[1]) if node[0] in ("number", "text") else None

    def spelled(self, node: Node) -> str:
        """The text of a constant; a number is in digits where all results are numbers."""
        return self.in_digits(node[1]) if node[0] == "number" and self.numeric else str(node[1]).strip("_")

    def in_digits(self, number: int) -> str:
        digits = self.forms.digits
        check(digits, "left", "its output clause has a number and no digits")
        text = digits[number % len(digits)]
        while number := number // len(digits):
            text = digits[number % len(digits)] + text
        return text

    def value(self, values: Word, node: Node) -> int:
        if node[0] == "number":
            return int(node[1])
        if node[0] == "mod":
            return self.value(values, node[1]) % int(node[2][1])
        return values[self.quantities.index(self.quantity(node))]

    def holds(self, values: Word, node: Node) -> bool:
        if node[0] == "not":
            return not self.holds(values, node[1])
        if node[0] == "and":
            return self.holds(values, node[1]) and self.holds(values, node[2])
        if node[0] == "or":
            return self.holds(values, node[1]) or self.holds(values, node[2])
        a, b = self.value(values, node[1]), self.value(values, node[2])
        results = {"==": a == b, "!=": a != b, "<": a < b, "<=": a <= b, ">": a > b, ">=": a >= b}
        return results[node[0]]

    def result(self, values: Word) -> Word:
        node = self.forms.node
        while node[0] == "if":
            node = node[2] if self.holds(values, node[1]) else node[3]
        text = self.spelled(node) if node[0] != "mod" else self.in_digits(self.value(values, node))
        return self.word(text)

    def word(self, text: str) -> Word:
        symbols = self.forms.left.symbols
        check(set(text) <= set(symbols), "left", "its output clause has a symbol that LEFT does not know")
        return tuple(symbols.index(symbol) for symbol in text)

    def starts(self) -> list[tuple[Any, Word]]:
        zeros = (0,) * len(self.quantities)
        starts: list[tuple[Any, Word]] = []
        for text in sorted(self.texts):
            word = self.word(text)
            if not self.from_end:
                starts.append(((word, zeros, 0), self.outwards(word, self.offset)))
                continue
            starts.append(((word, zeros, None), ()))
            for length in range(1 - self.offset) if self.offset < 0 else ():
                starts.append(((word, zeros, length), self.outwards(word, length + self.offset)))
        return starts

    def outwards(self, word: Word, column: int) -> Word:
        """What a text that begins in a column wants to the left of column 0."""
        return tuple(_at(word, x - column) for x in range(-1, column - 1, -1))

    def step(self, state: Any, part: int, symbol: str) -> Iterator[tuple[Any, int]]:
        word, values, at = state
        values = tuple(map(self.counted, self.quantities, values, [part] * len(values), symbol * len(values)))
        if not self.from_end:
            wanted = NOTHING if at is None else _at(word, at - self.offset)
            past = at is None or at + 1 >= self.offset + len(word)
            yield (word, values, None if past else at + 1), wanted
        elif at is None:
            yield (word, values, None), NOTHING
            if self.offset < 0:
                yield (word, values, -self.offset), NOTHING
        elif at:
            yield (word, values, at - 1), _at(word, -at - self.offset)

    def counted(self, quantity: tuple[int, str, bool], value: int, part: int, symbol: str) -> int:
        mine, what, is_read = quantity
        if part != mine:
            return value
        value = value * len(what) + what.index(symbol) if is_read else value + (symbol in what)
        return value if value < self.bound else self.bound + (value - self.bound) % self.period

    def ended(self, state: Any) -> Word | None:
        word, values, at = state
        if self.result(values) != word or (self.from_end and self.offset < 0 and at != 0):
            return None
        if self.from_end:
            after: Word = (NOTHING,) * self.offset + word if self.offset >= 0 else word[-self.offset :]
            return after
        return (
            ()
            if at is None
            else tuple(_at(word, x - self.offset) for x in range(at, self.offset + len(word)))
        )


def _at(word: Word, index: int) -> int:
    return word[index] if 0 <= index < len(word) else NOTHING
