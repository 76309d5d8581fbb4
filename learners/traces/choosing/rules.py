"""The rules by which traces are chosen, and what each knows of the expert."""

from __future__ import annotations

from typing import NamedTuple

from gridlang.compiler.arguments import one_of
from gridlang.learners.traces.limits import LIMITS

PEEK = "peek-"
NOTHING, ITS_INPUTS, ITS_RULES, ITS_STATES = "nothing", "its inputs", "its rules", "its states"


class Rule(NamedTuple):
    """What a rule records, and what it looks at in the expert to choose."""

    records: str
    knows: str


RULES = {
    "paper": Rule(
        "all inputs with parts of up to `--short` (p) symbols, all that repeat one symbol `--long` (q) "
        "times, then distinct random ones, N in all",
        ITS_INPUTS,
    ),
    "inputs": Rule("N distinct random inputs of up to `--long`", ITS_INPUTS),
    "uniform": Rule("N grids of up to 8 × 8 in which every symbol is as likely in every cell", NOTHING),
    "scrambled": Rule("N such grids, each with its own density and one to four symbols", NOTHING),
    "random-reads": Rule("N random read sequences, which need not fit any world", NOTHING),
    "peek-worlds": Rule(
        "N worlds: a quarter are scrambled grids; the others fill each cell when it is first read, "
        "preferring the state's less used rules",
        ITS_STATES,
    ),
    "peek-reads": Rule(
        "short read sequences that cover every pair of consecutive rules four times", ITS_STATES
    ),
    "peek-characteristic": Rule(
        "the shortest reads to each state and one step further, then reads that tell the reached state "
        "from all others",
        ITS_STATES,
    ),
}
GREEDY = Rule("of thousands of candidates, those that show most new rules and new ways to them", ITS_RULES)
OLDER = {"worlds": "peek-worlds", "reads": "peek-reads", "characteristic": "peek-characteristic"}
OF_READS = ("random-reads", "peek-reads", "peek-characteristic")  # These query the table and make no world.
OF_WORLDS = ("uniform", "scrambled", "peek-worlds")


def rule_and_count(text: str) -> tuple[str, int]:
    """`uniform:2000` as a rule and a count, 0 where it has none; a former name is the rule of today."""
    rule, colon, number = text.partition(":")
    rule = OLDER.get(rule, rule)
    one_of("rule", rule, RULES)
    count = int(number) if number.isascii() and number.isdigit() and len(number) <= LIMITS.count_digits else 0
    if colon and not count:
        raise ValueError(f"a rule with a count is written as in 'uniform:2000', not {text!r}")
    return rule, count


def former_name(text: str) -> str:
    """The note about a former name of a rule; empty for any other."""
    rule = text.partition(":")[0]
    if rule not in OLDER:
        return ""
    blind = "`random-reads` does" if OLDER[rule] in OF_READS else "`uniform` and `scrambled` do"
    return f"the rule `{rule}` is now `{OLDER[rule]}`: it looks at the expert's states; {blind} not"


def rules_table() -> list[str]:
    """All rules, as a table of a page."""
    lines = ["| `--rule` | records | knows of the expert |", "|---|---|---|"]
    lines += [f"| `{name}` | {rule.records} | {rule.knows} |" for name, rule in RULES.items()]
    return [*lines, f"| any, with `--peek-greedy` | {GREEDY.records} | {GREEDY.knows} |"]
