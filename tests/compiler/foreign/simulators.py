"""Small simulators of each format, written from its description alone: they share no code with the readers."""

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


def run_turingmachine_io(text: str, word: str, most: int) -> Stop | None:
    """A machine of turingmachine.io, in the layout that is written here."""
    rules: dict[tuple[str, str], tuple[str, int, str]] = {}
    state, start, halting = "", "", set()
    word_pattern = r"'((?:[^']|'')*)'|(\w+)"

    def unquoted(match: re.Match[str]) -> str:
        return match[1].replace("''", "'") if match[1] is not None else match[2]

    for line in text.splitlines():
        if line.startswith("  start state: "):
            first = re.search(word_pattern, line[15:])
            assert first
            start = unquoted(first)
        elif re.match(r"    \S", line):
            named = re.match(word_pattern, line[4:])
            assert named
            state = unquoted(named)
            halting.add(state)
        elif line.startswith("      "):
            halting.discard(state)
            body = re.fullmatch(r"(\[.*\]|'(?:[^']|'')*'): (.*)", line[6:])
            assert body
            written = re.search(r"write: '((?:[^']|'')*)'", body[2])
            bare = body[2].replace(written[0], "") if written else body[2]
            target = re.search(r"[LR]: (?:'((?:[^']|'')*)'|(\w+))", bare)
            move = 1 if re.search(r"\bR\b", bare.split(":")[0]) else -1
            for key in re.finditer(r"'((?:[^']|'')*)'", body[1]):
                symbol = unquoted(key)  # type: ignore[arg-type]
                wrote = written[1].replace("''", "'") if written else symbol
                rules[state, symbol] = wrote, move, unquoted(target) if target else state
    return on_tape(rules, halting, start, " ", word.replace("_", " "), most)
