"""How time grows with the number of states: checking, lowering, tables as JSON, minimising, comparing.

python benchmarks/growth.py [--sizes 1000 3000 10000] [--only WORD]

The last column is the exponent from the first to the last size: 1 is linear, 2 quadratic. What is not near 1
has its reason beside it.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Callable
from dataclasses import replace
from math import log
from pathlib import Path
from random import Random
from typing import NamedTuple

ROOT = Path(__file__).parent.parent
sys.path.insert(0, str(ROOT))

from benchmarks.equivalence import random_table, shuffled  # noqa: E402
from benchmarks.timing import ends_with  # noqa: E402
from compiler.automata.minimize import minimize_table  # noqa: E402
from compiler.proofs.prove import prove  # noqa: E402
from gridlang.loading import loads  # noqa: E402
from gridlang.table import Table, canonical  # noqa: E402
from gridlang.table_json import table_from_json, table_to_json  # noqa: E402

SMALLEST = 1e-3  # seconds; less is the clock's noise, and has no exponent


def plain_states(states: int) -> str:
    """States that are declared one by one, with six rules each."""
    random = Random(1)
    lines = ["agent generated", "alphabet", "  digit = 0..9", "start s0"]
    for state in range(states):
        after = [(state + 1) % states, *(random.randrange(states) for _ in range(5))]
        lines.append(f"state s{state}")
        lines += [f"  {x} : write {(x + state) % 10}, {'LR'[x % 2]} -> s{after[x]}" for x in range(4)]
        lines += [f"  d in 4..9 : write d, U -> s{after[4]}", f"  _ : D -> s{after[5]}"]
    return "\n".join(lines) + "\n"


def family(states: int) -> str:
    """One family, whose next state is computed from the symbol."""
    return f"""agent generated
alphabet
  digit = 0..9
start s(0)
state s(n in 0..{states - 1})
  d in digit : write (d+n) mod 10, R -> s((n*7 + d + 1) mod {states})
  _ : L -> s((n+1) mod {states})
"""


def wide_family(states: int) -> str:
    """One family over an alphabet of eighty symbols."""
    text = family(states).replace("0..9", f"'{chr(0x4E00)}'..'{chr(0x4E00 + 78)}'", 1)
    return text.replace("d in digit : write (d+n) mod 10", "digit : write digit(n mod 79)").replace(
        " + d", ""
    )


def templates(states: int) -> str:
    """As many templates as states, each passed on to the next."""
    lines = ["agent generated", "alphabet", "  digit = 0..9", "start s0(last)"]
    for state in range(states - 1):
        lines += [f"state s{state}(next: state)", f"  digit : R -> s{(state + 1) % (states - 1)}(next)"]
        lines += ["  _ : L -> next"]
    return "\n".join([*lines, "state last", "  any : halt"]) + "\n"


def twice(table: Table) -> Table:
    """An agent with every state two times over, that leads now to the one, now to the other."""
    n = len(table.states)
    rows = tuple(
        tuple(e and e._replace(next=e.next + n * ((q + x) % 2)) for x, e in enumerate(row))
        for q, row in enumerate(table.rows)
    )
    names = tuple(f"q{state}" for state in range(2 * n))
    return canonical(Table("twice", table.symbols, names, rows * 2))


def with_gaps(table: Table) -> Table:
    """The table with a tenth of its pairs unknown."""
    random = Random(3)
    rows = (
        tuple(e if x == 0 or random.random() > 0.1 else None for x, e in enumerate(r)) for r in table.rows
    )
    return replace(table, rows=tuple(rows))


def _lowered(write: Callable[[int], str]) -> Callable[[int], Callable[[], object]]:
    def prepared(states: int) -> Callable[[], object]:
        text = write(states)
        return lambda: loads(text)

    return prepared


def _read_json(states: int) -> Callable[[], object]:
    text = table_to_json(random_table(states, 1))
    return lambda: table_from_json(text)


def _minimised(make: Callable[[int], Table]) -> Callable[[int], Callable[[], object]]:
    def prepared(states: int) -> Callable[[], object]:
        table = make(states)
        return lambda: minimize_table(table)

    return prepared


def _proven(scope: str) -> Callable[[int], Callable[[], object]]:
    def prepared(states: int) -> Callable[[], object]:
        left = random_table(states, 1)
        right = shuffled(left, 2)
        return lambda: (
            prove(left, right, scope).equivalent or sys.exit("they are the same, but that is not shown")
        )

    return prepared


class Work(NamedTuple):
    """What is timed; `prepared` makes the work for a number of states, and `reason` tells of its growth."""

    name: str
    prepared: Callable[[int], Callable[[], object]]
    reason: str = ""


WORKS = (
    Work("check and lower, plain states", _lowered(plain_states)),
    Work("check and lower, a family", _lowered(family)),
    Work("check and lower, 80 symbols", _lowered(wide_family)),
    Work("check and lower, templates", _lowered(templates)),
    Work("a table from JSON", _read_json),
    Work("minimise, every pair known", _minimised(lambda n: twice(random_table(n // 2, 4)))),
    Work(
        "minimise, pairs unknown",
        _minimised(lambda n: with_gaps(random_table(n, 5))),
        "each pair of states is compared, a bit a pair: agreeing where both are known is no equivalence",
    ),
    Work("equiv --scope table", _proven("table")),
    Work("equiv --scope worlds", _proven("worlds")),
)


def seconds(work: Callable[[], object]) -> float:
    """Of this process, so that other ones do not count."""
    begun = time.process_time()
    work()
    return time.process_time() - begun


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--sizes", type=int, nargs="+", default=[1_000, 3_000, 10_000], metavar="STATES")
    parser.add_argument("--only", default="", metavar="WORD", help="what has this word in its name")
    options = parser.parse_args()
    sizes = sorted(options.sizes)
    print(f"{'seconds of':<32}" + "".join(f"{size:>10,}" for size in sizes) + "  exponent")
    for name, prepared, reason in WORKS:
        if options.only not in name:
            continue
        times = [seconds(prepared(size)) for size in sizes]
        measured = len(sizes) > 1 and times[0] > SMALLEST
        exponent = f"{log(times[-1] / times[0], sizes[-1] / sizes[0]):10.2f}" if measured else f"{'-':>10}"
        print(f"{name:<32}" + "".join(f"{taken:>10.2f}" for taken in times) + exponent, flush=True)
        if reason:
            print(f"    {reason}")


if __name__ == "__main__":
    ends_with(main)
