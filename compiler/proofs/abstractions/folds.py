"""Folds: what may stand on a folded tape, to the left and to the right of the folded head, for each control.

Label. A column of the folded tape has a label: both tracks, cell by cell, what is wanted in it, and where in
the input it lies. Labels have a *coarse* number; those with the same are not told apart by their neighbours.

Abstract state. For each control k and each side there are two sets of *grams* (x; w), a label and a coarse
number: H(k, side) of the folded head's own column, and G(k, side) of those on that side of it.

Concretisation. Under H and G, k stands for all folded tapes with a head on which
  (1) the head's column has a label c, and its neighbours coarse numbers l and r, such that (c; l) is in
      H(k, left) and (c; r) in H(k, right);
  (2) each other column, with the coarse number of the next one outwards, is a gram of G(k, side), side being
      where it lies.
So the columns on a side are a chain: the first has the coarse number l (or r), and each is a gram whose w is
the coarse number of the next.

Abstract step. H and G begin with all grams of the folded inputs. What a step does depends on k and c alone:
let it lead to k' and c'. For each gram (c; n) of H(k, side),
  (stay)   if the head stays, (c'; n) is in H(k', side);
  (leave)  if it moves away from the side, (c'; n) is in G(k', side);
  (enter)  if it moves to the side, then for each gram (x; w) of G(k, side) in which x has the coarse number
           n, (x; w) is in H(k', side), and (x; the coarse number of c') in H(k', other side);
  (flow)   all grams of chains of G(k, side) that begin with n, or with w where it enters, are in G(k', side).

Theorem. If no step can be one where LEFT is stuck or leaves the strip, then every declared input, folded, and
what LEFT makes of it, is among what the control stands for.
Its proof: docs/reference/theorems.md.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Hashable
from typing import Any, NamedTuple

from compiler.automata.explore import TooLarge
from compiler.proofs.abstractions.folded_tape import Cells, Control, FoldedColumn, FoldedTape
from compiler.proofs.limits import LIMITS

LEFT_SIDE, RIGHT_SIDE = 0, 1
Neighbours = dict[int, set[int]]  # for each label, the coarse numbers that may be beside it
Grams = dict[int, set[tuple[int, int]]]  # (x; w) by the coarse number of x


class FoldedInputs(NamedTuple):
    """All grams before the first step: columns with a neighbour, each side of LEFT's head, and its own."""

    between: tuple[Cells, ...]  # what may stand between the numbers
    heads: tuple[tuple[int, FoldedColumn, FoldedColumn], ...]  # a side, a column, and its neighbour there
    others: tuple[tuple[int, FoldedColumn, FoldedColumn], ...]


