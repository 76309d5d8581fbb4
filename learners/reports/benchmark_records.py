"""Records of experiments: those of `benchmarks/paper.py`, about curves, and of `benchmarks/proofs.py`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from learners.learning.judging.seed_verdicts import VERDICTS
from learners.reports.run_records import (
    BENCHMARK,
    PROOFS,
    Curves,
    RoundRecord,
    RunRecord,
    SeedRecord,
    count,
    duration,
    number,
    seed_name,
    whole,
)

PAPER_KEYS = {"task", "experiment", "loss", "rlg", "seeds", "threshold"}
PROOF_KEYS = {"task", "recipe", "scope", "history", "last"}


def record_of(about: Mapping[str, Any], facts: Mapping[str, Any]) -> RunRecord | None:
    """What a record tells; None if it is none of ours."""
    if set(about) >= PAPER_KEYS:
        return _of_the_paper(about, facts)
    return _of_proofs(about, facts) if set(about) >= PROOF_KEYS else None


def _of_the_paper(about: Mapping[str, Any], facts: Mapping[str, Any]) -> RunRecord:
    """The band of the losses stands for the seeds, which the record does not hold one by one."""
    names = [seed_name(int(seed["seed"])) for seed in about["seeds"]]
    iterations = tuple(count(point["iteration"]) for point in about["loss"])
    band = {
        word: tuple(number(point[word]) for point in about["loss"]) for word in ("least", "median", "most")
    }
    points = about["rlg"]
    watched = names[: max((len(point["rlg"]) for point in points), default=0)]
    rlg = {
        name: tuple(number(p["rlg"][i]) if i < len(p["rlg"]) else None for p in points)
        for i, name in enumerate(watched)
    }
    highest = max((int(length) for point in points for length in point["rlg"]), default=0)
    outcomes = [
        SeedRecord(
            int(seed["seed"]),
            number(seed["loss"]),
            whole(seed["diverged"]) if int(seed["diverged"]) >= 0 else None,
            passed=count(seed["rlg_at_least"]) >= int(about["threshold"]),
            length=count(seed["rlg_at_least"]),
            beyond=count(seed["rlg_at_least"]) >= highest,
        )
        for seed in about["seeds"]
    ]
    when = tuple(count(point["iteration"]) for point in points)
    return RunRecord(
        label=str(about["experiment"]),
        kind=BENCHMARK,
        agent=str(about["task"]),
        iterations=count(about["recipe"]["iterations"]),
        losses=(Curves(iterations, (None,) * len(iterations), band),) if iterations else (),
        outcomes=tuple(outcomes),
        lengths=(Curves(when, (None,) * len(when), rlg),) if when else (),
        digits=int(about["threshold"]),
        seconds=duration(about["seconds"]["training"]),
        facts=facts,
    )


def _of_proofs(about: Mapping[str, Any], facts: Mapping[str, Any]) -> RunRecord:
    """What became of each seed, and in which round; what rounds before said of it is not kept."""
    error_free = {int(model["seed"]): model.get("error_free") for model in about.get("models", ())}
    passed = error_free if about.get("digits") else {}
    outcomes = tuple(_seed(result, passed.get(int(result["seed"]))) for result in about["last"])
    rounds = tuple(_round(done, outcomes) for done in about["history"])
    return RunRecord(
        label=f"{about['task']} proofs",
        kind=PROOFS,
        agent=str(about["task"]),
        iterations=sum(done.iterations for done in rounds),
        losses=(),
        outcomes=outcomes,
        digits=int(about.get("digits") or 0),
        seconds=duration(about.get("training_seconds") or 0),
        rounds=rounds,
        facts={**facts, "records": _claims(about)},
    )


def _seed(result: Mapping[str, Any], passed: object) -> SeedRecord:
    known = passed if isinstance(passed, bool) else None
    seed = SeedRecord(int(result["seed"]), number(result.get("loss")), passed=known)
    return replace(seed.with_result(result), verdict=str(result["verdict"]), round=whole(result.get("round")))


def _round(done: Mapping[str, Any], outcomes: tuple[SeedRecord, ...]) -> RoundRecord:
    last = int(done["number"])
    return RoundRecord(
        last,
        traces=count(done["traces"]),
        hard=count(done.get("hard", 0)),
        iterations=count(done["iterations"]),
        seconds=duration(done.get("training_seconds", 0), done.get("judging_seconds", 0)),
        verdicts={outcome.seed: outcome.verdict for outcome in outcomes if outcome.round == last},
        counts={verdict: count(done.get(verdict, 0)) for verdict in VERDICTS},
    )


def _claims(about: Mapping[str, Any]) -> str:
    """How much was proven at which scope, and what exact weights did, in a line."""
    scopes = about.get("proven_at")
    parts = (
        [f"{count} proven on {scope}" for scope, count in scopes.items()] if isinstance(scopes, dict) else []
    )
    exact = about.get("exact")
    if isinstance(exact, dict) and exact.get("rlg") is True:
        parts.append(f"exact weights of the best pass RLG at {int(exact['digits']):,} digits")
    return "; ".join(parts)
