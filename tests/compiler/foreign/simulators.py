"""A small simulator of bbchallenge's format, written from its description alone: it shares no code with the reader."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import NamedTuple

Tape = dict[int, str]


class Stop(NamedTuple):
    """How a machine stopped: in a halting state or not, after how many steps, with which tape and head."""

    halted: bool
    steps: int
    tape: Tape
    head: int


def on_tape(
    rules: dict[tuple[str, str], tuple[str, int, str]],
    halting: set[str],
    start: str,
    blank: str,
    text: Iterable[str],
    most: int,
) -> Stop | None:
    """A machine on one tape; None if it still runs."""
    tape = dict(enumerate(text))
    head, state = 0, start
    for step in range(most + 1):
        here = tape.get(head, blank)
        if state in halting or (state, here) not in rules:
            left = {cell: symbol for cell, symbol in tape.items() if symbol != blank}
            return Stop(state in halting, step, left, head)
        tape[head], move, state = rules[state, here]
        head += move
    return None


def run_bbchallenge(line: str, most: int) -> Stop | None:
    groups = line.strip().split("_")
    rules, states = {}, [chr(65 + number) for number in range(len(groups))]
    for state, group in zip(states, groups, strict=True):
        for number, triple in enumerate(re.findall("...", group)):
            if triple != "---":
                rules[state, str(number)] = triple[0], 1 if triple[1] == "R" else -1, triple[2]
    halting = {rule[2] for rule in rules.values()} - set(states)
    return on_tape(rules, halting, "A", "0", "", most)
