"""The round trip, run for the figure: the README's agent, watched, learned, read back and proven.

`python docs/build.py --figure` runs it, keeps the outcome in docs/assets/round-trip.json, and draws that.
"""

from __future__ import annotations

import json
import re
import sys
import tempfile
from pathlib import Path
from typing import Any

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
INPUT = "1011"
# A curve of some hundred points is as good as one of a thousand.
POINTS = 120


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


def readme_agent() -> str:
    """The first agent of the README."""
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    match = re.search(r"^```grid file=\S+\n(.*?)^```", text, re.M | re.S)
    assert match
    return match[1]


def run() -> dict[str, Any]:
    """Learns the agent until it is proven; everything that the figure shows."""
    sys.path.insert(0, str(ROOT))
    import gridlang as gl

    source = readme_agent()
    agent = gl.loads(source)
    with tempfile.TemporaryDirectory() as folder:
        certificate = Path(folder) / "proof.json"
        learned = gl.learn(agent, seeds=1, run=f"{folder}/run")
        last = learned.rounds[-1]
        metrics = Path(folder, "run", f"round-{last.number}", "metrics.jsonl").read_text().splitlines()
        program, model = learned.program, learned.model
        assert program and model
        verdict = gl.equiv(agent, model, certificate=certificate)
        checked = gl.verify(certificate)
    lines = [json.loads(line) for line in metrics]
    shown = [*lines[: -1 : max(1, len(lines) // POINTS)], lines[-1]]
    return {
        "input": INPUT,
        "source": source,
        "graph": gl.view(agent).render("svg").decode(),
        "trace": [[step.read, step.write, step.move] for step in agent.run(INPUT, trace=True).trace or ()],
        "traces": last.traces,
        "loss": [[line["iteration"], float(f"{line['loss'][0]:.2e}")] for line in shown],
        "weights": model.parameters,
        "learned": program.to_source(),
        "verdict": repr(verdict),
        "checked": repr(checked),
    }
