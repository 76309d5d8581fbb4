"""`gridlang view`: the state graph of an agent or a model, and a replay beside it."""

from __future__ import annotations

import os
import webbrowser
from collections.abc import Callable, Mapping
from pathlib import Path

import click

from compiler.drawing.limits import LIMITS
from compiler.drawing.replay_start import Start, start_of
from compiler.drawing.views import KINDS
from compiler.simulation.simulate import MAX_STEPS
from compiler.simulation.worlds.files import given_world
from gridlang.clauses.inputs import language_of
from gridlang.diagnostics import GridError
from gridlang.files import write_whole
from gridlang.loading import definitions_for
from gridlang.table import Table
from gridlang.terminal.console import clear_progress, emit, progress_line, report, say
from gridlang.terminal.options import (
    defines,
    definitions_of,
    guarded,
    json_option,
    no_browser_option,
    open_option,
    picture_option,
    port_option,
    refuse_overwriting,
)
from learners.reports.viewed import RefusedModel, View, kind_of, view_of, viewed, viewed_expert
from learners.reports.watched_view import watch as watch_view


@click.command("view")
@click.argument("file", metavar="FILE|MODEL", type=click.Path())
@click.option(
    "-o",
    "--output",
    type=click.Path(),
    help="Where to write: .html (graph and replay), .svg, .png or .dot.  [default: NAME.html]",
)
@click.option("--input", help="The input that is replayed.  [default: the file's first test]")
@picture_option
@click.option("--against", type=click.Path(), help="Mark where FILE differs from this agent, its expert.")
@click.option(
    "--scope",
    type=click.Choice(("worlds", "inputs", "table")),
    help="Also prove it there, as `equiv` does, which takes longer.",
)
@click.option(
    "--fold/--no-fold",
    default=None,
    help="A family of states as one box.  [default: when there are many edges]",
)
@click.option(
    "--steps",
    default=LIMITS.replay_steps,
    show_default=True,
    type=click.IntRange(0, MAX_STEPS),
    help="Replay so many at most.",
)
@open_option
@click.option("--watch", is_flag=True, help="Show a page that follows FILE: it is drawn again at every save.")
@port_option
@no_browser_option
@defines
@json_option
@guarded
def command(
    file: str,
    output: str | None,
    input: str | None,
    world: str | None,
    against: str | None,
    scope: str | None,
    fold: bool | None,
    steps: int,
    open_it: bool,
    watch: bool,
    port: int,
    no_browser: bool,
    definitions: tuple[str, ...],
    as_json: bool,
) -> None:
    """Show the state graph of FILE, and a replay beside it in a page that needs no network.

    FILE is a `.grid` file, a table, or a model (`.safetensors`), from which what is shown is extracted first.
    States that are instances of one declaration are a family; rules that do alike share a line, which says
    what is read, what is written, and where the head goes. With --against, states and rules are marked by
    whether they do what the expert does, and the page replays a world on which they differ.

    \b
    gridlang view add10.grid --input 47+85 --open
    gridlang view mult10.grid -o mult10.svg
    gridlang view mult10.grid --no-fold -o every-state.svg
    gridlang view add10.safetensors --against add10.grid -o learned.html
    gridlang view add10.grid --watch
    """
    if input is not None and world is not None:
        raise click.UsageError("give an --input or a --world, not both")
    given = definitions_of(definitions)

    def draw() -> View:
        return _drawn(file, against, scope, given, lambda table: _start(table, input, world), fold, steps)

    if watch:
        _refuse_unwatchable(file, output, world, as_json)
        watch_view(file, draw, port, not no_browser)
        return
    if port or no_browser:
        raise click.UsageError("--port and --no-browser go with --watch, which serves a page")
    kind = _kind(output)
    try:
        drawn = draw()
    except RefusedModel as refused:
        report(refused.diagnostics, False)
        raise click.exceptions.Exit(1) from None
    path = output or f"{drawn.program.name}.html"
    refuse_overwriting(path, (file, against), "is read by this command; write to another file with -o")
    try:
        write_whole(path, drawn.render(kind))
    except GridError as error:
        if error.diagnostics[0].code == "G171":
            _write_dot(f"{os.path.splitext(path)[0]}.dot", drawn)
        raise
    _tell(drawn, path, as_json)
    if open_it:
        webbrowser.open(Path(path).resolve().as_uri())


def _drawn(
    file: str,
    against: str | None,
    scope: str | None,
    definitions: Mapping[str, str],
    start: Callable[[Table], Start | None],
    fold: bool | None,
    steps: int,
) -> View:
    """What is to be shown, read from its files as they are now."""
    given = definitions_for((file, against) if against else (file,), definitions)
    expert = viewed_expert(against, given[1]) if against else None
    try:
        subject = viewed(file, expert, scope, progress_line, given[0])
    finally:
        clear_progress()
    return view_of(subject, expert, start(subject.program.table), fold, steps)


def _refuse_unwatchable(file: str, output: str | None, world: str | None, as_json: bool) -> None:
    """A usage error for what cannot be read again, and for what a page that is served does not do."""
    if output is not None:
        raise click.UsageError("--watch serves the page and writes no file: leave out -o, or --watch")
    if as_json:
        raise click.UsageError("--watch goes on until Ctrl-C and has no answer in JSON: leave out --json")
    for path in (file, world):
        if path == "-" or (path and os.path.exists(path) and not os.path.isfile(path)):
            raise click.UsageError(f"{path} cannot be watched: it is no file that can be read again")


def _start(table: Table, text: str | None, picture: str | None) -> Start | None:
    """What was asked for: an input, or a file with a picture; None for neither."""
    if text is None and picture is None:
        return None
    return start_of(given_world(table.symbols, language_of(table), text, picture), text)


def _write_dot(path: str, drawn: View) -> None:
    """What no layout could draw in time, for a layout program of the user's choice."""
    if not os.path.exists(path):
        write_whole(path, drawn.render("dot"))
        say(f"wrote {path} instead", err=True)


def _kind(output: str | None) -> str:
    kind = kind_of(output) if output else "html"
    if kind not in KINDS:
        raise click.UsageError(f"-o takes a file that ends in .html, .svg, .png or .dot, not {output!r}")
    return kind


def _tell(drawn: View, path: str, as_json: bool) -> None:
    """What was drawn and how it differs from its expert: JSON on stdout, or words on stderr."""
    if as_json:
        emit({"output": path, **drawn.as_json()})
        return
    for name, text in drawn.facts:
        say(f"{name}: {text}", err=True)
    if drawn.comparison:
        say(drawn.comparison.verdict, err=True)
        if drawn.comparison.cause:
            say(drawn.comparison.cause, err=True)
    say(f"wrote {path}", err=True)
