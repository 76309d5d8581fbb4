"""Extraction: from the weights of a model to the state graph that it follows, as a table.

A model's own runs lead through states; that longer runs agree with them is what is known of it. States that
never disagree are merged: to the fewest, or to the expert's where that is the shorter program. A model that
no states explain is refused.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

import numpy as np

from gridlang.clauses.inputs import InputLanguage
from gridlang.compiler.extraction.clusters import Clusters, graph_to_table, undecided
from gridlang.compiler.extraction.exploration import INPUTS, TRACES, WORLDS, Exploration, Growth
from gridlang.compiler.extraction.limits import LIMITS
from gridlang.compiler.extraction.model_metadata import Declared, declared
from gridlang.compiler.extraction.refusals import Refusal, refusal_of
from gridlang.compiler.extraction.roles import by_roles
from gridlang.compiler.lockstep.lockstep import Case, matched
from gridlang.compiler.proofs.equivalence import aligned
from gridlang.compiler.tensors.dfst import Dfst, Floats, dfst_to_table
from gridlang.compiler.tensors.model import Model
from gridlang.compiler.weights.families.known import table_to_families
from gridlang.compiler.weights.families.readable import Odd, Pairs, Readable, named_in, readable
from gridlang.diagnostics import GridError, counted, fail
from gridlang.display import Shown
from gridlang.table import Entry, Row, Table, canonical, families_for

AUTO = "auto"
SCOPES = (AUTO, INPUTS, WORLDS)


def named_after(raw: Table, stuck: Pairs, expert: Table, errs: bool) -> Readable:
    """The expert's program, as far as the graph shows it, where each of its states keeps step with one of it.

    Else the program that is found, with names of the expert's where its states have been in step. What the
    expert never asks is left out, and if the model nowhere `errs` also what nobody can ask.
    """
    todo: list[tuple[int, int | None]] = [(0, 0)]
    rows, alike, pairs, asked = aligned(raw, expert).rows, True, dict.fromkeys(todo), set[tuple[int, int]]()
    for q, p in todo:
        for x, entry in enumerate(raw.rows[q]):
            wanted = rows[p][x] if p is not None else entry
            if entry is not None and wanted is not None:
                same = entry[:2] == wanted[:2] and entry.is_idle(x) == wanted.is_idle(x)
                after = entry.next, wanted.next if same and p is not None else None
                if not (same or errs):
                    continue
                alike &= same
                asked.add((q, x))
                if after not in pairs:
                    pairs[after] = None
                    todo.append(after)
    homes = {q: p for q, p in reversed(pairs) if p is not None}
    if alike and len(homes) == len(pairs) == len(raw.rows):
        found = _as_the_expert(raw, expert, rows, homes)
        if all(found.table.rows[found.home[q]][x] is None for q, x in stuck):
            return found
    family = expert.family_by_state()
    offered = {q: family[p].name if p in family else expert.states[p] for q, p in homes.items()}
    kept = (
        tuple(e if (q, x) in asked else None for x, e in enumerate(row)) for q, row in enumerate(raw.rows)
    )
    return readable(replace(raw, rows=tuple(kept)), stuck, offered)


def _as_the_expert(raw: Table, expert: Table, wanted: Sequence[Row], homes: Mapping[int, int]) -> Readable:
    """The graph merged to the expert's states, with the rules of these that were seen."""
    used = sorted(set(homes.values()))
    rows: list[list[Entry | None]] = [[None] * len(raw.symbols) for _ in used]
    for q, x, entry in raw.entries():
        if wanted[homes[q]][x] is not None:
            rows[used.index(homes[q])][x] = entry._replace(next=used.index(homes[entry.next]))
    states = tuple(expert.states[p] for p in used)
    table = canonical(replace(raw, states=states, rows=tuple(map(tuple, rows))))
    table = replace(table, families=families_for(table.states, expert))
    home = tuple(table.states.index(expert.states[homes[q]]) for q in range(len(raw.rows)))
    return replace(table_to_families(table), home=home)


