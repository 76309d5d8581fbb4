"""`gridlang grade`: a class of submissions against an expert."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

import click

import gridlang as gl
from gridlang.compiler.simulation.simulate import MAX_STEPS
from gridlang.learners.grading.submissions import LIBRARY, RIGHT, SCOPES, Judgement
from gridlang.printable import printable
from gridlang.terminal.console import emit, say, say_source, show_progress
from gridlang.terminal.options import answering, defines, refuse_overwriting, refuse_unwritable, seed_option

if TYPE_CHECKING:
    from gridlang.learners.grading.submissions import Graded

SECONDS = 60.0  # most submissions take a few; those that take more are usually endless
STEPS = 1_000_000  # per run; short inputs take thousands
WIDEST = 40  # a longer name pushes the verdicts out of sight


@click.command("grade")
@click.argument("expert", type=click.Path())
@click.argument("submissions", metavar="SUBMISSION...", nargs=-1, required=True, type=click.Path())
@click.option(
    "-o",
    "--output",
    metavar="FOLDER",
    type=click.Path(),
    help="Write index.html and a page per submission here.",
)
@click.option(
    "--csv",
    "csv_file",
    type=click.Path(allow_dash=True),
    help="Write a table for spreadsheets; `-` is stdout.",
)
@click.option(
    "--scope",
    default="io",
    type=click.Choice(SCOPES),
    help="Compare results (io), or steps on declared inputs or on all worlds.",
)
@click.option(
    "--time", "seconds", default=SECONDS, type=click.FloatRange(0.1, 86_400), help="Seconds per submission."
)
@click.option("--steps", default=STEPS, type=click.IntRange(1, MAX_STEPS), help="Step limit of each run.")
@defines
@seed_option("Seed of the random inputs.")
@answering
def command(
    expert: str, submissions: tuple[str, ...], csv_file: str | None, as_json: bool, **options: Any
) -> bool:
    """Grade each SUBMISSION, a file or a folder of files, against EXPERT.

    A submission is right if it leaves the same results as EXPERT on the inputs that EXPERT declares, in
    whatever way; the table says whether this is proven or tested. Otherwise the smallest input or world that
    shows the mistake is printed, with the expected and the actual result. What submissions claim in `test`,
    `input` and `output` is not trusted. Each is judged in its own process, with limits on time, steps and
    memory: a file that is broken, endless or huge is one line of the table. -o writes pages that replay each
    mistake beside the expert; grading again judges only what has changed.

    Exits with 1 unless all are right.

    \b
    gridlang grade increment.grid submissions/
    gridlang grade increment.grid submissions/ -o class --csv class.csv
    gridlang grade add.grid -D base=2 alice.grid bob.grid --time 20 --steps 100000
    """
    from gridlang.learners.grading.submissions import find_submissions

    refuse_overwriting(options["output"], *submissions)
    if csv_file and csv_file != "-":
        options["csv"] = csv_file
        files = find_submissions(submissions, expert, [csv_file] if csv_file.endswith(".csv") else [])
        refuse_unwritable(csv_file, expert, *(each.path for each in files))
    graded = gl.grade(expert, submissions, progress=show_progress, **options)
    _tell(graded, options["output"], csv_file, as_json)
    return graded.count(RIGHT) >= graded.graded


def _tell(graded: Graded, output: str | None, csv_file: str | None, as_json: bool) -> None:
    from gridlang.learners.grading.pages import class_csv

    if csv_file == "-":
        say_source(class_csv(graded))
    index = os.path.join(output, "index.html") if output else None
    if as_json:
        emit({**graded.as_json(), "output": index, "csv": csv_file})
        return
    if csv_file != "-":
        names = [printable(submission.name) for submission, _ in graded.rows]
        width = min(WIDEST, max(map(len, names)))
        for name, (_, judged) in zip(names, graded.rows, strict=True):
            verdict = judged.verdict if judged.verdict != LIBRARY else "not graded"
            for number, line in enumerate(_lines(judged)):
                lead = f"{name:<{width}}  {verdict:<10}" if not number else " " * (width + 12)
                say(f"{lead}  {line}")
        say(graded.summary())
    for written in (index, csv_file if csv_file != "-" else None):
        if written:
            say(f"wrote {written}", err=True)


def _lines(judged: Judgement) -> list[str]:
    if not judged.shown_on():
        return [f"{judged.says} (line {judged.line})" if judged.line else judged.says]
    what = "input" if judged.input is not None else "world"
    shown = f"on the {'smallest ' if judged.smallest else ''}{what} {judged.shown_on()}"
    return [shown, *_said("expected: ", judged.expected), *_said("actual:   ", judged.actual)]


def _said(lead: str, text: str) -> list[str]:
    """How a run ended; a picture takes a line per row."""
    first, *rows = text.split("\n")
    return [f"{lead}{first}", *(f"  {row}" for row in rows)]
