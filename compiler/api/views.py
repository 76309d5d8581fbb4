"""The API to pictures: the state graph of an agent, or of what was extracted from a model, and a page.

Only a model needs numpy and extraction, which are imported for it.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import islice
from random import Random
from typing import Annotated, Any

from gridlang.clauses.input_clauses import language_of
from gridlang.compiler import given
from gridlang.compiler.api.comparison import compared, side_of
from gridlang.compiler.drawing.differences import departure_in_words
from gridlang.compiler.drawing.graphs import DIFFERS
from gridlang.compiler.drawing.page import (
    REPLAY_STEPS,
    Comparison,
    Scene,
    Start,
    Vectors,
    comparison_of,
    first_start,
    page,
    start_of,
    start_of_difference,
    start_of_input,
)
from gridlang.compiler.drawing.templates import macro
from gridlang.compiler.drawing.views import drawings_of, graph_of, picture, with_source
from gridlang.compiler.given import NONE, AgentLike, Counter, ModelLike, Path, Say, refuse_parameters
from gridlang.compiler.proofs.equivalence import Verdict
from gridlang.compiler.simulation.random_inputs import lengths_up_to, random_input
from gridlang.compiler.simulation.random_worlds import random_worlds
from gridlang.compiler.simulation.simulate import MAX_STEPS
from gridlang.compiler.simulation.worlds.files import read_world
from gridlang.compiler.targets import VIEWS
from gridlang.compiler.terminal.printing import verdict_data
from gridlang.diagnostics import Diagnostic, GridError, listing
from gridlang.files import write_whole
from gridlang.loading import definitions_for, load_source
from gridlang.options import Definitions, Option, checked, one_of
from gridlang.program import Program
from gridlang.source import Source
from gridlang.table import Table, size_in_words
from gridlang.world import World, string_world

SCOPES = ("worlds", "inputs", "table")
# runs on which two agents are compared: they reach nearly every rule
LISTED_LENGTH, SHORT_INPUTS = 4, 300  # inputs of up to this length, no more than these
DRAWN_INPUTS, DRAWN_LENGTH = 200, 6  # repetitions of each part, at most
MOST_WORLDS = 300
NOTHING = start_of_input("")


class RefusedModel(GridError):
    """There is nothing to view: the model follows no known state graph."""


@dataclass(frozen=True, slots=True, eq=False)
class View:
    """The state graph of a program, and what a page shows beside it; a notebook shows the graph.

    Of a model, `refused` says why it follows no known graph; it is shown as far as explored.

    >>> import gridlang as gl
    >>> gl.view("examples/increment.grid").render("dot")[:7]
    b'digraph'
    """

    program: Program
    label: str
    start: Start = NOTHING
    fold: bool | None = None
    steps: int = REPLAY_STEPS
    facts: tuple[tuple[str, str], ...] = ()
    vectors: Vectors | None = None
    comparison: Comparison | None = None
    verdict: Verdict | None = None
    refused: str = ""

    def render(self, kind: str = "svg") -> bytes:
        """The content of a file: html, svg, png or dot."""
        if one_of("kind", kind, VIEWS) != "html":
            return picture(kind, graph_of(self.program, self.fold, self.comparison))
        drawings = drawings_of(self.program, self.fold, self.comparison)
        shown = (self.steps, self.facts, self.vectors, self.comparison)
        return page(Scene(self.program, self.label, drawings, self.start, *shown))

    def save(self, path: Path) -> None:
        """Writes a picture (.svg, .png), the graph for graphviz (.dot), or a page with a replay (.html)."""
        write_whole(os.fspath(path), self.render(kind_of(os.fspath(path))))

    def lines(self) -> Iterator[str]:
        """What is known of it, and how it differs from its expert."""
        yield from (f"{name}: {text}" for name, text in self.facts)
        if self.comparison:
            yield from filter(None, (self.comparison.verdict, self.comparison.cause))

    def as_json(self) -> dict[str, Any]:
        """The view as data: its size, and how it differs from its expert."""
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

    def _repr_html_(self) -> str:
        """The graph, and in words how it compares."""
        from gridlang.compiler.notebooks import HTML, drawn

        about = [f"{name} {text}" for name, text in self.facts]
        about += [self.comparison.verdict] if self.comparison else []
        shown = drawn(self.program, self.fold, self.comparison)
        return macro(HTML, "view")(self.label, size_in_words(self.program.table), about, shown)


def kind_of(path: str) -> str:
    """Chooses what to write by the ending of a path; ValueError for an ending of no view."""
    kind = os.path.splitext(path)[1].removeprefix(".").lower()
    if kind not in VIEWS:
        raise ValueError(f"a view ends in {listing('.' + each for each in VIEWS)}, not {path!r}")
    return kind


@checked
def view(
    agent: AgentLike | ModelLike,
    *,
    input: Annotated[str | World | None, Option("Input to replay.", usual="the file's first test")] = None,
    world: Annotated[Path | None, Option("World file: a picture with its start cell in brackets.")] = None,
    against: Annotated[AgentLike | None, Option("Mark where FILE differs from this expert.")] = None,
    scope: Annotated[
        str | None,
        Option("Also prove it on these, as `equiv` does, which takes longer.", choices=SCOPES),
    ] = None,
    fold: Annotated[
        bool | None,
        Option(
            "Draw each family as one box.",
            usual="if there are many edges",
            spelt=("--fold/--no-fold",),
        ),
    ] = None,
    steps: Annotated[int, Option("Step limit of the replay.", 0, MAX_STEPS)] = REPLAY_STEPS,
    definitions: Definitions = NONE,
    progress: Say | None = None,
) -> View:
    """Shows the state graph of an agent, or of what is extracted from a model.

    States that are instances of one declaration form a family; rules that do the same share a line, with the
    symbol read, the symbol written and the move. `against` marks the states and rules that differ from the
    expert, and replays a world on which they differ.

    In Python, `save` writes the view to a file.

    >>> import gridlang as gl, os, tempfile
    >>> drawn = gl.view("examples/increment.grid", input="1011")
    >>> drawn
    View(increment: 3 states, 3 symbols, 9 rules)
    >>> drawn.save(os.path.join(tempfile.mkdtemp(), "increment.svg"))
    """
    if input is not None and world is not None:
        raise ValueError("give an input or a world, not both")
    counter = given.counter(progress)
    both = (agent,) if against is None else (agent, against)
    files = [os.fspath(each) if isinstance(each, str | os.PathLike) else "" for each in both]
    own, *theirs = definitions_for(files, definitions)
    expert = with_source(given.as_program(against, theirs[0])) if against is not None else None
    if given.is_weights(agent):
        refuse_parameters(given.model_file(agent), own)
        subject = _model_view(agent, expert, scope, counter)
    else:
        program = with_source(given.as_program(agent, own))
        subject = View(program, _given_name(agent, program) if expert else program.name)
        if expert and scope:
            from gridlang.compiler.proofs.certificates import Subject, accepted
            from gridlang.compiler.proofs.prove import prove

            found = prove(expert.table, program.table, scope, progress=counter("product states"))
            checked_verdict, _ = accepted(Subject.of(expert), Subject.of(program), found)
            subject = replace(subject, verdict=checked_verdict)
    program, verdict, start = subject.program, subject.verdict, None
    table = program.table
    if world is not None:
        start = start_of(read_world(os.fspath(world), table.symbols), None)
    elif input is not None:
        text = input if isinstance(input, str) else None
        start = start_of(given.as_world(input, table.symbols, language_of(table)), text)
    comparison = None
    if expert and against is not None:
        special = [start.world] if start else []
        special += [verdict.world] if verdict is not None and verdict.world else []
        other, worlds = _given_name(against, expert), [*special, *sampled_worlds(expert.table)]
        comparison = comparison_of(expert, other, program, subject.label, worlds, verdict)
        start = start or start_of_difference(comparison, verdict)
    return replace(
        subject, start=start or first_start(program), fold=fold, steps=steps, comparison=comparison
    )


def _given_name(agent: AgentLike, program: Program) -> str:
    """The name of a side: its file, or the agent."""
    return os.path.basename(agent) if isinstance(agent, str | os.PathLike) else program.name


def _model_view(model: ModelLike, expert: Program | None, scope: str | None, counter: Counter) -> View:
    """The view of the program extracted from a model; RefusedModel if there is none.

    Without a `scope`, a model that does not settle gets the graph of what was explored.
    """
    from gridlang.compiler.drawing.vector_projection import vectors_of
    from gridlang.compiler.extraction.extract import extract
    from gridlang.compiler.extraction.extract_text import explored, source_of, summary

    dfst, file = given.as_any_model(model), given.model_file(model)
    label, progress = os.path.basename(file.strip("<>")), counter("steps explored")
    both = compared(side_of(expert), side_of(model), scope, counter).accepted() if expert and scope else None
    verdict, found = (both.verdict, both.right.extraction) if both else (None, None)
    shown = found is not None and (found.table or found.refusal)
    extraction = (
        found
        if found and shown
        else extract(dfst, expert=expert and expert.table, progress=progress, refused_too=True)
    )
    if extraction.refusal and extraction.table is None:
        code, reason, hint = extraction.refusal
        raise RefusedModel([Diagnostic(code, f"refused: {reason}", None, hint=hint, file=file)])
    program = load_source(Source(f"<{label}>", source_of(extraction, label, raw=False)))
    assert extraction.table is not None and program.table.rows == extraction.table.rows
    program = program._replace(guesses=extraction.guesses)
    facts = [("extracted from", label), ("found", summary(extraction)), ("rests on", explored(extraction))]
    if extraction.refusal:
        facts.append(("shown only as far as it was seen", extraction.refused))
    vectors, refused = vectors_of(extraction), extraction.refused
    return View(program, label, facts=tuple(facts), vectors=vectors, verdict=verdict, refused=refused)


def sampled_worlds(table: Table) -> Iterator[World]:
    """Worlds to compare agents on: declared inputs, or else worlds on which it runs long."""
    random, language = Random("0 sampled"), language_of(table)
    if language is None:
        yield World({})
        yield from islice(random_worlds(table, random, 200), MOST_WORLDS)
        return
    for text in islice(language.shortest(LISTED_LENGTH), SHORT_INPUTS):
        yield string_world(text)
    for _ in range(DRAWN_INPUTS):
        yield string_world(random_input(language, lengths_up_to(DRAWN_LENGTH), random))
