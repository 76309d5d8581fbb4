"""The part of `verify` that checks neighbourhoods: cells near the head, and who may be neighbours elsewhere.

A label of a cell is (symbol, row, column, mark): what stands there now; where the cell lies in the first
world, as far as the certificate tells it; and the mark of the state that wrote it last, -1 for none. The
certificate puts each of LEFT's states into one set, its kind. For a kind, below[kind][a] and
right[kind][a] are the labels that may be below, or to the right of, a cell labelled a. An element (p, q, K)
gives labels to cells near the head, the head's own among them.

(V5) Theorem, neighbourhoods. Let each world of the scope have labels, such that, before the first step,
       (a) both are in states 0, and {head: its label} is an element with them,
       (b) any two neighbours have labels that the kind of state 0 allows.
     Let every element of the certificate be closed under its step, in this sense:
       (c) RIGHT writes and moves as LEFT does, or LEFT is stuck and the claim allows it;
       (d) the cell that is written gets its new label. What the old kind allows beside the old label, the
           new kind allows beside the new one, on every side where no cell is known and the head does not
           go;
       (e) the head goes to a cell that is known, or to one with any label that the old kind allows beside
           all known cells around it; what then is known within the radius is an element with the next
           states;
       (f) of known neighbours of which one is forgotten, the new kind allows the labels;
       (g) all that the old kind allows the new kind allows too.
     Then RIGHT does what LEFT does on every world of the scope. By induction, after each step the cells
     near the head are labelled as an element says, and neighbours that are not both known as the kind of
     LEFT's state allows: (d) keeps this for the neighbours of what was written, (f) for what is forgotten,
     (g) for all others. The radius is 1 at least, so that a cell and the one that the head comes from are
     both known.

The labels before the first step are those of `fresh`. On all worlds, row and column are 0. For inputs, rows
are counted from that of the input, three and more being one; columns are those of (V7), and -1 to the left
of the input. Outside of row 0 from column 0 on, all cells are blank.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from compiler.verifier.input_clauses import check_columns
from compiler.verifier.tables import (
    MOVES,
    Rules,
    Wrong,
    are_lists,
    are_numbers,
    are_states,
    check,
    forget_beyond,
    joint_step,
    known_cells,
    seen_after_move,
)

Cells = dict[tuple[int, int], int]


FAR = 3  # rows this far from row 0, or farther, are one


class _Labelling:
    """Labels, and which of them may be neighbours; all of it as the certificate gives it."""

    def __init__(self, left: Rules, scope: str, evidence: dict[str, Any]) -> None:
        self.labels = [(symbol, row, column, mark) for symbol, row, column, mark in evidence["labels"]]
        numbers = [number for label in self.labels for number in label]
        symbols = [symbol for symbol, _, _, _ in self.labels]
        if not (are_numbers(numbers, -FAR) and are_numbers(symbols, 0, len(left.symbols))):
            raise Wrong("evidence, labels", "one of them is none")
        self.number = {label: index for index, label in enumerate(self.labels)}
        self.left, self.starts = left, [0]
        self.steps: list[list[list[int]]] | None = None
        if evidence["columns"] is not None:
            self._read_columns(scope, **evidence["columns"])
        sides = {"D": evidence["below"], "R": evidence["right"]}
        if not all(are_lists(rows) for rows in (evidence["labels"], *sides.values())):
            raise Wrong("evidence, neighbours", "there must be lists of them")
        self.allowed = {  # [move][kind][label]: a bit for each label that may be there
            move: [[_mask(mask) for mask in row] for row in rows] for move, rows in sides.items()
        }
        if len(self.number) != len(self.labels):
            raise Wrong("evidence, labels", "a label stands twice")
        rows = [row for rows in self.allowed.values() for row in rows]
        if any(len(row) != len(self.labels) for row in rows):
            raise Wrong("evidence, neighbours", "each kind must have some for each label")
        if not all(mask < 1 << len(self.labels) for row in rows for mask in row):
            raise Wrong("evidence, neighbours", "a label among them does not exist")
        for one, other in (("D", "U"), ("R", "L")):
            self.allowed[other] = [_transposed(row, len(self.labels)) for row in self.allowed[one]]

    def _read_columns(self, scope: str, starts: list[int], steps: list[list[list[int]]]) -> None:
        """The columns of (V7); every input must be a path through them."""
        check(scope == "inputs", "evidence, columns", "all worlds have none")
        check_columns(self.left, starts, steps)
        self.starts, self.steps = starts, steps

    def fresh(self, row: int, column: int) -> list[int]:
        """The labels that a cell may have before the first step."""
        symbols = range(len(self.left.symbols)) if self.steps is None else [0]
        if self.steps is not None and row == 0 and column >= 0:
            symbols = [symbol for symbol, afters in enumerate(self.steps[column]) if afters]
        missing = [symbol for symbol in symbols if (symbol, row, column, -1) not in self.number]
        if missing:
            raise Wrong("evidence, labels", f"a cell with `{self.left.symbols[missing[0]]}` is missing")
        return [self.number[symbol, row, column, -1] for symbol in symbols]

    def first_pairs(self) -> Iterator[tuple[str, int, int]]:
        """All neighbours that there may be before the first step, the upper or the left one first."""
        if self.steps is None:
            yield from ((move, a, b) for move in "DR" for a in self.fresh(0, 0) for b in self.fresh(0, 0))
            return
        for row in range(-FAR, FAR + 1):
            for column in range(-1, len(self.steps)):
                for label in self.fresh(row, column):
                    for below in {max(-FAR, min(FAR, y + 1)) for y in _rows(row)}:
                        yield from (("D", label, other) for other in self.fresh(below, column))
                    for beside in self._next_columns(self.steps, row, column, self.labels[label][0]):
                        yield from (("R", label, other) for other in self.fresh(row, beside))

    def _next_columns(self, steps: list[list[list[int]]], row: int, column: int, symbol: int) -> set[int]:
        """What the column to the right may be; only the cell in the row of the input tells more."""
        if column < 0:
            return {-1, *self.starts}
        rest = steps[column] if row != 0 else [steps[column][symbol]]
        return {to for afters in rest for to in afters}


def _rows(row: int) -> list[int]:
    """Rows that a row of the certificate may stand for; of the far ones, the nearest two are enough."""
    return [-FAR - 1, -FAR] if row == -FAR else [FAR, FAR + 1] if row == FAR else [row]


def _mask(text: str) -> int:
    """A number from its hexadecimal digits, which are written in one way only."""
    mask = int(text, 16)
    if f"{mask:x}" != text or mask < 0:
        raise Wrong("evidence, neighbours", "one of them is no number")
    return mask


def _transposed(masks: list[int], size: int) -> list[int]:
    """The same neighbours, seen from the other side."""
    turned = [0] * size
    for label, mask in enumerate(masks):
        for other in _bits(mask):
            turned[other] |= 1 << label
    return turned


def _bits(mask: int) -> Iterator[int]:
    while mask:
        rest = mask & (mask - 1)
        yield (mask ^ rest).bit_length() - 1
        mask = rest


def check_places(
    left: Rules, right: Rules, scope: str, evidence: dict[str, Any], stuck: str
) -> tuple[int, int, int]:
    """(V5); the radius, how many elements there are, and in how many of them LEFT is stuck."""
    return _PlacesCheck(left, right, scope, evidence, stuck).check()


class _PlacesCheck:
    """The evidence of one certificate; and, while it is checked, which kinds follow each other."""

    def __init__(self, left: Rules, right: Rules, scope: str, evidence: dict[str, Any], stuck: str) -> None:
        self.left, self.right, self.stuck = left, right, stuck
        self.labelling = _Labelling(left, scope, evidence)
        self.radius, self.marks, self.kinds = evidence["radius"], evidence["marks"], evidence["kinds"]
        each = are_numbers(self.marks, 0) and are_numbers(self.kinds, 0)
        if not each or not len(self.marks) == len(self.kinds) == left.states:
            raise Wrong("evidence", "it must have a mark and a kind a state")
        if max(self.kinds) >= min(map(len, self.labelling.allowed.values())):
            raise Wrong("evidence, neighbours", "a kind has none")
        if type(self.radius) is not int or self.radius < 1:
            raise Wrong("evidence", "its radius must be at least 1")
        self.elements: list[tuple[int, int, Cells]] = []
        for index, (p, q, *numbers) in enumerate(evidence["elements"]):
            where = f"evidence, element {index}"
            cells = known_cells(numbers, len(self.labelling.labels), where)
            if not are_states(p, q, left, right) or (0, 0) not in cells:
                raise Wrong(where, "it has no states, or no cell under the head")
            self.elements.append((p, q, cells))
        self.listed = {(p, q, frozenset(cells.items())) for p, q, cells in self.elements}
        self.successive_kinds: set[tuple[int, int]] = set()
        if len(self.listed) != len(self.elements):
            raise Wrong("evidence", "an element stands twice")

    def check(self) -> tuple[int, int, int]:
        """(b), (a), then (c) to (f) of each element, and (g)."""
        first = self.kinds[0]
        for move, label, other in self.labelling.first_pairs():
            self._check_allowed(first, move, label, 1 << other, "evidence, neighbours at the start")
        for label in [label for start in self.labelling.starts for label in self.labelling.fresh(0, start)]:
            if (0, 0, frozenset({((0, 0), label)})) not in self.listed:
                raise Wrong("evidence", "a start is missing")
        stuck = sum(self._check_element(index, *element) for index, element in enumerate(self.elements))
        for kind, later in self.successive_kinds:
            for move in "DR":
                for label, mask in enumerate(self.labelling.allowed[move][kind]):
                    self._check_allowed(later, move, label, mask, f"evidence, neighbours of kind {later}")
        return self.radius, len(self.elements), stuck

    def _check_allowed(self, kind: int, move: str, label: int, mask: int, where: str) -> None:
        """Wrong unless a kind allows all labels of a mask beside a label."""
        if mask & ~self.labelling.allowed[move][kind][label]:
            raise Wrong(where, "neighbours that there may be are missing")

    def _check_element(self, index: int, p: int, q: int, cells: Cells) -> bool:
        """(c) to (f) of one element; whether LEFT is stuck in it."""
        where = f"evidence, element {index}"
        old = cells[0, 0]
        symbol, row, column, _ = self.labelling.labels[old]
        step = joint_step(self.left, self.right, p, q, symbol, self.stuck, where)  # (c)
        if step is None:
            return (p, symbol) not in self.left.does
        write, move, p2, q2 = step
        label = self.labelling.number.get((write, row, column, self.marks[p]))
        if label is None:
            raise Wrong(where, "the label that it writes is missing")
        kind, later = self.kinds[p], self.kinds[p2]
        self.successive_kinds.add((kind, later))
        target = MOVES[move]
        for side in "UDLR":  # (d)
            if MOVES[side] not in cells and side != move:
                self._check_allowed(later, side, label, self.labelling.allowed[side][kind][old], where)
        options = 0
        if target not in cells:  # (e)
            options = self.labelling.allowed[move][kind][old]
            for back, (dx, dy) in (("D", (0, -1)), ("U", (0, 1)), ("R", (-1, 0)), ("L", (1, 0))):
                near = (target[0] + dx, target[1] + dy)
                if near != (0, 0) and near in cells:
                    options &= self.labelling.allowed[back][kind][cells[near]]
        after = seen_after_move({**cells, (0, 0): label}, move)
        kept = forget_beyond(after, self.radius)
        self._check_forgotten(after, kept, later, where)  # (f)
        for new in _bits(options) if target not in cells else [kept[0, 0]]:
            if (p2, q2, frozenset({**kept, (0, 0): new}.items())) not in self.listed:
                raise Wrong(where, f"what follows it on `{self.left.symbols[symbol]}` is missing")
        return False

    def _check_forgotten(self, after: Cells, kept: Cells, later: int, where: str) -> None:
        """Known neighbours of which one is forgotten must be among those that there may be."""
        for (x, y), label in after.items():
            for move, near in (("D", (x, y + 1)), ("R", (x + 1, y))):
                if near in after and not ((x, y) in kept and near in kept):
                    self._check_allowed(later, move, label, 1 << after[near], where)
