"""The lines of a trace, for people or as JSON, as the run goes on: millions take seconds, and no memory.

A table does what its reads say, so the text of a line after its cell is that of a pair of state and symbol,
and is made once. Long traces are put together by compiler/simulation/native/trace.c.
"""

from __future__ import annotations

import ctypes
from array import array
from collections.abc import Callable, Iterator
from functools import lru_cache
from itertools import islice, pairwise
from typing import Any

from compiler.simulation.native.build import CannotBuild, load_library
from compiler.simulation.native.codegen import part
from compiler.simulation.simulate import Column
from compiler.terminal.profile import library_of, rule_place, rule_text
from gridlang.printable import printable
from gridlang.program import Program
from gridlang.table import DELTAS, MOVES, STAY, Entry
from gridlang.terminal.console import json_text
from gridlang.world import Cell

WORTH_COMPILING = 100_000  # Steps that Python puts together while a compiler would be starting.
LINES_AT_ONCE = 10_000  # Some hundreds of kilobytes, which Python writes in one call.
ROOM = 1 << 20  # Bytes of lines that are written at once.
BEFORE = 100  # Bytes before the text of a pair: three numbers of 20 digits, and what is between them.


class TraceLines:
    """Writes a line for each step that it is told of: where the head was, what it did, by which rule.

    A step of a program has its state and the line of its rule; that of a model, whose `program` is None, not.
    Numbers of steps are aligned within what comes at once.
    """

    def __init__(
        self,
        program: Program | None,
        symbols: tuple[str, ...],
        moves: tuple[str, ...],
        start: Cell,
        write: Callable[[str], object],
        as_json: bool = False,
    ) -> None:
        self.symbols, self.moves, self.write, self.as_json = symbols, moves, write, as_json
        self.program = program
        self.step, self.cell, self.state = 0, start, 0
        self.texts: list[str] = self._pair_texts(program) if program else []
        self.shifts = [DELTAS[MOVES.index(move)] for move in moves]
        self.digits = 0

    def __call__(self, reads: Column, writes: Column, moves: Column) -> None:
        """Writes the next steps."""
        self.digits = max(self.digits, len(str(self.step + len(reads))))
        if self.program and len(reads) >= WORTH_COMPILING:
            try:
                self._write_natively(self.program, reads)
                return
            except CannotBuild:
                pass  # What follows is slower, and the same.
        lines = self._lines(reads, writes, moves)
        while some := "".join(islice(lines, LINES_AT_ONCE)):
            self.write(some)

    def _lines(self, reads: Column, writes: Column, moves: Column) -> Iterator[str]:
        k = len(self.symbols)
        for read, write, move in zip(reads, writes, moves, strict=True):
            self.step += 1
            text = self.texts[self.state * k + read] if self.program else self._text(read, write, move)
            yield self._place() + text
            (x, y), (dx, dy) = self.cell, self.shifts[move]
            self.cell = (x + dx, y + dy)
            entry = self.program.table.rows[self.state][read] if self.program else None
            self.state = entry.next if entry else self.state

    def _place(self) -> str:
        x, y = self.cell
        if self.as_json:
            return f'{{"step": {self.step}, "cell": [{x}, {y}]'
        return f"{self.step:>{self.digits}}  {f'({x}, {y})':<10}"

    def _pair_texts(self, program: Program) -> list[str]:
        """What is said of each pair of state and symbol; of one that is not defined nothing is ever said."""
        table = program.table
        width = max(len(printable(state)) for state in table.states)
        texts = []
        for state, row in enumerate(table.rows):
            for read, entry in enumerate(row):
                line, rule = rule_text(program, state, read) if entry else (0, "")
                write, move, _ = entry or Entry(read, STAY, state)
                by = f"{printable(table.states[state]):<{width}}"
                by += f"  {printable(rule_place(program, state, read) + rule)}" if line else ""
                origin = library_of(program, state, read) if line else ""
                texts.append(self._text(read, write, move, table.states[state], line, by, origin))
        return texts

    def _text(
        self,
        read: int,
        write: int,
        move: int,
        state: str | None = None,
        line: int = 0,
        by: str = "",
        origin: str = "",
    ) -> str:
        """What is said of a step after its cell; `origin` is the library that its rule stands in."""
        seen, left, way = self.symbols[read], self.symbols[write], self.moves[move]
        if self.as_json:
            about = {"state": state, "read": seen, "write": left, "move": way, "line": line or None}
            about |= {"file": origin} if origin else {}
            return f", {json_text(about)[1:]}\n"
        return f"  {seen} -> {left}  {way}  {by}".rstrip() + "\n"

    def _write_natively(self, program: Program, reads: Column) -> None:
        library, texts, offsets = _library(), *self._packed
        entries = [entry or Entry(0, STAY, 0) for row in program.table.rows for entry in row]
        nexts, moves = array("i", (e.next for e in entries)), array("b", (e.move for e in entries))
        longest = max(end - begin for begin, end in pairwise(offsets)) + BEFORE + self.digits
        out, size = ctypes.create_string_buffer(ROOM + longest), ctypes.c_int64()
        place = array("q", (self.step, *self.cell, self.state))
        done = 0
        while done < len(reads):
            done += library.trace_lines(
                place.buffer_info()[0],
                len(reads) - done,
                reads.buffer_info()[0] + 2 * done,
                len(self.symbols),
                nexts.buffer_info()[0],
                moves.buffer_info()[0],
                texts,
                offsets.buffer_info()[0],
                0 if self.as_json else self.digits,
                longest,
                out,
                len(out),
                ctypes.byref(size),
            )
            self.write(str(memoryview(out)[: size.value], "utf-8"))
        self.step, x, y, self.state = place
        self.cell = (x, y)

    @property
    def _packed(self) -> tuple[bytes, Column]:
        """The texts of all pairs one after another, and where each begins."""
        texts = [text.encode() for text in self.texts]
        offsets = array("q", [0])
        for text in texts:
            offsets.append(offsets[-1] + len(text))
        return b"".join(texts), offsets


@lru_cache(maxsize=1)
def _library() -> ctypes.CDLL:
    library = load_library(part("trace.c"), names=("trace_lines",))
    library.trace_lines.restype = ctypes.c_int64
    whole, address = ctypes.c_int64, ctypes.c_void_p
    inputs: list[Any] = [address, whole, address, whole, *[address] * 4, whole, whole]
    library.trace_lines.argtypes = [*inputs, address, whole, address]
    return library
