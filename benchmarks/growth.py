"""How time grows with size: of agents in states, of worlds in cells, of traces in steps.

python benchmarks/growth.py [--sizes 1000 10000 100000 1000000] [--only WORD]

The exponent is that of the line of least squares through the logarithms: 1 is linear, 2 quadratic. What is
not near 1 has its reason beside it. A table has at most 10,000 states; what `minimise` and `equiv` do in C
is also timed on graphs of more.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import replace
from math import log
from pathlib import Path
from random import Random
from statistics import linear_regression
from typing import NamedTuple

import numpy as np

ROOT = Path(__file__).parent.parent
sys.path.insert(0, str(ROOT))

from benchmarks.equivalence import random_table, shuffled  # noqa: E402
from benchmarks.timing import ends_with  # noqa: E402
from gridlang.compiler.automata.equivalence import equivalent_states, reached_together  # noqa: E402
from gridlang.compiler.automata.merging import MealyGraph, graph_to_rows, minimize_table  # noqa: E402
from gridlang.compiler.proofs.prove import prove  # noqa: E402
from gridlang.compiler.simulation.native.engine import run_native  # noqa: E402
from gridlang.compiler.simulation.worlds.files import read_world, write_world  # noqa: E402
from gridlang.compiler.traces.dataset import traces_from_bytes, traces_to_bytes  # noqa: E402
from gridlang.learners.traces.recording import record  # noqa: E402
from gridlang.loading import loads  # noqa: E402
from gridlang.table import Table, canonical, flattened  # noqa: E402
from gridlang.table_json import table_from_json, table_to_json  # noqa: E402
from gridlang.world import World, string_world  # noqa: E402

SMALLEST = 2e-2  # seconds; less is the clock's noise, and has no exponent
INVERT = """agent invert
alphabet
  digit = 0..9
input digit+
start go
state go
  d in digit : write 9-d, R
  _ : halt
"""


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


def _graph(states: int) -> tuple[np.ndarray, ...]:
    """Writes, moves and next states of a graph over four symbols in which every state stands twice."""
    random, half = np.random.default_rng(8), states // 2
    write, move = (random.integers(0, 2, (half, 4), np.int32) for _ in range(2))
    after = np.tile(random.integers(0, half, (half, 4), np.int32), (2, 1))
    after += half * random.integers(0, 2, after.shape, np.int32)
    return np.tile(write, (2, 1)), np.tile(move, (2, 1)), after


def _refined(states: int) -> Callable[[], object]:
    graph = _graph(states)
    return lambda: len(set(equivalent_states(*graph))) <= states // 2 or sys.exit("twins are kept apart")


def _compared(states: int) -> Callable[[], object]:
    write, move, after = _graph(states)
    order = np.concatenate(([0], 1 + np.random.default_rng(9).permutation(states - 1)))
    place = np.argsort(order).astype(np.int32)
    left = graph_to_rows(MealyGraph(write, move, after))
    right = graph_to_rows(MealyGraph(write[order], move[order], place[after[order]]))
    return lambda: (
        reached_together(flattened(left), flattened(right), 4).reads is None
        or sys.exit("they are the same, but that is not shown")
    )


def _run_of_states(states: int) -> Callable[[], object]:
    table = random_table(states, 1)
    return lambda: run_native(table, World({}), 1_000_000)


def _digits(count: int) -> str:
    return "".join(Random(6).choices("0123456789", k=count))


def _run_on_cells(cells: int) -> Callable[[], object]:
    table, text = loads(INVERT).table, _digits(cells)
    return lambda: run_native(table, string_world(text), 2 * cells)


def _world_file(cells: int) -> Callable[[], object]:
    symbols, folder = ("_", *"0123456789"), tempfile.TemporaryDirectory()
    side = int(cells**0.5)
    lines = (_digits(side) for _ in range(side))
    world = World({(x, y): symbol for y, line in enumerate(lines) for x, symbol in enumerate(line)})
    path = str(Path(folder.name) / "world.txt")

    def written_and_read() -> None:
        with folder:
            write_world(path, world, symbols)
            read_world(path, symbols)

    return written_and_read


def _traces(steps: int) -> Callable[[], object]:
    program = loads(INVERT)
    size = min(steps, 100)
    inputs = [_digits(size)] * (steps // size)
    return lambda: traces_from_bytes(traces_to_bytes(record(program, inputs, 1_000)))


class Work(NamedTuple):
    """What is timed; `prepared` makes the work for a size, and `reason` tells of its growth."""

    name: str
    prepared: Callable[[int], Callable[[], object]]
    most: int = 10_000  # size; a table has no more states
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
        reason="each two states are compared, a bit a pair: agreeing where both are known is no equivalence",
    ),
    Work(
        "refine a graph, by states",
        _refined,
        1_000_000,
        "edges times the logarithm of the states, at random places of memory: large ones outgrow caches",
    ),
    Work("compare two graphs, by states", _compared, 1_000_000),
    Work("equiv --scope table", _proven("table")),
    Work("equiv --scope worlds", _proven("worlds")),
    Work("a million steps, by states", _run_of_states),
    Work("a run, by cells", _run_on_cells, 1_000_000),
    Work("a world of cells, as a file", _world_file, 1_000_000),
    Work("traces, by steps", _traces, 1_000_000),
)


def seconds(work: Callable[[], object]) -> float:
    """Of this process, so that other ones do not count."""
    begun = time.process_time()
    work()
    return time.process_time() - begun


def exponent(sizes: list[int], times: list[float]) -> float | None:
    """By least squares, from what can be timed; None for fewer than two sizes."""
    points = [(log(size), log(taken)) for size, taken in zip(sizes, times, strict=False) if taken > SMALLEST]
    if len(points) < 2:
        return None
    xs, ys = zip(*points, strict=True)
    return linear_regression(xs, ys).slope


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    usual = [1_000, 10_000, 100_000, 1_000_000]
    parser.add_argument("--sizes", type=int, nargs="+", default=usual, metavar="N")
    parser.add_argument("--only", default="", metavar="WORD", help="what has this word in its name")
    options = parser.parse_args()
    sizes = sorted(options.sizes)
    print(f"{'seconds of':<32}" + "".join(f"{size:>10,}" for size in sizes) + "  exponent")
    for name, prepared, most, reason in WORKS:
        if options.only not in name:
            continue
        times = [seconds(prepared(size)) for size in sizes if size <= most]
        shown = [f"{taken:>10.3f}" for taken in times] + [f"{'':>10}"] * (len(sizes) - len(times))
        slope = exponent(sizes, times)
        print(f"{name:<32}" + "".join(shown) + (f"{slope:10.2f}" if slope else f"{'-':>10}"), flush=True)
        if reason:
            print(f"    {reason}")


if __name__ == "__main__":
    ends_with(main)
