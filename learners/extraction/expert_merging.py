"""The states of an extracted graph merged as an expert's are, instead of into as few as possible.

Both merge states that were never seen to disagree, so both tables do all that the model was seen to do. The
smallest one guesses the most where nothing was seen, which may stand in the way of a proof.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from compiler.proofs.equivalence import aligned
from compiler.state_merging import fold_along, graph_to_rows, table_to_graph
from gridlang.table import Table, canonical, families_for
from learners.evaluation.lockstep import Case
from learners.extraction.extract import Extraction
from learners.extraction.state_names import beside

Beside = list[dict[int, None]]  # of each state those of the expert, in the order in which they were seen


def merged_after(expert: Table, extraction: Extraction, cases: Iterable[Case]) -> Extraction | None:
    """The extraction with states merged that keep step with one state of the expert, and named after it.

    They are seen side by side on `cases`. None if there is no graph.
    """
    raw = extraction.raw
    if raw is None:
        return None
    seen: Beside = [{} for _ in raw.states]
    for case in cases:
        for node, state in beside(expert, raw, case):
            seen[node][state] = None
    _spread(expert, raw, seen)
    order = sorted(range(len(seen)), key=lambda node: len(seen[node]))
    first: dict[int, int] = {}
    merges = [(first.setdefault(state, node), node) for node in order for state in seen[node]]
    folded = fold_along(table_to_graph(raw), merges)
    names = _names(expert, seen, folded.home, folded.graph.size)
    families = families_for(names, expert)
    rows = graph_to_rows(folded.graph)
    table = canonical(replace(raw, states=tuple(names), rows=rows, families=families))
    return replace(
        extraction, table=table, merged=tuple(table.states.index(names[home]) for home in folded.home)
    )


def _spread(expert: Table, raw: Table, seen: Beside) -> None:
    """What no case has reached is beside what the expert does when it is reached."""
    rows = aligned(expert, raw)
    work = [node for node, states in enumerate(seen) if states]
    while work:
        node = work.pop()
        for symbol, entry in enumerate(rows[node]):
            if entry is None or seen[entry.next]:
                continue
            for state in seen[node]:
                wanted = expert.rows[state][symbol]
                if wanted is not None and wanted[:2] == entry[:2]:
                    seen[entry.next][wanted.next] = None
            work += [entry.next] if seen[entry.next] else []


def _names(expert: Table, seen: Beside, home: tuple[int, ...], size: int) -> list[str]:
    """The expert's names, each given once; what is left over is numbered."""
    names = [""] * size
    for node, place in enumerate(home):
        free = (expert.states[state] for state in seen[node] if expert.states[state] not in names)
        names[place] = names[place] or next(free, "")
    return [name or f"other_{place}" for place, name in enumerate(names)]
