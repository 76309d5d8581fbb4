"""`gridlang report`: one page about a run."""

from __future__ import annotations

import os
import webbrowser
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from gridlang.files import make_folder, write_whole
from gridlang.terminal.console import emit, say
from gridlang.terminal.options import (
    answering,
    command_line,
    defines,
    open_option,
    refuse_folder,
)

if TYPE_CHECKING:
    from gridlang.learners.reports.line_charts import Picture
    from gridlang.learners.reports.page import Report


@click.command("report")
@click.argument("runs", metavar="RUN...", nargs=-1, required=True, type=click.Path())
@click.option("-o", "--output", type=click.Path(), help="File of the page.  [default: NAME.report.html]")
@click.option("--png", "folder", type=click.Path(), help="Also write the charts as PNG files to this folder.")
@click.option("--extract", is_flag=True, help="Extract a program from each model, and prove it.")
@click.option(
    "--scope", default="worlds", type=click.Choice(("worlds", "inputs")), help="Where --extract proves it."
)
@click.option("--against", type=click.Path(), help="The expert.  [default: the source in the models]")
@click.option("--data", type=click.Path(), help="The traces.  [default: those of the run, or made again]")
@click.option(
    "--seconds",
    default=30.0,
    type=click.FloatRange(0),
    help="Time limit for each of RLG, the coverage of traces, and the best seed; 0 skips them.",
)
@click.option("--follow", "follows", is_flag=True, help="Serve a page that follows runs in progress.")
@click.option(
    "--port",
    default=0,
    show_default=False,
    type=click.IntRange(0, 65535),
    help="Local port to serve the page on.  [default: a free one]",
)
@click.option("--no-browser", is_flag=True, help="Print the address; do not open a browser.")
@open_option
@defines
@answering
def command(
    runs: tuple[str, ...],
    output: str | None,
    folder: str | None,
    against: str | None,
    follows: bool,
    definitions: dict[str, str],
    as_json: bool,
    **options: Any,
) -> None:
    """Make one page about RUN, a folder of `train`, `sweep` or `learn`, or about several of them.

    It shows the loss, RLG (the length passed), margin and rates of each seed; the share of seeds that pass a
    length; the coverage of the traces; the program extracted from each seed, and whether it is proven; the
    best seed's state graph and hidden vectors; and the commands to repeat it all. The page is one file and
    works offline.

    \b
    gridlang report add2.run --open
    gridlang report add2.run --follow               during training
    gridlang report add2.learn -o add2.html
    gridlang report add2.run --extract --scope inputs
    gridlang report runs --png charts               a sweep
    gridlang report runs/add2-paper runs/add2-fast  side by side
    """
    from gridlang.compiler.program_files import load_program
    from gridlang.learners.reports.page import report_to_html
    from gridlang.learners.reports.reporting import ReportPlan, follow, make_report

    if definitions and not against:
        raise click.UsageError("-D is for the expert, which --against names")
    if follows and (output or folder or as_json):
        raise click.UsageError("--follow serves a page, and writes none: leave -o, --png and --json out")
    expert = load_program(against, definitions) if against else None
    typed = command_line("--open", "--json", "--follow", "--port", "--no-browser")
    proven_on = options["scope"] if options["extract"] else ""
    plan = ReportPlan(runs, expert, options["data"], options["seconds"], proven_on, typed)
    if follows:
        follow(plan, options["port"], not options["no_browser"])
        return
    made = make_report(plan)
    path = output or f"{made.title}.report.html"
    refuse_folder(path)
    write_whole(path, report_to_html(made))
    _tell(made, path, list(_written(folder, made.pictures)) if folder else [], as_json)
    if options["open_it"]:
        webbrowser.open(Path(path).resolve().as_uri())


def _written(folder: str, drawn: Sequence[Picture]) -> Iterator[str]:
    """Writes pictures as PNG; the paths."""
    from gridlang.compiler.drawing.svg import svg_to_png

    for picture in drawn:
        data, path = svg_to_png(picture.svg), os.path.join(folder, f"{picture.name}.png")
        make_folder(folder)
        write_whole(path, data)
        yield path


def _tell(made: Report, path: str, files: Sequence[str], as_json: bool) -> None:
    from gridlang.learners.reports.reporting import record_data, record_line

    if as_json:
        runs = [record_data(record, made.coverages.get(record.label)) for record in made.records]
        emit({"output": path, "pictures": files, "runs": runs})
        return
    width = max(len(record.label) for record in made.records)
    say(*(f"{each.label:<{width}}  {record_line(each)}" for each in made.records), err=True)
    say(f"wrote {', '.join([path, *files])}", err=True)
