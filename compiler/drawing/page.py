"""One page with the graph, a replay beside it, the source, and for models their vectors.

The page is self-contained and loads nothing. Text from files is escaped in
the drawing, and elsewhere is data in a block of JSON that cannot end early.
"""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from hashlib import sha256
from typing import Any, NamedTuple

from gridlang.clauses.cases import test_world
from gridlang.clauses.input_clauses import language_of
from gridlang.clauses.inputs import InputLanguage, RareInputs
from gridlang.clauses.position_automaton import members
from gridlang.compiler.automata.state_graph import Pair
from gridlang.compiler.drawing.differences import (
    Difference,
    cause_in_words,
    compare,
    differing_rules,
    in_words,
)
from gridlang.compiler.drawing.layout.placed import Drawing
from gridlang.compiler.drawing.palette import legend, page_style
from gridlang.compiler.drawing.source_pane import source_data, source_lines
from gridlang.compiler.drawing.svg import EDGE_OF_PAGE, elements
from gridlang.compiler.drawing.templates import own_markup, render, resource
from gridlang.compiler.proofs.equivalence import Verdict
from gridlang.diagnostics import counted
from gridlang.program import Program
from gridlang.syntax import tree as s
from gridlang.table import BLANK, Table
from gridlang.world import World, string_world, world_picture

REPLAY_STEPS = 1_000_000  # until the reader asks for more
INPUT_SYMBOLS = 8  # in the input that a replay starts with: longer ones make a long replay


class Start(NamedTuple):
    """A world, and the text that means it: one line is an input, several are a picture."""

    world: World
    text: str


def start_of_input(text: str) -> Start:
    return Start(string_world(text), text)


def start_of(world: World, text: str | None) -> Start:
    """A world as it was given: a line of text is an input, anything else is shown as a picture."""
    return start_of_world(world) if text is None or "\n" in text else Start(world, text)


def start_of_world(world: World) -> Start:
    """A picture of a world; empty where that would be too large."""
    picture = world_picture(world) or ""
    return Start(world, picture if "\n" in picture else picture + "\n")


def start_of_counterexample(world: World, table: Table) -> Start:
    """The start on a counterexample, as an input if the table declares it."""
    text = "".join(world.cells.get((x, 0), BLANK) for x in range(len(world.cells)))
    language = language_of(table)
    is_row = world.start == (0, 0) and world == string_world(text)
    if is_row and (language is None or language.declares(text)):
        return Start(world, text)
    return start_of_world(world)


def first_start(program: Program) -> Start:
    """The default input: the file's first test, else a short input, else nothing."""
    table = program.table
    for test in () if program.overridden else program.tests:
        if isinstance(test.world, s.Text):
            return start_of_input(test.world.value)
        return start_of_world(test_world(test, table.symbols))
    language = language_of(table)
    return start_of_input(_some_input(language) if language else "")


def _some_input(language: InputLanguage) -> str:
    """An input of medium length, not the first of that length."""
    chosen = ""
    with suppress(RareInputs):
        for length in range(1, INPUT_SYMBOLS):
            texts = language.strings(length)
            for _, text in zip(range(40), texts, strict=False):
                chosen = text
            if len(chosen) >= 5:
                break
    return chosen


def _view_data(drawing: Drawing, pairs: Sequence[Pair]) -> dict[str, Any]:
    """Maps rules to lines of the drawing, lines to edges, and states to nodes."""
    graph, layout = drawing
    lines = graph.all_lines()
    shown = {pair: number for number, line in enumerate(lines) for pair in line.pairs}
    edges = [-1] * len(lines)
    first = len(lines) - sum(len(edge.lines) for edge in graph.edges)
    for number, edge in enumerate(graph.edges):
        edges[first : first + len(edge.lines)] = [number] * len(edge.lines)
        first += len(edge.lines)
    home = {state: number for number, node in enumerate(graph.nodes) for state in node.members}
    return {
        "folded": graph.folded,
        "ends": [[edge.source, edge.target] for edge in graph.edges],
        "width": round(layout.size.width + EDGE_OF_PAGE),
        "height": round(layout.size.height),
        "line": [shown.get(pair, -1) for pair in pairs],
        "edge": edges,
        "home": [home.get(state, -1) for state in range(max(home, default=-1) + 1)],
        "members": [list(node.members) for node in graph.nodes],
    }


WEB = "gridlang.compiler.drawing/web"
BUNDLE = f"{WEB}/bundle.js"  # what `python -m gridlang.compiler.playground.build --page` makes of the modules


class Vectors(NamedTuple):
    """The hidden vectors of a model in the plane: points in the unit square with the state of each."""

    points: Sequence[tuple[float, float, int]]
    clusters: Sequence[str]  # how many each state has, in words
    about: str


class Comparison(NamedTuple):
    """The other agent, how this one fares against it, and the verdict in words."""

    program: Program
    label: str
    difference: Difference
    verdict: str
    cause: str = ""  # the first rule that departs, in words


def comparison_of(
    known: Program, other: str, own: Program, label: str, worlds: Iterable[World], verdict: Verdict | None
) -> Comparison:
    """One's own agent, called `label`, beside a known one, called `other`, on some worlds."""
    difference = compare(known.table, own.table, worlds)
    words = in_words(difference, verdict, label, other)
    return Comparison(known, other, difference, words, cause_in_words(known, own, difference))


