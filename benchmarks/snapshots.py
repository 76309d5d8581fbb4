"""What is learned, against how much is shown: agents from snapshots of their runs.

    python benchmarks/snapshots.py                continues benchmarks/results/snapshots.json
    python benchmarks/snapshots.py --only increment reverse_string --nodes 10000000
    python benchmarks/snapshots.py --table        what is recorded, and docs/assets/snapshots.svg

Runs are those of `gridlang trace --rule paper:100`, which looks at the inputs alone. Of each run the grid is
shown after every k steps, or only at the end; the first column also shows the head. The search is that of
`gridlang synthesize`, for agents of at most ten states. What it finds is *right* if it leaves the expert's
result on all inputs of up to eight symbols (at most 200 of each length), whatever it does in between.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from itertools import islice
from math import log10
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parent.parent
sys.path.insert(0, str(ROOT))

import gridlang as gl  # noqa: E402
from gridlang.clauses.input_clauses import language_of  # noqa: E402
from gridlang.compiler.api.synthesis import states_of  # noqa: E402
from gridlang.compiler.synthesis.from_snapshots import SnapshotSearch  # noqa: E402
from gridlang.compiler.synthesis.snapshots import LAST_ALONE  # noqa: E402
from gridlang.files import write_whole  # noqa: E402
from gridlang.learners.traces.recording import traces_to_snapshots  # noqa: E402

RESULTS = ROOT / "benchmarks" / "results" / "snapshots.json"
PICTURE = ROOT / "docs" / "assets" / "snapshots.svg"
AGENTS = {
    "increment": "examples/increment.grid",
    "parity_check": "examples/suite/parity_check.grid",
    "even_pairs": "examples/suite/even_pairs.grid",
    "reverse_string": "examples/suite/reverse_string.grid",
    "duplicate_string": "examples/suite/duplicate_string.grid",
    "odds_first": "examples/suite/odds_first.grid",
    "binary_addition": "examples/suite/binary_addition.grid",
}
SHOWN = ("1 with head", "1", "2", "3", "5", "10", "last")  # steps between two grids
RUNS, STATES, NODES, LONGEST, OF_A_LENGTH = 100, 10, 20_000_000, 8, 200


def measured(name: str, shown: str, nodes: int) -> dict[str, Any]:
    """The agent that is found from one amount of snapshots."""
    path = str(ROOT / AGENTS[name])
    every = LAST_ALONE if shown == "last" else int(shown.split()[0])
    seen = traces_to_snapshots(gl.trace(path, rule="paper", count=RUNS), every, hide_head="head" not in shown)
    begun = time.process_time()
    search = SnapshotSearch(seen, None, STATES, nodes, lambda _: lambda _: None)
    found = search._find(STATES, nodes)
    to_find = search.outcome.nodes
    record = {
        "expert": states_of(gl.load(path).table),
        "runs": len(seen.runs),
        "grids": sum(map(len, seen.runs)),
        "nodes": to_find,
        "cpu_seconds": round(time.process_time() - begun, 1),
        "states": None,
        "right": None,
    }
    if found is not None:
        learned = found.judged.program
        record |= {"states": states_of(learned.table), "right": is_right(path, learned)}
    return record


def is_right(path: str, learned: gl.Program) -> bool:
    """Whether the agent leaves what the expert leaves."""
    expert = gl.load(path)
    language = language_of(expert.table)
    assert language is not None
    texts = (text for n in range(LONGEST + 1) for text in islice(language.texts(n), OF_A_LENGTH))
    return all(_left(expert, text) == _left(learned, text) for text in texts)


def _left(program: gl.Program, text: str) -> tuple[str, str]:
    run = program.run(text, steps=10_000)
    return run.outcome, run.result


def table(record: dict[str, dict[str, Any]]) -> str:
    """A line an agent: what was found from each amount, and how many rules were tried."""
    lines = [f"| agent | states | {' | '.join(map(_heading, SHOWN))} |", f"|{'---|' * (2 + len(SHOWN))}"]
    for name in AGENTS:
        cells = [record.get(f"{name} {shown}") for shown in SHOWN]
        known = next((cell for cell in cells if cell), None)
        if known:
            lines.append(f"| {name} | {known['expert']} | {' | '.join(map(_cell, cells))} |")
    return "\n".join(lines)


def _heading(shown: str) -> str:
    if shown == "last":
        return "only the last"
    count = int(shown.split()[0])
    every = "every step" if count == 1 else f"every {count} steps"
    return f"{every}{', with head' if 'head' in shown else ''}"


def _cell(cell: dict[str, Any] | None) -> str:
    if cell is None:
        return ""
    if cell["states"] is None:
        return "–"
    verdict = "" if cell["right"] else ", wrong elsewhere"
    return f"{cell['states']}{verdict} ({_short(cell['nodes'])})"


def _short(count: int) -> str:
    return f"{count / 1e6:.1f} M" if count >= 1e6 else f"{count / 1e3:.1f} k"


def picture(record: dict[str, dict[str, Any]]) -> str:
    """Rules tried, by how much was shown: a line an agent, on a scale of powers of ten."""
    left, top, wide, high, step = 95, 30, 560, 260, 560 // (len(SHOWN) - 1)
    colours = ("#4477aa", "#66ccee", "#228833", "#ccbb44", "#ee6677", "#aa3377", "#555555")
    most = 8  # powers of ten

    def y(nodes: int) -> float:
        return top + high * (1 - log10(max(nodes, 1)) / most)

    parts = [
        '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 850 360" font-family="sans-serif"',
        ' font-size="13"><rect width="850" height="360" fill="white"/>',
        f'<text x="{left}" y="16">Rules tried until an agent shows all grids.',
        f"Crosses: none within {NODES:,} rules, or wrong on other inputs.</text>",
    ]
    for power in range(1, most + 1):
        at = top + high * (1 - power / most)
        parts.append(f'<path d="M{left} {at:.0f}h{wide}" stroke="#ddd"/>')
        parts.append(f'<text x="{left - 8}" y="{at + 4:.0f}" text-anchor="end">{10**power:,}</text>')
    for number, shown in enumerate(SHOWN):
        words = _heading(shown).replace(", with head", ",\nwith head").split("\n")
        for line, word in enumerate(words):
            x, below = left + number * step, top + high + 20 + 16 * line
            parts.append(f'<text x="{x}" y="{below}" text-anchor="middle">{word}</text>')
    for (name, colour), place in zip(zip(AGENTS, colours, strict=True), range(len(AGENTS)), strict=True):
        points = [(n, record.get(f"{name} {shown}")) for n, shown in enumerate(SHOWN)]
        found = [(left + n * step, y(cell["nodes"])) for n, cell in points if cell and cell["right"]]
        path = " ".join(f"{x:.0f},{at:.0f}" for x, at in found)
        parts.append(f'<polyline points="{path}" fill="none" stroke="{colour}" stroke-width="2"/>')
        parts += [f'<circle cx="{x:.0f}" cy="{at:.0f}" r="4" fill="{colour}"/>' for x, at in found]
        for n, cell in points:
            if cell and not cell["right"]:
                x, at = left + n * step + 4 * (place - 3), top + 4 + 5 * place
                parts.append(
                    f'<path d="M{x - 4} {at - 4}l8 8m0 -8l-8 8" stroke="{colour}" stroke-width="2"/>'
                )
        key = top + 10 + 20 * place
        parts.append(f'<circle cx="{left + wide + 30}" cy="{key}" r="5" fill="{colour}"/>')
        states = next((cell["expert"] for _, cell in points if cell), "")
        parts.append(f'<text x="{left + wide + 42}" y="{key + 5}">{name} ({states})</text>')
    return "\n".join([*parts, "</svg>", ""])


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--only", nargs="*", choices=list(AGENTS), default=list(AGENTS))
    parser.add_argument("--nodes", type=int, default=NODES)
    parser.add_argument("--table", action="store_true")
    parser.add_argument("--results", type=Path, default=RESULTS)
    given = parser.parse_args()
    record = json.loads(given.results.read_text()) if given.results.exists() else {}
    for shown in () if given.table else SHOWN:
        for name in given.only:
            key = f"{name} {shown}"
            if key not in record:
                record[key] = measured(name, shown, given.nodes)
                print(key, record[key], file=sys.stderr, flush=True)
                write_whole(str(given.results), json.dumps(record, indent=1) + "\n")
    print(table(record))
    if given.results == RESULTS:
        write_whole(str(PICTURE), picture(record))


if __name__ == "__main__":
    main()
