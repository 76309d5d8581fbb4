"""The round trip, run for the figure: add10, watched, learned, read back from its weights, and proven.

`python docs/build.py --figure` runs it, keeps the outcome in docs/assets/round-trip.json, and draws that.
"""

from __future__ import annotations

import base64
import json
import sys
import tempfile
from pathlib import Path
from typing import Any

import numpy as np
from building.figure import COLUMN, SLIDES, WHOLE, draw

ROOT = Path(__file__).parents[2]
ASSETS = ROOT / "docs" / "assets"
RECORD = ASSETS / "round-trip.json"
# The whole trip; and for phones panels as wide as the screen, one after the other or, without motion, below.
DRAWINGS = {
    ASSETS / "round-trip.svg": WHOLE,
    ASSETS / "round-trip-slides.svg": SLIDES,
    ASSETS / "round-trip-column.svg": COLUMN,
}
INPUT = "47+85"
MOMENTS = (0, 8, 12, 17, 20, 23, 31, 39)  # steps after which the grid is drawn
# A curve of some hundred points is as good as one of a thousand.
POINTS = 120
PAPER, ABOVE_ZERO, BELOW_ZERO = (238, 241, 246), (176, 88, 10), (37, 99, 176)  # colours of weights


def make() -> None:
    """Runs the round trip, and writes its record and its figure."""
    RECORD.write_text(json.dumps(run(), indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    redraw()


def redraw() -> None:
    """Writes the drawings of the record that there is."""
    for path, way in DRAWINGS.items():
        path.write_text(draw(recorded(), way), encoding="utf-8")
        print(f"wrote {path.relative_to(ROOT)}")


def recorded() -> dict[str, Any]:
    """What the last run of the round trip gave."""
    record: dict[str, Any] = json.loads(RECORD.read_text(encoding="utf-8"))
    return record


def run() -> dict[str, Any]:
    """Learns the agent until it is proven; everything that the figure shows."""
    sys.path.insert(0, str(ROOT))
    import gridlang as gl

    agent = gl.load(ROOT / "examples" / "add10.grid")
    with tempfile.TemporaryDirectory() as folder:
        certificate = Path(folder) / "proof.json"
        learned = gl.learn(agent, seeds=1, run=f"{folder}/run")
        last = learned.rounds[-1]
        metrics = Path(folder, "run", f"round-{last.number}", "metrics.jsonl").read_text().splitlines()
        model = learned.model
        assert model
        program = gl.extract(model)
        verdict = gl.equiv(agent, model, certificate=certificate)
        checked = gl.verify(certificate)
    lines = [json.loads(line) for line in metrics]
    shown = [*lines[: -1 : max(1, len(lines) // POINTS)], lines[-1]]
    curve = [[line["iteration"], float(f"{line['loss'][0]:.2e}")] for line in shown]
    return {
        "input": INPUT,
        "source": (ROOT / "examples" / "add.grid").read_text(encoding="utf-8"),
        "grids": grids(agent),
        "traces": last.traces,
        "loss": [*curve, [last.iterations, float(f"{last.loss:.2e}")]],
        "weights": model.parameters,
        "matrices": [
            [symbol, _picture(matrix)] for symbol, matrix in zip(model.symbols, model.A, strict=True)
        ],
        "learned": program.to_source(),
        "verdict": repr(verdict),
        "checked": repr(checked),
    }


def _picture(matrix: Any) -> str:
    """A pixel for each number, orange above zero and blue below; small ones are shown too strong."""
    from gridlang.compiler.notebooks import png

    strength = np.sqrt(np.abs(matrix) / np.abs(matrix).max())[..., None]
    colour = np.where(matrix[..., None] > 0, np.array(ABOVE_ZERO), np.array(BELOW_ZERO))
    shades = np.array(PAPER) + strength * (colour - np.array(PAPER))
    return base64.b64encode(png(shades.astype(np.uint8))).decode()


def grids(agent: Any) -> list[dict[str, Any]]:
    """The grid at the moments, with the head's cell and the state that comes next."""
    steps = agent.run(INPUT, trace=True).trace
    cells, grids = {f"{x} 0": symbol for x, symbol in enumerate(INPUT)}, []
    for number in range(len(steps) + 1):
        step = steps[min(number, len(steps) - 1)]
        if number in MOMENTS:
            state = step.state if number < len(steps) else "halted"
            grids.append({"after": number, "state": state, "cell": step.cell, "cells": dict(cells)})
        cells[f"{step.cell[0]} {step.cell[1]}"] = step.write
    return grids
