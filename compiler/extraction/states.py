"""From hidden vectors to states: a model is walked along known steps, from centre to centre.

After each step the vector is replaced by the nearest centre within a tolerance, or becomes one. Long before
training has made one point of the vectors of a state, they lie nearer to each other than to those of other
states. Too coarse a tolerance shows as a centre that is seen to do two things on a symbol.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from gridlang.compiler.automata.acts import NOWHERE, STUCK, UNSEEN
from gridlang.compiler.automata.merging import RuleGraph
from gridlang.compiler.extraction.limits import LIMITS
from gridlang.compiler.tensors.dfst import Dfst, Floats
from gridlang.compiler.tensors.model import Model
from gridlang.compiler.tensors.wrapped import Wrapped, unit_point

Numbers = npt.NDArray[np.signedinteger[Any]]


DOUBT = -3  # act of a model that is not sure what to do
LEAST_MARGIN = 0.25  # An output leads by this part of itself; converged models lead by more than 0.8.
ONE_THREAD = 200_000  # products of numbers: OpenBLAS takes more threads from 262,144 on
FAINT = 0.01  # an output below this part of the largest is unsure


class Acts(NamedTuple):
    """A run, step by step, by the model's numbers."""

    read: Numbers
    act: Numbers  # write * moves + move, STUCK, or at the end DOUBT


class KnownSteps(NamedTuple):
    """Runs side by side: (steps, runs)."""

    read: Numbers  # negative after the end
    act: Numbers


def known_steps(runs: Sequence[Acts]) -> KnownSteps:
    longest = max((len(run.read) for run in runs), default=0)
    read, act = np.full((2, longest, len(runs)), UNSEEN, np.int32)
    for number, run in enumerate(runs):
        read[: len(run.read), number], act[: len(run.read), number] = run
    return KnownSteps(read, act)


class Overlap(NamedTuple):
    """Two acts of one centre on one symbol."""

    symbol: int
    first: int
    second: int


