"""`gridlang report`: one page about what a run has come to."""

from __future__ import annotations

import os
import time
import webbrowser
from collections.abc import Callable, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from gridlang.console import clear_progress, emit, progress_line
from gridlang.diagnostics import fail
from gridlang.options import guarded, json_option

if TYPE_CHECKING:
    from gridlang.loading import Program
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
@click.option("--open", "open_it", is_flag=True, help="Show it in the browser.")
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
    from gridlang import __version__
    from gridlang.files import write_whole
    from learners.reports.page import Report, report_to_html
    from learners.reports.pictures import pictures
    from learners.reports.run_folders import read_run_records
    from learners.reports.svg_to_png import svg_to_png

    expert = _expert(against)
    strands, shown = [], {}
    for strand in read_run_records(runs):
        measured, found = _measured(strand, expert, data, seconds, (scope if extract else ""))
        strands.append(measured)
        if found:
            shown[strand.label] = found
    clear_progress()
    drawn = pictures(strands)
    title = _title(runs, strands)
    path = output or f"{title}.report.html"
    _refuse_folder(path)
    made = f"Written by gridlang {__version__} from {', '.join(runs)}, {time.strftime('%Y-%m-%d %H:%M')}."
    write_whole(path, report_to_html(Report(title, strands, drawn, shown, made)))
    files = _written(folder, drawn, svg_to_png) if folder else []
    _told(strands, shown, path, files, as_json)
    if open_it:
        webbrowser.open(Path(path).resolve().as_uri())


def _expert(against: str | None) -> Program | None:
    from compiler.program_files import load_program

    return load_program(against, {}) if against else None


def _measured(
    strand: RunRecord, given: Program | None, data: str | None, seconds: float, scope: str
) -> tuple[RunRecord, TraceCoverage | None]:
    """The strand with what its models and traces tell, as far as that is wanted and can be had."""
    from learners.learning.learn import PATIENCE
    from learners.reports.measures import coverage_of, expert_of, with_lengths, with_verdicts
    from learners.reports.run_records import BENCHMARK

    if strand.kind == BENCHMARK or not (seconds or scope):
        return strand, None
    expert = expert_of(strand, given)
    if expert is None and scope:
        hint = "name the expert with --against FILE"
        raise fail("G110", f"the models of {strand.label} do not carry their source", hint)
    if expert and seconds:
        strand = with_lengths(strand, expert.table, seconds, progress_line(f"symbols: RLG of {strand.label}"))
    if expert and scope:
        tell = progress_line(f"of {len(strand.outcomes)} models of {strand.label} judged")
        strand = with_verdicts(strand, expert, scope, PATIENCE, tell)
    return strand, coverage_of(strand, expert, data, seconds) if seconds else None


def _title(runs: Sequence[str], strands: Sequence[RunRecord]) -> str:
    if len(runs) > 1:
        return " and ".join(dict.fromkeys(strand.agent for strand in strands))
    name = os.path.basename(os.path.abspath(runs[0]))
    return name.removesuffix(".json").removesuffix(".run").removesuffix(".learn") or "run"


def _refuse_folder(path: str) -> None:
    if os.path.isdir(path) or path.endswith(os.path.sep):
        raise fail("G009", "cannot write here: this is a folder", "name a file with -o", path)


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


def _told(
    strands: Sequence[RunRecord],
    shown: dict[str, TraceCoverage],
    path: str,
    files: Sequence[str],
    as_json: bool,
) -> None:
    if as_json:
        emit(
            {"output": path, "pictures": list(files), "runs": [_data(s, shown.get(s.label)) for s in strands]}
        )
        return
    width = max(len(strand.label) for strand in strands)
    for strand in strands:
        click.echo(f"{strand.label:<{width}}  {summary(strand)}", err=True)
    click.echo(f"wrote {', '.join([path, *files])}", err=True)


def summary(strand: RunRecord) -> str:
    """A line about a strand."""
    from statistics import median

    from learners.reports.measures import is_judged

    outcomes = strand.outcomes
    losses = [o.loss for o in outcomes if o.loss is not None]
    lengths = [o.length for o in outcomes if o.length is not None]
    parts = [f"{len(outcomes):>3} seed{'s' if len(outcomes) > 1 else ' '}"]
    parts += [f"loss {median(losses):.1e}"] if losses else []
    parts += [f"RLG {median(lengths):g}, best {max(lengths):,}"] if lengths else []
    parts += [f"{sum(o.verdict == 'proven' for o in outcomes)} proven"] if is_judged(strand) else []
    return "  ".join(parts)


def _data(strand: RunRecord, shown: TraceCoverage | None) -> dict[str, Any]:
    coverage = shown.coverage.as_json() if shown and shown.coverage else None
    return {
        "label": strand.label,
        "kind": strand.kind,
        "agent": strand.agent,
        "iterations": strand.iterations,
        "done": strand.done,
        "seconds": round(strand.seconds, 3),
        "rounds": len(strand.rounds),
        "seeds": [{k: v for k, v in asdict(o).items() if v not in (None, "")} for o in strand.outcomes],
        "coverage": coverage,
    }
