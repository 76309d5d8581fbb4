"""A model judged against its expert: explored, proven by what it was seen to do, and asked where that ends.

The proof is about the raw graph, in which nothing is guessed: a pair that the model never showed is a missing
rule, and where it matters the model is asked, round after round, until the graph is proven, the model itself
shows a difference, or the rounds are spent. If every centre's step snaps back to the graph, the proof is one
about the weights with snapped inference, at every length; else only about the table. What is not proven may
still be consistent with the expert once states are folded, with so many pairs guessed: that is said, and is
no proof. The float weights themselves are tried before anything is claimed of them, and where there is no
proof: what is proven of snapped inference stands whatever they do. All budgets are in steps.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import islice
from random import Random
from typing import Any

from compiler.proofs.differences.shrink import replay
from compiler.proofs.equivalence import Verdict
from compiler.proofs.joint_step import UNASKED, Stuck
from compiler.proofs.prove import prove
from compiler.tensors.dfst import Dfst
from compiler.tensors.model import Model
from gridlang.table import Table
from learners.evaluation.lockstep import Case, matched
from learners.extraction.extract import Extraction, exact_extraction, extraction_of
from learners.extraction.float_bounds.snapped_inference import codebook_of
from learners.extraction.float_bounds.snapping_record import snapping_of
from learners.extraction.limits import LIMITS as EXTRACTION
from learners.extraction.model_exploration import AUTO, ModelExploration
from learners.extraction.refusals import CURE, Refusal
from learners.extraction.saturation import INPUTS, WORLDS
from learners.learning.model_mistakes import (
    FloatMistakes,
    mistake_on_long_runs,
    mistake_on_reads,
    smaller_difference,
    steps_to_mistake,
)
from learners.learning.mutated_worlds import mutated_questions
from learners.learning.snapped_proofs import SNAPPED, SnappedProof, SnappedProver
from learners.learning.unseen_pairs import questions, variants

EXPLORED = {"worlds": WORLDS, "inputs": INPUTS, "observed": AUTO, "table": AUTO}
ROUNDS = 200  # A trigger of 24 bits is climbed in some twenty.
ASKED_STEPS = 4_000_000  # All that is asked may take so many steps, some seconds.
BEYOND = 2_000  # The model is followed so many steps beyond what it is asked about.
MOST_VARIANTS = 1_000  # A long input has more neighbours than are worth asking about.
MOST_KEPT = 100  # So many worlds that led somewhere are kept for changing.
FRUITLESS = 3  # So many rounds of questions in a row may show nothing new before a proof is tried.
MODEL = "model"  # It is what a difference is about that the model itself has shown.
SHORTER = (60, 12, 5)  # lengths of inputs on which a model that drifts on longer ones may follow a graph


@dataclass(frozen=True, slots=True)
class QueryAnswer:
    """The verdict, what was extracted last, and the rounds of asking.

    `verdict.subject` is `snapped model` for a proof about the weights with snapped inference, and then
    `snapping` is the codebook for a certificate; `table` where it is about the raw graph alone; and `model`
    for a difference that the model itself has shown.
    """

    verdict: Verdict
    extraction: Extraction
    rounds: int
    table: Table | None = None  # The verdict is about this table: the raw graph, with nothing guessed.
    snapping: dict[str, Any] | None = field(default=None, repr=False)
    explored: bool = True  # A model that errs nearly everywhere is not.


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
    budget: int = EXTRACTION.steps,
    rounds: int = ROUNDS,
    stuck: Stuck = UNASKED,
    mistakes: FloatMistakes | None = None,
    tell_drift: bool = True,
    progress: Callable[[int], None] = lambda _: None,
) -> QueryAnswer:
    """Whether a model does what the expert does, or where it does not.

    A model whose float weights are seen to err, on a declared input of any length or soon on a world, is
    different, unless `snapped` inference is what is asked about: then it may be proven all the same. Where
    its float weights alone err is told as `drift`, also of runs on worlds that hardly end; not to look for
    it halves the time of a proof. `mistakes` are shared by questions about one model at one scope. Inputs are
    explored up to `longest`, as in `extract`; by default as far as the model follows one graph, but not below
    `shortest`. `stuck` is what is claimed where the expert is stuck; of a model that is not strict little is
    known there.
    """
    exact = exact_extraction(dfst, expert)
    if exact is not None and exact.table is not None:
        verdict = prove(expert, exact.table, scope, radius=radius, stuck=stuck, progress=progress)
        return QueryAnswer(verdict, exact, 1, exact.table)
    mistakes = mistakes or FloatMistakes(dfst, expert, scope, seed)
    if exact is not None:
        return QueryAnswer(mistakes.first or _refused(exact, scope), exact, 1)
    if mistakes.at_once is not None:
        refusal = Refusal("G153", str(mistakes.at_once), CURE)
        return QueryAnswer(mistakes.at_once.first, Extraction(refusal=refusal), 0, explored=False)
    prover = SnappedProver(dfst, expert, scope, radius, stuck, progress)
    explored = partial(
        ModelExploration,
        *(dfst, expert, EXPLORED[scope]),
        seed=seed,
        budget=budget,
        progress=progress,
        is_enough=lambda exploration: prover.is_enough(exploration) or (prover.tried and mistakes.soon),
    )
    lengths = (EXTRACTION.longest_repetition, *(each for each in SHORTER if each >= shortest))
    exploration = _first_settled(explored, lengths if longest is None else (longest,))
    parts = dfst, expert, scope, radius, seed, stuck, mistakes, tell_drift, progress
    query = _Query(*parts, exploration, prover)
    if not snapped and mistakes.first is not None:
        return query.answer(replace(mistakes.first, hint=query.hint_at(mistakes.first)))
    return query.judged(rounds)


def _first_settled(explored: Callable[..., ModelExploration], lengths: Iterable[int]) -> ModelExploration:
    """The exploration of the longest inputs that settles, or is enough; of the longest of all if none does.

    A model that drifts on long inputs may follow a graph on shorter ones.
    """
    first, left = None, list(lengths)
    while left:
        length = left.pop(0)
        exploration = explored(longest=length)
        first = first or exploration
        if exploration.clusters is not None or exploration.exploration.enough:
            return exploration
        if exploration.scope != INPUTS:
            return first  # It is on worlds that it does not settle.
        settled = exploration.exploration.settled_length
        if left and 0 < settled < length:
            left = [settled, *(shorter for shorter in left if shorter < settled)]
    assert first is not None
    return first


@dataclass(slots=True)
class _Query:
    """What is asked about one model, and what is known so far."""

    dfst: Model
    expert: Table
    scope: str
    radius: int | None
    seed: int
    stuck: Stuck
    mistakes: FloatMistakes
    tell_drift: bool
    progress: Callable[[int], None]
    explored: ModelExploration
    prover: SnappedProver
    rounds: int = 0
    useful: list[Case] = field(default_factory=list)  # These worlds led where nothing was seen.

    def answer(self, verdict: Verdict, table: Table | None = None) -> QueryAnswer:
        return QueryAnswer(verdict, extraction_of(self.explored), max(self.rounds, 1), table)

    def hint_at(self, mistake: Verdict) -> str:
        """What to ask where the float weights err, and what they were seen to do elsewhere does not."""
        assert mistake.world is not None and mistake.counterexample is not None
        if not isinstance(self.dfst, Dfst):
            return ""
        if self.prover.proof is None:
            if self.explored.clusters is None:
                return ""
            if replay(self.expert, self.explored.raw(), mistake.world, len(mistake.counterexample)):
                return ""
        return "its vectors drift there; --snap asks about snapped inference"

    def judged(self, rounds: int) -> QueryAnswer:
        """The verdict after as many rounds as it takes; without a proof, a mistake of the float weights."""
        if self.prover.proof is not None:
            return self._snapped(self.prover.proof)
        if self.explored.exploration.enough and self.mistakes.first is not None:
            self.explored.clusters = self.explored.exploration.clusters
            return self.answer(self.mistakes.first)
        verdict = self._asked(rounds) if self.explored.clusters else None
        if verdict is not None and verdict.equivalent is False:
            return self.answer(verdict)
        if verdict is None or self.explored.clusters is None:
            mistake = self.mistakes.first
            refused = _refused(extraction_of(self.explored), self.scope)
            return self.answer(refused if mistake is None else mistake)
        return self._claimed(verdict, extraction_of(self.explored))

    def _asked(self, rounds: int) -> Verdict | None:
        """A proof of the raw graph, a difference of the model, or unknown; None if clusters are lost."""
        random, fruitless = Random(f"{self.seed} asking"), 0
        self.explored.exploration.grant(ASKED_STEPS)
        seen: Table | None = None
        asked: list[Case] = []
        for _ in range(max(rounds, 1)):
            self.rounds += 1
            raw = self.explored.raw()
            fruitless = fruitless + 1 if seen is not None and raw.rows == seen.rows else 0
            seen = raw
            cases = [] if fruitless >= FRUITLESS else self._questions(raw, random)
            steps = 0
            if not cases:
                verdict = self._prove(raw)
                if verdict.equivalent is not False:
                    return verdict
                shown = self._shown(verdict)
                if shown is not None:
                    return shown
                case = verdict.world if verdict.input is None else verdict.input
                if case is None or case in asked:
                    return _doubtful(verdict)
                asked.append(case)
                cases = [case, *islice(variants(self.expert, case), MOST_VARIANTS)]
                steps = len(verdict.counterexample or ())
            for case in self.explored.ask(cases, steps + BEYOND):
                difference = smaller_difference(self.dfst, self.expert, self.scope, case, steps + BEYOND)
                if difference is not None:
                    return difference
            if self.explored.clusters is None:
                return None
            if self.explored.exploration.spent:
                break
        reason = f"after {self.rounds} rounds there still are pairs that the model never showed"
        return Verdict(None, self.scope, 0, 0, reason=reason)

    def _questions(self, raw: Table, random: Random) -> list[Case]:
        """Worlds made to lead where nothing was seen; if there are none, worlds changed until they do."""
        if self.scope == "observed":
            return []
        cases = questions(self.expert, raw, self.scope, random)
        if not cases:
            cases = mutated_questions(self.expert, raw, self.scope, random, self.useful)
        self.useful = [*self.useful, *cases][-MOST_KEPT:]
        return cases

    def _prove(self, table: Table) -> Verdict:
        """A proof, a difference, or neither; where float weights err, a difference is not looked for long."""
        return prove(
            self.expert,
            table,
            self.scope,
            radius=self.radius,
            stuck=self.stuck,
            differs=self.mistakes.first is not None,
            progress=self.progress,
        )

    def _shown(self, verdict: Verdict) -> Verdict | None:
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
        return replace(verdict, counterexample=steps, subject=MODEL, shortest=False)

    def _claimed(self, verdict: Verdict, extraction: Extraction) -> QueryAnswer:
        """What may be said: of the snapped model, of the raw graph, or that nothing is proven."""
        assert self.explored.clusters is not None
        snapping = None
        if verdict.equivalent and isinstance(self.dfst, Dfst):
            snapping = snapping_of(self.dfst, codebook_of(extraction))
        if snapping is not None:
            proven = replace(verdict, subject=SNAPPED, drift=self._drift())
            return QueryAnswer(proven, extraction, self.rounds, extraction.raw, snapping)
        if self.prover.proves(self.explored.clusters) and self.prover.proof is not None:
            return self._snapped(self.prover.proof)
        if self.mistakes.first is not None:
            return self.answer(self.mistakes.first)
        if not verdict.equivalent:
            verdict = self._consistent(verdict, extraction)
        return QueryAnswer(verdict, extraction, self.rounds, extraction.raw)

    def _snapped(self, proof: SnappedProof) -> QueryAnswer:
        """The answer that a proof about the snapped model gives."""
        self.explored.clusters = proof.clusters
        extraction = extraction_of(self.explored)
        verdict = replace(proof.verdict, drift=self._drift())
        return QueryAnswer(verdict, extraction, max(self.rounds, 1), extraction.raw, proof.snapping)

    def _drift(self) -> Verdict | None:
        if not self.tell_drift:
            return None
        mistake = self.mistakes.first
        if mistake is not None:
            return mistake
        return mistake_on_long_runs(self.dfst, self.expert, self.scope, self.seed)

    def _consistent(self, verdict: Verdict, extraction: Extraction) -> Verdict:
        """Unknown; where the folded table does what the expert does, with the number of its guesses."""
        assert extraction.table is not None
        if not self._prove(extraction.table).equivalent:
            return verdict
        guessed = extraction.guessed
        reason = f"consistent with the expert; {guessed:,} pairs guessed; {verdict.reason}"
        return replace(_unknown(verdict, reason), guessed=guessed)


def _refused(extraction: Extraction, scope: str) -> Verdict:
    """The verdict on a model that gave no table, and made no mistake that was seen."""
    reason = f"no table could be extracted from the model: {extraction.refused}"
    hint = extraction.refusal.hint if extraction.refusal else ""
    return Verdict(None, scope, 0, 0, reason=reason, hint=hint)


def _unknown(verdict: Verdict, reason: str) -> Verdict:
    return replace(
        verdict, equivalent=None, counterexample=None, world=None, input=None, shortest=False, reason=reason
    )


def _doubtful(verdict: Verdict) -> Verdict:
    """The raw graph differs, and the model does not; asking it changes nothing."""
    where = "on a world that it was asked about" if verdict.world else "on reads that no world shows"
    return _unknown(verdict, f"what it was seen to do ends {where}, but the model itself does not err there")
