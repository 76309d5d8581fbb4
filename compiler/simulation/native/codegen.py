"""From a table to C: one label a block of states, walks as scans of memory, loops as laps."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import product

from gridlang.compiler.simulation.limits import LIMITS
from gridlang.compiler.simulation.native.laps import (
    Block,
    array_text,
    find_laps,
    lap_code,
    lap_tables,
    make_blocks,
)
from gridlang.compiler.simulation.native.sources import part, world_source
from gridlang.table import MOVES, STAY, Entry, Table

# GCC's range propagation hardly ends where a thousand cases jump to each other, at levels above the first.
LITTLE_OPTIMISED = """#if defined __GNUC__ && !defined __clang__
#pragma GCC optimize ("O1")
#endif
"""
OFFSETS = ("-STRIDE", "STRIDE", "-1", "1", "0")


@dataclass(frozen=True, slots=True)
class Case:
    """Symbols of a block that are treated by the same code."""

    symbols: tuple[int, ...]
    kind: str  # step, walk, halt, stuck or split
    move: int = STAY
    target: int = -1
    partial: bool = False  # Some states of the block are stuck here.


def machine_source(table: Table) -> str:
    """The C function that runs the table, with all it needs but the library's interface."""
    return _machine_source(_Generator(table))


def library_source(table: Table) -> str:
    """The same, with what the runner wants to know of it: the case of each pair of state and symbol."""
    generator = _Generator(table)
    return _machine_source(generator) + generator.case_numbers()


def _machine_source(generator: _Generator) -> str:
    table = generator.table
    k = len(table.symbols)
    head = f"/* {comment(table.name)}: {len(table.states)} states, {k} symbols */\n"
    if sum(map(len, generator.cases_of.values())) > LIMITS.optimised_cases:
        head += LITTLE_OPTIMISED
    return head + world_source("uint8_t" if k < 255 else "uint16_t", k) + generator.text()


def comment(text: str) -> str:
    """A name as it may stand in a C comment."""
    return re.sub(r"[^\w(),.|'+= -]", "?", text, flags=re.ASCII)


_STUCK = ("stuck", STAY, -1)


