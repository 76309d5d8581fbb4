"""`gridlang grade`: a class of submissions against an expert."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import click

from compiler.simulation.simulate import MAX_STEPS
from gridlang.diagnostics import counted, fail
from gridlang.files import write_whole
from gridlang.loading import definitions_for
from gridlang.printable import printable
from gridlang.terminal.console import clear_progress, emit, progress_line, say, say_source
from gridlang.terminal.options import (
    defines,
    definitions_of,
    guarded,
    json_option,
    refuse_overwriting,
    seed_option,
)
from learners.grading.judgements import LIBRARY, RIGHT, SCOPES, Judgement

if TYPE_CHECKING:
    from learners.grading.judgements import Graded

SECONDS = 60.0  # Most submissions take a few; one that takes more is endless more often than slow.
STEPS = 1_000_000  # of one run; short inputs take thousands
WIDEST = 40  # A longer name pushes the verdicts out of sight.


@click.command("grade")
@click.argument("expert", type=click.Path())
@click.argument("submissions", metavar="SUBMISSION...", nargs=-1, required=True, type=click.Path())
@click.option(
    "-o", "--output", metavar="FOLDER", type=click.Path(), help="Write index.html and a page for each here."
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
    show_default=True,
    type=click.Choice(SCOPES),
    help="Ask for equal results (io), or for equal steps on declared inputs or on all worlds.",
)
@click.option(
    "--time",
    "seconds",
    default=SECONDS,
    show_default=True,
    type=click.FloatRange(0.1, 86_400),
    help="Seconds for each submission.",
)
@click.option(
    "--steps",
    default=STEPS,
    show_default=True,
    type=click.IntRange(1, MAX_STEPS),
    help="Step limit of one run of a submission.",
)
@defines
@seed_option("For the random inputs.")
@json_option
@guarded
def command(
    expert: str,
    submissions: tuple[str, ...],
    output: str | None,
    csv_file: str | None,
    scope: str,
    seconds: float,
    steps: int,
    definitions: tuple[str, ...],
    seed: int,
    as_json: bool,
) -> None:
    """Hold each SUBMISSION, a file or a folder of files, against EXPERT.

    A submission is right if it leaves what EXPERT leaves on the inputs that EXPERT declares, however it does
    that; it is said whether that is proven or tested. Else the smallest input or world that shows the mistake
    is told, with the expected and the actual result. What submissions say of themselves, in `test`, `input`
    and `output`, is not trusted. Each is judged in a process of its own, with a limit for time, steps and
    memory: a file that is broken, endless or huge is a line of the table like any other. With -o, a page for
    each replays the mistake beside the expert; graded again, only what has changed is judged.

    Exits with 1 unless all are right.

    \b
    gridlang grade increment.grid submissions/
    gridlang grade increment.grid submissions/ -o class --csv class.csv
    gridlang grade add.grid -D base=2 alice.grid bob.grid --time 20 --steps 100000
    """
    from compiler.program_files import load_program
    from learners.grading.grade import check_expert, grade
    from learners.grading.judge import Question
    from learners.grading.submissions import find_submissions
    from learners.runtime.folder_lock import held

    given = definitions_of(definitions)
    if output:
        refuse_overwriting(output, submissions, "holds the submissions; name another folder for the pages")
    table = csv_file if csv_file and csv_file.endswith(".csv") else None
    files = find_submissions(submissions, expert, filter(None, (output, table)))
    if not files:
        raise fail("G197", "there are no submissions here", "name files, or a folder with files in it")
    if csv_file and csv_file != "-":
        refuse_overwriting(csv_file, [expert, *(each.path for each in files)], "is read by this command")
    given = dict(definitions_for((expert,), given)[0])
    program = load_program(expert, given)
    question = Question(os.path.abspath(expert), given, scope, seconds, steps, seed, output is not None)
    check_expert(program, question)
    progress = progress_line(f"of {counted(len(files), 'submission')} graded")
    if output:
        with held(output, ".grading"):
            graded = grade(program, files, question, output, progress)
    else:
        graded = grade(program, files, question, None, progress)
    clear_progress()
    _tell(graded, output, csv_file, as_json)
    if graded.count(RIGHT) < graded.graded:
        raise click.exceptions.Exit(1)


def _tell(graded: Graded, output: str | None, csv_file: str | None, as_json: bool) -> None:
    from learners.grading.pages import class_csv

    if csv_file == "-":
        say_source(class_csv(graded))
    elif csv_file:
        write_whole(csv_file, class_csv(graded))
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
    """How a run ended; a picture has a line a row."""
    first, *rows = text.split("\n")
    return [f"{lead}{first}", *(f"  {row}" for row in rows)]
