"""The states of an extracted graph merged as an expert's are, instead of into as few as possible.

Both merge states that were never seen to disagree, so both tables do all that the model was seen to do. The
smallest one guesses the most where nothing was seen, which may stand in the way of a proof.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

from compiler.proofs.equivalence import aligned
from compiler.proofs.joint_step import Ending, joint_step
from compiler.state_merging import fold_along, graph_to_rows, table_to_graph
from gridlang.table import Row, Table, canonical, families_for
from learners.evaluation.lockstep import Case
from learners.extraction.extract import Extraction
from learners.extraction.state_names import in_step

# For each state of the raw table, the states of the expert that it was in step with, in the order of sight.
InStep = list[dict[int, None]]


def merged_after(expert: Table, extraction: Extraction, cases: Iterable[Case]) -> Extraction | None:
    """The extraction with states merged that keep step with one state of the expert, and named after it.

    They are seen side by side on `cases`. None if there is no graph.
    """
    raw = extraction.raw
    if raw is None:
        return None
    seen: InStep = [{} for _ in raw.states]
    rows = aligned(expert, raw)
    for case in cases:
        for node, state in in_step(expert, rows, case):
            seen[node][state] = None
    _spread(expert, rows, seen)
    order = sorted(range(len(seen)), key=lambda node: len(seen[node]))
    first: dict[int, int] = {}
    merges = [(first.setdefault(state, node), node) for node in order for state in seen[node]]
    folded = fold_along(table_to_graph(raw), merges)
    names = _names(expert, seen, folded.home, folded.graph.size)
    families = families_for(names, expert)
    rows = graph_to_rows(folded.graph)
    table = canonical(replace(raw, states=tuple(names), rows=rows, families=families))
    merged = tuple(table.states.index(names[home]) for home in folded.home)
    return replace(extraction, table=table, merged=merged, merging="expert")


def _spread(expert: Table, rows: Sequence[Row], seen: InStep) -> None:
    """A node that no case has reached is in step with the states that the expert reaches together with it."""
    work = [node for node, states in enumerate(seen) if states]
    while work:
        node = work.pop()
        for symbol, entry in enumerate(rows[node]):
            if entry is None or seen[entry.next]:
                continue
            for state in seen[node]:
                step = joint_step(expert.rows[state][symbol], entry, symbol)
                if not isinstance(step, Ending):
                    seen[entry.next][step[0].next] = None
            work += [entry.next] if seen[entry.next] else []


def _names(expert: Table, seen: InStep, home: tuple[int, ...], size: int) -> list[str]:
    """The expert's names, each given once; what is left over is numbered."""
    names = [""] * size
    for node, place in enumerate(home):
        free = (expert.states[state] for state in seen[node] if expert.states[state] not in names)
        names[place] = names[place] or next(free, "")
    return [name or f"other_{place}" for place, name in enumerate(names)]
