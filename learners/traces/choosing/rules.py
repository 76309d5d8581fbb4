"""The rules by which traces are chosen; docs/guide/training.md tells what each knows of the expert."""

from __future__ import annotations

from gridlang.learners.traces.limits import LIMITS
from gridlang.options import one_of

PEEK = "peek-"  # how the names of rules begin that look at the states of the expert
OF_READS = ("reads", "peek-reads")  # These query the table and make no world.
OF_WORLDS = ("worlds", "peek-worlds")
# rules, and what seeds their draws: the record of the league was drawn so
RULES = {
    "paper": "paper",
    "inputs": "inputs",
    "worlds": "uniform",
    "reads": "random-reads",
    "peek-worlds": "worlds",
    "peek-reads": "reads",
}


def rule_and_count(text: str) -> tuple[str, int]:
    """`worlds:2000` as a rule and a count, 0 where it has none."""
    rule, colon, number = text.partition(":")
    one_of("rule", rule, RULES)
    count = int(number) if number.isascii() and number.isdigit() and len(number) <= LIMITS.count_digits else 0
    if colon and not count:
        raise ValueError(f"rule with a count is written as in 'worlds:2000', not {text!r}")
    return rule, count
