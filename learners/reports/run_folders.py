"""The files of `train`, `sweep` and `learn`, read as records."""

from __future__ import annotations

import json
import os
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from gridlang.diagnostics import fail
from gridlang.files import read_bytes
from gridlang.learners.learning.rounds import LOCK as LEARN_LOCK
from gridlang.learners.reports.limits import LIMITS
from gridlang.learners.reports.run_records import (
    LEARN,
    TRAIN,
    RoundRecord,
    RunRecord,
    SeedRecord,
    chained,
    count,
    curves_of,
    duration,
    number,
    rate_curves,
    speed_curves,
)
from gridlang.learners.runtime.folder_lock import is_held
from gridlang.learners.training.journal import MEASURES, METRICS
from gridlang.learners.training.train import LOCK as TRAIN_LOCK

HINT = "name a folder that `train`, `sweep` or `learn` has left: NAME.run, NAME.learn, or that of `sweep -o`"
# other files by their endings, and the command that shows them
OTHERS = {
    ".grid": "it is a program: `gridlang view` shows it",
    ".safetensors": "it is a model: `gridlang view` and `gridlang eval` show it",
    ".npz": "it holds traces or a checkpoint: name the folder of the run",
    ".jsonl": "it is a file of a run: name its folder",
}
PARTS = ("run.json", "learning.json", "sweep.json", "result.json", "round.json")  # files in these folders
CURVES = ("losses", "lengths", "margins", "learning_rates", "speeds")  # fields of a record


def read_run_records(paths: Sequence[str]) -> list[RunRecord]:
    """All records of the folders; GridError for one that is not a run."""
    records = [record for path in paths for record in _records_in(path)]
    times, seen = Counter(record.label for record in records), Counter[str]()
    for place, record in enumerate(records):
        seen[record.label] += 1
        if times[record.label] > 1:
            records[place] = replace(record, label=f"{record.label} ({seen[record.label]})")
    return records


def _records_in(path: str) -> list[RunRecord]:
    if os.path.isfile(path):
        raise fail("G172", "this is a file, not the folder of a run", _folder_of(path), path)
    if not os.path.isdir(path):
        raise fail("G001", "there is no such folder", HINT, path)
    if os.path.exists(os.path.join(path, "learning.json")):
        return [_guarded(_learned, path)]
    if os.path.exists(os.path.join(path, "run.json")):
        return [_guarded(_trained, path)]
    jobs = [os.path.join(path, name) for name in sorted(os.listdir(path))]
    blocks = [_guarded(_trained, job) for job in jobs if os.path.exists(os.path.join(job, "run.json"))]
    if not blocks:
        raise fail("G172", "this folder holds no run", HINT, path)
    joined: dict[str, list[RunRecord]] = {}
    for block in blocks:
        joined.setdefault(block.label, []).append(block)
    return [_joined(records) for records in joined.values()]


def _folder_of(path: str) -> str:
    """What to do with a file that stands where the folder of a run is wanted."""
    if os.path.basename(path) in PARTS:
        return f"it is a file of a run: name its folder, {os.path.dirname(path) or '.'}"
    return OTHERS.get(os.path.splitext(path)[1], HINT)


def _guarded(read: Any, path: str) -> RunRecord:
    """Files of a run are plain JSON, which anybody may have changed."""
    try:
        record: RunRecord = read(path)
        if not f"{record.label}{record.agent}".isprintable():
            raise ValueError("its name cannot be printed")
        return record
    except (LookupError, ValueError, TypeError, AttributeError, ArithmeticError, RecursionError) as error:
        hint = f"it was changed or damaged: {type(error).__name__} {str(error)[:80]}"
        raise fail("G173", "a file of this run cannot be read", hint, path) from None


def _json(path: str) -> dict[str, Any]:
    data = json.loads(read_bytes(path, LIMITS.file_bytes, path))
    if not isinstance(data, dict):
        raise TypeError(f"{os.path.basename(path)} holds no object")
    return data


def _json_if_any(folder: str, name: str) -> dict[str, Any]:
    """What a file holds; nothing where there is none."""
    path = _file_if_any(folder, name)
    return _json(path) if path else {}


def _lines(path: str) -> Iterator[dict[str, Any]]:
    """The lines of a `.jsonl` file; one that was cut off while it was written is left out."""
    if not os.path.exists(path):
        return
    for line in read_bytes(path, LIMITS.file_bytes, path).decode(errors="replace").split("\n"):
        try:
            data = json.loads(line)
        except (ValueError, RecursionError):
            continue
        if isinstance(data, dict):
            yield data


def _trained(folder: str) -> RunRecord:
    """A folder of `train`, or one job of a sweep."""
    settings = _json(os.path.join(folder, "run.json"))
    seeds = [int(seed) for seed in settings["seeds"]]
    metrics = _of_all_seeds(folder, METRICS, "loss", seeds)
    measures = _of_all_seeds(folder, MEASURES, "margin", seeds)
    ended = _json_if_any(folder, "result.json")
    passed = {int(model["seed"]): model["passed"] for model in ended.get("models", ())}
    record = RunRecord(
        label=_label(folder, seeds),
        kind=TRAIN,
        agent=str(settings["name"]),
        iterations=count(settings["recipe"]["iterations"]),
        losses=curves_of(metrics, "loss", seeds),
        outcomes=tuple(_outcomes(folder, seeds, metrics, passed)),
        lengths=curves_of(measures, "rlg", seeds),
        margins=curves_of(measures, "margin", seeds),
        learning_rates=rate_curves(metrics),
        speeds=speed_curves(metrics),
        digits=int((ended.get("evaluation") or {}).get("digits", 0)),
        seconds=duration(metrics[-1]["seconds"]) if metrics else 0.0,
        facts=_facts(settings),
        running=is_held(folder, TRAIN_LOCK),
    )
    return replace(record, ended=bool(ended) or record.is_through)


