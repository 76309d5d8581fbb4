"""`gridlang report`: one page about a run."""

from __future__ import annotations

import os
import webbrowser
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from gridlang.diagnostics import fail
from gridlang.terminal.console import emit, say
from gridlang.terminal.options import (
    command_line,
    defines,
    definitions_of,
    guarded,
    json_option,
    no_browser_option,
    open_option,
    port_option,
    refuse_folder,
)

if TYPE_CHECKING:
    from learners.reports.measures import TraceCoverage
    from learners.reports.pictures import Picture
    from learners.reports.run_records import RunRecord


@click.command("report")
@click.argument("runs", metavar="RUN...", nargs=-1, required=True, type=click.Path())
@click.option("-o", "--output", type=click.Path(), help="File of the page.  [default: NAME.report.html]")
@click.option("--png", "folder", type=click.Path(), help="Also write the charts as PNG files to this folder.")
@click.option("--extract", is_flag=True, help="Extract a program from each model, and prove it.")
@click.option(
    "--scope",
    default="worlds",
    show_default=True,
    type=click.Choice(("worlds", "inputs")),
    help="Where --extract proves it.",
)
@click.option("--against", type=click.Path(), help="The expert.  [default: the source in the models]")
@click.option("--data", type=click.Path(), help="The traces.  [default: those of the run, or made again]")
@click.option(
    "--seconds",
    default=30.0,
    show_default=True,
    type=click.FloatRange(0),
    help="Time for each of: how far models go (RLG), what traces show, the best seed; 0 measures nothing.",
)
@click.option("--follow", "follows", is_flag=True, help="Serve a page that follows runs in progress.")
@port_option
@no_browser_option
@open_option
@defines
@json_option
@guarded
def command(
    runs: tuple[str, ...],
    output: str | None,
    folder: str | None,
    extract: bool,
    scope: str,
    against: str | None,
    data: str | None,
    seconds: float,
    follows: bool,
    port: int,
    no_browser: bool,
    open_it: bool,
    definitions: tuple[str, ...],
    as_json: bool,
) -> None:
    """Make one page about RUN, a folder of `train`, `sweep` or `learn`, or about several of them.

    It shows the loss, RLG (the length passed), margin and rates of each seed, against iterations or time; the
    share of seeds that pass a length; what the traces show of the agent; the program extracted from each
    seed, and whether it is proven; the best seed's state graph and hidden vectors; and the commands to repeat
    it all. The page is one file that needs no network. RUN may also be a record in benchmarks/results.

    \b
    gridlang report add2.run --open
    gridlang report add2.run --follow               during training
    gridlang report add2.learn -o add2.html
    gridlang report add2.run --extract --scope inputs
    gridlang report runs --png charts               a sweep
    gridlang report runs/add2-paper runs/add2-fast  side by side
    """
    from compiler.drawing.png import svg_to_png
    from compiler.program_files import load_program
    from gridlang.files import write_whole
    from learners.reports.page import report_to_html
    from learners.reports.reporting import ReportPlan, follow, make_report

    if definitions and not against:
        raise click.UsageError("-D is for the expert, which --against names")
    if follows and (output or folder or as_json):
        raise click.UsageError("--follow serves a page, and writes none: leave -o, --png and --json out")
    expert = load_program(against, definitions_of(definitions)) if against else None
    typed = command_line("--open", "--json", "--follow", "--port", "--no-browser")
    plan = ReportPlan(runs, expert, data, seconds, scope if extract else "", typed)
    if follows:
        follow(plan, port, not no_browser)
        return
    made = make_report(plan)
    path = output or f"{made.title}.report.html"
    refuse_folder(path)
    write_whole(path, report_to_html(made))
    files = _written(folder, made.pictures, svg_to_png) if folder else []
    _tell(made.records, made.coverages, path, files, as_json)
    if open_it:
        webbrowser.open(Path(path).resolve().as_uri())


def _written(folder: str, drawn: Sequence[Picture], convert: Callable[[str], bytes]) -> list[str]:
    from gridlang.files import write_whole

    files = []
    for picture in drawn:
        data = convert(picture.svg)
        try:
            os.makedirs(folder, exist_ok=True)
        except OSError as error:
            raise fail("G009", f"cannot write here: {error.strerror}", file=folder) from None
        files.append(os.path.join(folder, f"{picture.name}.png"))
        write_whole(files[-1], data)
    return files


def _tell(
    records: Sequence[RunRecord],
    shown: Mapping[str, TraceCoverage],
    path: str,
    files: Sequence[str],
    as_json: bool,
) -> None:
    from learners.reports.reporting import record_data, record_line

    if as_json:
        runs = [record_data(record, shown.get(record.label)) for record in records]
        emit({"output": path, "pictures": list(files), "runs": runs})
        return
    width = max(len(record.label) for record in records)
    for record in records:
        say(f"{record.label:<{width}}  {record_line(record)}", err=True)
    say(f"wrote {', '.join([path, *files])}", err=True)
