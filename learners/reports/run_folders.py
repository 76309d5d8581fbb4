"""What `train`, `sweep`, `learn` and `benchmarks/paper.py` leave in files, read as records."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from math import isfinite
from typing import Any

from gridlang.diagnostics import fail
from gridlang.files import read_bytes
from learners.reports.run_records import BENCHMARK, LEARN, TRAIN, RoundRecord, RunRecord, SeedRecord

MAX_BYTES = 500_000_000  # A larger file was not left by a run.
HINT = "name a folder that `train`, `sweep` or `learn` has left: NAME.run, NAME.learn, or that of `sweep -o`"


def read_run_records(paths: Sequence[str]) -> list[RunRecord]:
    """All that the folders hold; GridError for one that is no run."""
    records = [record for path in paths for record in _records_in(path)]
    names = [record.label for record in records]
    twice = {name for name in names if names.count(name) > 1}
    seen: dict[str, int] = {}
    for place, record in enumerate(records):
        if record.label in twice:
            seen[record.label] = seen.get(record.label, 0) + 1
            records[place] = replace(record, label=f"{record.label} ({seen[record.label]})")
    return records


def _records_in(path: str) -> list[RunRecord]:
    if os.path.isfile(path):
        return [_guarded(_benchmark, path)]
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
    data = json.loads(read_bytes(path, MAX_BYTES, path))
    if not isinstance(data, dict):
        raise TypeError(f"{os.path.basename(path)} holds no object")
    return data


def _lines(path: str) -> Iterator[dict[str, Any]]:
    """The lines of a `.jsonl` file; one that was cut off while it was written is left out."""
    if not os.path.exists(path):
        return
    for line in read_bytes(path, MAX_BYTES, path).decode(errors="replace").split("\n"):
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
    metrics = [
        line for line in _lines(os.path.join(folder, "metrics.jsonl")) if len(line["loss"]) == len(seeds)
    ]
    result = os.path.join(folder, "result.json")
    ended = _json(result) if os.path.exists(result) else {}
    passed = {int(model["seed"]): model["passed"] for model in ended.get("models", ())}
    outcomes = tuple(
        replace(outcome, passed=passed.get(outcome.seed)) for outcome in _outcomes(folder, seeds, metrics)
    )
    curve = {int(p["iteration"]): p["rlg"] for p in _lines(os.path.join(folder, "rlg.jsonl"))}
    return RunRecord(
        label=_label(folder, seeds),
        kind=TRAIN,
        agent=str(settings["name"]),
        iterations=int(settings["recipe"]["iterations"]),
        losses=tuple(_losses(metrics)),
        outcomes=outcomes,
        lengths=tuple((at, tuple(map(int, curve[at]))) for at in sorted(curve)),
        digits=int((ended.get("evaluation") or {}).get("digits", 0)),
        seconds=float(metrics[-1]["seconds"]) if metrics else 0.0,
        facts=_facts(settings),
    )


def _label(folder: str, seeds: Sequence[int]) -> str:
    """The folder's name, without the seeds that a sweep ends it with."""
    name = os.path.basename(os.path.abspath(folder)).removesuffix(".run").removesuffix(".learn")
    span = f"{seeds[0]}" if len(seeds) == 1 else f"{seeds[0]}-{seeds[-1]}"
    return name.removesuffix(f"-{span}") or name


def _losses(metrics: Iterable[Mapping[str, Any]], after: int = 0) -> Iterator[tuple[int, tuple[float, ...]]]:
    for line in metrics:
        losses = tuple(float(loss) for loss in line["loss"] if loss is not None and isfinite(loss))
        if losses:
            yield after + int(line["iteration"]), losses


def _outcomes(
    folder: str, seeds: Sequence[int], metrics: Sequence[Mapping[str, Any]]
) -> Iterator[SeedRecord]:
    for place, seed in enumerate(seeds):
        column = [(int(line["iteration"]), line["loss"][place]) for line in metrics]
        loss = column[-1][1] if column else None
        lost = next((at for at, value in column if value is None), None)
        path = os.path.join(folder, f"seed-{seed}.safetensors")
        model = path if os.path.exists(path) else ""
        yield SeedRecord(seed, _number(loss), lost, model)


def _facts(settings: Mapping[str, Any]) -> dict[str, Any]:
    """What is told of how a run was made, if it is what it should be."""
    tables = {key: settings.get(key) for key in ("recipe", "data", "versions")}
    facts = {key: table for key, table in tables.items() if isinstance(table, dict)}
    return facts | {key: settings[key] for key in ("engine", "gpu", "dim", "scope") if settings.get(key)}


def _joined(blocks: Sequence[RunRecord]) -> RunRecord:
    """The jobs of a sweep that differ in their seeds alone, as one."""
    first = blocks[0]
    losses: dict[int, list[float]] = {}
    for block in blocks:
        for at, values in block.losses:
            losses.setdefault(at, []).extend(values)
    lengths: dict[int, list[int]] = {}
    for block in blocks:
        for at, reached in block.lengths:
            lengths.setdefault(at, []).extend(reached)
    return replace(
        first,
        losses=tuple((at, tuple(losses[at])) for at in sorted(losses)),
        lengths=tuple((at, tuple(lengths[at])) for at in sorted(lengths)),
        outcomes=tuple(sorted((o for b in blocks for o in b.outcomes), key=lambda o: o.seed)),
        digits=max(block.digits for block in blocks),
        seconds=sum(block.seconds for block in blocks),
    )