EXACT = "exact"
MOST_MORE = 1.1  # states and lines of a program that also says what happens on worlds, to one that does not


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
        return self.raw.to_source() if raw else self.source

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
    out, `worlds` refuses a model that no states explain on them, and `auto` takes them in if some do, and the
    program is hardly longer then. Repetitions in inputs have up to `longest` symbols. A model that drifts on
    long ones is what it does on shorter ones, if snapped inference does that at every length. If cases were
    `seen`, each with its number of steps, it runs on these alone.
    """
    exact = exact_extraction(dfst, expert)
    if exact is not None and exact.table is not None:
        spelt = table_to_families(exact.table)
        return replace(exact, source=spelt.text, odd=spelt.odd)
    if not dfst.moves:
        raise fail("G081", "this is not a model: it has no moves")
    tolerances = LIMITS.state_tolerances if tolerance is None else (tolerance,)
    exploration = Exploration(dfst, expert, tolerances, budget, seed, progress)
    each = _explored(exploration, scope, longest, seen)
    explored, clusters = each[0]
    evidence: dict[str, Any] = {
        "history": tuple(exploration.history),
        "steps": exploration.steps,
        "longest": exploration.longest,
        "refusal": refusal_of(exploration, explored) if clusters is None else None,
        "saturated": clusters is not None and not exploration.drifts and not seen,
        "drifts_beyond": exploration.quiet_length if clusters and exploration.drifts else 0,
    }
    shown = exploration.clusters() if clusters is None and refused_too else clusters
    if shown is None:
        return Extraction(scope=explored, **evidence)
    # what only worlds show is done by no role
    alone = each[0][0] if len(each) == 1 and each[0][0].startswith(INPUTS) else INPUTS
    made = [
        (what, read(some, dfst, expert, roles=what == alone))
        for what, some in [(explored, shown), *each[1:]]
        if some is not None
    ]
    more, fewer = (program.text for _, (*_, program) in (made[0], made[-1]))
    states, lines = (more.count(mark) <= MOST_MORE * fewer.count(mark) for mark in ("\nstate ", "\n"))
    what, chosen = made[0 if states and lines else -1]
    return chosen.extraction(seed, scope=what, **evidence)


def _explored(
    exploration: Exploration, scope: str, longest: int, seen: Sequence[tuple[Case, int]]
) -> list[tuple[str, Clusters | None]]:
    """What a model was explored on, and the states that explain it; the most first."""
    if seen:
        return [(TRACES, exploration.clusters() if exploration.on_cases(seen) else None)]
    language = language_at(scope, exploration.metadata)
    if language is not None:
        settled = exploration.on_inputs(language, longest)
        if settled and exploration.drifts:
            return [(INPUTS, exploration.steady_when_snapped(language, longest))]
        if not settled or scope == INPUTS or not isinstance(exploration.model, Dfst):
            return [(INPUTS, exploration.clusters() if settled else None)]
    on_inputs = exploration.clusters() if exploration.kept else None
    both = exploration.clusters() if exploration.on_worlds(on_inputs) else None
    sure = exploration.expert or not isinstance(exploration.model, Dfst)
    what = (f"{INPUTS} and {WORLDS}" if on_inputs else WORLDS) + ("" if sure else " where it is sure")
    if both and on_inputs and both.same(on_inputs):
        return [(what, both)]
    each = [(what, both), (INPUTS, on_inputs)]
    return [(what, some) for what, some in each if some is not None] or [(what, None)]


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


class Read(NamedTuple):
    """Clusters, their graph, and its program."""

    clusters: Clusters
    raw: Table
    program: Readable

    def extraction(self, seed: int, **evidence: Any) -> Extraction:
        fewest = self.clusters.folded(seed)
        return Extraction(
            table=self.program.table,
            raw=named_in(self.program, self.raw),
            source=self.program.text,
            guesses=self.program.guesses,
            odd=self.program.odd,
            tolerance=self.clusters.tolerance,
            spread=self.clusters.spread,
            gap=self.clusters.gap,
            margin=self.clusters.margin,
            centres=self.clusters.centres[list(map(int, self.raw.states))],
            merged=self.program.home,
            fewest=fewest.graph.size,
            bound=fewest.bound,
            **evidence,
        )


def read(
    clusters: Clusters, model: Model, expert: Table | None, errs: bool = True, roles: bool = False
) -> Read:
    """The graph of clusters as a program; by roles where all of it was seen on inputs."""
    raw = graph_to_table(clusters.graph, model, declared(model, expert))
    stuck = undecided(raw, model, clusters.graph, clusters.doubted)
    found = named_after(raw, stuck, expert, errs) if expert else readable(raw, stuck)
    return Read(clusters, raw, by_roles(raw, stuck, found) if roles and not expert else found)
