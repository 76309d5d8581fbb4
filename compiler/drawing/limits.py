"""How much is drawn, and how far a layout is improved."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Limits:
    """Budgets of the drawings."""

    replay_steps: int = 1_000_000  # until the reader asks for more
    compared_steps: int = 3_000  # steps per world of a comparison: some agents, as the ant, never halt
    input_symbols: int = 8  # in the input that a replay starts with: longer ones make a long replay
    glance: int = 32  # edges that can be followed one by one: larger graphs are folded
    most_chips: int = 120  # with more members listed, a family's box would be the largest of the drawing
    most_lines: int = 6  # in a label: more would hide what is around it
    name_letters: int = 34  # the rest is in the tooltip
    line_letters: int = 44
    most_single: int = 400  # states that a page also shows one by one
    most_edges: int = 3_000  # a layout counts the crossings of all of them
    sweeps: int = 16
    idle_sweeps: int = 4  # sweeps without fewer crossings, until it ends
    most_swapped: int = 1_500  # places up to which neighbours are swapped: each asks for all edges
    swap_rounds: int = 4  # later ones find next to nothing
    tries: int = 12  # orders of a small graph that begin at random
    most_tried: int = 150  # places up to which they are tried: a tenth of a second
    most_pixels: int = 100_000_000  # a PNG with more takes half a gigabyte, and few programs open it
    vector_points: int = 3_000  # more could not be told apart, and would slow the page


LIMITS = Limits()
