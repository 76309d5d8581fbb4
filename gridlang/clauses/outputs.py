"""The `output` clause: what must be left on the grid, computed from the parts of the input.

A part whose class counts 0, 1, 2 … is a number in base |class|; any other part is text. A
number can stand where text is wanted: a part as it was written, a literal as its digits.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple, Protocol

from gridlang.clauses.inputs import InputLanguage, language_of
from gridlang.clauses.output_kinds import (
    ARITHMETIC,
    FUNCTIONS,
    NUMBER,
    ORDER,
    TEXT,
    TRUTH,
    Acceptance,
    Kinds,
    check_names_in,
    counts,
)
from gridlang.diagnostics import GridError, fail
from gridlang.source import Source
from gridlang.syntax import tree as s
from gridlang.syntax.parser import parse_line
from gridlang.table import BLANK, Table

MAX_TEXT = 10_000_000  # Symbols that `repeat` may make: more would fill the memory for no reader.


class Ended(Protocol):
    """A run that has ended: how, and what it has left."""

    @property
    def outcome(self) -> str: ...
    @property
    def result(self) -> str: ...


class OutputRule(NamedTuple):
    """A checked clause, ready to be asked."""

    clause: str
    node: s.Expr
    kind: str
    digits: str  # Numbers are written in these symbols.
    symbols: tuple[str, ...]
    language: InputLanguage

    @property
    def acceptances(self) -> set[Acceptance]:
        """The verdicts that some branch of the clause asks for."""
        branches, asked = [self.node], set()
        kinds = Kinds({part.name: part.members for part in self.language.parts}, {})
        for node in branches:  # It grows on the way.
            if isinstance(node, s.Conditional):
                branches += [node.then, node.otherwise]
            asked.add(kinds.acceptance(node))
        return {acceptance for acceptance in asked if acceptance}

    def expected(self, text: str) -> str | Acceptance | None:
        """What the input must leave on the grid, or how its run must end.

        None where the clause has no value, as in `a div 0`.
        """
        try:
            value = _Reader(self, self.language.split(text)).result(self.node)
        except _NoValue:
            return None
        if isinstance(value, Acceptance):
            return value
        return value.strip(BLANK) if isinstance(value, str) else in_base(value, self.digits)

    def is_met(self, expected: str | Acceptance, done: Ended) -> bool:
        """Whether a run ended as expected, and left what it should."""
        if isinstance(expected, Acceptance):
            return done.outcome == {Acceptance.ACCEPT: "halted", Acceptance.STUCK: "stuck"}[expected]
        return done.outcome == "halted" and self.agrees(expected, done.result)

    def agrees(self, expected: str, result: str) -> bool:
        """Whether a result is right; numbers may have leading zeros, but never be empty."""
        if self.kind == TEXT or not result or not set(result) <= set(self.digits):
            return result == expected
        return from_base(result, self.digits) == from_base(expected, self.digits)


def output_rule(table: Table) -> OutputRule | None:
    """The output clause of a table; None when it has none."""
    language = language_of(table)
    if not table.output or language is None:
        return None
    clause: s.OutputClause = parse_line(
        "output_line", Source(f"<output of {table.name}>", f"output {table.output}")
    )
    complaints = list(check_names_in(clause.value, [part.name for part in language.parts if part.name]))
    if complaints:
        raise GridError(complaints)
    return make_rule(clause.value, table, language, {})


def make_rule(node: s.Expr, table: Table, language: InputLanguage, values: Mapping[str, int]) -> OutputRule:
    """Infers kinds and finds the base; GridError where the clause makes no sense."""
    parts = {part.name: part.members for part in language.parts if part.name}
    checker = Kinds(parts, values)
    kind = checker.result(node)
    if kind == TRUTH:
        hint = 'say what is left in each case: "1" if … else "0"'
        checker.error("the output is a condition, not a result", node, hint)
    bases = {parts[name] for name in checker.used if counts(parts[name])}
    if len(bases) > 1:
        checker.error("these numbers are in different bases", node, "use parts of one class, or text(…)")
    spare = [chars for _, chars in table.classes if counts(chars)]
    digits = next(iter(bases), spare[0] if spare else "")
    if kind == NUMBER and not digits and not checker.diagnostics:
        checker.error(
            "there are no digits to write this number in", node, "declare a class such as `digit = 0..9`"
        )
    if checker.diagnostics:
        raise GridError(checker.diagnostics)
    return OutputRule(table.output, node, kind, digits, table.symbols, language)


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
    if "0123456789".startswith(digits) and text.isdigit() and len(text) < 4000:
        return int(text, len(digits))
    value = 0
    place = {c: i for i, c in enumerate(digits)}
    for c in text:
        if c not in place:
            raise fail("G090", f"the output clause reads `{text}` as a number, but `{c}` is no digit")
        value = value * len(digits) + place[c]
    return value


class _NoValue(Exception):
    """A division by zero, or a text too long to be meant."""


class _Reader:
    """Evaluates a clause for the parts of one input."""

    def __init__(self, rule: OutputRule, parts: Mapping[str, str]) -> None:
        self.rule = rule
        self.parts = parts
        self.members = {part.name: part.members for part in rule.language.parts}

    def result(self, node: s.Expr) -> int | str | Acceptance:
        while isinstance(node, s.Conditional):
            node = node.then if self.truth(node.condition) else node.otherwise
        acceptance = Kinds(self.members, {}).acceptance(node)
        return acceptance or (self.number(node) if self.rule.kind == NUMBER else self.text(node))

    def is_number(self, node: s.Expr) -> bool:
        return Kinds(self.members, {}).kind(node) == NUMBER

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
        if node.op in ("div", "mod") and right == 0:
            raise _NoValue
        return ARITHMETIC[node.op](self.number(node.left), right)

    def number_call(self, node: s.Call) -> int:
        name = node.name.name
        if name == "length":
            return len(self.text(node.args[0]))
        if name == "count":
            return self.text(node.args[0]).count(self.text(node.args[1]))
        if name == "number":
            members = self.members.get(getattr(node.args[0], "name", ""), "") or self.rule.digits
            return from_base(self.text(node.args[0]), members)
        values = [self.number(arg) for arg in node.args]
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
        return in_base(self.number(node), self.rule.digits)

    def text_call(self, node: s.Call) -> str:
        name = node.name.name
        if name == "text":
            return in_base(self.number(node.args[0]), self.rule.digits)
        first = self.text(node.args[0])
        if name == "reverse":
            return first[::-1]
        if name == "sorted":
            return "".join(sorted(first, key=self.rule.symbols.index))
        if name == "repeat":
            times = max(0, self.number(node.args[1]))
            if times * len(first) > MAX_TEXT:
                raise _NoValue
            return first * times
        others = [self.text(arg) for arg in node.args[1:]]
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
