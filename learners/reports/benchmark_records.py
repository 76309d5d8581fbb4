"""Records of experiments: those of `benchmarks/paper.py`, about curves, and of `benchmarks/proofs.py`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from learners.learning.seed_verdicts import VERDICTS
from learners.reports.curves import Curves, count, number, seed_name
from learners.reports.run_records import BENCHMARK, PROOFS, RoundRecord, RunRecord, SeedRecord

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
        seconds=float(about["seconds"]["training"]),
        facts=facts,
    )


def _of_proofs(about: Mapping[str, Any], facts: Mapping[str, Any]) -> RunRecord:
    """What became of each seed, and in which round; what rounds before said of it is not kept."""
    outcomes = tuple(_seed(result) for result in about["last"])
    models = {int(model["seed"]): model for model in about.get("models", ())}
    outcomes = tuple(_with_model(outcome, models.get(outcome.seed, {}), about) for outcome in outcomes)
    rounds = tuple(_round(done, outcomes) for done in about["history"])
    return RunRecord(
        label=f"{about['task']} proofs",
        kind=PROOFS,
        agent=str(about["task"]),
        iterations=sum(done.iterations for done in rounds),
        losses=(),
        outcomes=outcomes,
        digits=int(about.get("digits") or 0),
        seconds=float(about.get("training_seconds") or 0),
        rounds=rounds,
        facts={**facts, "records": _claims(about)},
    )


def _seed(result: Mapping[str, Any]) -> SeedRecord:
    return SeedRecord(
        int(result["seed"]),
        number(result.get("loss")),
        verdict=str(result["verdict"]),
        reason=str(result.get("reason") or ""),
        states=whole(result.get("states")),
        clusters=whole(result.get("clusters")),
        margin=number(result.get("margin")),
        follows=whole(result.get("followed_up_to")),
        counterexample=str(result["counterexample"]) if result.get("counterexample") else None,
        round=whole(result.get("round")),
    )


def _with_model(outcome: SeedRecord, model: Mapping[str, Any], about: Mapping[str, Any]) -> SeedRecord:
    passed = model.get("error_free")
    return replace(outcome, passed=passed) if about.get("digits") and isinstance(passed, bool) else outcome


def _round(done: Mapping[str, Any], outcomes: tuple[SeedRecord, ...]) -> RoundRecord:
    last = int(done["number"])
    return RoundRecord(
        last,
        traces=count(done["traces"]),
        hard=count(done.get("hard", 0)),
        iterations=count(done["iterations"]),
        seconds=float(done.get("training_seconds", 0)) + float(done.get("judging_seconds", 0)),
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


def whole(value: object) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) else None
