"""How long a model is explored, on what, and budgets of the bounds on its errors."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Limits:
    # Distances within which unit vectors are one point. The models among the examples take 0.08; some drift
    # more, some have nearer clusters. States are 0.3 to 0.7 apart, so beyond 0.16 hardly any are separate.
    tolerances: tuple[float, ...] = (0.005, 0.01, 0.02, 0.04, 0.08, 0.16)
    finer_kept: float = 0.2  # of the tolerance that keeps clusters apart: finer ones are not filled for long
    points_a_dimension: int = 32  # of a codebook; models that settle need below ten
    most_points: int = 4096  # of a codebook: a new vector is compared with all of them
    steps: int = 6_000_000  # of all runs together, about: some seconds in C
    quick_dimensions: int = 64  # A larger model takes half a minute for all these steps.
    plain_steps: int = 100_000  # of all runs without a C compiler: some 20 seconds
    plain_cells: int = 1_000_000  # of one world without a C compiler: 200 MB as a dictionary
    # Numbers compared in the search for points, some seconds: at least, and for each of d squared weights.
    work: int = 2_000_000_000
    work_a_weight: int = 3_000_000

    # Repetitions in inputs, more in each round, so that what only long inputs show comes last. Models that
    # made no error at 300 digits made none at 3850 wherever that was tried.
    lengths: tuple[int, ...] = (1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64, 96, 128, 192, 300)
    # Quiet rounds in a row that make a model saturated: a rule that one round misses is seldom missed by
    # four. Worlds vary more than inputs do.
    quiet_rounds: int = 4
    followed_after: int = 2  # quiet rounds: inputs are then only followed, unless they leave the graph
    quiet_world_rounds: int = 6
    rounds: int = 80  # on inputs; models that settle need fewer than forty
    rounds_back: int = 6  # from inputs that left a settled graph: to an eighth of their length, about
    input_symbols: int = 20_000  # A quadratic agent takes minutes on a longer input.
    listed_inputs: int = 400  # Where a language has no more inputs up to a length, all of them are taken.
    # Inputs of a round at least, and steps for each symbol until which there are more. The second pair is for
    # a settled graph that is only followed, which is faster.
    explored_inputs: tuple[int, int] = (2, 8_000)
    followed_inputs: tuple[int, int] = (2, 16_000)
    inputs_a_symbol: int = 25  # of a round; short inputs would otherwise be drawn by the thousand
    # Inputs and steps of a round for each edge, where that is more: some edges are seldom seen.
    inputs_an_edge: int = 2
    steps_an_edge: int = 150
    departures: int = 2  # One input that leaves a settled graph may be rare; after two it is explored anew.
    run_steps: int = 1_000  # of a run in the first round
    run_growth: float = 1.3  # of these steps from round to round
    run_factor: int = 8  # times the steps of the longest run that halted, to see whether another will
    world_runs: int = 150  # of a round
    world_rounds: int = 60
    first_world_steps: int = 60  # enough to identify an agent
    more_world_steps: int = 20  # added round by round, to show drift
    # Clusters on worlds for each state they may have, beyond which they will not do: the models among the
    # examples have up to 2, and one that drifts has 8 after ten rounds.
    clusters_a_state: int = 4
    given_steps: int = 50_000  # on a world that was asked about: its difference may come late
    # How far from one-hot a sure model may be: rounding is below the first, no sure one beyond the last.
    doubts: tuple[float, float] = (0.02, 0.1)
    named_inputs: int = 60  # on which states are compared with the expert's, for their names
    named_length: int = 6  # of these inputs
    named_steps: int = 2_000  # Many short runs tell more for names than a long one.

    # Inputs of a length on which a snapped model is run, and the steps after which there are no more. Some
    # rules of mult10 are taken by one product of two digits in a hundred.
    snapped_inputs: int = 600
    snapped_steps: int = 1_000_000
    snapped_run_steps: int = 1_500_000  # A product of 300 digits takes 1.3 million.
    # Inputs of a length that show whether the float weights follow it: at least, and while runs are short.
    drift_inputs: int = 20
    more_drift_inputs: int = 500
    more_drift_steps: int = 50_000
    least_followed: int = 4  # repetitions: what errs on shorter inputs is another agent

    # A codebook closed under snapped inference: the models of mult10, of 95 states, take 98 to 159 centres.
    centres_a_state: int = 8
    few_states: int = 16
    recentrings: int = 5  # then centres hardly move
    inside: float = 0.99  # of the reach of a centre: where engines may not agree is left out

    norm_work: float = 1.5e10  # multiplications in the search for norms: ten seconds on one core, about
    norm_rounds: int = 1_500  # Twice as many bring the worst stretch of add2 from 1.040 to 1.038.
    references: int = 2_000  # Beyond them every vector is merged with the nearest of its state.
    reference_numbers: float = 2e8  # references times d**3: a step costs three products of size d
    bounded_steps: int = 20_000  # counted one by one, which takes some seconds

    @property
    def longest_repetition(self) -> int:
        return self.lengths[-1]


LIMITS = Limits()
