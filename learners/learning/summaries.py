"""What learning has come to: a round, and all of them, in words and as data."""

from __future__ import annotations

from typing import Any

from learners.learning.learn import LearnConfig
from learners.learning.rounds import Learned, RoundResult
from learners.learning.seed_verdicts import PROVEN, VERDICTS

SHOWN = 40  # seeds: with more, those that are not proven are only counted


def round_line(done: RoundResult, seeds: int) -> str:
    """A round in a line; seeds proven in earlier rounds count as proven."""
    proven = seeds - len(done.results) + done.count(PROVEN)
    others = [f"{done.count(word)} {word}" for word in VERDICTS if word != PROVEN and done.count(word)]
    loss = "" if done.loss is None else f"  loss {done.loss:.1e}"
    seconds = f"{done.training_seconds:.1f} s training, {done.judging_seconds:.1f} s proving"
    return (
        f"round {done.number}: {proven} of {seeds} proven{''.join(f', {each}' for each in others)};  "
        f"{done.traces:,} traces, {done.hard:,} hard cases{loss}  {seconds}"
    )


def learned_data(
    config: LearnConfig, learned: Learned, output: str, certificate: str | None
) -> dict[str, Any]:
    """All that was learned as JSON."""
    best, last = learned.best, learned.rounds[-1]
    wanted = 1 if config.any else len(config.seeds)
    return {
        "proven": len(learned.proven) >= wanted,
        "scope": config.scope,
        "rounds": len(learned.rounds),
        "traces": last.traces,
        "certificate": None if best is None else certificate or learned.file(best, "certificate.json"),
        "output": None if best is None else output,
        "run": learned.folder,
        "best": best,
        "seeds_proven": len(learned.proven),
        "seeds": [_seed_data(learned, seed) for seed in config.seeds],
        "history": [
            {key: value for key, value in each.as_json().items() if key != "results"}
            for each in learned.rounds
        ],
    }


def _seed_data(learned: Learned, seed: int) -> dict[str, Any]:
    number, result = learned.last[seed]
    data = {key: value for key, value in result.as_json().items() if key != "hard"}
    return {**data, "round": number, "hard": len(result.hard)}


def unproven_lines(config: LearnConfig, learned: Learned) -> list[str]:
    """Which seeds are not proven, and why."""
    lines = []
    for seed, (number, result) in learned.last.items() if len(config.seeds) <= SHOWN else ():
        if result.verdict != PROVEN:
            why = result.reason or (
                f"it fails on {_shown(result.counterexample)}" if result.counterexample else ""
            )
            lines.append(f"seed {seed}: {result.verdict} in round {number}{f': {why}' if why else ''}")
    return lines


def _shown(text: str) -> str:
    return repr(text) if not text.endswith("\n") else repr(text.rstrip("\n"))
