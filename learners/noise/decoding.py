"""Decoding: the most likely true trace behind a noisy one, by a beam search over worlds.

A hypothesis is a run on a world that is made up as it goes: a cell that was visited holds what was last
written there, and any other may hold any symbol. The machine, weights that say what is written and where the
head moves, goes on from what a hypothesis reads, not from what was recorded. Each read, write or move that
is not the recorded one costs what noise of its rate costs, so a lie is found by what comes before and after.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from compiler.dfst import Dfst
from gridlang.table import MOVES, STAY
from learners.noise.corruption import Rates
from learners.noise.hypotheses import PLACES, Beam, Floats, Ints, cell_hash, doubt, held, least, ranks
from learners.traces.dataset import Shorts, Traces

WIDTH = 16  # So many hypotheses are kept of a trace; time grows with it.
DROPPED = 16.0  # Nats behind the best at which a hypothesis is given up: four lies in a row at 5 %.
# A machine that is sure is believed so far: what it never says may still be true, because it was learned.
DOUBT = 1e-3
# An answer counts with this power: learned from noisy traces, sure answers are near 1 - rate, and what has
# to be made up from reads that were wrong is spread over several.
TRUST = 3.0
MOST_NATS = 8.0  # An answer that a machine never gives costs this, more than a lie at any rate above 0.1 %.
# A symbol that is never read in a state has this share all the same; and one that has less than SELDOM is
# not believed even where the cell is known to hold it, because the agent would probably be stuck there.
NEVER_READ, SELDOM = 0.002, 0.02
ALIKE = 0.999  # The cosine from which two hidden vectors on the same world are the same state.
UNTIMELY = 8.0  # Nats that a run costs which halts before its trace ends, or does not halt where it should.
CHUNK = 256  # Traces that are decoded together: their hypotheses fit in a cache.
LEAST_RATE, MOST_RATE = 1e-3, 0.6  # A rate of 0 would forbid what is only rare.


@dataclass(frozen=True, slots=True, eq=False)
class Decoded:
    """What most likely happened in each trace, in the shape of the traces, and how sure that is."""

    x: Shorts  # (N, T), padded with -1 as the traces are
    s: Shorts
    m: Shorts
    sure: Floats  # (N, T): the probability that a step is as decoded, given the machine; 0 in the padding
    cost: Floats  # (N,): nats of the whole trace


def decode(
    machine: Dfst,
    traces: Traces,
    rates: Rates,
    reading: Floats,
    width: int = WIDTH,
    random: np.random.Generator | None = None,
    progress: Callable[[int], None] = lambda _: None,
) -> Decoded:
    """The most likely true trace behind each, given that the machine made it and noise of these rates."""
    parts = []
    order = np.argsort(traces.length, kind="stable")  # Traces of one length end together.
    for start in range(0, len(traces), CHUNK):
        rows = order[start : start + CHUNK]
        steps = int(traces.length[rows].max())
        parts.append(
            _Search(machine, _Chunk.of(traces, rows, steps), rates, width, reading, random).decoded()
        )
        progress(start + len(rows))
    back = np.argsort(order, kind="stable")
    widest = traces.x.shape[1]
    merged = {
        name: np.concatenate([_padded(getattr(part, name), widest, fill) for part in parts])[back]
        for name, fill in (("x", -1), ("s", -1), ("m", -1), ("sure", 0))
    }
    return Decoded(**merged, cost=np.concatenate([part.cost for part in parts])[back])


def _padded(rows: npt.NDArray[Any], steps: int, fill: int) -> npt.NDArray[Any]:
    return np.pad(rows, ((0, 0), (0, steps - rows.shape[1])), constant_values=fill)


class _Chunk(NamedTuple):
    """Some of the traces, as far as the longest of them goes."""

    x: Shorts
    s: Shorts
    m: Shorts
    length: npt.NDArray[np.int32]
    halted: npt.NDArray[np.bool_]

    @staticmethod
    def of(traces: Traces, rows: npt.NDArray[Any], steps: int) -> _Chunk:
        halted = np.array([traces.ending[row] == "halted" for row in rows.tolist()])
        x, s, m = (getattr(traces, name)[rows, :steps] for name in "xsm")
        return _Chunk(x, s, m, traces.length[rows], halted)


@dataclass(slots=True, eq=False)
class _Search:
    """The search over one chunk: all of its traces go a step on together."""

    machine: Dfst
    seen: _Chunk
    rates: Rates
    width: int
    reading: Floats  # (k, d)
    random: np.random.Generator | None
    stacked: Floats = field(init=False)  # (k, d + k + 5, d)
    ended: list[tuple[int, Beam]] = field(init=False, default_factory=list)

    def __post_init__(self) -> None:
        weights = self.machine
        self.stacked = np.concatenate([weights.A, weights.B, weights.C], 1).astype(np.float32)

    def decoded(self) -> Decoded:
        steps = self.seen.x.shape[1]
        beam = self._first()
        for t in range(steps):
            beam = self._pruned(self._stepped(beam, t), t)
            beam = self._without_ended(beam, t)
        return self._best(steps)

    def _first(self) -> Beam:
        count, steps = self.seen.x.shape
        h0 = self.machine.h0.astype(np.float32)
        blank = {name: np.full((count, steps), -1, np.int16) for name in "xsm"}
        return Beam(
            trace=np.arange(count),
            cost=np.zeros(count, np.float32),
            hidden=np.repeat(h0[None] / max(float(np.linalg.norm(h0)), 1e-30), count, 0),
            place=np.zeros(count, np.int64),
            world=np.zeros(count, np.uint64),
            **blank,
            places=np.zeros((count, steps), np.int64),
            doubt=np.zeros((count, steps), np.float32),
        )

    def _stepped(self, beam: Beam, t: int) -> Beam:
        """Each hypothesis with all that it may read, write and move next."""
        symbols = len(self.stacked)
        known = held(beam, t)
        options = np.where(known < 0, symbols, 1)
        rows = np.repeat(np.arange(len(beam)), options)
        nth = np.arange(len(rows)) - np.repeat(np.cumsum(options) - options, options)
        x = np.where(known[rows] < 0, nth, known[rows])
        seen_x = self.seen.x[beam.trace[rows], t]
        cost = beam.cost[rows] + _surprise(x != seen_x, self.rates.reads, symbols)
        told = _reads(beam.hidden @ self.reading.T)[rows, x]
        cost += np.where(known[rows] < 0, -np.log(told), np.maximum(0, np.log(SELDOM / told))).astype(
            np.float32
        )
        near = cost < least(beam.trace[rows], cost, len(self.seen.length))[beam.trace[rows]] + DROPPED
        rows, x, cost, old = rows[near], x[near], cost[near], known[rows][near]
        answers = self._answers(beam.hidden, rows, x)
        return self._written(beam, rows, x, cost, old, answers, t)

    def _answers(self, hidden: Floats, rows: Ints, x: Ints) -> Floats:
        """(candidates, d + k + 5): what the machine says, one product a symbol."""
        answers = np.empty((len(rows), self.stacked.shape[1]), np.float32)
        for symbol in np.unique(x).tolist():
            here = np.flatnonzero(x == symbol)
            answers[here] = hidden[rows[here]] @ self.stacked[symbol].T
        return answers

    def _written(
        self, beam: Beam, rows: Ints, x: Ints, cost: Floats, old: Ints, answers: Floats, t: int
    ) -> Beam:
        """The candidates with a write and a move each: what the machine says, or what was recorded."""
        symbols, dim = len(self.stacked), self.stacked.shape[2]
        trace = beam.trace[rows]
        writes, moves = _shares(answers[:, dim : dim + symbols]), _shares(answers[:, dim + symbols :])
        all_s = np.stack([writes.argmax(1), self.seen.s[trace, t]], 1)  # (candidates, 2)
        all_m = np.stack([moves.argmax(1), self.seen.m[trace, t]], 1)
        every = np.arange(len(rows))[:, None]
        cost_s = np.minimum(-TRUST * np.log(writes[every, all_s]), MOST_NATS)
        cost_s += _surprise(all_s != all_s[:, 1:], self.rates.writes, symbols)
        cost_m = np.minimum(-TRUST * np.log(moves[every, all_m]), MOST_NATS)
        cost_m += _surprise(all_m != all_m[:, 1:], self.rates.moves, len(MOVES))
        cost_s[:, 1][all_s[:, 0] == all_s[:, 1]] = np.inf
        cost_m[:, 1][all_m[:, 0] == all_m[:, 1]] = np.inf
        total = (cost[:, None, None] + cost_s[:, :, None] + cost_m[:, None, :]).reshape(-1)
        total += self._untimely(trace, x, all_s, all_m, t)
        near = total < least(np.repeat(trace, 4), total, len(self.seen.length))[np.repeat(trace, 4)] + DROPPED
        kept = np.flatnonzero(near)
        kept = kept[ranks(trace[kept // 4], total[kept]) < 2 * self.width]
        which = kept // 4
        grown = beam.take(rows[which])
        grown.cost, s, m = total[kept], all_s[which, kept // 2 % 2], all_m[which, kept % 2]
        grown.x[:, t], grown.s[:, t], grown.m[:, t] = x[which], s, m
        grown.places[:, t] = grown.place
        grown.world += cell_hash(grown.place, s) - np.where(
            old[which] < 0, 0, cell_hash(grown.place, old[which])
        )
        grown.place = grown.place + PLACES[m]
        after = answers[which, :dim]
        grown.hidden = after / np.maximum(np.linalg.norm(after, axis=1, keepdims=True), 1e-30)
        return grown

    def _untimely(self, trace: Ints, x: Ints, s: Ints, m: Ints, t: int) -> Floats:
        """What it costs to halt before the trace ends, or not to halt where it says so."""
        idle = ((s == x[:, None])[:, :, None] & (m == STAY)[:, None, :]).reshape(-1)
        last = np.repeat(self.seen.length[trace] == t + 1, 4)
        should = np.repeat(self.seen.halted[trace], 4)
        return np.where(np.where(last, should & ~idle, idle), UNTIMELY, 0).astype(np.float32)

    def _drawn(self, cost: Floats) -> Floats:
        """Costs by which the least is the best, or, if one is drawn, each with its probability."""
        return cost if self.random is None else cost - self.random.gumbel(size=len(cost)).astype(np.float32)

    def _pruned(self, beam: Beam, t: int) -> Beam:
        """The best of each trace; of those in the same state on the same world one."""
        order = np.lexsort((self._drawn(beam.cost), beam.place, beam.world, beam.trace))
        beam = beam.take(order)
        count = len(beam)
        new = np.ones(count, bool)
        new[1:] = (
            (beam.trace[1:] != beam.trace[:-1])
            | (beam.world[1:] != beam.world[:-1])
            | (beam.place[1:] != beam.place[:-1])
        )
        first = np.flatnonzero(new)[np.cumsum(new) - 1]  # the cheapest of each group
        alike = (beam.hidden * beam.hidden[first]).sum(1) > ALIKE
        given_up = np.flatnonzero(alike & ~new)
        doubt(beam, first[given_up], given_up, t)
        if self.random is not None:
            mass = -beam.cost
            np.logaddexp.at(mass, first[given_up], -beam.cost[given_up])
            beam.cost = -mass
        beam = beam.take(np.flatnonzero(~alike | new))
        return beam.take(np.flatnonzero(ranks(beam.trace, beam.cost) < self.width))

    def _without_ended(self, beam: Beam, t: int) -> Beam:
        """What goes on; the hypotheses of traces that end here are put aside."""
        ends = self.seen.length[beam.trace] == t + 1
        if not ends.any():
            return beam
        self.ended.append((t, beam.take(ends)))
        return beam.take(~ends)

    def _best(self, steps: int) -> Decoded:
        count = len(self.seen.length)
        rows = {name: np.full((count, steps), -1, np.int16) for name in "xsm"}
        sure, cost = np.zeros((count, steps), np.float32), np.zeros(count, np.float32)
        for t, beam in self.ended:
            order = np.lexsort((self._drawn(beam.cost), beam.trace))
            beam = beam.take(order)
            new = np.ones(len(beam), bool)
            new[1:] = beam.trace[1:] != beam.trace[:-1]
            best, others = np.flatnonzero(new), np.flatnonzero(~new)
            doubt(beam, best[np.cumsum(new) - 1][others], others, t)
            for name, into in rows.items():
                into[beam.trace[best], : t + 1] = getattr(beam, name)[best, : t + 1]
            sure[beam.trace[best], : t + 1] = 1 - np.minimum(beam.doubt[best, : t + 1], 1)
            cost[beam.trace[best]] = beam.cost[best]
        return Decoded(**rows, sure=sure, cost=cost)


def _surprise(wrong: npt.NDArray[np.bool_], rate: float, count: int) -> Floats:
    """Nats of a record that is wrong, or right."""
    rate = min(max(rate, LEAST_RATE), MOST_RATE)
    lie = -np.log(rate / max(count - 1, 1))
    nats: Floats = np.where(wrong, lie, -np.log1p(-rate)).astype(np.float32)
    return nats


def _shares(answers: Floats) -> Floats:
    """Outputs, one-hot in the best case, as probabilities that are never zero."""
    positive = np.where(np.isfinite(answers), np.maximum(answers, 0), 0)
    total = positive.sum(1, keepdims=True)
    even = 1 / answers.shape[1]
    share = np.where(total > 0, positive / np.maximum(total, 1e-30), even)
    mixed: Floats = ((1 - DOUBT) * share + DOUBT * even).astype(np.float32)
    return mixed


def _reads(answers: Floats) -> Floats:
    """How often each symbol is read, as probabilities that are never zero."""
    positive = np.where(np.isfinite(answers), np.maximum(answers, 0), 0) + NEVER_READ
    shares: Floats = positive / positive.sum(1, keepdims=True)
    return shares
