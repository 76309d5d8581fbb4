"""What is read of fresh weights beside what was written: states declared, lines, boxes, CPU seconds, proofs.

    python benchmarks/readable.py                     trains what is missing in --models, a few minutes each
    python benchmarks/readable.py sort flood --seed 1
    python benchmarks/readable.py --shipped           the models among the examples

Models are trained on the CPU with the recipe `proof`; nothing is read with an expert, which only judges.
"""

from __future__ import annotations

import argparse
import re
import sys
import tempfile
import time
from pathlib import Path
from statistics import median, quantiles
from typing import NamedTuple

ROOT = Path(__file__).parent.parent
sys.path.insert(0, str(ROOT))

import gridlang as gl  # noqa: E402
from gridlang.compiler.drawing.graphs import state_graph  # noqa: E402
from gridlang.loading import load_source  # noqa: E402
from gridlang.source import Source  # noqa: E402
from gridlang.syntax.formatter import format_source  # noqa: E402

FOLDERS = ("examples", "benchmarks/agents", "examples/suite", "tests/agents")
SHIPPED = ("add2", "add10", "mult2", "mult10")


class Size(NamedTuple):
    declared: int
    lines: int
    boxes: int
    numbered: int


def size_of(path: Path, text: str) -> Size:
    """Of a source without its tests, claims and comments."""
    lines = [line.split(" #")[0].strip() for line in format_source(Source(str(path), text)).split("\n")]
    lines = [line for line in lines if line and not line.startswith(("#", "test ", "output ", "use "))]
    names = [line for line in lines if line.startswith("state ")]
    boxes = state_graph(load_source(Source(str(path), text)), fold=True).nodes
    return Size(len(names), len(lines), len(boxes), len([n for n in names if re.match(r"state \w+_\d", n)]))


def expert_of(name: str) -> tuple[Path, Path]:
    """The agent, and the file that holds its states: add10 takes them from add."""
    path = next(
        ROOT / folder / f"{name}.grid" for folder in FOLDERS if (ROOT / folder / f"{name}.grid").is_file()
    )
    whole = path if "\nstate " in path.read_text() else path.with_name(name.rstrip("0123456789") + ".grid")
    return path, whole


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("agents", nargs="*")
    parser.add_argument("--shipped", action="store_true")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--models", type=Path, default=Path(tempfile.gettempdir()) / "gridlang-fresh")
    options = parser.parse_args()
    options.models.mkdir(parents=True, exist_ok=True)
    ratios: list[float] = []
    print(f"{'':<24} states  lines  boxes   numbered  proven  extract")
    for name in options.agents or SHIPPED:
        path, whole = expert_of(name)
        model = ROOT / "examples/models" / f"{name}.safetensors"
        if not options.shipped and options.agents:
            model = options.models / f"{name}-{options.seed}.safetensors"
        if not model.is_file():
            gl.train(path, seed=options.seed, device="cpu", output=model)
        begun = time.process_time()
        found = gl.extract(model)
        seconds = time.process_time() - begun
        if found.table is None:
            print(f"{name:<24} refused: {found.refused[:70]}", flush=True)
            continue
        expert = gl.load(path)
        proven = gl.equiv(expert, found.table, scope="inputs" if expert.table.input else "worlds").equivalent
        mine, theirs = size_of(path, found.to_source()), size_of(whole, whole.read_text())
        ratios.append(mine.lines / theirs.lines)
        shown = "  ".join(f"{a:>2}/{b:<2}" for a, b in zip(mine[:3], theirs[:3], strict=True))
        print(f"{name:<24} {shown}  {mine.numbered:>6}    {proven!s:<7}{seconds:>6.1f} s", flush=True)
    last = quantiles(ratios, n=10)[-1] if len(ratios) > 1 else ratios[0]
    print(f"lines: median {median(ratios):.2f}, ninth decile {last:.2f} of the experts'")


if __name__ == "__main__":
    main()
