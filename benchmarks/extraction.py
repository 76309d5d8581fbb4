"""Extraction without an expert: of models that are proven with one, how many it gives, and gives rightly.

    python benchmarks/league.py --methods dfst --tasks mult2 --rules both --sizes 100 1000 4000 --only-train
    python benchmarks/extraction.py runs/league/mult2-both-dfst-100-1000-4000.zip
    python benchmarks/extraction.py examples/models/mult2.safetensors

Each model, or each of an archive that the league has trained, is judged on inputs, with its expert. Then it
is extracted as `gridlang extract` does, which knows no expert, and its table is compared with the expert's on
inputs. Files are named after the example that is their expert. Records go to
benchmarks/results/extraction.json, one entry a model.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from pathlib import Path
from typing import Any, NamedTuple

ROOT = Path(__file__).parent.parent
sys.path.insert(0, str(ROOT))

from benchmarks.league_draws import Question, verdict_on  # noqa: E402
from benchmarks.league_networks import kept  # noqa: E402
from benchmarks.timing import ends_with  # noqa: E402
from gridlang.compiler.extraction.extract import extract  # noqa: E402
from gridlang.compiler.proofs.prove import prove  # noqa: E402
from gridlang.compiler.tensors.model import model_from_bytes  # noqa: E402
from gridlang.files import write_whole  # noqa: E402
from gridlang.learners.runtime.hardware import cores  # noqa: E402
from gridlang.learners.runtime.processes import in_processes  # noqa: E402
from gridlang.loading import load  # noqa: E402
from gridlang.table_json import table_from_json, table_to_json  # noqa: E402

PATIENCE = 300.0  # seconds for one model, judged and extracted


class Asked(NamedTuple):
    """One model of an archive, and its expert."""

    name: str
    model: bytes
    expert: str


def asked_about(place: Path) -> list[Asked]:
    """The model in a file, or those in an archive that did not diverge."""
    expert = ROOT / "examples" / f"{place.stem.split('-')[0]}.grid"
    if not place.is_file():
        sys.exit(f"there is no file {place}")
    if not expert.is_file():
        sys.exit(f"{place} is named after no example")
    table = table_to_json(load(expert).table)
    if place.suffix != ".zip":
        return [Asked(place.stem, place.read_bytes(), table)]
    models = [each for each in kept(place).learned if each.model]
    return [Asked(f"{place.stem}/{each.draw}", each.model, table) for each in models]


def both_ways(asked: Asked) -> dict[str, Any]:
    """What is proven of the model, and what of the table that is extracted without an expert."""
    proven, _, judging = verdict_on(Question(0, "inputs", asked.model, asked.expert))
    begun = time.process_time()
    alone = extract(model_from_bytes(asked.model))
    seconds = time.process_time() - begun
    same = None if alone.table is None else prove(table_from_json(asked.expert), alone.table, "inputs")
    return {
        "model": asked.name,
        "proven": proven,
        "judging": round(judging, 2),
        "refused": alone.refused,
        "states": alone.states,
        "clusters": alone.clusters,
        "drifts_beyond": alone.drifts_beyond,
        "table_proven": None if same is None else same.equivalent,
        "seconds": round(seconds, 2),
    }


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("models", nargs="+", type=Path, help="TASK.safetensors, or TASK-….zip of the league")
    parser.add_argument("--results", type=Path, default=ROOT / "benchmarks" / "results")
    options = parser.parse_args()
    path = options.results / "extraction.json"
    record: dict[str, Any] = json.loads(path.read_text()) if path.exists() else {}
    wanted = [asked for place in options.models for asked in asked_about(place) if asked.name not in record]
    for done in in_processes(both_ways, wanted, cores(), PATIENCE, one_core=True):
        unknown = {"model": done.task.name, "proven": None, "refused": "it took too long"}
        record[done.task.name] = done.answer or unknown
        write_whole(path, json.dumps(record, indent=1, sort_keys=True) + "\n")
        print(json.dumps(record[done.task.name]), flush=True)
    proven = [each for each in record.values() if each["proven"]]
    given = sum(each["refused"] == "" for each in proven)
    right = sum(each["table_proven"] is True for each in proven)
    print(f"models: {len(record)}; proven with an expert: {len(proven)}", end="; ")
    print(f"of these extracted without one: {given}")
    print(f"of those that are extracted, proven to do what the expert does: {right}")


if __name__ == "__main__":
    ends_with(main, "; the same command goes on with what is done")
