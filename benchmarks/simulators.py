"""The native engine beside two simulators in C, in turn within one run: benchmarks/simulators.py [--smoke].

Seconds are CPU time. The first three agents are those of the paper and the ant; for the others nobody tuned.
"""

from __future__ import annotations

import argparse
import os
import resource
import subprocess
import sys
import tempfile
import time
from array import array
from collections.abc import Callable
from pathlib import Path
from random import Random
from statistics import median

ROOT = Path(__file__).parent.parent
sys.path.insert(0, str(ROOT))

from benchmarks.simulator_peers import PLAIN, LeftTheGrid, goto_source, peer  # noqa: E402
from benchmarks.timing import best_rate, ends_with, timed  # noqa: E402
from gridlang.compiler.simulation.native.agents import OBSERVING, UNOBSERVED, agent_of  # noqa: E402
from gridlang.compiler.simulation.native.engine import NativeWorld  # noqa: E402
from gridlang.compiler.simulation.simulate import run  # noqa: E402
from gridlang.compiler.tensors.dfst import dfst_to_bytes, table_to_dfst  # noqa: E402
from gridlang.loading import load  # noqa: E402
from gridlang.table import MOVES, Entry, Table  # noqa: E402
from gridlang.world import World, string_world  # noqa: E402

SECONDS = 0.3  # for each measurement, at least
ROUNDS = 15  # of each engine, in turn


def native(table: Table, world: World, steps: int) -> Callable[[], float]:
    """A run of the engine, with its code compiled: its seconds."""
    agent_of(table, UNOBSERVED).compile()

    def run() -> float:
        with NativeWorld(table, world) as machine:
            return timed(lambda: bool(machine.go(steps)))[1]

    return run


def digits(count: int, seed: int) -> str:
    rng = Random(seed)
    return "".join(rng.choice("0123456789") for _ in range(count))


def measured(
    table: Table, world: World, steps: int, wide: int, high: int, rounds: int = ROUNDS
) -> dict[str, list[float]]:
    """Seconds of both peers and of the engine, all in turn, many times."""
    runs = {
        "C loop over the table": peer(PLAIN, table, world, steps, wide, high),
        "computed goto": peer(goto_source(table), table, world, steps, wide, high),
        "gridlang native": native(table, world, steps),
    }
    seconds: dict[str, list[float]] = {each: [] for each in runs}
    for _ in range(rounds):
        for each, once in runs.items():
            seconds[each].append(once())
    return seconds


def compare(
    name: str, table: Table, world: World, steps: int, wide: int, high: int, *, slow: bool = False
) -> None:
    """Ratios are of minima and of medians, against the better of the two peers."""
    seconds = measured(table, world, steps, wide, high)
    with NativeWorld(table, world) as machine:
        machine.go(steps)
        done = machine.where()[0]
    *peers, ours = seconds.values()
    print(f"{name}: {len(table.states)} states, {done:,} steps")
    for each, taken in seconds.items():
        print(f"  {each:<24}{min(taken) * 1e3:9.2f} ms at best, {median(taken) * 1e3:9.2f} in the median")
    loop = " ".join(f"{of(peers[0]) / of(ours):.1f}" for of in (min, median))
    better = " ".join(f"{min(of(each) for each in peers) / of(ours):.2f}" for of in (min, median))
    print(f"  {done / min(ours) / 1e6:,.0f} M steps/s; at best and in the median ", end="")
    print(f"{loop} x the C loop, {better} x the better peer", flush=True)
    if slow:
        rate = best_rate(lambda: timed(lambda: run(table, world, 200_000).steps), SECONDS)
        print(f"  {'reference':<24}{rate / 1e6:9.2f} M steps/s")


def tracing(length: int) -> None:
    table = load(ROOT / "examples" / "add10.grid").table
    world = string_world(digits(length, 3) + "+" + digits(length, 4))
    agent_of(table, OBSERVING).compile()

    def piece() -> tuple[int, float]:
        with NativeWorld(table, world, flags=OBSERVING) as machine:
            buffers = [array("h", bytes(2 * 600_000)) for _ in range(3)]
            machine.library.grid_observe(machine.handle, *(b.buffer_info()[0] for b in buffers), None)
            _, taken = timed(lambda: machine.go(600_000))
            return machine.where()[0], taken

    print(f"tracing add10 at {length} digits, one core")
    print(f"  {best_rate(piece, SECONDS) / 1e6:,.0f} M steps/s (goal: 100)")


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


def unrelated(states: int, seed: int = 1) -> Table:
    """An agent without families, walks or loops, on two symbols more than a decimal one."""
    rng = Random(seed)
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
    compare("BB(5), to its halt", table, World({}), 10**9, 32_768, 4)


