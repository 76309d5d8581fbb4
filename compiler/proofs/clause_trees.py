"""Clauses as they stand in certificates: trees in JSON, so that checkers need no parser.

What trees there are, and what they mean: `compiler/verifier/clauses`. Classes, ranges, `except` and counts
are written out. A condition is left out where no proof needs it: then a claim about inputs is about more of
them than were declared. What is not a clause of the language stays the text that
it is; checkers refuse every claim that needs it.
"""

from __future__ import annotations

from functools import reduce
from typing import Any

from gridlang.clauses.clause_tree import as_data
from gridlang.clauses.input_clauses import language_of
from gridlang.clauses.inputs import InputLanguage
from gridlang.clauses.outputs import OutputRule, output_rule
from gridlang.clauses.position_automaton import symbols_of, unrolled
from gridlang.diagnostics import GridError
from gridlang.syntax import tree as s
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
    parts = rule.language.parts
    tree = as_data(rule.node, [part.members for part in parts], rule.digits)
    return _counted(tree, [part.symbols for part in parts])


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


def condition_tree(language: InputLanguage, digits: str) -> Tree:
    """The expression of the condition of inputs, beside a clause with these digits; None if there is none."""
    condition = language.condition
    return condition and as_data(condition.node, [part.members for part in language.parts], digits)
