"""The memory of long runs: a world takes its tiles and little more, whoever runs it."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from gridlang.compiler.simulation.native.engine import run_native
from gridlang.compiler.targets import TARGETS
from gridlang.program import Program
from gridlang.table import Entry, Table
from gridlang.tiles import Tiles, tiles_of
from gridlang.world import World
from tests.programs import ROOT

FILL = Table("fill", ("_", "x"), ("a",), ((Entry(1, 1, 0), None),))  # down for ever, leaving a line

pytestmark = pytest.mark.skipif(shutil.which("cc") is None, reason="needs a C compiler")


TILE = 1_280  # bytes in C, with what malloc adds
# Of a process of its own: Linux counts in `ru_maxrss` what the parent had when it forked.
PEAK = """
import json
from gridlang.compiler.simulation.native.engine import run_native
from gridlang.loading import load
from gridlang.world import World

def peak():
    return next(int(line.split()[1]) for line in open("/proc/self/status") if line.startswith("VmHWM"))

table = load("tests/agents/turmite.grid").table
run_native(table, World({}), 1)
before = peak()
cells = run_native(table, World({}), 30_000_000).world.cells
print(json.dumps([peak() - before, len(cells), sum(map(len, cells.bands.values()))]))
"""


@pytest.mark.skipif(sys.platform != "linux", reason="other systems tell no peak of a process alone")
def test_a_run_takes_no_more_than_one_and_a_half_times_its_tiles() -> None:
    command = [sys.executable, "-c", PEAK]
    done = subprocess.run(command, check=True, capture_output=True, text=True, cwd=ROOT)
    kilobytes, cells, tiles = json.loads(done.stdout)
    assert cells > 10_000_000
    assert kilobytes * 1e3 <= 1.5 * TILE * tiles + 5e6


@pytest.mark.long
@pytest.mark.skipif(sys.platform != "linux", reason="other systems count memory in other units")
def test_a_compiled_program_keeps_to_its_budget_and_prints_all_that_is_left(tmp_path: Path) -> None:
    source, program, out = tmp_path / "fill.c", tmp_path / "fill", tmp_path / "out.txt"
    source.write_bytes(TARGETS["c"].render(Program(FILL, "fill")))
    subprocess.run(["cc", "-O1", "-o", str(program), str(source)], check=True)
    # The peak of a process counts that of whoever forked it, so a small one forks the program.
    watch = "import resource, subprocess, sys; subprocess.run(sys.argv[1:])\n"
    watch += "print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss, file=sys.stderr)"
    command = [sys.executable, "-c", watch, str(program), "", "1000000000"]
    with open(out, "w") as file:
        done = subprocess.run(command, check=True, stdout=file, stderr=subprocess.PIPE, text=True)
    said, kilobytes = done.stderr.splitlines()
    assert "stopped after" in said and "its memory budget of 256 MB is spent" in said
    assert 200_000 < int(kilobytes) <= 270_000
    assert out.stat().st_size == 2 * int(said.split()[2])


@pytest.mark.parametrize("symbols", [2, 300])
def test_the_budget_counts_cells_of_two_bytes_as_such(symbols: int) -> None:
    names = ("_", *(chr(0x4E00 + number) for number in range(symbols - 1)))
    table = Table("fill", names, ("a",), ((Entry(1, 3, 0), *[None] * (symbols - 1)),))
    done = run_native(table, World({}), 10**7, memory=2_500_000)
    most = 2_500_000 // (1 if symbols < 255 else 2)
    assert done.outcome == "budget" and 0.8 * most < done.steps < most
    assert len(done.world.cells) == done.steps


def test_a_world_in_tiles_is_run_as_it_is_and_a_strange_symbol_in_it_is_an_error() -> None:
    start = tiles_of({(0, y): "x" for y in range(5, 900)})
    done = run_native(FILL, World(start), 100)
    assert (done.outcome, done.steps, done.symbol) == ("stuck", 5, "x")
    assert isinstance(done.world.cells, Tiles) and len(done.world.cells) == 900
    with pytest.raises(KeyError):
        run_native(FILL, World(tiles_of({(0, 0): "y"})), 100)
