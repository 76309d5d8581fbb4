"""Budgets and limits of learning; budgets are in steps, so that no answer depends on a clock."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Limits:
    """How much is recorded, trained, asked and tried."""

    # A run
    seeds: int = 4  # trained at once
    length: int = 12  # of inputs on which a model itself must follow the extracted program
    patience: float = 600.0  # seconds to extract and prove a model, then it is unknown
    first_share: int = 20  # the first training of a round takes one of these many of the iterations that fit,
    first_least: int = 2_000  # at least,
    first_rate: float = 2.0  # at these many times the rate,
    first_warmup: int = 5  # of which at most one of these many warm up
    most_lengthened: int = 4  # times as long, at most, in a later round
    narrow: int = 8  # least dimensions; with fewer, training often stalls
    held_out: int = 10  # noisy traces without an expert: one of these many is held out
    noisy_lengths: tuple[int, ...] = (300, 60, 20)  # of explored inputs: drift shows on long ones

    # Training further
    settled: float = 1e-6  # loss; mult2 and mult10 are proven from 5e-7 on, above that vectors spread
    settled_first: float = 2e-8  # after the first training: above it, some models of mult2 were refuted
    times: int = 3  # times the iterations of the training before
    slower: int = 2  # what its rate is divided by
    most_times: int = 3  # further trainings of a model in a round; it may rather lack hard cases

    # Traces of a round
    short: int = 60  # steps of an input's trace: a batch takes as long as its longest trace
    reach: int = 250  # steps of the trace of a mistake
    inputs: int = 300  # traces of inputs, beside reads that cover all pairs of rules
    inputs_a_rule: int = 5  # beside many random worlds too
    most_length: int = 16  # of repetitions in inputs
    few_traces: int = 500  # fewer are joined by worlds that tell states apart
    few_inputs: int = 20  # if short runs show no more, runs may be longer
    kept: int = 40  # hard examples per model, those with the earliest mistakes
    after: int = 20  # steps recorded after a mistake
    variants: int = 8  # of a hard example: equal up to the mistake, then different worlds
    share: int = 4  # hard examples are repeated until they are one of these many traces
    repeated: int = 8  # times at most

    # Questions to the expert
    drawn: int = 1_000  # inputs, to see where it is stuck
    longest_drawn: int = 16  # repetitions in them
    worlds_drawn: int = 300  # slower to make, and their share only says that there are some
    most_steps: int = 100_000  # longer runs count as not stuck; mult10 takes a tenth on such inputs
    most_examples: int = 20  # worlds that show a rare rule
    named: int = 3  # unseen rules in a message


LIMITS = Limits()
