"""Budgets of tests and of searches for a wrong result. Costs are steps of the native engine."""

from __future__ import annotations


class Limits:
    """How many inputs are tried, and how far each is followed."""

    # runs
    most_steps: int = 10_000_000  # of one run, as for `gridlang run`
    reference_steps: int = 300_000  # of all runs on the reference, about as long as a compiler takes
    reference_cost: int = 50  # native steps, at least, in the time of one on another engine
    steps_around: int = 20_000  # followed again to see a run go round in circles: some hundredths of a second
    steps_before_looking: int = 200_000  # An agent that has walked off by then is not followed on.
    memory: int = 64_000_000  # bytes of a world, far more than a few hundred symbols need
    # A run that does not end is wrong if it is this many times as long as all that halted: even where steps
    # grow tenfold with every symbol, another run came close before.
    sudden: int = 100
    most_area: int = 1_000_000  # of a result as text; an agent that walks far can span far more

    # inputs
    cases: int = 1_000  # drawn inputs, which take about as long as all short ones
    listed_cases: int = 6_000  # shortest inputs, about a second
    listed_cost: int = 30_000_000
    drawn_cost: int = 200_000_000  # one or two seconds
    shrinking_cost: int = 200_000_000
    shrinking_cases: int = 2_000  # some seconds at a few hundred symbols
    symbol_cost: int = 200  # to draw, read and compare a symbol
    condition_cost: int = 10_000  # to ask whether a text meets the condition
    longest: int = 500  # symbols of an input by default: two parts can have hundreds each
    most_symbols: int = 10_000  # that a user may ask for; `trace` draws inputs as long
    coarse: float = 1.25  # growth of the first lengths drawn, so that some are long even if runs are costly
    coarse_share: float = 0.5  # of the cost of drawn inputs; every single length takes the rest
    fresh_share: float = 0.25  # Where fewer draws give a new input, the rest is listed.

    # draws
    most_repetitions_extended: int = 8  # Others keep their least length, or inputs get too long.
    most_swept: int = 3  # repetitions that take turns at each length
    tries_with_a_condition: int = 40  # About one draw in ten has two equal parts, should that be asked.
    tries_of_a_plan: int = 4  # A draw can be an earlier one, or too long.
    work_per_symbol: int = 8  # pieces visited: groups in groups may all be empty

    # unused rules
    unused_rule_steps: int = 20_000  # of all samples, much cheaper than a proof
    unused_rule_sample_steps: int = 200


LIMITS = Limits()
