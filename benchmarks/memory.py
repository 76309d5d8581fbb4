"""What the worlds and traces of long runs take: peaks of memory and seconds, each in a process of its own.

python benchmarks/memory.py [--steps N] [--traced N]

A turmite fills the plane. Its tiles are what a run cannot do without; the peer is the same run whose cells
end in a Python dictionary, as all of them did before, on a tenth of the steps.
"""

from __future__ import annotations

import argparse
import json
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).parent.parent
sys.path.insert(0, str(ROOT))

from benchmarks.timing import ends_with  # noqa: E402
from gridlang.compiler.simulation.native.engine import run_native  # noqa: E402
from gridlang.compiler.simulation.worlds.files import write_world  # noqa: E402
from gridlang.loading import load  # noqa: E402
from gridlang.tiles import Tiles  # noqa: E402
from gridlang.world import World  # noqa: E402

TURMITE = ROOT / "benchmarks" / "turmite.grid"
TILE = 1_280  # Bytes of a tile in C, with what malloc adds.
GOAL = 1.5  # times its tiles, a run may take


class Peak(NamedTuple):
    """What a piece of work took in a process of its own, beyond what the process took before."""

    megabytes: float
    seconds: float
    cells: int
    tiles: float  # megabytes


def peak_now() -> int:
    """Kilobytes that this process has had at most."""
    status = Path("/proc/self/status")
    if status.exists():  # Linux counts in `ru_maxrss` what the parent had when it forked.
        (line,) = (line for line in status.read_text().splitlines() if line.startswith("VmHWM"))
        return int(line.split()[1])
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak // 1024 if sys.platform == "darwin" else peak


def measured(work: str, steps: int) -> None:
    """Does one piece of work in this process and prints its Peak as JSON."""
    table = load(TURMITE).table
    run_native(table, World({}), 1)
    before, begun = peak_now(), time.process_time()
    world = run_native(table, World({}), steps).world
    assert isinstance(world.cells, Tiles)
    cells, tiles = len(world.cells), sum(map(len, world.cells.bands.values())) * TILE / 1e6
    if work == "dictionary":
        world = World(dict(world.cells.items()), world.start)
    elif work != "run":
        with tempfile.TemporaryDirectory() as folder:
            write_world(f"{folder}/world.{work}", world, table.symbols)
    seconds = time.process_time() - begun
    print(json.dumps(Peak((peak_now() - before) / 1e3, seconds, cells, tiles)))


def in_a_child(work: str, steps: int) -> Peak:
    """What a piece of work takes, measured where nothing else ran before."""
    command = [sys.executable, __file__, "--child", work, "--steps", str(steps)]
    done = subprocess.run(command, check=True, capture_output=True, text=True, cwd=ROOT)
    return Peak(*json.loads(done.stdout))


WATCH = (
    "import json, resource, subprocess, sys\n"
    "subprocess.run(sys.argv[1:], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)\n"
    "used = resource.getrusage(resource.RUSAGE_CHILDREN)\n"
    "print(json.dumps([used.ru_maxrss / 1e3, used.ru_utime + used.ru_stime]))"
)


def traced(options: list[str], steps: int) -> tuple[float, float]:
    """Megabytes at most and seconds of processor of `gridlang run --trace`, its lines thrown away."""
    command = ["-m", "gridlang", "run", str(TURMITE), "--steps", str(steps), "--trace", *options]
    watched = [sys.executable, "-c", WATCH, sys.executable, *command]
    done = subprocess.run(watched, check=True, capture_output=True, text=True, cwd=ROOT)
    megabytes, seconds = json.loads(done.stdout)
    return megabytes, seconds


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--steps", type=int, default=100_000_000, help="of the turmite")
    parser.add_argument("--traced", type=int, default=10_000_000, help="steps that are traced")
    parser.add_argument("--child", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.child:
        measured(options.child, options.steps)
        return 0
    print(f"{'a run of the turmite':<34}{'steps':>13}{'cells':>12}{'tiles':>9}{'peak':>10}   ratio  seconds")
    names = {"dictionary": "a dictionary of cells, as before", "run": "tiles"}
    names |= {ending: f"tiles, written as .{ending}" for ending in ("png", "txt")}
    ratios = {}
    for work, name in names.items():
        steps = options.steps // 10 if work == "dictionary" else options.steps
        peak = in_a_child(work, steps)
        ratios[work] = peak.megabytes / max(peak.tiles, 1)
        print(
            f"{name:<34}{steps:>13,}{peak.cells:>12,}{peak.tiles:>6.0f} MB{peak.megabytes:>7.0f} MB"
            f"{ratios[work]:>8.2f}{peak.seconds:>9.2f}"
        )
    print(f"the run takes {ratios['run']:.2f} times its tiles (goal: at most {GOAL})\n")
    for name, extra in (("--trace", []), ("--trace --json", ["--json"])):
        megabytes, seconds = traced(extra, options.traced)
        print(f"{name:<20}{options.traced:>13,} steps{megabytes:>9.0f} MB at most{seconds:>9.2f} s")
    return 0


if __name__ == "__main__":
    ends_with(main)
