"""How much is shown in a terminal, and how fast."""

from __future__ import annotations


class Limits:
    """Budgets of what is printed."""

    shown_steps: int = 10  # at each end of a long counterexample
    screen_rows: int = 500  # more would only push away what stood on the screen
    screen_cells: int = 1_000_000
    lines_at_once: int = 10_000  # of a trace: some hundreds of kilobytes
    history: int = 10_000  # steps of a watched run that can be taken back
    trail: int = 24  # steps of the head that are shown
    fastest: float = 10_000.0  # steps a second
    slowest: float = 0.1


LIMITS = Limits()
