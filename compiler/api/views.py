"""The API to pictures: the state graph of an agent or a model, and a page with a replay."""

from __future__ import annotations

import os
from collections.abc import Mapping
from functools import partial

from gridlang.clauses.input_clauses import language_of
from gridlang.compiler import arguments
from gridlang.compiler.api.viewed import View, view_of, viewed, viewed_expert
from gridlang.compiler.arguments import NONE, AgentLike, ModelLike, Path, Say, as_world
from gridlang.compiler.drawing.page import start_of
from gridlang.compiler.drawing.templates import macro
from gridlang.compiler.simulation.simulate import MAX_STEPS
from gridlang.compiler.simulation.worlds.files import given_world
from gridlang.display import register
from gridlang.loading import definitions_for
from gridlang.table import size_in_words
from gridlang.world import World

SCOPES = ("worlds", "inputs", "table")


def _show_view(view: View) -> str:
    """The graph, and in words how it compares."""
    from gridlang.compiler.notebooks import HTML, drawn

    about = [f"{name} {text}" for name, text in view.facts]
    about += [view.comparison.verdict] if view.comparison else []
    picture = drawn(lambda: view.graphs(view.fold))
    return macro(HTML, "view")(view.label, size_in_words(view.program.table), about, picture)


register(View, _show_view)


def view(
    agent: AgentLike | ModelLike,
    *,
    input: str | World | None = None,
    world: Path | None = None,
    against: AgentLike | None = None,
    scope: str | None = None,
    fold: bool | None = None,
    steps: int = 1_000_000,
    definitions: Mapping[str, str] = NONE,
    progress: Say | None = None,
) -> View:
    """The state graph of an agent, or of what is extracted from a model; `save` writes it to a file.

    The page replays `input`, or the file of a `world`, for at most `steps` steps. With `against`, states and
    rules are marked by whether they do what that agent does; a `scope`, worlds, inputs or table, also proves
    it. `fold` draws a family of states as one box, by default if there are many edges. `definitions` give
    values to the parameters of agents that are read from files.

    >>> import gridlang as gl, os, tempfile
    >>> drawn = gl.view("examples/increment.grid", input="1011")
    >>> drawn
    View(increment: 3 states, 3 symbols, 9 rules)
    >>> drawn.save(os.path.join(tempfile.mkdtemp(), "increment.svg"))
    """
    if scope is not None:
        arguments.one_of("scope", scope, SCOPES)
    arguments.whole(0, MAX_STEPS, steps=steps)
    if input is not None and world is not None:
        raise ValueError("give an input or a world, not both")
    both = (agent,) if against is None else (agent, against)
    files = [os.fspath(each) if isinstance(each, str | os.PathLike) else "" for each in both]
    own, *theirs = definitions_for(files, definitions)
    expert = viewed_expert(against, theirs[0]) if against is not None else None
    subject = viewed(agent, expert, scope, partial(arguments.counting, arguments.listener(progress)), own)
    table, start = subject.program.table, None
    if world is not None:
        start = start_of(given_world(table.symbols, language_of(table), None, os.fspath(world)), None)
    elif input is not None:
        text = input if isinstance(input, str) else None
        start = start_of(as_world(input, table.symbols, language_of(table)), text)
    return view_of(subject, expert, start, fold, steps)
