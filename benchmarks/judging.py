"""What it takes to judge a model: processor seconds of one core to extract it, and to prove or refute it.

    python benchmarks/judging.py                     the models among the examples
    python benchmarks/judging.py RUN.learn           all models of a run of `gridlang learn`
    python benchmarks/judging.py --json after.json MODEL.safetensors …

A model is judged as `learn` does it, at both scopes: short and long runs of the float weights, exploration,
proof, and certificate. `extract` is what the command of this name does without an expert. Seconds are of the
process alone (user time), without loading Python and numpy, and without the C compiler's, once a machine.
"""

from __future__ import annotations

import os

os.environ["OMP_NUM_THREADS"] = "1"  # One core is measured; this comes before numpy.

import argparse
import json
import resource
import sys
from collections.abc import Callable, Iterator
from multiprocessing import get_context
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parent.parent
sys.path.insert(0, str(ROOT))

from benchmarks.timing import ends_with  # noqa: E402
from gridlang.compiler.extraction.extract import extract  # noqa: E402
from gridlang.compiler.tensors.dfst import dfst_from_bytes  # noqa: E402
from gridlang.learners.learning.seed_verdicts import SeedQuery, seed_result  # noqa: E402
from gridlang.loading import load  # noqa: E402
from gridlang.table_json import table_to_json  # noqa: E402

SCOPES = ("worlds", "inputs")
KEPT = ("verdict", "reason", "states", "clusters", "followed_up_to", "counterexample")  # of a result


def models_of(places: list[Path]) -> Iterator[Path]:
    """Model files, and those of the rounds of a run."""
    for place in places:
        yield from sorted(place.glob("round-*/seed-*.safetensors")) if place.is_dir() else (place,)


def expert_of(model: Path) -> Path:
    """The example that a model, or the run that it is from, is named after."""
    names = [part.split(".")[0].split("-")[0] for part in reversed(model.parts)]
    experts = (ROOT / "examples" / f"{name}.grid" for name in names)
    expert = next((expert for expert in experts if expert.is_file()), None)
    return expert or sys.exit(f"{model} is named after no example")


def judged(model: Path, scope: str) -> dict[str, Any]:
    """The verdict at a scope, as `learn` asks for it."""
    expert, weights = expert_of(model), model.read_bytes()
    parts = table_to_json(load(expert).table), str(expert), expert.read_bytes()
    query = SeedQuery(0, str(model), weights, *parts, {}, scope, None, length=12, round=1)
    result = seed_result(query)
    return {**{name: getattr(result, name) for name in KEPT}, "certified": bool(result.certificate)}


def extracted(model: Path, scope: str) -> dict[str, Any]:
    """The extraction without an expert."""
    extraction = extract(dfst_from_bytes(model.read_bytes()), scope=scope)
    return {"states": extraction.states, "clusters": extraction.clusters, "reason": extraction.refused}


def timed(work: Callable[[Path, str], dict[str, Any]], model: Path, scope: str, to: Connection) -> None:
    before = resource.getrusage(resource.RUSAGE_SELF).ru_utime
    answer = work(model, scope)
    to.send({"seconds": resource.getrusage(resource.RUSAGE_SELF).ru_utime - before, **answer})


def measured(work: Callable[[Path, str], dict[str, Any]], model: Path, scope: str) -> dict[str, Any]:
    """The answer and its seconds, in a process of its own: nothing is left over from another model."""
    context = get_context("fork")
    here, there = context.Pipe(duplex=False)
    process = context.Process(target=timed, args=(work, model, scope, there))
    process.start()
    there.close()
    try:
        answer: dict[str, Any] = here.recv()
    except EOFError:
        sys.exit(f"{model}: the process that judged it has failed")
    process.join()
    return answer


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    options.add_argument("models", nargs="*", type=Path, default=[ROOT / "examples" / "models"])
    options.add_argument("--json", type=Path, help="also write all answers to this file")
    chosen = options.parse_args()
    shipped = sorted((ROOT / "examples" / "models").glob("*.safetensors"))
    models = shipped if chosen.models == [ROOT / "examples" / "models"] else list(models_of(chosen.models))
    rows = []
    print(f"{'model':<34} {'asked':<8} {'seconds':>7}  answer")
    for model in models:
        for name, work, scope in (
            ("extract", extracted, "auto"),
            *((scope, judged, scope) for scope in SCOPES),
        ):
            answer = measured(work, model, scope)
            rows.append({"model": "/".join(model.parts[-3:]), "asked": name, **answer})
            said = answer.get("verdict") or ("refused" if answer["reason"] else "extracted")
            size = f"{answer['states']} states from {answer['clusters']} clusters" if answer["states"] else ""
            print(
                f"{rows[-1]['model'][-34:]:<34} {name:<8} {answer['seconds']:7.2f}  {said} {size}", flush=True
            )
    if chosen.json:
        chosen.json.write_text(json.dumps(rows, indent=1) + "\n")


if __name__ == "__main__":
    ends_with(main)
