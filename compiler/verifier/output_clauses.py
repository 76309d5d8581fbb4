"""The part of `verify` that reads output clauses: expressions, and the parts and digits that they speak of.

A clause is read from its text, as an expression: `x if c else y`, `or`, `and`, `not`, comparisons, sums,
products with `*`, `div` and `mod`, names of parts, numbers, texts and calls; it has no line break, and no
comment. A part is a number if its class counts 0, 1, 2 …, after 9 with letters; numbers are in the base of
that class. No class that is used has a symbol twice, and no digit is the blank.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from compiler.verifier.input_clauses import Clause
from compiler.verifier.tables import Rules, check

MOST_TOKENS = 99  # The language may refuse longer clauses, as too deep.
# ("number", 1), ("text", "x"), ("name", "a"), ("call", name, args), ("if", …), (op, a, b)
Node = tuple[Any, ...]
Word = tuple[int, ...]

_SEEN = r"(?:[^\\\0- \x7f{}]|\\[^\0- \x7f])"  # no space and no quote, or any behind a backslash
_TOKEN = re.compile(
    r"(?P<name>[^\W\d]\w*)|(?P<number>[0-9]{1,9}(?![0-9]))|(?P<mark>[=!<>]=|[<>+*(),])|(?P<space>[ \t\f\r]+)"
    rf"""|'(?P<symbol>{_SEEN.format("'")})'|"(?P<text>{_SEEN.format('"')}*)\""""
)
LEVELS = (("or",), ("and",), ("==", "!=", "<", "<=", ">", ">="), ("+",), ("*", "div", "mod"))


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
        if depth == len(LEVELS):
            return self.atom()
        node = self.level(depth + 1)
        while self.is_next(*LEVELS[depth]):
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


def counts(members: str) -> bool:
    """Whether symbols count 0, 1, 2 …; Wrong if that depends on what is a digit beyond ASCII."""
    if len(members) < 2 or members[:10] != "0123456789"[: len(members)]:
        return False
    check(members.isascii(), "left", "a class counts on with letters that are not known")
    return not any(c.isdigit() for c in members[10:])


class OutputClause:
    """LEFT's output clause as an expression, the parts that it names, and the digits of its numbers."""

    def __init__(self, left: Rules, clause: Clause) -> None:
        self.left, self.clause = left, clause
        self.node = _Parser(left.output).node
        self.parts = {name: index for index, name in enumerate(clause.names) if name}
        check(len(self.parts) == len([name for name in clause.names if name]), "left", "a part stands twice")
        used = {clause.members[self.parts[name]] for name in self.names(self.node)}
        bases = [members for members in used if counts(members)]
        check(len(bases) <= 1, "left", "its output clause has numbers in two bases")
        spare = [members for members in left.classes.values() if counts(members)]
        self.digits = (bases or spare or [""])[0]
        once = all(len(set(members)) == len(members) for members in (*clause.members, self.digits))
        check(once, "left", "a class has a symbol twice")
        check("_" not in self.digits, "left", "a blank is a digit")
        self.numeric = self.is_number(self.node)

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
            return counts(self.clause.members[self.parts[node[1]]])
        return node[0] != "text" and (node[0] != "call" or node[1] in ("count", "length", "number"))

    def spelled(self, node: Node) -> str:
        """The text of a constant; a number is in digits where all results are numbers."""
        return self.in_digits(node[1]) if node[0] == "number" and self.numeric else str(node[1]).strip("_")

    def in_digits(self, number: int) -> str:
        digits = self.digits
        check(digits, "left", "its output clause has a number and no digits")
        text = digits[number % len(digits)]
        while number := number // len(digits):
            text = digits[number % len(digits)] + text
        return text

    def word(self, text: str) -> Word:
        symbols = self.left.symbols
        check(set(text) <= set(symbols), "left", "its output clause has a symbol that LEFT does not know")
        return tuple(symbols.index(symbol) for symbol in text)