class _Generator:
    def __init__(self, table: Table) -> None:
        self.table = table
        self.blocks = make_blocks(table)
        self.block_of = {state: block for block in self.blocks for state in block.states}
        self.cases_of = {block.number: self.cases(block) for block in self.blocks}
        self.laps = find_laps(table, self.blocks)

    def text(self) -> str:
        blocks = "\n".join(self.function()) + "\n"
        scanners = "\n".join(
            filter(None, (self.scanner(b, c) for b in self.blocks for c in self.cases_of[b.number]))
        )
        tables = self.tables(blocks)
        laps = lap_tables(self.laps.values(), self.table, part("laps.c")) if self.laps else ""
        machine = part("machine.c")
        for name, code in (("TABLES", tables + scanners), ("LAPS", laps), ("BLOCKS", blocks)):
            machine = machine.replace(f"/* {name} */\n", code)
        return machine

    def tables(self, blocks: str) -> str:
        """Writes and next states of all pairs, for cases in which they differ, and for laps."""
        k = len(self.table.symbols)
        size = len(self.table.states) * k
        wide = "uint16_t" if size < 65_535 else "uint32_t"
        undefined = 2**16 - 1 if wide == "uint16_t" else 2**32 - 1
        entries = [entry or Entry(0, STAY, -1) for row in self.table.rows for entry in row]
        text = f"/* By state times {k} plus symbol: what is written, and the next state times {k}. */\n"
        text += f"#define UNDEFINED {undefined}u\n"
        writes = array_text("cell", "writes", (e.write for e in entries))
        nexts = array_text(wide, "nexts", (e.next * k if e.next >= 0 else undefined for e in entries))
        used = [array for array, name in ((writes, "writes["), (nexts, "nexts[")) if name in blocks]
        # Code that observes does no laps.
        rest = [array for array in (writes, nexts) if self.laps and array not in used]
        text += "".join(used) + ("".join(("#ifndef OBSERVING\n", *rest, "#endif\n")) if rest else "")
        return text + "\n" if used or rest else ""

    def case_numbers(self) -> str:
        """By state times symbols plus symbol: twice the number of the case, plus one where it walks."""
        k, count = len(self.table.symbols), 0
        numbers = [0] * (len(self.table.states) * k)
        for block in self.blocks:
            for case in self.cases_of[block.number]:
                for state, symbol in product(block.states, case.symbols):
                    numbers[state * k + symbol] = 2 * count + (case.kind == "walk")
                    count += case.kind == "split"
                count += 1
        return array_text("uint16_t", "grid_cases", numbers).removeprefix("static ")

    def cases(self, block: Block) -> list[Case]:
        """The cases of a block, largest first; symbols on which its states differ are split."""
        groups: dict[tuple[str, int, int, bool], list[int]] = {}
        for symbol in range(len(self.table.symbols)):
            groups.setdefault(self.block_shape(block, symbol), []).append(symbol)
        cases = [Case(tuple(symbols), *shape) for shape, symbols in groups.items()]
        return sorted(cases, key=lambda case: (case.kind == "stuck", -len(case.symbols)))

    def block_shape(self, block: Block, symbol: int) -> tuple[str, int, int, bool]:
        """How a block treats a symbol: alike, alike except where it is stuck, or each state its own way."""
        shapes = {self.shape(state, symbol) for state in block.states}
        if all(self.walks(state, symbol) for state in block.states) and len(shapes) == 1:
            return "walk", shapes.pop()[1], -1, False
        partial = len(shapes) == 2 and _STUCK in shapes
        if partial:
            shapes.discard(_STUCK)
        if len(shapes) == 1:
            return *shapes.pop(), partial
        return "split", STAY, symbol, False

    def shape(self, state: int, symbol: int) -> tuple[str, int, int]:
        entry = self.table.rows[state][symbol]
        if entry is None:
            return _STUCK
        if self.table.is_halt(state, symbol):
            return "halt", STAY, -1
        return "step", entry.move, self.block_of[entry.next].number

    def walks(self, state: int, symbol: int) -> bool:
        """Whether a step keeps its symbol and its state; `shape` then tells the way."""
        entry = self.table.rows[state][symbol]
        return entry is not None and entry.next == state and entry.write == symbol and entry.move != STAY

    def scanner(self, block: Block, case: Case) -> str:
        """The function that walks over a set of symbols along a row."""
        if case.kind != "walk" or MOVES[case.move] not in "LR":
            return ""
        name = f"walk_{block.number}_{MOVES[case.move]}"
        ranges = _ranges(case.symbols)
        inside = " || ".join(f"(uint32_t)(*p - {lo}) <= {hi - lo}" for lo, hi in ranges)
        stop = " & ".join(f"(bytes)((bytes)(v - (uint8_t){lo}) > (uint8_t){hi - lo})" for lo, hi in ranges)
        way = "FORWARD" if MOVES[case.move] == "R" else "BACKWARD"
        step = "p++" if MOVES[case.move] == "R" else "p--"
        return (
            f"static UNUSED cell *{name}(cell *p) {{\n"
            f"  SCAN_{way}(p, {stop})\n"
            f"  while ({inside}) {step};\n  return p;\n}}\n"
        )

    def function(self) -> list[str]:
        k = len(self.table.symbols)
        lines = [
            "/* Runs for at most `budget` more steps. */",
            "int grid_go(world *w, uint64_t budget) {",
            "  uint64_t left = budget, saved = 0;",
            "  uint32_t q = (uint32_t)w->state * SYMBOLS;",
            "  UNUSED cell *next;",
            "  cell c;",
            "  int outcome;",
            "  BEGIN_OBSERVING",
            "#ifndef OBSERVING",
            *(f"  int trust_{number} = TRUST;" for number in self.laps),
            "#endif",
            "  tile *t = tile_around(w, w->x, w->y);",
            "  if (t == NULL) return BUDGET;",
            "  cell *p = cell_at(t, w->x, w->y);",
            f"  switch (q / {k}) {{",
        ]
        for block in self.blocks:
            labels = " ".join(f"case {state}:" for state in block.states)
            lines.append(f"    {labels} goto b{block.number};")
        lines += ["  }", "  return STUCK; /* no such state */"]
        for block in self.blocks:
            lines += self.block(block)
        return lines

    def block(self, block: Block) -> Iterator[str]:
        names = ", ".join(comment(self.table.states[state]) for state in block.states[:6])
        more = ", ..." if len(block.states) > 6 else ""
        alone = len(block.states) == 1
        k = len(self.table.symbols)
        yield ""
        yield f"b{block.number}: /* {names}{more} */"
        if block.number in self.laps:
            yield from lap_code(self.laps[block.number], self.table)
        yield "  if (left == 0) " + (
            f"{{ q = {block.states[0] * k}; goto budget; }}" if alone else "goto budget;"
        )
        yield "  c = *p;"
        yield "  switch (c) {"
        for case in self.cases_of[block.number]:
            yield from self.case(block, case)
        yield from self.edge(block)
        yield "  default: " + (f"q = {block.states[0] * k}; goto stuck;" if alone else "goto stuck;")
        yield "  }"

    def edge(self, block: Block) -> Iterator[str]:
        """At the border of a tile; a walk over blanks passes what does not exist."""
        walk = next(
            (
                c
                for c in self.cases_of[block.number]
                if c.kind == "walk" and 0 in c.symbols and c.move != STAY
            ),
            None,
        )
        state = f"q = {block.states[0] * len(self.table.symbols)}; " if len(block.states) == 1 else ""
        yield "  case EDGE:"
        if walk:
            yield f"    LEAP({walk.move}, {state or ';'})"
        else:
            yield f"    CROSS({state or ';'})"
        yield f"    goto b{block.number};"

    def case(self, block: Block, case: Case) -> Iterator[str]:
        if case.kind == "stuck":
            return
        symbols = " ".join(comment(self.table.symbols[x]) for x in case.symbols[:12])
        labels = " ".join(f"case {x}:" for x in case.symbols)
        yield f"  {labels} /* {symbols} */"
        k = len(self.table.symbols)
        if case.kind == "split":
            yield f"    switch (q / {k}) {{"
            for state in block.states:
                yield f"    case {state}:"
                single = Block(block.number, (state,))
                for line in self.actions(single, Case(case.symbols, *self.shape(state, case.symbols[0]))):
                    yield f"  {line}"
            yield "    }"
            yield "    goto stuck;"
            return
        yield from self.actions(block, case)

    def actions(self, block: Block, case: Case) -> Iterator[str]:
        """The code of one case: look up, write, move, change state."""
        k = len(self.table.symbols)
        first = block.states[0]
        if case.kind == "stuck":
            yield f"    q = {first * k}; goto stuck;"
            return
        here = "q" if len(block.states) > 1 else str(first * k)
        if case.partial:
            yield f"    if (nexts[{here} + c] == UNDEFINED) goto stuck;"
        if case.kind == "halt":
            yield f"    OBSERVE({here}, c, c, {STAY})"
            yield f"    left--; q = {here}; goto halted;"
            return
        if case.kind == "walk":
            yield from self.walk(block, case, here)
            return
        pairs = ((state, x, self.table.rows[state][x]) for state in block.states for x in case.symbols)
        entries = [(state, x, entry) for state, x, entry in pairs if entry is not None]
        write = self.write(entries, here)
        yield f"    OBSERVE({here}, c, {write}, {case.move})"
        if any(entry.write != x for _, x, entry in entries):
            yield f"    *p = (cell)({write});"
        state = self.next(entries, here, case)
        if state:
            yield f"    q = {state};"
        move = OFFSETS[case.move]
        step = f"p += {move}; " if case.move != STAY else ""
        yield f"    {step}left--; goto b{case.target};"

    def walk(self, block: Block, case: Case, here: str) -> Iterator[str]:
        move = MOVES[case.move]
        target = f"goto b{block.number};"
        if move in "LR":
            scan = f"next = walk_{block.number}_{move}(p);"
        else:
            inside = " || ".join(f"(uint32_t)(*next - {lo}) <= {hi - lo}" for lo, hi in _ranges(case.symbols))
            scan = f"next = p; do next += {OFFSETS[case.move]}; while ({inside});"
        yield f"    WALK({here}, {case.move}, {OFFSETS[case.move]}, {scan}) {target}"

    def write(self, entries: list[tuple[int, int, Entry]], here: str) -> str:
        if all(entry.write == x for _, x, entry in entries):
            return "c"
        values = {entry.write for _, _, entry in entries}
        return str(values.pop()) if len(values) == 1 else f"writes[{here} + c]"

    def next(self, entries: list[tuple[int, int, Entry]], here: str, case: Case) -> str:
        """The next state times the number of symbols; nothing if its block has just that one."""
        if len(self.blocks[case.target].states) == 1:
            return ""
        by_symbol = {(x, entry.next): state for state, x, entry in entries}
        values = {after for _, after in by_symbol}
        if len(values) == 1:
            return str(values.pop() * len(self.table.symbols))
        first = entries[0][0]  # Where all states of the block go alike, none waits for which one it is.
        alike = len(by_symbol) == len({x for x, _ in by_symbol}) and not case.partial
        return f"nexts[{first * len(self.table.symbols) if alike else here} + c]"


def _ranges(symbols: tuple[int, ...]) -> list[tuple[int, int]]:
    """Runs of neighbouring numbers."""
    runs: list[tuple[int, int]] = []
    for symbol in sorted(symbols):
        if runs and runs[-1][1] == symbol - 1:
            runs[-1] = (runs[-1][0], symbol)
        else:
            runs.append((symbol, symbol))
    return runs
