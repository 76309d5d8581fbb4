"""`gridlang view`: the state graph of an agent or a model, and a replay."""

from __future__ import annotations

import os
import webbrowser
from pathlib import Path
from typing import Annotated, Any

import click

import gridlang as gl
from gridlang.compiler.api.views import RefusedModel, kind_of, view
from gridlang.compiler.given import read_file
from gridlang.diagnostics import GridError, fail
from gridlang.files import write_whole
from gridlang.options import File, Option
from gridlang.terminal.console import say, show_progress
from gridlang.terminal.options import Answer, as_command, refuse_unwritable

OURS, HEAD = b'<meta name="generator" content="gridlang">', 1000  # mark of our pages, in these first bytes


@as_command("view", view)
def command(
    file: File,
    *,
    output: Annotated[
        File | None,
        Option(
            "Output: .html (graph and replay), .svg, .png or .dot.",
            usual="NAME.html",
            spelt=("-o", "--output"),
        ),
    ] = None,
    open: Annotated[bool, Option("Open it in the browser.")] = False,
    **options: Any,
) -> Answer:
    """The page replays a run beside the graph, and works offline.

    \b
    gridlang view add10.grid --input 47+85 --open
    gridlang view mult10.grid -o mult10.svg
    gridlang view mult10.grid --no-fold -o every-state.svg
    gridlang view add10.safetensors --against add10.grid -o learned.html
    """
    if options["input"] is not None and options["world"] is not None:
        raise click.UsageError("give an --input or a --world, not both")
    try:
        kind = kind_of(output) if output else "html"
    except ValueError as error:
        raise click.UsageError(str(error)) from None
    try:
        drawn = view(file, progress=show_progress, **options)
    except RefusedModel as refused:
        return Answer(diagnostics=refused.diagnostics, holds=False)
    path = output or f"{drawn.program.name}.html"
    refuse_unwritable(path, file, options["against"])
    if not output:
        _refuse_foreign(path)
    try:
        write_whole(path, drawn.render(kind))
    except GridError as error:
        if error.diagnostics[0].code == "G171":
            _write_dot(f"{os.path.splitext(path)[0]}.dot", drawn)
        raise
    if open:
        webbrowser.open(Path(path).resolve().as_uri())
    return Answer(data={"output": path, **drawn.as_json()}, notes=[*drawn.lines(), f"wrote {path}"])


def _refuse_foreign(path: str) -> None:
    """GridError where the default output would replace a page that gridlang did not make."""
    if os.path.isfile(path) and OURS not in read_file(path)[:HEAD]:
        what = "this page was not made by gridlang"
        raise fail("G009", what, f"name another with -o, or overwrite it with `-o {path}`", path)


def _write_dot(path: str, drawn: gl.View) -> None:
    """Writes a graph that no layout could draw in time, for another layout program."""
    if not os.path.exists(path):
        write_whole(path, drawn.render("dot"))
        say(f"wrote {path} instead", err=True)
