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
    search_seconds: float = 60.0  # lengths double: a longer search would gain one or two of them

    # what is shown
    input_shown: int = 60  # symbols of an input: a line of a terminal holds them


LIMITS = Limits()
