"""What `view` shows: an agent, or what was extracted from a model, and how it differs from its expert.

What is heavy is imported where a model is viewed: the graph of a source needs no numpy and no extraction.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from itertools import islice
from random import Random
from typing import Any, NamedTuple

from gridlang.clauses.input_clauses import language_of
from gridlang.compiler.arguments import (
    NONE,
    AgentLike,
    Counter,
    ModelLike,
    Path,
    as_program,
    is_weights,
    model_file,
    one_of,
)
from gridlang.compiler.drawing.differences import (
    Difference,
    cause_in_words,
    compare,
    departure_in_words,
    difference_graph,
    in_words,
)
from gridlang.compiler.drawing.graphs import DIFFERS
from gridlang.compiler.drawing.page import (
    REPLAY_STEPS,
    Comparison,
    Scene,
    Start,
    Vectors,
    first_start,
    start_of_counterexample,
)
from gridlang.compiler.drawing.views import KINDS, Graphs, drawings_of, graphs_of, page, picture, with_source
from gridlang.compiler.program_files import refuse_parameters
from gridlang.compiler.proofs.equivalence import Verdict
from gridlang.compiler.terminal.printing import verdict_data
from gridlang.diagnostics import Diagnostic, GridError
from gridlang.display import Shown
from gridlang.files import write_whole
from gridlang.loading import load_source
from gridlang.program import Program
from gridlang.source import Source
from gridlang.table import Table, size_in_words
from gridlang.world import World, string_world

# runs on which two agents are compared: they reach nearly every rule
LISTED_LENGTH, SHORT_INPUTS = 4, 300  # inputs of up to this length, no more than these
DRAWN_INPUTS, DRAWN_LENGTH = 200, 6  # repetitions of each part, at most
MOST_WORLDS = 300


class RefusedModel(GridError):
    """There is nothing to view: the model follows no known state graph."""


class ViewedAgent(NamedTuple):
    """What is viewed: an agent, and where it was extracted from a model its vectors and facts."""

    program: Program
    label: str
    vectors: Vectors | None = None
    facts: tuple[tuple[str, str], ...] = ()
    verdict: Verdict | None = None
    refused: str = ""  # why a model follows no known graph; it is shown as far as explored


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
    steps: int = REPLAY_STEPS
    facts: tuple[tuple[str, str], ...] = ()
    vectors: Vectors | None = None
    comparison: Comparison | None = None
    verdict: Verdict | None = None
    refused: str = ""

    def render(self, kind: str = "svg") -> bytes:
        """The content of a file: html, svg, png or dot."""
        if one_of("kind", kind, KINDS) != "html":
            return picture(kind, self.graphs(self.fold))
        return page(self.scene())

    def scene(self) -> Scene:
        """What a page shows, drawn."""
        drawings = drawings_of(self.program, self.graphs, self.fold)
        shown = (self.steps, self.facts, self.vectors, self.comparison)
        return Scene(self.program, self.label, drawings, self.start, *shown)

    def save(self, path: Path) -> None:
        """Writes a picture (.svg, .png), the graph for graphviz (.dot), or a page with a replay (.html)."""
        kind = kind_of(os.fspath(path))
        if kind not in KINDS:
            raise ValueError(f"a view is saved to .html, .svg, .png or .dot, not {os.fspath(path)!r}")
        write_whole(os.fspath(path), self.render(kind))

    def as_json(self) -> dict[str, Any]:
        """What is viewed, and how it differs from its expert."""
        table = self.program.table
        data: dict[str, Any] = {"name": table.name, "states": len(table.states)}
        if self.refused:
            data |= {"refused": self.refused}
        if self.comparison:
            difference, expert = self.comparison.difference, self.comparison.program.table
            differing = sum(mark == DIFFERS for mark in difference.marks.values())
            missing = len(difference.missing(table))
            data |= {"worlds": difference.worlds, "differs": difference.world is not None}
            data |= {"differing_rules": differing, "missing_rules": missing}
            data |= {"cause": self._cause()}
            data |= {"missing_states": [expert.states[p] for p in difference.lost]}
            data |= {"verdict": verdict_data(self.verdict) if self.verdict is not None else None}
        return data

    def _cause(self) -> dict[str, Any] | None:
        """The first rule that departs from the expert's; its line where a source has one."""
        assert self.comparison is not None
        departure = self.comparison.difference.cause
        if departure is None:
            return None
        (state, symbol), rule = departure.pair, self.program.rules.get(departure.pair)
        table, expert = self.program.table, self.comparison.program.table
        return {
            "step": departure.step,
            "state": table.states[state],
            "symbol": table.symbols[symbol],
            "line": rule.span.line if rule else None,
            "text": departure_in_words(expert, table, departure),
        }

    def __repr__(self) -> str:
        return f"View({self.label}: {size_in_words(self.program.table)})"


def kind_of(path: str) -> str:
    """The ending of a path, which says what to write."""
    return os.path.splitext(path)[1].removeprefix(".").lower()


