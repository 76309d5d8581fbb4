"""The way in to pictures: the state graph of an agent or a model, and a page with a replay."""

from __future__ import annotations

import os
from dataclasses import dataclass

from compiler.arguments import (
    AgentLike,
    ModelLike,
    Path,
    Say,
    as_model,
    as_program,
    as_world,
    is_weights,
    one_of,
)
from compiler.dfst import Dfst
from compiler.drawing.differences import Difference, compare, difference_graph, in_words
from compiler.drawing.page import Comparison, Scene, Vectors
from compiler.drawing.replay_start import Start, first_start, start_of_counterexample, start_of_world
from compiler.drawing.templates import macro
from compiler.drawing.views import KINDS, Graphs, drawings_of, graphs_of, page, picture, with_source
from compiler.notebooks import DrawnGraph, data_uri
from compiler.proofs.equivalence import Verdict
from compiler.proofs.prove import prove as prove_tables
from gridlang.diagnostics import GridError, fail
from gridlang.display import Shown, register
from gridlang.files import write_whole
from gridlang.inputs import language_of
from gridlang.loading import loads
from gridlang.program import Program
from gridlang.table import size_in_words
from gridlang.world import World
from learners.api.models import extract
from learners.extraction.summaries import explored, source_of, summary
from learners.learning.equivalence_query import judge
from learners.notebooks import HTML
from learners.reports.comparison_worlds import sampled_worlds
from learners.reports.vector_projection import vectors_of

SCOPES = ("worlds", "inputs", "table")


@dataclass(frozen=True, slots=True, eq=False)
class View(Shown):
    """The state graph of a program, and what a page shows beside it; a notebook shows the graph.

    >>> import gridlang as gl
    >>> gl.view("examples/increment.grid").render("dot")[:7]
    b'digraph'
    """

    program: Program
    label: str
    graphs: Graphs
    start: Start
    fold: bool | None = None
    steps: int = 1_000_000
    facts: tuple[tuple[str, str], ...] = ()
    vectors: Vectors | None = None
    comparison: Comparison | None = None
    verdict: Verdict | None = None

    def render(self, kind: str = "svg") -> bytes:
        """The content of a file: html, svg, png or dot."""
        if one_of("kind", kind, KINDS) != "html":
            return picture(kind, self.graphs(self.fold))
        drawings = drawings_of(self.program, self.graphs, self.fold)
        shown = (self.steps, self.facts, self.vectors, self.comparison)
        return page(Scene(self.program, self.label, drawings, self.start, *shown))

    def save(self, path: Path) -> None:
        """Writes a picture (.svg, .png), the graph for graphviz (.dot), or a page with a replay (.html)."""
        ending = os.path.splitext(os.fspath(path))[1].removeprefix(".").lower()
        if ending not in KINDS:
            raise ValueError(f"a view is saved to .html, .svg, .png or .dot, not {os.fspath(path)!r}")
        write_whole(os.fspath(path), self.render(ending))

    def __repr__(self) -> str:
        return f"View({self.label}: {size_in_words(self.program.table)})"


def _show_view(view: View) -> str:
    """The graph, and in words how it compares."""
    about = [f"{name} {text}" for name, text in view.facts]
    about += [view.comparison.verdict] if view.comparison else []
    try:
        drawn = DrawnGraph(data_uri("svg+xml", view.render("svg")))
    except GridError as error:
        drawn = DrawnGraph("", error.diagnostics[0].message)
    return macro(HTML, "view")(view.label, size_in_words(view.program.table), about, drawn)


register(View, _show_view)


def view(
    agent: AgentLike | ModelLike,
    *,
    input: str | World | None = None,
    against: AgentLike | None = None,
    scope: str | None = None,
    fold: bool | None = None,
    steps: int = 1_000_000,
    progress: Say | None = None,
) -> View:
    """The state graph of an agent, or of what is extracted from a model; `save` writes it to a file.

    `input`, or a world, is what the page replays, for so many `steps`. With `against` states and rules are
    marked by whether they do what that agent does, and a `scope` also proves it: worlds, inputs or table.
    `fold` draws a family of states as one box; by default it does where there are many edges.

    >>> import gridlang as gl, os, tempfile
    >>> drawn = gl.view("examples/increment.grid", input="1011")
    >>> drawn
    View(increment: 3 states, 3 symbols, 9 rules)
    >>> drawn.save(os.path.join(tempfile.mkdtemp(), "increment.svg"))
    """
    if scope is not None:
        one_of("scope", scope, SCOPES)
    expert = with_source(as_program(against)) if against is not None else None
    if is_weights(agent):
        seen = _of_model(as_model(agent), _label(agent), expert, scope, progress)  # type: ignore[arg-type]
    else:
        seen = _of_agent(with_source(as_program(agent)), expert, scope)
    program, label, facts, vectors, verdict = seen
    start = _start(program, input) if input is not None else None
    graphs, comparison = graphs_of(program), None
    if expert is not None:
        difference = _difference(program, expert, start, verdict)
        graphs = _marked(expert, program, difference)
        words = in_words(difference, verdict, label, expert.name)
        comparison = Comparison(expert, expert.name, difference, words)
        world = verdict.world if verdict else difference.world
        start = start or (start_of_counterexample(world, expert.table) if world else None)
    start = start or first_start(expert or program)
    return View(program, label, graphs, start, fold, steps, facts, vectors, comparison, verdict)


_Seen = tuple[Program, str, tuple[tuple[str, str], ...], Vectors | None, Verdict | None]


def _label(model: ModelLike) -> str:
    if isinstance(model, Dfst):
        return model.metadata.get("name", "model")
    return os.path.basename(os.fspath(model))


def _of_agent(program: Program, expert: Program | None, scope: str | None) -> _Seen:
    verdict = prove_tables(expert.table, program.table, scope) if expert and scope else None
    return program, program.name, (), None, verdict


def _of_model(
    dfst: Dfst, label: str, expert: Program | None, scope: str | None, progress: Say | None
) -> _Seen:
    """What was extracted, as a program that says so; GridError if that was refused."""
    verdict = None
    if expert and scope:
        answer = judge(dfst, expert.table, scope)
        graph, verdict = answer.extraction, answer.verdict
    else:
        graph = extract(dfst, expert, progress=progress)
    if graph.refusal is not None:
        code, reason, hint = graph.refusal
        raise fail(code, f"refused: {reason}", hint, label)
    program = loads(source_of(graph, label, raw=False))
    facts = (("extracted from", label), ("found", summary(graph)), ("rests on", explored(graph)))
    return program, label, facts, vectors_of(dfst, graph), verdict


def _start(program: Program, input: str | World) -> Start:
    world = as_world(input, program.table.symbols, language_of(program.table))
    return Start(world, input) if isinstance(input, str) else start_of_world(world)


def _difference(
    program: Program, expert: Program, start: Start | None, verdict: Verdict | None
) -> Difference:
    """Both on a sample of worlds, on the one that is replayed, and on the one that a proof came up with."""
    special = [start.world] if start else []
    special += [verdict.world] if verdict and verdict.world else []
    return compare(expert.table, program.table, [*special, *sampled_worlds(expert.table)])


def _marked(expert: Program, program: Program, difference: Difference) -> Graphs:
    return lambda fold: difference_graph(expert, program, difference, fold)
