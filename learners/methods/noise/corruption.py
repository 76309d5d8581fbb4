"""Noise: reads, writes and moves of traces, replaced by others alone or in bursts, by any or by one."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from gridlang.compiler.traces.dataset import Shorts, Traces
from gridlang.diagnostics import fail
from gridlang.table import MOVES

READS, WRITES, NOISY_MOVES = "reads", "writes", "moves"
KINDS = (READS, WRITES, NOISY_MOVES)
EVEN, BURSTS, CONFUSED = "even", "bursts", "confused"
SHAPES = (EVEN, BURSTS, CONFUSED)
BURST, IN_BURST = 8, 0.5  # steps of a burst, and the share of its records that are wrong
ROW_OF = {READS: "x", WRITES: "s", NOISY_MOVES: "m"}
MADE = "noise"  # key in the `data` of corrupted traces


class Rates(NamedTuple):
    """The probability that a read, a write and a move is not what was recorded.

    `together` holds the share of steps by what is wrong in them, 1 for the read, 2 for the write and 4 for
    the move, added; first after a right step, then after a wrong one. It is empty where that is not known.
    """

    reads: float
    writes: float
    moves: float
    together: tuple[float, ...] = ()

    @property
    def by_kind(self) -> dict[str, float]:
        return dict(zip(KINDS, self[:3], strict=True))

    def as_json(self) -> dict[str, float]:
        return {kind: round(float(rate), 5) for kind, rate in self.by_kind.items()}


def rate_of(text: str) -> float:
    """`5%` or `0.05` as a number; ValueError unless it is at least 0 and below 1."""
    number = float(text.removesuffix("%")) / (100 if text.endswith("%") else 1)
    if not 0 <= number < 1:
        raise ValueError(f"{text} is not 0 or more and below 1")
    return number


def kinds_of(text: str) -> tuple[str, ...]:
    """`reads,moves` as kinds of noise; ValueError for anything else."""
    named = [name.strip() for name in text.split(",") if name.strip()]
    unknown = next((name for name in named if name not in KINDS), None)
    if unknown is not None or not named:
        raise ValueError(f"{unknown or text!r} is none of {', '.join(KINDS)}")
    return tuple(kind for kind in KINDS if kind in named)


def corrupted(
    traces: Traces, rate: float, kinds: Collection[str] = KINDS, seed: int = 0, shape: str = EVEN
) -> Traces:
    """The traces with each read, write and move of these kinds replaced by another with probability `rate`.

    What replaces it is uniform among all others of its kind; if they are confused, it is always the next one.
    In bursts, half of the records of eight steps in a row are wrong. Inputs and source, which tell the truth,
    are left out; length and ending stay. Where the agent is shown to be stuck only the read may change.
    """
    if MADE in traces.data:
        raise fail("G220", "these traces are corrupted already", "corrupt those that were recorded")
    random = np.random.default_rng([seed, 0x6E6F697365])  # The bytes spell `noise`: a stream of its own.
    bursts = _bursts(traces, rate, seed) if shape == BURSTS else None
    counts = {READS: len(traces.symbols), WRITES: len(traces.symbols), NOISY_MOVES: len(MOVES)}
    rows: list[Shorts] = []
    for kind in KINDS:
        # Every kind draws, so that noise in one is the same whatever others are chosen.
        clean: Shorts = getattr(traces, ROW_OF[kind])
        share = rate if bursts is None else IN_BURST * bursts
        hit = (random.random(clean.shape) < share) & (clean >= 0) & (kind in kinds)
        other = clean + random.integers(1, max(counts[kind], 2), clean.shape)
        if shape == CONFUSED:
            other = clean + 1
        rows.append(np.where(hit, other % counts[kind], clean).astype(np.int16))
    made = {"rate": rate, "in": [kind for kind in KINDS if kind in kinds], "seed": seed}
    data = {**traces.data, MADE: made | ({"as": shape} if shape != EVEN else {})}
    x, s, m = rows
    return replace(traces, x=x, s=s, m=m, inputs=("",) * len(traces), source="", data=data)


def _bursts(traces: Traces, rate: float, seed: int) -> npt.NDArray[np.bool_]:
    """(N, T): which steps lie in a burst; a step does with probability `rate / IN_BURST`, or nearly."""
    random = np.random.default_rng([seed, 0x6275727374])  # `burst`
    rows, steps = traces.x.shape
    starts = random.random((rows, steps + BURST - 1)) < 1 - (1 - min(rate / IN_BURST, 1)) ** (1 / BURST)
    inside: npt.NDArray[np.bool_] = np.logical_or.reduce([starts[:, at:][:, :steps] for at in range(BURST)])
    return inside
