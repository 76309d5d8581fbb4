"""The engine beside two simulators in C, in turn: benchmarks/simulators.py [--smoke] [--rounds N].

Both get a grid that is as large as the run needs, without bounds checks. Seconds are CPU time, ratios are
of medians.
"""

from __future__ import annotations

import argparse
import ctypes
import os
import struct
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from random import Random
from statistics import median
from typing import NamedTuple

ROOT = Path(__file__).parent.parent
sys.path.insert(0, str(ROOT))

from benchmarks.timing import ends_with, timed  # noqa: E402
from gridlang.compiler.simulation.native.engine import NativeWorld  # noqa: E402
from gridlang.compiler.simulation.simulate import run  # noqa: E402
from gridlang.loading import load  # noqa: E402
from gridlang.outcomes import Outcome  # noqa: E402
from gridlang.table import MOVES, Entry, Table  # noqa: E402
from gridlang.world import Box, World, string_world  # noqa: E402
from tests.support.random_agents import FAMILIES, drawn_world  # noqa: E402

PIECES = 5_000  # into which a run is cut to see how far its head goes
LARGEST = 100_000_000  # cells of a grid
DRAWS = 100  # of each family; most of them end, go in circles or walk off
MANY_LABELS = 600
LOOP = """
#include <stdint.h>
typedef struct { uint32_t next; int32_t offset; uint32_t write, end; } rule;
/* One look-up a step. Returns the steps done. */
int64_t go(const rule *rules, uint64_t symbols, uint8_t *p, int64_t wide, int64_t limit) {
  uint32_t q = 0; /* the state times the symbols */
  int64_t left = limit;
  (void)symbols; (void)wide;
  while (left > 0) {
    rule r = rules[q + *p];
    if (r.end) return limit - left + (r.end == 1);
    *p = (uint8_t)r.write;
    p += r.offset;
    q = r.next;
    left--;
  }
  return limit;
}
"""
GOTO = """
#include <stdint.h>
/* One label a pair of state and symbol. */
int64_t go(const void *none, uint64_t symbols, uint8_t *p, int64_t wide, int64_t limit) {
  static const void *const labels[] = {LABELS};
  int64_t left = limit;
  (void)none; (void)symbols;
  goto *labels[*p];
"""


class Job(NamedTuple):
    name: str
    table: Table
    world: World
    steps: int
    box: Box  # of all cells that the run comes to, and some around


def job_of(name: str, table: Table, world: World, steps: int) -> Job | None:
    """A run on a grid; None where that would be too large."""
    piece = steps // PIECES + 2
    box = (world.box or Box(0, 0, 0, 0)).around(world.start)
    with NativeWorld(table, world) as machine:
        while machine.where()[0] < steps:
            outcome = machine.go(min(piece, steps - machine.where()[0]))
            done, _, x, y = machine.where()
            box = box.around((x, y))
            if box.area > LARGEST:
                return None
            if outcome != Outcome.BUDGET:
                break
    flat = all(MOVES[entry.move] not in "UD" for _, _, entry in table.entries())
    margin = 1 if flat else piece
    grown = Box(box.left - piece, box.top - margin, box.right + piece, box.bottom + margin)
    return Job(name, table, world, done, grown) if grown.area <= LARGEST else None


def goto_source(table: Table) -> str:
    """The table as labels that jump to each other."""
    k, lines = len(table.symbols), []
    offsets = ("p -= wide;", "p += wide;", "p--;", "p++;", "")
    for state, row in enumerate(table.rows):
        for symbol, entry in enumerate(row):
            lines.append(f"L{state}_{symbol}:")
            if entry is None or entry.is_idle(symbol):
                lines.append(f"return limit - left + {int(entry is not None)};")
                continue
            lines += [f"*p = {entry.write};"] * (entry.write != symbol)
            lines.append(
                f"{offsets[entry.move]} if (--left == 0) return limit; goto *labels[{entry.next * k} + *p];"
            )
    names = ", ".join(f"&&L{state}_{symbol}" for state in range(len(table.rows)) for symbol in range(k))
    return GOTO.replace("LABELS", names) + "\n".join(lines) + "\n}\n"


def peer(source: str, job: Job, grid: bytearray) -> Callable[[], float]:
    """A run of a peer: its seconds."""
    with tempfile.TemporaryDirectory() as folder:
        text, library = Path(folder) / "peer.c", Path(folder) / "peer.so"
        text.write_text(source, encoding="utf-8")
        # A compiler takes minutes for thousands of labels that each jump to any other.
        level = "-O3" if source.count("goto *") < MANY_LABELS else "-O1"
        subprocess.run(["cc", level, "-fPIC", "-shared", "-o", str(library), str(text)], check=True)
        function = ctypes.CDLL(str(library)).go
    function.restype = ctypes.c_int64
    function.argtypes = [ctypes.c_char_p, ctypes.c_uint64, ctypes.c_void_p, ctypes.c_int64, ctypes.c_int64]
    box, k, rules = job.box, len(job.table.symbols), b""
    offsets = (-box.width, box.width, -1, 1, 0)
    for row in job.table.rows:
        for symbol, entry in enumerate(row):
            if entry is None:
                rules += struct.pack("=IiII", 0, 0, 0, 2)
            else:
                end = int(entry.is_idle(symbol))
                rules += struct.pack("=IiII", entry.next * k, offsets[entry.move], entry.write, end)
    place = {symbol: number for number, symbol in enumerate(job.table.symbols)}
    address = ctypes.addressof((ctypes.c_char * len(grid)).from_buffer(grid))

    def at(x: int, y: int) -> int:
        return (y - box.top) * box.width + x - box.left

    def run() -> float:
        ctypes.memset(address, 0, len(grid))
        for (x, y), symbol in job.world.cells.items():
            grid[at(x, y)] = place[symbol]
        start = address + at(*job.world.start)
        done, taken = timed(lambda: int(function(rules, k, start, box.width, job.steps)))
        assert done == job.steps, (job.name, done, job.steps)
        return taken

    return run


