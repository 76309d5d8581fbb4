"""Each state as a card with its rules, families together: for graphs with too many edges to follow."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from gridlang.compiler.drawing.graphs import Node, StateGraph, in_order
from gridlang.compiler.drawing.layout.placed import MARGIN, Box, Frame, Layout, Point, Route, shrunk
from gridlang.compiler.drawing.layout.sizes import NOTE, Size, node_size, sans_width, words_of

GAP = 10.0  # between cards, and between a family's frame and its cards
APART = 20.0  # between families
TITLE = 20.0  # height of a family's title
WIDTHS = [400.0 * 1.12**n for n in range(32)]  # that rows of families may fill: the best is taken


class _Block(NamedTuple):
    """A family, or the states that stand alone: cards in columns of one width."""

    title: str
    cards: list[int]
    sizes: list[Size]

    @property
    def column(self) -> float:
        return max(size.width for size in self.sizes) + GAP

    def columns(self, width: float) -> int:
        return max(1, min(len(self.cards), int((width - GAP) // self.column)))

    def size(self, width: float) -> Size:
        columns = self.columns(width)
        needed = sans_width(self.title, NOTE) * 1.06 + 2 * GAP
        height = sum(max(s.height for s in row) + GAP for row in _rows(self.sizes, columns))
        return Size(max(columns * self.column + GAP, needed), height + GAP + TITLE * bool(self.title))


def lay_out_cards(graph: StateGraph) -> Layout:
    """Families in rows of the width that shows most of the drawing at once."""
    words = words_of(graph)
    sizes = [node_size(*each) for each in zip(graph.nodes, words.nodes, strict=True)]
    blocks = _blocks(graph.nodes, sizes)
    layouts = (_laid_out(blocks, width, len(sizes)) for width in WIDTHS)
    layout = max(layouts, key=lambda found: shrunk(found.size))
    routes = [_route(layout.nodes[edge.source], layout.nodes[edge.target]) for edge in graph.edges]
    return layout._replace(routes=tuple(routes))


def _blocks(nodes: Sequence[Node], sizes: Sequence[Size]) -> list[_Block]:
    """In the order of the states; members of a family by the numbers in their names."""
    kin: dict[str, list[int]] = {}
    for number, node in enumerate(nodes):
        kin.setdefault(node.kin, []).append(number)
    for title, members in kin.items():
        if title:
            members.sort(key=lambda member: in_order(nodes[member].name))
    return [_Block(title, cards, [sizes[card] for card in cards]) for title, cards in kin.items()]


def _rows(sizes: Sequence[Size], columns: int) -> Iterable[Sequence[Size]]:
    return (sizes[first : first + columns] for first in range(0, len(sizes), columns))


def _laid_out(blocks: Sequence[_Block], width: float, cards: int) -> Layout:
    """Block after block, in rows of a width."""
    boxes, frames = [Box(0, 0, 0, 0)] * cards, []
    x = y = right = MARGIN
    row_height = 0.0
    for block in blocks:
        size = block.size(width)
        if x > MARGIN and x + size.width > width + MARGIN:
            x, y, row_height = MARGIN, y + row_height + APART, 0.0
        for card, box in _places(block, width, (x, y)):
            boxes[card] = box
        if block.title:
            middle = (x + size.width / 2, y + size.height / 2)
            count = f"{len(block.cards)} states"
            frames.append(Frame(block.title, count, Box(*middle, *size)))
        x, row_height = x + size.width + APART, max(row_height, size.height)
        right = max(right, x - APART)
    return Layout(Size(right + MARGIN, y + row_height + MARGIN), tuple(boxes), (), tuple(frames))


def _places(block: _Block, width: float, corner: Point) -> Iterable[tuple[int, Box]]:
    columns, y = block.columns(width), corner[1] + GAP + TITLE * bool(block.title)
    cards = iter(block.cards)
    for row in _rows(block.sizes, columns):
        tallest = max(size.height for size in row)
        for place, (size, card) in enumerate(zip(row, cards, strict=False)):
            middle = corner[0] + GAP + (place + 0.5) * block.column - GAP / 2
            height = tallest if block.title else size.height
            yield card, Box(middle, y + height / 2, block.column - GAP, height)
        y += tallest + GAP


def _route(source: Box, target: Box) -> Route:
    """Straight from border to border; it is seen when one of its states is looked at."""
    dx, dy = target.x - source.x, target.y - source.y

    def border(box: Box, sign: int) -> Point:
        share = min(box.width / 2 / max(abs(dx), 1e-9), box.height / 2 / max(abs(dy), 1e-9))
        return box.x + sign * share * dx, box.y + sign * share * dy

    start, end = border(source, 1), border(target, -1)
    middle = ((start[0] + end[0]) / 2, (start[1] + end[1]) / 2)
    return Route((start, start, end, end), middle)
