"""The sizes of a drawing's words, before it is drawn."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple
from unicodedata import combining, east_asian_width

from gridlang.compiler.drawing.graphs import Node, StateGraph
from gridlang.compiler.drawing.labels import HALT, Line

MOST_LINES = 6  # in a label: more would hide what is around it
NAME_LETTERS = 34  # the rest is in the tooltip
LINE_LETTERS = 44

NAME, NOTE, LOOP, LABEL = 14.0, 11.0, 11.0, 11.0  # font sizes
LEADING = 1.35  # line height, in font sizes
PAD_X, PAD_Y = 11.0, 7.0  # between the border of a box and its words
CHIP, CHIP_GAP = 10.0, 3.0  # font size of a chip; space between two
WIDEST_CHIPS = 250.0  # widest row of chips
# Letters that are much narrower or wider than others in all common sans-serif fonts.
_NARROW = frozenset("iljtfrI.,:;|'!()[]{}` ")
_WIDE = frozenset("mwMW@%—<>=+~#&…")


class Size(NamedTuple):
    width: float
    height: float


class Row(NamedTuple):
    """One line of text in a drawing; `line` is what it stands for, and its number in the graph."""

    text: str
    kind: str  # name, note, loop, halt, label or more
    line: Line | None = None
    number: int = -1


def shortened(text: str, most: int) -> str:
    return text if len(text) <= most else text[: most - 1] + "…"


def sans_width(text: str, size: float) -> float:
    """The approximate width of a text in a sans-serif font, rather too large."""
    return size * sum(map(_em, text))


def _em(char: str) -> float:
    if combining(char):
        return 0.0
    if east_asian_width(char) in "WF":
        return 1.05
    if char in _NARROW:
        return 0.36
    return 0.92 if char in _WIDE else 0.72 if char.isupper() else 0.6


def mono_width(text: str, size: float) -> float:
    return size * sum(1.05 if east_asian_width(c) in "WF" else 0.605 for c in text if not combining(c))


def row_size(row: Row) -> Size:
    size = NAME if row.kind == "name" else NOTE if row.kind in ("note", "more") else LABEL
    width = sans_width(row.text, size) if row.kind in ("name", "note", "more") else mono_width(row.text, size)
    return Size(width * (1.06 if row.kind == "name" else 1.0), size * LEADING)


def line_text(line: Line) -> str:
    if line.action == HALT:
        return f"■ halt on {line.reads}"
    return line.text


def _rows(lines: Sequence[Line], first: int, kind: str) -> list[Row]:
    """One row per line; beyond the limit, the number of lines left out."""
    rows = [_row(line, number, kind) for number, line in enumerate(lines, first)]
    if len(rows) <= MOST_LINES + 1:
        return rows
    return [*rows[:MOST_LINES], Row(f"… {len(rows) - MOST_LINES} more", "more")]


def _row(line: Line, number: int, kind: str) -> Row:
    own = "halt" if line.action == HALT else kind
    text = ("↻ " if own == "loop" else "") + line_text(line)
    return Row(shortened(text, LINE_LETTERS), own, line, number)


class Words(NamedTuple):
    """The rows of every node and edge of a graph."""

    nodes: list[list[Row]]
    edges: list[list[Row]]


def words_of(graph: StateGraph) -> Words:
    """Rows with the numbers that their lines have in the graph."""
    words = Words([], [])
    number = 0
    for node in graph.nodes:
        words.nodes.append(_node_rows(node, number))
        number += len(node.lines)
    for edge in graph.edges:
        words.edges.append(_rows(edge.lines, number, "label"))
        number += len(edge.lines)
    return words


def _node_rows(node: Node, first: int) -> list[Row]:
    if node.is_halt and len(node.lines) == 1:
        return [Row("■ halt", "halt", node.lines[0], first)]
    rows = [Row(shortened(node.name, NAME_LETTERS), "name")]
    if node.note:
        rows.append(Row(shortened(node.note, NAME_LETTERS), "note"))
    return rows + _rows(node.lines, first, "loop")


def block_size(rows: Sequence[Row], pad_x: float = 0.0, pad_y: float = 0.0) -> Size:
    sizes = [row_size(row) for row in rows]
    width = max((size.width for size in sizes), default=0.0)
    return Size(width + 2 * pad_x, sum(size.height for size in sizes) + 2 * pad_y)


class Chips(NamedTuple):
    """The members of a family as a grid of small cells."""

    texts: tuple[str, ...]
    columns: int
    cell: Size

    @property
    def size(self) -> Size:
        if not self.texts:
            return Size(0.0, 0.0)
        rows = -(-len(self.texts) // self.columns)
        return Size(
            self.columns * (self.cell.width + CHIP_GAP) - CHIP_GAP, rows * (self.cell.height + CHIP_GAP) + 3
        )


def chips_of(node: Node) -> Chips:
    texts = tuple(shortened(text, 14) for text in node.chips)
    width = max((mono_width(text, CHIP) for text in texts), default=0.0) + 7
    fitting = max(1, int((WIDEST_CHIPS + CHIP_GAP) // (width + CHIP_GAP)))
    return Chips(texts, min(fitting, max(1, len(texts))), Size(width, CHIP * LEADING + 2))


def node_size(node: Node, rows: Sequence[Row]) -> Size:
    """The box of a node: its rows, and its members below."""
    text, chips = block_size(rows), chips_of(node).size
    return Size(max(text.width, chips.width) + 2 * PAD_X, text.height + chips.height + 2 * PAD_Y)
