"""A round, and all of them, in words and as data."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from learners.learning.expert_questions import DECLARED, StuckShare
from learners.learning.rounds import Learned, RoundResult
from learners.learning.seed_verdicts import PROVEN, VERDICTS, SeedResult
from learners.learning.settings import LearnConfig
from learners.methods.registry import method_named

SHOWN = 40  # seeds: with more, those that are not proven are only counted
REASONS = 2  # of one verdict that are told in a round's line; more of them are counted
WHERE = {"worlds": "on every world", "inputs": "on every declared input"}


def round_line(done: RoundResult, seeds: int) -> str:
    """A round in a line, with the reasons of what is not proven; earlier seeds count as proven."""
    proven = seeds - len(done.results) + done.count(PROVEN)
    words = [word for word in VERDICTS if word != PROVEN and done.count(word)]
    others = [f"{done.count(word)} {word}{_reasons(done, word)}" for word in words]
    narrower = [result.inputs for result in done.results if result.inputs]
    on_inputs = sum(result.verdict == PROVEN for result in narrower)
    loss = "" if done.loss is None else f"  loss {done.loss:.1e}"
    on = f", {done.trained_on} trained on" if done.trained_on else ""
    seconds = f"{done.training_seconds:.1f} s training, {done.judging_seconds:.1f} s proving"
    return (
        f"round {done.number}: {proven} of {seeds} proven{''.join(f', {each}' for each in others)}"
        f"{f', on declared inputs {on_inputs} of {len(narrower)} proven' if narrower else ''};  "
        f"{done.traces:,} traces, {done.hard:,} hard cases{loss}{on}  {seconds}"
    )


def merged_line(done: RoundResult) -> str:
    """The round of merging in a line; where it is not proven, what comes next."""
    (result,) = done.results
    judged = result.inputs or result
    states = "" if judged.states is None else f"{judged.states} states, "
    why = f": {_why(judged)}" if _why(judged) else ""
    ending = "" if judged.verdict == PROVEN else "; training comes next"
    seconds = f"{done.training_seconds:.1f} s merging, {done.judging_seconds:.1f} s proving"
    return f"merging: {states}{judged.verdict}{why};  {done.traces:,} traces  {seconds}{ending}"


def _reasons(done: RoundResult, word: str) -> str:
    """Why seeds have a verdict, each reason once."""
    reasons = dict.fromkeys(result.reason for result in done.results if result.verdict == word)
    told = [reason for reason in reasons if reason]
    more = f"; {len(told) - REASONS} more reasons" if len(told) > REASONS else ""
    return f" ({'; '.join(told[:REASONS])}{more})" if told else ""


def stuck_line(name: str, shares: Sequence[StuckShare], strict: bool) -> str:
    """On what share of declared inputs, and of worlds, the expert is stuck; and what that means here."""
    stuck = [str(share) for share in shares if share.stuck]
    if not stuck:
        return ""
    what = "a model must be stuck there too" if strict else "nothing is learned or claimed there"
    return f"{name} is stuck on {' and on '.join(stuck)}; {what}"


def claim_line(config: LearnConfig, learned: Learned, shares: Sequence[StuckShare]) -> str:
    """How many are proven, and what of them is."""
    lines = [_claim(len(learned.proven), config, learned, config.scope, shares)]
    if any(result.inputs for _, result in learned.last.values()):
        both = len({*learned.proven, *learned.proven_on_inputs})
        lines.append(_claim(both, config, learned, "inputs", shares))
    return "\n".join(lines)


def _claim(
    proven: int, config: LearnConfig, learned: Learned, scope: str, shares: Sequence[StuckShare]
) -> str:
    kinds = [share for share in shares if scope == "worlds" or share.what == DECLARED]
    stuck = " and on ".join(str(share) for share in kinds if share.stuck)
    where = WHERE[scope]
    if config.strict:
        where += ", and is stuck wherever it is"
    elif stuck:
        where += f" (where it is not stuck: it is on {stuck}, and nothing is claimed there)"
    if not method_named(learned.method).trained:
        verdict = "proven" if proven else "not proven"
        return f"{verdict}: the program by `{learned.method}` does what the expert does {where}"
    return f"{proven} of {len(learned.seeds)} proven: the extracted program does what the expert does {where}"


def learned_data(
    config: LearnConfig,
    learned: Learned,
    output: str,
    certificate: str | None,
    shares: Sequence[StuckShare] = (),
) -> dict[str, Any]:
    """All that was learned as JSON."""
    best, last = learned.best, learned.rounds[-1]
    wanted = 1 if config.any else len(learned.seeds)
    return {
        "proven": len(learned.proven) >= wanted,
        "method": learned.method,
        "scope": config.scope,
        "strict": config.strict,
        "rounds": len(learned.rounds),
        "traces": last.traces,
        "certificate": None if best is None else certificate or learned.file(best, "certificate.json"),
        "output": None if best is None else output,
        "run": learned.folder,
        "best": best,
        "seeds_proven": len(learned.proven),
        "seeds_proven_on_inputs": len(learned.proven_on_inputs),
        "stuck": [share._asdict() for share in shares],
        "unseen": learned.unseen.as_json(),
        "seeds": [_seed_data(learned, seed) for seed in learned.seeds],
        "history": [
            {key: value for key, value in each.as_json().items() if key != "results"}
            for each in learned.rounds
        ],
    }


def _seed_data(learned: Learned, seed: int) -> dict[str, Any]:
    number, result = learned.last[seed]
    inputs = _counted(result.inputs.as_json()) if result.inputs else None
    return {**_counted(result.as_json()), "inputs": inputs, "round": number}


def _counted(data: dict[str, Any]) -> dict[str, Any]:
    return {**data, "hard": len(data["hard"])}


def unproven_lines(learned: Learned) -> list[str]:
    """Which seeds are not proven, why, and what is known of them on declared inputs."""
    lines = []
    for seed, (number, result) in learned.last.items() if len(learned.seeds) <= SHOWN else ():
        if result.verdict != PROVEN:
            inputs = f"; on declared inputs {_words(result.inputs)}" if result.inputs else ""
            ends = "; another round would change nothing" if result.settled else ""
            lines.append(f"seed {seed}: {_words(result, f' in round {number}')}{ends}{inputs}")
    return lines


def _words(result: SeedResult, when: str = "") -> str:
    why = _why(result)
    return f"{result.verdict}{when}{f': {why}' if why else ''}"


def _why(result: SeedResult) -> str:
    return result.reason or (f"it fails on {_shown(result.counterexample)}" if result.counterexample else "")


def _shown(text: str) -> str:
    return repr(text) if not text.endswith("\n") else repr(text.rstrip("\n"))
