"""The part of `verify` that checks folds: two numbers on one tape, digits of equal weight in one column.

Let every declared input be a number, a sign and a number, in the same digits. A label is a column of the
folded tape (`folded_tape`): both tracks; what is wanted there, by the reading (`folded_readings`); and where
it lies: to the right of both numbers (0), at their last digits (1), at other digits (2), to the left of both
(3). Labels have coarse numbers. A gram (x; w) is a label and a coarse number. For each control k and each
side there are grams H(k, side) and G(k, side). k stands for all folded tapes with a head whose columns have
labels, such that the head's column c is with the coarse number of its neighbour on a side a gram (c; n) of
H(k, side), and each other column with that of the next one outwards a gram of G(k, side), side being where it
lies.

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
"""

from __future__ import annotations

from typing import Any

from gridlang.compiler.verifier.clauses.readings import ORDERED, held
from gridlang.compiler.verifier.clauses.verdicts import NOTHING
from gridlang.compiler.verifier.folds.folded_readings import FoldedReading, Line, lines
from gridlang.compiler.verifier.folds.folded_tape import LEGS, Cells, FoldedTape
from gridlang.compiler.verifier.limits import LIMITS
from gridlang.compiler.verifier.tables import Rules, Wrong, are_lists, are_numbers, check

Grams = dict[int, set[int]]  # for each label, the coarse numbers beside it
CONDITIONED = "conditioned folds"  # the kind that is about inputs which meet their condition
FOLD_KINDS = ("folds", CONDITIONED)
FOLD_PARTS = {
    *("rows", "row", "stands", "shifts", "controls", "labels", "coarse"),
    *("head_left", "head_right", "left", "right"),
}


def check_folds(left: Rules, evidence: dict[str, Any], stuck: str) -> tuple[int, int, int]:
    """(V10); the depth, how many grams of heads there are, and that LEFT is never stuck."""
    check(left.output and stuck == "never", "claim", "there is no output clause, or it may be stuck")
    return _FoldsCheck(left, evidence).check()


