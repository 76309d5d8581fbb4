"""Weights and budgets of learning from noisy traces."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Limits:
    """Costs in nats, sizes, and how often something is tried."""

    # decoding
    width: int = 16  # hypotheses per step of a trace; time grows with it
    dropped: float = 16.0  # nats behind the best at which one is given up: four lies in a row at 5 %
    untimely: float = 8.0  # nats of a run that halts too early, or not where it should
    astray: float = 1e-3  # probability that a step is none of the table's, which may be wrong in places
    least_rate: float = 1e-3  # of noise: a rate of 0 would forbid what is only rare
    most_rate: float = 0.6
    alone: float = 1e-3  # weight of noise that hits every record by itself, beside what steps show together
    unseen: float = 0.5  # count of what was never read
    # Cells after which a world is taken to be made of what they held. Without it noise would be taken for
    # rules: a symbol that is common in other worlds would be likelier in this one than a lie about it.
    familiar: float = 8.0
    rows: int = 256  # decoded per call of C, between which an interrupt is heard
    sure: float = 0.95  # probability from which on a judged step counts as sure

    # rounds of cleaning
    drawn: float = 0.75  # share of the traces for rounds of merging that begin apart, after the first
    found: int = 2  # rounds that began apart and led to the best table, or nearly, at which all ends,
    nearly: float = 20.0  # nats: tables that differ by less differ in three rules at most, all of them rare
    unimproved: int = 4  # or rounds in a row that led to nothing better
    strong: float = 0.075  # share of noise above which many rest at the same wrong table: no early end
    searched: int = 80_000  # steps, of the first traces, on which tables are compared
    too_strong: float = 0.5  # share of noise above which a kind of record says nothing
    far: float = 2_000.0  # nats behind the best: no search catches up

    # search for the likeliest table
    least_visits: float = 2.0  # of a rule; fewer are taken for noise
    same: float = 3.0  # nats: tables that differ by less say the same of all traces but one step
    estimates: int = 6  # of one table, at most
    hopeless: float = 300.0  # nats behind the best: estimates seldom gain as much
    splits: int = 3  # of each kind that are tried before the search ends, the most promising first
    merges: int = 6
    relinks: int = 16
    exchanges: int = 8
    glanced: int = 6_000  # steps, of the first traces, by which tables are ranked,
    estimated: int = 5  # and tables that are then estimated
    # Uses of a rule up to which its target says nothing in a merge: it may be the last of a loop that was
    # unrolled step by step. The second is tried where the first leads to a contradiction.
    few: tuple[float, ...] = (8.0, 30.0)
    merge_lost: float = 60.0  # steps that a merge may call noise: a state that came of noise seldom has more
    lost_price: float = 4.0  # nats per step called noise, about one lie at 5 %; it only ranks merges
    shown: int = 2  # steps from which on they show what is done with a memory

    # tables of traces
    merged_states: int = 200  # of a table by merging; a tolerance that leads to more is too strict


LIMITS = Limits()
