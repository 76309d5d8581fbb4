"""The part of `verify` that knows output clauses, as trees.

A clause is {"digits": text, "value": expression}. Numbers are written in the digits, zero first: none, or at
least two, each once, and no blank or minus sign. An expression is a number, a text, or a list, kind first:

  ["part", i]             the text of part i of the input
  ["number", part]        the number it spells: the symbols of its cells are the digits, two at least, each
                          once, and no minus sign among them; ["number", ["reverse", part]] is what it
                          spells backwards
  ["length", part]        how many symbols it has
  ["count", part, "xy"]   how often a text stands in it, from the left, none within another
  ["value", part]         the value of an expression with + - * and numbers in the digits
  ["text", x]             a number as text, written in the digits
  ["+", x, y], ["-", x, y], ["*", x, y], ["div", x, y], ["mod", x, y]
  ["==", x, y], ["!=", x, y], ["<", x, y], ["<=", x, y], [">", x, y], [">=", x, y]
  ["and", x, y], ["or", x, y], ["not", x]
  ["if", condition, x, y] x where the condition holds, else y
  ["reverse", x]          a text backwards
  ["sorted", x]           a text, its symbols in the order of the alphabet
  ["repeat", x, n]        a text n times
  ["join", x, …]          texts, one behind the other
  ["every", x, n, k]      of a text the symbols n, n + k, n + 2k …, counted from 1
"""

from __future__ import annotations

from typing import Any

from gridlang.compiler.verifier.clauses.inputs import InputClause
from gridlang.compiler.verifier.limits import LIMITS
from gridlang.compiler.verifier.tables import Rules, check

# ("constant", 7 or "x"), ("part", i), ("number", i), ("backwards", i), ("length", i), ("count", i, "xy"),
# ("value", i), (operator, node, …)
Node = tuple[Any, ...]
Word = tuple[int, ...]

COMPARISONS = ("==", "!=", "<", "<=", ">", ">=")
OPERANDS = {
    **dict.fromkeys(("text", "not", "reverse", "sorted"), 1),
    **dict.fromkeys(("repeat", "+", "-", "*", "div", "mod", "and", "or", *COMPARISONS), 2),
    **dict.fromkeys(("if", "every"), 3),
}
NUMBERS = [["number", ["part", 0]], ["number", ["part", 2]]]
UNKNOWN = "its output clause has an operation that is none"


class OutputClause:
    """LEFT's output clause: its expression, the digits of its numbers, and the input clause it speaks of."""

    def __init__(self, left: Rules, inputs: InputClause) -> None:
        self.symbols, self.members = left.symbols, inputs.members
        self.digits = digits_of(left)
        self.has_long_numbers = inputs.goes_on(self.digits)
        self.size = 0
        self.node = self.read(left.output["value"])
        self.conditions = [self.read(tree) for tree in conjuncts(left.where) if _is_known(tree)]

    def read(self, tree: Any) -> Node:
        """An expression; Wrong if it is none."""
        self.size += 1
        check(self.size <= LIMITS.nodes, "left", "its output clause is too long")
        if type(tree) is int:
            check(0 <= tree <= LIMITS.literal, "left", "its output clause has too large numbers")
        if isinstance(tree, str):
            self.word(tree)
        if type(tree) is int or isinstance(tree, str):
            return ("constant", tree)
        check(isinstance(tree, list) and tree, "left", UNKNOWN)
        kind, *inner = tree
        check(isinstance(kind, str), "left", UNKNOWN)
        if kind == "part":
            exists = len(inner) == 1 and type(inner[0]) is int and 0 <= inner[0] < len(self.members)
            check(exists, "left", "its output clause names what is no part")
            return (kind, inner[0])
        if kind in ("number", "length", "count", "value"):
            check(inner, "left", UNKNOWN)
            return self._quantity(kind, *inner)
        known = OPERANDS.get(kind) == len(inner) or (kind == "join" and inner)
        check(known, "left", f"its output clause has `{kind}`, of which nothing is proven"[:120])
        return (kind, *map(self.read, inner))

    def _quantity(self, kind: str, of: Any, *what: Any) -> Node:
        of_part, part = self.read(of)[:2]
        if kind == "number" and of_part == "reverse":
            kind, (of_part, part) = "backwards", part[:2]
        check(of_part == "part", "left", f"its output clause has `{kind}` of more than a part of the input")
        check(len(what) == (kind == "count"), "left", UNKNOWN)
        if kind in ("number", "backwards"):
            members = self.members[part]
            number = _are_digits(members) and "-" not in members
            check(number, "left", "its output clause reads a number whose symbols are no digits")
        texts = all(isinstance(text, str) and text for text in what)
        check(texts, "left", "its output clause counts what is no text")
        for text in what:
            self.word(text)
        check(kind != "value" or self.digits, "left", "its output clause has a number and no digits")
        return (kind, part, *what)

    def spelled(self, constant: int | str) -> str:
        """The text of a constant, without blanks at its ends."""
        if isinstance(constant, str):
            return constant.strip("_")
        check(self.digits, "left", "its output clause has a number and no digits")
        return in_digits(constant, self.digits)

    def word(self, text: str) -> Word:
        symbols = self.symbols
        check(set(text) <= set(symbols), "left", "its output clause has a symbol that LEFT does not know")
        return tuple(symbols.index(symbol) for symbol in text)


