"""`gridlang view`: the state graph of an agent or a model, and a replay beside it."""

from __future__ import annotations

import os
import webbrowser
from pathlib import Path

import click

from compiler.drawing.differences import Difference, in_words
from compiler.drawing.graphs import StateGraph
from compiler.drawing.page import STEPS
from compiler.drawing.replay_start import given_start
from compiler.drawing.views import KINDS, drawings_of, page, picture
from compiler.program_files import is_model
from gridlang.console import emit, report
from gridlang.diagnostics import Diagnostic, GridError
from gridlang.files import write_whole
from gridlang.options import (
    defines,
    definitions_of,
    guarded,
    json_option,
    open_option,
    picture_option,
    refuse_overwriting,
)
from learners.reports.viewed import (
    ViewedAgent,
    difference_of,
    graphs_for,
    scene_of,
    view_data,
    viewed_expert,
    viewed_model,
    viewed_source,
)


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
    "--steps", default=STEPS, show_default=True, type=click.IntRange(0), help="Replay so many at most."
)
@open_option
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
    """
    if input is not None and world is not None:
        raise click.UsageError("give an --input or a --world, not both")
    kind = _kind(output)
    given = definitions_of(definitions)
    expert = viewed_expert(against) if against else None
    read = viewed_model if is_model(file) else viewed_source
    subject = read(file, expert, scope, given)
    if isinstance(subject, Diagnostic):
        report([subject], False)
        raise click.exceptions.Exit(1)
    path = output or f"{subject.program.name}.html"
    refuse_overwriting(path, (file, against), "is read by this command; write to another file with -o")
    start = given_start(subject.program.table, input, world)
    difference = difference_of(subject, expert, start) if expert else None
    graphs = graphs_for(subject, expert, difference)
    try:
        if kind == "html":
            drawings = drawings_of(subject.program, graphs, fold)
            write_whole(path, page(scene_of(subject, expert, difference, drawings, start, steps)))
        else:
            write_whole(path, picture(kind, graphs(fold)))
    except GridError as error:
        if error.diagnostics[0].code == "G171":
            _write_dot(f"{os.path.splitext(path)[0]}.dot", graphs(fold))
        raise
    _tell(subject, expert, difference, path, as_json)
    if open_it:
        webbrowser.open(Path(path).resolve().as_uri())


def _write_dot(path: str, graph: StateGraph) -> None:
    """What no layout could draw in time, for a layout program of the user's choice."""
    if not os.path.exists(path):
        write_whole(path, picture("dot", graph))
        click.echo(f"wrote {path} instead", err=True)


def _kind(output: str | None) -> str:
    kind = os.path.splitext(output)[1].removeprefix(".").lower() if output else "html"
    if kind not in KINDS:
        raise click.UsageError(f"-o takes a file that ends in .html, .svg, .png or .dot, not {output!r}")
    return kind


def _tell(
    subject: ViewedAgent, expert: ViewedAgent | None, difference: Difference | None, path: str, as_json: bool
) -> None:
    """What was drawn and how it differs from its expert: JSON on stdout, or words on stderr."""
    if as_json:
        emit({"output": path, **view_data(subject, expert, difference)})
        return
    for name, text in subject.facts:
        click.echo(f"{name} {text}", err=True)
    if difference and expert:
        click.echo(in_words(difference, subject.verdict, subject.label, expert.label), err=True)
    click.echo(f"wrote {path}", err=True)
