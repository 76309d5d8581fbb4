"""Judges a model against its expert: proves the states that it goes through along the expert's runs.

What snapped inference does follows from these centres alone: it is proven in a second, also where the float
weights drift. Those are tried before anything is claimed of them. Where the graph of the centres leaves a
question open, the model is asked, round after round. A model that is not proven so, and errs nowhere, is
extracted, and the raw graph is proven, in which nothing is guessed. If every centre steps back into it, the
proof holds for snapped inference at every length; else for the table alone. Without a proof the model may
still be consistent with the expert once states are folded and pairs guessed, which is said.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any

from gridlang.compiler.extraction.clusters import Clusters, graph_to_table
from gridlang.compiler.extraction.exploration import INPUTS, WORLDS
from gridlang.compiler.extraction.extract import AUTO, Extraction, exact_extraction, extract
from gridlang.compiler.extraction.limits import LIMITS as EXTRACTION
from gridlang.compiler.extraction.model_metadata import declared
from gridlang.compiler.extraction.refusals import CURE, Refusal
from gridlang.compiler.extraction.snapped_graph import halting_where_not_stuck
from gridlang.compiler.extraction.snapped_inference import (
    codebook,
    codebook_of,
    snapping_of,
    why_not_snapped,
)
from gridlang.compiler.judging.limits import LIMITS
from gridlang.compiler.judging.model_mistakes import FloatMistakes
from gridlang.compiler.judging.snapped_closure import closed_clusters, cluster_table
from gridlang.compiler.lockstep.lockstep import Case
from gridlang.compiler.proofs.equivalence import Verdict
from gridlang.compiler.proofs.joint_step import STRICT, UNASKED, Stuck
from gridlang.compiler.proofs.prove import prove, quick_proof
from gridlang.compiler.tensors.dfst import Dfst
from gridlang.compiler.tensors.model import Model
from gridlang.table import Row, Table

EXPLORED = {"worlds": WORLDS, "inputs": INPUTS, "observed": AUTO, "table": AUTO}
SNAPPED, MODEL = "snapped model", "model"  # subjects: snapped inference; what the model itself shows
DRIFTS = "`--snap` asks about snapped inference, since its vectors drift there"


@dataclass(frozen=True, slots=True)
class QueryAnswer:
    """The verdict, what was extracted last, and the rounds of asking.

    `verdict.subject` is `snapped model`, and `snapping` its codebook for a certificate; or `table` for the
    raw graph alone, or `model` for a difference that the model itself has shown.
    """

    verdict: Verdict
    extraction: Extraction
    rounds: int
    table: Table | None = None  # the raw graph that the verdict is about
    snapping: dict[str, Any] | None = field(default=None, repr=False)
    explored: bool = True  # False for a model that errs nearly everywhere


def judge(
    dfst: Model,
    expert: Table,
    scope: str = "worlds",
    *,
    snapped: bool = False,
    radius: int | None = None,
    seed: int = 0,
    longest: int | None = None,
    stuck: Stuck = UNASKED,
    tell_drift: bool = True,
    progress: Callable[[int], None] = lambda _: None,
) -> QueryAnswer:
    """Whether a model does what the expert does, or where it does not.

    A model whose float weights err, on a declared input of any length or soon on a world, is different,
    unless the question is about `snapped` inference. `drift` tells where the float weights alone err, even in
    runs that hardly end; without `tell_drift` a proof takes half the time. Where states along the expert's
    runs prove nothing, the model's own inputs have up to `longest` symbols. `stuck` is the claim where the
    expert is stuck; of a model that is not strict little is known there.
    """
    claim: dict[str, Any] = {"scope": scope, "radius": radius, "stuck": stuck}
    exact = exact_extraction(dfst, expert)
    if exact is not None and exact.table is not None:
        return QueryAnswer(prove(expert, exact.table, **claim, progress=progress), exact, 1, exact.table)
    mistakes = FloatMistakes(dfst, expert, scope, seed)
    if exact is not None:
        return _unproven(mistakes, exact)
    if mistakes.at_once is not None:
        mistake, many = mistakes.at_once
        return QueryAnswer(mistake, Extraction(refusal=Refusal("G153", many, CURE)), 0, explored=False)
    query = _Query(mistakes, claim, progress, tell_drift)
    proven = query.proven_by_states()
    if not snapped and mistakes.first is not None:
        drifts = proven is not None and proven.verdict.subject == SNAPPED
        return QueryAnswer(replace(mistakes.first, hint=DRIFTS if drifts else ""), Extraction(), 1)
    if proven is not None:
        return proven
    shown = mistakes.first if query.shown is None else query.shown
    if shown is not None:
        return QueryAnswer(shown, Extraction(asked=query.asked), query.rounds)
    return query.of_own_runs(longest or EXTRACTION.longest_repetition)


class _Query:
    """The question about one model, and what is known so far."""

    def __init__(
        self,
        mistakes: FloatMistakes,
        claim: dict[str, Any],
        progress: Callable[[int], None],
        tell_drift: bool,
    ) -> None:
        self.dfst, self.expert, self.scope = mistakes.dfst, mistakes.expert, mistakes.scope
        self.mistakes, self.claim, self.progress, self.tell_drift = mistakes, claim, progress, tell_drift
        self.unproven: set[tuple[Row, ...]] = set()  # graphs for which no quick proof was found
        self.shown: Verdict | None = None  # a mistake of the model on a case that it was asked about
        self.rounds, self.asked = 1, 0

    def proven_by_states(self) -> QueryAnswer | None:
        """A proof about the states that the model goes through along the expert's runs."""
        seed = self.mistakes.seed
        for closed in closed_clusters(self.dfst, self.expert, self.scope, seed, self._ask):
            proof = self._proof(closed.clusters)
            if proof is not None:
                verdict, snapping = proof
                extraction = closed.extraction(self.dfst, self.expert, self.scope, seed)
                return QueryAnswer(
                    self._drifting(verdict), extraction, closed.rounds, extraction.raw, snapping
                )
            if self.shown is not None and self.scope == "table":
                break
        return None

    def _ask(self, cases: list[Case], table: Table) -> None:
        """Whether the model errs where its graph leaves a question open."""
        if not cases:
            return
        self.rounds, self.asked = self.rounds + 1, self.asked + len(cases)
        if self.shown is None:
            self.shown = self.mistakes.among(cases, LIMITS.beyond)
        if self.shown is None and self.scope == "table":
            self._quick(table)

    def _proof(self, clusters: Clusters) -> tuple[Verdict, dict[str, Any] | None] | None:
        """A proof of their graph, of a DFST with snapped inference."""
        table = cluster_table(clusters, self.dfst, self.expert)
        verdict = None if table.rows in self.unproven else self._quick(table)
        if verdict is None:
            self.unproven.add(table.rows)
            return None
        if not isinstance(self.dfst, Dfst):
            return verdict, None
        if self.claim["stuck"] == STRICT:
            graph = halting_where_not_stuck(self.dfst, clusters)
            if self._quick(graph_to_table(graph, self.dfst, declared(self.dfst, self.expert))) is None:
                return None
        centres = clusters.centres[list(map(int, table.states))]
        known = snapping_of(self.dfst, codebook(self.dfst, table, centres, clusters.tolerance))
        return known and (replace(verdict, subject=SNAPPED, stray=known[1]), known[0])

    def _quick(self, table: Table) -> Verdict | None:
        """A proof that takes no long search."""
        if self.scope in ("worlds", "inputs"):
            return quick_proof(self.expert, table, **self.claim)
        verdict = prove(self.expert, table, **self.claim)
        if verdict.equivalent is False and self.shown is None:
            self.shown = self._shown(verdict)
        return verdict if verdict.equivalent else None

    def of_own_runs(self, longest: int) -> QueryAnswer:
        """A proof of what the model does on its own runs, a difference that it shows there, or unknown."""
        scope, seed = EXPLORED[self.scope], self.mistakes.seed
        found = extract(
            self.dfst, expert=self.expert, scope=scope, longest=longest, seed=seed, progress=self.progress
        )
        found = replace(found, asked=self.asked)
        if found.raw is None or found.table is None:
            return _unproven(self.mistakes, found, self.rounds)
        verdict = prove(self.expert, found.raw, **self.claim, progress=self.progress)
        if verdict.equivalent:
            return self._claimed(verdict, found)
        shown = self._shown(verdict) if verdict.equivalent is False else None
        if shown is not None:
            return QueryAnswer(shown, found, self.rounds, found.raw)
        reason = verdict.reason or "the model was not seen to do all that the expert does, and errs nowhere"
        if prove(self.expert, found.table, **self.claim).equivalent:
            reason = f"consistent with the expert; {found.guessed:,} pairs guessed; {reason}"
            verdict = replace(verdict, guessed=found.guessed)
        return QueryAnswer(_unknown(verdict, reason), found, self.rounds, found.raw)

    def _claimed(self, verdict: Verdict, found: Extraction) -> QueryAnswer:
        """The claim about the snapped model, or about the raw graph."""
        assert found.raw is not None
        if not isinstance(self.dfst, Dfst):
            return QueryAnswer(verdict, found, self.rounds, found.raw)
        book = codebook_of(self.dfst, found)
        known = snapping_of(self.dfst, book)
        if known is None:
            verdict = replace(verdict, unsnapped=why_not_snapped(self.dfst, book))
            return QueryAnswer(verdict, found, self.rounds, found.raw)
        proven = self._drifting(replace(verdict, subject=SNAPPED, stray=known[1]))
        return QueryAnswer(proven, found, self.rounds, found.raw, known[0])

    def _shown(self, verdict: Verdict) -> Verdict | None:
        """The difference as the model itself shows it, on the world of a verdict or on its bare reads."""
        assert verdict.counterexample is not None
        if verdict.world is None:
            steps = self.mistakes.on_reads([step.read for step in verdict.counterexample])
        else:
            steps = self.mistakes.on(verdict.world, len(verdict.counterexample) + LIMITS.beyond)
        if steps is None:
            return None
        return replace(verdict, counterexample=steps, subject=MODEL, shortest=False)

    def _drifting(self, proven: Verdict) -> Verdict:
        """The proof, with where the float weights alone err."""
        if proven.subject != SNAPPED or not self.tell_drift:
            return proven
        mistake = self.mistakes.first
        return replace(proven, drift=self.mistakes.on_long_runs() if mistake is None else mistake)


def _unproven(mistakes: FloatMistakes, extraction: Extraction, rounds: int = 1) -> QueryAnswer:
    """The answer without a table: a mistake of the float weights, or unknown."""
    verdict = mistakes.first
    if verdict is None:
        reason = f"no table could be extracted from the model: {extraction.refused}"
        hint = extraction.refusal.hint if extraction.refusal else ""
        verdict = Verdict(None, mistakes.scope, 0, 0, reason=reason, hint=hint)
    return QueryAnswer(verdict, extraction, rounds)


def _unknown(verdict: Verdict, reason: str) -> Verdict:
    return replace(
        verdict, equivalent=None, counterexample=None, world=None, input=None, shortest=False, reason=reason
    )
