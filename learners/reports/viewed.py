"""What `view` shows: an agent, or what was extracted from a model, and how it differs from its expert.

What is heavy is imported where a model is viewed: the graph of a source needs no numpy and no extraction.
"""

from __future__ import annotations

import os
from typing import Any, NamedTuple

from compiler.drawing.differences import Difference, compare, difference_graph, in_words
from compiler.drawing.graphs import DIFFERS, StateGraph
from compiler.drawing.layout import Drawing
from compiler.drawing.page import Comparison, Scene, Vectors
from compiler.drawing.replay_start import Start, first_start, start_of_counterexample
from compiler.drawing.views import Graphs, graphs_of, with_source
from compiler.program_files import load_program
from compiler.proofs.equivalence import Verdict
from compiler.terminal.printing import verdict_data
from gridlang.console import clear_progress, progress_line
from gridlang.diagnostics import Diagnostic, GridError
from gridlang.program import Program


class ViewedAgent(NamedTuple):
    """What is viewed: an agent, and where it was extracted from a model its vectors and facts."""

    program: Program
    label: str
    vectors: Vectors | None = None
    facts: tuple[tuple[str, str], ...] = ()
    verdict: Verdict | None = None


def viewed_expert(against: str) -> ViewedAgent:
    """What others are held against."""
    return ViewedAgent(with_source(load_program(against, {})), os.path.basename(against))


def viewed_source(
    file: str, expert: ViewedAgent | None, scope: str | None, definitions: dict[str, str]
) -> ViewedAgent:
    """A source or a table, with a verdict where there is an expert."""
    program = with_source(load_program(file, definitions))
    label = os.path.basename(file) if expert else program.name
    verdict = None
    if expert and scope:
        from compiler.proofs.prove import prove

        progress = progress_line("product states")
        verdict = prove(expert.program.table, program.table, scope, progress=progress)
        clear_progress()
    return ViewedAgent(program, label, verdict=verdict)


def viewed_model(
    file: str, expert: ViewedAgent | None, scope: str | None, definitions: dict[str, str]
) -> ViewedAgent | Diagnostic:
    """What was extracted from a model; or why it is refused."""
    from compiler.dfst import read_dfst
    from gridlang.loading import load_source
    from gridlang.source import Source
    from learners.extraction.extract import extract
    from learners.extraction.summaries import explored, source_of, summary
    from learners.learning.equivalence_query import judge
    from learners.reports.vector_projection import vectors_of

    for name in definitions:
        raise GridError([Diagnostic("G026", f"a model has no parameter `{name}`", None, file=file)])
    dfst = read_dfst(file)
    progress = progress_line("steps explored")
    verdict = None
    if expert and scope:
        judged = judge(dfst, expert.program.table, scope, progress=progress)
        extraction, verdict = judged.extraction, judged.verdict
    else:
        extraction = extract(dfst, expert=expert.program.table if expert else None, progress=progress)
    clear_progress()
    if extraction.refusal or extraction.table is None:
        assert extraction.refusal is not None
        code, reason, hint = extraction.refusal
        return Diagnostic(code, f"refused: {reason}", None, hint=hint, file=file)
    program = load_source(Source(f"<{os.path.basename(file)}>", source_of(extraction, file, raw=False)))
    assert program.table.rows == extraction.table.rows
    facts = (
        ("extracted from", os.path.basename(file)),
        ("found", summary(extraction)),
        ("rests on", explored(extraction)),
    )
    return ViewedAgent(program, os.path.basename(file), vectors_of(dfst, extraction), facts, verdict)


def difference_of(subject: ViewedAgent, expert: ViewedAgent, start: Start | None) -> Difference:
    """Both on a sample of worlds, on the one that is replayed, and on the one that a proof came up with."""
    from learners.reports.comparison_worlds import sampled_worlds

    verdict = subject.verdict
    special = [start.world] if start else []
    special += [verdict.world] if verdict and verdict.world else []
    wanted = expert.program.table
    return compare(wanted, subject.program.table, [*special, *sampled_worlds(wanted)])


def graphs_for(subject: ViewedAgent, expert: ViewedAgent | None, difference: Difference | None) -> Graphs:
    """The state graph, folded or not; marked by what differs where there is an expert."""
    if expert is None or difference is None:
        return graphs_of(subject.program)

    def marked(fold: bool | None) -> StateGraph:
        assert expert is not None and difference is not None
        return difference_graph(expert.program, subject.program, difference, fold)

    return marked


def scene_of(
    subject: ViewedAgent,
    expert: ViewedAgent | None,
    difference: Difference | None,
    drawings: list[Drawing],
    start: Start | None,
    steps: int,
) -> Scene:
    """All that a page shows; it replays what was asked for, else where both differ, else a first example."""
    comparison = None
    if expert and difference:
        words = in_words(difference, subject.verdict, subject.label, expert.label)
        comparison = Comparison(expert.program, expert.label, difference, words)
        world = subject.verdict.world if subject.verdict else difference.world
        start = start or (start_of_counterexample(world, expert.program.table) if world else None)
    return Scene(
        subject.program,
        subject.label,
        drawings,
        start or first_start(expert.program if expert else subject.program),
        steps,
        subject.facts,
        subject.vectors,
        comparison,
    )


def view_data(
    subject: ViewedAgent, expert: ViewedAgent | None, difference: Difference | None
) -> dict[str, Any]:
    """What is viewed as JSON, and how it differs from its expert."""
    table = subject.program.table
    data: dict[str, Any] = {"name": table.name, "states": len(table.states)}
    if difference and expert:
        differing = sum(mark == DIFFERS for mark in difference.marks.values())
        data |= {"worlds": difference.worlds, "differs": differing > 0 or bool(difference.missing)}
        data |= {"differing_rules": differing, "missing_rules": len(difference.missing)}
        data |= {"missing_states": [expert.program.table.states[p] for p in difference.lost]}
        data |= {"verdict": verdict_data(subject.verdict) if subject.verdict else None}
    return data