class _FoldsCheck:
    """A certificate's fold, and what is checked of it."""

    def __init__(self, left: Rules, evidence: dict[str, Any]) -> None:
        self.left = left
        self.reading = FoldedReading(left, conditioned=evidence["kind"] == CONDITIONED)
        check(
            are_numbers(evidence["rows"], -LIMITS.fold_rows, LIMITS.fold_rows + 1),
            "evidence",
            "its rows are no numbers",
        )
        (low, high), row = evidence["rows"], evidence["row"]
        check(low <= 0 <= high, "evidence", "row 0 is missing")
        exists = type(row) is int and low <= row <= high
        check(exists, "evidence", "the row of the result is not of the strip")
        self.stands = evidence["stands"]
        possible = ("first", "second") if self.reading.sum else ("between",)
        check(self.stands in possible, "evidence", "it does not say where the result stands")
        height, self.at = high - low + 1, row - low
        shifts = self._read(evidence["shifts"], height, "shifts")
        self.tape = FoldedTape(left, low, high, set(shifts))
        self.controls = self._read(evidence["controls"], height + 3, "controls")
        self.labels = self._read(evidence["labels"], 2 * height + 2, "labels")
        self.coarse = evidence["coarse"]
        known = are_numbers(self.coarse, 0) and len(self.coarse) == len(self.labels)
        check(known, "evidence, coarse", "there must be one for each label")
        self._check_known()
        self.control = {control: number for number, control in enumerate(self.controls)}
        self.label = {label: number for number, label in enumerate(self.labels)}
        self.heads = [self._read_grams(evidence[name]) for name in ("head_left", "head_right")]
        self.grams = [self._read_grams(evidence[name]) for name in ("left", "right")]
        self.by_coarse = [[self._by_coarse(grams) for grams in side] for side in self.grams]
        # Each has a side, a control, the next one, and a coarse number; entries also the one left behind.
        self.flows: set[tuple[int, int, int, int]] = set()
        self.entered: set[tuple[int, int, int, int, int]] = set()

    def _read(self, lists: Any, size: int, name: str) -> list[Cells]:
        where = f"evidence, {name}"
        whole = are_lists(lists) and all(are_numbers(some, -LIMITS.fold_rows) for some in lists)
        check(whole and all(len(some) == size for some in lists), where, "one of them is cut short")
        read = [tuple(some) for some in lists]
        check(len(set(read)) == len(read), where, "one of them stands twice")
        return read

    def _check_known(self) -> None:
        """Wrong unless every control and label is one that there can be."""
        symbols = range(len(self.left.symbols))
        tape = self.tape
        for state, phase, row, *between in self.controls:
            exists = 0 <= state < self.left.states and tape.low <= row <= tape.high
            known = exists and 0 <= phase <= max(LEGS) and all(cell in symbols for cell in between)
            check(known, "evidence, controls", "one of them does not exist")
        for label in self.labels:
            tracks = label[: tape.height], label[tape.height : -2]
            known = all(cells == tape.absent or all(cell in symbols for cell in cells) for cells in tracks)
            wanted, where = label[-2:]
            top = len(symbols) if self.reading.sum else len(self.reading.verdicts)
            least = 0 if where == 3 and not self.reading.sum else NOTHING
            known = known and where in range(4) and least <= wanted < top
            check(known, "evidence, labels", "one of them does not exist")

    def _read_grams(self, controls: Any) -> list[Grams]:
        where = "evidence, grams"
        listed = are_lists(controls) and all(map(are_lists, controls))
        check(listed and len(controls) == len(self.controls), where, "there must be some for each control")
        read = []
        for grams in controls:
            whole = all(len(gram) > 1 and are_numbers(gram, 0) for gram in grams)
            check(whole and all(gram[0] < len(self.labels) for gram in grams), where, "one of them is none")
            read.append({label: set(near) for label, *near in grams})
            check(len(read[-1]) == len(grams), where, "a label stands twice")
        return read

    def _by_coarse(self, grams: Grams) -> dict[int, Grams]:
        known: dict[int, Grams] = {}
        for label, beyond in grams.items():
            known.setdefault(self.coarse[label], {})[label] = beyond
        return known

    def check(self) -> tuple[int, int, int]:
        for sign in self.reading.signs:
            self._check_first(self._number(self.control, (0, 0, 0, *self.tape.on_row_0(sign)), "controls"))
        seen: set[tuple[int, int, int, str]] = set()
        for control in range(len(self.controls)):
            for side in (0, 1):
                for label, neighbours in self.heads[side][control].items():
                    step = self._step(control, label)
                    if step is not None:
                        self._check_step(control, side, neighbours, *step)
                        continue
                    here = self._column(control, label)
                    for near in neighbours:
                        self._check_chain(control, side, near, here, seen)
        self._check_flows()
        return 1, sum(len(near) for side in self.heads for heads in side for near in heads.values()), 0

    def _number(self, numbers: dict[Cells, int], what: Cells, name: str) -> int:
        number = numbers.get(what)
        if number is None:
            raise Wrong(f"evidence, {name}", "what a step leads to, or an input begins with, is missing")
        return number

    def _check_first(self, control: int) -> None:
        """Wrong unless the control stands for all inputs with this sign."""
        columns = lines(self.reading, self.tape)
        lefts = {
            line: [(self._number(self.label, x, "labels"), to) for x, to in columns[line]] for line in columns
        }
        rights: dict[Line, set[int]] = {line: set() for line in columns}
        for onward in lefts.values():
            for label, later in onward:
                rights[later].add(self.coarse[label])
        for line in lefts:
            for label, later in lefts[line]:
                cells = self.tape.first_track(self.labels[label])
                blanks = {self.coarse[x] for x, _ in lefts[later] if self._is_blank(x)}
                if cells == self.tape.blank:
                    self._need(self.grams[0][control], label, blanks)
                else:
                    self._need(self.grams[1][control], label, rights[line])
                if cells not in (self.tape.blank, self.tape.absent) and blanks:
                    self._need(self.heads[0][control], label, blanks)
                    self._need(self.heads[1][control], label, rights[line])

    def _is_blank(self, label: int) -> bool:
        return self.tape.first_track(self.labels[label]) == self.tape.blank

    def _need(self, grams: Grams, label: int, near: set[int]) -> None:
        check(near <= grams.get(label, set()), "evidence, grams", "one that must be there is missing")

    def _step(self, control: int, label: int) -> tuple[int, int, int] | None:
        """The step of a control in a column, by numbers; None where LEFT halts."""
        step = self.tape.step(self.controls[control], self.labels[label])
        if step is None:
            return None
        after, column, dx = step
        return self._number(self.control, after, "controls"), self._number(self.label, column, "labels"), dx

    def _check_step(
        self, control: int, side: int, neighbours: set[int], after: int, label: int, dx: int
    ) -> None:
        """(a), (b) and (c) of all grams of a label; what flows is put down."""
        if dx and (dx > 0) == (side == 1):
            entries = {(side, control, near, after, self.coarse[label]) for near in neighbours}
            for entry in entries - self.entered:
                self._check_entry(*entry)
            self.entered |= entries
            return
        grams = self.grams if dx else self.heads
        self._need(grams[side][after], label, neighbours)
        self.flows.update((side, control, after, near) for near in neighbours)

    def _check_entry(self, side: int, control: int, near: int, after: int, behind: int) -> None:
        """(c) of a head that leaves a column with a coarse number behind."""
        for label, beyond in self.by_coarse[side][control].get(near, {}).items():
            self._need(self.heads[side][after], label, beyond)
            self._need(self.heads[1 - side][after], label, {behind})
            self.flows.update((side, control, after, w) for w in beyond)

    def _check_flows(self) -> None:
        """(d)."""
        work = [flow for flow in self.flows if flow[1] != flow[2]]
        for side, control, after, near in work:
            for label, beyond in self.by_coarse[side][control].get(near, {}).items():
                self._need(self.grams[side][after], label, beyond)
                later = {(side, control, after, w) for w in beyond} - self.flows
                self.flows |= later
                work += later

    def _check_chain(
        self, control: int, side: int, near: int, here: str, seen: set[tuple[int, int, int, str]]
    ) -> None:
        """(e): every column from a coarse number on is as it is wanted, beside the one before it."""
        work = [(control, side, near, here)]
        while work:
            chain = work.pop()
            if chain in seen:
                continue
            seen.add(chain)
            *_, near, before = chain
            for label, beyond in self.by_coarse[side][control].get(near, {}).items():
                there = self._column(control, label)
                pair = before + there if side else there + before
                check(not self.reading.sum or pair in ORDERED, "evidence", "a result has a gap")
                work += [(control, side, w, there) for w in beyond]

    def _column(self, control: int, label: int) -> str:
        """B, D or Z as in (V9), and B for a verdict; Wrong if a column may not be as it is wanted."""
        *cells, wanted, where = self.labels[label]
        between = list(self.controls[control][3:])
        cells = [max(cell, 0) for cell in cells]
        if not self.reading.sum:
            told = between.pop(self.at)
            right = where != 3 or told == self.reading.verdicts[wanted]
            check(right and not any((*cells, *between)), "evidence", "LEFT may halt with a wrong result")
            return "B"
        at = self.at + self.tape.height * (self.stands == "second")
        cell = cells.pop(at)
        check(not any((*cells, *between)), "evidence", "LEFT may halt where more stands than a result")
        return held(cell, wanted, self.reading.digits[0])
