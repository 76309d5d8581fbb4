"""The one exploration loop: breadth first, each node once, with the way back to the start.

Reachability, minimisation, equivalence and proofs hand it a local function and read what it found.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable
from dataclasses import dataclass
from typing import Generic, TypeVar

Node = TypeVar("Node", bound=Hashable)
Label = TypeVar("Label")


class Stop(Exception):
    """Raised by a successor function that has seen enough; `value` says what."""

    def __init__(self, value: object) -> None:
        super().__init__(value)
        self.value = value


class TooLarge(Exception):
    """The limit was reached; `size` nodes had been found."""

    def __init__(self, size: int) -> None:
        super().__init__(size)
        self.size = size


@dataclass(frozen=True, slots=True)
class Explored(Generic[Node, Label]):
    """Nodes in the order of discovery, and how each was first reached.

    `stopped` is the node whose successors ended the exploration early and the value it gave.
    """

    nodes: list[Node]
    parents: dict[Node, tuple[Node, Label] | None]
    stopped: tuple[Node, object] | None = None

    def path(self, node: Node) -> list[Label]:
        """The labels of a shortest way from the start to a node."""
        labels = []
        step = self.parents[node]
        while step is not None:
            labels.append(step[1])
            step = self.parents[step[0]]
        return labels[::-1]


def explore(
    start: Node,
    successors: Callable[[Node], Iterable[tuple[Label, Node]]],
    limit: int = 10_000_000,
) -> Explored[Node, Label]:
    """Everything that can be reached from `start`, or as far as a successor function raised Stop."""
    nodes = [start]
    parents: dict[Node, tuple[Node, Label] | None] = {start: None}
    for node in nodes:
        try:
            for label, after in successors(node):
                if after not in parents:
                    if len(nodes) >= limit:
                        raise TooLarge(len(nodes))
                    parents[after] = (node, label)
                    nodes.append(after)
        except Stop as stop:
            return Explored(nodes, parents, (node, stop.value))
    return Explored(nodes, parents)
