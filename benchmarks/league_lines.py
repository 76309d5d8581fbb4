"""All settings of the league on blind traces: lines, sizes, draws, budgets, and the search for settings."""

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
    ("fast", LINES[0]),
    ("fast", LINES[2]),
    ("longer", LINES[2]),
)
REFITTED = "dfst"  # The models of this method are judged a second time, refitted, as `refit`.
LONGER = 3  # times the iterations of `dfst`, of `longer`


def sizes_of(method: str) -> tuple[int, ...]:
    """`longer` is there for one entry alone, in which DFSTs from more traces do worse."""
    return SIZES[-1:] if method == "longer" else SIZES


# The search: six settings for each method, eight draws of one agent that no line has.
SEARCHED = Line("suite/binary_addition", "random-reads")
SEARCH_DRAWS, SEARCH_SIZE = 8, 1_000
ITERATIONS = 6_000  # of a network: twice those of its recipe; a DFST has those that fit it, 10,000 or more
WIDTHS = (32, 64)
RATES = (2e-3, 5e-3, 1e-2)
SEARCH: dict[str, list[dict[str, Any]]] = {
    "dfst": [
        {"recipe": name, "times": times, "dim": dim}
        for name, times in (("proof", 1.0), ("proof", 0.5), ("fast", 1.0))
        for dim in WIDTHS
    ],
    **{
        name: [
            {"recipe": "network", "lr": lr, "iterations": ITERATIONS, "dim": dim}
            for lr in RATES
            for dim in WIDTHS
        ]
        for name in ("gru", "lstm")
    },
}
