"""Extraction: from the weights of a model to the state graph that it follows, as a table.

When longer runs show no new clusters of hidden vectors, their graph is what the model does. Clusters that
never disagree are merged: to the fewest states, or to the expert's where that is the shorter program. A model
whose vectors do not settle, or whose clusters overlap, is refused.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from itertools import islice
from random import Random
from typing import Any

import numpy as np
import numpy.typing as npt

from gridlang.compiler.automata.behaviour_names import behaviours_of, filled, named_by_behaviour
from gridlang.compiler.automata.merging import NONE, Folded, RuleGraph
from gridlang.compiler.extraction.clusters import Clusters
from gridlang.compiler.extraction.explorer import rules_for
from gridlang.compiler.extraction.limits import LIMITS
from gridlang.compiler.extraction.model_exploration import AUTO, ModelExploration
from gridlang.compiler.extraction.model_metadata import Declared
from gridlang.compiler.extraction.refusals import Refusal, is_sure, refusal_of
from gridlang.compiler.extraction.saturation import TRACES, WORLDS, Growth
from gridlang.compiler.extraction.snapped_graph import steady_when_snapped
from gridlang.compiler.extraction.table_to_source import table_to_families
from gridlang.compiler.lockstep.lockstep import Case, matched
from gridlang.compiler.proofs.equivalence import aligned, compare_tables
from gridlang.compiler.proofs.joint_step import LEFT_STUCK, RIGHT_DIFFERS, joint_run
from gridlang.compiler.simulation.random_inputs import lengths_up_to, random_input
from gridlang.compiler.simulation.random_worlds import random_worlds
from gridlang.compiler.tensors.dfst import Dfst, Floats, dfst_to_table
from gridlang.compiler.tensors.model import Model
from gridlang.diagnostics import GridError, counted, fail
from gridlang.display import Shown
from gridlang.table import Table, families_for
from gridlang.vocabulary import HALT
from gridlang.world import World, string_world


def named_after(expert: Table, table: Table, cases: Iterable[Case]) -> Table:
    """The table with the expert's names and families, where they keep step; the rest is named by behaviour.

    A state is named after the expert's that it is most often in step with; each name is given once.
    """
    together: Counter[tuple[int, int]] = Counter()
    rows = aligned(expert, table).rows
    for case in cases:
        world = string_world(case) if isinstance(case, str) else case
        together.update(
            (state, other)
            for other, state, _, step, _ in joint_run(expert, rows, world, LIMITS.named_steps)
            if step not in (LEFT_STUCK, RIGHT_DIFFERS)
        )
    names: dict[int, str] = {}
    for (state, other), _ in sorted(together.items(), key=lambda pair: (-pair[1], pair[0])):
        fits = expert.states[other] != HALT or table.halts_everywhere(state)
        if fits and state not in names and expert.states[other] not in names.values():
            names[state] = expert.states[other]
    if not names:
        return named_by_behaviour(table)
    states = filled(names, behaviours_of(table))
    return replace(table, states=states, families=families_for(states, expert))


def numbered(names: list[str]) -> list[str]:
    """The same names, those that come more than once with a number: `walk_R/1`, `walk_R/2`."""
    times, seen = Counter(names), Counter[str]()
    distinct = []
    for name in names:
        seen[name] += 1
        distinct.append(f"{name}/{seen[name]}" if times[name] > 1 else name)
    return distinct


def folded_as_the_expert(clusters: Clusters, dfst: Model, expert: Table) -> tuple[Folded, list[str]] | None:
    """A state for each of the expert's that clusters stand for, and their names; None if one is unclear."""
    graph, rules = clusters.graph, rules_for(dfst, expert)
    homes = _homes(graph, rules)
    if homes is None:
        return None
    used = sorted(set(homes))
    home = tuple(used.index(state) for state in homes)
    asked = rules["write"][homes] >= 0  # (clusters, symbols): where the expert has a rule
    merged = [np.full((len(used), graph.write.shape[1]), NONE, np.int32) for _ in range(3)]
    for cluster, node in enumerate(home):
        known = (graph.write[cluster] >= 0) & asked[cluster]
        after = np.array([home[next] if next >= 0 else NONE for next in graph.next[cluster]], np.int32)
        for rows, numbers in zip(merged, (graph.write[cluster], graph.move[cluster], after), strict=True):
            rows[node, known] = numbers[known]
    if (clusters.undecided & (merged[0][list(home)] >= 0)).any():
        return None  # The model was asked there, and did not know.
    return Folded(RuleGraph(*merged), home, len(used)), [expert.states[state] for state in used]


