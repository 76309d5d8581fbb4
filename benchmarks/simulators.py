"""Simulators side by side, in one run: steps a second, and ratios against a plain table-driven C loop.

pip install automata-lib numba     # peers, optional
python benchmarks/simulators.py [--smoke]
"""

from __future__ import annotations

import argparse
import ctypes
import os
import random
import resource
import struct
import subprocess
import sys
import tempfile
import time
from array import array
from pathlib import Path

ROOT = Path(__file__).parent.parent
sys.path.insert(0, str(ROOT))

from benchmarks.timing import best_rate, ends_with, timed  # noqa: E402
from compiler.simulation.native.agents import OBSERVING, UNOBSERVED, agent_of  # noqa: E402
from compiler.simulation.native.engine import NativeWorld  # noqa: E402
from compiler.simulation.simulate import run  # noqa: E402
from compiler.tensors.dfst import dfst_to_bytes, table_to_dfst  # noqa: E402
from gridlang.loading import load  # noqa: E402
from gridlang.table import DELTAS, MOVES, Entry, Table  # noqa: E402
from gridlang.world import World, string_world  # noqa: E402

SECONDS = 0.3  # for each measurement, at least
PLAIN = """
#include <stdint.h>
typedef struct { int8_t write, dx, dy, idle; int32_t next; } entry;
/* One table look-up a step on a square grid, with bounds checks; returns the steps done. */
int64_t plain(const entry *table, int k, uint8_t *grid, int64_t size, int64_t x, int64_t y, int64_t limit) {
  int32_t q = 0; /* the state times k */
  for (int64_t n = 0; n < limit; n++) {
    if ((uint64_t)x >= (uint64_t)size || (uint64_t)y >= (uint64_t)size) return -1;
    uint8_t *cell = grid + y * size + x;
    entry e = table[q + *cell];
    if (e.next < 0) return n;
    *cell = (uint8_t)e.write;
    if (e.idle) return n + 1;
    q = e.next;
    x += e.dx;
    y += e.dy;
  }
  (void)k;
  return limit;
}
"""


def packed(table: Table) -> bytes:
    """The entries of a table as the plain loop reads them."""
    k = len(table.symbols)
    data = b""
    for row in table.rows:
        for symbol, entry in enumerate(row):
            if entry is None:
                data += struct.pack("<bbbbi", 0, 0, 0, 0, -1)
            else:
                idle = entry.is_idle(symbol)
                data += struct.pack("<bbbbi", entry.write, *DELTAS[entry.move], idle, entry.next * k)
    return data


def flat(table: Table) -> array[int]:
    """(write, move, next) of all pairs; -1 where undefined."""
    numbers = array("i")
    for row in table.rows:
        for entry in row:
            numbers.extend(entry if entry else (-1, 0, 0))
    return numbers


