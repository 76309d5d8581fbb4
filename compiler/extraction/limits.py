"""How long a model is explored, and on what."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Limits:
    # Distances within which unit vectors are one state, coarse ones first
    state_tolerances: tuple[float, ...] = (1.2, 1.0, 0.7, 0.5, 0.35, 0.25, 0.18, 0.125, 0.09, 0.06, 0.03)
    centres_a_dimension: int = 8  # at most; more are no states
    few_dimensions: int = 16

    steps: int = 6_000_000  # of all runs together, about: some seconds in C
    wrapped_steps: int = 100_000  # of all runs of a wrapped model: some 5 seconds
    own_length: int = 12  # repetitions in its inputs
    # Repetitions in inputs, more in each round, so that what only long inputs show comes last. Models that
    # made no error at 300 digits made none at 3850 wherever that was tried.
    lengths: tuple[int, ...] = (1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64, 96, 128, 192, 300)
    rounds_a_length: int = 30  # until one shows nothing new
    input_symbols: int = 20_000  # A quadratic agent takes minutes on a longer input.
    listed_inputs: int = 400  # Where a language has no more inputs up to a length, all of them are taken.
    # Inputs of a round at most, and steps until which there are more
    inputs_a_symbol: int = 25  # short inputs would otherwise be drawn by the thousand
    inputs_an_edge: int = 2  # some edges are seldom seen
    steps_a_symbol: int = 4_000
    steps_an_edge: int = 60
    run_steps: int = 1_000  # of a run that nothing is known of
    departures: int = 200  # inputs of a round that the states do not follow; all are run and learned
    beyond: int = 200  # steps after the first that is not followed
    recorded: int = 4_000  # steps of such a run: a rule that none shows so soon is none
    most_followed: int = 1_500_000  # steps of an input; a product of 300 digits takes 1.3 million
    least_followed: int = 4  # repetitions: what errs on shorter inputs is another agent
    world_runs: int = 400  # of a round
    world_rounds: int = 15
    grown_rounds: int = 3  # with new states, after inputs: more show that it drifts on worlds
    quiet_world_rounds: int = 2  # in a row
    first_world_steps: int = 60  # enough to identify an agent
    more_world_steps: int = 20  # added round by round, to show drift
    # How far from one-hot a sure model may be: rounding is below the first, no sure one beyond the last.
    doubts: tuple[float, float] = (0.02, 0.1)

    # Inputs of a length on which a snapped model is run, and the steps after which there are no more. Some
    # rules of mult10 are taken by one product of two digits in a hundred.
    snapped_inputs: int = 600
    snapped_steps: int = 1_000_000
    snapped_run_steps: int = 1_500_000

    @property
    def longest_repetition(self) -> int:
        return self.lengths[-1]


LIMITS = Limits()