class States(NamedTuple):
    """Centres, that of the start first, and what the steps show of each on each symbol."""

    centres: Floats  # (states, d): places
    vectors: Floats  # what the model keeps there
    act: Numbers  # (states, symbols)
    after: Numbers
    visits: Numbers
    led: Floats  # (states, symbols, d): the place after it
    doubted: npt.NDArray[np.bool_]  # (states, symbols): a run came to it, and the model was not sure

    @property
    def radius(self) -> Floats:
        """How far the places that lead to a centre are from it, at most: (states,)."""
        radius, known = np.zeros(len(self.centres), np.float32), self.after != NOWHERE
        after = self.after[known]
        np.maximum.at(radius, after, np.linalg.norm(self.led[known] - self.centres[after], axis=1))
        return radius

    def graph(self, moves: int) -> RuleGraph:
        """As rules; being stuck writes a symbol past the last."""
        write = np.where(self.act == STUCK, self.act.shape[1], self.act // moves)
        seen = self.act != UNSEEN
        rows = (np.where(seen, part, NOWHERE) for part in (write, self.act % moves, self.after))
        return RuleGraph(*(part.astype(np.int32) for part in rows))

    def amid(self) -> Floats:
        """Each centre moved amid the directions that lead to it."""
        sums = np.zeros_like(self.centres)
        sums[0] = self.centres[0]
        known = self.after != NOWHERE
        np.add.at(sums, self.after[known], self.led[known])
        lengths = np.linalg.norm(sums, axis=1, keepdims=True)
        return np.where(lengths > 0, sums / np.where(lengths > 0, lengths, 1), self.centres)


def states(model: Model, steps: KnownSteps, tolerance: float) -> States | None:
    """The states that the steps lead through; None if one does two things, or there are too many of them."""
    walk = Walk(model, tolerance)
    return walk.found() if walk.follows(steps) else None


class Decisions(NamedTuple):
    """What outputs (..., symbols + moves) decide, as `decide` defines it, and how clearly."""

    act: Numbers
    margin: Floats  # the lead over the second, as a part of the largest; of a strict model over zero too
    noise: Floats  # how far from one-hot
    top: Floats  # the smaller of the two outputs that decide


def decisions(model: Model, outputs: Floats) -> Decisions:
    symbols, moves = len(model.symbols), len(model.moves)
    parts = outputs[..., :symbols], outputs[..., symbols:]
    largest = [part.max(-1) for part in parts]
    least, most, longest = np.minimum(*largest), np.maximum(*largest), np.abs(outputs).max(-1)
    margin, rest = np.ones(least.shape, np.float32), np.zeros(least.shape, np.float32)
    with np.errstate(all="ignore"):
        for part, first in zip(parts, largest, strict=True):
            if part.shape[-1] > 1:
                second = np.partition(part, -2, axis=-1)[..., -2]
                margin = np.minimum(margin, (first - second) / np.abs(first))
                rest = np.maximum(rest, np.maximum(np.abs(second), -part.min(-1)))
        stuck = ~np.isfinite(outputs).all(-1) | (longest == 0)
        if model.strict:
            above = np.abs(most) / longest
            margin, stuck = np.where(most > 0, np.minimum(margin, above), above), stuck | ~(most > 0)
        noise = np.where(least > 0, np.maximum(rest, most - least) / least, np.inf)
    act = parts[0].argmax(-1) * moves + parts[1].argmax(-1)
    return Decisions(np.where(stuck, STUCK, act), margin, noise, least)


def decided_at(model: Model, found: States) -> Decisions:
    """What the model decides at each centre on each symbol that the steps show there: (pairs,)."""
    state, symbol = np.nonzero(found.act != UNSEEN)
    return decisions(model, stepped(model, found.vectors[state], symbol)[0])


def directions(vectors: Floats) -> Floats:
    """Vectors of length one; not finite where there is no direction."""
    with np.errstate(all="ignore"):
        along: Floats = vectors / np.linalg.norm(vectors, axis=-1, keepdims=True)
    return along


def placed(model: Model, vectors: Floats) -> tuple[Floats, Floats]:
    """Where vectors lie, and what the model keeps there; a DFST tells no vector from its direction."""
    if isinstance(model, Wrapped):
        return unit_point(vectors), vectors
    along = directions(vectors)
    return along, along


def stepped(model: Model, vectors: Floats, symbols: Numbers) -> tuple[Floats, Floats]:
    """One step from each vector: the outputs, and what the model keeps then."""
    outputs = np.zeros((len(vectors), len(model.symbols) + len(model.moves)), np.float32)
    after = np.zeros_like(vectors)
    if isinstance(model, Dfst):
        with np.errstate(all="ignore"):
            for x in np.unique(symbols).tolist():
                mine = symbols == x
                outputs[mine] = outputs_on(model, x, vectors[mine])
                after[mine] = products(vectors[mine], model.A[x])
        return outputs, after
    step = model.stepper().step
    for number, x in enumerate(symbols.tolist()):
        outputs[number], after[number] = step(vectors[number], x)
    return outputs, after


def outputs_on(model: Dfst, symbol: int, vectors: Floats) -> Floats:
    return np.concatenate([products(vectors, model.B[symbol]), products(vectors, model.C[symbol])], 1)


def products(vectors: Floats, matrix: Floats) -> Floats:
    """All vectors times a matrix, in parts so small that BLAS takes one thread: sums depend on no cores."""
    rows = max(1, ONE_THREAD // matrix.size)
    parts = [vectors[at : at + rows] @ matrix.T for at in range(0, len(vectors), rows)]
    return np.concatenate(parts) if parts else np.zeros((0, len(matrix)), np.float32)


class Walk:
    """The centres so far, and what is seen of each pair of a centre and a symbol.

    `overlap` is why a walk does not follow, if it is not that there are too many centres.
    """

    overlap: Overlap | None = None

    def __init__(self, model: Model, tolerance: float, centres: Floats | None = None) -> None:
        begun = placed(model, model.h0[None]) if centres is None else (centres, centres)
        self.model, self.tolerance, self.count = model, tolerance, len(begun[0])
        dim, self.symbols = len(model.h0), len(model.symbols)
        most = max(self.count, LIMITS.centres_a_dimension * max(dim, LIMITS.few_dimensions))
        rows = (most, most, most * self.symbols)
        self.centres, self.vectors, self.led = (np.zeros((many, dim), np.float32) for many in rows)
        self.centres[: self.count], self.vectors[: self.count] = begun
        self.act, self.after, self.visits, self.doubts = (
            np.full(most * self.symbols, value) for value in (UNSEEN, NOWHERE, 0, 0)
        )

    @property
    def size(self) -> tuple[int, int]:
        """Centres and rules, which are only ever added."""
        return self.count, int((self.act != UNSEEN).sum())

    def follows(self, steps: KnownSteps) -> bool:
        """Whether all runs agree on what each centre does, and lead to few of them."""
        moves, stay = (
            len(self.model.moves),
            self.model.moves.index("S") if "S" in self.model.moves else NOWHERE,
        )
        runs, at = np.arange(steps.read.shape[1]), np.zeros(steps.read.shape[1], np.int64)
        if not np.isfinite(self.centres[0]).all():
            return False
        for read, act in zip(steps.read, steps.act, strict=True):
            going = read[runs] >= 0
            runs, at = runs[going], at[going]
            x, does = read[runs], act[runs]
            pair = at * self.symbols + x
            self.doubts[pair[does == DOUBT]] += 1
            fresh = (self.act[pair] == UNSEEN) & (does != DOUBT)
            self.act[pair[fresh]] = does[fresh]
            wrong = np.flatnonzero((self.act[pair] != does) & (does != DOUBT))
            if len(wrong):
                first = int(wrong[0])
                self.overlap = Overlap(int(x[first]), int(self.act[pair[first]]), int(does[first]))
                return False
            np.add.at(self.visits, pair, 1)
            going = (does >= 0) & ((does != x * moves + stay) if stay >= 0 else True)
            runs, pair = runs[going], pair[going]
            if not self._lead(np.unique(pair[self.after[pair] == NOWHERE])):
                return False
            at = self.after[pair]
        return True

    def _lead(self, pairs: Numbers) -> bool:
        """Leads pairs to the nearest centres or to new ones; False if there are too many, or no place."""
        if not len(pairs):
            return True
        here, symbol = np.divmod(pairs, self.symbols)
        led, vectors = placed(self.model, stepped(self.model, self.vectors[here], symbol)[1])
        self.led[pairs] = led
        if not np.isfinite(led).all():
            return False
        for pair, place, vector in zip(pairs.tolist(), led, vectors, strict=True):
            away = np.square(self.centres[: self.count] - place).sum(1)
            nearest = int(away.argmin())
            if away[nearest] > self.tolerance**2:
                if self.count == len(self.centres):
                    return False
                nearest, self.count = self.count, self.count + 1
                self.centres[nearest], self.vectors[nearest] = place, vector
            self.after[pair] = nearest
        return True

    def found(self) -> States:
        act, after, visits, doubts = (
            part.reshape(-1, self.symbols)[: self.count]
            for part in (self.act, self.after, self.visits, self.doubts)
        )
        led = self.led.reshape(-1, self.symbols, self.led.shape[1])[: self.count]
        centres, vectors = self.centres[: self.count], self.vectors[: self.count]
        return States(centres, vectors, act, after, visits, led, doubts > 0)
