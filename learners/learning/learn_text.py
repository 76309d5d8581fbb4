"""What was learned from an expert, round by round, in words and as data."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from gridlang.compiler.api.correctness import Correctness
from gridlang.diagnostics import counted
from gridlang.learners.learning.expert_questions import DECLARED, StuckShare
from gridlang.learners.learning.rounds import Learned, RoundResult
from gridlang.learners.learning.seed_verdicts import PROVEN, VERDICTS, SeedResult
from gridlang.learners.learning.settings import LearnConfig

SHOWN = 40  # seeds: with more, those that are not proven are only counted
REASONS = 2  # of one verdict that are told in a round's line; more of them are counted
WHERE = {"worlds": "on every world", "inputs": "on every declared input"}


def round_line(done: RoundResult, seeds: int) -> str:
    """A round in a line, with the reasons of what is not proven; earlier seeds count as proven."""
    if done.queries:
        return _asked_line(done)
    proven = seeds - len(done.results) + done.count(PROVEN)
    words = [word for word in VERDICTS if word != PROVEN and done.count(word)]
    others = [f"{done.count(word)} {word}{_reasons(done, word)}" for word in words]
    loss = "" if done.loss is None else f"  loss {done.loss:.1e}"
    seconds = f"{done.training_seconds:.1f} s training, {done.judging_seconds:.1f} s proving"
    return (
        f"round {done.number}: {proven} of {seeds} proven{''.join(f', {each}' for each in others)};  "
        f"{done.traces:,} traces, {done.hard:,} hard cases{loss}  {seconds}"
    )


def _asked_line(done: RoundResult) -> str:
    """The result of asking, in a line."""
    (result,) = done.results
    states = "" if result.states is None else f"{counted(result.states, 'state')}, "
    why = f": {_why(result)}" if _why(result) else ""
    seconds = f"{done.training_seconds:.1f} s asking, {done.judging_seconds:.1f} s proving"
    return f"asked: {states}{result.verdict}{why};  {done.queries:,} queries, {done.steps:,} steps  {seconds}"


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
    if any(result.scope not in ("", config.scope) for _, result in learned.last.values()):
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
    if not config.method.trained:
        verdict = "proven:" if proven else "not proven: that"
        return f"{verdict} the program by `{learned.method}` does what the expert does {where}"
    return f"{proven} of {len(learned.seeds)} proven: the extracted program does what the expert does {where}"


def learned_data(
    config: LearnConfig,
    learned: Learned,
    output: str,
    certificate: str | None,
    shares: Sequence[StuckShare] = (),
    proven: Correctness | None = None,
) -> dict[str, Any]:
    """All that was learned as JSON; `weights` is what is proven of the best model as a whole."""
    best, last = learned.best, learned.rounds[-1]
    wanted = 1 if config.any else len(learned.seeds)
    return {
        "proven": len(learned.proven) >= wanted,
        "method": learned.method,
        "scope": config.scope,
        "strict": config.strict,
        "rounds": len(learned.rounds),
        "traces": last.traces,
        "queries": last.queries,
        "steps": last.steps,
        "certificate": None if best is None else certificate or learned.file(best, "certificate.json"),
        "output": None if best is None else output,
        "weights": None if proven is None else _weights_data(proven),
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


def written_lines(
    config: LearnConfig, learned: Learned, output: str, certificate: str | None
) -> Iterator[str]:
    """The model that was written, and its proof."""
    best = learned.best
    if best is None:
        return
    result = learned.last[best][1]
    by = counted(result.states or 0, "state")
    if config.method.trained:
        by = f"seed {best}, {by} from {counted(result.clusters or 0, 'cluster')}"
    yield f"wrote {output} ({by})"
    if result.followed_up_to:
        yield f"its float weights do the same, tested on inputs of up to {result.followed_up_to}"
    yield f"wrote {certificate}" if certificate else f"its proof is {learned.file(best, 'certificate.json')}"


def _weights_data(proven: Correctness) -> dict[str, Any]:
    claims = [{"claim": claim.says, "answer": claim.answer} for claim in proven.claims]
    return {
        "proven": bool(proven),
        "says": proven.weights_line(),
        "subject": proven.subject,
        "claims": claims,
        "certificate": proven.certificate,
    }


def _seed_data(learned: Learned, seed: int) -> dict[str, Any]:
    number, result = learned.last[seed]
    return {**result.as_json(), "hard": len(result.hard), "round": number}


def unproven_lines(learned: Learned) -> list[str]:
    """Which seeds are not proven as asked, and why."""
    lines = []
    for seed, (number, result) in learned.last.items() if len(learned.seeds) <= SHOWN else ():
        if result.verdict != PROVEN:
            why = f": {_why(result)}" if _why(result) else ""
            ends = "; another round would change nothing" if result.finished else ""
            lines.append(f"seed {seed}: {result.verdict} in round {number}{why}{ends}")
    return lines


def _why(result: SeedResult) -> str:
    shown = (result.counterexample or "").rstrip("\n")
    return result.reason or (f"it fails on {shown!r}" if result.counterexample else "")
