"""The pictures of docs/guide/gallery.md, made by the commands that stand there.

    python benchmarks/gallery.py              all of them, into docs/gallery/
    python benchmarks/gallery.py --to FOLDER  somewhere else
    python benchmarks/gallery.py --only ant   those whose names begin so

The one picture of a page needs chromium; without it that one is left as it is.
"""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np
import numpy.typing as npt

ROOT = Path(__file__).parent.parent
sys.path.insert(0, str(ROOT))

from benchmarks.timing import ends_with  # noqa: E402
from gridlang.compiler.engines import execute  # noqa: E402
from gridlang.compiler.notebooks import png  # noqa: E402
from gridlang.loading import load  # noqa: E402
from gridlang.world import World  # noqa: E402

CELL = 6  # pixels of a cell
COMMANDS = (
    "gridlang view examples/add2.grid -o add2.svg",
    "gridlang view examples/add10.grid -o add10.svg",
    "gridlang view examples/mult2.grid -o mult2.svg",
    "gridlang view examples/mult10.grid -o mult10.svg",
    "gridlang view examples/subtract.grid -o subtract.svg",
    "gridlang view examples/models/add2.safetensors -o learned-add2.svg",
    "gridlang view examples/models/add10.safetensors -o learned-add10.svg",
    "gridlang view examples/models/mult2.safetensors -o learned-mult2.svg",
    "gridlang view examples/models/mult10.safetensors -o learned-mult10.svg",
    "gridlang view careless.grid --against examples/add2.grid -o careless.svg",
    "gridlang view careless.grid --against examples/add2.grid -o careless.html",
    "gridlang view examples/ant.grid -o ant.svg",
)


def careless() -> str:
    """An agent that adds, but forgets to carry."""
    source = load(ROOT / "examples" / "add2.grid").to_source()
    return source.replace("shift((d+v) div base)", "shift(0)").replace("agent add2", "agent careless")


def ant_pixels() -> npt.NDArray[np.uint8]:
    """What Langton's ant has drawn after 11,000 steps; red where it stands."""
    done = execute(load(ROOT / "examples" / "ant.grid").table, World({}), 11_000, "auto")
    box = done.world.box
    assert box is not None
    shape = (box.bottom - box.top + 5, box.right - box.left + 5, 3)
    pixels = np.full(shape, 255, np.uint8)
    for x, y in done.world.cells:
        pixels[y - box.top + 2, x - box.left + 2] = (28, 35, 48)
    x, y = done.cell
    pixels[y - box.top + 2, x - box.left + 2] = (214, 51, 108)
    return pixels.repeat(CELL, 0).repeat(CELL, 1)


def screenshot(page: Path, output: Path) -> None:
    browser = shutil.which("chromium") or shutil.which("google-chrome")
    if browser is None:
        print(f"no chromium here: {output} is left as it is", file=sys.stderr)
        return
    options = ["--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars", "--window-size=1240,740"]
    shot = [f"--screenshot={output}", "--virtual-time-budget=3000", page.as_uri()]
    subprocess.run([browser, *options, *shot], check=True, capture_output=True)


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--to", type=Path, default=ROOT / "docs" / "gallery", metavar="FOLDER")
    parser.add_argument("--only", default="", metavar="NAME", help="the pictures whose names begin so")
    options = parser.parse_args()
    folder: Path = options.to.resolve()
    folder.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as name:
        work = Path(name)
        (work / "examples").symlink_to(ROOT / "examples")
        (work / "careless.grid").write_text(careless(), encoding="utf-8")
        for command in (c for c in COMMANDS if c.split()[-1].startswith(options.only)):
            print(command)
            words = command.split()
            environment = {**os.environ, "PYTHONPATH": str(ROOT)}
            subprocess.run([sys.executable, "-m", *words], cwd=work, check=True, env=environment)
            if words[-1].endswith(".svg"):
                shutil.copyfile(work / words[-1], folder / words[-1])
        if (work / "careless.html").exists():
            screenshot(work / "careless.html", folder / "careless.png")
    if "ant.png".startswith(options.only):
        (folder / "ant.png").write_bytes(png(ant_pixels()))
    return 0


if __name__ == "__main__":
    ends_with(main)
