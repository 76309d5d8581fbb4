"""The tree of a clause: what `output` and `where` say, once names, classes and kinds are known.

`clause_lowering` makes it from source. The evaluator (`clause_values`), the prover and the checkers read it,
and certificates hold it: what there is, and what it means, is in `compiler/verifier/clauses/outputs`.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import reduce
from typing import Any, TypeAlias


@dataclass(frozen=True, slots=True)
class Constant:
    """A number, or a text."""

    value: int | str


@dataclass(frozen=True, slots=True)
class Part:
    """The text of a part of the input, by its place in the clause."""

    index: int


@dataclass(frozen=True, slots=True)
class Operation:
    """An operator or function and its operands, each of the kind that it takes.

    `digits` are those that `number` and `value` read, and `text` writes.
    """

    operator: str
    operands: tuple[Node, ...] = ()
    digits: str = ""


Node: TypeAlias = Constant | Part | Operation


def operation(operator: str, *operands: Node) -> Operation:
    return Operation(operator, operands)


def operator_of(node: Node) -> str:
    """What a node is first: "part" for a part, nothing for a constant."""
    if isinstance(node, Operation):
        return node.operator
    return "part" if isinstance(node, Part) else ""


def nodes_in(node: Node) -> Iterator[Node]:
    yield node
    for operand in node.operands if isinstance(node, Operation) else ():
        yield from nodes_in(operand)


def branches_of(node: Node) -> Iterator[Node]:
    if isinstance(node, Operation) and node.operator == "if":
        yield from branches_of(node.operands[1])
        yield from branches_of(node.operands[2])
    else:
        yield node


def as_data(node: Node, members: Sequence[str], digits: str) -> Any:
    """The tree as a certificate has it: of parts with these classes, its numbers written in these digits.

    Where an operation has other digits than checkers take it to have, these follow; so checkers refuse it.
    """
    if isinstance(node, Constant):
        return node.value
    if isinstance(node, Part):
        return ["part", node.index]
    taken = _digits_taken(node, members, digits)
    others = [node.digits] if node.digits != taken else []
    return [node.operator, *(as_data(operand, members, digits) for operand in node.operands), *others]


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


def has_plain_digits(node: Node, members: Sequence[str], digits: str) -> bool:
    """Whether all operations have the digits that checkers take them to have."""
    operations = (inner for inner in nodes_in(node) if isinstance(inner, Operation))
    return all(inner.digits == _digits_taken(inner, members, digits) for inner in operations)


def with_strokes_counted(node: Node, symbols: Sequence[set[str]]) -> Node:
    """The tree where a text of one letter, as `join(a, b)` of strokes, is that letter, repeated.

    `symbols` are all that may stand in each part.
    """
    if operator_of(node) not in ("if", "join", "reverse", "repeat"):
        return node
    assert isinstance(node, Operation)
    if node.operator == "if":
        condition, *branches = node.operands
        return operation("if", condition, *(with_strokes_counted(branch, symbols) for branch in branches))
    letters, length = _letters(node, symbols)
    return operation("repeat", Constant(letters.pop()), length) if len(letters) == 1 else node


def _letters(node: Node, symbols: Sequence[set[str]]) -> tuple[set[str], Node]:
    """The letters that may stand in a text, and its length; two at least where that is not known."""
    match node:
        case Constant(str(text)):
            return set(text), Constant(len(text))
        case Part(index):
            return symbols[index], operation("length", node)
        case Operation("reverse", (text,)):
            return _letters(text, symbols)
        case Operation("join", texts):
            made = [_letters(text, symbols) for text in texts]
            length = reduce(lambda before, each: operation("+", before, each), (length for _, length in made))
            return set[str]().union(*(letters for letters, _ in made)), length
        case Operation("repeat", (text, Constant(int(times)))) if times >= 0:
            letters, length = _letters(text, symbols)
            return letters, operation("*", length, Constant(times))
    return {"", operator_of(node)}, Constant(0)


def _digits_taken(node: Operation, members: Sequence[str], digits: str) -> str:
    """The digits that checkers take an operation to have."""
    if node.operator in ("text", "value"):
        return digits
    read = node.operands[0] if node.operator == "number" else None
    if isinstance(read, Operation) and read.operator == "reverse":
        read = read.operands[0]
    return members[read.index] if isinstance(read, Part) else ""
