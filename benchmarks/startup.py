"""How fast `gridlang check` starts, and how fast files are checked and lowered; ratios in one run.

python benchmarks/startup.py [--repeat N]
"""

from __future__ import annotations

import argparse
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

ROOT = Path(__file__).parent.parent
sys.path.insert(0, str(ROOT))

from benchmarks.timing import ends_with  # noqa: E402
from gridlang.loading import try_load  # noqa: E402

PEER = [sys.executable, "-c", "import lark, click"]
CHECK = [sys.executable, "-m", "gridlang", "check", str(ROOT / "examples" / "add10.grid")]


def median(work: Callable[[], object], repeat: int) -> float:
    """Seconds, as the median of several runs."""
    times = []
    for _ in range(repeat):
        start = time.perf_counter()
        work()
        times.append(time.perf_counter() - start)
    return statistics.median(times)


def command(arguments: list[str]) -> Callable[[], object]:
    return lambda: subprocess.run(arguments, check=True, capture_output=True, cwd=ROOT)


def rules(count: int) -> str:
    """A file with `count` rules, six in a state."""
    lines = ["agent generated", "alphabet", "  digit = 0..5", "start s0"]
    for state in range(count // 6):
        lines.append(f"state s{state}")
        after = (state + 1) % (count // 6)
        lines += [f"  {x} : write ({x} + 1) mod 6, R -> s{after}" for x in range(6)]
    return "\n".join(lines) + "\n"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--repeat", type=int, default=15, help="how often commands are started")
    repeat = parser.parse_args().repeat
    command(CHECK)()  # the grammar is cached from the first run on
    check, peer = median(command(CHECK), repeat), median(command(PEER), repeat)
    print(f"gridlang check add10.grid      {check * 1e3:7.1f} ms")
    print(
        f"python -c 'import lark, click' {peer * 1e3:7.1f} ms   ratio {check / peer:.2f} (goal: at most 1.7)"
    )
    mult = median(lambda: try_load(ROOT / "examples" / "mult10.grid"), min(5, repeat))
    print(f"check and lower mult10         {mult * 1e3:7.1f} ms   (goal: under 300)")
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "generated.grid"
        path.write_text(rules(3000), encoding="utf-8")
        many = median(lambda: try_load(path), min(3, repeat))
    print(f"check and lower 3,000 rules    {many * 1e3:7.1f} ms   (goal: under 1500)")


if __name__ == "__main__":
    ends_with(main)