def start_of_difference(comparison: Comparison, verdict: Verdict | None) -> Start:
    """A world on which both differ, or the first of the known agent."""
    known, world = comparison.program, comparison.difference.world
    if verdict is not None and verdict.world:
        world = verdict.world
    return start_of_counterexample(world, known.table) if world else first_start(known)


class Scene(NamedTuple):
    """Everything that a page shows."""

    program: Program
    label: str
    drawings: Sequence[Drawing]
    start: Start
    limit: int = REPLAY_STEPS
    facts: Sequence[tuple[str, str]] = ()
    vectors: Vectors | None = None
    comparison: Comparison | None = None


def page(scene: Scene) -> bytes:
    """The page, which runs its own script only; a file's name need not be Unicode."""
    data, script = page_data(scene), resource(BUNDLE)
    digest = b64encode(sha256(script.encode()).digest()).decode()
    style = page_style() + resource(f"{WEB}/scene.css") + resource(f"{WEB}/page.css")
    html = render(
        f"{WEB}/page.html",
        title=scene.label,
        about=data["about"],
        graphs=list(map(own_markup, data.pop("graphs"))),
        data=data,
        style=own_markup(style),
        script=own_markup(script),
        script_hash=f"sha256-{digest}",
    )
    return html.encode("utf-8", "backslashreplace")


def page_data(scene: Scene) -> dict[str, Any]:
    """Everything that a page shows, for its script."""
    program = scene.program
    table = program.table
    pairs = [(state, symbol) for state, symbol, _ in table.entries()]
    lines = source_lines(program)
    numbers = {symbol: x for x, symbol in enumerate(table.symbols)}
    counts = (len(table.states), "state"), (len(table.symbols), "symbol"), (table.transitions, "rule")
    return {
        "label": scene.label,
        "about": ", ".join(counted(number, word) for number, word in counts),
        "graphs": [elements(drawing, live=True) for drawing in scene.drawings],
        "legend": legend(drawing.graph for drawing in scene.drawings),
        "table": _table_data(table, lines),
        "language": _language_data(language_of(table)),
        **source_data(program),
        "views": [_view_data(drawing, pairs) for drawing in scene.drawings],
        "start": {
            "text": scene.start.text,
            "cells": [[x, y, numbers[symbol]] for (x, y), symbol in scene.start.world.cells.items()],
            "start": list(scene.start.world.start),
        },
        "limit": scene.limit,
        "facts": [list(fact) for fact in scene.facts],
        "model": _vectors_data(scene.vectors) if scene.vectors else None,
        "against": _against_data(scene) if scene.comparison else None,
    }


def _table_data(table: Table, lines: Mapping[Pair, int]) -> dict[str, Any]:
    rules: list[int] = []
    for state, symbol, entry in table.entries():
        rules += [state, symbol, *entry, lines.get((state, symbol), 0)]
    home = table.family_by_state()
    families = [home[state].name if state in home else "" for state in range(len(table.states))]
    return {
        "name": table.name,
        "states": table.states,
        "families": families,
        "symbols": table.symbols,
        "rules": rules,
    }


def _language_data(language: InputLanguage | None) -> dict[str, Any] | None:
    if language is None:
        return None
    whole = language.whole
    return {
        "clause": language.clause,
        "cells": language.cells,
        "first": list(members(whole.first)),
        "last": list(members(whole.last)),
        "follow": {str(place): list(members(after)) for place, after in enumerate(whole.follow)},
        "nullable": whole.nullable,
    }


def _vectors_data(vectors: Vectors) -> dict[str, Any]:
    return {
        "points": [[round(x, 4), round(y, 4), state] for x, y, state in vectors.points],
        "clusters": list(vectors.clusters),
        "about": vectors.about,
    }


def _against_data(scene: Scene) -> dict[str, Any]:
    assert scene.comparison is not None
    other, label, difference, verdict, cause = scene.comparison
    named = [[other.table.states[p] for p in states] for states in difference.matches]
    texts = [
        f"as {label}'s {', '.join(names[:6])}" if names else f"matches no state of {label}" for names in named
    ]
    differing = difference.differing
    matching = [q for q, names in enumerate(named) if names and q not in differing]
    lists: list[tuple[str, str, Sequence[int | str]]] = [
        ("states that differ", "states", sorted(differing)),
        ("states that match", "states", matching),
        ("states that match none", "states", difference.more),
        (f"states of {label} that are missing", "texts", [other.table.states[p] for p in difference.lost]),
    ]
    lines = source_lines(scene.program)
    first = difference.cause.pair if difference.cause else None
    return {
        "label": label,
        "table": _table_data(other.table, {}),
        "verdict": f"{verdict}; {cause}" if cause else verdict,
        "matches": texts,
        "lists": [
            {"title": title, kind: list(each)} for title, kind, each in lists if each or each is matching
        ],
        "rules": [
            {"state": pair[0], "text": text, "line": lines.get(pair, 0), "cause": pair == first}
            for pair, text in differing_rules(other.table, scene.program.table, difference)
        ],
    }