def _learned(folder: str) -> RunRecord:
    """A folder of `learn`: its rounds follow each other on one axis."""
    about = _json(os.path.join(folder, "learning.json"))
    seeds = [int(seed) for seed in about["seeds"]]
    losses: list[tuple[int, tuple[float, ...]]] = []
    rounds: list[RoundRecord] = []
    last = {seed: SeedRecord(seed) for seed in seeds}
    facts, seconds, before, traces = _facts(about), 0.0, 0, ""
    for number in range(1, 10_000):
        place = os.path.join(folder, f"round-{number}")
        if not os.path.exists(os.path.join(place, "run.json")):
            break
        run = _json(os.path.join(place, "run.json"))
        taught = [int(seed) for seed in run["seeds"]]
        metrics = [m for m in _lines(os.path.join(place, "metrics.jsonl")) if len(m["loss"]) == len(taught)]
        losses += _losses(metrics, before)
        before += int(run["recipe"]["iterations"])
        seconds += float(metrics[-1]["seconds"]) if metrics else 0.0
        facts |= {key: value for key, value in _facts(run).items() if key != "recipe"}
        judged = _judged(place, taught)
        for outcome in _outcomes(place, taught, metrics):
            result = judged.get(outcome.seed, {})
            last[outcome.seed] = _with_result(replace(outcome, round=number), result, place)
        rounds.append(_round(number, place, run, judged))
        path = os.path.join(place, "traces.npz")
        traces = path if os.path.exists(path) else traces
    return RunRecord(
        label=_label(folder, seeds),
        kind=LEARN,
        agent=str(about["name"]),
        iterations=before or int(about["recipe"]["iterations"]),
        losses=tuple(losses),
        outcomes=tuple(last.values()),
        seconds=seconds,
        rounds=tuple(rounds),
        traces=traces,
        facts=facts,
    )


def _judged(place: str, seeds: Sequence[int]) -> dict[int, dict[str, Any]]:
    """The results of a round, as far as there are any yet."""
    whole = os.path.join(place, "round.json")
    if os.path.exists(whole):
        return {int(result["seed"]): result for result in _json(whole)["results"]}
    paths = {seed: os.path.join(place, f"seed-{seed}.json") for seed in seeds}
    return {seed: _json(path) for seed, path in paths.items() if os.path.exists(path)}


def _round(
    number: int, place: str, run: Mapping[str, Any], judged: Mapping[int, Mapping[str, Any]]
) -> RoundRecord:
    path = os.path.join(place, "round.json")
    summary = _json(path) if os.path.exists(path) else {}
    return RoundRecord(
        number,
        traces=int(run["data"]["traces"]),
        hard=int(summary.get("hard", 0)),
        iterations=int(run["recipe"]["iterations"]),
        seconds=float(summary.get("training_seconds", 0)) + float(summary.get("judging_seconds", 0)),
        verdicts={seed: str(result["verdict"]) for seed, result in judged.items()},
    )


def _with_result(outcome: SeedRecord, result: Mapping[str, Any], place: str) -> SeedRecord:
    proof = os.path.join(place, f"seed-{outcome.seed}.certificate.json")
    return replace(
        outcome,
        verdict=str(result.get("verdict", "")),
        reason=str(result.get("reason") or ""),
        states=_whole(result.get("states")),
        clusters=_whole(result.get("clusters")),
        margin=_number(result.get("margin")),
        follows=_whole(result.get("followed_up_to")),
        counterexample=str(result["counterexample"]) if result.get("counterexample") else None,
        certificate=proof if os.path.exists(proof) else "",
    )


def _whole(value: object) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) else None


def _number(value: object) -> float | None:
    known = isinstance(value, int | float) and not isinstance(value, bool) and isfinite(value)
    return float(value) if known else None  # type: ignore[arg-type]


def _benchmark(path: str) -> RunRecord:
    """A record of `benchmarks/paper.py`: its bands stand for the seeds."""
    about = _json(path)
    if not {"task", "experiment", "loss", "rlg", "seeds"} <= set(about):
        raise fail("G172", "this file is no record of a run", HINT, path)
    points = [
        (int(p["iteration"]), (float(p["least"]), float(p["median"]), float(p["most"])))
        for p in about["loss"]
    ]
    highest = max((int(length) for point in about["rlg"] for length in point["rlg"]), default=0)
    outcomes = [
        SeedRecord(
            int(seed["seed"]),
            _number(seed["loss"]),
            _whole(seed["diverged"]) if int(seed["diverged"]) >= 0 else None,
            passed=int(seed["rlg_at_least"]) >= int(about["threshold"]),
            length=int(seed["rlg_at_least"]),
            beyond=int(seed["rlg_at_least"]) >= highest,
        )
        for seed in about["seeds"]
    ]
    return RunRecord(
        label=str(about["experiment"]),
        kind=BENCHMARK,
        agent=str(about["task"]),
        iterations=int(about["recipe"]["iterations"]),
        losses=tuple(points),
        outcomes=tuple(outcomes),
        lengths=tuple((int(p["iteration"]), tuple(map(int, p["rlg"]))) for p in about["rlg"]),
        digits=int(about["threshold"]),
        seconds=float(about["seconds"]["training"]),
        facts=_facts(about),
    )
