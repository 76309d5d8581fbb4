"""Machines from logs in rounds: learn, ask which words to log next, log them, learn again.

    python benchmarks/log_rounds.py               all machines, into benchmarks/results/log_rounds.json
    python benchmarks/log_rounds.py --only tcp
    python benchmarks/log_rounds.py --table       what is recorded

A log begins with 3,000 random words of 1 to 10 letters; `merge` learns from all of them. A round logs the
words that `train --ask` would write. Rounds end, as the guide says, when nothing is open and the last words
were all answered as predicted, or after twenty. The machine is compared with what was learned, and was never
shown. `as_long` is the share of 500 fresh words like those of the log, `longer` that of 500 words of 11 to 60
letters, which are predicted from beginning to end.
"""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path
from random import Random
from typing import Any

ROOT = Path(__file__).parent.parent
sys.path.insert(0, str(ROOT))

from benchmarks.mealy import MODELS, Rules, Words, _traces, exact, random_machine, rules_of  # noqa: E402
from gridlang.compiler.program_files import load_program  # noqa: E402
from gridlang.files import write_whole  # noqa: E402
from gridlang.learners.methods.asking.next_words import next_words  # noqa: E402
from gridlang.learners.methods.merging.merge import merged  # noqa: E402
from gridlang.learners.traces.logs.log_to_traces import halting_behind_words  # noqa: E402

RESULTS = ROOT / "benchmarks" / "results" / "log_rounds.json"
MACHINES = {
    **MODELS,
    "tcp": ROOT / "examples" / "logs" / "tcp.dot",
    "ssh": ROOT / "benchmarks" / "mealy_models" / "ssh.dot",
    "vending": ROOT / "benchmarks" / "mealy_models" / "vending.dot",
}
RANDOM = ("random20", "random50")
WORDS, LONGEST, FRESH, FRESH_LONGEST, ROUNDS, DRAWS = 3000, 10, 500, 60, 20, 8


def machine(name: str, draw: int) -> Rules:
    """The hidden machine; each draw of a random one is another."""
    if name in RANDOM:
        return random_machine(int(name.removeprefix("random")), draw)
    return rules_of(load_program(str(MACHINES[name]), {}).table)


def answered(rules: Rules, word: str) -> list[tuple[str, str]]:
    state, run = 0, []
    for letter in word:
        output, state = rules[state, letter]
        run.append((letter, output))
    return run


def drawn(rules: Rules, count: int, lengths: tuple[int, int], seed: str) -> Words:
    """Random words with their answers."""
    random, letters = Random(seed), sorted({letter for _, letter in rules})
    words = ("".join(random.choices(letters, k=random.randint(*lengths))) for _ in range(count))
    return [answered(rules, word) for word in words]


def right(learned: Rules, words: Words) -> float:
    """The share of words that are predicted from beginning to end."""
    return sum(all(_follows(learned, word)) for word in words) / len(words)


def _follows(learned: Rules, word: list[tuple[str, str]]) -> list[bool]:
    state, told = 0, []
    for letter, output in word:
        said, state = learned.get((state, letter), ("", -1))
        told.append(said == output)
    return told


def rounds(name: str, draw: int) -> list[dict[str, Any]]:
    """What was learned in each round, and what it left open."""
    hidden = machine(name, draw)
    log = drawn(hidden, WORDS, (1, LONGEST), f"{name} {draw} log")
    fresh = drawn(hidden, FRESH, (1, LONGEST), f"{name} {draw} fresh")
    longer = drawn(hidden, FRESH, (LONGEST + 1, FRESH_LONGEST), f"{name} {draw} longer")
    told: list[dict[str, Any]] = []
    answers, before = Words(), Rules()
    while len(told) <= ROUNDS:
        traces = _traces(log)
        table = halting_behind_words(merged(traces).table)
        learned, more = rules_of(table), next_words(table, traces)
        assert more is not None
        told.append(
            {
                "words": len(log),
                "states": more.states,
                "exact": exact(hidden, learned),
                "as_long": round(right(learned, fresh), 4),
                "longer": round(right(learned, longer), 4),
                "unseen": sum(len(letters) for _, letters in more.unseen),
                "settled": more.settled,
                "asked": len(more.words),
            }
        )
        if answers and more.settled and right(before, answers) == 1:
            break
        answers, before = [answered(hidden, word) for word in more.words], learned
        log += answers
    return told


def table(record: dict[str, list[list[dict[str, Any]]]]) -> str:
    """A line a machine: how often exact at once and at the end, after which round and how many words."""
    head = "machine | states | exact at once | at the end | exact after rounds | words | predicted | longer"
    lines = [f"| {head} |", f"|{'---|' * 8}"]
    for name, draws in record.items():
        first = [next((at for at, each in enumerate(d) if each["exact"]), None) for d in draws]
        done = [(d, at) for d, at in zip(draws, first, strict=True) if at is not None]
        asked = [d[at]["words"] - d[0]["words"] for d, at in done]
        cells = [
            name,
            draws[0][-1]["states"],
            f"{sum(d[0]['exact'] for d in draws)} of {len(draws)}",
            f"{sum(d[-1]['exact'] for d in draws)} of {len(draws)}",
            _range([at for _, at in done]),
            _range(asked),
            f"{sum(d[0]['as_long'] for d in draws) / len(draws):.1%}",
            f"{sum(d[0]['longer'] for d in draws) / len(draws):.1%}",
        ]
        lines.append(f"| {' | '.join(map(str, cells))} |")
    return "\n".join(lines)


def _range(numbers: list[int]) -> str:
    low, high = min(numbers, default=0), max(numbers, default=0)
    return f"{low:,}" if low == high else f"{low:,} to {high:,}"


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--only", nargs="*", choices=[*MACHINES, *RANDOM], default=[*MACHINES, *RANDOM])
    parser.add_argument("--draws", type=int, default=DRAWS)
    parser.add_argument("--table", action="store_true")
    parser.add_argument("--results", type=Path, default=RESULTS)
    given = parser.parse_args()
    record = json.loads(given.results.read_text()) if given.results.exists() else {}
    for name in [] if given.table else given.only:
        record[name] = [rounds(name, draw) for draw in range(given.draws)]
        write_whole(str(given.results), json.dumps(record, indent=1) + "\n")
        print(f"{name}: done", file=sys.stderr)
    print(table({name: record[name] for name in given.only if name in record}))


if __name__ == "__main__":
    main()
