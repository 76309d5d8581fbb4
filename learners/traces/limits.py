"""Limits and settings of reading, recording and drawing traces."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Limits:
    """Budgets of reading, recording and drawing traces."""

    # Files
    most_bytes: int = 2_000_000_000  # a checkpoint, or any other archive of a run
    most_unpacked: int = 250_000_000  # bytes: 40 million steps; checked, they fit into a gigabyte
    most_text: int = 20_000_000  # bytes: parsed JSON takes up to thirty times as many
    step_bytes: int = 6  # three numbers of two bytes
    # Recording
    chunk_bytes: int = 200_000_000  # traces recorded at once, even if all are cut at the last step
    chunk_traces: int = 2_000
    input_steps: int = 1_000  # a trace is cut there
    world_steps: int = 60  # the same on a random world
    trainable_steps: int = 500  # a batch takes as long as its longest trace
    # Choosing inputs and worlds
    count_digits: int = 8  # of `worlds:2000`: more traces would not fit in memory
    listed: int = 100_000  # inputs listed one by one
    most_reads: int = 20_000  # sequences that show all pairs of rules; mult10 needs 2,600
    pool: int = 5_000  # candidates of a greedy choice, or twice as many as needed
    barren: int = 3_000  # worlds without news before the search ends
    misses: int = 200  # draws without news before the rest is listed
    # Worlds that tell states apart
    wander: int = 8  # fresh cells before the state is told
    soon: int = 2  # steps; any worlds that show all pairs of rules tell such states apart
    least_telling: int = 1_000  # worlds
    telling_a_rule: int = 10  # worlds
    most_telling: int = 2_000  # worlds
    most_states_told: int = 300  # the table is of pairs of states
    # Covering reads
    often: int = 4  # views of each pair of rules: one way to a state is no evidence about the others
    stray: float = 0.1  # share of symbols drawn at random, so that ways differ
    last: float = 0.3  # chance of a symbol that ends the run while others are still to be shown
    shortest_reads: int = 30  # steps of a sequence,
    turns: int = 3  # or this many times those to the last state
    # Coverage and characteristic samples
    most_states: int = 2_000  # a table of pairs of states outgrows memory soon after
    alike_shown: int = 200  # pairs not told apart
    missing_shown: int = 6  # states with missing rules: what fits in two lines


LIMITS = Limits()
