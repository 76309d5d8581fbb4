"""Judges one model against its expert, in its own process: verdict, certificate, mistakes."""

from __future__ import annotations

import shlex
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any, NamedTuple

from gridlang.compiler.extraction.extract_text import provenance
from gridlang.compiler.judging.equivalence_query import QueryAnswer, judge
from gridlang.compiler.judging.model_mistakes import FloatMistakes
from gridlang.compiler.proofs.certificates import Subject, accepted
from gridlang.compiler.proofs.equivalence import Verdict
from gridlang.compiler.proofs.joint_step import STRICT, UNASKED, Stuck
from gridlang.compiler.simulation.random_inputs import world_text
from gridlang.compiler.tensors.dfst import dfst_from_bytes
from gridlang.compiler.tensors.model import MOST_BYTES
from gridlang.diagnostics import GridError
from gridlang.files import read_bytes
from gridlang.learners.learning.counterexamples import HardExample, hard_examples, teachable
from gridlang.learners.learning.limits import LIMITS as LEARNING
from gridlang.learners.runtime.hardware import cores
from gridlang.learners.runtime.json_records import record_from_json
from gridlang.learners.runtime.processes import in_processes
from gridlang.program import Program
from gridlang.table import Table
from gridlang.table_json import table_from_json, table_to_json

PROVEN, REFUTED, UNKNOWN, REFUSED, DIVERGED = "proven", "refuted", "unknown", "refused", "diverged"
CRASHED = "crashed"  # no verdict on the model: a fault of the judge
ON_INPUTS = "proven on inputs"  # alone: it could not be settled on all worlds
VERDICTS = (PROVEN, ON_INPUTS, REFUTED, UNKNOWN, REFUSED, DIVERGED, CRASHED)
ROUND_SEED_STEP = 1_000_003  # from a round's seed of trials to the next's: no two models of a run share one


class SeedQuery(NamedTuple):
    """All that a process needs to ask whether the model of a seed does what its expert does."""

    seed: int
    file: str
    model: bytes
    expert: str  # the table, as JSON
    expert_file: str
    expert_source: bytes  # what was read when the run began
    expert_arguments: Mapping[str, str]
    scope: str
    radius: int | None
    round: int
    loss: float | None = None  # after training, to be told with the result
    stuck: Stuck = UNASKED  # what is claimed where the expert is stuck

    @staticmethod
    def of(seed: int, file: str, expert: Program, **asked: Any) -> SeedQuery:
        """The query about the model in a file, with its expert as it was read."""
        model, read = read_bytes(file, MOST_BYTES, file), (expert.as_read(), expert.argument_texts())
        return SeedQuery(seed, file, model, table_to_json(expert.table), expert.file, *read, **asked)

    @property
    def command(self) -> str:
        """What asks it again."""
        words = ["gridlang", "equiv", self.expert_file, self.file, "--snap", "--scope", self.scope]
        words += ["--seed", str(self.seed), *(["--strict"] if self.stuck is STRICT else [])]
        words += ["--radius", str(self.radius)] if self.radius is not None else []
        return shlex.join([*words, *(f"-D{name}={text}" for name, text in self.expert_arguments.items())])


@dataclass(frozen=True, slots=True)
class SeedResult:
    """The result of a seed in a round; `hard` are examples that it got wrong.

    `settled`: no further round can change the verdict. `scope` is that of the last question. The source and
    the certificate become files of their own.
    """

    seed: int
    verdict: str
    loss: float | None = None
    reason: str = ""
    states: int | None = None
    clusters: int | None = None
    margin: float | None = None
    radius: int | None = None
    product_states: int | None = None
    followed_up_to: int | None = None  # length of inputs up to which the model itself follows the table
    asked: int = 0  # rounds of asking
    counterexample: str | None = None
    hard: tuple[HardExample, ...] = ()
    seconds: float = 0.0
    scope: str = ""
    settled: bool = False
    source: str = ""
    certificate: str = ""

    def as_json(self) -> dict[str, Any]:
        data = asdict(self)
        del data["source"], data["certificate"]
        return data

    @property
    def finished(self) -> bool:
        """Whether it is proven, or no round can change this result."""
        return self.verdict in (PROVEN, ON_INPUTS) or self.settled

    @property
    def astray(self) -> bool:
        """Whether only another start helps: it has settled, errs nowhere, and has no graph."""
        return self.verdict == REFUSED and self.has_settled and not self.hard

    @property
    def has_settled(self) -> bool:
        return self.loss is not None and self.loss <= LEARNING.settled

    def is_unknown_as(self, before: SeedResult | None) -> bool:
        """Whether two rounds give the same unknown for the same reason, and there is no mistake to teach."""
        return (
            before is not None
            and self.verdict == before.verdict == UNKNOWN
            and (self.scope, self.reason, self.hard) == (before.scope, before.reason, ())
        )


