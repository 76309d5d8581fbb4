"""What bounds an evaluation, and how its work is cut."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Limits:
    # suites
    random_inputs: int = 5  # of exactly m symbols, and as many of at most m, as in the paper
    most_repeated: int = 2_000  # repeated inputs; of more a sample is run: already these take minutes
    random_worlds: int = 20  # twice the inputs of PLG, as each world shows less
    world_steps: int = 100_000  # of a random world, unless a limit is given
    input_symbols: int = 50_000_000  # of an input, which is held as text
    world_cells: int = 4_000_000  # of a random world, which is held as a dictionary

    # the search for the largest length
    first_length: int = 4
    least_gain: float = 1.1  # a longer length is not tried for less
    search_seconds: float = 60.0  # lengths double: a longer search would gain one or two of them
    safety: float = 0.8  # share of the time left that a length may be expected to take

    # lockstep on this machine
    world_bytes: int = 500_000_000  # world of one case
    first_slice: int = 1 << 10  # initial steps per clock check
    slice_seconds: float = 0.1  # a slice grows to this: soon enough for a deadline
    poll_seconds: float = 0.1  # between two looks at the threads, for progress and interrupts
    cases: int = 64  # that a network follows at once; each has a world in the memory of the host
    traces: int = 256  # that a network predicts at once

    # what is shown
    shown: tuple[int, int] = (9, 3)  # cells on either side of the head, and above and below it
    input_shown: int = 60  # symbols of an input: a line of a terminal holds them
    trace_shown: int = 40  # symbols of a trace's input: what is read at a glance


LIMITS = Limits()
