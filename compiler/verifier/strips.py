"""The part of `verify` that computes strips: the world as a tape of columns, to both sides of the head.

The certificate chooses the *grain*: the rows of the strip, row 0 among them; a class for each symbol; a mark
and a kind for each state of LEFT; the depth d; how far places look ahead; whether written symbols are *dim*,
known by class alone; whether a column *remembers* all marks that it had; and whether inputs have *met* their
condition. A column is as many cells. A
label is (cells, place, mark): for each cell a symbol, or -1 - c for any symbol of class c; the column's place
(V7); and the mark of the state that acted on it last, -1 for none. Its coarse number keeps the classes of
its cells, the place and the mark. A gram of a kind and a side is (x; w), a label and d coarse numbers. An
element (p, q, y, l, c, r) has d coarse numbers l, a label c, and d coarse numbers r.

An element stands for all worlds, heads and states p, q with the head in row y, whose columns can be given
labels that they fit, such that c is the label of the head's column; l and r are the coarse numbers of the d
columns to its left and to its right, nearest first; and each column to the left of the head is, with the
coarse numbers of the d columns further left, a gram of the kind of p on the left, and likewise on the right.

(V8) Theorem, strips. Let an element stand for each world of the scope before the first step, with states 0
     and row 0. Let, for each element, and each symbol that the cell of c in row y may hold,
       (a) RIGHT write and move as LEFT does, or LEFT be stuck;
       (b) the head go to a row of the strip;
       (c) c' be c with what is written there, or anything that more columns fit, and with p's mark;
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

The least elements, grams and descents that are closed so are computed here. On all worlds every column has
the place 0, and any symbols.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product
from typing import Any, NamedTuple

from gridlang.compiler.verifier.clauses.conditions import declared
from gridlang.compiler.verifier.clauses.inputs import InputClause
from gridlang.compiler.verifier.limits import LIMITS
from gridlang.compiler.verifier.places import Places
from gridlang.compiler.verifier.tables import (
    MOVES,
    LeavesRows,
    Rules,
    TooMuch,
    Wrong,
    are_numbers,
    check,
    joint_step,
)

FRESH = -1  # the mark of a column that was never acted on
STRIP_PARTS = {"rows", "depth", "ahead", "met", "dim", "remembers", "classes", "marks", "kinds"}
Word = tuple[int, ...]  # coarse numbers, going outwards
Element = tuple[int, int, int, Word, int, Word]
Side = tuple[int, int]  # -1 or 1, and a kind
Descent = tuple[int, int, int]  # both states, and the side: -1 upwards, 1 downwards


class Column(NamedTuple):
    """A label, or what its coarse number keeps of one: then its cells are classes."""

    cells: tuple[int, ...]
    place: int
    mark: int


class Grain(NamedTuple):
    """What the certificate chooses."""

    low: int
    high: int
    dim: bool
    classes: list[int]
    marks: list[int]
    kinds: list[int]
    depth: int = 1
    ahead: int = 0
    remembers: bool = False
    met: bool = False  # Inputs that do not meet their condition are left out.


class Move(NamedTuple):
    """A step of both on a symbol: to which side; the states, the row and the kind after it; the label that it
    leaves, and its coarse number.
    """

    symbol: int
    side: int
    p: int
    q: int
    row: int
    kind: int
    label: int
    coarse: int


class Leg(NamedTuple):
    """How a descent goes on: after some steps with the next one, or to an end, stuck or not; and what LEFT
    reads on the way, and in which states.
    """

    steps: int
    after: Descent | None
    stuck: bool
    reads: frozenset[tuple[int, int]]


def read_grain(left: Rules, part: dict[str, Any], where: str) -> Grain:
    """Wrong if a part of it is none."""
    rows, classes = part["rows"], part["classes"]
    tall = are_numbers(rows, -LIMITS.strip_rows, LIMITS.strip_rows + 1) and len(rows) == 2
    check(tall and rows[0] <= 0 <= rows[1], where, "its rows are none, or too many")
    flags = [part["dim"], part.get("remembers", False), part.get("met", False)]
    check(all(type(flag) is bool for flag in flags), where, "it does not say what it keeps")
    depth, ahead = part.get("depth", 1), part.get("ahead", 0)
    deep = are_numbers([depth, ahead], 0, LIMITS.depth + 1) and depth > 0
    check(deep, where, "its depth is none, or too large")
    partition = are_numbers(classes, 0, len(left.symbols)) and len(classes) == len(left.symbols)
    check(partition and set(classes) == set(range(max(classes) + 1)), where, "its classes are none")
    for name in ("marks", "kinds"):
        one_each = are_numbers(part[name], 0, LIMITS.number) and len(part[name]) == left.states
        check(one_each, where, f"its {name} are not one for each state")
    return Grain(rows[0], rows[1], flags[0], classes, part["marks"], part["kinds"], depth, ahead, *flags[1:])


class Strip:
    """The least that is closed; Wrong if RIGHT may differ, or the head leave the rows."""

    def __init__(
        self,
        left: Rules,
        right: Rules,
        grain: Grain,
        places: Places,
        stuck: str = "unasked",
        limit: int = LIMITS.elements,
    ) -> None:
        self.left, self.right, self.grain, self.places, self.claim = left, right, grain, places, stuck
        self.rows, self.limit = range(grain.low, grain.high + 1), limit
        classes = grain.classes
        self.members = [[s for s, c in enumerate(classes) if c == n] for n in range(max(classes) + 1)]
        self.labels: list[Column] = []
        self.coarse: list[int] = []  # of each label
        self.rough: list[Column] = []  # by coarse number
        self.elements: dict[Element, None] = {}
        # (x; w) is kept under what is asked for: the coarse number of x, and w without its last
        self.grams: dict[Side, dict[Word, dict[tuple[int, int], None]]] = {}
        self.starts: list[Element] = []
        self.stuck = 0  # branches on which LEFT is stuck
        self.descents: dict[Descent, Leg] = {}
        self._number: dict[Column, int] = {}
        self._coarse_number: dict[Column, int] = {}
        self._words: dict[tuple[int, int], list[Word]] = {}
        self._written: dict[tuple[int, int, int, int], int] = {}
        self._moves: dict[tuple[int, int, int, int], tuple[list[Move], int]] = {}
        self._waiting: dict[tuple[Side, Word], dict[tuple[int, int, int, Word], None]] = {}
        self._flows: dict[int, list[int]] = {}
        self._work: list[Element] = []
        self._left = LIMITS.grams_of_an_element * limit
        self._begin()
        while self._work:
            self._visit(self._work.pop())

    # What there is

    def reads(self, element: Element) -> list[int]:
        cell = self.labels[element[4]].cells[element[2] - self.grain.low]
        return [cell] if cell >= 0 else self.members[-1 - cell]

    def halts(self, p: int, symbol: int) -> bool:
        write, move, _ = self.left.does.get((p, symbol), (-1, "", 0))
        return write == symbol and move == "S"

    def steps(self, p: int, symbol: int) -> bool:
        """Whether LEFT goes on, neither halting nor stuck."""
        return (p, symbol) in self.left.does and not self.halts(p, symbol)

    def moves(self, element: Element) -> list[Move]:
        return self._moves[element[0], element[1], element[2], element[4]][0]

    def follows(self, element: Element, move: Move) -> Iterator[Element]:
        """The elements that a step leads to; none where the head leaves the strip."""
        p, _, _, lefts, _, rights = element
        if move.side == 0:
            if move.row in self.rows:
                yield move.p, move.q, move.row, lefts, move.label, rights
            return
        ahead, behind = (rights, lefts) if move.side > 0 else (lefts, rights)
        near = (move.coarse, *behind[:-1])
        for x, last in self.grams.get((move.side, self.grain.kinds[p]), {}).get(ahead, ()):
            yield _at_head(move.side, move.p, move.q, move.row, near, x, (*ahead[1:], last))

    def beyond(self, side: int, kind: int, word: Word) -> Iterator[tuple[int, Word]]:
        """The labels that may stand on a side where this is known, each with what is known behind it."""
        for x, last in self.grams.get((side, kind), {}).get(word, ()):
            yield x, (*word[1:], last)

    def chain(self, side: int, kind: int, near: int) -> list[int]:
        """The coarse numbers of columns that may stand on a side, from one on, at depth 1."""
        seen = {near: None}
        work = [near]
        for coarse in work:
            for _, last in self.grams.get((side, kind), {}).get((coarse,), ()):
                if last not in seen:
                    seen[last] = None
                    work.append(last)
        return work

    def read_pairs(self) -> set[tuple[int, int]]:
        """LEFT's states with the symbols that they may read: at least all that some run comes to."""
        pairs = {pair for leg in self.descents.values() for pair in leg.reads}
        return pairs.union(
            (element[0], symbol) for element in self.elements for symbol in self.reads(element)
        )

    def ordered(self) -> tuple[list[int], list[Element]]:
        """Labels and elements in an order that does not depend on how they were found."""
        labels = sorted(range(len(self.labels)), key=self.labels.__getitem__)
        label_at = {label: at for at, label in enumerate(labels)}
        rough = sorted(range(len(self.rough)), key=self.rough.__getitem__)
        rough_at = {coarse: at for at, coarse in enumerate(rough)}

        def key(element: Element) -> tuple[Any, ...]:
            p, q, y, lefts, label, rights = element
            words = [[rough_at[coarse] for coarse in word] for word in (lefts, rights)]
            return p, q, y, words[0], label_at[label], words[1]

        return labels, sorted(self.elements, key=key)

    def fresh(self, symbol: int, place: int) -> int:
        return self._label(Column(tuple(symbol if y == 0 else 0 for y in self.rows), place, FRESH))

    # How it is closed

    def _begin(self) -> None:
        places, kind, depth = self.places, self.grain.kinds[0], self.grain.depth
        for place, sides in enumerate(places.sides):
            for label, to in self._first(place):
                for word in self._first_words(to, depth):
                    for side in sides:
                        self._add_gram((side, kind), (self.coarse[label], *word[:-1]), (label, word[-1]))
        for place, before in places.starts:
            for label, to in self._first(place):
                ends = self._first_words(before, depth), self._first_words(to, depth)
                self.starts += [(0, 0, 0, lefts, label, rights) for lefts, rights in product(*ends)]
        for element in self.starts:
            self._reach(element)

    def _first(self, place: int) -> Iterator[tuple[int, int]]:
        """The labels of columns before the first step, each with the place next to it."""
        if len(self.places.sides[place]) == 1:
            for symbol, to in self.places.onward[place]:
                yield self.fresh(symbol, place), to
            return
        symbols = range(len(self.left.symbols))
        if len(symbols) ** len(self.rows) > LIMITS.first_labels:
            raise TooMuch("evidence", "its columns can be filled in too many ways")
        for cells in product(symbols, repeat=len(self.rows)):
            yield self._label(Column(cells, place, FRESH)), place

    def _first_words(self, place: int, length: int) -> list[Word]:
        if length == 0:
            return [()]
        if (place, length) not in self._words:
            self._words[place, length] = list(
                dict.fromkeys(
                    (self.coarse[label], *word)
                    for label, to in self._first(place)
                    for word in self._first_words(to, length - 1)
                )
            )
        return self._words[place, length]

    def _visit(self, element: Element) -> None:
        p, q, y, lefts, label, rights = element
        at = p, q, y, label
        if at not in self._moves:
            self._moves[at] = self._moves_at(*at)
        moves, stuck = self._moves[at]
        self.stuck += stuck
        kind = self.grain.kinds[p]
        for move in moves:
            if move.kind != kind:
                self._flow(kind, move.kind)
            side = move.side
            if side == 0:
                if move.row in self.rows:
                    self._reach((move.p, move.q, move.row, lefts, move.label, rights))
                continue
            ahead, behind = (rights, lefts) if side > 0 else (lefts, rights)
            near = (move.coarse, *behind[:-1])
            self._add_gram((-side, move.kind), near, (move.label, behind[-1]))
            waiting = self._waiting.setdefault(((side, kind), ahead), {})
            comes = move.p, move.q, move.row, near
            if comes not in waiting:
                waiting[comes] = None
                for x, last in tuple(self.grams.get((side, kind), {}).get(ahead, ())):
                    self._reach(_at_head(side, *comes, x, (*ahead[1:], last)))

    def _moves_at(self, p: int, q: int, y: int, label: int) -> tuple[list[Move], int]:
        """What both do on each symbol that may be read, whatever stands beside the head."""
        moves, stuck, column = [], 0, self.labels[label]
        cell = column.cells[y - self.grain.low]
        mark = self.mark(column.mark, p)
        for symbol in [cell] if cell >= 0 else self.members[-1 - cell]:
            stuck += (p, symbol) not in self.left.does
            step = joint_step(self.left, self.right, p, q, symbol, self.claim, "evidence")  # (a)
            if step is not None:
                write, move, p2, q2 = step
                after = self._after_writing(label, y, write, mark)
                side, down = MOVES[move]
                if y + down not in self.rows:  # (b)
                    self._descend((p2, q2, down), y + down)
                kind = self.grain.kinds[p2]
                moves.append(Move(symbol, side, p2, q2, y + down, kind, after, self.coarse[after]))
        return moves, stuck

    def _reach(self, element: Element) -> None:
        if element not in self.elements:
            if len(self.elements) >= self.limit:
                raise TooMuch("evidence", f"its strip has more than {self.limit:,} elements")
            self.elements[element] = None
            self._work.append(element)

    def _add_gram(self, side: Side, key: Word, gram: tuple[int, int]) -> None:
        work = [side]
        while work:
            here = work.pop()
            grams = self.grams.setdefault(here, {}).setdefault(key, {})
            if gram in grams:
                continue
            grams[gram] = None
            self._left -= 1
            if self._left < 0:
                raise TooMuch("evidence", "its strip has too many grams")
            for comes in tuple(self._waiting.get((here, key), ())):
                self._reach(_at_head(here[0], *comes, gram[0], (*key[1:], gram[1])))
            work += [(here[0], later) for later in self._flows.get(here[1], ())]

    def _flow(self, kind: int, later: int) -> None:
        """(f)."""
        flows = self._flows.setdefault(kind, [])
        if later not in flows:
            flows.append(later)
            for side in (-1, 1):
                for key, grams in tuple(self.grams.get((side, kind), {}).items()):
                    for gram in tuple(grams):
                        self._add_gram((side, later), key, gram)

    def mark(self, before: int, p: int) -> int:
        """The mark of a column after a state has acted on it; of all that it had, bits and the last."""
        last = self.grain.marks[p]
        if not self.grain.remembers:
            return last
        many = max(self.grain.marks) + 1
        return (max(before, 0) // many | 1 << last) * many + last

    def _after_writing(self, label: int, y: int, symbol: int, mark: int) -> int:
        """(c): the label of the head's column after the step."""
        key = (label, y, symbol, mark)
        if key not in self._written:
            cells = list(self.labels[label].cells)
            cells[y - self.grain.low] = symbol
            if self.grain.dim:
                cells = [cell if cell < 0 else self._dimmed(cell) for cell in cells]
            self._written[key] = self._label(Column(tuple(cells), self.labels[label].place, mark))
        return self._written[key]

    def _dimmed(self, symbol: int) -> int:
        number = self.grain.classes[symbol]
        return symbol if len(self.members[number]) == 1 else -1 - number

    def _label(self, column: Column) -> int:
        if column not in self._number:
            self._number[column] = len(self.labels)
            self.labels.append(column)
            cells = tuple([self.grain.classes[cell] if cell >= 0 else -1 - cell for cell in column.cells])
            rough = column._replace(cells=cells)
            if rough not in self._coarse_number:
                self._coarse_number[rough] = len(self.rough)
                self.rough.append(rough)
            self.coarse.append(self._coarse_number[rough])
        return self._number[column]

    def _descend(self, first: Descent, row: int) -> None:
        """(g)."""
        here: Descent | None = first
        while here is not None and here not in self.descents:
            leg = None if self.places.sides[0] == (-1, 1) else self._leg(*here)
            if leg is None:
                raise LeavesRows("evidence", "the head leaves the strip", row)
            self.descents[here] = leg
            self.stuck += leg.stuck
            here = leg.after

    def _leg(self, p: int, q: int, side: int) -> Leg | None:
        """The way to the outermost row from which the head does not come back, as far as is seen."""
        cells: dict[tuple[int, int], int] = {}
        reads: dict[tuple[int, int], None] = {}
        x = y = furthest = 0
        records: list[tuple[int, int, int, int]] = []  # steps, both states and row at each new outermost row
        for steps in range(1, LIMITS.descent + 1):
            symbol = cells.get((x, y), 0)
            reads[p, symbol] = None
            step = joint_step(self.left, self.right, p, q, symbol, self.claim, "evidence")
            if step is None:
                return Leg(0, None, (p, symbol) not in self.left.does, frozenset(reads))
            cells[x, y], move, p, q = step
            x, y = x + MOVES[move][0], y + side * MOVES[move][1]
            if y < 0:
                return None
            while records and y < records[-1][3]:
                records.pop()
            if y > furthest:
                furthest = y
                records.append((steps, p, q, y))
        if not records:
            return None
        steps, p, q, _ = records[0]
        return Leg(steps, (p, q, side), False, frozenset(reads))


def _at_head(side: int, p: int, q: int, row: int, behind: Word, label: int, beyond: Word) -> Element:
    """The element whose head has come to a column on a side."""
    lefts, rights = (behind, beyond) if side > 0 else (beyond, behind)
    return p, q, row, lefts, label, rights


def check_strips(
    left: Rules, right: Rules, scope: str, part: dict[str, Any], stuck: str, limit: int = LIMITS.elements
) -> Strip:
    """(V8): the strip of a certificate, on inputs or on all worlds."""
    whole = part["kind"] == "strips" and set(part) == {"kind", *STRIP_PARTS}
    check(whole, "evidence", "something of its strip is missing or unknown")
    grain = read_grain(left, part, "evidence")
    if scope == "inputs":
        places = Places(left, clause_of(left, grain), ahead=grain.ahead)
    else:
        places = Places.anywhere(left.symbols)
    return Strip(left, right, grain, places, stuck, limit)


def clause_of(left: Rules, grain: Grain) -> InputClause:
    return declared(left if grain.met else left._replace(where=None))


def apart(where: str, wrong: Wrong) -> Wrong:
    """What is wrong with a strip that is a part of other evidence."""
    return Wrong(f"{where}, {wrong.problem.where}", wrong.problem.message)
