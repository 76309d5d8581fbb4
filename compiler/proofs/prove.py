"""`prove`: does RIGHT do what LEFT does? A proof, a world that shows a difference, or unknown.

Tables go in. Learned weights are turned into a table first, by whoever knows how, and the verdict is about
that table; `subject` only passes on what it was made from.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial

from compiler.explore import TooLarge
from compiler.proofs.concretize import (
    AnySymbol,
    Blind,
    Guide,
    NeighbourhoodGuide,
    Reader,
    WindowGuide,
    concretize,
)
from compiler.proofs.equivalence import Observation, Verdict, aligned, compare_tables
from compiler.proofs.initial_worlds import InitialWorlds, all_worlds, columns_of, declared_inputs
from compiler.proofs.input_automaton import InputRows, row_automaton
from compiler.proofs.joint_step import UNASKED, Stuck
from compiler.proofs.neighbourhood_abstraction import (
    Detail,
    NeighbourhoodAnalysis,
    details,
    neighbourhood_proof,
)
from compiler.proofs.shrink import replay, shrink, shrink_input
from compiler.proofs.strip_abstraction import (
    MOST_STATES,
    StripDetail,
    strip_analysis,
    strip_details,
    strip_proof,
)
from compiler.proofs.window_abstraction import MOST_NODES, Level, Memory, Product, Windows, relation, search
from gridlang.clauses.inputs import language_of
from gridlang.diagnostics import fail
from gridlang.table import DELTAS, MOVES, Table
from gridlang.world import Cell, World, string_world

SCOPES = ("worlds", "inputs", "observed", "table")
# A memory of all cells rarely comes to an end; it is for short walks, and given up ten times as soon.
MOST_NODES_OF_MEMORY = 20_000
# The first search for a world may do so many steps. Most differences take far fewer. Where there is none,
# they are lost before the next abstraction is tried, so they are few at first and grow with what those cost.
FIRST_BUDGET = 20_000
BUDGET_GROWTH = 5
LAST_BUDGET = 500_000  # Where there is nothing to find, the last search takes about ten seconds.
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
    progress: Callable[[int], None] = lambda _: None,
) -> Verdict:
    """The verdict at a scope; a given radius is the only one tried, and `stuck` is what is claimed there."""
    if scope == "observed" and stuck != UNASKED:
        hint = "leave --strict out, or take another scope"
        raise fail(
            "G143", "where RIGHT was not observed nothing is known, so no strict claim can be made", hint
        )
    if scope in ("table", "observed"):
        verdict = compare_tables(left, right, observed=scope == "observed", stuck=stuck)
        if verdict.counterexample:
            verdict = replace(verdict, world=_world_of_reads(left, right, verdict.counterexample, stuck))
    else:
        inputs = _inputs(left) if scope == "inputs" else None
        attempt = _Attempt(left, right, inputs, stuck, limit, progress)
        verdict = attempt.verdict(_stages(left, scope, radius))
    return replace(verdict, subject=subject)


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
        self.rows = aligned(left, right)
        self.reader: Reader = inputs or AnySymbol(len(left.symbols))
        self.levels: list[Level] = []
        self.guide: Guide = Blind(left.rows, self.rows, stuck)
        self.so_far = Verdict(None, "inputs" if inputs else "worlds", 0, 0, stuck=stuck)
        self.outgrown = False
        self.budget = FIRST_BUDGET

    def verdict(self, stages: Iterator[Stage]) -> Verdict:
        """A proof or a difference from the first stage that gives one, or unknown."""
        for stage in stages:
            if self.outgrown and isinstance(stage, Windows):
                continue
            guide = self.guide
            try:
                proof = self._proof(stage)
            except TooLarge as grown:
                self._outgrew(stage, grown.size)
                continue
            decided = proof
            if decided is None and self.guide is not guide and stage != Windows(0):
                decided = self._difference()
            if decided is not None:
                return decided
        unknown = "no world shows a difference up to the budget, and no window rules it out"
        self.budget = LAST_BUDGET
        difference = self._difference()
        if difference is not None:
            return difference
        return replace(self.so_far, reason=self.so_far.reason or unknown)

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
            if not self.inputs:
                self.guide = WindowGuide(level)
        return None

    def _neighbourhoods(self, detail: Detail) -> Verdict | None:
        initial = self._initial_worlds(detail.ahead)
        analysis = NeighbourhoodAnalysis(
            self.left.rows, self.rows, initial, detail, self.limit, self.progress, self.stuck
        )
        self._note(len(analysis.onward), analysis.stuck, detail.radius)
        if not analysis.failing:
            return replace(self.so_far, equivalent=True, evidence=neighbourhood_proof(analysis))
        if self.inputs:
            self.guide = NeighbourhoodGuide(analysis.ahead())
        return None

    def _strips(self, detail: StripDetail) -> Verdict | None:
        columns = columns_of(self.inputs.automaton, detail.ahead) if self.inputs else None
        limit = min(self.limit, MOST_STATES)
        analysis = strip_analysis(self.left, self.rows, columns, detail, self.stuck, limit, self.progress)
        if analysis is None or analysis.failure:
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

    def _difference(self) -> Verdict | None:
        """The verdict with a world, and its steps as the reference simulator does them."""
        difference = concretize(self.left.rows, self.rows, self.guide, self.reader, self.budget, self.stuck)
        self.budget = min(BUDGET_GROWTH * self.budget, LAST_BUDGET)
        if difference is None:
            return None
        left, right, inputs = self.left, self.right, self.inputs
        text = inputs.complete(difference.first) if inputs else None
        cells = {cell: left.symbols[symbol] for cell, symbol in difference.first.items()}
        world = World(cells) if text is None else string_world(text)
        if not difference.shortest:
            differs = partial(replay, left, right, step=difference.step, stuck=self.stuck)
            if inputs and text:
                text = shrink_input(text, inputs.language, differs)
            world = shrink(world, differs) if text is None else string_world(text)
        steps = replay(left, right, world, difference.step, self.stuck)
        assert steps is not None, "what forgets nothing agrees with the reference simulator"
        return replace(
            self.so_far,
            equivalent=False,
            counterexample=steps,
            world=world,
            input=text,
            shortest=difference.shortest,
            reason="",
        )


def _world_of_reads(left: Table, right: Table, steps: tuple[Observation, ...], stuck: Stuck) -> World | None:
    """The world on which a sequence of reads happens, if there is one."""
    first: dict[Cell, str] = {}
    now: dict[Cell, str] = {}
    x = y = 0
    for step in steps:
        if now.setdefault((x, y), step.read) != step.read:
            return None
        first.setdefault((x, y), step.read)
        if step.left is None:
            break  # This is the last step.
        now[x, y] = step.left[0]
        dx, dy = DELTAS[MOVES.index(step.left[1])]
        x, y = x + dx, y + dy
    world = World(first)
    return world if replay(left, right, world, len(steps), stuck) == steps else None
