"""Clauses as certificates have them: lists of operators and operands, classes and counts written out."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from gridlang.clauses.clause_tree import Constant, Node, Operation, Part, nodes_in
from gridlang.clauses.inputs import InputLanguage
from gridlang.clauses.outputs import OutputRule
from gridlang.clauses.position_automaton import unrolled
from gridlang.evaluator import Evaluator
from gridlang.syntax import tree as s
from gridlang.table import Table


def input_as_data(table: Table, language: InputLanguage) -> list[Any]:
    """The parts of a clause as a certificate has them: classes, ranges, `except` and counts written out."""
    evaluator = Evaluator.of(table.symbols, table.classes)

    def data(piece: s.Piece) -> Any:
        if isinstance(piece, s.One):
            return evaluator.cell(piece.members)
        if isinstance(piece, s.Times):
            return data(unrolled(piece))
        if isinstance(piece, s.Repeat):
            return [piece.quantifier, data(piece.piece)]
        if isinstance(piece, s.Choice):
            return ["|", *map(data, piece.options)]
        return [",", *(data(part.piece) for part in piece.parts)]

    return [data(part.piece) for part in language.parts]


def as_data(rule: OutputRule, node: Node) -> Any:
    """The tree as a certificate has it.

    Where an operation has other digits than checkers take it to have, these follow; so checkers refuse it.
    """
    if isinstance(node, Constant):
        return node.value
    if isinstance(node, Part):
        return ["part", node.index]
    others = [node.digits] if node.digits != _taken(rule, node) else []
    return [node.operator, *(as_data(rule, operand) for operand in node.operands), *others]


def from_data(data: Any, members: Sequence[str], digits: str) -> Node:
    """The tree that a certificate has, of parts with these classes, as checkers read it."""
    if not isinstance(data, list):
        return Constant(data)
    operator, *inner = data
    if operator == "part":
        return Part(inner[0])
    own = inner.pop() if operator in ("text", "value", "number") and len(inner) > 1 else None
    node = Operation(operator, tuple(from_data(each, members, digits) for each in inner))
    return Operation(operator, node.operands, _digits_taken(node, members, digits) if own is None else own)


def has_plain_digits(rule: OutputRule, node: Node) -> bool:
    """Whether all operations have the digits that checkers take them to have."""
    operations = (inner for inner in nodes_in(node) if isinstance(inner, Operation))
    return all(inner.digits == _taken(rule, inner) for inner in operations)


def _taken(rule: OutputRule, node: Operation) -> str:
    return _digits_taken(node, [part.members for part in rule.language.parts], rule.digits)


def _digits_taken(node: Operation, members: Sequence[str], digits: str) -> str:
    """The digits that checkers take an operation to have."""
    if node.operator in ("text", "value"):
        return digits
    read = node.operands[0] if node.operator == "number" else None
    if isinstance(read, Operation) and read.operator == "reverse":
        read = read.operands[0]
    return members[read.index] if isinstance(read, Part) else ""