class FoldAnalysis:
    """The least fixpoint for one way to shift the fold."""

    def __init__(
        self,
        tape: FoldedTape,
        inputs: FoldedInputs,
        shifts: Collection[Cells],
        coarse: Callable[[FoldedColumn], Hashable],
        limit: int,
        progress: Callable[[int], None],
    ) -> None:
        self.tape, self.shifts, self.limit, self.progress = tape, shifts, limit, progress
        self.labels: list[FoldedColumn] = []
        self.coarse: list[int] = []
        self.controls: list[Control] = []
        self.heads: list[tuple[Neighbours, Neighbours]] = []  # H
        self.grams: list[tuple[Grams, Grams]] = []  # G
        self.halting: dict[tuple[int, int], None] = {}
        self.size = 0
        self._rough = coarse
        self._number: dict[FoldedColumn, int] = {}
        self._coarse_number: dict[Hashable, int] = {}
        self._control_number: dict[Control, int] = {}
        self._steps: dict[tuple[int, int], tuple[int, int, int] | None] = {}
        # What waits for grams of a control on a side, by the coarse number that they begin with: the control
        # of the head that enters, with the coarse number of the column behind it; and flows to a control.
        self._entering: list[tuple[dict[int, set[tuple[int, int]]], dict[int, set[tuple[int, int]]]]] = []
        self._flowing: list[tuple[Neighbours, Neighbours]] = []
        self._work: list[tuple[int, int, int, int]] = []
        self._new_grams: list[tuple[int, int, int, int]] = []
        self._begin(inputs)
        self._saturate()

    def _begin(self, inputs: FoldedInputs) -> None:
        for between in inputs.between:
            control = self._control(Control(0, 0, 0, between))
            for side, column, neighbour in inputs.heads:
                self._reach(control, side, self._label(column), self.coarse[self._label(neighbour)])
            for side, column, neighbour in inputs.others:
                self._add(control, side, self._label(column), self.coarse[self._label(neighbour)])

    def _label(self, column: FoldedColumn) -> int:
        number = self._number.get(column)
        if number is None:
            number = self._number[column] = len(self.labels)
            self.labels.append(column)
            rough = self._rough(column)
            self.coarse.append(self._coarse_number.setdefault(rough, len(self._coarse_number)))
        return number

    def _control(self, control: Control) -> int:
        number = self._control_number.get(control)
        if number is None:
            number = self._control_number[control] = len(self.controls)
            self.controls.append(control)
            self.heads.append(({}, {}))
            self.grams.append(({}, {}))
            self._entering.append(({}, {}))
            self._flowing.append(({}, {}))
        return number

    def _saturate(self) -> None:
        while self._work or self._new_grams:
            if self._new_grams:
                self._spread(*self._new_grams.pop())
            else:
                self._visit(*self._work.pop())

    def _reach(self, control: int, side: int, label: int, near: int) -> None:
        """Puts a gram of the head's own column down."""
        known = self.heads[control][side].setdefault(label, set())
        if near not in known:
            known.add(near)
            self._work.append((control, side, label, near))
            self.size += 1
            if self.size > self.limit:
                raise TooLarge(self.size)
            if self.size % LIMITS.nodes_per_report == 0:
                self.progress(self.size)

    def _add(self, control: int, side: int, label: int, beyond: int) -> None:
        """Puts a gram of another column down."""
        known = self.grams[control][side].setdefault(self.coarse[label], set())
        if (label, beyond) not in known:
            known.add((label, beyond))
            self._new_grams.append((control, side, label, beyond))

    def _spread(self, control: int, side: int, label: int, beyond: int) -> None:
        """Gives a new gram to all that wait for one that begins so."""
        key = self.coarse[label]
        for later in tuple(self._flowing[control][side].get(key, ())):
            self._add(later, side, label, beyond)
            self._flow(control, later, side, beyond)
        for after, behind in tuple(self._entering[control][side].get(key, ())):
            self._enter(control, side, after, behind, label, beyond)

    def _visit(self, control: int, side: int, label: int, near: int) -> None:
        step = self._step(control, label)
        if step is None:
            self.halting[control, label] = None
            return
        after, written, dx = step
        if dx == 0:
            self._flow(control, after, side, near)
            self._reach(after, side, written, near)
        elif (dx > 0) != (side == RIGHT_SIDE):
            self._flow(control, after, side, near)
            self._add(after, side, written, near)
        else:
            behind = self.coarse[written]
            waiting = self._entering[control][side].setdefault(near, set())
            if (after, behind) not in waiting:
                waiting.add((after, behind))
                for x, w in tuple(self.grams[control][side].get(near, ())):
                    self._enter(control, side, after, behind, x, w)

    def _step(self, control: int, label: int) -> tuple[int, int, int] | None:
        if (control, label) not in self._steps:
            step = self.tape.step(self.controls[control], self.labels[label], self.shifts)
            numbers = step and (self._control(step[0]), self._label(step[1]), step[2])
            self._steps[control, label] = numbers
        return self._steps[control, label]

    def _enter(self, control: int, side: int, after: int, behind: int, label: int, beyond: int) -> None:
        self._reach(after, side, label, beyond)
        self._reach(after, 1 - side, label, behind)
        self._flow(control, after, side, beyond)

    def _flow(self, control: int, after: int, side: int, near: int) -> None:
        """All grams of chains that begin with a coarse number are on that side after the step, too."""
        if control == after:
            return
        flowing, grams = self._flowing[control][side], self.grams[control][side]
        chain = [near]
        while chain:
            key = chain.pop()
            afters = flowing.setdefault(key, set())
            if after in afters:
                continue
            afters.add(after)
            for x, w in tuple(grams.get(key, ())):
                self._add(after, side, x, w)
                chain.append(w)


def fold_evidence(analysis: FoldAnalysis, row: int, stands: str) -> dict[str, Any]:
    """Why LEFT is never stuck and leaves what is wanted: all grams of a fold, closed under every step.

    Results are in a row, in the track or the column between that `stands` names.
    """
    tape = analysis.tape
    head_left, head_right = ([_listed(sides[side]) for sides in analysis.heads] for side in (0, 1))
    left, right = ([_listed(_by_label(sides[side])) for sides in analysis.grams] for side in (0, 1))
    return {
        "kind": "folds",
        "rows": (tape.low, tape.high),
        "row": row,
        "stands": stands,
        "shifts": sorted(analysis.shifts),
        "controls": [(c.state, c.phase, c.row, *c.between) for c in analysis.controls],
        "labels": [(*c.tracks[0], *c.tracks[1], c.wanted, c.where) for c in analysis.labels],
        "coarse": analysis.coarse,
        "head_left": head_left,
        "head_right": head_right,
        "left": left,
        "right": right,
    }


def _by_label(grams: Grams) -> Neighbours:
    by_label: Neighbours = {}
    for ends in grams.values():
        for label, beyond in ends:
            by_label.setdefault(label, set()).add(beyond)
    return by_label


def _listed(grams: Neighbours) -> list[list[int]]:
    return [[label, *sorted(beyond)] for label, beyond in sorted(grams.items())]