def _of_all_seeds(folder: str, name: str, key: str, seeds: Sequence[int]) -> list[dict[str, Any]]:
    """The lines of a file that hold a number for each seed."""
    return [line for line in _lines(os.path.join(folder, name)) if len(line[key]) == len(seeds)]


def _label(folder: str, seeds: Sequence[int]) -> str:
    """The folder's name, without the seeds that a sweep ends it with."""
    name = os.path.basename(os.path.abspath(folder))
    name = name.removesuffix(".run").removesuffix(".learn")
    span = f"{seeds[0]}" if len(seeds) == 1 else f"{seeds[0]}-{seeds[-1]}"
    return name.removesuffix(f"-{span}") or name


def _outcomes(
    folder: str, seeds: Sequence[int], metrics: Sequence[Mapping[str, Any]], passed: Mapping[int, Any]
) -> Iterator[SeedRecord]:
    for place, seed in enumerate(seeds):
        column = [(int(line["iteration"]), line["loss"][place]) for line in metrics]
        loss = column[-1][1] if column else None
        lost = next((at for at, value in column if value is None), None)
        model = _file_if_any(folder, f"seed-{seed}.safetensors")
        yield SeedRecord(seed, number(loss), lost, model, passed.get(seed))


def _file_if_any(folder: str, name: str) -> str:
    path = os.path.join(folder, name)
    return path if os.path.exists(path) else ""


def _facts(settings: Mapping[str, Any]) -> dict[str, Any]:
    """The settings of a run, if they have the right form."""
    tables = {key: settings.get(key) for key in ("recipe", "data", "versions")}
    facts = {key: table for key, table in tables.items() if isinstance(table, dict)}
    return facts | {
        key: settings[key] for key in ("engine", "gpu", "dim", "scope", "command") if settings.get(key)
    }


def _joined(blocks: Sequence[RunRecord]) -> RunRecord:
    """The jobs of a sweep that differ in their seeds alone, as one."""
    first = blocks[0]
    curves: dict[str, Any] = {
        name: tuple(part for block in blocks for part in getattr(block, name)) for name in CURVES
    }
    return replace(
        first,
        **curves,
        outcomes=tuple(sorted((o for b in blocks for o in b.outcomes), key=lambda o: o.seed)),
        digits=max(block.digits for block in blocks),
        seconds=sum(block.seconds for block in blocks),
        running=any(block.running for block in blocks),
        ended=all(block.ended for block in blocks),
    )


def _learned(folder: str) -> RunRecord:
    """A folder of `learn`: its rounds follow each other on one axis."""
    about = _json(os.path.join(folder, "learning.json"))
    seeds = [int(seed) for seed in about["seeds"]]
    trained: list[RunRecord] = []
    rounds: list[RoundRecord] = []
    last = {seed: SeedRecord(seed) for seed in seeds}
    facts, traces = _facts(about), ""
    for ordinal in range(1, 10_000):
        place = os.path.join(folder, f"round-{ordinal}")
        parts = _trained_in(place)
        if not parts:
            break
        run = _json(os.path.join(parts[0], "run.json"))
        trained.append(_joined([_trained(part) for part in parts]))
        facts |= {key: value for key, value in _facts(run).items() if key not in ("recipe", "command")}
        summary = _json_if_any(place, "round.json")
        judged = _judged(place, summary, [outcome.seed for outcome in trained[-1].outcomes])
        for outcome in trained[-1].outcomes:
            certificate = _file_if_any(place, f"seed-{outcome.seed}.certificate.json")
            found = replace(outcome, round=ordinal, certificate=certificate)
            last[outcome.seed] = found.with_result(judged.get(outcome.seed, {}))
        rounds.append(_round(ordinal, summary, run, judged))
        traces = _file_if_any(place, "traces.npz") or traces
    curves: dict[str, Any] = {name: chained(trained, name) for name in CURVES}
    return RunRecord(
        label=_label(folder, seeds),
        kind=LEARN,
        agent=str(about["name"]),
        iterations=sum(run.iterations for run in trained) or count(about["recipe"]["iterations"]),
        outcomes=tuple(last.values()),
        seconds=sum(run.seconds for run in trained),
        rounds=tuple(rounds),
        traces=traces,
        facts=facts,
        running=is_held(folder, LEARN_LOCK),
        ended=all(each.ended for each in rounds) and bool(rounds),
        **curves,
    )


def _trained_in(place: str) -> list[str]:
    """The folders in which a round was trained: its own, or those of its jobs on a cluster."""
    if os.path.exists(os.path.join(place, "run.json")):
        return [place]
    return sorted(os.path.dirname(path) for path in Path(place).glob("seeds-*/run.json"))


def _judged(place: str, summary: Mapping[str, Any], seeds: Sequence[int]) -> dict[int, dict[str, Any]]:
    """The results of a round so far."""
    if summary:
        return {int(result["seed"]): result for result in summary["results"]}
    found = {seed: _json_if_any(place, f"seed-{seed}.json") for seed in seeds}
    return {seed: result for seed, result in found.items() if result}


def _round(
    number: int, summary: Mapping[str, Any], run: Mapping[str, Any], judged: Mapping[int, Mapping[str, Any]]
) -> RoundRecord:
    return RoundRecord(
        number,
        traces=count(run["data"]["traces"]),
        hard=int(summary.get("hard", 0)),
        iterations=count(run["recipe"]["iterations"]),
        seconds=duration(summary.get("training_seconds", 0), summary.get("judging_seconds", 0)),
        verdicts={seed: str(result["verdict"]) for seed, result in judged.items()},
        ended=bool(summary),
    )