def plain_c(table: Table, world: World, steps: int, size: int) -> float:
    with tempfile.TemporaryDirectory() as folder:
        source, library = Path(folder) / "plain.c", Path(folder) / "plain.so"
        source.write_text(PLAIN, encoding="utf-8")
        subprocess.run(["cc", "-O2", "-fPIC", "-shared", "-o", str(library), str(source)], check=True)
        function = ctypes.CDLL(str(library)).plain
    function.restype = ctypes.c_int64
    number = ctypes.c_int64
    function.argtypes = [ctypes.c_char_p, ctypes.c_int, ctypes.c_void_p, number, number, number, number]
    entries = packed(table)
    place = {symbol: i for i, symbol in enumerate(table.symbols)}

    def piece() -> tuple[int, float]:
        grid = bytearray(size * size)
        for (x, y), symbol in world.cells.items():
            grid[(y + size // 2) * size + x + size // 2] = place[symbol]
        buffer = (ctypes.c_char * len(grid)).from_buffer(grid)
        at, k, address = size // 2, len(table.symbols), ctypes.addressof(buffer)
        done, taken = timed(lambda: function(entries, k, address, size, at, at, steps))
        assert done > 0
        return done, taken

    return best_rate(piece, SECONDS)


def native(table: Table, world: World, steps: int) -> float:
    agent_of(table, UNOBSERVED).compile()

    def piece() -> tuple[int, float]:
        with NativeWorld(table, world) as machine:
            _, taken = timed(lambda: machine.go(steps))
            return machine.where()[0], taken

    return best_rate(piece, SECONDS)


def automata_lib(table: Table, steps: int) -> float | None:
    """automata-lib's deterministic Turing machine, on the agents that stay on one row."""
    try:
        from automata.tm.dtm import DTM
    except ImportError:
        return None
    names = {i: f"q{i}" for i in range(len(table.states))}
    transitions: dict[str, dict[str, tuple[str, str, str]]] = {name: {} for name in names.values()}
    for state, symbol, entry in table.entries():
        after = "end" if table.is_halt(state, symbol) else names[entry.next]
        move = {2: "L", 3: "R"}.get(entry.move, "N")
        transitions[names[state]][table.symbols[symbol]] = (after, table.symbols[entry.write], move)
    machine = DTM(
        states={*names.values(), "end"},
        input_symbols=set(table.symbols[1:]),
        tape_symbols=set(table.symbols),
        transitions=transitions,
        initial_state="q0",
        blank_symbol="_",
        final_states={"end"},
    )
    start = time.perf_counter()
    done = 0
    for done, _ in enumerate(machine.read_input_stepwise("9876543210" * 20), 1):
        if done >= steps:
            break
    return done / (time.perf_counter() - start)


def numba_loop(table: Table, world: World, steps: int, size: int) -> float | None:
    try:
        import numba
        import numpy as np
    except ImportError:
        return None

    def loop(numbers, k, grid, x, y, limit):  # type: ignore[no-untyped-def]
        q = 0
        for n in range(limit):
            c = grid[y, x]
            at = 3 * (q * k + c)
            write, move, q = numbers[at], numbers[at + 1], numbers[at + 2]
            grid[y, x] = write
            if move == 0:
                y -= 1
            elif move == 1:
                y += 1
            elif move == 2:
                x -= 1
            elif move == 3:
                x += 1
            if write == c and move == 4:
                return n + 1
        return limit

    fast = numba.njit(loop)
    numbers = np.array(flat(table), np.int32)
    place = {symbol: i for i, symbol in enumerate(table.symbols)}

    def once() -> int:
        grid = np.zeros((size, size), np.uint8)
        for (x, y), symbol in world.cells.items():
            grid[y + size // 2, x + size // 2] = place[symbol]
        return int(fast(numbers, len(table.symbols), grid, size // 2, size // 2, steps))

    once()
    return best_rate(lambda: timed(once), SECONDS)


def digits(count: int, seed: int) -> str:
    rng = random.Random(seed)
    return "".join(rng.choice("0123456789") for _ in range(count))


def line(name: str, rate: float | None, peer: float, goal: str = "") -> None:
    if rate is None:
        print(f"  {name:<34} not installed")
    else:
        print(f"  {name:<34}{rate / 1e6:>10,.2f} M steps/s   {rate / peer:8.3f} x plain C  {goal}")


def compare(name: str, world: World, steps: int, size: int, goal: str) -> None:
    table = load(ROOT / "examples" / f"{name}.grid").table
    peer = plain_c(table, world, steps, size)
    print(f"{name}: {len(table.states)} states")
    line("plain C, table-driven, bounds checked", peer, peer)
    line("gridlang native", native(table, world, steps), peer, goal)
    line("numba, table-driven", numba_loop(table, world, steps, size), peer)
    line(
        "gridlang reference",
        best_rate(lambda: timed(lambda: run(table, world, 200_000).steps), SECONDS),
        peer,
    )


def tracing(length: int) -> None:
    table = load(ROOT / "examples" / "add10.grid").table
    world = string_world(digits(length, 3) + "+" + digits(length, 4))
    peer = plain_c(table, world, 10**9, 4096)
    agent_of(table, OBSERVING).compile()

    def piece() -> tuple[int, float]:
        with NativeWorld(table, world, flags=OBSERVING) as machine:
            buffers = [array("h", bytes(2 * 600_000)) for _ in range(3)]
            machine.library.grid_observe(machine.handle, *(b.buffer_info()[0] for b in buffers), None)
            _, taken = timed(lambda: machine.go(600_000))
            return machine.where()[0], taken

    print(f"tracing add10 at {length} digits, one core")
    rate = best_rate(piece, SECONDS)
    line("gridlang traces (x, s, m)", rate, peer, "(goal: 100 M/s, or half of plain C)")


def children() -> float:
    """Seconds of CPU time of the processes that ended."""
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


def commands(repeat: int) -> None:
    """Whole commands, in CPU time: the first native run, compiler included, and the ones after it."""
    file = str(ROOT / "examples" / "mult10.grid")
    with tempfile.TemporaryDirectory() as cache:
        environment = {**os.environ, "GRIDLANG_CACHE": cache}

        def seconds(*arguments: str) -> float:
            start = children()
            subprocess.run(
                [sys.executable, "-m", "gridlang", *arguments],
                env=environment,
                cwd=ROOT,
                check=True,
                capture_output=True,
            )
            return children() - start

        seconds("check", file)
        first = seconds("run", file, "12*34", "--engine", "native")
        check = min(seconds("check", file) for _ in range(repeat))
        again = min(seconds("run", file, "12*34", "--engine", "native") for _ in range(repeat))
        other = seconds("run", str(ROOT / "examples" / "add10.grid"), "12+34", "--engine", "native")
    print("whole commands, CPU time")
    for name, taken, goal in (
        ("check mult10", check, ""),
        ("first native run of all, compiler included", first, "check + 300"),
        ("first native run of another agent", other, "check + 300"),
        ("next native run", again, "check + 60"),
    ):
        print(f"  {name:<44} {taken * 1e3:6.0f} ms   {goal and f'(goal: {goal})'}")
    table = load(file).table
    start = time.perf_counter()
    dfst_to_bytes(table_to_dfst(table))
    taken = (time.perf_counter() - start) * 1e3
    print(f"  {'exact tensors of mult10':<44} {taken:6.1f} ms   (goal: under 50)")


def unrelated(states: int) -> Table:
    """An agent without families, walks or loops, on two symbols more than a decimal one."""
    rng = random.Random(states)
    rows = tuple(
        tuple(Entry(rng.randrange(12), rng.randrange(4), rng.randrange(states)) for _ in range(12))
        for _ in range(states)
    )
    return Table("unrelated", tuple("_0123456789+"), tuple(f"q{i}" for i in range(states)), rows)


def growth(most: int) -> None:
    """What is done before the first step of an agent: near-linear, as no compiler is waited for."""
    print("before the first step of an agent of unrelated states")
    for states in (size for size in (100, 1_000, 10_000) if size <= most):
        table = unrelated(states)
        start = time.process_time()
        with NativeWorld(table, World({})) as machine:
            machine.go(1)
        taken = (time.process_time() - start) * 1e3
        print(f"  {states:>6,} states {taken:9.1f} ms   {taken / states * 1e3:6.0f} us a state")


def champion() -> None:
    """The busy beaver of five states, which halts after 47,176,870 steps, one more with the halt."""
    rules = ((1, "R", 1), (1, "L", 2), (1, "R", 2), (1, "R", 1), (1, "R", 3), (0, "L", 4), (1, "L", 0))
    rules += ((1, "L", 3), (1, "R", 5), (0, "L", 0), (0, "S", 5), (1, "S", 5))
    entries = [Entry(write, MOVES.index(move), after) for write, move, after in rules]
    rows = tuple((entries[i], entries[i + 1]) for i in range(0, len(entries), 2))
    table = Table("champion", ("_", "1"), tuple("abcdeh"), rows)
    peer = plain_c(table, World({}), 10**9, 32_768)
    print("BB(5), to its halt after 47,176,871 steps")
    line("plain C, table-driven, bounds checked", peer, peer)
    rate = native(table, World({}), 10**9)
    line("gridlang native", rate, peer, f"{47_176_871 / rate * 1e3:.1f} ms (goal: under 100)")


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--smoke", action="store_true", help="short inputs: that it runs, not how fast")
    smoke: bool = parser.parse_args().smoke
    print(f"{os.uname().machine}, {os.cpu_count()} cores, CPython {sys.version.split()[0]}\n")
    add, mult = (30, 12) if smoke else (2450, 180)
    size = 512 if smoke else 16384
    compare("add10", string_world(digits(add, 1) + "+" + digits(add, 2)), 10**9, size, "(goal: 5)")
    compare("mult10", string_world(digits(mult, 1) + "*" + digits(mult, 2)), 10**9, 1024, "(goal: 6)")
    compare("ant", World({}), 2_000 if smoke else 200_000, min(size, 8192), "(goal: 6)")
    print("sort at 200 digits, on one row")
    table = load(ROOT / "examples" / "sort.grid").table
    world = string_world("9876543210" * 20)
    peer = plain_c(table, world, 10**9, 1024)
    line("gridlang native", native(table, world, 10**9), peer)
    line("automata-lib Turing machine", automata_lib(table, 5_000), peer)
    tracing(30 if smoke else 500)
    if not smoke:
        champion()
    growth(1_000 if smoke else 10_000)
    commands(1 if smoke else 7)
    print(f"\n(a step is one look-up, write and move; {len(DELTAS)} moves; best of several runs)")


if __name__ == "__main__":
    ends_with(main)