def result_from_json(data: dict[str, Any]) -> SeedResult:
    """What `as_json` gave; ValueError, KeyError or TypeError for anything else."""
    hard = tuple(HardExample(text, step) for text, step in data["hard"])
    if not all(isinstance(text, str) and type(step) is int for text, step in hard):
        raise ValueError("`hard` must hold examples")
    return record_from_json(SeedResult, data, hard=hard)


def seed_results(queries: Sequence[SeedQuery], patience: float) -> Iterator[SeedResult]:
    """Asks about all models, on all cores; the results come as they are known."""
    for done in in_processes(result_or_refusal, queries, cores(), patience):
        query, again = done.task, "" if done.late else f"; to see it again: {done.task.command}"
        word, reason = UNKNOWN if done.late else CRASHED, f"{done.problem}{again}"
        yield done.answer or SeedResult(query.seed, word, query.loss, reason, scope=query.scope)


def result_or_refusal(query: SeedQuery) -> SeedResult:
    """The result; unknown if the query is refused."""
    try:
        return seed_result(query)
    except GridError as error:
        reason = error.diagnostics[0].message
        return SeedResult(query.seed, UNKNOWN, query.loss, reason, scope=query.scope)


def seed_result(query: SeedQuery) -> SeedResult:
    """Extracts, proves, and where there is no proof looks for what the model gets wrong."""
    begun = time.monotonic()
    dfst, expert = dfst_from_bytes(query.model), table_from_json(query.expert)
    answer = judge(
        dfst,
        expert,
        query.scope,
        snapped=True,
        radius=query.radius,
        seed=query.seed,
        stuck=query.stuck,
        tell_drift=False,
    )
    (verdict, certificate), extraction = _accepted(query, expert, answer), answer.extraction
    word = PROVEN if verdict.equivalent else UNKNOWN if verdict.equivalent is None else REFUTED
    if word != PROVEN and extraction.refused and answer.explored:
        word = REFUSED
    shown = None
    if verdict.world is not None and verdict.counterexample is not None:
        shown = HardExample(verdict.input or world_text(verdict.world), len(verdict.counterexample))
    hard = [shown] if shown else []
    if word != PROVEN and answer.explored:  # a model that errs everywhere needs longer training
        hard += hard_examples(dfst, expert, query.scope, query.seed + ROUND_SEED_STEP * query.round)
    result = SeedResult(
        query.seed,
        word,
        query.loss,
        reason=extraction.refused or verdict.reason,
        states=extraction.states or None,
        clusters=extraction.clusters or None,
        radius=verdict.radius,
        product_states=verdict.product_states or None,
        asked=answer.rounds,
        counterexample=shown.text if shown else None,
        hard=tuple(dict.fromkeys(example for example in hard if teachable(example.step))),
        scope=query.scope,
        certificate=certificate,
    )
    if extraction.table is not None:
        about = f"# {expert.name}, learned: {extraction.states} states from {extraction.clusters} clusters."
        result = replace(
            result,
            margin=extraction.margin,
            followed_up_to=FloatMistakes(dfst, expert, query.scope, query.seed).followed_length(),
            source=f"{about}\n{extraction.to_source()}",
        )
    return replace(result, seconds=round(time.monotonic() - begun, 3))


def _accepted(query: SeedQuery, expert: Table, answer: QueryAnswer) -> tuple[Verdict, str]:
    """The verdict with the certificate of a proof."""
    if not answer.verdict.equivalent:
        return answer.verdict, ""
    assert answer.table is not None
    left = Subject(expert, query.expert_file, query.expert_source, query.expert_arguments)
    origin = provenance(answer.extraction, answer.table, query.model, query.seed)
    right = Subject(answer.table, query.file, query.model, extraction=origin, snapping=answer.snapping)
    return accepted(left, right, answer.verdict)
