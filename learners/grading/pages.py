"""The pages of a class: its table, the replayed mistake of each submission; and a spreadsheet."""

from __future__ import annotations

import csv
import io
import os
from contextlib import suppress
from dataclasses import replace
from typing import Any

from gridlang.compiler.api.viewed import ViewedAgent, view_of
from gridlang.compiler.drawing.limits import LIMITS as DRAWING
from gridlang.compiler.drawing.page import Start, first_start, start_of_input, start_of_world
from gridlang.compiler.drawing.palette import page_style
from gridlang.compiler.drawing.templates import own_markup, render, resource
from gridlang.compiler.drawing.views import with_source
from gridlang.diagnostics import GridError
from gridlang.files import read_source
from gridlang.learners.grading.limits import LIMITS
from gridlang.learners.grading.submissions import (
    BROKEN,
    ENDLESS,
    MEANS,
    PROVEN,
    RIGHT,
    WRONG,
    Graded,
    Judgement,
    Submission,
)
from gridlang.printable import printable
from gridlang.program import Program
from gridlang.source import Source
from gridlang.world import source_world

LOOKS = dict.fromkeys(MEANS, "soft") | {RIGHT: "good", WRONG: "bad", ENDLESS: "bad", BROKEN: "warn"}
COLUMNS = ("submission", "verdict", "evidence", "input", "expected", "actual", "about", "states", "seconds")
# A cell that begins so is a formula to a spreadsheet, and runs.
FORMULA = ("=", "+", "-", "@", "＝", "＋", "－", "＠")


def class_page(graded: Graded) -> bytes:
    """The table of the class; each row leads to the page of its submission."""
    used = [verdict for verdict in MEANS if graded.count(verdict)]
    return _rendered(
        "class.html",
        title=f"Class against {graded.expert.name}",
        summary=graded.summary(),
        rows=[(submission.name, judged, LOOKS[judged.verdict]) for submission, judged in graded.rows],
        key=[(verdict, LOOKS[verdict], MEANS[verdict]) for verdict in used],
        asked=_asked(graded),
    )


def _rendered(template: str, **values: Any) -> bytes:
    style = own_markup(page_style() + resource("gridlang.learners.grading/web/pages.css"))
    page = render(f"gridlang.learners.grading/web/{template}", style=style, **values)
    return page.encode(errors="backslashreplace")


def _asked(graded: Graded) -> str:
    table = graded.expert.table
    if graded.scope == "worlds":
        return "Asked: the same steps as the expert on every world."
    if graded.scope == "inputs":
        return f"Asked: the same steps as the expert on every input of the form {table.input}."
    if table.output:
        return f"Asked: to leave {table.output} on every input of the form {table.input}."
    where = f"on every input of the form {table.input}" if table.input else "on every world"
    return f"Asked: to leave what the expert leaves {where}."


def class_csv(graded: Graded) -> str:
    """A line per submission, for spreadsheets; no cell is a formula. It begins with a byte order mark.

    All cells are quoted, for spreadsheets that split at other signs than commas.
    """
    out = io.StringIO()
    writer = csv.writer(out, quoting=csv.QUOTE_ALL)
    writer.writerow(COLUMNS)
    for submission, judged in graded.rows:
        shown = f'"{judged.input}"' if judged.input is not None else judged.world or ""
        about = f"{judged.says} (line {judged.line})" if judged.line else judged.says
        pictures = (" / ".join(text.split("\n")) for text in (shown, judged.expected, judged.actual))
        verdict = judged.verdict, judged.evidence, *pictures
        cells = (submission.name, *verdict, about, judged.states or "", judged.seconds)
        writer.writerow(map(_safe, cells))
    return "\ufeff" + out.getvalue()


def _safe(cell: object) -> str:
    """The text of a cell in one line, with a quote before what a spreadsheet would compute."""
    text = printable(str(cell))
    return f"'{text}" if text.lstrip().startswith(FORMULA) else text


def agent_page(expert: Program, student: Program, name: str, judgement: Judgement, same_steps: bool) -> bytes:
    """The page of `view`, with the mistake replayed.

    Steps are compared where they matter: with a mistake, and where they are proven to be the same. What is
    right in another way is shown by itself.
    """
    other = ViewedAgent(with_source(expert), f"the expert, {expert.name}")
    compared = other if same_steps or judgement.verdict != RIGHT else None
    label = name if compared else f"{name}: {judgement.verdict}, {judgement.evidence}"
    subject = ViewedAgent(with_source(student), label, facts=_facts(judgement))
    drawn = view_of(subject, compared, _start(judgement, expert), None, DRAWING.replay_steps)
    if drawn.comparison:
        drawn = replace(drawn, comparison=drawn.comparison._replace(verdict=_sentence(judgement)))
    return drawn.render("html")


def _start(judgement: Judgement, expert: Program) -> Start:
    """The world that shows the mistake, else the expert's default."""
    if judgement.input is not None:
        return start_of_input(judgement.input)
    if judgement.world is None:
        return first_start(expert)
    return start_of_world(source_world(Source("<world>", judgement.world), expert.table.symbols))


def _facts(judgement: Judgement) -> tuple[tuple[str, str], ...]:
    """Further text of the page."""
    verdict = ("verdict", judgement.verdict)
    if not judgement.shown_on():
        return verdict, ("evidence", judgement.says)
    about = "smallest mistake" if judgement.smallest else "mistake"
    ends = ("expected", judgement.expected), ("actual", judgement.actual)
    return verdict, (about, judgement.shown_on()), *ends


def _sentence(judgement: Judgement) -> str:
    if judgement.verdict == RIGHT:
        return f"right, {judgement.says}" if judgement.evidence == PROVEN else "right"
    if not judgement.shown_on():
        return f"{judgement.verdict}: {judgement.says}"
    sides = f"expected: {judgement.expected}; actual: {judgement.actual}"
    return f"{judgement.verdict} on {judgement.shown_on()}; {sides}"


def plain_page(submission: Submission, judgement: Judgement) -> bytes:
    """The page of a submission without an agent to draw."""
    lines: list[str] = []
    if not submission.problem:
        with suppress(GridError):
            lines = read_source(submission.path).text.rstrip("\n").split("\n")
    return _rendered(
        "submission.html",
        title=os.path.basename(submission.name),
        name=submission.name,
        judgement=judgement,
        lines=lines[: LIMITS.source_lines],
        more=max(0, len(lines) - LIMITS.source_lines),
    )
