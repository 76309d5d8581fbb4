"""Clauses that ask whether a part of the input reads the same from both ends."""

from __future__ import annotations

from typing import NamedTuple

from compiler.proofs.results.readings import Node, operator_of


class Mirrored(NamedTuple):
    """A clause that asks whether a part is its own mirror image: what it says where it is, and where not."""

    part: int
    same: Node
    other: Node

    @property
    def kind(self) -> str:
        """Of its evidence."""
        return "mirrored acceptance" if isinstance(self.same, tuple) else "mirrored"


def mirrored(node: Node) -> Mirrored | None:
    """A clause that asks this; None for another one."""
    if operator_of(node) != "if":
        return None
    _, condition, same, other = node
    while operator_of(condition) == "not":
        condition, same, other = condition[1], other, same
    if operator_of(condition) not in ("==", "!="):
        return None
    if condition[0] == "!=":
        same, other = other, same
    one, two = sorted(condition[1:], key=operator_of)
    asks = operator_of(one) == "part" and two == ("reverse", one)
    ends = {("accept",), ("stuck",)}
    told = {same, other} <= ends or not any(isinstance(said, tuple) for said in (same, other))
    return Mirrored(one[1], same, other) if asks and told else None
