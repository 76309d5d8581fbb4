"""`gridlang report`: one page about runs."""

from __future__ import annotations

import os
import time
import webbrowser
from pathlib import Path
from typing import Annotated

from gridlang.files import make_folder, write_whole
from gridlang.options import File, Option, output_option
from gridlang.terminal.options import Answer, as_command, refuse_unwritable

SECONDS = 2  # between two versions of a page that follows its runs


@as_command("report")
def command(
    run: tuple[File, ...],
    *,
    output: Annotated[File | None, output_option("NAME.report.html", "File of the page.")] = None,
    svg: Annotated[File | None, Option("Also write the figures to this folder.")] = None,
    follow: Annotated[bool, Option(f"Write the page every {SECONDS} s until the runs end.")] = False,
    open: Annotated[bool, Option("Open it in the browser.")] = False,
) -> Answer:
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

    name = Path(run[0]).resolve().name.removesuffix(".run").removesuffix(".learn")
    path = output or f"{name}.report.html"
    refuse_unwritable(path)
    going = True
    while going:
        found = read_runs(run)
        going = follow and any(each.running for each in found)
        write_whole(path, runs_to_html(found, SECONDS if going else 0))
        if open:
            webbrowser.open(Path(path).resolve().as_uri())
            open = False
        if going:
            time.sleep(SECONDS)
    pictures = figures(found) if svg else {}
    for figure, content in pictures.items():
        make_folder(str(svg))
        write_whole(os.path.join(str(svg), f"{figure}.svg"), content)
    data = {"output": path, "figures": [*pictures], "runs": [each.as_json() for each in found]}
    return Answer(data=data, notes=[*in_columns(map(summary, found)), f"wrote {path}"])
