"""A model runs; the states that its runs lead through are held against longer ones, which add what disagrees.

States come of the coarsest tolerance that explains all runs. A model follows them on inputs when a round at
each length shows nothing new, and on worlds after some such rounds in a row. That is evidence and no proof: a
rare rule may still be missing.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from copy import copy
from dataclasses import replace
from functools import partial
from itertools import chain
from random import Random
from typing import NamedTuple

import numpy as np

from gridlang.clauses.inputs import ENDLESS, InputLanguage, RareInputs
from gridlang.compiler.automata.acts import UNSEEN
from gridlang.compiler.automata.merging import NONE, RuleGraph
from gridlang.compiler.engines import ending
from gridlang.compiler.extraction.clusters import (
    Clusters,
    clusters_of,
    expert_graph,
    graph_to_table,
    reached,
    undecided,
)
from gridlang.compiler.extraction.limits import LIMITS
from gridlang.compiler.extraction.model_metadata import Declared, declared
from gridlang.compiler.extraction.own_runs import OwnRun, OwnRunner
from gridlang.compiler.extraction.snapped_graph import can_be_snapped, snapped_clusters
from gridlang.compiler.extraction.states import LEAST_MARGIN, Acts, Overlap, Walk, decided_at, known_steps
from gridlang.compiler.lockstep.cpu import single_runs
from gridlang.compiler.lockstep.lockstep import Case, matched
from gridlang.compiler.proofs.differences.joint_runs import JointRuns
from gridlang.compiler.proofs.joint_step import LEFT_STUCK
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
from gridlang.compiler.tensors.dfst import Dfst, Floats
from gridlang.compiler.tensors.model import Model, symbols_of
from gridlang.outcomes import Outcome, Reason
from gridlang.table import BLANK, Table
from gridlang.world import World, string_world

INPUTS, WORLDS, TRACES = "inputs", "worlds", "traces"


class Growth(NamedTuple):
    """The result of a round; no clusters if no states explain the runs so far."""

    scope: str
    length: int  # repetitions in inputs, or steps of a run on a world
    runs: int
    steps: int  # since the beginning
    points: int
    clusters: int
    edges: int


class Explained:
    """Runs, and the states that they lead through, by the coarsest tolerance that explains them all."""

    def __init__(self, model: Model, tolerances: Sequence[float] = LIMITS.state_tolerances) -> None:
        self.model, self.runs = model, list[Acts]()
        self.finer = [*tolerances]
        self.walk: Walk | None = None
        self.overlap: tuple[Overlap, float] | None = None  # with the finest tolerance that shows one
        self.unsure = np.inf  # least margin of states that explain the runs, and decide by too little
        self.refine()

    def learn(self, runs: Iterable[Acts]) -> bool:
        """Whether more runs show anything new."""
        more = list(runs)
        self.runs += more
        walk, before = self.walk, self.size
        if walk is not None and not (walk.follows(known_steps(more)) and self._as_seen(walk)):
            self.refine()
        return self.walk is not walk or self.size != before

    @property
    def size(self) -> tuple[int, int]:
        return self.walk.size if self.walk else (0, 0)

    def refine(self) -> None:
        """Takes the next tolerance that explains the runs; there is no walk any more if none does."""
        steps = known_steps(self.runs)
        while self.finer:
            tolerance, *self.finer = self.finer
            self.walk = Walk(self.model, tolerance)
            if self.walk.follows(steps) and self._as_seen(self.walk):
                return
            self.overlap = (self.walk.overlap, tolerance) if self.walk.overlap else self.overlap
        self.walk = None

    def _as_seen(self, walk: Walk) -> bool:
        """Whether the model does at each centre what the runs show there, and nothing by a hair's breadth."""
        found = walk.found()
        decided = decided_at(self.model, found)
        if not np.array_equal(decided.act, found.act[found.act != UNSEEN]):
            return False
        margin = float(decided.margin.min(initial=np.inf))
        self.unsure = margin if margin < LEAST_MARGIN else self.unsure
        return margin >= LEAST_MARGIN

    def clusters(self) -> Clusters | None:
        """The states, those of a DFST amid the vectors that lead to them."""
        if self.walk is None:
            return None
        found, tolerance = self.walk.found(), self.walk.tolerance
        if isinstance(self.model, Dfst):
            again = Walk(self.model, tolerance, found.amid())
            if again.follows(known_steps(self.runs)) and self._as_seen(again):
                found = again.found()
        return clusters_of(self.model, found, tolerance)