def _homes(graph: RuleGraph, rules: npt.NDArray[np.void]) -> list[int] | None:
    """The state of the expert that each cluster keeps step with; None if one has none, or two, or errs."""
    homes, waiting = {0: 0}, [0]
    while waiting:
        cluster = waiting.pop()
        state = homes[cluster]
        for symbol in np.flatnonzero(graph.write[cluster] >= 0).tolist():
            write, move, after = rules[state, symbol].tolist()
            if write < 0:
                continue  # The expert is stuck there.
            onward = int(graph.next[cluster, symbol])
            acts = graph.write[cluster, symbol] == write and graph.move[cluster, symbol] == move
            if not acts or (onward == NONE and after != state) or homes.get(onward, after) != after:
                return None
            if onward != NONE and onward not in homes:
                homes[onward] = after
                waiting.append(onward)
    return [homes[cluster] for cluster in range(graph.size)] if len(homes) == graph.size else None


EXACT = "exact"
KEEPS_ITS_PAST = (
    "G210",
    "a transformer keeps its whole past, and no vector that could come back: there are no states to gather",
    "train a recurrent network with --method gru or lstm, or a DFST; `gridlang eval` tests a transformer",
)


@dataclass(frozen=True, slots=True, eq=False)
class Extraction(Shown):
    """What a model does, as tables; or why it is refused, and then there are none but those `seen_so_far`.

    `raw` has a state for each cluster, and a rule for each step that was seen; in `table` the states that
    never disagree are merged. A vector, scaled to length one, belongs to the raw state `home[p]` of the
    nearest centre p, if that is within `tolerance`.

    >>> import gridlang as gl
    >>> gl.extract(gl.compile("examples/add2.grid"))
    Extraction(add2: 12 states from 12 clusters; exact)
    """

    table: Table | None = None
    raw: Table | None = None
    refusal: Refusal | None = None
    saturated: bool = False
    scope: str = ""  # what was explored; `exact` for weights that spell out a table
    history: tuple[Growth, ...] = ()
    steps: int = 0
    longest: int = 0  # steps of the longest run
    asked: int = 0  # more worlds, where the table lacked rules
    tolerance: float = 0.0
    spread: float = 0.0  # from a vector to the first of its cluster, at most
    gap: float = 0.0  # between vectors that do different things, at least
    margin: float = 0.0  # least lead of an output over the second largest, as a part of it
    centres: Floats = field(default_factory=lambda: np.zeros((0, 0), np.float32))  # (points, d): unit vectors
    home: npt.NDArray[np.int64] = field(default_factory=lambda: np.zeros(0, np.int64))  # states of `raw`
    merged: tuple[int, ...] = ()  # for each state of `raw`, one of `table`
    bound: int = 0  # No table that does the same has fewer states.
    # Longer inputs lead the float vectors off the graph, and snapped ones not; 0 where none did.
    drifts_beyond: int = 0

    @property
    def refused(self) -> str:
        """Why there is no table; empty if there is one."""
        return self.refusal.reason if self.refusal else ""

    @property
    def states(self) -> int:
        return len(self.table.states) if self.table else 0

    @property
    def guessed(self) -> int:
        """The pairs of a raw state and a symbol that were never seen, and that `table` has a rule for."""
        if self.table is None or self.raw is None:
            return 0
        filled = self.table.rows
        return sum(
            seen is None and guess is not None
            for state, row in zip(self.merged, self.raw.rows, strict=True)
            for seen, guess in zip(row, filled[state], strict=True)
        )

    @property
    def clusters(self) -> int:
        return len(self.raw.states) if self.raw else 0

    def to_source(self, raw: bool = False) -> str:
        """The table, or the raw one, as a `.grid` file; GridError with the reason if there is none."""
        if self.refusal is not None:
            raise fail(self.refusal.code, f"refused: {self.refusal.reason}", self.refusal.hint)
        table = self.raw if raw else self.table
        assert table is not None
        return table_to_families(table)

    def __repr__(self) -> str:
        if self.table is None:
            return f"Extraction(refused: {self.refused})"
        size = f"{counted(self.states, 'state')} from {counted(self.clusters, 'cluster')}"
        return f"Extraction({self.table.name}: {size}; {self.scope})"


