"""Budgets and limits of learning; budgets are in steps, so that no answer depends on a clock."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Limits:
    """How much is recorded, trained, asked and tried."""

    # A run
    seeds: int = 4  # trained at once
    patience: float = 600.0  # seconds to extract and prove a model, then it is unknown
    most_states: int = 2_000  # of an expert: half an hour of questions, and their answers take 1 GB
    narrow: int = 8  # least dimensions; with fewer, training often stalls
    slower: float = 3.0  # the rate is divided by it where no seed settled: compare needs 0.003, not 0.009
    settled: float = 1e-6  # loss; mult2 and mult10 are proven from 5e-7 on, above that vectors spread

    # Traces of a round
    short: int = 60  # steps of an input's trace: a batch takes as long as its longest trace
    reach: int = 250  # steps of the trace of a mistake
    inputs: int = 300  # traces of inputs, beside reads that cover all pairs of rules
    inputs_a_rule: int = 5  # beside many random worlds too
    most_length: int = 16  # of repetitions in inputs
    many_states: int = 128  # Of more, traces are cut; of fewer, whole ones tell more, and train as well.
    often: int = 20  # times that each rule is then shown, or as often as in whole ones
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
