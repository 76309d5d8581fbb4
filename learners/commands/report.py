"""`gridlang report`: one page about runs."""

from __future__ import annotations

import os
import time
import webbrowser
from pathlib import Path

import click

from gridlang.files import make_folder, write_whole
from gridlang.terminal.console import emit, say
from gridlang.terminal.options import answering, open_option, refuse_folder

SECONDS = 2  # between two versions of a page that follows its runs


@click.command("report")
@click.argument("runs", metavar="RUN...", nargs=-1, required=True, type=click.Path())
@click.option("-o", "--output", type=click.Path(), help="File of the page.  [default: NAME.report.html]")
@click.option("--svg", "folder", type=click.Path(), help="Also write the figures to this folder.")
@click.option("--follow", is_flag=True, help=f"Write the page every {SECONDS} s until the runs end.")
@open_option
@answering
def command(
    runs: tuple[str, ...], output: str | None, folder: str | None, follow: bool, open_it: bool, as_json: bool
) -> None:
    """Make one page about RUN, a folder of `train`, `sweep` or `learn`, or about several of them.

    It shows loss, RLG (the length passed) and the share of seeds that pass or are proven, against
    iterations; the result of each seed; and how each run was made. The page is one file and works offline.

    \b
    gridlang report add2.run --open
    gridlang report add2.run --open --follow        during training
    gridlang report runs --svg figures              a sweep
    gridlang report runs/add2-paper runs/add2-fast  side by side
    """
    from gridlang.learners.reports.page import figures, runs_to_html
    from gridlang.learners.reports.runs import in_columns, read_runs, summary

    found = read_runs(runs)
    name = Path(runs[0]).resolve().name.removesuffix(".run").removesuffix(".learn")
    title = name if len(runs) == 1 else " and ".join(dict.fromkeys(run.agent for run in found))
    path = output or f"{title}.report.html"
    refuse_folder(path)
    while True:
        going = follow and any(run.running for run in found)
        write_whole(path, runs_to_html(title, found, SECONDS if going else 0))
        if open_it:
            webbrowser.open(Path(path).resolve().as_uri())
            open_it = False
        if not going:
            break
        time.sleep(SECONDS)
        found = read_runs(runs)
    pictures = figures(found) if folder else {}
    for figure, svg in pictures.items():
        make_folder(str(folder))
        write_whole(os.path.join(str(folder), f"{figure}.svg"), svg)
    if as_json:
        emit({"output": path, "figures": [*pictures], "runs": [run.as_json() for run in found]})
        return
    say(*in_columns(summary(found)), err=True)
    say(f"wrote {path}", err=True)
