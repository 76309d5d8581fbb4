"""Decoding: the most likely true trace behind a noisy one, by a beam search over worlds.

A hypothesis is a run on a world that is made up as it goes: a cell that was visited holds what was last
written there, and any other may hold any symbol. The machine, weights that say what is written and where the
head moves, goes on from what a hypothesis reads, not from what was recorded. Each read, write or move that
is not the recorded one costs what noise of its rate costs, so a lie is found by what comes before and after.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, fields
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from compiler.dfst import Dfst
from gridlang.table import DELTAS, MOVES, STAY
from learners.noise.corruption import Rates
from learners.traces.dataset import Shorts, Traces

WIDTH = 32  # So many hypotheses are kept of a trace; twice as many decode mult2 at 20 % no better.
DROPPED = 16.0  # Nats behind the best at which a hypothesis is given up: five lies in a row at 5 %.
# A machine that is sure is believed this far: what it never says may still be true, because it is learned.
DOUBT = 1e-3
ALIKE = 0.999  # The cosine from which two hidden vectors are the same state on the same world.
UNTIMELY = 8.0  # Nats that a run costs which halts before its trace ends, or does not halt where it should.
import os
SHARP = float(os.environ.get('SHARP','4'))
READ_FLOOR = float(os.environ.get('FLOOR','0.002'))
COMMON = float(os.environ.get('COMMON','0.02'))
CAP = float(os.environ.get('CAP','8'))
CHUNK = 256  # Traces that are decoded together: their hypotheses fit in a cache.
LEAST_RATE, MOST_RATE = 1e-4, 0.6  # A rate of 0 would forbid what is only rare.

Floats = npt.NDArray[np.float32]
Ints = npt.NDArray[np.int64]
Bytes = npt.NDArray[np.int16]
Words = npt.NDArray[np.uint64]


@dataclass(frozen=True, slots=True, eq=False)
class Decoded:
    """What most likely happened in each trace, in the shape of the traces, and how sure that is."""

    x: Shorts  # (N, T), padded with -1 as the traces are
    s: Shorts
    m: Shorts
    sure: Floats  # (N, T): the probability that a step is as decoded, given the machine; 0 in the padding
    cost: Floats  # (N,): nats of the whole trace


@dataclass(slots=True, eq=False)
class _Beam:
    """Hypotheses of a chunk of traces, one a row, those of one trace beside each other."""

    trace: Ints  # (H,)
    cost: Floats  # (H,)
    hidden: Floats  # (H, d)
    place: Ints  # (H,): the cell of the head, packed into one number
    world: Words  # (H,): a hash of what is known of the world
    x: Bytes  # (H, T)
    s: Bytes
    m: Bytes
    places: Ints  # (H, T): where each step was taken
    doubt: Floats  # (H, T): the probability of what was given up for this hypothesis

    def take(self, rows: npt.NDArray[Any]) -> _Beam:
        return _Beam(*(getattr(self, each.name)[rows] for each in fields(self)))

    def __len__(self) -> int:
        return len(self.trace)


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
        parts.append(_Search(machine, _Chunk.of(traces, rows, steps), rates, width, reading, random).decoded())
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
        cut = (getattr(traces, name)[rows, :steps] for name in "xsm")
        return _Chunk(*cut, traces.length[rows], halted)


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
    ended: list[tuple[int, _Beam]] = field(init=False, default_factory=list)

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

    def _first(self) -> _Beam:
        count, steps = self.seen.x.shape
        h0 = self.machine.h0.astype(np.float32)
        blank = {name: np.full((count, steps), -1, np.int16) for name in "xsm"}
        return _Beam(
            trace=np.arange(count),
            cost=np.zeros(count, np.float32),
            hidden=np.repeat(h0[None] / max(float(np.linalg.norm(h0)), 1e-30), count, 0),
            place=np.zeros(count, np.int64),
            world=np.zeros(count, np.uint64),
            **blank,
            places=np.zeros((count, steps), np.int64),
            doubt=np.zeros((count, steps), np.float32),
        )

    def _stepped(self, beam: _Beam, t: int) -> _Beam:
        """Each hypothesis with all that it may read, write and move next."""
        symbols = len(self.stacked)
        held = _held(beam, t)
        options = np.where(held < 0, symbols, 1)
        rows = np.repeat(np.arange(len(beam)), options)
        nth = np.arange(len(rows)) - np.repeat(np.cumsum(options) - options, options)
        x = np.where(held[rows] < 0, nth, held[rows])
        seen_x = self.seen.x[beam.trace[rows], t]
        cost = beam.cost[rows] + _surprise(x != seen_x, self.rates.reads, symbols)
        told = _reads(beam.hidden @ self.reading.T)[rows, x]
        cost += np.where(held[rows] < 0, -np.log(told), np.maximum(0, np.log(COMMON / told))).astype(np.float32)
        near = cost < _least(beam.trace[rows], cost, len(self.seen.length))[beam.trace[rows]] + DROPPED
        rows, x, cost, old = rows[near], x[near], cost[near], held[rows][near]
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
        self, beam: _Beam, rows: Ints, x: Ints, cost: Floats, old: Ints, answers: Floats, t: int
    ) -> _Beam:
        """The candidates with a write and a move each: what the machine says, or what was recorded."""
        symbols, dim = len(self.stacked), self.stacked.shape[2]
        trace = beam.trace[rows]
        writes, moves = _shares(answers[:, dim : dim + symbols]), _shares(answers[:, dim + symbols :])
        all_s = np.stack([writes.argmax(1), self.seen.s[trace, t]], 1)  # (candidates, 2)
        all_m = np.stack([moves.argmax(1), self.seen.m[trace, t]], 1)
        every = np.arange(len(rows))[:, None]
        cost_s = np.minimum(-SHARP * np.log(writes[every, all_s]), CAP) + _surprise(
            all_s != all_s[:, 1:], self.rates.writes, symbols
        )
        cost_m = np.minimum(-SHARP * np.log(moves[every, all_m]), CAP) + _surprise(all_m != all_m[:, 1:], self.rates.moves, len(MOVES))
        cost_s[:, 1][all_s[:, 0] == all_s[:, 1]] = np.inf
        cost_m[:, 1][all_m[:, 0] == all_m[:, 1]] = np.inf
        total = (cost[:, None, None] + cost_s[:, :, None] + cost_m[:, None, :]).reshape(-1)
        total += self._untimely(trace, x, all_s, all_m, t)
        near = total < _least(np.repeat(trace, 4), total, len(self.seen.length))[np.repeat(trace, 4)] + DROPPED
        kept = np.flatnonzero(near)
        kept = kept[_ranks(trace[kept // 4], total[kept]) < 2 * self.width]
        which = kept // 4
        grown = beam.take(rows[which])
        grown.cost, s, m = total[kept], all_s[which, kept // 2 % 2], all_m[which, kept % 2]
        grown.x[:, t], grown.s[:, t], grown.m[:, t] = x[which], s, m
        grown.places[:, t] = grown.place
        grown.world += _cell_hash(grown.place, s) - np.where(old[which] < 0, 0, _cell_hash(grown.place, old[which]))
        grown.place = grown.place + _PLACES[m]
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

    def _pruned(self, beam: _Beam, t: int) -> _Beam:
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
        _doubt(beam, first[given_up], given_up, t)
        if self.random is not None:
            mass = -beam.cost
            np.logaddexp.at(mass, first[given_up], -beam.cost[given_up])
            beam.cost = -mass
        beam = beam.take(np.flatnonzero(~alike | new))
        return beam.take(np.flatnonzero(_ranks(beam.trace, beam.cost) < self.width))

    def _without_ended(self, beam: _Beam, t: int) -> _Beam:
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
            _doubt(beam, best[np.cumsum(new) - 1][others], others, t)
            for name, into in rows.items():
                into[beam.trace[best], : t + 1] = getattr(beam, name)[best, : t + 1]
            sure[beam.trace[best], : t + 1] = 1 - np.minimum(beam.doubt[best, : t + 1], 1)
            cost[beam.trace[best]] = beam.cost[best]
        return Decoded(**rows, sure=sure, cost=cost)


_PLACES = np.array([dx + (dy << 32) for dx, dy in DELTAS], np.int64)  # A cell as one number, x below y.


def _held(beam: _Beam, t: int) -> Ints:
    """What the cell under each head was left with, -1 where it was not visited."""
    if not t:
        return np.full(len(beam), -1, np.int64)
    back = (beam.places[:, :t] == beam.place[:, None])[:, ::-1]
    ago = back.argmax(1)
    every = np.arange(len(beam))
    return np.where(back[every, ago], beam.s[every, t - 1 - ago], -1).astype(np.int64)


def _surprise(wrong: npt.NDArray[np.bool_], rate: float, count: int) -> Floats:
    """Nats of a record that is wrong, or right."""
    rate = min(max(rate, LEAST_RATE), MOST_RATE)
    lie = -np.log(rate / max(count - 1, 1))
    return np.where(wrong, lie, -np.log1p(-rate)).astype(np.float32)


def _shares(answers: Floats) -> Floats:
    """Outputs, one-hot in the best case, as probabilities that are never zero."""
    positive = np.where(np.isfinite(answers), np.maximum(answers, 0), 0)
    total = positive.sum(1, keepdims=True)
    even = 1 / answers.shape[1]
    share = np.where(total > 0, positive / np.maximum(total, 1e-30), even)
    return ((1 - DOUBT) * share + DOUBT * even).astype(np.float32)


def _reads(answers: Floats) -> Floats:
    positive = np.where(np.isfinite(answers), np.maximum(answers, 0), 0) + READ_FLOOR
    return positive / positive.sum(1, keepdims=True)


def _least(trace: Ints, cost: Floats, count: int) -> Floats:
    """The least cost of each trace."""
    least = np.full(count, np.inf, np.float32)
    np.minimum.at(least, trace, cost)
    return least


def _ranks(trace: Ints, cost: Floats) -> Ints:
    """The place of each among those of its trace, the cheapest first; 0 for it."""
    order = np.lexsort((cost, trace))
    sorted_trace = trace[order]
    new = np.ones(len(order), bool)
    new[1:] = sorted_trace[1:] != sorted_trace[:-1]
    starts = np.flatnonzero(new)[np.cumsum(new) - 1] if len(order) else np.zeros(0, np.int64)
    ranks = np.empty(len(order), np.int64)
    ranks[order] = np.arange(len(order)) - starts
    return ranks


def _cell_hash(place: Ints, symbol: Ints) -> Words:
    """A random number for a cell that holds a symbol; their sum stands for a world."""
    mixed = place.astype(np.uint64) * np.uint64(0x9E3779B97F4A7C15)
    mixed += (symbol.astype(np.int64) + 1).astype(np.uint64) * np.uint64(0xD1B54A32D192ED03)
    for shift, factor in ((30, 0xBF58476D1CE4E5B9), (27, 0x94D049BB133111EB)):
        mixed = (mixed ^ (mixed >> np.uint64(shift))) * np.uint64(factor)
    return mixed ^ (mixed >> np.uint64(31))


def _doubt(beam: _Beam, kept: Ints, given_up: Ints, t: int) -> None:
    """Where what is kept and what is given up differ, the latter might be true."""
    share = 1 / (1 + np.exp(np.minimum(beam.cost[given_up] - beam.cost[kept], 50)))
    differ = np.zeros((len(kept), t + 1), bool)
    for name in "xsm":
        rows = getattr(beam, name)[:, : t + 1]
        differ |= rows[kept] != rows[given_up]
    np.add.at(beam.doubt[:, : t + 1], kept, differ * share[:, None].astype(np.float32))
