"""The part of `verify` that checks strips: the world as a tape of columns, to the left and right of the head.

The certificate gives the rows of a strip, from the highest to the lowest, row 0 among them; a column is as
many cells. A label of a column is (cells, place, mark): for each cell a symbol, or -1 - c for any symbol of
class c; where it lies in the first world, as far as the certificate tells it; and the mark that the state
which acted on it last left, -1 for none. A state leaves one mark, or one for each mark that it finds. A
column fits a label if each of its cells holds what the label says. Labels have coarse numbers, and LEFT's
states have kinds. A gram of a kind and a side is (x; w), a label and d coarse numbers. An element (p, q, y,
l, c, r) has d coarse numbers l, a label c, and d coarse numbers r.

An element stands for all worlds, heads and states p, q with the head in row y, whose columns can be given
labels that they fit, such that c is the label of the head's column; l and r are the coarse numbers of the d
columns to its left and to its right, nearest first; and each column to the left of the head is, with the
coarse numbers of the d columns further left, a gram of the kind of p on the left, and likewise on the right.

(V8) Theorem, strips. Let an element stand for each world of the scope before the first step, with states 0
     and row 0. Let, for each element, and each symbol that the cell of c in row y may hold,
       (a) RIGHT write and move as LEFT does, or LEFT be stuck;
       (b) the head go to a row of the strip;
       (c) c', which is c with what is written there, or anything that more columns fit, and with p's mark,
           be a label;
       (d) if the head stays in its column, the element with c' and the next states and row be there;
       (e) if it goes to the right, (c'; l) be a gram of the next kind on the left; and for each gram (x; w)
           of the old kind on the right, where x has the coarse number r₁, and w begins as r goes on, the
           element be there that has c' and l on the left, x, and w on the right; and mirrored;
       (f) each gram of the old kind be one of the next kind, on the same side.
     Then RIGHT does what LEFT does on every world of the scope. By induction, after each step an element
     stands for what there is. A gram never has the head's column in it, so a step in a column changes none;
     of a step to the right, (e) has the gram of the column that is left, and the label of the one that is
     come to; all others are as before, by (f).
     For inputs, the head may leave the strip if there is a descent (p', q', side) for it: all cells from the
     row that it comes to outwards are blank, since it was never there, so what both do depends on p' and q'
     alone until it comes back behind that row. (g) Run on such a half-plane, they do the same and never come
     back behind the row, until LEFT halts or is stuck, or until they come to a row further out than all
     before, in states of which there is a descent too. Then, by induction, they do the same for ever.

Before the first step no column has a mark. On all worlds every column has the place 0, and any symbols. For
inputs, places are the columns of (V7), and -1 to the left of the input; row 0 holds the input, and all else
is blank.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product
from typing import Any

from gridlang.compiler.verifier.columns import covers_inputs, read_columns
from gridlang.compiler.verifier.limits import LIMITS
from gridlang.compiler.verifier.tables import (
    MOVES,
    Rules,
    Wrong,
    are_lists,
    are_numbers,
    are_states,
    check,
    joint_step,
)

Gram = tuple[int, ...]
Element = tuple[int, ...]
STRIP_PARTS = {
    *("rows", "depth", "dim", "columns", "classes", "marks", "kinds", "labels", "coarse"),
    *("left", "right", "elements", "descents"),
}


def check_strips(
    left: Rules, right: Rules, scope: str, evidence: dict[str, Any], stuck: str
) -> tuple[int, int, int]:
    """(V8); the depth, how many elements there are, and on how many branches LEFT is stuck."""
    return StripsCheck(left, right, scope, evidence, stuck).check()


class StripsCheck:
    """A certificate's strip, and what is checked of it.

    `before` has, for each place to the left of the input, those that may be left of it, and `beside`, for
    each start, those that may be left of that. There is one, unless places tell what is wanted: (V9).
    """

    before: list[list[int]]
    beside: list[list[int]]

    def __init__(self, left: Rules, right: Rules, scope: str, evidence: dict[str, Any], stuck: str) -> None:
        self.left, self.right, self.stuck = left, right, stuck
        self.low, self.high = evidence["rows"]
        self.depth, self.dim = evidence["depth"], evidence["dim"]
        lists = ("rows", "labels", "coarse", "classes", "marks", "kinds", "elements", "descents")
        check(are_lists([evidence[name] for name in lists]), "evidence", "there must be lists in it")
        listed = all(are_lists(evidence[name]) for name in ("labels", "elements", "descents"))
        check(listed, "evidence", "one of its lists is none")
        numbers = (self.low, self.high, self.depth)
        check(all(type(n) is int for n in numbers), "evidence", "its rows or its depth are no numbers")
        check(self.low <= 0 <= self.high and self.depth >= 1, "evidence", "row 0 or the depth is missing")
        check(type(self.dim) is bool, "evidence", "it does not say whether it is dim")
        self.starts: list[int] = []
        self.steps: list[list[list[int]]] | None = None
        self._read_columns(scope, evidence["columns"])
        self.halts: list[tuple[int, ...]] = []  # elements in which LEFT halts
        self._read_labels(evidence)
        self._read_states(evidence)
        self.grams = {-1: self._read_grams(evidence["left"]), 1: self._read_grams(evidence["right"])}
        self.elements = list(self._read_elements(evidence["elements"]))
        self.listed = set(self.elements)
        check(len(self.listed) == len(self.elements), "evidence", "an element stands twice")
        self.next_kinds: set[tuple[int, int]] = set()
        self.descents = {(p, q, side): steps for p, q, side, steps in evidence["descents"]}
        once = len(self.descents) == len(evidence["descents"])
        check(once and (not self.descents or self.steps), "evidence, descents", "there are too many")

    def _read_columns(self, scope: str, columns: dict[str, Any] | None) -> None:
        """The columns of (V7); where inputs are not told from other worlds, the proof is on all of them."""
        if columns is not None:
            self.starts, self.steps = read_columns(self.left, scope, columns)
            check(
                covers_inputs(self.left, self.starts, self.steps), "evidence, columns", "an input is left out"
            )
        self.before, self.beside = [[0]], [[0] for _ in self.starts]

    def _read_labels(self, evidence: dict[str, Any]) -> None:
        height, places = self.high - self.low + 1, 1 if self.steps is None else len(self.steps)
        classes = evidence["classes"]
        where = "evidence, labels"
        right = len(classes) == len(self.left.symbols) and all(type(c) is int and c >= 0 for c in classes)
        check(right, "evidence, classes", "there must be one for each symbol")
        self.classes: list[int] = classes
        self.labels: list[tuple[int, ...]] = [tuple(label) for label in evidence["labels"]]
        self.number = {label: index for index, label in enumerate(self.labels)}
        self.coarse: list[int] = evidence["coarse"]
        for label in self.labels:
            check(len(label) == height + 2 and all(type(n) is int for n in label), where, "it is cut short")
            known = all(
                cell in classes if (cell := -1 - n) >= 0 else n < len(classes) for n in label[:height]
            )
            check(known and -len(self.before) <= label[-2] < places, where, "it knows what does not exist")
        check(len(self.number) == len(self.labels), where, "a label stands twice")
        right = len(self.coarse) == len(self.labels) and all(type(n) is int for n in self.coarse)
        check(right, "evidence, coarse", "there must be one for each label")

    def _read_states(self, evidence: dict[str, Any]) -> None:
        told, self.kinds = evidence["marks"], evidence["kinds"]
        self.marks = [told[-1 - mark] if type(mark) is int and mark < 0 else mark for mark in told]
        marks = [mark for marks in self.marks for mark in (marks if isinstance(marks, list) else [marks])]
        for name, numbers in (("marks", marks), ("kinds", self.kinds)):
            right = len(evidence[name]) == self.left.states and are_numbers(numbers, 0)
            check(right, f"evidence, {name}", "there must be one for each state of LEFT")

    def _read_grams(self, kinds: list[list[list[int]]]) -> list[set[Gram]]:
        where = "evidence, grams"
        check(max(self.kinds) < len(kinds), where, "a kind has none")
        check(are_lists(kinds), where, "there must be lists of them")
        for gram in (gram for grams in kinds for gram in grams):
            whole = len(gram) == self.depth + 1 and all(type(n) is int for n in gram)
            check(whole and 0 <= gram[0] < len(self.labels), where, "one of them is none")
        return [{tuple(gram) for gram in grams} for grams in kinds]

    def _read_elements(self, listed: list[list[Any]]) -> Iterator[Element]:
        """Each entry has states and a row, and the columns of one element or more."""
        width = 2 * self.depth + 1
        for entry in listed:
            whole = len(entry) > 3 and len(entry) % width == 3 % width
            check(whole, "evidence, elements", "one of them is cut short")
            yield from ((*entry[:3], *entry[i : i + width]) for i in range(3, len(entry), width))

    def check(self) -> tuple[int, int, int]:
        for element in self._first_elements():
            check(element in self.listed, "evidence", "a world of the scope is missing at the start")
        self.ahead = {side: [self._by_beginning(grams) for grams in self.grams[side]] for side in (-1, 1)}
        stuck = sum(self._check_element(index) for index in range(len(self.elements)))
        stuck += sum(self._check_descent(descent) for descent in self.descents)
        for kind, later in self.next_kinds:  # (f)
            same = all(self.grams[side][kind] <= self.grams[side][later] for side in (-1, 1))
            check(same, "evidence, grams", "what stands in the world is forgotten from one kind to the next")
        return self.depth, len(self.elements), stuck

    def _by_beginning(self, grams: set[Gram]) -> dict[Gram, list[Gram]]:
        """Grams by what a head beside them knows of them: all but the label itself and the last number."""
        known: dict[Gram, list[Gram]] = {}
        for gram in grams:
            known.setdefault((self.coarse[gram[0]], *gram[1:-1]), []).append(gram)
        return known

    def _fresh(self, cells: tuple[int, ...], place: int) -> int:
        label = (*cells, place, -1)
        check(label in self.number, "evidence, labels", "a column of the first world is missing")
        return self.number[label]

    def _first_elements(self) -> Iterator[tuple[int, ...]]:
        """What stands for the worlds of the scope; their grams must be there too."""
        kind, depth = self.kinds[0], self.depth
        if self.steps is None:
            yield from self._first_elements_anywhere()
            return
        for place in range(-len(self.before), len(self.steps)):
            for label, *after in self._words(place, depth + 1):
                side = -1 if place < 0 else 1
                self._check_gram(side, kind, (label, *(self.coarse[other] for other in after)))
        for place, lefts in zip(self.starts, self.beside, strict=True):
            for left in lefts:
                for word in self._words(-1 - left, depth):
                    near = [self.coarse[label] for label in word]
                    for label, *after in self._words(place, depth + 1):
                        yield (0, 0, 0, *near, label, *(self.coarse[other] for other in after))

    def _first_elements_anywhere(self) -> Iterator[tuple[int, ...]]:
        symbols, height = range(len(self.left.symbols)), self.high - self.low + 1
        rough = min(len(symbols) ** height, len(set(self.coarse)))
        many = len(symbols) ** height * rough ** (2 * self.depth)
        check(
            many <= LIMITS.first_strips,
            "evidence",
            f"more than {LIMITS.first_strips:,} beginnings are refused",
        )
        fresh = [self._fresh(cells, 0) for cells in product(symbols, repeat=height)]
        words = list(product({self.coarse[label] for label in fresh}, repeat=self.depth))
        for label, word in product(fresh, words):
            for side in (-1, 1):
                self._check_gram(side, self.kinds[0], (label, *word))
            yield from ((0, 0, 0, *other, label, *word) for other in words)

    def _words(self, place: int, length: int) -> set[Gram]:
        """The labels of columns before the first step, from a place on; left of the input, outwards."""
        words: set[tuple[Gram, int]] = {((), place)}
        for _ in range(length):
            words = {
                ((*word, self._fresh(self._on_row_0(symbol), at)), to)
                for word, at in words
                for symbol, to in self._onward(at)
            }
        return {word for word, _ in words}

    def _onward(self, place: int) -> list[tuple[int, int]]:
        """The symbols that may stand in a place, each with what is next to it."""
        assert self.steps is not None
        if place < 0:
            return [(0, -1 - to) for to in self.before[-1 - place]]
        return [(symbol, to) for symbol, afters in enumerate(self.steps[place]) for to in afters]

    def _on_row_0(self, symbol: int) -> tuple[int, ...]:
        cells = [0] * (self.high - self.low + 1)
        cells[-self.low] = symbol
        return tuple(cells)

    def _check_gram(self, side: int, kind: int, gram: Gram) -> None:
        check(gram in self.grams[side][kind], "evidence, grams", "a column of the first world is missing")

    def _check_element(self, index: int) -> int:
        """(a) to (e) of one element; on how many of its symbols LEFT is stuck."""
        where, element, depth = f"evidence, element {index}", self.elements[index], self.depth
        check(all(type(n) is int for n in element), where, "it is not of numbers")
        p, q, row, *_ = element
        label = element[3 + depth]
        check(are_states(p, q, self.left, self.right), where, "there are no such states")
        check(self.low <= row <= self.high, where, "its head is outside of the strip")
        check(0 <= label < len(self.labels), where, "there is no such label")
        cell, stuck = self.labels[label][row - self.low], 0
        for symbol in [cell] if cell >= 0 else self._members(-1 - cell):
            stuck += (p, symbol) not in self.left.does
            step = joint_step(self.left, self.right, p, q, symbol, self.stuck, where)  # (a)
            if step is not None:
                self._check_step(element, symbol, step, where)
            elif (p, symbol) in self.left.does:
                self.halts.append(element)
        return stuck

    def _members(self, number: int) -> list[int]:
        return [symbol for symbol, other in enumerate(self.classes) if other == number]

    def _check_step(
        self, element: tuple[int, ...], symbol: int, step: tuple[int, str, int, int], where: str
    ) -> None:
        p, _, row, depth = *element[:3], self.depth
        near = {-1: element[3 : 3 + depth], 1: element[4 + depth :]}
        write, move, p2, q2 = step
        label = self._written(element[3 + depth], row, write, p, where)
        kind, later = self.kinds[p], self.kinds[p2]
        self.next_kinds.add((kind, later))
        side, down = MOVES[move]
        if side == 0 and not self.low <= row + down <= self.high:
            check((p2, q2, down) in self.descents, where, "the head leaves the strip")  # (b)
            follows = []
        elif side == 0:
            follows = [(p2, q2, row + down, *near[-1], label, *near[1])]  # (d)
        else:
            left_behind = (label, *near[-side]) in self.grams[-side][later]  # (e)
            check(left_behind, where, "the column that the head leaves is not remembered")
            behind = (self.coarse[label], *near[-side][:-1])
            follows = []
            for x, *beyond in self.ahead[side][kind].get(near[side], ()):
                lefts, rights = (behind, beyond) if side > 0 else (beyond, behind)
                follows.append((p2, q2, row, *lefts, x, *rights))
        for new in follows:
            if new not in self.listed:
                raise Wrong(where, f"what follows it on `{self.left.symbols[symbol]}` is missing")
            self._check_fall(element, new, side, label)

    def _check_fall(self, before: Element, after: Element, side: int, label: int) -> None:
        """What rankings ask of a step to a side that leaves a column with this label: (V11)."""

    def _check_descent(self, descent: tuple[int, int, int]) -> bool:
        """(g); whether LEFT is stuck at its end."""
        (p, q, side), steps, where = descent, self.descents[descent], "evidence, descents"
        known = are_states(p, q, self.left, self.right) and type(side) is int and side in (-1, 1)
        check(known, where, "one has no states, or no side")
        check(type(steps) is int and 0 <= steps <= LIMITS.descent, where, "one takes no number of steps")
        cells: dict[tuple[int, int], int] = {}
        x = y = furthest = before = 0
        for _ in range(steps or LIMITS.descent):
            symbol = cells.get((x, y), 0)
            step = joint_step(self.left, self.right, p, q, symbol, self.stuck, where)
            if step is None:
                check(steps == 0, where, "one ends before it goes on")
                return (p, symbol) not in self.left.does
            cells[x, y], move, p, q = step
            x, y = x + MOVES[move][0], y + side * MOVES[move][1]
            check(y >= 0, where, "the head comes back from one")
            before, furthest = furthest, max(furthest, y)
        check(steps and y > before and (p, q, side) in self.descents, where, "one does not go on as it says")
        return False

    def _written(self, label: int, row: int, symbol: int, p: int, where: str) -> int:
        """(c): the label of the head's column after the step."""
        *cells, place, before = self.labels[label]
        mark = self.marks[p]
        if isinstance(mark, list):
            check(0 <= before + 1 < len(mark), where, "the mark that it leaves is missing")
            mark = mark[before + 1]
        cells[row - self.low] = symbol
        if self.dim:
            alike = [n if n < 0 else self.classes.count(self.classes[n]) for n in cells]
            cells = [-1 - self.classes[n] if many > 1 else n for n, many in zip(cells, alike, strict=True)]
        new = self.number.get((*cells, place, mark))
        if new is None:
            raise Wrong(where, "the label that it writes is missing")
        return new
