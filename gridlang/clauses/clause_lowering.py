"""From the syntax of an `output` or `where` clause to its tree: what is a number, a text, a condition.

A part whose class counts 0, 1, 2 … is a number in base |class|; any other part is text. A number can stand
where text is wanted: a part as it was written, a literal as its digits.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from gridlang.clauses.clause_tree import Constant, Node, Operation, Part
from gridlang.clauses.functions import (
    ACCEPTANCES,
    FUNCTIONS,
    NUMBER,
    ORDER,
    SAME_SYMBOLS,
    TEXT,
    TRUTH,
    VERDICT,
    Acceptance,
    counts,
    names_in,
)
from gridlang.diagnostics import Diagnostic
from gridlang.syntax import tree as s
from gridlang.syntax.unparse import expression
from gridlang.values import ARITHMETIC

_IN_WORDS = {NUMBER: "a number", TEXT: "text", TRUTH: "a condition"}
Values = Mapping[str, int | str]  # of constants and parameters
PartOfClause = tuple[str, str]  # its name, and its class if it has just one


class Typed(NamedTuple):
    """A node and its kind; a number also has its text, and the expressions computed for that."""

    node: Node
    kind: str
    text: Node = Constant("")
    computed: tuple[s.Expr, ...] = ()


def bases_of(node: s.Expr, parts: Sequence[PartOfClause]) -> list[str]:
    """The classes of the numbers among the parts that a clause speaks of, in the order of the parts."""
    named = {name.name for name in names_in(node)}
    return list(dict.fromkeys(members for name, members in parts if name in named and counts(members)))


class ClauseLowering:
    """Lowers one clause, whose numbers are written in `digits`; `diagnostics` are what is wrong with it."""

    def __init__(self, parts: Sequence[PartOfClause], values: Values, digits: str) -> None:
        self.members = [members for _, members in parts]
        self.places = {name: place for place, (name, _) in enumerate(parts) if name}
        self.values, self.digits = values, digits
        self.written: list[s.Expr] = []  # computed numbers that stand where text is wanted
        self.diagnostics: list[Diagnostic] = []

    def error(self, message: str, node: s.Expr, hint: str = "") -> None:
        self.diagnostics.append(Diagnostic("G090", message, node.span, "", hint))

    def no_digits(self, node: s.Expr) -> None:
        hint = "declare a class such as `digit = 0..9`, of at least two digits from 0 on"
        self.error("there are no digits to write this number in", node, hint)

    def result(self, node: s.Expr) -> Typed:
        """A whole clause: verdicts may stand in its branches, beside results of one kind."""
        if isinstance(node, s.Conditional):
            return self.choice(node, self.result(node.then), self.result(node.otherwise))
        acceptance = self.acceptance(node)
        return Typed(Operation(acceptance.value), VERDICT) if acceptance else self.typed(node)

    def acceptance(self, node: s.Expr) -> Acceptance | None:
        """The verdict that a node is; a part or constant of that name comes first."""
        if not isinstance(node, s.Name) or node.name in self.places or node.name in self.values:
            return None
        return Acceptance(node.name) if node.name in ACCEPTANCES else None

    def typed(self, node: s.Expr) -> Typed:
        if self.acceptance(node):
            hint = "as in `output accept if a mod 3 == 0 else stuck`"
            self.error(f"`{expression(node)}` stands alone, or in a branch of `if … else`", node, hint)
            return Typed(Constant(""), VERDICT)
        if isinstance(node, s.Number):
            return Typed(Constant(node.value), NUMBER, Constant(str(node.value)))
        if isinstance(node, s.Symbol | s.Text):
            return Typed(Constant(node.char if isinstance(node, s.Symbol) else node.value), TEXT)
        if isinstance(node, s.Name):
            return self.name(node)
        if isinstance(node, s.Call):
            return self.call(node)
        if isinstance(node, s.Unary):
            kind = TRUTH if node.op == "not" else NUMBER
            return self.made(node, Operation(node.op, (self.of_kind(node.operand, kind),)), kind)
        if isinstance(node, s.Conditional):
            return self.choice(node, self.typed(node.then), self.typed(node.otherwise))
        if isinstance(node, s.Binary):
            return self.binary(node)
        self.error("this cannot stand in a clause", node)
        return Typed(Constant(""), TEXT)

    def name(self, node: s.Name) -> Typed:
        if node.name in self.values:
            value = self.values[node.name]
            kind = TEXT if isinstance(value, str) else NUMBER
            return Typed(Constant(value), kind, Constant(str(value)))
        part = Part(self.places[node.name])
        members = self.members[part.index]
        if counts(members):
            return Typed(Operation("number", (part,), members), NUMBER, part)
        return Typed(part, TEXT)

    def call(self, node: s.Call) -> Typed:
        name, function = node.name.name, FUNCTIONS[node.name.name]
        wanted = [*function.takes, *function.takes[-1:] * len(node.args)]
        operands = tuple(self.of_kind(arg, kind) for arg, kind in zip(node.args, wanted, strict=False))
        if name == "text":
            self.written.append(node)
        digits = self.class_of(operands[0]) or self.digits if name == "number" else self.digits
        has_digits = name in ("text", "number", "value")
        return self.made(node, Operation(name, operands, digits if has_digits else ""), function.gives)

    def made(self, node: s.Expr, made: Operation, kind: str) -> Typed:
        return Typed(made, kind, Operation("text", (made,), self.digits), (node,))

    def class_of(self, node: Node) -> str:
        """The class of a text, if known."""
        if isinstance(node, Operation) and node.operator in SAME_SYMBOLS:
            return self.class_of(node.operands[0])
        return self.members[node.index] if isinstance(node, Part) else ""

    def choice(self, node: s.Conditional, then: Typed, otherwise: Typed) -> Typed:
        """A choice between two; a number beside a text is written as one."""
        kind = next(each for each in (TRUTH, TEXT, NUMBER, VERDICT) if each in (then.kind, otherwise.kind))
        condition, both = self.of_kind(node.condition, TRUTH), (then, otherwise)
        are_texts = kind == TEXT
        nodes = [self.as_text(each) if are_texts else each.node for each in both]
        text = Operation("if", (condition, *(each.text for each in both)))
        computed = then.computed + otherwise.computed
        return Typed(Operation("if", (condition, *nodes)), kind, text, computed)

    def binary(self, node: s.Binary) -> Typed:
        if node.op in ("==", "!="):
            return self.equality(node)
        if node.op in ("and", "or"):
            kind, gives = TRUTH, TRUTH
        elif node.op in ARITHMETIC or node.op in ORDER:
            kind, gives = NUMBER, NUMBER if node.op in ARITHMETIC else TRUTH
        else:
            self.error(f"`{node.op}` cannot stand in a clause", node)
            return Typed(Constant(""), TEXT)
        sides = self.of_kind(node.left, kind), self.of_kind(node.right, kind)
        return self.made(node, Operation(node.op, sides), gives)

    def equality(self, node: s.Binary) -> Typed:
        """A comparison of two numbers, or else of two texts."""
        both = [self.typed(node.left), self.typed(node.right)]
        for typed, side in zip(both, (node.left, node.right), strict=True):
            if typed.kind == TRUTH:
                self.error(f"`{node.op}` compares numbers or texts, not {_IN_WORDS[TRUTH]}", side)
        are_texts = any(typed.kind == TEXT for typed in both)
        sides = [self.as_text(typed) if are_texts else typed.node for typed in both]
        return Typed(Operation(node.op, tuple(sides)), TRUTH)

    def of_kind(self, node: s.Expr, kind: str) -> Node:
        typed = self.typed(node)
        if kind == TEXT and typed.kind == NUMBER:
            return self.as_text(typed)
        if typed.kind not in (kind, VERDICT):  # a verdict was reported before
            readable = (kind, typed.kind) == (NUMBER, TEXT)
            hint = "number(…) reads text as a number by its class" if readable else ""
            self.error(f"expected {_IN_WORDS[kind]}, found {_IN_WORDS[typed.kind]}", node, hint)
        return typed.node

    def as_text(self, typed: Typed) -> Node:
        """A text; a number becomes one: a part as it stands, a literal as its digits."""
        if typed.kind != NUMBER:
            return typed.node
        self.written += typed.computed
        return typed.text
