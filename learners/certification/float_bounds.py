"""How long the float32 weights themselves decide as the extracted graph does: a bound on their errors.

A run in the graph is followed by references: vectors, each with a state of the graph. After some steps the
hidden vector of the model is s (x + B z): x is the reference, B the shape of its state, and |z| at most a
bound u that is computed with outward rounding; s > 0 is a scale, which argmax does not see. A step of the
model, in float32 and with sums in any order, leads from the set of one reference into that of the next. While
the outputs that lead at x lead in the whole set, the model does what the graph does, on every run that stays
in the graph.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass

import numpy as np

from compiler.dfst import Dfst
from gridlang.table import Table
from learners.certification.error_norms import Shapes, edges_of, shapes_of
from learners.certification.error_propagation import (
    ALL,
    ARGMAX,
    RANGE,
    SCALE,
    Count,
    Effects,
    Leads,
    followed,
)
from learners.certification.interval_matrices import (
    UNIT,
    Doubles,
    Enclosed,
    frobenius,
    largest_stretch,
    lowered,
    product,
    raised,
)
from learners.certification.reference_vectors import References, references_of
from learners.extraction.explorer import NONE, Rules, rules_for
from learners.extraction.extract import EXACT, Extraction

HALF = 2.0**-24  # the largest relative error of one float32 operation
FLUSHED = 2.0**-126  # the largest absolute one, also where tiny numbers are flushed to zero
HEAVIEST, WIDEST = 2.0**40, 2.0**10  # of weights, and of errors beside the scale, so that nothing overflows
NEAR = (1e-2, 1e-3, 1e-4, 1e-5)  # of references that are merged
CHUNK = 256


@dataclass(frozen=True, slots=True)
class Bound:
    """For how many steps the argmax provably cannot change, on every run that stays in the raw graph.

    `steps` is a number, None if not even the first step is certain, or "all". Where it is a number and the
    bound is `closed`, no argmax can change at any length, but the scale may leave the range of float32 later.
    `margin` is the least lead of an output over the second largest, as a part of it, within these steps.
    `ended` says what stopped the count: argmax, scale, or limit.
    """

    steps: int | str | None
    margin: float | None = None
    closed: bool = False
    ended: str = ""
    error: float | None = None  # how far a hidden vector may be from its reference, as a part of its length
    references: int = 0
    stretch: float = 0.0  # how much an error grows in a step at most, about

    @property
    def worth(self) -> float:
        return np.inf if self.steps == ALL else float(self.steps or 0)


def bound_of(dfst: Dfst, found: Extraction, progress: Callable[[int], None] = lambda _: None) -> Bound:
    """The best bound that was found for a model and its extraction, which must not be refused."""
    if found.raw is None:
        raise ValueError("a model that is refused has no graph to be bounded on")
    if found.scope == EXACT:
        return Bound(ALL, 1.0, closed=True, error=0.0)  # sums of zeros and one 1 are exact in any order
    if max(float(np.abs(each).max(initial=0)) for each in (dfst.A, dfst.B, dfst.C, dfst.h0)) > HEAVIEST:
        return Bound(None, ended=SCALE)
    rules = rules_for(dfst, found.raw)
    edges = edges_of(dfst, rules)
    shapes = shapes_of(dfst, edges, _middles(found, found.raw))
    best = Bound(None, ended=ARGMAX)
    for near in NEAR:
        with np.errstate(all="ignore"), suppress(np.linalg.LinAlgError, FloatingPointError):
            references = references_of(dfst, edges, shapes, near)
            bound = Bounding(dfst, rules, shapes, references).done(progress)
            best = bound if bound.worth > best.worth else best
    return best


def _middles(found: Extraction, raw: Table) -> Doubles:
    """The mean direction of the points of each raw state."""
    middle = np.zeros((len(raw.states), found.centres.shape[1]))
    np.add.at(middle, found.home, found.centres.astype(np.float64))
    return np.asarray(middle / np.linalg.norm(middle, axis=1, keepdims=True))


class Bounding:
    """The bounds of all references, step by step."""

    def __init__(self, dfst: Dfst, rules: Rules, shapes: Shapes, references: References) -> None:
        d = len(dfst.h0)
        self.dfst, self.rules, self.references, self.stretch = dfst, rules, references, shapes.stretch
        self.A = dfst.A.astype(np.float64)
        self.outputs = np.concatenate([dfst.B, dfst.C], 1).astype(np.float64)  # (k, k + moves, d)
        self.whole = np.concatenate([references.vector[:, :, None], shapes.basis[references.state]], 2)
        self.wide = raised(np.sqrt(np.square(self.whole[:, :, 1:]).sum(2)))  # a number moves so far with u
        self.gamma = raised(d * HALF / (1 - d * HALF))
        heaviest = max(float(np.abs(self.A).max()), float(np.abs(self.outputs).max()))
        self.under = raised(2 * d * (1 + heaviest) * FLUSHED * 2.0**RANGE)

    def counted(self, progress: Callable[[int], None]) -> tuple[Count, Leads]:
        """For how many steps everything holds, and what must lead."""
        leads = [self._leads(chunk) for chunk in _chunks(len(self.references.vector))]
        steps = [self._effects(chunk) for chunk in _chunks(len(self.references.source))]
        lead = Leads(*map(np.concatenate, zip(*leads, strict=True)))
        effects = Effects(*map(np.concatenate, zip(*steps, strict=True)))
        room = lowered(WIDEST / self.wide.max(1, initial=1))
        return followed(self.references, effects, lead, room, progress), lead

    def done(self, progress: Callable[[int], None]) -> Bound:
        count, lead = self.counted(progress)
        if count.steps == 0:
            return Bound(None, ended=count.ended, references=len(count.u), stretch=self.stretch)
        come, u = count.u >= 0, np.maximum(count.u, 0)
        at = u[lead.at]
        part = lowered((lead.lead - raised(lead.loss * at)) / raised(lead.top + lead.more * at))
        return Bound(
            count.steps,
            float(part[come[lead.at]].min(initial=np.inf)),
            count.closed,
            count.ended,
            float((self._sizes() * u).max()),
            int(come.sum()),
            self.stretch,
        )

    def _sizes(self) -> Doubles:
        """How far B z is at most with |z| = 1, as a part of the length of x."""
        length = lowered(np.linalg.norm(self.references.vector, axis=1))
        return np.asarray(raised(np.sqrt(np.square(self.whole[:, :, 1:]).sum((1, 2))) / length))

    def _effects(self, chunk: slice) -> Effects:
        source, symbol, target = (each[chunk] for each in self.references[2:])
        A, before, after = self.A[symbol], self.whole[source], self.whole[target]
        back = np.linalg.inv(after)  # nearly: what it lacks is `skew`
        unit = product(back, after)
        skew = frobenius(Enclosed(unit.mid - np.eye(after.shape[1]), unit.rad + 2 * UNIT))
        skew = np.where(skew < 0.5, raised(skew / (1 - np.minimum(skew, 0.5))), np.inf)
        moved = product(back, product(A, before))  # by the numbers of the target: its scale, then z
        start, turn = moved.part(..., 0), moved.part(..., slice(1, None))
        size = np.abs(back)
        noise = raised(size @ (self.gamma * (np.abs(A) @ np.abs(before[:, :, :1])) + self.under))[:, :, 0]
        noisier = raised(size @ (self.gamma * (np.abs(A) @ self.wide[source][:, :, None])))[:, :, 0]
        lacking = raised(skew * (start.length() + _length(noise)))
        more = raised(skew * (frobenius(turn) + _length(noisier)))
        loose = start.rad[:, 0] + noise[:, 0] + lacking
        return Effects(
            rest=raised(start.part(..., slice(1, None)).length() + _length(noise[:, 1:]) + lacking),
            grow=raised(
                largest_stretch(turn.part(slice(None), slice(1, None))) + _length(noisier[:, 1:]) + more
            ),
            least=start.mid[:, 0] - raised(loose + 2 * UNIT * np.abs(start.mid[:, 0])),
            most=raised(np.abs(start.mid[:, 0]) + loose),
            less=raised(turn.part(slice(None), 0).length() + noisier[:, 0] + more),
        )

    def _leads(self, chunk: slice) -> Leads:
        """Every output that must not overtake another, of every symbol that the graph allows."""
        numbers = np.arange(len(self.references.vector))[chunk]
        states = self.references.state[numbers]
        which, symbol = np.nonzero(self.rules["write"][states] != NONE)
        at, rule = numbers[which], self.rules[states[which], symbol]
        k, rows = len(self.dfst.symbols), np.arange(len(at))
        outputs, vector = self.outputs[symbol], np.abs(self.references.vector[at])
        seen = product(outputs, self.whole[at])  # (pairs, k + moves, d)
        rounded = raised(self.gamma * (np.abs(outputs) @ vector[:, :, None])[:, :, 0] + self.under)
        spread = raised(self.gamma * (np.abs(outputs) @ self.wide[at][:, :, None])[:, :, 0])
        found: list[Leads] = []
        for part, wanted in ((slice(0, k), rule["write"]), (slice(k, None), k + rule["move"])):
            best = seen.part(rows, wanted)
            gap = best.mid[:, None] - seen.mid[:, part]  # (pairs, part, d)
            slack = best.rad[:, None] + seen.rad[:, part] + 2 * UNIT * np.abs(gap)
            noise = rounded[rows, wanted][:, None] + rounded[:, part]
            more = spread[rows, wanted][:, None] + spread[:, part]
            lead = gap[..., 0] - raised(slack[..., 0] + noise + 4 * UNIT * np.abs(gap[..., 0]))
            loss = raised(Enclosed(gap, slack).part(..., slice(1, None)).length() + more)
            others = np.arange(outputs.shape[1])[part] != wanted[:, None]
            top = raised(np.abs(best.mid[:, 0]) + best.rad[:, 0])
            grown = best.part(..., slice(1, None)).length()
            full = [np.broadcast_to(each[:, None], lead.shape) for each in (at, top, grown)]
            found.append(Leads(full[0][others], lead[others], loss[others], full[1][others], full[2][others]))
        return Leads(*map(np.concatenate, zip(*found, strict=True)))


def _chunks(count: int) -> Iterator[slice]:
    return (slice(first, first + CHUNK) for first in range(0, max(count, 1), CHUNK))


def _length(vectors: Doubles) -> Doubles:
    return np.asarray(raised(np.sqrt(np.square(vectors).sum(-1))))