def viewed_expert(agent: AgentLike, definitions: Mapping[str, str] = NONE) -> ViewedAgent:
    """The side that others are compared with."""
    program = with_source(as_program(agent, definitions))
    return ViewedAgent(program, _given_name(agent, program))


def viewed(
    agent: AgentLike | ModelLike,
    expert: ViewedAgent | None,
    scope: str | None,
    counter: Counter,
    definitions: Mapping[str, str] = NONE,
) -> ViewedAgent:
    """An agent, or what is extracted from a model; with a verdict where there is an expert and a scope."""
    if is_weights(agent):
        refuse_parameters(model_file(agent), definitions)
        return _viewed_model(agent, expert, scope, counter)
    program = with_source(as_program(agent, definitions))
    if expert is None:
        return ViewedAgent(program, program.name)
    verdict = None
    if scope:
        from gridlang.compiler.proofs.prove import prove

        verdict = prove(expert.program.table, program.table, scope, progress=counter("product states"))
    return ViewedAgent(program, _given_name(agent, program), verdict=verdict)


def _given_name(agent: AgentLike, program: Program) -> str:
    """A side's name: that of its file, or of the agent."""
    return os.path.basename(agent) if isinstance(agent, str | os.PathLike) else program.name


def _viewed_model(
    model: ModelLike, expert: ViewedAgent | None, scope: str | None, counter: Counter
) -> ViewedAgent:
    """What is extracted from a model, as a program that says so; RefusedModel if nothing is.

    A model that does not settle is shown as far as explored, unless a proof is asked for.
    """
    from gridlang.compiler.arguments import as_any_model
    from gridlang.compiler.drawing.vector_projection import vectors_of
    from gridlang.compiler.extraction.extract import seen_so_far
    from gridlang.compiler.extraction.extract_text import explored, source_of, summary
    from gridlang.compiler.judging.equivalence_query import judge

    dfst, file = as_any_model(model), model_file(model)
    label, progress = os.path.basename(file.strip("<>")), counter("steps explored")
    verdict = None
    if expert and scope:
        answer = judge(dfst, expert.program.table, scope, progress=progress)
        extraction, verdict = answer.extraction, answer.verdict
    else:
        extraction = seen_so_far(dfst, expert.program.table if expert else None, progress)
    if extraction.refusal and extraction.table is None:
        code, reason, hint = extraction.refusal
        raise RefusedModel([Diagnostic(code, f"refused: {reason}", None, hint=hint, file=file)])
    program = load_source(Source(f"<{label}>", source_of(extraction, label, raw=False)))
    assert extraction.table is not None and program.table.rows == extraction.table.rows
    facts = [("extracted from", label), ("found", summary(extraction)), ("rests on", explored(extraction))]
    if extraction.refusal:
        facts.append(("shown only as far as it was seen", extraction.refused))
    return ViewedAgent(
        program, label, vectors_of(dfst, extraction), tuple(facts), verdict, extraction.refused
    )


def view_of(
    subject: ViewedAgent, expert: ViewedAgent | None, start: Start | None, fold: bool | None, steps: int
) -> View:
    """Everything shown; a page replays the given world, else a difference, else a first example."""
    program, label, vectors, facts, verdict, refused = subject
    graphs, comparison = graphs_of(program), None
    if expert:
        difference = _difference(subject, expert, start)
        graphs = partial(difference_graph, expert.program, program, difference)
        words = in_words(difference, verdict, label, expert.label)
        cause = cause_in_words(expert.program, program, difference)
        comparison = Comparison(expert.program, expert.label, difference, words, cause)
        world = verdict.world if verdict is not None else difference.world
        start = start or (start_of_counterexample(world, expert.program.table) if world else None)
    start = start or first_start(expert.program if expert else program)
    return View(program, label, graphs, start, fold, steps, facts, vectors, comparison, verdict, refused)


def _difference(subject: ViewedAgent, expert: ViewedAgent, start: Start | None) -> Difference:
    """Both on a sample of worlds, on the one that is replayed, and on the one that a proof came up with."""
    verdict, wanted = subject.verdict, expert.program.table
    special = [start.world] if start else []
    special += [verdict.world] if verdict is not None and verdict.world else []
    return compare(wanted, subject.program.table, [*special, *sampled_worlds(wanted)])


def sampled_worlds(table: Table) -> Iterator[World]:
    """Worlds to compare agents on: declared inputs where there are any, else those that keep it going."""
    from gridlang.compiler.simulation.random_inputs import lengths_up_to, random_input
    from gridlang.compiler.simulation.random_worlds import random_worlds

    random, language = Random("0 sampled"), language_of(table)
    if language is None:
        yield World({})
        yield from islice(random_worlds(table, random, 200), MOST_WORLDS)
        return
    for text in islice(language.shortest(LISTED_LENGTH), SHORT_INPUTS):
        yield string_world(text)
    for _ in range(DRAWN_INPUTS):
        yield string_world(random_input(language, lengths_up_to(DRAWN_LENGTH), random))
