"""Tables, programs, runs, verdicts and models as a notebook shows them. Every word is escaped."""

from __future__ import annotations

import json
import struct
import zlib
from base64 import b64encode
from collections.abc import Iterable, Sequence
from html import escape

import numpy as np
import numpy.typing as npt

from compiler.dfst import Dfst
from compiler.drawing.graphs import state_graph
from compiler.drawing.views import picture, with_source
from compiler.proofs.equivalence import EVERYWHERE, Verdict
from compiler.simulate import HALTED, Run
from compiler.testing.file_tests import describe
from gridlang.diagnostics import GridError
from gridlang.display import register
from gridlang.loading import Program
from gridlang.table import Table, size_in_words
from gridlang.world import box_of, world_picture

PICTURE = 20_000  # cells of a result that is shown
STEPS = 30  # of a counterexample that are shown
PIXELS = 60_000  # of weights that are shown
GOOD, BAD, OPEN = "#2f8f4e", "#c93434", "#8a6d1b"


def captioned(words: str, body: str) -> str:
    return f'<div style="margin:.3em 0"><div style="margin-bottom:.4em">{words}</div>{body}</div>'


def pill(text: str, colour: str) -> str:
    look = f"border:1px solid {colour};color:{colour};border-radius:99px;padding:0 .6em;font-weight:600"
    return f'<span style="{look}">{escape(text)}</span>'


def preformatted(text: str) -> str:
    return f'<pre style="line-height:1.2;margin:.3em 0">{escape(text)}</pre>'


def rows(head: Sequence[str], lines: Iterable[Sequence[object]]) -> str:
    """A table; notebooks bring its looks."""
    top = "".join(f"<th>{escape(name)}</th>" for name in head)
    body = "".join("<tr>" + "".join(f"<td>{escape(str(c))}</td>" for c in line) + "</tr>" for line in lines)
    return f"<table><thead><tr>{top}</tr></thead><tbody>{body}</tbody></table>"


def image(kind: str, data: bytes, style: str = "max-width:100%") -> str:
    """A picture that nothing around it can change: its style sheet stays its own."""
    return f'<img style="{style}" src="data:image/{kind};base64,{b64encode(data).decode()}">'


def graph_of(program: Program) -> str:
    """The state graph; the reason where it cannot be drawn."""
    try:
        return image("svg+xml", picture("svg", state_graph(with_source(program), None)))
    except GridError as error:
        return f"<i>{escape(error.diagnostics[0].message)}</i>"


def size_of(table: Table) -> str:
    return f"<b>{escape(table.name)}</b>: {size_in_words(table)}"


def show_table(table: Table) -> str:
    return captioned(size_of(table), graph_of(Program(table, f"<{table.name}>")))


def show_program(program: Program) -> str:
    """The graph, and the source behind a line to click."""
    given = ", ".join(f"{name} = {value}" for name, value in program.bound.items())
    words = size_of(program.table) + (f" ({escape(given)})" if given else "")
    source = program.definition.source.text if program.definition else ""
    folded = f"<details><summary>source</summary>{preformatted(source)}</details>" if source else ""
    return captioned(words, graph_of(program) + folded)


def show_run(done: Run) -> str:
    box = box_of(done.world.cells)
    large = box is not None and box.area > PICTURE
    shown = f"(a result of {len(done.world.cells):,} cells)" if large else done.result
    colour = GOOD if done.outcome == HALTED else BAD
    return captioned(f"{pill(done.outcome, colour)} {escape(describe(done))}", preformatted(shown))


def show_verdict(verdict: Verdict) -> str:
    """What is claimed, and the world or the reads that show a difference."""
    looked = f"{verdict.product_states:,} product states"
    looked += f", a window of radius {verdict.radius}" if verdict.radius is not None else ""
    if verdict.equivalent is None:
        return captioned(f"{pill('unknown', OPEN)} {escape(verdict.reason)}; {looked}", "")
    if verdict.equivalent:
        where = EVERYWHERE.get(verdict.scope, "wherever it was seen to go")
        return captioned(f"{pill('proven', GOOD)} the same, {escape(where)}; {looked}", "")
    steps = verdict.counterexample or ()
    drawn = world_picture(verdict.world) if verdict.world and verdict.input is None else None
    world = f"on the input {verdict.input}" if verdict.input is not None else "on this world" if drawn else ""
    acts = [(number, step.read, _act(step.left), _act(step.right)) for number, step in enumerate(steps, 1)][
        -STEPS:
    ]
    body = (preformatted(drawn) if drawn else "") + rows(("step", "reads", "expert", "other"), acts)
    return captioned(f"{pill('different', BAD)} at step {len(steps):,} {escape(world)}", body)


def _act(action: tuple[str, str] | None) -> str:
    return f"write {action[0]}, {action[1]}" if action else "stuck"


def show_dfst(dfst: Dfst) -> str:
    """Its size, how it was trained, and its weights as a picture: a column a symbol, A above B above C."""
    k, d = len(dfst.symbols), len(dfst.h0)
    name = dfst.metadata.get("name", "model")
    words = f"<b>{escape(name)}</b>: a model with {d:,} states, {k:,} symbols, {dfst.parameters:,} weights"
    words += _training(dfst.metadata.get("training", ""))
    if dfst.parameters > PIXELS:
        return captioned(words, "")
    data, width = weights_png(dfst)
    look = f"width:{min(900, 6 * width)}px;max-width:100%;image-rendering:pixelated"
    key = f"columns: {' '.join(dfst.symbols)}; from above: A, B, C; blue below zero, red above"
    return captioned(words, image("png", data, look) + f'<div style="opacity:.7">{escape(key)}</div>')


def _training(text: str) -> str:
    try:
        about = json.loads(text)
        loss = f", loss {about['loss']:.1e}" if about["loss"] is not None else ""
        told = f"; seed {about['seed']}, recipe {about['recipe']['name']}, {about['iterations']:,} iterations"
        return escape(told + loss)
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

    def chunk(kind: bytes, data: bytes) -> bytes:
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    height, width = pixels.shape[:2]
    lines = b"".join(b"\0" + row.tobytes() for row in pixels)
    head = chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0))
    return b"\x89PNG\r\n\x1a\n" + head + chunk(b"IDAT", zlib.compress(lines, 9)) + chunk(b"IEND", b"")


register(Table, show_table)
register(Program, show_program)
register(Run, show_run)
register(Verdict, show_verdict)
register(Dfst, show_dfst)
