"""The part of `verify` that computes folds: two numbers on one tape, digits of equal weight in one column.

Let every declared input be a number, a sign and a number, in the same digits. A label is a column of the
folded tape (`folded_tape`): both tracks; what is wanted there, by the reading (`folded_readings`); and where
it lies: to the right of both numbers (0), at their last digits (1), at other digits (2), to the left of both
(3). Labels have coarse numbers: the classes of their symbols, where they lie, and of a sum what their digits
leave to be added by carries, of a comparison how they compare, and what is wanted; so a carry that comes into
a column and the one that goes out of it are both known. A gram (x; w) is a label and a coarse number. For
each control k and each side there are grams H(k, side) and G(k, side). k stands for all folded tapes with a
head whose columns have labels, such that the head's column c is with the coarse number of its neighbour on a
side a gram (c; n) of H(k, side), and each other column with that of the next one outwards a gram of
G(k, side), side being where it lies.

(V10) Theorem, folds. Let LEFT and RIGHT be the same table. Let the controls with p = 0, phase 0, y = 0 and a
      sign between stand for all declared inputs, folded, with LEFT's head on the first digit. Let, for each
      gram (c; n) of H(k, side), the step of k and c, to k' and c', be one in which LEFT is not stuck and does
      not leave the strip, and
        (a) if the folded head stays, let (c'; n) be in H(k', side);
        (b) if it goes away from the side, let (c'; n) be in G(k', side);
        (c) if it goes to the side, let, for each gram (x; w) of G(k, side) in which x has the coarse number
            n, (x; w) be in H(k', side), and (x; coarse number of c') in H(k', other side);
        (d) let all grams of chains of G(k, side) be in G(k', side) that begin with n, or, in (c), with w: a
            gram (x; w) follows on n if x has the coarse number n, and then those follow that follow on w;
        (e) where LEFT halts, let all columns of chains from n on, and c, hold what is wanted: for (F1) as in
            (V9) (b), in one track, where an absent cell is as a blank one, and all else, with the column
            between, blank; for (F2) nothing in both tracks, and between, in the row of the result, the symbol
            for the state to the left of both numbers, and else blanks.
      Then LEFT is never stuck on a declared input, and where it halts, the result is what its clause says.
      By induction over the steps of the folded machine, the control stands for what there is: the columns on
      a side are such a chain, so the one that the head comes to is among those tried, and all that is on a
      side after a step was on a chain before, but the column that was left.

The least grams that are closed so are computed here; the certificate chooses the rows, whether the tape
shifts, the classes of symbols, and where the result stands.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import lru_cache
from itertools import compress, count
from typing import Any

from gridlang.compiler.verifier.clauses.readings import check_chains, held
from gridlang.compiler.verifier.folds.folded_readings import FoldedReading, Line, lines
from gridlang.compiler.verifier.folds.folded_tape import Cells, FoldedTape
from gridlang.compiler.verifier.limits import LIMITS
from gridlang.compiler.verifier.tables import Rules, TooMuch, are_numbers, check

# For each label, the coarse numbers that may be beside it, as bits: a step passes all of them on at once.
Neighbours = dict[int, int]
Grams = Iterable[tuple[int, int]]  # labels with neighbours
Alike = dict[int, list[int]]
Entering = dict[int, Neighbours]
CONDITIONED = "conditioned folds"  # the kind that is about inputs which meet their condition
FOLD_KINDS = ("folds", CONDITIONED)
FOLD_PARTS = {"rows", "row", "stands", "shifts", "classes"}
STANDS = ("first", "second")  # the track of a number; a verdict stands "between"
LEFT_SIDE, RIGHT_SIDE = 0, 1
RIGHT, LEFT = 0, 3  # right of both numbers, left of both
IS_SET = bytes.maketrans(b"01", b"\0\1")


def check_folds(left: Rules, part: dict[str, Any]) -> None:
    """(V10)."""
    check(left.output, "claim", "there is no output clause")
    fold_of(left, part).check_ends(part["row"], part["stands"])


def fold_of(left: Rules, part: dict[str, Any]) -> Fold:
    """The fold of a certificate, whatever stands at its ends."""
    rows, row, classes = part["rows"], part["row"], part["classes"]
    tall = are_numbers(rows, -LIMITS.strip_rows, LIMITS.strip_rows + 1) and len(rows) == 2
    check(tall and rows[0] <= 0 <= rows[1], "evidence", "its rows are none, or too many")
    exists = type(row) is int and rows[0] <= row <= rows[1]
    check(exists, "evidence", "the row of the result is not of the strip")
    check(type(part["shifts"]) is bool, "evidence", "it does not say whether it shifts")
    known = are_numbers(classes, 0) and len(classes) == len(left.symbols)
    check(known, "evidence, classes", "there must be one for each symbol")
    reading = FoldedReading(left, conditioned=part["kind"] == CONDITIONED)
    return Fold(FoldedTape(left, rows[0], rows[1], part["shifts"]), reading, classes)


class Fold:
    """All that may stand on a folded tape: H(k, side) are `heads`, G(k, side) `grams`."""

    def __init__(self, tape: FoldedTape, reading: FoldedReading, classes: list[int]) -> None:
        self.tape, self.reading, self.classes = tape, reading, classes
        self.values = {symbol: value for value, symbol in enumerate(reading.digits)}
        self.labels: list[Cells] = []
        self.coarse: list[int] = []
        self.controls: list[Cells] = []
        self.heads: list[tuple[Neighbours, Neighbours]] = []  # H
        self.grams: list[tuple[Neighbours, Neighbours]] = []  # G
        self.halting: dict[tuple[int, int], None] = {}
        self.size = 0
        self._number: dict[Cells, int] = {}
        self._coarse_number: dict[Cells, int] = {}
        self._control_number: dict[Cells, int] = {}
        # of each control and label: what follows, the control and where the head goes, and the label left
        self._steps: list[dict[int, tuple[tuple[int, int], int] | None]] = []
        self._alike: list[tuple[Alike, Alike]] = []  # the labels of G, by their coarse number
        # What waits for grams of a control on a side: for each control of heads that enter, by the coarse
        # number that they begin with, those of columns behind; and for each control that chains flow to, the
        # coarse numbers that these begin with.
        self._entering: list[tuple[Entering, Entering]] = []
        self._flowing: list[tuple[Neighbours, Neighbours]] = []
        # new neighbours of labels, for a control and a side
        self._new_heads: dict[tuple[int, int], Neighbours] = {}
        self._new_grams: dict[tuple[int, int], Neighbours] = {}
        self._begin()
        self._saturate()

    def _begin(self) -> None:
        """The grams of all inputs, with the head on the first digit of the first number."""
        onward = lines(self.reading, self.tape)
        lefts = {line: [(self._label(x), to) for x, to in columns] for line, columns in onward.items()}
        rights: dict[Line, int] = dict.fromkeys(lefts, 0)
        blanks: dict[Line, int] = dict.fromkeys(lefts, 0)
        for line, columns in lefts.items():
            for label, later in columns:
                rights[later] |= 1 << self.coarse[label]
                if self._is_blank(label):
                    blanks[line] |= 1 << self.coarse[label]
        for sign in self.reading.signs:
            control = self._control((0, 0, 0, *self.tape.on_row_0(sign)))
            for line, columns in lefts.items():
                for label, later in columns:
                    if self._is_blank(label):
                        self._add(control, LEFT_SIDE, [(label, blanks[later])])
                        continue
                    self._add(control, RIGHT_SIDE, [(label, rights[line])])
                    if self.labels[label][-1] != RIGHT and blanks[later]:
                        self._reach(control, LEFT_SIDE, [(label, blanks[later])])
                        self._reach(control, RIGHT_SIDE, [(label, rights[line])])

    def _is_blank(self, label: int) -> bool:
        return self.tape.first_track(self.labels[label]) == self.tape.blank

    def _rough(self, column: Cells) -> Cells:
        """What neighbours know of a column."""
        *cells, wanted, where = column
        at, other = -self.tape.low, self.tape.height - self.tape.low  # row 0 in both tracks
        seen = tuple(self.classes[s] if s >= 0 else s for s in cells)
        a, b = self.values.get(cells[at]), self.values.get(cells[other])
        if self.reading.sum is None:
            return *seen, where, wanted, ((a or 0) > (b or 0)) - ((a or 0) < (b or 0))
        zero = -1 if a is not None and b is not None else 2 * (a == 0) + (b == 0)
        rest = self.values.get(wanted, 0) - self.reading.sum[0] * (a or 0) - self.reading.sum[1] * (b or 0)
        return *seen, where, min(wanted, 0), rest, zero

    def _label(self, column: Cells) -> int:
        number = self._number.get(column)
        if number is None:
            number = self._number[column] = len(self.labels)
            self.labels.append(column)
            rough = self._rough(column)
            self.coarse.append(self._coarse_number.setdefault(rough, len(self._coarse_number)))
        return number

    def _control(self, control: Cells) -> int:
        number = self._control_number.get(control)
        if number is None:
            number = self._control_number[control] = len(self.controls)
            self.controls.append(control)
            self.heads.append(({}, {}))
            self.grams.append(({}, {}))
            self._alike.append(({}, {}))
            self._entering.append(({}, {}))
            self._flowing.append(({}, {}))
            self._steps.append({})
        return number

    def _saturate(self) -> None:
        # What comes to a control and a side until its turn is passed on together.
        while self._new_heads or self._new_grams:
            grams = bool(self._new_grams)
            new, pass_on = (self._new_grams, self._spread) if grams else (self._new_heads, self._visit)
            place = next(iter(new))
            pass_on(*place, new.pop(place))

    def _reach(self, control: int, side: int, heads: Grams) -> None:
        """Puts grams of the head's own column down."""
        known, fresh = self.heads[control][side], self._new_heads.get((control, side), {})
        for label, near in heads:
            before = known.get(label, 0)
            new = near & ~before
            if new:
                known[label] = before | new
                fresh[label] = fresh.get(label, 0) | new
                self.size += new.bit_count()
        if self.size > LIMITS.fold_grams:
            raise TooMuch("evidence", f"more than {LIMITS.fold_grams:,} states would have to be told apart")
        if fresh:
            self._new_heads[control, side] = fresh

    def _add(self, control: int, side: int, grams: Grams) -> None:
        """Puts grams of other columns down."""
        known, fresh = self.grams[control][side], self._new_grams.get((control, side), {})
        for label, beyond in grams:
            before = known.get(label, 0)
            new = beyond & ~before
            if new:
                if not before:
                    self._alike[control][side].setdefault(self.coarse[label], []).append(label)
                known[label] = before | new
                fresh[label] = fresh.get(label, 0) | new
        if fresh:
            self._new_grams[control, side] = fresh

    def _spread(self, control: int, side: int, grams: Neighbours) -> None:
        """Gives new grams to all that wait for those that begin so."""
        coarse = self.coarse
        for later, flowing in tuple(self._flowing[control][side].items()):
            begun = [(label, beyond) for label, beyond in grams.items() if flowing >> coarse[label] & 1]
            self._add(later, side, begun)
            self._flow(control, later, side, begun)
        for after, entering in self._entering[control][side].items():
            begun = [(label, beyond) for label, beyond in grams.items() if coarse[label] in entering]
            self._reach(after, side, begun)
            self._reach(after, 1 - side, [(label, entering[coarse[label]]) for label, _ in begun])
            self._flow(control, after, side, begun)

    def _visit(self, control: int, side: int, heads: Neighbours) -> None:
        onward: dict[tuple[int, int], list[tuple[int, int]]] = {}
        steps = self._steps[control]
        for label, near in heads.items():
            if label not in steps:
                steps[label] = self._step(control, label)
            step = steps[label]
            if step is None:
                self.halting[control, label] = None
                continue
            follows, written = step
            if follows in onward:
                onward[follows].append((written, near))
            else:
                onward[follows] = [(written, near)]
        towards = 1 if side == RIGHT_SIDE else -1
        for (after, dx), columns in onward.items():
            if dx == towards:
                self._enter(control, side, after, columns)
                continue
            self._flow(control, after, side, columns)
            if dx == 0:
                self._reach(after, side, columns)
            else:
                self._add(after, side, columns)

    def _enter(self, control: int, side: int, after: int, left: Grams) -> None:
        """The head leaves columns and enters all that the side may begin with, now and later."""
        waiting = self._entering[control][side].setdefault(after, {})
        behind_of: Neighbours = {}  # Many columns have the same neighbours.
        for label, near in left:
            behind_of[near] = behind_of.get(near, 0) | 1 << self.coarse[label]
        fresh: Neighbours = {}
        for near, behind in behind_of.items():
            for key in bits(near):
                fresh[key] = fresh.get(key, 0) | behind
        alike, grams = self._alike[control][side], self.grams[control][side]
        for key, behind in fresh.items():
            known = waiting.get(key, 0)
            waiting[key] = known | behind
            begun = alike.get(key)
            if not begun:
                continue
            self._reach(after, 1 - side, [(x, behind) for x in begun])
            if not known:
                entered = [(x, grams[x]) for x in begun]
                self._reach(after, side, entered)
                self._flow(control, after, side, entered)

    def _step(self, control: int, label: int) -> tuple[tuple[int, int], int] | None:
        step = self.tape.step(self.controls[control], self.labels[label])
        if step is None:
            return None
        after, written, dx = step
        return (self._control(after), dx), self._label(written)

    def _flow(self, control: int, after: int, side: int, columns: Grams) -> None:
        """All grams of chains that begin beside these columns are on that side after the step, too."""
        if control == after:
            return
        flowing, grams, alike = self._flowing[control][side], self.grams[control][side], self._alike[control]
        known = flowing.get(after, 0)
        while new := union(columns) & ~known:
            known |= new
            flowing[after] = known
            columns = [(x, grams[x]) for key in bits(new) for x in alike[side].get(key, ())]
            self._add(after, side, columns)

    def check_ends(self, row: int, stands: str) -> None:
        """(e)."""
        possible = STANDS if self.reading.sum else ("between",)
        check(stands in possible, "evidence", "it does not say where the result stands")
        at, height = row - self.tape.low, self.tape.height

        def column(control: int, label: int) -> str:
            *cells, wanted, where = self.labels[label]
            between, cells = list(self.controls[control][3:]), [max(cell, 0) for cell in cells]
            if not self.reading.sum:
                told = between.pop(at)
                right = where != LEFT or told == self.reading.verdicts[wanted]
                check(right and not any((*cells, *between)), "evidence", "LEFT may halt with a wrong result")
                return "B"
            cell = cells.pop(at + height * (stands == "second"))
            check(not any((*cells, *between)), "evidence", "LEFT may halt where more stands than a result")
            return held(cell, wanted, self.reading.digits[0])

        def beyond(control: int, side: int, near: int) -> Iterator[tuple[int, int]]:
            grams = self.grams[control][side > 0]
            return ((x, w) for x in self._alike[control][side > 0].get(near, ()) for w in bits(grams[x]))

        ends = (
            (
                control,
                label,
                [(2 * side - 1, near) for side in (0, 1) for near in bits(heads[side].get(label, 0))],
            )
            for control, label in self.halting
            for heads in [self.heads[control]]
        )
        check_chains(ends, column, beyond, self.reading.digits[0] if self.reading.sum else None)


def union(columns: Grams) -> int:
    mask = 0
    for _, near in columns:
        mask |= near
    return mask


@lru_cache(1 << 16)  # The same sets come up again and again.
def bits(mask: int) -> tuple[int, ...]:
    return tuple(compress(count(), f"{mask:b}".encode()[::-1].translate(IS_SET)))
