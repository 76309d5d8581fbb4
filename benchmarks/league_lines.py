"""All settings of the league: lines, sizes, draws, budgets, and how each method trains."""

from __future__ import annotations

from typing import Any, NamedTuple

DRAWS, FIRST_DRAW = 64, 700_000  # No other experiment here uses these seeds.
SIZES = (50, 200, 1_000, 4_000)  # different traces; fewer where a rule shows no more
RUNS = {"inputs": 4_000, "random-reads": 4_000, "uniform": 16_000, "scrambled": 16_000}  # of which SIZES are
FRESH = 1_000  # other traces by the same rule
HOPELESS = 0.02  # a model that errs on more of the fresh traces is wrong, and no proof is tried
PATIENCE = 10.0  # seconds of a core for one verdict
STEPS = 200  # of a trace on an input


class Line(NamedTuple):
    """One agent and one rule that does not look at it, and the repetitions in its inputs."""

    task: str
    rule: str
    longest: int = 5

    @property
    def name(self) -> str:
        return f"{self.task}-{self.rule}"


LINES = (
    Line("add2", "uniform"),
    Line("add2", "random-reads"),
    Line("add2", "inputs"),
    Line("palindrome", "inputs", 8),
    Line("add10", "inputs"),
    Line("palindrome", "random-reads"),
    Line("mult2", "random-reads"),
    Line("add2", "scrambled"),
    Line("add10", "random-reads"),
    Line("subtract", "inputs"),
    Line("mult2", "uniform"),
    Line("compare", "random-reads"),
    Line("mult10", "random-reads"),
)
# What a GPU has time for, in this order; a line that would end too late is not in the record.
NETWORKS = ("gru", "lstm")
TRAINED = (
    *(("dfst", line) for line in LINES[:3]),
    *((method, LINES[0]) for method in NETWORKS),
    *(("dfst", LINES[at]) for at in (5, 6, 3, 7)),
    *((method, LINES[at]) for at in (1, 3, 2) for method in NETWORKS),
    *(("dfst", LINES[at]) for at in (8, 4)),
    *((method, LINES[4]) for method in NETWORKS),
    ("dfst", LINES[9]),
)
REFITTED = "dfst"  # The models of this method are judged a second time, refitted, as `refit`.
# Rate and width were the best of six on an agent that is in no line, examples/suite/binary_addition.grid.
SETTINGS: dict[str, dict[str, Any]] = {
    "dfst": {"recipe": "proof", "dim": 32},
    "gru": {"recipe": "network", "lr": 1e-2, "iterations": 6_000, "dim": 64},
    "lstm": {"recipe": "network", "lr": 1e-2, "iterations": 6_000, "dim": 64},
}
