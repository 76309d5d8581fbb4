"""How long a model is questioned and tried; budgets are in steps, so that no answer depends on a clock."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Limits:
    # Trials
    worlds_tried: int = 3_000  # to find what a model gets wrong
    trial_steps: int = 60  # in random worlds, as in traces of them
    inputs_tried: int = 400
    longest_tried: int = 16  # repetitions in these inputs

    # Questions to a model
    beyond: int = 2_000  # steps that the model is followed beyond a question
    questions_a_pair: int = 4  # that was never seen: what comes after it differs
    most_witness_steps: int = 1_000
    first_witnesses: int = 20  # random worlds
    witness_length: int = 4  # repetitions in inputs: short ones run fast, and grow
    mutation_steps: int = 300_000  # of all changed worlds of a round: half a second

    # Centres of a snapped model that follows the expert
    closure_runs: int = 1_000  # of the expert, before questions
    closure_steps: int = 1_000  # of each run
    closure_rounds: int = 60  # of questions; a trigger of 24 bits takes some thirty

    # Mistakes of a model itself
    followed: int = 20_000  # steps on one world, by the equations
    tried: int = 1_000  # worlds, and as many inputs
    longest_judged: int = 60  # repetitions in these inputs
    world_steps: int = 400  # of the agent, in which these worlds grow
    small: int = 20  # dimensions of a model that does ten million steps a second in C
    wrapped_slower: int = 1_000  # times: a step of Python takes some 30 microseconds
    short_steps: int = 6_000_000  # of all short cases: below a second
    # repetitions; some models that make no mistake below fail at 32, at 471, at 1,760
    long_lengths: tuple[int, ...] = (32, 100, 500, 1_000, 2_000)
    repeating: int = 12  # inputs of a length that repeat a symbol, and as many a word
    most_period: int = 4  # longest word, less one
    most_listed: int = 10_000  # to choose from; a clause of many parts has endlessly many
    long_steps: int = 15_000_000  # of all long inputs: a second
    most_long: int = 1_000_000  # steps of one long run: ten seconds by the equations
    followed_lengths: tuple[int, ...] = (1, 2, 5, 12, 24, 60, 120, 300)  # as far as models are explored
    followed_inputs: int = 4  # of each length, and one that repeats a symbol
    followed_steps: int = 4_000_000  # of all of them: half a second
    long_worlds: int = 50  # whose runs go on as long as the equations are followed
    engines_apart: int = 1_000  # steps after which the equations may show what C has shown, by rounding
    shrinking_steps: int = 200_000  # of the equations, to make a failing world smaller: two seconds
    batch: int = 50  # short cases between two looks at the budget
    # before anything is explored, in hundredths of a second: no vector of a provable model drifts so soon
    first_inputs: int = 40
    first_worlds: int = 60
    first_steps: int = 60
    longest_first: int = 12  # symbols of these inputs
    mostly: int = 2  # a model that errs on one of these many is wrong: no graph of it is looked for


LIMITS = Limits()
