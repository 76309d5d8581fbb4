"""`prove`: does RIGHT do what LEFT does? A proof, a world that shows a difference, or unknown.

Tables go in. Learned weights are turned into a table first, by whoever knows how, and the verdict is about
that table; `subject` only passes on what it was made from.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import replace

from compiler.automata.explore import TooLarge
from compiler.proofs.abstractions.initial_worlds import InitialWorlds, all_worlds, columns_of, declared_inputs
from compiler.proofs.abstractions.input_automaton import InputRows, row_automaton
from compiler.proofs.abstractions.neighbourhoods import (
    Detail,
    NeighbourhoodAnalysis,
    details,
    neighbourhood_proof,
)
from compiler.proofs.abstractions.strip_labels import StripDetail, strip_details
from compiler.proofs.abstractions.strips import MOST_STATES, strip_analysis, strip_proof
from compiler.proofs.abstractions.windows import MOST_NODES, Level, Memory, Product, Windows, relation, search
from compiler.proofs.differences.concretize import NeighbourhoodGuide, WindowGuide
from compiler.proofs.differences.difference_search import FIRST_BUDGET, Difference, DifferenceSearch
from compiler.proofs.differences.shrink import world_of_reads
from compiler.proofs.equivalence import UNUSED_CONDITION, Place, Verdict, compare_tables
from compiler.proofs.joint_step import UNASKED, Stuck
from gridlang.clauses.inputs import language_of
from gridlang.diagnostics import fail
from gridlang.table import Table

SCOPES = ("worlds", "inputs", "observed", "table")
# A memory of all cells rarely comes to an end; it is for short walks, and given up ten times as soon.
MOST_NODES_OF_MEMORY = 20_000
FURTHER = 3  # A radius that is not tried unless it is asked for, since it takes long.
MOST_STRIP_STATES = 400_000  # of all strips that are tried together; no proof in the bank took a tenth
QUICK_NODES = 40_000  # A quick proof has no more; that of mult10's models has 15,000 at most.
AHEAD = 2  # A column that looks two ahead is enough to know the last symbol of an input.

Stage = Windows | Memory | StripDetail | Detail


def prove(
    left: Table,
    right: Table,
    scope: str = "worlds",
    *,
    radius: int | None = None,
    subject: str = "table",
    stuck: Stuck = UNASKED,
    limit: int = MOST_NODES,
    differs: bool = False,
    progress: Callable[[int], None] = lambda _: None,
) -> Verdict:
    """The verdict at a scope; a given radius is the only one tried, and `stuck` is what is claimed there.

    Whoever knows that RIGHT `differs` somewhere has little use for another difference, and for unknown: such
    are looked for shortly. A proof about these tables may be had all the same.
    """
    if scope == "observed" and stuck != UNASKED:
        hint = "leave --strict out, or take another scope"
        raise fail(
            "G143", "where RIGHT was not observed nothing is known, so no strict claim can be made", hint
        )
    if scope in ("table", "observed"):
        verdict = compare_tables(left, right, observed=scope == "observed", stuck=stuck)
        if verdict.counterexample:
            verdict = replace(verdict, world=world_of_reads(left, right, verdict.counterexample, stuck))
    else:
        inputs = _inputs(left) if scope == "inputs" else None
        attempt = _Attempt(left, right, inputs, stuck, limit, progress)
        verdict = attempt.verdict(_stages(left, scope, radius), shortly=differs)
        if verdict.equivalent is None:
            verdict = replace(verdict, hint=_what_to_try(verdict, left, radius))
    return replace(verdict, subject=subject)


def quick_proof(
    left: Table,
    right: Table,
    scope: str,
    *,
    radius: int | None = None,
    stuck: Stuck = UNASKED,
    progress: Callable[[int], None] = lambda _: None,
) -> Verdict | None:
    """A proof on worlds or inputs that is had in a second or two, at a radius of at most one or as given.

    None says nothing but that `prove` may be asked, which also looks for differences.
    """
    inputs = _inputs(left) if scope == "inputs" else None
    attempt = _Attempt(left, right, inputs, stuck, QUICK_NODES, progress)
    if attempt.differences.among_short_inputs() is not None:
        return None
    for stage in _quick_stages(left, radius):
        with suppress(TooLarge):
            proof = attempt._proof(stage)
            if proof is not None:
                return proof
    return None


def _quick_stages(left: Table, radius: int | None) -> Iterator[Stage]:
    """Windows, and strips that forget most: what proves most learned models of most agents."""
    yield from (Windows(0), Windows(1)) if radius is None else (Windows(radius),)
    for detail in strip_details(left):
        if detail.dim and detail.depth == (1 if radius is None else radius):
            yield detail


def _stages(left: Table, scope: str, radius: int | None) -> Iterator[Stage]:
    """What to try, from cheap to dear. A proof on all worlds is one on all inputs."""
    near, last = (1, 2) if radius is None else (radius, radius)
    yield from (Windows(0), Windows(1)) if radius is None else (Windows(radius),)
    yield from (detail for detail in strip_details(left) if radius in (None, detail.depth))
    yield from details(left, near) if near else ()
    if scope == "inputs" and last:
        yield details(left, last)[1]._replace(ahead=AHEAD)
    elif radius is None:
        yield from (Windows(2), Windows(3), Memory(), details(left, 2)[1])


def _inputs(left: Table) -> InputRows:
    """The declared inputs as worlds; GridError where there are none."""
    language = language_of(left)
    if language is None:
        hint = "declare one in its source, or compare on all worlds with --scope worlds"
        raise fail("G140", f"`{left.name}` has no input clause, so there are no inputs to compare on", hint)
    automaton = row_automaton(language, left.symbols)
    if automaton is None:
        hint = "compare on all worlds with --scope worlds"
        raise fail("G141", f"the input clause of `{left.name}` is too large to compare on", hint)
    return InputRows(language, left.symbols, automaton)


def _what_to_try(verdict: Verdict, left: Table, radius: int | None) -> str:
    """What may decide what is unknown."""
    ways = []
    if verdict.scope == "worlds" and left.input:
        ways.append("`--scope inputs` asks about declared inputs alone")
    if verdict.suspicion and not verdict.suspicion.seen:
        ways.append("`gridlang test` names rules that can never fire, which can be left out")
    other = f"`--radius {FURTHER}` looks further, and takes longer"
    ways.append(other if radius is None else "without `--radius` more is tried")
    return "; ".join(ways)


class _Attempt:
    """One comparison, stage after stage; it keeps what the stages have found out so far."""

    def __init__(
        self,
        left: Table,
        right: Table,
        inputs: InputRows | None,
        stuck: Stuck,
        limit: int,
        progress: Callable[[int], None],
    ) -> None:
        self.left, self.right, self.inputs = left, right, inputs
        self.stuck, self.limit, self.progress = stuck, limit, progress
        self.differences = DifferenceSearch(left, right, inputs, stuck, progress)
        self.rows = self.differences.rows
        self.levels: list[Level] = []
        condition = inputs.language.condition.clause if inputs and inputs.language.condition else ""
        scope = "inputs" if inputs else "worlds"
        self.so_far = Verdict(None, scope, 0, 0, stuck=stuck, condition=condition)
        self.suspected: Place | None = None
        self.outgrown = False
        self.drawn = False  # Random inputs were tried.
        self.strip_states = MOST_STRIP_STATES

    def verdict(self, stages: Iterator[Stage], shortly: bool = False) -> Verdict:
        """A proof or a difference from the first stage that gives one, or unknown.

        The searches for differences are most of the time where there is neither; some are only begun.
        """
        difference = self.differences.among_short_inputs()
        if difference is not None:
            return self._different(difference)
        for stage in stages:
            if self.outgrown and isinstance(stage, Windows):
                continue
            guide = self.differences.guide
            try:
                proof = self._proof(stage)
            except TooLarge as grown:
                self._outgrew(stage, grown.size)
                continue
            if proof is not None:
                return proof
            if isinstance(stage, StripDetail) and not self.drawn:
                self.drawn = True
                difference = self.differences.among_random_inputs()
                if difference is not None:
                    return self._different(difference)
            searched = self.differences.budget > FIRST_BUDGET
            if self.differences.guide is not guide and stage != Windows(0) and not (shortly and searched):
                difference = self.differences.by_guide()
                if difference is not None:
                    return self._different(difference)
        difference = None if shortly else self.differences.at_last()
        return self._unknown() if difference is None else self._different(difference)

    def _unknown(self) -> Verdict:
        nothing = "no world shows a difference up to the budget, and no window rules it out"
        reason = self.so_far.reason or nothing
        if self.so_far.condition:
            reason += f"; {UNUSED_CONDITION.format(self.so_far.condition)}"
        suspicion = self.suspected and self.differences.suspicion(self.suspected)
        return replace(self.so_far, reason=reason, suspicion=suspicion)

    def _different(self, difference: Difference) -> Verdict:
        return replace(self.so_far, equivalent=False, reason="", **difference._asdict())

    def _proof(self, stage: Stage) -> Verdict | None:
        if isinstance(stage, Detail):
            return self._neighbourhoods(stage)
        return self._strips(stage) if isinstance(stage, StripDetail) else self._windows(stage)

    def _outgrew(self, stage: Stage, size: int) -> None:
        if isinstance(stage, Windows | Detail):
            self.outgrown = True
            why = f"the product outgrew its limit of {self.limit:,} states at radius {stage.radius}"
            self.so_far = replace(self.so_far, product_states=size, radius=stage.radius, reason=why)

    def _windows(self, windows: Windows | Memory) -> Verdict | None:
        limit = self.limit if windows.radius is not None else min(self.limit, MOST_NODES_OF_MEMORY)
        product = Product(self.left.rows, self.rows, windows, tuple(self.levels), self.stuck)
        level = search(product, limit, self.progress)
        if level.proven:
            proof = relation(level)
            return replace(
                self.so_far,
                equivalent=True,
                product_states=len(proof.elements),
                stuck_branches=proof.stuck,
                radius=windows.radius,
                reason="",
                evidence=proof,
            )
        if windows.radius is not None:
            self.levels.append(level)
            self._note(len(level.seen), level.stuck(), windows.radius)
            self.suspected = self._failing(level) or self.suspected
            if not self.inputs:
                self.differences.guide = WindowGuide(level)
        return None

    def _neighbourhoods(self, detail: Detail) -> Verdict | None:
        initial = self._initial_worlds(detail.ahead)
        analysis = NeighbourhoodAnalysis(
            self.left.rows, self.rows, initial, detail, self.limit, self.progress, self.stuck
        )
        self._note(len(analysis.onward), analysis.stuck, detail.radius)
        if not analysis.failing:
            return replace(self.so_far, equivalent=True, evidence=neighbourhood_proof(analysis))
        p, q, window = analysis.failing[0]
        self.suspected = Place(p, q, analysis.adjacency.labels[window[0]][0])
        if self.inputs:
            self.differences.guide = NeighbourhoodGuide(analysis.ahead())
        return None

    def _strips(self, detail: StripDetail) -> Verdict | None:
        columns = columns_of(self.inputs.automaton, detail.ahead) if self.inputs else None
        limit = min(self.limit, MOST_STATES, self.strip_states)
        try:
            analysis = strip_analysis(self.left, self.rows, columns, detail, self.stuck, limit, self.progress)
        except TooLarge:
            self.strip_states = max(0, self.strip_states - limit)
            raise
        if analysis is None:
            return None
        self.strip_states = max(0, self.strip_states - len(analysis.nodes))
        if analysis.failure:
            self.suspected = Place(*analysis.failure)
            return None
        self._note(len(analysis.nodes), analysis.stuck, detail.depth)
        return replace(self.so_far, equivalent=True, evidence=strip_proof(analysis))

    def _initial_worlds(self, ahead: int) -> InitialWorlds:
        if self.inputs is None:
            return all_worlds(len(self.left.symbols))
        return declared_inputs(columns_of(self.inputs.automaton, ahead))

    def _note(self, size: int, stuck: int, radius: int) -> None:
        """What is said of the last abstraction, should none decide."""
        self.so_far = replace(
            self.so_far, product_states=size, stuck_branches=stuck, radius=radius, reason=""
        )

    def _failing(self, level: Level) -> Place | None:
        """Where a level of windows fails first."""
        node = next(iter(level.ahead), None)  # The nearest to a failure come first.
        if node is None:
            return None
        p, q, _ = level.product.parts(node)
        symbol = next((symbol for symbol, after in level.product.steps(node) if after is None), None)
        return None if symbol is None else Place(p, q, symbol)
