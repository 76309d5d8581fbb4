"""Splits: a table with the memory of one edge, where that explains records which it calls noise.

Noise falls on the records of a rule alike, whatever came before. Where it seems to fall on those alone that
were entered by one edge, the table has forgotten something: it is doubled, and the edge leads from the first
into the second, until the edge's target is entered by another. What both do alike is one again when
the table is minimised.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from gridlang.table import MOVES, Entry, Row, Table
from learners.methods.noise.accounts import Accounts, Doubles
from learners.methods.noise.corruption import Rates
from learners.methods.noise.limits import LIMITS
from learners.traces.dataset import Traces

Longs = npt.NDArray[np.int64]


def rule_nats(table: Table) -> float:
    """What it takes to say one rule: what it writes, where it moves, and what comes next."""
    return float(np.log(len(table.symbols) * len(MOVES) * len(table.states)))


def split_tables(table: Table, accounts: Accounts, seen: Traces, most: int) -> Iterator[Table]:
    """Tables with one more memory, those first that explain most."""
    paths = _Paths.of(table, accounts, seen)
    ranked = sorted(paths.memories(), key=lambda each: -each[0])
    yield from (paths.remembering(memory) for _, memory in ranked[:most])


class _Memory(NamedTuple):
    """Whether a state was last entered by this edge."""

    rule: int  # the edge's state times the symbols, plus its symbol
    target: int
    loops: bool  # whether the target's own edges count as entering it


@dataclass(frozen=True, slots=True, eq=False)
class _Paths:
    """The likeliest paths through a table, beside what was recorded."""

    table: Table
    rates: Rates
    rule: Longs  # (N, T): state times symbols plus symbol, -1 in the padding
    after: Longs  # (N, T): the state that comes next, -1 at the end
    s: Longs
    m: Longs

    @staticmethod
    def of(table: Table, accounts: Accounts, seen: Traces) -> _Paths:
        state = accounts.state.astype(np.int64)
        rule = np.where(state >= 0, state * len(seen.symbols) + accounts.x, -1)
        after = np.pad(state[:, 1:], ((0, 0), (0, 1)), constant_values=-1)
        return _Paths(table, accounts.rates, rule, after, seen.s.astype(np.int64), seen.m.astype(np.int64))

    def memories(self) -> Iterator[tuple[float, _Memory]]:
        """Each memory that saves more nats than its rules take, and how many."""
        symbols, price = len(self.table.symbols), rule_nats(self.table)
        for state, symbol, entry in self.table.entries():
            for loops in (False, True) if not entry.is_idle(symbol) else ():
                memory = _Memory(state * symbols + symbol, entry.next, loops)
                saved = self._saved(self._counts(memory)) - price
                if (saved > 0).any():
                    yield float(saved[saved > 0].sum()), memory

    def _counts(self, memory: _Memory) -> tuple[Longs, Longs, Longs]:
        """(2, rules, values), without the memory and with it: writes, moves, and states that come next."""
        n, k = len(self.table.states), len(self.table.symbols)
        valid = self.rule >= 0
        key = (self._remembers(memory) * n * k + self.rule)[valid]
        parts = []
        for values, count in ((self.s, k), (self.m, len(MOVES)), (self.after + 1, n + 1)):
            flat = np.bincount(key * count + values[valid], minlength=2 * n * k * count)
            parts.append(flat.reshape(2, n * k, count))
        return parts[0], parts[1], parts[2][:, :, 1:]

    def _remembers(self, memory: _Memory) -> npt.NDArray[np.bool_]:
        """(N, T): whether the target was last entered by the edge before each step."""
        here = self.rule == memory.rule
        enters = (self.after == memory.target) & (self.rule >= 0)
        if not memory.loops:
            enters &= (self.rule // len(self.table.symbols) != memory.target) | here
        when = np.where(enters, 2 * np.arange(1, enters.shape[1] + 1) + here, 0)
        last = np.maximum.accumulate(when, 1)
        return np.pad(last[:, :-1] % 2 == 1, ((0, 0), (1, 0)))

    def _saved(self, counts: tuple[Longs, Longs, Longs]) -> Doubles:
        """(rules,): nats that two rules save against one."""
        saved = np.zeros(counts[0].shape[1])
        for each, rate in zip(counts, (self.rates.writes, self.rates.moves, LIMITS.astray), strict=True):
            saved += _nats(each.sum(0), rate) - _nats(each, rate).sum(0)
        return saved

    def remembering(self, memory: _Memory) -> Table:
        """The table twice over, the second with the memory."""
        table, n, k = self.table, len(self.table.states), len(self.table.symbols)
        counts = self._counts(memory)
        worth = self._saved(counts) > rule_nats(table)
        rows: list[Row] = []
        for with_memory in (0, 1):
            for state, old in enumerate(table.rows):
                row: list[Entry | None] = []
                for symbol, before in enumerate(old):
                    rule, entry = state * k + symbol, before
                    if worth[rule] and counts[0][with_memory, rule].sum() >= LIMITS.shown:
                        entry = _shown(counts, with_memory, rule, before.next if before else state)
                    row.append(entry and self._doubled(entry, state, symbol, with_memory, memory))
                rows.append(tuple(row))
        names = tuple(f"q{at}" for at in range(2 * n))
        return replace(table, states=names, rows=tuple(rows), families=())

    def _doubled(self, entry: Entry, state: int, symbol: int, with_memory: int, memory: _Memory) -> Entry:
        """A rule of one half, which leads where the memory says."""
        n, later, target = len(self.table.states), with_memory, state
        if not entry.is_idle(symbol):
            target = entry.next
            if target == memory.target and state * len(self.table.symbols) + symbol == memory.rule:
                later = 1
            elif target == memory.target and (memory.loops or state != target):
                later = 0
        return entry._replace(next=target + n * later)


def _shown(counts: tuple[Longs, Longs, Longs], with_memory: int, rule: int, otherwise: int) -> Entry:
    """What most steps of one half show."""
    write, move, after = (each[with_memory, rule] for each in counts)
    return Entry(int(write.argmax()), int(move.argmax()), int(after.argmax()) if after.any() else otherwise)


def _nats(counts: Longs, rate: float) -> Doubles:
    """What the records of a rule cost if what most of them say is right."""
    values, rate = counts.shape[-1], max(rate, LIMITS.least_rate)
    most, total = counts.max(-1), counts.sum(-1)
    nats: Doubles = -most * np.log1p(-rate) - (total - most) * np.log(rate / max(values - 1, 1))
    return nats
