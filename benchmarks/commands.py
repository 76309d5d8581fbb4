"""CPU seconds of what a user types: the least of some runs.

python benchmarks/commands.py [--repeat N] ["prove examples/add10.grid" …]
"""

from __future__ import annotations

import argparse
import os
import resource
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parent.parent
sys.path.insert(0, str(ROOT))

from benchmarks.timing import ends_with  # noqa: E402

COMMANDS = (
    "check examples/add10.grid",  # what every command takes to start
    *(f"prove examples/{name}.grid" for name in ("add10", "compare", "subtract", "mult2")),
    *(f"test examples/{name}.grid" for name in ("add10", "mult10", "suite/compute_sqrt")),
    *(f"extract examples/models/{name}.safetensors -o {os.devnull}" for name in ("mult2", "mult10")),
)


def seconds(command: str) -> float:
    """CPU time of one run, that of all its processes together."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    words = [sys.executable, "-m", "gridlang", *command.split()]
    subprocess.run(words, cwd=ROOT, env={**os.environ, "PYTHONPATH": str(ROOT)}, capture_output=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("commands", nargs="*", default=COMMANDS)
    parser.add_argument("--repeat", type=int, default=3)
    options = parser.parse_args()
    for command in options.commands:
        least = min(seconds(command) for _ in range(options.repeat))
        print(f"{command:50} {least:7.2f}", flush=True)


if __name__ == "__main__":
    ends_with(main)
