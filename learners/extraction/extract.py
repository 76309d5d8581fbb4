"""Extraction: from the weights of a model to the state graph that it follows, as a table.

The model runs in closed loop on inputs of growing length and on random worlds; its hidden vectors are
gathered into points, the points into clusters. When longer runs show nothing new, the graph of the clusters
is what the model does, and states that never disagree are merged. A model whose vectors do not settle, or
whose clusters overlap, is refused: no graph is known that it follows.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace
from itertools import islice
from random import Random
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from compiler.dfst import Dfst, Floats, dfst_to_table
from compiler.proofs.equivalence import compare_tables
from compiler.state_merging import Folded, fold
from gridlang.diagnostics import GridError, counted, fail
from gridlang.display import Shown
from gridlang.table import Table, families_for
from gridlang.world import World
from learners.evaluation.lockstep import Case, matched
from learners.extraction.clusters import Clusters, graph_to_table
from learners.extraction.model_metadata import Declared, declared
from learners.extraction.refusals import Refusal, is_sure, refusal_of
from learners.extraction.saturation import (
    INPUTS,
    LONGEST_REPETITION,
    TOLERANCES,
    WORLDS,
    Exploration,
    Growth,
    doubt_of,
    settle_on_inputs,
    settle_on_worlds,
)
from learners.extraction.state_names import named_after, named_by_behaviour, numbered
from learners.extraction.table_to_source import table_to_families
from learners.traces.random_inputs import lengths_up_to, random_input
from learners.traces.random_worlds import random_worlds

AUTO, EXACT = "auto", "exact"
SCOPES = (AUTO, INPUTS, WORLDS)
STEPS = 6_000_000  # All runs together do about so many: some seconds in C.
BESIDE, LENGTH = 60, 6  # States are compared with the expert's on so many inputs of this length.


@dataclass(frozen=True, slots=True, eq=False)
class Extraction(Shown):
    """What a model does, as tables; or why it is refused, and then there are none.

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
    scope: str = ""  # It says what was explored; it is `exact` for weights that spell out a table.
    history: tuple[Growth, ...] = ()
    steps: int = 0
    longest: int = 0  # The longest run has so many steps.
    tolerance: float = 0.0
    spread: float = 0.0  # A vector is so far from the first of its cluster at most.
    gap: float = 0.0  # Vectors that do different things are so far apart at least.
    margin: float = 0.0  # An output leads over the second largest by this part of itself at least.
    scale: tuple[int, int] = (0, 0)  # Lengths of hidden vectors are between these powers of two.
    centres: Floats = field(
        default_factory=lambda: np.zeros((0, 0), np.float32)
    )  # (points, d), of length one
    home: npt.NDArray[np.int64] = field(
        default_factory=lambda: np.zeros(0, np.int64)
    )  # (points,): a state of `raw`
    merged: tuple[int, ...] = ()  # Each state of `raw` is merged into this state of `table`.
    bound: int = 0  # No table that does the same has fewer states.
    merging: str = "folded"  # States are as few as possible, or `expert`: as those of the expert.

    @property
    def refused(self) -> str:
        """Why there is no table; empty if there is one."""
        return self.refusal.reason if self.refusal else ""

    @property
    def states(self) -> int:
        return len(self.table.states) if self.table else 0

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
    dfst: Dfst,
    *,
    expert: Table | None = None,
    scope: str = AUTO,
    worlds: Iterable[World] = (),
    longest: int = LONGEST_REPETITION,
    tolerance: float | None = None,
    seed: int = 0,
    budget: int = STEPS,
    progress: Callable[[int], None] = lambda _: None,
) -> Extraction:
    """The table that a model follows, or why there is none.

    Without an expert the model is explored on its declared inputs, and on worlds as far as it is sure what to
    do. An expert gives its names to the states, and tells where nothing is asked of the model: where it is
    stuck itself. Scope `inputs` leaves worlds out, `worlds` refuses a model that does not settle on them, and
    `auto` takes them in if it does, and if the states are then no more than the dimensions of the model. The
    `worlds` given are explored first. Repetitions in inputs have up to `longest` symbols: a model that drifts
    may settle on shorter ones only.
    """
    if expert is not None:
        matched(dfst, expert)  # This raises if the alphabets differ.
    exact = _exact(dfst)
    if exact is not None:
        return _of_exact(dfst, exact)
    if not dfst.moves:
        raise fail("G081", "this is not a model: it has no moves")
    metadata = declared(dfst, expert)
    if metadata.language is None and scope == INPUTS:
        raise fail(
            "G150", "this model does not say what its inputs are", "explore it on worlds: --scope worlds"
        )
    tolerances = TOLERANCES if tolerance is None else (tolerance,)
    exploration = Exploration(dfst, expert, tolerances, budget, seed, progress)
    if metadata.language is not None:
        asked = worlds if scope == INPUTS else ()
        if not (settle_on_inputs(exploration, metadata.language, longest, asked) and is_sure(exploration)):
            return _without_table(exploration, INPUTS)
    inputs = _Finding.of(exploration.clusters, INPUTS, seed) if exploration.clusters else None
    both = None
    if scope != INPUTS:
        exploration.grant(budget // 2)
        settled = settle_on_worlds(exploration, worlds, doubt_of(exploration)) and is_sure(exploration)
        if settled and exploration.clusters:
            what = f"{INPUTS} and {WORLDS}" if inputs else WORLDS
            both = _Finding.of(exploration.clusters, what if expert else f"{what} where it is sure", seed)
    most = max(inputs.size if inputs else 0, len(dfst.h0))
    if inputs and (scope == INPUTS or (scope == AUTO and (not both or both.size > most))):
        return _with_table(exploration, inputs, metadata, seed)
    return _with_table(exploration, both, metadata, seed) if both else _without_table(exploration, WORLDS)


class _Finding(NamedTuple):
    """Clusters, what folding leaves of them, and what was explored for them."""

    clusters: Clusters
    folded: Folded
    scope: str

    @classmethod
    def of(cls, clusters: Clusters, scope: str, seed: int) -> _Finding:
        centres = clusters.codebook.centres[clusters.firsts]
        distances = np.sqrt(np.square(centres[:, None] - centres[None]).sum(2))
        return cls(clusters, fold(clusters.graph, distances, seed), scope)

    @property
    def size(self) -> int:
        return self.folded.graph.size


def _exact(dfst: Dfst) -> Table | None:
    """The table that weights of zeros and ones spell out."""
    try:
        return dfst_to_table(dfst)
    except GridError as error:
        if error.diagnostics[0].code == "G082":
            return None
        raise


def _of_exact(dfst: Dfst, table: Table) -> Extraction:
    """One-hot vectors are their own clusters."""
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
        centres=np.eye(len(dfst.h0), dtype=np.float32)[order],
        home=np.arange(size),
        merged=tuple(range(size)),
        bound=0,
    )


