"""A page for each submission: its graph and the replay of its mistake, or what is wrong with its file."""

from __future__ import annotations

import os
from dataclasses import replace

from compiler.drawing.limits import LIMITS
from compiler.drawing.palette import page_style
from compiler.drawing.replay_start import Start, first_start, start_of_input, start_of_world
from compiler.drawing.templates import own_markup, render, resource
from compiler.drawing.views import with_source
from gridlang.diagnostics import GridError
from gridlang.files import read_source
from gridlang.program import Program
from gridlang.source import Source
from gridlang.world import source_world
from learners.grading.judgements import PROVEN, RIGHT, WRONG, Judgement
from learners.grading.submissions import Submission
from learners.reports.viewed import ViewedAgent, view_of

WEB = "learners.grading/web"
MOST_LINES = 2_000  # of a source that is shown beside its errors


def agent_page(expert: Program, student: Program, name: str, judgement: Judgement, same_steps: bool) -> bytes:
    """The page of `view`, with the mistake replayed.

    Steps are compared where they matter: with a mistake, and where they are proven to be the same. What is
    right in another way is shown by itself.
    """
    other = ViewedAgent(with_source(expert), f"the expert, {expert.name}")
    compared = other if same_steps or judgement.verdict != RIGHT else None
    label = name if compared else f"{name}: {judgement.verdict}, {judgement.evidence}"
    subject = ViewedAgent(with_source(student), label, facts=_facts(judgement))
    drawn = view_of(subject, compared, _start(judgement, expert), None, LIMITS.replay_steps)
    if drawn.comparison:
        drawn = replace(drawn, comparison=drawn.comparison._replace(verdict=_sentence(judgement)))
    return drawn.render("html")


def _start(judgement: Judgement, expert: Program) -> Start:
    """What shows the mistake, else what the expert's own page begins with."""
    if judgement.input is not None:
        return start_of_input(judgement.input)
    if judgement.world is None:
        return first_start(expert)
    return start_of_world(source_world(Source("<world>", judgement.world), expert.table.symbols))


def _facts(judgement: Judgement) -> tuple[tuple[str, str], ...]:
    """What the page says besides."""
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
    return (
        f"{'wrong' if judgement.verdict == WRONG else judgement.verdict} on {judgement.shown_on()}; {sides}"
    )


def plain_page(submission: Submission, judgement: Judgement) -> bytes:
    """What is known of a submission that has no agent to draw."""
    lines: list[str] = []
    if not submission.problem:
        try:
            lines = read_source(submission.path).text.rstrip("\n").split("\n")
        except GridError:
            lines = []
    return render(
        f"{WEB}/submission.html",
        style=own_markup(page_style() + resource(f"{WEB}/pages.css")),
        title=os.path.basename(submission.name),
        name=submission.name,
        judgement=judgement,
        lines=lines[:MOST_LINES],
        more=max(0, len(lines) - MOST_LINES),
    ).encode(errors="backslashreplace")
