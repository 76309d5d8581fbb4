"""Linear algebra on traces that nobody chose: how often it is proven, beside state merging.

    python benchmarks/spectral.py                       small agents, random sequences of reads, 8 draws each

A draw is proven if what is extracted does what the agent does on all worlds. The record is
benchmarks/results/spectral.json.
"""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path

ROOT = Path(__file__).parent.parent
sys.path.insert(0, str(ROOT))

import gridlang as gl  # noqa: E402
from gridlang.files import write_whole  # noqa: E402

AGENTS = ("increment", "suite/parity_check", "suite/missing_duplicate", "ant", "add2")
SIZES = (100, 400)
METHODS = ("spectral", "merge")
FIRST_SEED = 40_000  # No other experiment here uses these seeds.


def proven(path: Path, size: int, method: str, seed: int) -> bool:
    """Whether what one draw of traces gives is right on all worlds."""
    traces = gl.trace(path, rule=f"random-reads:{size}", seed=seed)
    (model,) = gl.train(traces, method=method)
    return gl.equiv(path, model).equivalent is True


def page_rows(record: dict[str, dict[str, int]]) -> list[str]:
    """The record as rows of docs/research/asking.md: draws proven by spectral / by merge."""
    names = dict.fromkeys(key.split(":")[0] for key in record)
    return [f"| {name} | {' | '.join(_cell(record, name, size) for size in SIZES)} |" for name in names]


def _cell(record: dict[str, dict[str, int]], name: str, size: int) -> str:
    here = record.get(f"{name}:{size}", {})
    return " / ".join(str(here.get(method, "")) for method in METHODS)


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument("agents", nargs="*", default=AGENTS)
    options.add_argument("--sizes", nargs="+", type=int, default=SIZES)
    options.add_argument("--draws", type=int, default=8)
    options.add_argument("--results", type=Path, default=ROOT / "benchmarks" / "results")
    given = options.parse_args()
    file = given.results / "spectral.json"
    record = json.loads(file.read_text()) if file.exists() else {}
    seeds = range(FIRST_SEED, FIRST_SEED + given.draws)
    for name in given.agents:
        path = ROOT / "examples" / f"{name}.grid"
        for size in given.sizes:
            right = {method: sum(proven(path, size, method, seed) for seed in seeds) for method in METHODS}
            record[f"{path.stem}:{size}"] = right
            print(path.stem, size, right, flush=True)
            write_whole(str(file), json.dumps(record, indent=1) + "\n")


if __name__ == "__main__":
    main()
