"""Two simulators in C to be measured against: a loop over the table, and computed goto made for one table."""

from __future__ import annotations

import ctypes
import struct
import subprocess
import tempfile
from collections.abc import Callable
from pathlib import Path

from benchmarks.timing import timed
from gridlang.table import DELTAS, Table
from gridlang.world import World

MANY_LABELS = 600


class LeftTheGrid(Exception):
    """The grid of a peer is too small for a run."""


PLAIN = """
#include <stdint.h>
typedef struct { int8_t write, dx, dy, idle; int32_t next; } entry;
/* One table look-up a step on a grid, with bounds checks; returns the steps done. */
int64_t go(const entry *table, uint8_t *grid, int64_t wide, int64_t high, int64_t x, int64_t y,
           int64_t limit) {
  int32_t q = 0; /* the state times the symbols */
  for (int64_t n = 0; n < limit; n++) {
    if ((uint64_t)x >= (uint64_t)wide || (uint64_t)y >= (uint64_t)high) return -1;
    uint8_t *cell = grid + y * wide + x;
    entry e = table[q + *cell];
    if (e.next < 0) return n;
    *cell = (uint8_t)e.write;
    if (e.idle) return n + 1;
    q = e.next;
    x += e.dx;
    y += e.dy;
  }
  return limit;
}
"""
GOTO = """
#include <stdint.h>
/* One label a pair of state and symbol; bounds checks of the grid as a whole. */
int64_t go(const void *none, uint8_t *grid, int64_t wide, int64_t high, int64_t x, int64_t y, int64_t limit) {
  static const void *const labels[] = {LABELS};
  uint8_t *p = grid + y * wide + x, *end = grid + wide * high;
  int64_t left = limit;
  (void)none;
"""


def packed(table: Table) -> bytes:
    """The entries of a table as the plain loop reads them."""
    k, data = len(table.symbols), b""
    for row in table.rows:
        for symbol, entry in enumerate(row):
            if entry is None:
                data += struct.pack("<bbbbi", 0, 0, 0, 0, -1)
            else:
                idle = entry.is_idle(symbol)
                data += struct.pack("<bbbbi", entry.write, *DELTAS[entry.move], idle, entry.next * k)
    return data


def goto_source(table: Table) -> str:
    """The table as labels that jump to each other."""
    k = len(table.symbols)

    def jump(state: int) -> str:
        check = "if (p < grid || p >= end) return -1; if (left-- == 0) return limit;"
        return f"{check} goto *labels[{state * k} + *p];"

    lines = [jump(0)]
    for state, row in enumerate(table.rows):
        for symbol, entry in enumerate(row):
            lines.append(f"L{state}_{symbol}:")
            if entry is None or entry.is_idle(symbol):
                lines.append(f"return limit - left - {int(entry is None)};")
            else:
                dx, dy = DELTAS[entry.move]
                lines += [f"*p = {entry.write};"] * (entry.write != symbol)
                lines += [f"p += {dy} * wide + {dx}; {jump(entry.next)}"]
    names = ", ".join(f"&&L{state}_{symbol}" for state in range(len(table.rows)) for symbol in range(k))
    return GOTO.replace("LABELS", names) + "\n".join(lines) + "\n}\n"


def peer(source: str, table: Table, world: World, steps: int, wide: int, high: int) -> Callable[[], float]:
    """A run of a peer on a world in the middle of a grid, -O3: its steps and seconds."""
    with tempfile.TemporaryDirectory() as folder:
        text, library = Path(folder) / "peer.c", Path(folder) / "peer.so"
        text.write_text(source, encoding="utf-8")
        # A compiler takes minutes for thousands of labels that each jump to any other.
        level = "-O3" if source.count("goto *") < MANY_LABELS else "-O1"
        subprocess.run(["cc", level, "-fPIC", "-shared", "-o", str(library), str(text)], check=True)
        function = ctypes.CDLL(str(library)).go
    function.restype = ctypes.c_int64
    function.argtypes = [ctypes.c_char_p, ctypes.c_void_p, *[ctypes.c_int64] * 5]
    entries, place = packed(table), {symbol: number for number, symbol in enumerate(table.symbols)}
    grid = bytearray(wide * high)
    address = ctypes.addressof((ctypes.c_char * len(grid)).from_buffer(grid))

    def run() -> float:
        ctypes.memset(address, 0, len(grid))
        for (x, y), symbol in world.cells.items():
            grid[(y + high // 2) * wide + x + wide // 2] = place[symbol]
        at = wide // 2 + world.start[0], high // 2 + world.start[1]
        done, taken = timed(lambda: int(function(entries, address, wide, high, *at, steps)))
        if done < 0:
            raise LeftTheGrid
        return taken

    return run
