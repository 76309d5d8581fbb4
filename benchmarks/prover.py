"""How much the prover decides, and how fast: a bank of pairs, some of them equal and some not.

    python benchmarks/prover.py                      all of the bank on inputs, and random pairs on worlds
    python benchmarks/prover.py --random 1000 --mutants 20 --seed 7

The bank: every example with an input clause against itself, minimised, and against the tables that were
learned (benchmarks/results), in both directions; each with a dead rule taken away; mutants of each; and
random pairs of small tables. Every proof is checked by `verify`; the prover itself replays every difference.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from random import Random
from statistics import median
from typing import NamedTuple

ROOT = Path(__file__).parent.parent
sys.path.insert(0, str(ROOT))

from benchmarks.timing import ends_with  # noqa: E402
from gridlang.compiler.automata.merging import minimize_table  # noqa: E402
from gridlang.compiler.proofs.certificates import Subject, certificate  # noqa: E402
from gridlang.compiler.proofs.prove import prove  # noqa: E402
from gridlang.compiler.proofs.reach import dead_pairs  # noqa: E402
from gridlang.compiler.verifier.verify import verify  # noqa: E402
from gridlang.loading import load  # noqa: E402
from gridlang.table import STAY, Entry, Table  # noqa: E402

EXAMPLES = (
    *("add2", "add10", "mult2", "mult10", "increment", "compare"),
    *("reverse", "palindrome", "sort", "brackets"),
)
CLAUSES = ("a = mark*", "a = mark+, _, b = any+", "a = (mark, any)*", "a = _*, mark", "a = any?, mark?")


class Pair(NamedTuple):
    """Two tables, and what kind of pair they are."""

    kind: str
    left: Table
    right: Table


def expert_pairs(random: Random, mutants: int, names: Sequence[str] = EXAMPLES) -> Iterator[Pair]:
    """Pairs of an example and what was made of it."""
    for name in names:
        expert = load(ROOT / "examples" / f"{name}.grid").table
        smaller = minimize_table(expert).table
        yield from (Pair("minimised", expert, smaller), Pair("minimised", smaller, expert))
        learned = ROOT / "benchmarks" / "results" / f"{name}.learned.grid"
        if learned.exists():
            table = load(learned).table
            yield from (Pair("learned", expert, table), Pair("learned", table, expert))
        for state, symbol in sorted(dead_pairs(expert, "inputs"))[:5]:
            yield Pair("dead rule", expert, changed(expert, state, symbol, None))
        entries = list(expert.entries())
        for state, symbol, _ in (random.choice(entries) for _ in range(mutants)):
            yield Pair(
                "mutant", expert, changed(expert, state, symbol, any_entry(expert, state, symbol, random))
            )


def changed(table: Table, state: int, symbol: int, entry: Entry | None) -> Table:
    rows = [list(row) for row in table.rows]
    rows[state][symbol] = entry
    parts = table.classes, table.input, table.output
    return Table(table.name, table.symbols, table.states, tuple(map(tuple, rows)), *parts)


def any_entry(table: Table, state: int, symbol: int, random: Random) -> Entry:
    write, move = random.randrange(len(table.symbols)), random.randrange(5)
    idle = (write, move) == (symbol, STAY)
    return Entry(write, move, state if idle else random.randrange(len(table.states)))


def random_pair(random: Random) -> Pair:
    """A small table, often one that stays in its row, and a mutant of it."""
    size, symbols = random.randint(2, 5), ("_", "x", "y")[: random.randint(2, 3)]
    moves = random.choice([(0, 1, 2, 3, STAY), (2, 3, 2, 3, STAY)])
    there = random.choice([0.8, 0.9, 1])
    rows: list[tuple[Entry | None, ...]] = []
    for state in range(size):
        row: list[Entry | None] = []
        for symbol in range(len(symbols)):
            write, move, after = random.randrange(len(symbols)), random.choice(moves), random.randrange(size)
            entry = Entry(write, move, state if (write, move) == (symbol, STAY) else after)
            row.append(entry if random.random() < there else None)
        rows.append(tuple(row))
    names = tuple(f"s{state}" for state in range(size))
    classes = (("mark", "".join(symbols[1:])),)
    left = right = Table("random", symbols, names, tuple(rows), classes, random.choice(CLAUSES))
    for _ in range(random.randint(1, 2)):
        state, symbol = random.randrange(size), random.randrange(len(symbols))
        entry = any_entry(left, state, symbol, random) if random.random() < 0.5 else None
        right = changed(right, state, symbol, entry)
    return Pair("random", left, right)


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    options.add_argument("--random", type=int, default=500, help="random pairs at each scope")
    options.add_argument("--mutants", type=int, default=10, help="mutants of each example")
    options.add_argument(
        "--examples", nargs="*", default=EXAMPLES, metavar="EXAMPLE", help="all unless given"
    )
    options.add_argument("--seed", type=int, default=0)
    chosen = options.parse_args()
    random = Random(chosen.seed)
    bank = [(pair, "inputs") for pair in expert_pairs(random, chosen.mutants, chosen.examples)]
    for _ in range(chosen.random):
        pair = random_pair(random)
        bank += [(pair, "inputs"), (pair, "worlds")]
    answers: dict[tuple[str, str], list[tuple[str, float]]] = {}
    for pair, scope in bank:
        begun = time.perf_counter()
        verdict = prove(pair.left, pair.right, scope)
        seconds = time.perf_counter() - begun
        word = {True: "proven", False: "different", None: "unknown"}[verdict.equivalent]
        if verdict.equivalent:
            sides = Subject(pair.left, "left", b""), Subject(pair.right, "right", b"")
            checked = verify(certificate(*sides, verdict))
            assert checked.valid, checked
        answers.setdefault((pair.kind, scope), []).append((word, seconds))
    print(f"{'pairs':<10} {'scope':<7} {'proven':>7} {'different':>10} {'unknown':>8}  median s   most s")
    for (kind, scope), results in answers.items():
        count = {word: sum(w == word for w, _ in results) for word in ("proven", "different", "unknown")}
        times = [seconds for _, seconds in results]
        print(
            f"{kind:<10} {scope:<7} {count['proven']:>7} {count['different']:>10} {count['unknown']:>8}"
            f"  {median(times):8.3f} {max(times):8.2f}",
            flush=True,
        )


if __name__ == "__main__":
    ends_with(main)
