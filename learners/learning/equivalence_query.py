"""A model judged against its expert: extracted, proven, and asked again wherever its table does not know.

A proof is about the table that was extracted. It is given only if the model itself makes no mistake within
some hundred steps on many random worlds and inputs: the table guesses where nothing was seen. A difference
counts only if the model itself shows it: where the table differs and the model does not, the table has not
seen enough, so the model is extracted again with that world among those explored.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from itertools import islice
from random import Random

from compiler.dfst import Dfst
from compiler.proofs.equivalence import Verdict, compare_tables
from compiler.proofs.joint_step import UNASKED, Stuck
from compiler.proofs.prove import prove
from gridlang.clauses.inputs import language_of
from gridlang.table import Table
from gridlang.world import World
from learners.evaluation.lockstep import Case, matched
from learners.extraction.expert_merging import merged_after
from learners.extraction.extract import AUTO, EXACT, STEPS, Extraction, extract
from learners.extraction.saturation import INPUTS, LONGEST_REPETITION, WORLDS
from learners.learning.model_mistakes import (
    MOST_STEPS_FOLLOWED,
    WORLD_STEPS,
    mistake_on_reads,
    mistake_verdict,
    steps_to_mistake,
)
from learners.traces.random_inputs import lengths_up_to, random_input
from learners.traces.random_worlds import random_worlds

EXPLORED = {"worlds": WORLDS, "inputs": INPUTS, "observed": AUTO, "table": AUTO}
BEYOND = 1_000  # steps beyond a difference of its table that the model is followed
BESIDE = 1_000  # inputs, and as many worlds, on which the table's states are seen beside the expert's
SHORT = 6  # of repetitions in these inputs
NEAR = 1  # radius of the windows for a table that was merged as the expert's states are


@dataclass(frozen=True, slots=True)
class QueryAnswer:
    """The verdict, what was extracted last, the rounds of extraction, and the worlds that were asked about.

    `verdict.subject` is `table` where the verdict is about the table extracted from the model, and `model`
    for a difference that the model itself has shown.
    """

    verdict: Verdict
    extraction: Extraction
    rounds: int
    worlds: tuple[World, ...] = ()

    @property
    def table(self) -> Table | None:
        """The table that the verdict is about: at scope `observed` the one that was seen, without a guess."""
        return _table_at(self.verdict.scope, self.extraction)


def judge(
    dfst: Dfst,
    expert: Table,
    scope: str = "worlds",
    *,
    radius: int | None = None,
    seed: int = 0,
    longest: int = LONGEST_REPETITION,
    budget: int = STEPS,
    rounds: int = 20,
    stuck: Stuck = UNASKED,
    progress: Callable[[int], None] = lambda _: None,
) -> QueryAnswer:
    """Whether what is extracted from a model does what the expert does, or where the model does not.

    `stuck` is what is claimed where the expert is stuck; of a model that is not strict little is known there.
    Inputs are explored up to `longest`, as in `extract`.
    """
    query = _Query(dfst, expert, scope, radius, seed, stuck, progress)
    asked: list[World] = []
    for number in range(1, max(rounds, 1) + 1):
        extraction = extract(
            dfst,
            expert=expert,
            scope=EXPLORED[scope],
            worlds=asked,
            longest=longest,
            seed=seed,
            budget=budget,
            progress=progress,
        )
        if _table_at(scope, extraction) is None:
            return QueryAnswer(query.without_table(extraction), extraction, number, tuple(asked))
        verdict, extraction = query.proof(extraction)
        if verdict.equivalent is not False or extraction.scope == EXACT:
            mistake = query.mistake(WORLD_STEPS) if extraction.scope != EXACT else None
            answer = verdict if mistake is None else mistake
            return QueryAnswer(answer, extraction, number, tuple(asked))
        shown = query.shown_by_model(verdict)
        if shown is not None or verdict.world is None or verdict.world in asked:
            answer = _doubtful(verdict) if shown is None else shown
            return QueryAnswer(answer, extraction, number, tuple(asked))
        asked.append(verdict.world)
    verdict = _unknown(verdict, f"after {number} rounds the table still differs where the model does not")
    return QueryAnswer(verdict, extraction, number, tuple(asked))


def _table_at(scope: str, extraction: Extraction) -> Table | None:
    return extraction.raw if scope == "observed" else extraction.table


@dataclass(frozen=True, slots=True)
class _Query:
    """What is asked about one model, and the steps of answering it."""

    dfst: Dfst
    expert: Table
    scope: str
    radius: int | None
    seed: int
    stuck: Stuck
    progress: Callable[[int], None]

    def without_table(self, extraction: Extraction) -> Verdict:
        """The verdict on a model that gave no table: a mistake of its own, or nothing is known."""
        mistake = self.mistake(MOST_STEPS_FOLLOWED)
        if mistake is not None:
            return mistake
        reason = f"no table could be extracted from the model: {extraction.refused}"
        hint = extraction.refusal.hint if extraction.refusal else ""
        return Verdict(None, self.scope, 0, 0, reason=reason, hint=hint)

    def proof(self, extraction: Extraction) -> tuple[Verdict, Extraction]:
        """The verdict on the extracted table, and the extraction that it is about.

        States are first merged as the expert's are; if that table is not proven, the one extracted is judged.
        """
        merged = self._merged(extraction)
        if merged and merged.table:
            verdict = self._prove(merged.table, NEAR if self.radius is None else self.radius)
            if verdict.equivalent:
                return verdict, merged
        table = _table_at(self.scope, extraction)
        assert table is not None
        return self._prove(table, self.radius), extraction

    def _prove(self, table: Table, radius: int | None) -> Verdict:
        return prove(self.expert, table, self.scope, radius=radius, stuck=self.stuck, progress=self.progress)

    def _merged(self, extraction: Extraction) -> Extraction | None:
        """The extraction with its states merged as the expert's; None where that is not what was seen."""
        if self.scope not in (WORLDS, INPUTS):
            return None
        merged = merged_after(self.expert, extraction, self._side_by_side())
        if not (merged and merged.table and extraction.raw):
            return None
        return merged if compare_tables(extraction.raw, merged.table).equivalent else None

    def _side_by_side(self) -> Iterator[Case]:
        """Short inputs, and random worlds unless only inputs are asked about, to see two tables on."""
        random = Random(f"{self.seed} beside")
        language = language_of(self.expert)
        if language is not None:
            for number in range(BESIDE):
                yield random_input(language, lengths_up_to(1 + SHORT * number // BESIDE), random)
        if self.scope != INPUTS:
            yield from islice(random_worlds(self.expert, random, WORLD_STEPS), BESIDE)

    def mistake(self, steps: int) -> Verdict | None:
        """A mistake of the model itself within so many steps, whatever its table does."""
        return mistake_verdict(self.dfst, self.expert, self.scope, self.seed, steps)

    def shown_by_model(self, verdict: Verdict) -> Verdict | None:
        """The difference as the model itself shows it, on the world of a verdict or on its bare reads."""
        assert verdict.counterexample is not None
        if verdict.world is None:
            reads = [step.read for step in verdict.counterexample]
            steps = mistake_on_reads(matched(self.dfst, self.expert), reads)
        else:
            far = len(verdict.counterexample) + BEYOND
            steps = steps_to_mistake(self.dfst, self.expert, verdict.world, far)
        if steps is None:
            return None
        return replace(verdict, counterexample=steps, subject="model", shortest=False)


def _unknown(verdict: Verdict, reason: str) -> Verdict:
    return replace(
        verdict, equivalent=None, counterexample=None, world=None, input=None, shortest=False, reason=reason
    )


def _doubtful(verdict: Verdict) -> Verdict:
    """The table differs, and the model does not; asking it changes nothing."""
    where = "on a world that it was asked about" if verdict.world else "on reads that no world shows"
    return _unknown(verdict, f"the extracted table differs {where}, but the model itself does not")
