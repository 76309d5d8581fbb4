"""Judges a model against its expert: explores it, proves what it was seen to do, and asks where that ends.

What snapped inference does follows from the codebook alone: its proof is tried while the model is explored,
and is often had before the float weights settle, or where they never do. Otherwise the raw graph is proven,
in which nothing is guessed: where a pair that the model never showed matters, the model is asked, round after
round. If every centre steps back into the graph, or centres are found that do, the proof holds for snapped
inference at every length; else for the table alone. Without a proof the model may still be consistent with
the expert once states are folded and pairs guessed, which is said. The float weights are tried before
anything is claimed of them.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from itertools import islice
from random import Random
from typing import Any

from gridlang.compiler.extraction.clusters import Clusters
from gridlang.compiler.extraction.extract import Extraction, exact_extraction, extraction_of
from gridlang.compiler.extraction.limits import LIMITS as EXTRACTION
from gridlang.compiler.extraction.model_exploration import AUTO, ModelExploration
from gridlang.compiler.extraction.refusals import CURE, Refusal
from gridlang.compiler.extraction.saturation import INPUTS, WORLDS, Exploration
from gridlang.compiler.extraction.snapped_graph import snapped_clusters
from gridlang.compiler.extraction.snapped_inference import (
    codebook,
    codebook_of,
    snapping_of,
    why_not_snapped,
)
from gridlang.compiler.judging.limits import LIMITS
from gridlang.compiler.judging.model_mistakes import FloatMistakes, questions, variants
from gridlang.compiler.judging.snapped_closure import closed_clusters, cluster_table
from gridlang.compiler.lockstep.lockstep import Case
from gridlang.compiler.proofs.differences.shrink import replay
from gridlang.compiler.proofs.equivalence import Verdict
from gridlang.compiler.proofs.joint_step import UNASKED, Stuck
from gridlang.compiler.proofs.prove import prove, quick_proof
from gridlang.compiler.tensors.dfst import Dfst
from gridlang.compiler.tensors.model import Model
from gridlang.table import Row, Table

EXPLORED = {"worlds": WORLDS, "inputs": INPUTS, "observed": AUTO, "table": AUTO}
SNAPPED, MODEL = "snapped model", "model"  # subjects: snapped inference; what the model itself shows


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
    shortest: int = 1,
    stuck: Stuck = UNASKED,
    tell_drift: bool = True,
    progress: Callable[[int], None] = lambda _: None,
) -> QueryAnswer:
    """Whether a model does what the expert does, or where it does not.

    A model whose float weights err, on a declared input of any length or soon on a world, is different,
    unless the question is about `snapped` inference. `drift` tells where the float weights alone err, even in
    runs that hardly end; without `tell_drift` a proof takes half the time. Inputs are explored up to
    `longest`; by default as far as the model follows one graph, but not below `shortest`. `stuck` is the
    claim where the expert is stuck; of a model that is not strict little is known there.
    """
    claim: dict[str, Any] = {"scope": scope, "radius": radius, "stuck": stuck}
    exact = exact_extraction(dfst, expert)
    if exact is not None and exact.table is not None:
        return QueryAnswer(prove(expert, exact.table, **claim, progress=progress), exact, 1, exact.table)
    mistakes = FloatMistakes(dfst, expert, scope, seed)
    if exact is not None:
        return _unproven(mistakes, exact, 1)
    if mistakes.at_once is not None:
        mistake, many = mistakes.at_once
        return QueryAnswer(mistake, Extraction(refusal=Refusal("G153", many, CURE)), 0, explored=False)
    query = _Query(mistakes, claim, progress, tell_drift)
    lengths = (EXTRACTION.longest_repetition, *(each for each in LIMITS.shorter if each >= shortest))
    query.explore(list(lengths) if longest is None else [longest])
    if not snapped and mistakes.first is not None:
        return query.answer(replace(mistakes.first, hint=query.hint_at(mistakes.first)))
    return query.judged()


class _Query:
    """The question about one model, and what is known so far."""

    explored: ModelExploration

    def __init__(
        self,
        mistakes: FloatMistakes,
        claim: dict[str, Any],
        progress: Callable[[int], None],
        tell_drift: bool,
    ) -> None:
        self.dfst, self.expert, self.scope = mistakes.dfst, mistakes.expert, mistakes.scope
        self.mistakes, self.claim, self.progress, self.tell_drift = mistakes, claim, progress, tell_drift
        self.proof: tuple[Verdict, Clusters, dict[str, Any]] | None = None  # of snapped inference
        self.tried, self.due = False, LIMITS.proof_steps  # whether such a proof was tried; when next
        self.unproven: set[tuple[Row, ...]] = set()  # graphs for which no quick proof was found
        self.rounds = 0

    def explore(self, lengths: list[int]) -> None:
        """Explores the longest inputs on which it settles, or is enough; the longest of all if none are.

        A model that drifts on long inputs may follow a graph on shorter ones.
        """
        first = None
        while lengths:
            length = lengths.pop(0)
            self.explored = ModelExploration(
                *(self.dfst, self.expert, EXPLORED[self.scope]),
                longest=length,
                seed=self.mistakes.seed,
                progress=self.progress,
                is_enough=self._enough,
            )
            first = first or self.explored
            if self.explored.clusters is not None or self.explored.exploration.enough:
                return
            if self.explored.scope != INPUTS:
                break  # worlds have no shorter lengths to try
            settled = self.explored.exploration.settled_length
            if lengths and 0 < settled < length:
                lengths = [settled, *(shorter for shorter in lengths if shorter < settled)]
        assert first is not None
        self.explored = first

    def _enough(self, exploration: Exploration) -> bool:
        """Whether there is a mistake, or a proof of snapped inference, tried each time the steps double."""
        asked = self.scope in ("worlds", "inputs")  # the other scopes are about what was seen
        if asked and exploration.clusters is not None and exploration.steps >= self.due:
            self.due, self.tried = 2 * exploration.steps, True
            if self.proves_any(exploration):
                return True
        return self.tried and self.mistakes.soon

    def proves_any(self, exploration: Exploration) -> bool:
        """Tries the graph that snapped inference makes of the clusters; a network has none."""
        if not isinstance(self.dfst, Dfst) or exploration.clusters is None:
            return False
        return self._proves_snapped(snapped_clusters(self.dfst, exploration.clusters))

    def _proves_closed(self) -> bool:
        """Tries the centres found by following the expert with snapped inference."""
        if not isinstance(self.dfst, Dfst) or self.scope not in ("worlds", "inputs"):
            return False
        clusters = closed_clusters(self.dfst, self.expert, self.scope, self.mistakes.seed)
        return clusters is not None and self._proves_snapped(clusters)

    def _proves_snapped(self, snapped: Clusters) -> bool:
        assert isinstance(self.dfst, Dfst)
        table = cluster_table(snapped, self.dfst, self.expert)
        verdict = None if table.rows in self.unproven else quick_proof(self.expert, table, **self.claim)
        if verdict is None:
            self.unproven.add(table.rows)
            return False
        centres = snapped.codebook.centres[list(map(int, table.states))]
        known = snapping_of(self.dfst, codebook(self.dfst, table, centres, snapped.codebook.tolerance))
        if known is not None:
            snapping, stray = known
            self.proof = replace(verdict, subject=SNAPPED, stray=stray), snapped, snapping
        return known is not None

    def answer(self, verdict: Verdict) -> QueryAnswer:
        return QueryAnswer(verdict, extraction_of(self.explored), max(self.rounds, 1))

    def hint_at(self, mistake: Verdict) -> str:
        """What to ask where the float weights err, but not in what was observed."""
        assert mistake.world is not None and mistake.counterexample is not None
        steps = len(mistake.counterexample)
        drifts = self.proof is not None or (
            self.explored.clusters is not None
            and not replay(self.expert, self.explored.raw(), mistake.world, steps)
        )
        if not isinstance(self.dfst, Dfst) or not drifts:
            return ""
        return "its vectors drift there; --snap asks about snapped inference"

    def judged(self) -> QueryAnswer:
        """The verdict after all rounds; without a proof, a mistake of the float weights."""
        if self.proof is not None or (self.explored.clusters is None and self._proves_closed()):
            return self._snapped()
        if self.explored.exploration.enough and self.mistakes.first is not None:
            self.explored.clusters = self.explored.exploration.clusters
            return self.answer(self.mistakes.first)
        verdict = self._asked() if self.explored.clusters else None
        if verdict is not None and verdict.equivalent is False:
            return self.answer(verdict)
        if verdict is None or self.explored.clusters is None:
            return _unproven(self.mistakes, extraction_of(self.explored), max(self.rounds, 1))
        return self._claimed(verdict, extraction_of(self.explored))

    def _asked(self) -> Verdict | None:
        """A proof of the raw graph, a difference of the model, or unknown; None if clusters are lost."""
        random, fruitless = Random(f"{self.mistakes.seed} asking"), 0
        self.explored.exploration.grant(LIMITS.asked_steps)
        seen: Table | None = None
        asked: list[Case] = []
        useful: list[Case] = []  # worlds that led where nothing was seen
        for _ in range(LIMITS.rounds):
            self.rounds += 1
            raw = self.explored.raw()
            fruitless = fruitless + 1 if seen is not None and raw.rows == seen.rows else 0
            seen = raw
            cases, steps = [], LIMITS.beyond
            if fruitless < LIMITS.fruitless and self.scope != "observed":
                cases = questions(self.expert, raw, self.scope, random, useful)
                useful = [*useful, *cases][-LIMITS.most_kept :]
            if not cases:
                verdict = self._prove(raw)
                if verdict.equivalent is not False:
                    return verdict
                shown = self._shown(verdict)
                if shown is not None:
                    return shown
                case = verdict.world if verdict.input is None else verdict.input
                if case is None or case in asked:
                    where = "reads that no world shows" if case is None else "a world that it was asked about"
                    doubt = f"what it was seen to do ends on {where}, but the model itself does not err there"
                    return _unknown(verdict, doubt)
                asked.append(case)
                cases = [case, *islice(variants(self.expert, case), LIMITS.most_variants)]
                steps += len(verdict.counterexample or ())
            for case in self.explored.ask(cases, steps):
                difference = self.mistakes.smaller(case, steps)
                if difference is not None:
                    return difference
            if self.explored.clusters is None:
                return None
            if self.explored.exploration.spent:
                break
        reason = f"after {self.rounds} rounds there still are pairs that the model never showed"
        return Verdict(None, self.scope, 0, 0, reason=reason)

    def _prove(self, table: Table) -> Verdict:
        """A proof, a difference, or neither; if float weights err, the search for a difference is short."""
        differs = self.mistakes.first is not None
        return prove(self.expert, table, **self.claim, differs=differs, progress=self.progress)

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

    def _claimed(self, verdict: Verdict, extraction: Extraction) -> QueryAnswer:
        """The claim: about the snapped model, about the raw graph, or that nothing is proven."""
        assert self.explored.clusters is not None and extraction.table is not None
        if verdict.equivalent and isinstance(self.dfst, Dfst):
            book = codebook_of(self.dfst, extraction)
            known = snapping_of(self.dfst, book)
            if known is not None:
                snapping, stray = known
                proven = replace(verdict, subject=SNAPPED, drift=self._drift(), stray=stray)
                return QueryAnswer(proven, extraction, self.rounds, extraction.raw, snapping)
            verdict = replace(verdict, unsnapped=why_not_snapped(self.dfst, book))
        if self.proves_any(self.explored.exploration) or self._proves_closed():
            return self._snapped()
        if self.mistakes.first is not None:
            return self.answer(self.mistakes.first)
        if not verdict.equivalent and self._prove(extraction.table).equivalent:
            guessed = extraction.guessed
            reason = f"consistent with the expert; {guessed:,} pairs guessed; {verdict.reason}"
            verdict = replace(_unknown(verdict, reason), guessed=guessed)
        return QueryAnswer(verdict, extraction, self.rounds, extraction.raw)

    def _snapped(self) -> QueryAnswer:
        """The answer that a proof about the snapped model gives."""
        assert self.proof is not None
        verdict, self.explored.clusters, snapping = self.proof
        extraction = extraction_of(self.explored)
        proven = replace(verdict, drift=self._drift())
        return QueryAnswer(proven, extraction, max(self.rounds, 1), extraction.raw, snapping)

    def _drift(self) -> Verdict | None:
        if not self.tell_drift:
            return None
        mistake = self.mistakes.first
        return self.mistakes.on_long_runs() if mistake is None else mistake


def _unproven(mistakes: FloatMistakes, extraction: Extraction, rounds: int) -> QueryAnswer:
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
