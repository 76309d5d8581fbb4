"""Folds: what may stand on a folded tape, to the left and to the right of the folded head, for each control.

The least fixpoint that (V10) of `compiler/verifier/folds` asks for, which says what labels, coarse numbers
and grams are, and what they stand for: H(k, side) are `heads`, G(k, side) `grams`.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator
from functools import lru_cache
from itertools import compress, count
from typing import Any, NamedTuple

from gridlang.compiler.automata.explore import TooLarge
from gridlang.compiler.proofs.abstractions.columns import RIGHT_SIDE
from gridlang.compiler.proofs.abstractions.folded_tape import FoldedTape
from gridlang.compiler.proofs.reports import report
from gridlang.compiler.verifier.folds.folded_tape import Cells

# For each label, the coarse numbers that may be beside it, as bits: a step passes all of them on at once.
Neighbours = dict[int, int]
Grams = Iterable[tuple[int, int]]  # labels with neighbours
Beside = tuple[Cells, ...]  # columns
Alike = dict[int, list[int]]
Entering = dict[int, Neighbours]
IS_SET = bytes.maketrans(b"01", b"\0\1")


class FoldedInputs(NamedTuple):
    """All grams before the first step: columns with neighbours, each side of LEFT's head, and its own."""

    between: tuple[Cells, ...]  # what may stand between the numbers
    heads: tuple[tuple[int, Cells, Beside], ...]  # a side, a column, and its neighbours there
    others: tuple[tuple[int, Cells, Beside], ...]


class FoldAnalysis:
    """The least fixpoint on a tape."""

    def __init__(
        self,
        tape: FoldedTape,
        inputs: FoldedInputs,
        coarse: Callable[[Cells], Hashable],
        limit: int,
    ) -> None:
        self.tape, self.limit = tape, limit
        self.labels: list[Cells] = []
        self.coarse: list[int] = []
        self.controls: list[Cells] = []
        self.heads: list[tuple[Neighbours, Neighbours]] = []  # H
        self.grams: list[tuple[Neighbours, Neighbours]] = []  # G
        self.halting: dict[tuple[int, int], None] = {}
        self.size = 0
        self._rough = coarse
        self._number: dict[Cells, int] = {}
        self._coarse_number: dict[Hashable, int] = {}
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
        self._begin(inputs)
        self._saturate()

    def _begin(self, inputs: FoldedInputs) -> None:
        groups = {id(beside): beside for _, _, beside in (*inputs.heads, *inputs.others)}
        masks = {group: self._mask(beside) for group, beside in groups.items()}
        for between in inputs.between:
            control = self._control((0, 0, 0, *between))
            for side, column, beside in inputs.heads:
                self._reach(control, side, [(self._label(column), masks[id(beside)])])
            for side, column, beside in inputs.others:
                self._add(control, side, [(self._label(column), masks[id(beside)])])

    def _mask(self, columns: Beside) -> int:
        mask = 0
        for column in columns:
            mask |= 1 << self.coarse[self._label(column)]
        return mask

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
            report(self.size)

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
        if self.size > self.limit:
            raise TooLarge(self.limit + 1)
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

    def beginning(self, control: int, side: int, near: int) -> Iterator[tuple[int, int]]:
        """The grams of a control on a side, by the coarse number of their label: each with one of its w."""
        grams = self.grams[control][side]
        return ((x, w) for x in self._alike[control][side].get(near, ()) for w in bits(grams[x]))


def union(columns: Grams) -> int:
    mask = 0
    for _, near in columns:
        mask |= near
    return mask


@lru_cache(1 << 16)  # The same sets come up again and again.
def bits(mask: int) -> tuple[int, ...]:
    return tuple(compress(count(), f"{mask:b}".encode()[::-1].translate(IS_SET)))


def fold_evidence(analysis: FoldAnalysis, row: int, stands: str, conditioned: bool = False) -> dict[str, Any]:
    """Why LEFT is never stuck and leaves what is wanted: all grams of a fold, closed under every step.

    Results are in a row, in the track or the column between that `stands` names. A `conditioned` fold is of
    inputs that meet their condition.
    """
    tape = analysis.tape
    head_left, head_right = ([_listed(sides[side]) for sides in analysis.heads] for side in (0, 1))
    left, right = ([_listed(sides[side]) for sides in analysis.grams] for side in (0, 1))
    return {
        "kind": "conditioned folds" if conditioned else "folds",
        "rows": (tape.low, tape.high),
        "row": row,
        "stands": stands,
        "shifts": sorted(tape.shifts),
        "controls": analysis.controls,
        "labels": analysis.labels,
        "coarse": analysis.coarse,
        "head_left": head_left,
        "head_right": head_right,
        "left": left,
        "right": right,
    }


def _listed(grams: Neighbours) -> list[tuple[int, ...]]:
    return [(label, *bits(grams[label])) for label in sorted(grams)]
