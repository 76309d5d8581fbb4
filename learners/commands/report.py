"""`gridlang report`: one page about what a run has come to."""

from __future__ import annotations

import os
import time
import webbrowser
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from gridlang.diagnostics import fail
from gridlang.terminal.console import clear_progress, emit, say
from gridlang.terminal.options import (
    defines,
    definitions_of,
    guarded,
    json_option,
    open_option,
    refuse_folder,
)

if TYPE_CHECKING:
    from learners.reports.measures import TraceCoverage
    from learners.reports.pictures import Picture
    from learners.reports.run_records import RunRecord


@click.command("report")
@click.argument("runs", metavar="RUN...", nargs=-1, required=True, type=click.Path())
@click.option("-o", "--output", type=click.Path(), help="Where to write.  [default: NAME.report.html]")
@click.option(
    "--png", "folder", type=click.Path(), help="Also write the charts as PNG files into this folder."
)
@click.option("--extract", is_flag=True, help="Extract a program from each model, and prove it.")
@click.option(
    "--scope",
    default="worlds",
    show_default=True,
    type=click.Choice(("worlds", "inputs")),
    help="What --extract proves it for.",
)
@click.option("--against", type=click.Path(), help="The expert; else the source that models carry.")
@click.option("--data", type=click.Path(), help="The traces; else those of the run, or made again.")
@click.option(
    "--seconds",
    default=30.0,
    show_default=True,
    type=click.FloatRange(0),
    help="For how far models go (RLG) and what traces show; 0: read the folder and no more.",
)
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
    open_it: bool,
    definitions: tuple[str, ...],
    as_json: bool,
) -> None:
    """Make one page about RUN: a folder of `train`, `sweep` or `learn`, or several of them.

    It shows the loss and the length passed (RLG) against iterations, seeds as a band; the share of seeds that
    pass a length; what the traces show of the agent; for each seed what was extracted and whether it is
    proven; and how all was made. The page is one file, without scripts, that needs no network.

    \b
    gridlang report add2.run --open
    gridlang report add2.learn -o add2.html
    gridlang report add2.run --extract --scope inputs
    gridlang report runs --png charts               a sweep
    gridlang report runs/add2-paper runs/add2-fast  side by side
    """
    from compiler.drawing.png import svg_to_png
    from compiler.program_files import load_program
    from gridlang import __version__
    from gridlang.files import write_whole
    from learners.reports.page import Report, report_to_html
    from learners.reports.pictures import pictures
    from learners.reports.run_folders import read_run_records
    from learners.reports.summaries import measured

    if definitions and not against:
        raise click.UsageError("-D is for the expert, which --against names")
    expert = load_program(against, definitions_of(definitions)) if against else None
    records, shown = [], {}
    for record in read_run_records(runs):
        known, coverage = measured(record, expert, data, seconds, scope if extract else "")
        records.append(known)
        if coverage:
            shown[record.label] = coverage
    clear_progress()
    drawn = pictures(records)
    title = _title(runs, records)
    path = output or f"{title}.report.html"
    refuse_folder(path)
    made = f"Written by gridlang {__version__} from {', '.join(runs)}, {time.strftime('%Y-%m-%d %H:%M')}."
    write_whole(path, report_to_html(Report(title, records, drawn, shown, made)))
    files = _written(folder, drawn, svg_to_png) if folder else []
    _tell(records, shown, path, files, as_json)
    if open_it:
        webbrowser.open(Path(path).resolve().as_uri())


def _title(runs: Sequence[str], records: Sequence[RunRecord]) -> str:
    if len(runs) > 1:
        return " and ".join(dict.fromkeys(record.agent for record in records))
    name = os.path.basename(os.path.abspath(runs[0]))
    return name.removesuffix(".json").removesuffix(".run").removesuffix(".learn") or "run"


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
    shown: dict[str, TraceCoverage],
    path: str,
    files: Sequence[str],
    as_json: bool,
) -> None:
    from learners.reports.summaries import record_data, record_line

    if as_json:
        emit(
            {
                "output": path,
                "pictures": list(files),
                "runs": [record_data(s, shown.get(s.label)) for s in records],
            }
        )
        return
    width = max(len(record.label) for record in records)
    for record in records:
        say(f"{record.label:<{width}}  {record_line(record)}", err=True)
    say(f"wrote {', '.join([path, *files])}", err=True)
