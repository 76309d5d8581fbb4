"""Budgets of a search for an agent. They count rules, never seconds, so that answers repeat."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Limits:
    """Inputs of a candidate, and budgets of the search."""

    # inputs
    short: int = 150  # shortest inputs that a candidate must get right
    drawn: int = 30  # longer ones
    looked_at: int = 10_000  # inputs, to find as many of which something is asked
    longest: int = 14  # symbols of those
    on_plane: int = 60  # inputs where agents move in four directions: a megabyte each
    longest_on_plane: int = 8  # symbols of those
    steps_on_plane: int = 1_000  # of runs of which grids were seen
    active: int = 16  # that run side by side; more prune little more, and cost as much again
    most_active: int = 60  # with counterexamples; an input each bit of a word but some
    most_tokens: int = 60  # of a wanted result: a place each bit of a word but some
    most_letters: int = 5  # that are permuted, in 120 ways

    again: int = 10  # times the rules that led to an agent, for better ones
    faster: int = 20  # share of all rules that may go into smaller and faster agents at least
    few_states: int = 3  # sizes below the largest that are tried on their own: these can be gone through
    rises: float = 1.15  # times the rules of the cost before: with fewer, no bound on costs is needed
    states: int = 8  # of an agent, unless more are allowed
    more_states: int = 2  # than a sketch has, likewise
    results: int = 4  # of all inputs, up to which agents decide before they write
    states_to_write: int = 2  # more for each of these steps
    to_write: int = 20_000  # rules to decide further, or to write one result
    to_complete: int = 100_000  # for all of these
    dearest_to_write: int = 20  # cost of those rules
    tells_much: int = 3  # steps between grids, up to which costs are not bounded: no guess is needed

    # runs
    most_symbols: int = 100
    most_states: int = 100
    most_pairs: int = 2_000

    # rules tried
    nodes: int = 200_000_000  # a minute on two cores
    first_allowance: int = 100_000  # of a level in the first round
    growth: int = 3  # of the allowance from round to round
    unlikely: int = 10  # times less for agents that do not permute or decide, where they could
    alone: int = 200_000  # before a level is split among cores: a tenth of a second
    slice: int = 100_000  # between two looks at the others
    tasks: int = 64  # at least, for all cores
    deepest: int = 6  # rules of a task's beginning

    # candidates
    unproven: int = 2  # of a task, before it ends: to find no proof takes long
    all_unproven: int = 6  # of a level
    test_cases: int = 300  # drawn inputs of a candidate before it is proven


LIMITS = Limits()


STEP_LIMIT = "4(n + 2)² steps on an input or result of n symbols"


def step_limit(length: int) -> int:
    """Steps on an input or result of this length: enough for each symbol to cross all others some times."""
    return 4 * (length + 2) ** 2