class Exploration:
    """A model that is run on its inputs and on worlds until its states show nothing new."""

    def __init__(
        self,
        model: Model,
        expert: Table | None,
        tolerances: Sequence[float],
        budget: int,
        seed: int,
        progress: Callable[[int], None],
    ) -> None:
        self.model, self.expert, self.seed, self.progress = model, expert, seed, progress
        self.metadata = declared(model, expert)
        self.explained, self.tolerances = Explained(model, tolerances), tolerances
        self.runner = OwnRunner(model, expert_graph(model, expert) if expert else None)
        self.history: list[Growth] = []
        self.steps = self.longest = 0  # of all runs, and of one
        self.budget = budget if isinstance(model, Dfst) else min(budget, LIMITS.wrapped_steps)
        self.kept = 0  # runs that states explained when they last showed nothing new
        self.quiet_length = 0  # of inputs up to which they did
        self.drifts = False  # whether longer ones are not

    @property
    def spent(self) -> bool:
        return self.steps >= self.budget

    def on_cases(self, cases: Sequence[tuple[Case, int]]) -> bool:
        """Runs on these cases alone; whether states explain them."""
        self._learn(TRACES, 0, [OwnRun(case, steps) for case, steps in cases])
        return self._settled()

    def on_inputs(self, language: InputLanguage, longest: int) -> bool:
        """Runs on inputs of growing length; whether states explain them, at least the shorter ones."""
        lengths, random = input_lengths(language, longest), Random(f"{self.seed} extraction")
        finite = language.longest() < ENDLESS
        draw = partial(self._inputs, language, input_drawer(language, random), random)
        for length in lengths if isinstance(self.model, Dfst) else [min(longest, LIMITS.own_length)]:
            every = count_inputs(language, lengths_up_to(length)) <= LIMITS.listed_inputs
            for _ in range(LIMITS.rounds_a_length):
                drawn = all_inputs(language, length) if every else draw(length)
                if not self._round_on_inputs(length, drawn):
                    break
            if self.explained.walk is None:
                self.drifts = self.quiet_length >= LIMITS.least_followed
                return self.drifts
            self._settled()
            self.quiet_length = length
            if self.spent or (finite and every):
                break
        return self._settled()

    def _settled(self) -> bool:
        """Keeps the runs so far, if states explain them."""
        self.kept = len(self.explained.runs) if self.explained.walk else self.kept
        return self.explained.walk is not None and self.explained.size[1] > 0

    def clusters(self) -> Clusters | None:
        """The states that explain the runs kept, by the coarsest tolerance at which they can be snapped.

        If there is none, by the coarsest of all.
        """
        states = self._finer()
        first = next(states, None)
        if first is None or first.graph.edges == 0:
            return None
        if not isinstance(self.model, Dfst):
            return first
        return next((each for each in chain([first], states) if can_be_snapped(self.model, each)), first)

    def _finer(self) -> Iterator[Clusters]:
        """The states that explain the runs kept, few and then more of them."""
        explained = copy(self.explained)
        if explained.walk is None or self.kept < len(explained.runs):
            explained = Explained(self.model, self.tolerances)
            explained.learn(self.explained.runs[: self.kept])
        while (clusters := explained.clusters()) is not None:
            yield clusters
            explained.refine()

    def _round_on_inputs(self, length: int, drawn: Iterator[str]) -> bool:
        """Whether inputs of a length show anything new; those that the states follow show nothing."""
        if not (isinstance(self.model, Dfst) and self.explained.size[1] and self.explained.walk):
            return self._learn(INPUTS, length, [OwnRun(text, LIMITS.run_steps) for text in drawn])
        parted: list[OwnRun] = []
        many = 0
        found = self.explained.walk.found()
        graph = found.graph(len(self.model.moves))
        table = graph_to_table(graph, self.model, Declared("graph"))
        begin = single_runs(matched(self.model, table))
        nowhere = undecided(table, self.model, graph, found.doubted & (found.act == UNSEEN))
        for text in drawn:
            with begin(text) as run:
                ended, done = run.go(self._claimed(text, LIMITS.most_followed)), run.steps()
                known = ended is Outcome.STUCK and run.pair() in nowhere
            many += 1
            self._count(done)
            if ended in (Outcome.STUCK, Reason.DIFFERS) and not known:
                parted.append(OwnRun(text, done + LIMITS.beyond))
            if len(parted) == LIMITS.departures or self.spent:
                break
        far = [run for run in parted if run.steps > LIMITS.recorded]
        if len(far) == len(parted) and far:  # short inputs show every rule
            self.explained.walk = None
            return False
        return self._learn(INPUTS, length, [run for run in parted if run not in far], many)

    def _claimed(self, case: Case, steps: int) -> int:
        """The steps of a run that count: up to where the expert is stuck."""
        if self.expert is None:
            return steps
        world = string_world(case) if isinstance(case, str) else case
        done, outcome = ending(self.expert, world, steps)
        # a strict model must be stuck there too
        return done + self.model.strict if outcome == Outcome.STUCK else steps

    def _learn(self, scope: str, length: int, runs: list[OwnRun], many: int = 0, **how: object) -> bool:
        """Makes runs and learns them; whether they show anything new."""
        if not isinstance(self.model, Dfst):  # A step of Python takes long.
            share = max(1, (self.budget - self.steps) // max(1, len(runs)))
            runs = [replace(run, steps=min(run.steps, share)) for run in runs]
        acts = self.runner.run(runs, **how)  # type: ignore[arg-type]
        for run in acts:
            self._count(len(run.act))
        news = self.explained.learn(acts)
        centres, edges = self.explained.size
        self.history.append(Growth(scope, length, many or len(runs), self.steps, centres, centres, edges))
        return news

    def _count(self, steps: int) -> None:
        self.steps += steps
        self.longest = max(self.longest, steps)
        self.progress(self.steps)

    def _inputs(
        self, language: InputLanguage, draw: Callable[..., str], random: Random, length: int
    ) -> Iterator[str]:
        """Inputs of a round: some that repeat one symbol, some of exactly this length, some of at most."""
        symbols, begun, edges = len(self.model.symbols), self.steps, self.explained.size[1]
        repeat = repeated_drawer(language, length, random)
        most = max(LIMITS.steps_a_symbol * symbols, LIMITS.steps_an_edge * edges)
        for number in range(max(LIMITS.inputs_a_symbol * symbols, LIMITS.inputs_an_edge * edges)):
            if number and self.steps - begun > most:
                return
            if number % 3 == 1:
                yield repeat()
            else:
                try:
                    yield draw(lengths_up_to(length) if number % 3 else lengths_of(length))
                except RareInputs:
                    yield draw(lengths_up_to(length))

    def steady_when_snapped(self, language: InputLanguage, longest: int) -> Clusters | None:
        """The states by which snapped inference lacks no rule on inputs, with the rules that it takes.

        None if there are none; of a strict model nothing would show that a rule is missing.
        """
        if self.model.strict or not isinstance(self.model, Dfst):
            return None
        snapped = (snapped_clusters(self.model, each) for each in self._finer())
        taken = (self._rules_taken(each, language, longest) for each in snapped)
        return next(filter(None, taken), None)

    def _rules_taken(self, clusters: Clusters, language: InputLanguage, longest: int) -> Clusters | None:
        """Those states with the rules that runs on inputs take; None if a run finds none."""
        random = Random(f"{self.seed} drift")
        table, symbols = graph_to_table(clusters.graph, self.model, self.metadata), symbols_of(self.model)
        runs, taken = JointRuns(table, table), np.zeros(clusters.graph.write.shape, np.bool_)
        draw = input_drawer(language, random)
        for length in input_lengths(language, longest):
            repeat, steps = repeated_drawer(language, length, random), 0
            for number in range(LIMITS.snapped_inputs):
                text = draw(lengths_up_to(length)) if number % 3 else repeat()
                done = runs.run(text, self._claimed(text, LIMITS.snapped_run_steps))
                if done.ending is LEFT_STUCK:
                    return None
                for state, _, symbol, _ in done.fresh:
                    taken[int(table.states[state]), symbols.index(table.symbols[symbol])] = True
                steps += done.steps
                if steps > LIMITS.snapped_steps:
                    break
        parts = (
            np.where(taken, part, NONE)
            for part in (clusters.graph.write, clusters.graph.move, clusters.graph.next)
        )
        graph = RuleGraph(*parts)
        return replace(clusters, graph=graph).only(reached(graph))

    def on_worlds(self, on_inputs: Clusters | None) -> bool:
        """Runs on scrambled worlds, and on some that grow as the model runs; whether states explain them.

        A run ends where the expert is stuck, or after the first difference; without an expert, where the
        model is not as sure what to do as it is on its inputs.
        """
        if on_inputs is not None:  # which may have taken all steps
            self.budget = max(self.budget, self.steps + self.budget // 2)
        random, quiet, grown = Random(f"{self.seed} worlds"), 0, 0
        least, most = LIMITS.doubts
        noise = 1 - on_inputs.margin if on_inputs else (least + most) / 2
        doubt = np.inf if self.expert else min(max(noise, least), most)
        grow = isinstance(self.model, Dfst)
        for number in range(LIMITS.world_rounds):
            steps = LIMITS.first_world_steps + LIMITS.more_world_steps * number
            runs = self._worlds(random, steps if grow else LIMITS.run_steps, grow)
            draw = partial(self._drawn, random)
            before, _ = self.explained.size
            news = self._learn(WORLDS, steps, runs, doubt=doubt, agree=True, draw=draw)
            quiet = 0 if news else quiet + 1
            centres, _ = self.explained.size
            grown += on_inputs is not None and centres > before
            if not self.explained.size[1] or grown > LIMITS.grown_rounds:
                return False
            if self.spent or quiet == LIMITS.quiet_world_rounds:
                break
        return quiet == LIMITS.quiet_world_rounds and self._settled()

    def _worlds(self, random: Random, steps: int, grow: bool) -> list[OwnRun]:
        """Of each four one is a scrambled grid, and three grow while the model runs, one of few symbols."""
        symbols, runs = symbols_of(self.model), list[OwnRun]()
        blank_first = (BLANK, *(symbol for symbol in symbols if symbol != BLANK))
        for number in range(LIMITS.world_runs):
            if number % 4 == 0 or not grow:
                runs.append(OwnRun(scrambled_world(blank_first, random), steps))
                continue
            weights = [1.0] * len(symbols)
            if number % 4 == 1:
                few = random.sample(range(len(symbols)), random.randint(1, min(4, len(symbols))))
                weights = [random.random() ** 2 + 0.01 if x in few else 1e-6 for x in range(len(symbols))]
            runs.append(OwnRun(World({}), steps, weights))
        return runs

    def _drawn(self, random: Random, runs: list[OwnRun], may: Floats) -> list[int | None]:
        """For each run a symbol; the less it was read in the state that the run is in, the likelier."""
        walk = self.explained.walk
        if walk is None:  # no state is known, not even the first
            return [None] * len(runs)
        for run in runs:
            while run.walked < len(run.read) and run.at >= 0:
                run.at = int(walk.after[run.at * walk.symbols + run.read[run.walked]])
                run.walked += 1
        at = np.array([run.at for run in runs])
        seen = np.where((at >= 0)[:, None], walk.visits.reshape(-1, walk.symbols)[at], 0)
        sums = np.cumsum(np.array([run.weights for run in runs]) * may / (1 + seen), 1)
        drawn = np.array([random.random() for _ in runs]) * sums[:, -1]
        chosen: list[int] = (sums <= drawn[:, None]).sum(1).tolist()
        return [symbol if any(those) else None for symbol, those in zip(chosen, may.tolist(), strict=True)]


def input_lengths(language: InputLanguage, longest: int) -> list[int]:
    """Lengths up to the longest; beyond ours they double, as long as inputs fit."""
    lengths = [length for length in LIMITS.lengths if length < longest]
    while 2 * lengths[-1] < longest if lengths else False:
        lengths.append(2 * lengths[-1])
    return [n for n in (*lengths, longest) if longest_input(language, n) <= LIMITS.input_symbols] or [1]