def extract(
    dfst: Model,
    *,
    expert: Table | None = None,
    scope: str = AUTO,
    worlds: Iterable[World] = (),
    longest: int = LIMITS.longest_repetition,
    tolerance: float | None = None,
    seed: int = 0,
    budget: int = LIMITS.steps,
    progress: Callable[[int], None] = lambda _: None,
    seen: Sequence[tuple[Case, int]] = (),
) -> Extraction:
    """The table that a model follows, or why there is none.

    Without an expert the model is explored on its declared inputs, and on worlds as far as it is sure what to
    do. An expert names the states, and nothing is asked of the model where it is stuck. Scope `inputs` leaves
    worlds out, `worlds` refuses a model that does not settle on them, and `auto` takes them in if it does and
    the states are then no more than its dimensions. The `worlds` given come first. Repetitions in inputs have
    up to `longest` symbols. A model that drifts on long ones is what it does on shorter ones, if snapped
    inference does that at every length. If cases were `seen`, each with its number of steps, only these are
    explored.
    """
    exact = exact_extraction(dfst, expert)
    if exact is not None:
        return exact
    explored = ModelExploration(
        dfst, expert, scope, worlds, longest, tolerance, seed, budget, progress, seen=seen
    )
    may_drift = scope != WORLDS and not seen
    return (_steady(explored, longest) if may_drift else None) or extraction_of(explored)


def extraction_of(explored: ModelExploration) -> Extraction:
    """The tables, with states that never disagree merged in one of them; or why there is none."""
    if explored.clusters is None:
        return _summary(explored, refusal=refusal_of(explored.exploration, explored.scope))
    return _with_table(explored, explored.clusters)


def _steady(explored: ModelExploration, longest: int) -> Extraction | None:
    """The behaviour of a drifting model with snapped inference; None for others."""
    steady = steady_when_snapped(explored, longest) if explored.clusters is None else None
    if steady is None:
        return None
    clusters, length = steady
    return replace(_with_table(explored, clusters), saturated=False, drifts_beyond=length)


def seen_so_far(
    dfst: Model, expert: Table | None = None, progress: Callable[[int], None] = lambda _: None
) -> Extraction:
    """The table that a model follows; of one that did not settle what was seen, and why it is refused.

    A large model is explored for less long than `extract` does, so this takes some seconds for any.
    """
    exact = exact_extraction(dfst, expert)
    if exact is not None:
        return exact
    budget = LIMITS.steps if len(dfst.h0) <= LIMITS.quick_dimensions else LIMITS.steps // 20
    explored = ModelExploration(dfst, expert, budget=budget, progress=progress)
    steady, clusters = _steady(explored, LIMITS.longest_repetition), explored.exploration.clusters
    if steady is not None:
        return steady
    if explored.clusters is not None or clusters is None or not is_sure(explored.exploration):
        return extraction_of(explored)
    refusal = refusal_of(explored.exploration, explored.scope)
    return replace(_with_table(explored, clusters), refusal=refusal, saturated=False)


