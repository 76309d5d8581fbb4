"""`Costs`, what decoding weighs, and `Accounts`, what it comes to: the truth that a table tells of traces."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import numpy.typing as npt

from gridlang.table import MOVES, Table
from learners.methods.noise.corruption import Rates
from learners.methods.noise.limits import LIMITS
from learners.methods.table_rows import Integers, table_to_rows
from learners.traces.dataset import Shorts, Traces

Doubles = npt.NDArray[np.float64]


@dataclass(frozen=True, slots=True, eq=False)
class Costs:
    """A table, and what everything costs that may happen, in nats."""

    write: Integers  # (n, k)
    move: Integers
    next: Integers  # -1 where there is no rule
    reading: Doubles  # (5 k + 1, k): shares of what a cell holds that was not visited before
    reads: tuple[float, float]  # a record that is right, and one that is wrong
    writes: tuple[float, float]
    moves: tuple[float, float]
    deviate: float  # to write and move as recorded, against the table
    jump: float  # to go on in another state than the table's
    unruled: float  # both, where the table has no rule
    familiar: float = LIMITS.familiar
    width: int = LIMITS.width
    dropped: float = LIMITS.dropped
    untimely: float = LIMITS.untimely

    @staticmethod
    def of(table: Table, rates: Rates, read: Doubles) -> Costs:
        """`read` counts what cells hold, as `Accounts.read` does."""
        n, k = len(table.states), len(table.symbols)
        write, move, after = table_to_rows(table)
        astray, any_act, any_state = -np.log(LIMITS.astray), np.log(k * len(MOVES)), np.log(n)
        return Costs(
            write=write,
            move=move,
            next=after,
            reading=_shares(read),
            reads=_lie(rates.reads, k),
            writes=_lie(rates.writes, k),
            moves=_lie(rates.moves, len(MOVES)),
            deviate=float(astray + any_act),
            jump=float(astray + any_state),
            unruled=float(astray + any_act + any_state),
        )


def _shares(read: Doubles) -> Doubles:
    """How often each symbol is read; where little was, as anywhere."""
    few = LIMITS.unseen * read.shape[1]
    whole = (read.sum(0) + LIMITS.unseen) / (read.sum() + few)
    shares: Doubles = (read + few * whole) / (read.sum(1, keepdims=True) + few)
    return shares


def _lie(rate: float, count: int) -> tuple[float, float]:
    """Nats of a record that is right, and of one that is wrong."""
    rate = min(max(rate, LIMITS.least_rate), LIMITS.most_rate)
    return float(-np.log1p(-rate)), float(-np.log(rate / max(count - 1, 1)))


@dataclass(frozen=True, slots=True, eq=False)
class Accounts:
    """What most likely happened in each trace, how sure that is, and expected counts over all that may have.

    `wrote`, `moved` and `went` are by state and by the symbol really read: of the writes and moves that were
    *recorded* there, and of the states that come next.
    """

    ARRAYS: ClassVar = ("x", "s", "m", "state", "sure", "mass", "wrote", "moved", "went", "read", "wrong")

    x: Shorts  # (N, T), padded with -1 as the traces are
    s: Shorts
    m: Shorts
    state: Integers
    sure: npt.NDArray[np.float32]  # (N, T): the probability that a step is as decoded; 0 in the padding
    mass: Doubles  # (N,): nats of all accounts of a trace together
    wrote: Doubles  # (n, k, k)
    moved: Doubles  # (n, k, 5)
    went: Doubles  # (n, k, n)
    read: Doubles  # (5 k + 1, k): of cells not visited before, by the step before: what it read, its move
    wrong: Doubles  # (3,): reads, writes, moves

    @staticmethod
    def empty(traces: Traces, states: int) -> Accounts:
        shape, k = traces.x.shape, len(traces.symbols)
        x, s, m = (np.full(shape, -1, np.int16) for _ in range(3))
        wrote, moved, went = (np.zeros((states, k, each)) for each in (k, len(MOVES), states))
        return Accounts(
            *(x, s, m),
            np.full(shape, -1, np.int32),
            np.zeros(shape, np.float32),
            np.zeros(len(traces)),
            *(wrote, moved, went),
            np.zeros((k * len(MOVES) + 1, k)),
            np.zeros(3),
        )

    @property
    def nats(self) -> float:
        """What all records cost together: the less, the likelier they are."""
        return float(self.mass.sum())

    @property
    def visits(self) -> Doubles:
        """(n, k): how often each rule was used, or would have been."""
        visits: Doubles = self.wrote.sum(2)
        return visits

    @property
    def rates(self) -> Rates:
        """The expected share of records that are wrong: the next estimate of the noise."""
        steps = int((self.x >= 0).sum())
        return Rates(*(self.wrong / max(steps, 1)).tolist())
