"""CPU time to compare tables and prove examples: benchmarks/equivalence.py [EXAMPLE...] [--states N].

Beside AALpy's `bisimilar` on the same pair, where that is installed (`pip install aalpy`).
"""

from __future__ import annotations

import argparse
import statistics
import sys
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from random import Random

ROOT = Path(__file__).parent.parent
sys.path.insert(0, str(ROOT))

import gridlang as gl  # noqa: E402
from benchmarks.timing import ends_with  # noqa: E402
from gridlang.compiler.proofs.certificates import Subject, certificate  # noqa: E402
from gridlang.compiler.proofs.prove import prove  # noqa: E402
from gridlang.compiler.verifier.verify import verify  # noqa: E402
from gridlang.loading import load  # noqa: E402
from gridlang.table import MOVES, STAY, Entry, Table  # noqa: E402

SYMBOLS = "_0123456789"


def random_table(states: int, seed: int) -> Table:
    """Every pair defined, no step idle, every state reached."""
    random = Random(seed)

    def entry(state: int, symbol: int) -> Entry:
        after = (state + 1) % states if symbol == 0 else random.randrange(states)
        return Entry(random.randrange(len(SYMBOLS)), random.randrange(STAY), after)

    rows = tuple(tuple(entry(q, x) for x in range(len(SYMBOLS))) for q in range(states))
    return Table("random", tuple(SYMBOLS), tuple(f"q{q}" for q in range(states)), rows)


def shuffled(table: Table, seed: int) -> Table:
    """The same agent with its states in another order."""
    order = [0, *Random(seed).sample(range(1, len(table.states)), len(table.states) - 1)]
    place = {q: index for index, q in enumerate(order)}
    rows = tuple(tuple(e and e._replace(next=place[e.next]) for e in table.rows[q]) for q in order)
    return Table("shuffled", table.symbols, table.states, rows)


def seconds(work: Callable[[], object]) -> float:
    """CPU time: others on the machine do not count."""
    begun = time.thread_time()
    work()
    return time.thread_time() - begun


def mealy(table: Table) -> object:
    """The table as AALpy's machine."""
    from aalpy.automata import MealyMachine, MealyState

    states = [MealyState(name) for name in table.states]
    for q, x, entry in table.entries():
        states[q].transitions[table.symbols[x]] = states[entry.next]
        states[q].output_fun[table.symbols[x]] = table.symbols[entry.write] + MOVES[entry.move]
    return MealyMachine(states[0], states)


def against_aalpy(states: int, rounds: int = 9) -> None:
    """Both in turn, on tables that were read anew in each round and never compared."""
    left = random_table(states, 1)
    texts = left.to_json(), shuffled(left, 2).to_json()
    try:
        from aalpy.utils import bisimilar
    except ImportError:
        bisimilar = None
    taken: dict[str, list[float]] = {"table": [], "worlds": [], "AALpy": []}
    for _ in range(rounds):
        for scope in ("table", "worlds"):
            pair = [gl.loads(text) for text in texts]
            taken[scope].append(seconds(lambda: gl.equiv(*pair, scope=scope)))  # noqa: B023
        if bisimilar is not None:
            machines = [mealy(program.table) for program in pair]
            taken["AALpy"].append(seconds(lambda: bisimilar(*machines)))  # noqa: B023
    middle = {name: statistics.median(times) * 1e3 for name, times in taken.items() if times}
    print(
        f"{states} states, {left.transitions:,} rules",
        *(f"{name} {ms:.2f} ms" for name, ms in middle.items()),
        sep="   ",
    )
    for scope in ("table", "worlds") if "AALpy" in middle else ():
        print(f"  gl.equiv at scope {scope}: {middle['AALpy'] / middle[scope]:.0f} x AALpy (goal: 20)")


def examples(radius: int, names: list[str]) -> None:
    """Each example against itself on all worlds, with the check of its certificate."""
    print(f"\nat scope worlds, radius {radius}{'product states':>17}{'proof':>12}{'verify':>12}")
    every = sorted(path.stem for path in (ROOT / "examples").glob("*.grid"))
    for path in (ROOT / "examples" / f"{name}.grid" for name in names or every):
        if not names and "\nlibrary " in path.read_text(encoding="utf-8"):
            continue
        table = load(path).table
        begun = time.thread_time()
        verdict = prove(table, table, "worlds", radius=radius)
        taken = time.thread_time() - begun
        assert verdict.equivalent
        side = Subject(table, path.name, path.read_bytes())
        text = certificate(side, side, verdict)
        checking = seconds(partial(verify, text))
        print(f"{path.stem:<26}{verdict.product_states:>16,}{taken * 1e3:>9.1f} ms{checking * 1e3:>9.1f} ms")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("examples", nargs="*", metavar="EXAMPLE", help="to be proven; all unless given")
    parser.add_argument("--states", type=int, default=1_000)
    parser.add_argument("--radius", type=int, default=1)
    options = parser.parse_args()
    for states in (100, options.states, 10 * options.states):
        against_aalpy(states)
    examples(options.radius, options.examples)


if __name__ == "__main__":
    ends_with(main)