def native(job: Job) -> float:
    with NativeWorld(job.table, job.world) as machine:
        taken = timed(lambda: bool(machine.go(job.steps)))[1]
        assert machine.where()[0] == job.steps
    return taken


def compared(job: Job, rounds: int) -> tuple[float, float]:
    """How many times as fast as the loop, and as the better of both; printed, too."""
    grid = bytearray(job.box.area)
    runs = peer(LOOP, job, grid), peer(goto_source(job.table), job, grid), lambda: native(job)
    seconds = [
        median(times) for times in zip(*([once() for once in runs] for _ in range(rounds)), strict=True)
    ]
    loop, goto, ours = seconds
    ratios = loop / ours, min(loop, goto) / ours
    size = f"{len(job.table.states)} x {len(job.table.symbols)}"
    print(f"{job.name:<26}{size:>9}{job.steps:>13,} steps{ours * 1e3:>9.2f} ms", end="")
    print(
        f"{job.steps / ours / 1e6:>8,.0f} M/s{ratios[0]:>8.2f} x loop{ratios[1]:>8.2f} x better", flush=True
    )
    return ratios


def digits(length: int, seed: int, base: int = 10) -> str:
    random = Random(seed)
    return "".join(str(random.randrange(base)) for _ in range(length))


def known(smoke: bool) -> Iterator[Job | None]:
    """Agents of the examples, and the champion of five states."""
    many, few = (30, 8) if smoke else (2450, 180)
    texts = {
        "add10": digits(many, 1) + "+" + digits(many, 2),
        "subtract": "9" + digits(many // 2, 6) + "-" + digits(many // 2, 7),
        "palindrome": "abcacba" * (many // 12),
        "mult10": digits(few, 3) + "*" + digits(few, 4),
        "mult2": digits(few * 5 // 6, 9, 2) + "*" + digits(few * 5 // 6, 10, 2),
        "ant": "",
    }
    for name, text in texts.items():
        table = load(ROOT / "examples" / f"{name}.grid").table
        yield job_of(
            name, table, string_world(text), 20_000 if smoke else 300_000 if name == "ant" else 6_000_000
        )
    rules = ["1R1", "1L2", "1R2", "1R1", "1R3", "0L4", "1L0", "1L3", "1R5", "0L0", "0S5", "1S5"]
    entries = [Entry(int(rule[0]), MOVES.index(rule[1]), int(rule[2])) for rule in rules]
    rows = tuple((entries[i], entries[i + 1]) for i in range(0, len(entries), 2))
    champion = Table("champion", ("_", "1"), tuple("abcdeh"), rows)
    yield job_of("BB(5)", champion, World({}), 20_000 if smoke else 10**9)


def drawn(each: int, steps: int) -> Iterator[Job]:
    """Agents that nobody tuned for: of each family the first that go on, and not in circles."""
    for family, draw in FAMILIES.items():
        found = 0
        for number in range(DRAWS) if family != "many_symbols" else ():
            random = Random(f"benchmark {family} {number}")
            table = draw(random).table()
            world = drawn_world(random, table.symbols)
            with NativeWorld(table, world) as machine:
                goes_on = machine.go(steps) == Outcome.BUDGET
            if not goes_on or run(table, world, 5_000, detect_loops=True).outcome != Outcome.BUDGET:
                continue
            job = job_of(f"{family} {number}", table, world, steps)
            if job is not None:
                yield job
                found += 1
                if found == each:
                    break


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--smoke", action="store_true", help="short runs: that it works, not how fast")
    parser.add_argument("--rounds", type=int, default=9, help="of each simulator, in turn")
    options = parser.parse_args()
    smoke, rounds = options.smoke, 1 if options.smoke else options.rounds
    print(f"{os.uname().machine}, {os.cpu_count()} cores, load {os.getloadavg()[0]:.1f}\n")
    for job in known(smoke):
        if job is not None:
            compared(job, rounds)
    ratios = [compared(job, rounds) for job in drawn(1 if smoke else 3, 20_000 if smoke else 3_000_000)]
    better = sorted(ratio for _, ratio in ratios)
    print(
        f"{len(ratios)} agents that nobody tuned for: x the better peer {median(better):.2f} in the median",
        end="",
    )
    print(f", {better[0]:.2f} at least; x the loop {min(ratio for ratio, _ in ratios):.2f} at least")


if __name__ == "__main__":
    ends_with(main)
