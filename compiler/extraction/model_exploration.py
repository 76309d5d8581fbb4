"""A model explored on its inputs and on worlds until it settles, then on worlds that are asked about."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from random import Random

import numpy as np

from gridlang.clauses.inputs import ENDLESS, InputLanguage, RareInputs
from gridlang.compiler.automata.merging import Folded, RuleGraph, fold
from gridlang.compiler.extraction.clusters import Clusters, graph_to_table
from gridlang.compiler.extraction.explorer import NONE, UNDECIDED, RunMode
from gridlang.compiler.extraction.limits import LIMITS
from gridlang.compiler.extraction.model_metadata import declared
from gridlang.compiler.extraction.refusals import is_sure
from gridlang.compiler.extraction.saturation import INPUTS, TRACES, WORLDS, Exploration, PlannedRun
from gridlang.compiler.lockstep.lockstep import Case
from gridlang.compiler.simulation.random_inputs import (
    all_inputs,
    count_inputs,
    input_drawer,
    lengths_of,
    lengths_up_to,
    longest_input,
    repeated_drawer,
)
from gridlang.compiler.simulation.random_worlds import scrambled_world
from gridlang.compiler.tensors.dfst import Floats
from gridlang.compiler.tensors.model import Model, symbols_of
from gridlang.diagnostics import fail
from gridlang.outcomes import Outcome, Reason
from gridlang.table import BLANK, Table
from gridlang.world import World

AUTO = "auto"
SCOPES = (AUTO, INPUTS, WORLDS)


class ModelExploration:
    """A model that has been explored at a scope, and may be explored further on worlds that are asked about.

    `clusters` are what its vectors settled to, and `scope` says on what; None where they did not. Exploring
    ends as soon as it `is_enough`. Of cases that were `seen`, each with its number of steps, it is explored
    on nothing else.
    """

    def __init__(
        self,
        dfst: Model,
        expert: Table | None = None,
        scope: str = AUTO,
        worlds: Iterable[World] = (),
        longest: int = LIMITS.longest_repetition,
        tolerance: float | None = None,
        seed: int = 0,
        budget: int = LIMITS.steps,
        progress: Callable[[int], None] = lambda _: None,
        is_enough: Callable[[Exploration], bool] = lambda _: False,
        seen: Sequence[tuple[Case, int]] = (),
    ) -> None:
        if not dfst.moves:
            raise fail("G081", "this is not a model: it has no moves")
        self.metadata, self.seed = declared(dfst, expert), seed
        if self.metadata.language is None and scope == INPUTS:
            raise fail(
                "G150", "this model does not say what its inputs are", "explore it on worlds: --scope worlds"
            )
        tolerances = LIMITS.tolerances if tolerance is None else (tolerance,)
        self.exploration = Exploration(dfst, expert, tolerances, budget, seed, progress, is_enough)
        self.asked = 0  # worlds that were asked about
        self.clusters: Clusters | None = None
        self._folded: tuple[Clusters, Folded] | None = None
        self.scope = self._followed(seen) if seen else self._explored_on(scope, worlds, longest, budget)

    def _followed(self, seen: Sequence[tuple[Case, int]]) -> str:
        """Runs on seen cases alone; never asks about others."""
        exploration = self.exploration
        exploration.round(TRACES, 0, (PlannedRun(case, steps) for case, steps in seen))
        self.clusters = exploration.clusters if is_sure(exploration) else None
        return TRACES

    def _explored_on(self, scope: str, worlds: Iterable[World], longest: int, budget: int) -> str:
        """Explores at a scope; the clusters' evidence, or where they did not settle."""
        exploration, language = self.exploration, self.metadata.language
        if language is not None:
            asked = worlds if scope == INPUTS else ()
            if not (settle_on_inputs(exploration, language, longest, asked) and is_sure(exploration)):
                return INPUTS
        on_inputs = exploration.clusters
        if scope == INPUTS:
            self.clusters = on_inputs
            return INPUTS
        exploration.grant(budget // 2)
        most = self._most_states(on_inputs) if scope == AUTO and on_inputs else None
        folded_on_inputs = self._folded
        settled = settle_on_worlds(exploration, worlds, doubt_of(exploration), most) and is_sure(exploration)
        both = exploration.clusters if settled else None
        if most is not None and not (both and self.folded(both).graph.size <= most):
            self.clusters, self._folded = on_inputs, folded_on_inputs
            return INPUTS
        self.clusters = both
        what = f"{INPUTS} and {WORLDS}" if on_inputs else WORLDS
        return WORLDS if not both else what if exploration.expert else f"{what} where it is sure"

    def _most_states(self, on_inputs: Clusters) -> int:
        """The most states that worlds may need: those that inputs do, or the model's dimensions."""
        return max(self.folded(on_inputs).graph.size, len(self.exploration.dfst.h0))

    def folded(self, clusters: Clusters) -> Folded:
        """Clusters that never disagree merged; those asked about last are not merged again."""
        if self._folded is None or self._folded[0] is not clusters:
            self._folded = clusters, folded(clusters, self.seed)
        return self._folded[1]

    def ask(self, cases: Sequence[Case], steps: int) -> list[Case]:
        """Explores further on these cases; those where the model errs, or is stuck.

        There are no clusters any more if what is seen there confuses them.
        """
        self.asked += len(cases)
        endings = self.exploration.ask(cases, steps)
        self.clusters = self.exploration.clusters if is_sure(self.exploration) else None
        wrong = (Reason.DIFFERS, Outcome.STUCK)
        return [case for case, ended in zip(cases, endings, strict=True) if ended in wrong]

    def raw(self) -> Table:
        """A state for each cluster, and a rule for each step that was seen."""
        assert self.clusters is not None
        return self.table_of(self.clusters.graph)

    def table_of(self, graph: RuleGraph, names: Sequence[str] = ()) -> Table:
        return graph_to_table(graph, self.exploration.dfst, self.metadata, names)


def folded(clusters: Clusters, seed: int) -> Folded:
    """Clusters that never disagree merged; what the model left undecided it does nowhere."""
    centres = clusters.codebook.centres[clusters.firsts]
    distances = np.sqrt(np.square(centres[:, None] - centres[None]).sum(2))
    graph = clusters.graph
    write, move = graph.write.copy(), graph.move.copy()
    write[clusters.undecided], move[clusters.undecided] = UNDECIDED, 0
    smaller = fold(RuleGraph(write, move, graph.next), distances, seed)
    write, move = smaller.graph.write.copy(), smaller.graph.move.copy()
    move[write == UNDECIDED] = NONE
    write[write == UNDECIDED] = NONE
    return replace(smaller, graph=RuleGraph(write, move, smaller.graph.next))


def settle_on_inputs(
    exploration: Exploration,
    language: InputLanguage,
    longest: int = LIMITS.longest_repetition,
    worlds: Iterable[World] = (),
) -> bool:
    """Explores inputs of growing length, after the worlds asked about; whether the model is saturated on
    them.

    What rarely happens is found soonest on many inputs of middle length: so after inputs that left a graph
    which seemed to have settled, shorter ones are explored again.
    """
    lengths = input_lengths(language, longest)
    finite = language.longest() < ENDLESS
    mode = RunMode(ruled=exploration.expert is not None)
    asked = [PlannedRun(world, LIMITS.given_steps, mode) for world in worlds]
    if asked:
        exploration.round(INPUTS, 1, asked)
    at = 0
    while True:
        length, quiet = lengths[at], exploration.quiet
        every = count_inputs(language, lengths_up_to(length)) <= LIMITS.listed_inputs
        drawn = all_inputs(language, length) if every else _inputs(exploration, language, length)
        exploration.round(INPUTS, length, (PlannedRun(text, exploration.limit()) for text in drawn))
        if finite and every and exploration.clusters is not None:
            return True  # There are no other inputs.
        settled = exploration.clusters is not None and exploration.quiet >= LIMITS.quiet_rounds
        exploration.settled_length = max(exploration.settled_length, length if settled else 0)
        at_end = len(exploration.history) == LIMITS.rounds or (settled and length == lengths[-1])
        if exploration.over or at_end:
            return settled
        was_left = quiet >= LIMITS.quiet_rounds > exploration.quiet
        at = max(0, at - LIMITS.rounds_back) if was_left else min(at + 1, len(lengths) - 1)


def input_lengths(language: InputLanguage, longest: int) -> list[int]:
    """Lengths up to the longest; beyond ours they double, as long as inputs fit."""
    lengths = [length for length in LIMITS.lengths if length < longest]
    while 2 * lengths[-1] < longest if lengths else False:
        lengths.append(2 * lengths[-1])
    return [n for n in (*lengths, longest) if longest_input(language, n) <= LIMITS.input_symbols] or [1]


def _inputs(exploration: Exploration, language: InputLanguage, length: int) -> Iterator[str]:
    """Inputs of a round: some that repeat one symbol, some of exactly this length, some of at most."""
    followed = exploration.quiet >= LIMITS.followed_after
    fewest, steps = LIMITS.followed_inputs if followed else LIMITS.explored_inputs
    symbols, begun = len(exploration.dfst.symbols), exploration.steps
    edges = exploration.history[-1].edges if exploration.history else 0
    draw = input_drawer(language, exploration.random)
    repeat = repeated_drawer(language, length, exploration.random)
    most = max(steps * symbols, LIMITS.steps_an_edge * edges)
    for number in range(max(LIMITS.inputs_a_symbol * symbols, LIMITS.inputs_an_edge * edges)):
        if number >= fewest and exploration.steps - begun > most:
            return
        if number % 3 == 0:
            yield repeat()
        else:
            try:
                yield draw(lengths_of(length) if number % 3 == 1 else lengths_up_to(length))
            except RareInputs:
                yield draw(lengths_up_to(length))


def settle_on_worlds(
    exploration: Exploration, worlds: Iterable[World], doubt: float, most: int | None = None
) -> bool:
    """Explores worlds; whether the model is saturated on them, with no more states than `most`.

    They are those asked about, scrambled ones, and ones made as the model runs. A run ends where the expert
    is stuck, or after the first difference; without an expert, where the model is not sure what to do.
    """
    mode = RunMode(ruled=True) if exploration.expert else RunMode(doubt=doubt)
    steps = max(exploration.limit(), LIMITS.given_steps)
    asked = [PlannedRun(world, steps, RunMode(ruled=exploration.expert is not None)) for world in worlds]
    exploration.quiet = 0
    if asked:
        exploration.round(WORLDS, 0, asked)
    for number in range(LIMITS.world_rounds):
        steps = LIMITS.first_world_steps + LIMITS.more_world_steps * number
        exploration.round(WORLDS, steps, _worlds(exploration, steps, mode))
        clusters = exploration.clusters
        if clusters and most is not None and clusters.graph.size > LIMITS.clusters_a_state * most:
            return False
        if exploration.over or exploration.quiet >= LIMITS.quiet_world_rounds:
            break
    return exploration.clusters is not None and exploration.quiet >= LIMITS.quiet_world_rounds


def _worlds(exploration: Exploration, steps: int, mode: RunMode) -> Iterator[PlannedRun]:
    """Of each four one is a scrambled grid, and three grow while the model runs, one of few symbols."""
    symbols, random = symbols_of(exploration.dfst), exploration.world_random
    blank_first = (BLANK, *(symbol for symbol in symbols if symbol != BLANK))
    for number in range(LIMITS.world_runs):
        if number % 4 == 0:
            yield PlannedRun(scrambled_world(blank_first, random), steps, mode)
        else:
            few = number % 4 == 1
            weights = _few_symbols(len(symbols), random) if few else np.ones(len(symbols), np.float32)
            yield PlannedRun(World({}), steps, mode._replace(symbol_weights=weights))


def _few_symbols(symbols: int, random: Random) -> Floats:
    """Weights for one to four symbols; squares, so that one often prevails, and never quite zero."""
    weights = np.zeros(symbols, np.float32)
    for symbol in random.sample(range(symbols), random.randint(1, min(4, symbols))):
        weights[symbol] = random.random() ** 2 + 0.01
    return weights


def doubt_of(exploration: Exploration) -> float:
    """How far from one-hot the outputs of this model may be: as far as on its inputs."""
    least, most = LIMITS.doubts
    noise = 1 - exploration.clusters.margin if exploration.clusters else (least + most) / 2
    return min(max(noise, least), most)
