"""Decoding: the likeliest truth behind noisy traces if a table is the agent's, by a search over worlds.

A hypothesis is a run on a world that is made up as it goes: a cell holds what was last written there, or any
symbol. The table goes on from what a hypothesis reads. Each read, write or move that is not the recorded one
costs what noise of its rate costs, so a lie is found by what comes before and after. It is done in C; the
tests hold the definition in Python, a hundred times slower.
"""

from __future__ import annotations

from math import sqrt
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from gridlang.compiler.simulation.native.c_library import CLibrary
from gridlang.compiler.traces.dataset import Shorts, Traces
from gridlang.diagnostics import fail
from gridlang.learners.methods.noise.corruption import KINDS, ROW_OF, Rates
from gridlang.learners.methods.noise.limits import LIMITS
from gridlang.learners.methods.table_rows import Integers, table_to_rows
from gridlang.table import MOVES, Table

TWO_SIDED = 1.96  # Standard deviations around a share that hold 95 % of all cases.


LIBRARY = CLibrary(Path(__file__).parent / "decoder.c", "-O2", "-lm")
Doubles = npt.NDArray[np.float64]
WRONG = np.arange(8)[:, None] >> np.arange(3) & 1  # (8, 3): whether a read, a write, a move is


class Costs(NamedTuple):
    """A table, and what everything costs that may happen, in nats: `Machine` of decoder.c."""

    write: Integers  # (n, k)
    move: Integers
    next: Integers  # -1 without a rule
    reading: Doubles  # (5 k + 1, k): shares of what a cell holds that was not visited before
    lies: (
        Doubles  # (2, 8) after a right step, a wrong one: what is wrong, 1 the read, 2 the write, 4 the move
    )
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
            lies=_lies(rates, k),
            deviate=float(astray + any_act),
            jump=float(astray + any_state),
            unruled=float(astray + any_act + any_state),
        )


def _shares(read: Doubles) -> Doubles:
    """How often each symbol is read; the overall share where data is scarce."""
    few = LIMITS.unseen * read.shape[1]
    whole = (read.sum(0) + LIMITS.unseen) / (read.sum() + few)
    shares: Doubles = (read + few * whole) / (read.sum(1, keepdims=True) + few)
    return shares


def _lies(rates: Rates, symbols: int) -> Doubles:
    """Nats of a step by what is wrong in it.

    Noise in bursts hits several records of a step, and several steps in a row.
    """
    each = np.clip(list(rates.by_kind.values()), LIMITS.least_rate, LIMITS.most_rate)
    others = np.maximum([symbols - 1, symbols - 1, len(MOVES) - 1], 1)
    alone: Doubles = np.where(WRONG, each, 1 - each).prod(1)
    together = np.reshape(rates.together or np.zeros(16), (2, 8))
    # A little of what records that are wrong by themselves would show, and all of it where nothing is known.
    shares = (together + LIMITS.alone * alone) / (together.sum(1, keepdims=True) + LIMITS.alone)
    nats: Doubles = (WRONG * np.log(others)).sum(1) - np.log(shares)
    return nats


class Accounts(NamedTuple):
    """The likeliest account of each trace, how sure it is, and expected counts over all accounts.

    `wrote`, `moved` and `went` are by state and by the symbol really read: of the writes and moves that were
    *recorded* there, and of the states that come next.
    """

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
    wrong: Doubles  # (2, 8): steps by what is wrong in them, as `Costs.lies` has it

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
            np.zeros((2, 8)),
        )

    @property
    def nats(self) -> float:
        """The cost of all records together: less is likelier."""
        return float(self.mass.sum())

    @property
    def visits(self) -> Doubles:
        """(n, k): how often each rule was used, or would have been."""
        visits: Doubles = self.wrote.sum(2)
        return visits

    @property
    def rates(self) -> Rates:
        """The expected share of records that are wrong: the next estimate of the noise."""
        together = self.wrong / max(self.wrong.sum(), 1.0)
        reads, writes, moves = (together.sum(0) @ WRONG).tolist()
        return Rates(reads, writes, moves, tuple(together.ravel().tolist()))


def refuse_without_compiler() -> None:
    """GridError where noisy traces cannot be decoded."""
    if not LIBRARY.builds():
        hint = "install one, such as gcc or clang, or name it in $CC"
        raise fail("G122", "noisy traces are decoded in C, and there is no C compiler", hint)


def decode(table: Table, traces: Traces, rates: Rates, read: Doubles | None = None) -> Accounts:
    """The accounts of all traces; `read` counts what cells hold, as accounts do, None for nothing known."""
    refuse_without_compiler()
    accounts = Accounts.empty(traces, len(table.states))
    decode_rows(Costs.of(table, rates, accounts.read if read is None else read), traces, accounts)
    return accounts


def decode_rows(costs: Costs, traces: Traces, accounts: Accounts) -> None:
    """Fills in the accounts of all traces."""
    states, symbols = costs.write.shape
    machine = LIBRARY.structs["Machine"](symbols=symbols, states=states, **costs._asdict())
    seen = (np.ascontiguousarray(getattr(traces, name), np.int16) for name in "xsm")
    records = LIBRARY.structs["Records"](traces.x.shape[1], *seen)
    account = LIBRARY.structs["Account"](*accounts)
    length = np.ascontiguousarray(traces.length, np.int32)
    halted = np.array([ending == "halted" for ending in traces.ending], np.int32)
    for first in range(0, len(traces), LIMITS.rows):
        end = min(first + LIMITS.rows, len(traces))
        if not LIBRARY.decoder_decode(machine, records, length, halted, first, end, account):
            raise MemoryError("there is no memory to decode these traces")


class Judgement(NamedTuple):
    """The judgement of a file's traces; a step is wrong if its read, write or move is."""

    steps: int
    wrong: int  # steps judged wrong
    sure: int  # of these, where another account of the trace is unlikely
    by_kind: dict[str, int]
    rates: Rates
    bounds: dict[str, tuple[float, float]]  # the 95 % interval of each rate

    def as_json(self) -> dict[str, Any]:
        return {
            "steps": self.steps,
            "judged_wrong": self.wrong,
            "judged_surely": self.sure,
            "by_kind": self.by_kind,
            "rates": self.rates.as_json(),
            "bounds": {kind: [round(side, 5) for side in both] for kind, both in self.bounds.items()},
        }


def judgement(seen: Traces, told: Accounts) -> Judgement:
    """A record that differs from the likeliest account counts as wrong.

    The rates are expected over all accounts: where a read and a write are equally likely to be the wrong one,
    the likeliest account always blames the same of them.
    """
    valid, steps = seen.x >= 0, seen.steps
    wrong = {kind: (getattr(told, row) != getattr(seen, row)) & valid for kind, row in ROW_OF.items()}
    some = np.logical_or.reduce(list(wrong.values()))
    return Judgement(
        steps=steps,
        wrong=int(some.sum()),
        sure=int((some & (told.sure >= LIMITS.sure)).sum()),
        by_kind={kind: int(wrong[kind].sum()) for kind in KINDS},
        rates=told.rates,
        bounds={kind: interval(rate * steps, steps) for kind, rate in told.rates.by_kind.items()},
    )


def interval(hits: float, trials: int) -> tuple[float, float]:
    """The 95 % interval of a share (Wilson's)."""
    if not trials:
        return 0.0, 1.0
    share, square = hits / trials, TWO_SIDED**2 / trials
    middle, half = share + square / 2, TWO_SIDED * sqrt(share * (1 - share) / trials + square / trials / 4)
    return max(0.0, (middle - half) / (1 + square)), min(1.0, (middle + half) / (1 + square))
