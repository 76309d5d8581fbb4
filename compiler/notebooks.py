"""Tables, programs, runs, verdicts and models as a notebook shows them. Every word is escaped."""

from __future__ import annotations

import json
import struct
import zlib
from base64 import b64encode
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from gridlang.compiler.drawing.page import Comparison
from gridlang.compiler.drawing.templates import macro, own_markup
from gridlang.compiler.drawing.views import graph_of, inline_picture, with_source
from gridlang.compiler.extraction.extract import EXACT, Extraction
from gridlang.compiler.extraction.extract_text import explored, summary
from gridlang.compiler.proofs.equivalence import EVERYWHERE, Verdict
from gridlang.compiler.simulation.simulate import Run
from gridlang.compiler.simulation.worlds.png import chunk
from gridlang.compiler.tensors.dfst import Dfst
from gridlang.compiler.terminal.printing import act
from gridlang.compiler.testing.file_tests import describe
from gridlang.diagnostics import GridError, counted
from gridlang.display import register
from gridlang.outcomes import Outcome
from gridlang.printable import quoted_input
from gridlang.program import Program
from gridlang.table import Table, size_in_words
from gridlang.world import world_picture

HTML = "gridlang.compiler/notebook.html"
PICTURE = 20_000  # cells of a result that a screen holds
STEPS = 30  # last steps shown of a counterexample
PIXELS = 60_000  # weights in a picture: with more, one is no longer seen


class DrawnGraph(NamedTuple):
    """A state graph as SVG that is part of the notebook, or why it could not be drawn."""

    svg: str
    problem: str = ""


def drawn(program: Program, fold: bool | None = None, comparison: Comparison | None = None) -> DrawnGraph:
    """The state graph; the reason where it cannot be drawn."""
    try:
        return DrawnGraph(own_markup(inline_picture(graph_of(program, fold, comparison))))
    except GridError as error:
        return DrawnGraph("", error.diagnostics[0].message)


def show_program(program: Program) -> str:
    """The graph, and the source behind a line to click."""
    given = ", ".join(f"{name} = {value}" for name, value in program.bound.items())
    source = program.definition.source.text if program.definition else ""
    table = program.table
    return macro(HTML, "program")(
        table.name, size_in_words(table), given, drawn(with_source(program)), source
    )


def show_run(done: Run) -> str:
    box = done.world.box
    large = box is not None and box.area > PICTURE
    shown = f"(a result of {len(done.world.cells):,} cells)" if large else done.result
    look = "good" if done.outcome == Outcome.HALTED else "bad"
    return macro(HTML, "run")(done.outcome, look, describe(done), shown)


def show_verdict(verdict: Verdict) -> str:
    """What is claimed, and the world or the reads that show a difference."""
    looked = f"{counted(verdict.product_states, 'product state')}"
    looked += f", a window of radius {verdict.radius}" if verdict.radius is not None else ""
    if verdict.equivalent is None:
        return macro(HTML, "claim")("unknown", "open", f"{verdict.reason}; {looked}")
    if verdict.equivalent:
        where = EVERYWHERE.get(verdict.scope, "wherever it was seen to go")
        return macro(HTML, "claim")("proven", "good", f"the same, {where}; {looked}")
    steps = verdict.counterexample or ()
    drawn = world_picture(verdict.world) if verdict.world and verdict.input is None else None
    world = "on this world" if drawn else ""
    if verdict.input is not None:
        world = f"on the input {quoted_input(verdict.input)}"
    acts = [(number, step.read, act(step.left), act(step.right)) for number, step in enumerate(steps, 1)]
    return macro(HTML, "difference")(f"at step {len(steps):,} {world}", drawn, acts[-STEPS:])


def show_dfst(dfst: Dfst) -> str:
    """Its size, how it was trained, and its weights as a picture: a column a symbol, A above B above C."""
    k, d = len(dfst.symbols), len(dfst.h0)
    name = dfst.metadata.get("name", "model")
    words = f"a model with {d:,} states, {k:,} symbols, {dfst.parameters:,} weights"
    words += _training(dfst.metadata.get("training", ""))
    if dfst.parameters > PIXELS:
        return macro(HTML, "model")(name, words, "", 0, "")
    data, width = weights_png(dfst)
    key = f"columns: {' '.join(dfst.symbols)}; from above: A, B, C; blue below zero, red above"
    image = f"data:image/png;base64,{b64encode(data).decode()}"
    return macro(HTML, "model")(name, words, image, min(900, 6 * width), key)


def _training(text: str) -> str:
    try:
        about = json.loads(text)
        loss = f", loss {about['loss']:.1e}" if about["loss"] is not None else ""
        told = f"; seed {about['seed']}, recipe {about['recipe']['name']}, {about['iterations']:,} iterations"
        return told + loss
    except (ValueError, KeyError, TypeError, RecursionError):
        return ""


def weights_png(dfst: Dfst) -> tuple[bytes, int]:
    """The weights as colours, and how many are side by side; strong ones are the same for all symbols."""
    columns = [np.concatenate([dfst.A[x], dfst.B[x], dfst.C[x]]) for x in range(len(dfst.symbols))]
    gap = np.full((len(columns[0]), 1), np.nan, np.float32)
    grid = np.concatenate([part for column in columns for part in (column, gap)][:-1], 1)
    scale = float(np.nanquantile(np.abs(grid), 0.99)) or 1.0
    level = np.clip(np.nan_to_num(grid / scale), -1, 1)
    red = np.array([201, 52, 52]) - 255.0
    blue = np.array([59, 120, 196]) - 255.0
    colour = 255 + np.where(level[..., None] > 0, red, blue) * np.abs(level)[..., None]
    colour[np.isnan(grid)] = 128
    return png(colour.astype(np.uint8)), grid.shape[1]


def png(pixels: npt.NDArray[np.uint8]) -> bytes:
    """A PNG file of (height, width, 3) bytes."""
    height, width = pixels.shape[:2]
    lines = b"".join(b"\0" + row.tobytes() for row in pixels)
    head = chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0))
    return b"\x89PNG\r\n\x1a\n" + head + chunk(b"IDAT", zlib.compress(lines, 9)) + chunk(b"IEND", b"")


def show_extraction(extraction: Extraction) -> str:
    """The state graph and its evidence, or why there is none."""
    table = extraction.table
    if table is None:
        return macro(HTML, "refusal")(extraction.refused)
    words = f"{summary(extraction)}. {explored(extraction)}"
    if extraction.scope != EXACT:
        numbers = extraction.spread, extraction.gap, extraction.margin
        words += "; spread {:.2g}, gap {:.2g}, least margin {:.2g}".format(*numbers)
    return macro(HTML, "extraction")(table.name, words, drawn(with_source(Program(table, f"<{table.name}>"))))


register(Table, lambda table: show_program(Program(table, f"<{table.name}>")))
register(Program, show_program)
register(Run, show_run)
register(Verdict, show_verdict)
register(Dfst, show_dfst)
register(Extraction, show_extraction)
