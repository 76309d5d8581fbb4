"""The class as a page and as a table for spreadsheets."""

from __future__ import annotations

import csv
import io

from compiler.drawing.palette import page_style
from compiler.drawing.templates import own_markup, render, resource
from learners.grading.graded_class import Graded
from learners.grading.judgements import (
    BROKEN,
    ENDLESS,
    FAILED,
    LATE,
    LIBRARY,
    MEANS,
    RIGHT,
    UNKNOWN,
    WRONG,
    Judgement,
)
from learners.grading.student_pages import WEB

LOOKS = {RIGHT: "good", WRONG: "bad", ENDLESS: "bad", BROKEN: "warn"}
LOOKS |= dict.fromkeys((UNKNOWN, LATE, FAILED, LIBRARY), "soft")
COLUMNS = ("submission", "verdict", "evidence", "input", "expected", "actual", "about", "states", "seconds")
# A cell that begins so is a formula to a spreadsheet, and runs.
FORMULA = ("=", "+", "-", "@", "\t", "\r", "\n", "＝", "＋", "－", "＠")


def class_page(graded: Graded) -> bytes:
    """The table of the class; each row leads to the page of its submission."""
    used = [verdict for verdict in MEANS if graded.count(verdict)]
    return render(
        f"{WEB}/class.html",
        style=own_markup(page_style() + resource(f"{WEB}/pages.css")),
        title=f"Class against {graded.expert.name}",
        summary=graded.summary(),
        rows=[(submission.name, judged, LOOKS[judged.verdict]) for submission, judged in graded.rows],
        key=[(verdict, LOOKS[verdict], MEANS[verdict]) for verdict in used],
        asked=_asked(graded),
    ).encode(errors="backslashreplace")


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
    """A line a submission, for spreadsheets; no cell of it is a formula. It begins with a byte order mark."""
    out = io.StringIO()
    writer = csv.writer(out)
    writer.writerow(COLUMNS)
    for submission, judged in graded.rows:
        writer.writerow([_safe(cell) for cell in (submission.name, *_cells(judged))])
    return "\ufeff" + out.getvalue()


def _cells(judged: Judgement) -> tuple[object, ...]:
    shown = f'"{judged.input}"' if judged.input is not None else judged.world or ""
    about = f"{judged.says} (line {judged.line})" if judged.line else judged.says
    ends = judged.expected, judged.actual
    return judged.verdict, judged.evidence, shown, *ends, about, judged.states or "", judged.seconds


def _safe(cell: object) -> str:
    """The text of a cell, with a quote before what a spreadsheet would compute."""
    text = str(cell).encode(errors="backslashreplace").decode().replace("\0", "")
    return f"'{text}" if text.startswith(FORMULA) else text