def unknown_agents(smoke: bool) -> None:
    """Agents that nobody tuned for."""
    steps, size = (2_000, 512) if smoke else (3_000_000, 2048)
    for word in ("RLR",) if smoke else ("RLR", "LRRL"):
        ant = load(ROOT / "examples" / "ant.grid", {"rule": word}).table
        compare(f"ant {word}", ant, World({}), steps, size, size)
    maze = load(ROOT / "benchmarks" / "agents" / "maze.grid").table
    compare("maze, a cave of 300 x 300", maze, cave(300), steps, 1024, 1024)
    sort = load(ROOT / "examples" / "suite" / "bucket_sort.grid").table
    row = "".join(Random(5).choices("01234", k=30 if smoke else 1_000))
    compare("bucket_sort", sort, string_world(row), 10**9, 4096, 16)
    agent = unrelated(100, seed=32)  # most others soon leave for ever
    if not smoke:  # a compiler takes long for the peer
        compare("100 unrelated states", agent, filled(300), 50_000, 1024, 1024)


def turmite(seed: int) -> Table:
    """One to three states and two to five colours; it turns, writes and changes its state by chance."""
    rng = Random(seed)
    states, colours = rng.choice((1, 2, 2, 3)), rng.choice((2, 3, 4, 5))
    ways = "URDL"  # a quarter turn each
    rules = [
        [(rng.randrange(colours), rng.randrange(4), rng.randrange(states)) for _ in range(colours)]
        for _ in range(states)
    ]
    rows = tuple(
        tuple(
            Entry(write, MOVES.index(ways[(way + turn) % 4]), after * 4 + (way + turn) % 4)
            for write, turn, after in rules[state]
        )
        for state in range(states)
        for way in range(4)
    )
    return Table("turmite", tuple("_abcd")[:colours], tuple(f"q{i}" for i in range(4 * states)), rows)


def turmites(count: int, smoke: bool) -> None:
    """Random agents, as far as they stay on the grid of the peers."""
    ratios = []
    for seed in range(count):
        try:
            size = 512 if smoke else 4096
            *peers, ours = measured(
                turmite(seed), World({}), 2_000 if smoke else 3_000_000, size, size, 5
            ).values()
        except LeftTheGrid:
            continue
        ratios.append((min(median(each) for each in peers) / median(ours), seed))
    slow = [f"{ratio:.2f} (seed {seed})" for ratio, seed in sorted(ratios) if ratio < 1.2]
    print(f"turmites: {len(ratios)} of {count} stay on the grid, x the better peer:")
    print(
        f"  {median(ratio for ratio, _ in ratios):.1f} in the median; below 1.2: {', '.join(slow) or 'none'}"
    )


def cave(size: int) -> World:
    """Walls in a quarter of the cells, and all around."""
    random = Random(2)
    cells = {(x, y): random.choice("#...") for x in range(size) for y in range(size)}
    edge = (0, size - 1)
    walls = {cell: "#" for cell in cells if cell[0] in edge or cell[1] in edge}
    return World({**cells, **walls, (5, 5): "S"}, (5, 5))


def filled(size: int) -> World:
    """Digits on all cells around the start."""
    random, half = Random(3), size // 2
    return World(
        {(x, y): random.choice("0123456789") for x in range(-half, half) for y in range(-half, half)}
    )


def processor() -> str:
    """Its name, where the system tells it."""
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="ascii", errors="replace").splitlines()
    except OSError:
        lines = []
    named = next((line.partition(":")[2].strip() for line in lines if line.startswith("model name")), "")
    return f"{os.uname().machine} {named}".strip()


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--smoke", action="store_true", help="short inputs: that it runs, not how fast")
    smoke: bool = parser.parse_args().smoke
    about = f"{os.cpu_count()} cores, load {os.getloadavg()[0]:.1f}, CPython {sys.version.split()[0]}"
    print(f"{processor()}, {about}\n")
    add, mult = (30, 12) if smoke else (2450, 180)
    examples = (
        ("add10", string_world(digits(add, 1) + "+" + digits(add, 2)), 10**9, 12_288, 16),
        ("mult10", string_world(digits(mult, 1) + "*" + digits(mult, 2)), 10**9, 1024, 1024),
        ("ant", World({}), 2_000 if smoke else 200_000, 8192, 8192),
    )
    for name, world, steps, wide, high in examples[::2] if smoke else examples:
        table = load(ROOT / "examples" / f"{name}.grid").table
        compare(name, table, world, steps, wide, high, slow=name == "add10")
    unknown_agents(smoke)
    turmites(3 if smoke else 100, smoke)
    tracing(30 if smoke else 500)
    if not smoke:
        champion()
    growth(1_000 if smoke else 10_000)
    commands(1 if smoke else 7)


if __name__ == "__main__":
    ends_with(main)
