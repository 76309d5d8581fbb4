"""The tree of a clause: what `output` and `where` say, once names, classes and kinds are known.

`clause_lowering` makes it from source. The evaluator (`clause_values`), the prover and the checkers read it,
and certificates hold it: what there is, and what it means, is in `compiler/verifier/clauses/outputs`.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import reduce
from typing import TypeAlias


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
    """The operator of a node: "part" for a part, empty for a constant."""
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
