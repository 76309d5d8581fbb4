"""One model held against its expert, in a process of its own: the verdict, its certificate, its mistakes."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from typing import Any, NamedTuple

from compiler.dfst import Dfst, dfst_from_bytes
from compiler.proofs.certificates import Subject, certificate
from compiler.proofs.equivalence import Verdict
from gridlang.table import Table, table_from_json
from learners.extraction.extract import Extraction
from learners.extraction.saturation import LONGEST_REPETITION
from learners.extraction.table_to_source import table_to_families
from learners.learning.counterexamples import Hard, hard_cases, teachable
from learners.learning.equivalence_query import Judgement, judge
from learners.runtime.hardware import cores
from learners.runtime.processes import in_processes
from learners.traces.random_worlds import world_text

PROVEN, REFUTED, UNKNOWN, REFUSED, DIVERGED = "proven", "refuted", "unknown", "refused", "diverged"
VERDICTS = (PROVEN, REFUTED, UNKNOWN, REFUSED, DIVERGED)
SHORTER = (60, 12, 5)  # lengths of inputs on which a model that drifts on longer ones may follow a graph


class Trial(NamedTuple):
    """All that a process needs to judge the model of a seed."""

    seed: int
    file: str
    model: bytes
    expert: str  # the table, as JSON
    expert_file: str
    expert_source: bytes
    scope: str
    radius: int | None
    length: int  # of the inputs on which the model itself must follow what is extracted
    round: int


@dataclass(frozen=True, slots=True)
class Result:
    """What became of a seed in a round; `hard` are cases that it got wrong."""

    seed: int
    verdict: str
    loss: float | None = None
    reason: str = ""
    states: int | None = None
    clusters: int | None = None
    margin: float | None = None
    radius: int | None = None
    product_states: int | None = None
    followed_up_to: int | None = None  # length of inputs: so far the model itself follows the table
    asked: int = 0  # rounds of extraction
    counterexample: str | None = None
    hard: tuple[Hard, ...] = ()
    seconds: float = 0.0

    def as_json(self) -> dict[str, Any]:
        return {**asdict(self), "hard": [list(case) for case in self.hard]}


def result_from_json(data: dict[str, Any]) -> Result:
    return Result(**{**data, "hard": tuple(Hard(*case) for case in data["hard"])})


class Judged(NamedTuple):
    """A result with the files that come with it: the extracted source, and the certificate of a proof."""

    result: Result
    source: str = ""
    certificate: str = ""


def judge_trial(trial: Trial) -> Judged:
    """Extracts, proves, and where there is no proof looks for what the model gets wrong."""
    begun = time.monotonic()
    dfst, expert = dfst_from_bytes(trial.model), table_from_json(trial.expert)
    judgement, length = _judgement(dfst, expert, trial)
    verdict, found = judgement.verdict, judgement.extraction
    proof = ""
    if verdict.equivalent:
        assert found.table is not None
        left = Subject(expert, trial.expert_file, trial.expert_source)
        proof = certificate(left, Subject(found.table, trial.file, trial.model), verdict)
    shown = _mistakes(verdict)
    hard = list(shown)
    if not verdict.equivalent:
        hard += hard_cases(dfst, expert, trial.scope, trial.seed + 1_000_003 * trial.round)
    result = Result(
        trial.seed,
        _word(judgement),
        reason=found.refused or verdict.reason,
        states=found.states or None,
        clusters=found.clusters or None,
        margin=found.margin if found.table else None,
        radius=verdict.radius,
        product_states=verdict.product_states or None,
        followed_up_to=length if found.table else None,
        asked=judgement.rounds,
        counterexample=shown[0].text if shown else None,
        hard=tuple(dict.fromkeys(case for case in hard if teachable(case.step))),
        seconds=round(time.monotonic() - begun, 3),
    )
    return Judged(result, _source(expert, found), proof)


def _judgement(dfst: Dfst, expert: Table, trial: Trial) -> tuple[Judgement, int]:
    """What is known of a model, and the length of inputs up to which it follows what was extracted.

    One that drifts on long inputs may follow a graph on shorter ones. The verdict is about the table, as
    always, and so about the model that is snapped to its clusters.
    """
    found = None
    for length in (LONGEST_REPETITION, *(each for each in SHORTER if each >= trial.length)):
        judgement = judge(dfst, expert, trial.scope, radius=trial.radius, seed=trial.seed, longest=length)
        if judgement.extraction.table:
            return judgement, length
        found = found or judgement
    assert found
    return found, LONGEST_REPETITION


def _word(judgement: Judgement) -> str:
    if judgement.verdict.equivalent:
        return PROVEN
    if judgement.extraction.refused:
        return REFUSED
    return UNKNOWN if judgement.verdict.equivalent is None else REFUTED


def _mistakes(verdict: Verdict) -> list[Hard]:
    """The counterexample of a verdict, if a world shows it."""
    if verdict.world is None or verdict.counterexample is None:
        return []
    return [Hard(verdict.input or world_text(verdict.world), len(verdict.counterexample))]


def _source(expert: Table, found: Extraction) -> str:
    if found.table is None:
        return ""
    told = f"# {expert.name}, learned: {found.states} states from {found.clusters} clusters."
    return f"{told}\n{table_to_families(found.table)}"


def judge_all(
    trials: Sequence[Trial], patience: float, judged: Callable[[Judged], None], at_once: int | None = None
) -> None:
    """Judges models on all cores; each result is told as it comes."""
    for done in in_processes(judge_trial, trials, at_once or cores(), patience):
        judged(done.answer or Judged(Result(done.task.seed, UNKNOWN, reason=done.problem)))
