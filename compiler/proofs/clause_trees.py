"""Clauses as they stand in certificates: trees in JSON, so that checkers need no parser.

What trees there are, and what they mean: `compiler/verifier/clauses`. Classes, ranges, `except` and counts
are written out. A condition is left out where no proof needs it: then a claim about inputs is about more of
them than were declared. ["other", text] is an expression of which checkers know nothing; so is [function or
operator, argument, …] for the rest of the language. What is not a clause of the language stays the text that
it is; checkers refuse every claim that needs it.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce
from typing import Any

from gridlang.clauses.functions import ARITHMETIC, FUNCTIONS, NUMBER, ORDER, ROW, TEXT, TRUTH, is_based
from gridlang.clauses.input_clauses import language_of
from gridlang.clauses.inputs import InputLanguage
from gridlang.clauses.output_kinds import Kinds
from gridlang.clauses.outputs import OutputRule, output_rule
from gridlang.clauses.position_automaton import symbols_of, unrolled
from gridlang.diagnostics import GridError
from gridlang.syntax import tree as s
from gridlang.syntax.unparse import expression
from gridlang.table import Table

Tree = Any


def input_tree(table: Table) -> Tree:
    """The input clause of a table; None if it has none."""
    try:
        language = language_of(table)
    except GridError:
        return table.input
    return language and [_piece(part.piece, table) for part in language.parts]


def _piece(piece: s.Piece, table: Table) -> Tree:
    if isinstance(piece, s.One):
        return symbols_of(piece.members, dict(table.classes), "".join(table.symbols))
    if isinstance(piece, s.Times):
        return _piece(unrolled(piece), table)
    if isinstance(piece, s.Repeat):
        return [piece.quantifier, _piece(piece.piece, table)]
    if isinstance(piece, s.Choice):
        return ["|", *(_piece(option, table) for option in piece.options)]
    return [",", *(_piece(part.piece, table) for part in piece.parts)]


def output_tree(table: Table) -> Tree:
    """The output clause of a table; None if it has none."""
    try:
        rule = output_rule(table)
    except GridError:
        rule = None
    if rule is None:
        return table.output or None
    return {"digits": rule.digits, "value": value_tree(rule)}


def value_tree(rule: OutputRule) -> Tree:
    """The expression of an output clause."""
    tree = _Expressions(rule.language).tree(rule.node, None if rule.kind == ROW else rule.kind)
    return _counted(tree, [set(part.members) for part in rule.language.parts])


def _counted(tree: Tree, letters: list[set[str]]) -> Tree:
    """A text of one letter alone, as `join(a, b)` of strokes, is this letter as often as the text is long."""
    if not isinstance(tree, list) or tree[0] not in ("if", "join", "reverse", "repeat"):
        return tree
    if tree[0] == "if":
        return [*tree[:2], *(_counted(branch, letters) for branch in tree[2:])]
    used, length = _letters(tree, letters)
    return ["repeat", *used, length] if len(used) == 1 else tree


def _letters(tree: Tree, letters: list[set[str]]) -> tuple[set[str], Tree]:
    """The letters that may stand in a text, and its length; any, of a text that is not joined of parts."""
    if isinstance(tree, str):
        return set(tree), len(tree)
    if tree[0] == "part":
        return letters[tree[1]], ["length", tree]
    if tree[0] == "reverse":
        return _letters(tree[1], letters)
    if tree[0] == "join":
        texts = [_letters(text, letters) for text in tree[1:]]
        lengths = reduce(lambda before, each: ["+", before, each], (length for _, length in texts))
        return set[str]().union(*(used for used, _ in texts)), lengths
    if tree[0] == "repeat" and isinstance(tree[2], int) and tree[2] >= 0:
        used, length = _letters(tree[1], letters)
        return used, ["*", length, tree[2]]
    return {"", tree[0]}, 0


def condition_tree(language: InputLanguage) -> Tree:
    """The expression of the condition of inputs; None if there is none."""
    condition = language.condition
    return condition and _Expressions(language).tree(condition.node, TRUTH)


_OTHER = "other"  # the text of an expression that checkers know nothing of
_OPAQUE = (s.Each, s.Index, s.Tail, s.Rows)
_CHOICES = {"max": ">=", "min": "<="}


def _names_class(node: s.Expr) -> bool:
    """Whether a node is a symbol of a class, `letter(n)`."""
    return isinstance(node, s.Call) and node.name.name not in FUNCTIONS


class _Expressions:
    """Trees of expressions. `kind` is what is wanted of one, or None for what it is by itself."""

    def __init__(self, language: InputLanguage) -> None:
        self.parts = {part.name: index for index, part in enumerate(language.parts) if part.name}
        self.kinds = Kinds({part.name: part.members for part in language.parts if part.name}, {})

    def tree(self, node: s.Expr, kind: str | None) -> Tree:
        if isinstance(node, _OPAQUE) or is_based(node) or _names_class(node):
            return [_OTHER, expression(node)]
        if isinstance(node, s.Conditional):
            branches = [self.tree(branch, kind) for branch in (node.then, node.otherwise)]
            return ["if", self.tree(node.condition, TRUTH), *branches]
        if isinstance(node, s.Row):
            return ["row", *(self.tree(part, None) for part in node.parts)]
        acceptance = self.kinds.acceptance(node)
        if acceptance:
            return [acceptance.value]
        own = self.kinds.kind(node)
        if isinstance(node, s.Name):
            part = ["part", self.parts[node.name]]
            return ["number", part] if NUMBER == own == (kind or own) else part
        if isinstance(node, s.Number):
            return str(node.value) if kind == TEXT else node.value
        if isinstance(node, s.Symbol | s.Text):
            return node.char if isinstance(node, s.Symbol) else node.value
        tree = self.operation(node)
        return ["text", tree] if (own, kind) == (NUMBER, TEXT) else tree

    def operation(self, node: s.Expr) -> Tree:
        if isinstance(node, s.Call) and node.name.name in _CHOICES and len(node.args) == 2:
            a, b = (self.tree(arg, NUMBER) for arg in node.args)
            return ["if", [_CHOICES[node.name.name], a, b], a, b]
        if isinstance(node, s.Call):
            takes = FUNCTIONS[node.name.name].takes
            wanted: Sequence[str] = [*takes, *takes[-1:] * len(node.args)]
            return [node.name.name, *map(self.tree, node.args, wanted)]
        if isinstance(node, s.Unary):
            return [node.op, self.tree(node.operand, TRUTH if node.op == "not" else NUMBER)]
        assert isinstance(node, s.Binary)
        sides = node.left, node.right
        kind = TRUTH if node.op in ("and", "or") else NUMBER
        if node.op not in (*ARITHMETIC, *ORDER, "and", "or") and not all(map(self.kinds.is_number, sides)):
            kind = TEXT
        return [node.op, *(self.tree(side, kind) for side in sides)]