def digits_of(left: Rules) -> str:
    """The digits of LEFT's output clause, which may be empty; Wrong if it is not a clause."""
    whole = isinstance(left.output, dict) and set(left.output) == {"digits", "value"}
    check(whole and isinstance(left.output["digits"], str), "left", "its output clause has other parts")
    digits: str = left.output["digits"]
    known = set(digits) <= set(left.symbols) and not {"_", "-"} & set(digits)
    check(known and _are_digits(digits or "01"), "left", "the digits of its output clause are none")
    return digits


def in_digits(number: int, digits: str) -> str:
    text = digits[number % len(digits)]
    while number := number // len(digits):
        text = digits[number % len(digits)] + text
    return text


def conjuncts(tree: Any) -> list[Any]:
    """The conditions that inputs meet, all of them."""
    if isinstance(tree, list) and len(tree) == 3 and tree[0] == "and":
        return [inner for side in tree[1:] for inner in conjuncts(side)]
    return [] if tree is None else [tree]


def _is_known(tree: Any) -> bool:
    """Whether an expression is of numbers of parts that are compared; others are left out."""
    if not isinstance(tree, list) or not tree:
        return False
    if tree[0] in ("and", "or", "not"):
        return all(map(_is_known, tree[1:]))
    return tree[0] in COMPARISONS and tree[1:] in (NUMBERS, NUMBERS[::-1])


def is_number(node: Node) -> bool:
    return node[0] == "constant" and not isinstance(node[1], str)


def linear(node: Node, differences: bool = False) -> list[int] | None:
    """[k, m, c] of k * a + m * b + c, a and b the numbers of parts 0 and 2; None for another form."""
    if is_number(node):
        return [0, 0, node[1]]
    if node[0] == "number":
        return {0: [1, 0, 0], 2: [0, 1, 0]}.get(node[1])
    if node[0] not in ("+", "*", *["-"] * differences):
        return None
    a, b = (linear(side, differences) for side in node[1:])
    if a is None or b is None:
        return None
    if node[0] != "*":
        sign = 1 if node[0] == "+" else -1
        return [x + sign * y for x, y in zip(a, b, strict=True)]
    if a[:2] != [0, 0]:
        a, b = b, a
    return [a[2] * factor for factor in b] if a[:2] == [0, 0] else None


def _are_digits(symbols: str) -> bool:
    return 1 < len(symbols) == len(set(symbols))


def compare(kind: str, a: int, b: int) -> bool:
    return {"==": a == b, "!=": a != b, "<": a < b, "<=": a <= b, ">": a > b, ">=": a >= b}[kind]
