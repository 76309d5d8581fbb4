"""Extraction: from the weights of a model to the state graph that it follows, as a table.

A model's own runs lead through states; that longer runs agree with them is what is known of it. States that
never disagree are merged: to the fewest, or to the expert's where that is the shorter program. A model that
no states explain is refused.
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

from gridlang.clauses.inputs import InputLanguage
from gridlang.compiler.automata.behaviour_names import behaviours_of, filled, named_by_behaviour
from gridlang.compiler.automata.merging import NONE, Folded, RuleGraph
from gridlang.compiler.extraction.clusters import Clusters, expert_graph, graph_to_table
from gridlang.compiler.extraction.exploration import INPUTS, TRACES, WORLDS, Exploration, Growth
from gridlang.compiler.extraction.limits import LIMITS
from gridlang.compiler.extraction.model_metadata import Declared, declared
from gridlang.compiler.extraction.refusals import Refusal, refusal_of
from gridlang.compiler.lockstep.lockstep import Case, matched
from gridlang.compiler.proofs.equivalence import aligned, compare_tables
from gridlang.compiler.proofs.joint_step import LEFT_STUCK, RIGHT_DIFFERS, joint_run
from gridlang.compiler.simulation.random_inputs import lengths_up_to, random_input
from gridlang.compiler.simulation.random_worlds import random_worlds
from gridlang.compiler.tensors.dfst import Dfst, Floats, dfst_to_table
from gridlang.compiler.tensors.model import Model, symbols_of
from gridlang.compiler.weights.families.known import table_to_families
from gridlang.compiler.weights.families.readable import Odd, Readable, readable
from gridlang.diagnostics import GridError, counted, fail
from gridlang.display import Shown
from gridlang.table import Table, families_for
from gridlang.vocabulary import HALT
from gridlang.world import string_world

AUTO = "auto"
SCOPES = (AUTO, INPUTS, WORLDS)


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
    graph, rules = clusters.graph, expert_graph(dfst, expert)
    homes = _homes(graph, rules)
    if homes is None:
        return None
    used = sorted(set(homes))
    home = tuple(used.index(state) for state in homes)
    asked = rules.write[homes] >= 0  # (clusters, symbols): where the expert has a rule
    merged = [np.full((len(used), graph.write.shape[1]), NONE, np.int32) for _ in range(3)]
    for cluster, node in enumerate(home):
        known = (graph.write[cluster] >= 0) & asked[cluster]
        after = np.array([home[next] if next >= 0 else NONE for next in graph.next[cluster]], np.int32)
        for rows, numbers in zip(merged, (graph.write[cluster], graph.move[cluster], after), strict=True):
            rows[node, known] = numbers[known]
    if (clusters.doubted & (merged[0][list(home)] >= 0)).any():
        return None  # The model was asked there, and did not know.
    return Folded(RuleGraph(*merged), home, len(used)), [expert.states[state] for state in used]


def _homes(graph: RuleGraph, rules: RuleGraph) -> list[int] | None:
    """The state of the expert that each cluster keeps step with; None if one has none, or two, or errs."""
    homes, waiting = {0: 0}, [0]
    while waiting:
        cluster = waiting.pop()
        state = homes[cluster]
        for symbol in np.flatnonzero((graph.write[cluster] >= 0) & (rules.write[state] >= 0)).tolist():
            onward, after = int(graph.next[cluster, symbol]), int(rules.next[state, symbol])
            acts = [
                (each.write[at, symbol], each.move[at, symbol])
                for each, at in ((graph, cluster), (rules, state))
            ]
            if acts[0] != acts[1] or (onward == NONE) != (after == NONE) or homes.get(onward, after) != after:
                return None
            if onward != NONE and onward not in homes:
                homes[onward] = after
                waiting.append(onward)
    return [homes[cluster] for cluster in range(graph.size)] if len(homes) == graph.size else None


EXACT = "exact"


@dataclass(frozen=True, slots=True, eq=False)
class Extraction(Shown):
    """What a model does, as tables; or why it is refused, and then there are none if nobody asked.

    `raw` has a state for each cluster, and a rule for each step that was seen. In `table` states that never
    disagree are merged: as the expert's are, or as families need it. `guesses` are its pairs of a state and a
    symbol on which nothing was seen, `odd` the rules that hold but for a few entries. A vector, scaled to
    length one, belongs to the raw state of the nearest centre; `centres` are in the order of these states.

    >>> import gridlang as gl
    >>> gl.extract(gl.compile("examples/add2.grid"))
    Extraction(add2: 12 states from 12 clusters; exact)
    """

    table: Table | None = None
    raw: Table | None = None
    source: str = ""  # of the table
    guesses: frozenset[tuple[int, int]] = frozenset()
    odd: tuple[Odd, ...] = ()
    refusal: Refusal | None = None
    saturated: bool = False
    scope: str = ""  # what was explored; `exact` for weights that spell out a table
    history: tuple[Growth, ...] = ()
    steps: int = 0
    longest: int = 0  # steps of the longest run
    asked: int = 0  # more worlds, where the table lacked rules
    tolerance: float = 0.0
    spread: float = 0.0  # from a vector to the centre of its cluster, at most
    gap: float = 0.0  # between centres that do different things, at least
    margin: float = 0.0  # least lead of an output over the second largest, as a part of it
    # (states of `raw`, d): unit vectors
    centres: Floats = field(default_factory=lambda: np.zeros((0, 0), np.float32))
    merged: tuple[int, ...] = ()  # for each state of `raw`, one of `table`
    fewest: int = 0  # states of the smallest table known that does the same
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
        return len(self.guesses)

    @property
    def clusters(self) -> int:
        return len(self.raw.states) if self.raw else 0

    def to_source(self, raw: bool = False) -> str:
        """The table, or the raw one, as a `.grid` file; GridError with the reason if there is none."""
        if self.refusal is not None:
            raise fail(self.refusal.code, f"refused: {self.refusal.reason}", self.refusal.hint)
        assert self.table is not None and self.raw is not None
        return self.raw.to_source() if raw else self.source or table_to_families(self.table)

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
    longest: int = LIMITS.longest_repetition,
    tolerance: float | None = None,
    seed: int = 0,
    budget: int = LIMITS.steps,
    progress: Callable[[int], None] = lambda _: None,
    seen: Sequence[tuple[Case, int]] = (),
    refused_too: bool = False,
) -> Extraction:
    """The table that a model follows, or why there is none; if `refused_too`, also what was explained.

    Without an expert the model runs on its declared inputs, and on worlds as far as it is sure what to do. An
    expert names the states, and nothing is asked of the model where it is stuck. Scope `inputs` leaves worlds
    out, `worlds` refuses a model that no states explain on them, and `auto` takes them in if some do, and are
    then no more than its dimensions. Repetitions in inputs have up to `longest` symbols. A model that drifts
    on long ones is what it does on shorter ones, if snapped inference does that at every length. If cases
    were `seen`, each with its number of steps, it runs on these alone.
    """
    exact = exact_extraction(dfst, expert)
    if exact is not None:
        return exact
    if not dfst.moves:
        raise fail("G081", "this is not a model: it has no moves")
    tolerances = LIMITS.state_tolerances if tolerance is None else (tolerance,)
    exploration = Exploration(dfst, expert, tolerances, budget, seed, progress)
    explored, clusters = _explored(exploration, scope, longest, seen)
    evidence: dict[str, Any] = {
        "scope": explored,
        "history": tuple(exploration.history),
        "steps": exploration.steps,
        "longest": exploration.longest,
        "refusal": refusal_of(exploration, explored) if clusters is None else None,
        "saturated": clusters is not None and not exploration.drifts and not seen,
        "drifts_beyond": exploration.quiet_length if clusters and exploration.drifts else 0,
    }
    shown = exploration.clusters() if clusters is None and refused_too else clusters
    return extraction_from(shown, dfst, expert, seed, **evidence) if shown else Extraction(**evidence)


def _explored(
    exploration: Exploration, scope: str, longest: int, seen: Sequence[tuple[Case, int]]
) -> tuple[str, Clusters | None]:
    """What a model was explored on, and the states that explain it."""
    if seen:
        return TRACES, exploration.clusters() if exploration.on_cases(seen) else None
    language = language_at(scope, exploration.metadata)
    if language is not None:
        settled = exploration.on_inputs(language, longest)
        if settled and exploration.drifts:
            return INPUTS, exploration.steady_when_snapped(language, longest)
        if not settled or scope == INPUTS or not isinstance(exploration.model, Dfst):
            return INPUTS, exploration.clusters() if settled else None
    on_inputs = exploration.clusters() if exploration.kept else None
    both = exploration.clusters() if exploration.on_worlds(on_inputs) else None
    if on_inputs is not None:
        most = max(on_inputs.folded(exploration.seed).graph.size, len(exploration.model.h0))
        if both is None or both.folded(exploration.seed).graph.size > most:
            return INPUTS, on_inputs
    what = f"{INPUTS} and {WORLDS}" if on_inputs else WORLDS
    sure = exploration.expert or not isinstance(exploration.model, Dfst)
    return what if sure else f"{what} where it is sure", both


def language_at(scope: str, metadata: Declared) -> InputLanguage | None:
    """The declared inputs that a model is to run on; None on worlds."""
    if metadata.language is None and scope == INPUTS:
        hint = "explore it on worlds: --scope worlds"
        raise fail("G150", "this model does not say what its inputs are", hint)
    return None if scope == WORLDS else metadata.language


def exact_extraction(dfst: Model, expert: Table | None = None) -> Extraction | None:
    """The table that weights of zeros and ones spell out; None for others."""
    if expert is not None:
        matched(dfst, expert)  # raises if the alphabets differ
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
        merged=tuple(range(size)),
    )


def extraction_from(
    clusters: Clusters, model: Model, expert: Table | None, seed: int, **evidence: Any
) -> Extraction:
    """The tables of clusters: raw, and with states merged."""
    metadata = declared(model, expert)
    raw = graph_to_table(clusters.graph, model, metadata)
    nodes = list(map(int, raw.states))
    fewest = clusters.folded(seed)
    if expert is None:
        smaller, found = fewest, _found(clusters, raw, nodes, model)
    else:
        smaller, found = _as_the_expert(clusters, raw, nodes, model, expert, seed, fewest)
    names = tuple(numbered([found.table.states[state] for state in found.home]))
    return Extraction(
        table=found.table,
        raw=replace(raw, states=names, families=families_for(names, found.table)),
        source=found.text,
        guesses=found.guesses,
        odd=found.odd,
        tolerance=clusters.tolerance,
        spread=clusters.spread,
        gap=clusters.gap,
        margin=clusters.margin,
        centres=clusters.centres[nodes],
        merged=found.home,
        fewest=fewest.graph.size,
        bound=smaller.bound,
        **evidence,
    )


def _found(clusters: Clusters, raw: Table, nodes: list[int], model: Model) -> Readable:
    """The program of the raw graph; what the model left undecided, or is stuck on, it does nowhere."""
    symbols = symbols_of(model)
    nowhere = zip(*np.nonzero(clusters.doubted | (clusters.graph.write == len(symbols))), strict=True)
    return readable(raw, frozenset((nodes.index(node), raw.symbols.index(symbols[x])) for node, x in nowhere))


def _as_the_expert(
    clusters: Clusters,
    raw: Table,
    nodes: list[int],
    model: Model,
    expert: Table,
    seed: int,
    fewest: Folded,
) -> tuple[Folded, Readable]:
    """The clusters merged: to the fewest states, or to the expert's, whichever is the shorter program."""
    metadata = declared(model, expert)
    bare = graph_to_table(fewest.graph, model, metadata)
    assert compare_tables(raw, bare).equivalent
    smaller, table = fewest, named_after(expert, bare, _cases(metadata, expert, seed))
    source = table_to_families(table)
    alike = folded_as_the_expert(clusters, model, expert)
    if alike is not None:
        plain, names = alike
        bare_alike = graph_to_table(plain.graph, model, metadata)
        states = tuple(names[int(node)] for node in bare_alike.states)
        table_alike = replace(bare_alike, states=states, families=families_for(states, expert))
        source_alike = table_to_families(table_alike)
        if len(source_alike) < len(source):
            smaller, bare, table, source = (
                replace(plain, bound=fewest.bound),
                bare_alike,
                table_alike,
                source_alike,
            )
    place = {int(node): state for state, node in enumerate(bare.states)}
    home = tuple(place[smaller.home[node]] for node in nodes)
    seen = {(home[state], x) for state, x, _ in raw.entries()}
    guesses = frozenset((state, x) for state, x, _ in table.entries()) - seen
    return smaller, Readable(source, table, home, guesses)


def _cases(metadata: Declared, expert: Table, seed: int) -> list[Case]:
    """Inputs, or worlds where there are none, on which a table may be compared with the expert."""
    random = Random(f"{seed} names")
    if metadata.language is None:
        return list(islice(random_worlds(expert, random, 100), LIMITS.named_inputs))
    lengths = lengths_up_to(LIMITS.named_length)
    return [random_input(metadata.language, lengths, random) for _ in range(LIMITS.named_inputs)]