def exact_extraction(dfst: Model, expert: Table | None = None) -> Extraction | None:
    """The table that weights of zeros and ones spell out; a transformer is refused; None for others."""
    if expert is not None:
        matched(dfst, expert)  # raises if the alphabets differ
    if not len(dfst.h0):
        return Extraction(refusal=Refusal(*KEEPS_ITS_PAST))
    if not isinstance(dfst, Dfst):
        return None
    try:
        table = dfst_to_table(dfst)
    except GridError as error:
        if error.diagnostics[0].code == "G082":
            return None
        raise
    names = json.loads(dfst.metadata["states"]) if "states" in dfst.metadata else None
    order = [names.index(name) if names else int(name[1:]) for name in table.states]
    size = len(table.states)
    return Extraction(
        table=table,
        raw=table,
        saturated=True,
        scope=EXACT,
        gap=float(np.sqrt(2)),
        margin=1.0,
        centres=np.eye(len(dfst.h0), dtype=np.float32)[order],  # One-hot vectors are their own clusters.
        home=np.arange(size),
        merged=tuple(range(size)),
    )


def _summary(explored: ModelExploration, **found: Any) -> Extraction:
    """The result with its evidence."""
    exploration = explored.exploration
    return Extraction(
        scope=explored.scope,
        history=tuple(exploration.history),
        steps=exploration.steps,
        longest=exploration.longest,
        **found,
    )


def _with_table(explored: ModelExploration, clusters: Clusters) -> Extraction:
    smaller, table = _smaller(explored, clusters)
    bare = explored.table_of(smaller.graph)
    names = dict(zip(map(int, bare.states), table.states, strict=True))  # by folded nodes
    nodes = numbered([names[node] for node in smaller.home])
    raw = explored.table_of(clusters.graph, nodes)
    raw = replace(raw, families=families_for(raw.states, table))
    merged = {name: table.states.index(names[node]) for name, node in zip(nodes, smaller.home, strict=True)}
    return _summary(
        explored,
        table=table,
        raw=raw,
        saturated=explored.scope != TRACES,
        asked=explored.asked,
        tolerance=clusters.codebook.tolerance,
        spread=clusters.spread,
        gap=clusters.gap,
        margin=clusters.margin,
        centres=clusters.codebook.centres,
        home=np.array([raw.states.index(nodes[node]) for node in clusters.home.tolist()]),
        merged=tuple(merged[name] for name in raw.states),
        bound=smaller.bound,
    )


def _smaller(explored: ModelExploration, clusters: Clusters) -> tuple[Folded, Table]:
    """The clusters merged: to the fewest states, or to the expert's, whichever is the shorter program."""
    expert, seed, metadata = explored.exploration.expert, explored.seed, explored.metadata
    smaller = explored.folded(clusters)
    bare = explored.table_of(smaller.graph)
    assert compare_tables(explored.table_of(clusters.graph), bare).equivalent
    if expert is None:
        return smaller, named_by_behaviour(bare)
    fewest = named_after(expert, bare, _cases(metadata, expert, seed))
    alike = folded_as_the_expert(clusters, explored.exploration.dfst, expert)
    if alike is None:
        return smaller, fewest
    plain, names = alike
    bare = explored.table_of(plain.graph)
    states = tuple(names[int(node)] for node in bare.states)
    table = replace(bare, states=states, families=families_for(states, expert))
    if len(table_to_families(table)) >= len(table_to_families(fewest)):
        return smaller, fewest
    return replace(plain, bound=smaller.bound), table


def _cases(metadata: Declared, expert: Table, seed: int) -> list[Case]:
    """Inputs, or worlds where there are none, on which a table may be compared with the expert."""
    random = Random(f"{seed} names")
    if metadata.language is None:
        return list(islice(random_worlds(expert, random, 100), LIMITS.named_inputs))
    lengths = lengths_up_to(LIMITS.named_length)
    return [random_input(metadata.language, lengths, random) for _ in range(LIMITS.named_inputs)]
