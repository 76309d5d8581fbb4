"""On which runs `view` compares two agents: these of each kind reach nearly every rule."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Limits:
    listed_length: int = 4  # Inputs of up to this length are all taken, if there are no more than
    short_inputs: int = 300
    drawn_inputs: int = 200
    drawn_length: int = 6  # repetitions of each part of a drawn input, at most
    worlds: int = 300


LIMITS = Limits()
