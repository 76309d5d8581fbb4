"""The way in to pictures: the state graph of an agent or a model, and a page with a replay."""

from __future__ import annotations

from functools import partial

from compiler.arguments import (
    AgentLike,
    ModelLike,
    Say,
    as_world,
    at_least,
    at_most,
    counting,
    listener,
    one_of,
)
from compiler.drawing.replay_start import start_of
from compiler.drawing.templates import macro
from compiler.notebooks import drawn
from compiler.simulation.simulate import MAX_STEPS
from gridlang.clauses.inputs import language_of
from gridlang.display import register
from gridlang.table import size_in_words
from gridlang.world import World
from learners.notebooks import HTML
from learners.reports.viewed import View, view_of, viewed, viewed_expert

SCOPES = ("worlds", "inputs", "table")


def _show_view(view: View) -> str:
    """The graph, and in words how it compares."""
    about = [f"{name} {text}" for name, text in view.facts]
    about += [view.comparison.verdict] if view.comparison else []
    picture = drawn(lambda: view.graphs(view.fold))
    return macro(HTML, "view")(view.label, size_in_words(view.program.table), about, picture)


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
    at_least(0, steps=steps)
    at_most(MAX_STEPS, steps=steps)
    expert = viewed_expert(against) if against is not None else None
    subject = viewed(agent, expert, scope, partial(counting, listener(progress)))
    table, start = subject.program.table, None
    if input is not None:
        world = as_world(input, table.symbols, language_of(table))
        start = start_of(world, input if isinstance(input, str) else None)
    return view_of(subject, expert, start, fold, steps)