def _with_table(exploration: Exploration, finding: _Finding, metadata: Declared, seed: int) -> Extraction:
    clusters, folded, expert = finding.clusters, finding.folded, exploration.expert
    bare = graph_to_table(folded.graph, exploration.dfst, metadata, list(map(str, range(finding.size))))
    table = named_after(expert, bare, _cases(metadata, expert, seed)) if expert else named_by_behaviour(bare)
    names = dict(zip(map(int, bare.states), table.states, strict=True))  # The keys are the folded nodes.
    nodes = numbered([names[node] for node in folded.home])
    raw = graph_to_table(clusters.graph, exploration.dfst, metadata, nodes)
    raw = replace(raw, families=families_for(raw.states, table))
    assert compare_tables(raw, table).equivalent
    merged = {name: table.states.index(names[node]) for name, node in zip(nodes, folded.home, strict=True)}
    return Extraction(
        table=table,
        raw=raw,
        saturated=True,
        scope=finding.scope,
        history=tuple(exploration.history),
        steps=exploration.steps,
        longest=exploration.longest,
        tolerance=clusters.codebook.tolerance,
        spread=clusters.spread,
        gap=clusters.gap,
        margin=clusters.margin,
        scale=exploration.explorer.scale,
        centres=clusters.codebook.centres,
        home=np.array([raw.states.index(nodes[node]) for node in clusters.home.tolist()]),
        merged=tuple(merged[name] for name in raw.states),
        bound=folded.bound,
    )


def _cases(metadata: Declared, expert: Table, seed: int) -> list[Case]:
    """Inputs, or worlds where there are none, on which a table may be compared with the expert."""
    random = Random(f"{seed} names")
    if metadata.language is None:
        return list(islice(random_worlds(expert, random, 100), BESIDE))
    return [random_input(metadata.language, lengths_up_to(LENGTH), random) for _ in range(BESIDE)]


def _without_table(exploration: Exploration, scope: str) -> Extraction:
    return Extraction(
        refusal=refusal_of(exploration, scope),
        scope=scope,
        history=tuple(exploration.history),
        steps=exploration.steps,
        longest=exploration.longest,
        scale=exploration.explorer.scale,
    )
