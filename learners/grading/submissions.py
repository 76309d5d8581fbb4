"""A class: its files, what was found out about each, and the pages and the spreadsheet that show it."""

from __future__ import annotations

import csv
import io
import os
import re
import stat
from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import asdict, dataclass, replace
from hashlib import sha256
from typing import Any, NamedTuple

from compiler.drawing.limits import LIMITS as DRAWING
from compiler.drawing.page import Start, first_start, start_of_input, start_of_world
from compiler.drawing.palette import page_style
from compiler.drawing.templates import own_markup, render, resource
from compiler.drawing.views import with_source
from gridlang.diagnostics import GridError, fail
from gridlang.files import read_source
from gridlang.printable import printable, quoted_input
from gridlang.program import Program
from gridlang.source import MAX_BYTES, Source
from gridlang.world import LONGEST_LINE, source_world
from learners.grading.limits import LIMITS
from learners.reports.viewed import ViewedAgent, view_of
from learners.runtime.json_records import record_from_json

RIGHT, WRONG, ENDLESS, UNKNOWN = "right", "wrong", "endless", "unknown"
BROKEN, LATE, FAILED, LIBRARY = "broken", "late", "failed", "library"
MEANS = {
    RIGHT: "it leaves what the expert leaves",
    WRONG: "there is an input or a world on which it does not",
    ENDLESS: "on an input on which the expert halts it was still running at the step limit",
    UNKNOWN: "neither a proof nor a difference was found",
    BROKEN: "the file cannot be read, or is not an agent for these inputs",
    LATE: "it was not judged within the time limit",
    FAILED: "what judges it came to an end: too little memory, usually",
    LIBRARY: "it holds states for others, and no agent: there is nothing to grade",
}
PROVEN, TESTED = "proven", "tested"
SCOPES = ("io", "inputs", "worlds")  # equal results, or equal steps on declared inputs or all worlds


class Submission(NamedTuple):
    """A file, and what it is called: its path below the folder that all are in."""

    name: str
    path: str
    problem: str = ""  # why there is nothing to read

    @property
    def page(self) -> str:
        """The name of its page: plain letters, and a number of its own."""
        slug = re.sub(r"[^A-Za-z0-9]+", "-", os.path.splitext(self.name)[0]).strip("-")[: LIMITS.page_name]
        return f"{slug or 'submission'}-{sha256(os.fsencode(self.name)).hexdigest()[:8]}.html"

    def digest(self) -> str:
        """A number for what is in the file; none where that is not all, since it uses other files."""
        if self.problem:
            return ""
        try:
            with open(self.path, "rb") as file:
                data = file.read(MAX_BYTES + 1)
        except OSError:
            return ""
        return "" if re.search(rb"\bfrom\b", data) or len(data) > MAX_BYTES else sha256(data).hexdigest()


def find_submissions(paths: Iterable[str], expert: str, written: Iterable[str] = ()) -> list[Submission]:
    """All files that are named or lie in folders, in order, each once.

    The expert is none of them, nor is anything in folders that lies where grading has `written` before.
    """
    files: dict[str, str] = {}
    own = frozenset(map(os.path.realpath, written))
    for path in paths:
        for file, problem in _files_at(path, own):
            if not _is_same(file, expert):
                files.setdefault(os.path.normpath(file), problem)
            if len(files) > LIMITS.most_files:
                hint = "name the folder of the class alone"
                raise fail("G197", f"there are more than {LIMITS.most_files:,} files here", hint, path)
    if not files:
        return []
    top = os.path.commonpath([os.path.dirname(os.path.abspath(file)) for file in files])
    named = ((os.path.relpath(os.path.abspath(file), top), file) for file in files)
    return [Submission(name, file, files[file]) for name, file in sorted(named)]


def _is_same(file: str, expert: str) -> bool:
    try:
        return not os.path.islink(file) and os.path.samefile(file, expert)
    except OSError:
        return False


def _files_at(path: str, own: frozenset[str]) -> Iterator[tuple[str, str]]:
    """The file itself, or those in a folder: links as problems, no hidden files, none of our own."""
    if not os.path.isdir(path):
        yield path, _problem(path, linked=True)
        return
    for folder, folders, names in os.walk(path):
        links = [name for name in folders if os.path.islink(os.path.join(folder, name))]
        here = os.path.realpath(folder)
        passed = {
            name for name in (*folders, *names) if name.startswith(".") or os.path.join(here, name) in own
        }
        folders[:] = sorted(set(folders) - passed - set(links))
        for name in sorted({*names, *links} - passed):
            file = os.path.join(folder, name)
            yield file, _problem(file, linked=False)


def _problem(path: str, linked: bool) -> str:
    """Why this is no file that could be read."""
    try:
        if not linked and os.path.islink(path):
            return "this is a link; only files that are in the folder are graded"
        mode = os.stat(path).st_mode
    except OSError as error:
        return f"this file cannot be read: {error.strerror}"
    except ValueError:
        return "no file can be called so"
    return "" if stat.S_ISREG(mode) else "this is not a plain file"


@dataclass(frozen=True, slots=True)
class Judgement:
    """The verdict on a submission, with its evidence or with what shows the mistake.

    `evidence` is proven or tested, for what is right. `input` or `world`, a picture, shows a mistake; it is
    the `smallest` where nothing smaller was left out. `expected` and `actual` say how the runs of the expert
    and of the submission end there. `says` is a sentence about it all.
    """

    verdict: str
    says: str
    evidence: str = ""
    input: str | None = None
    world: str | None = None
    smallest: bool = False
    expected: str = ""
    actual: str = ""
    cases: int = 0
    states: int | None = None
    line: int | None = None  # of the first error of a file that is broken
    details: str = ""
    seconds: float = 0.0
    page: str | None = None

    def shown_on(self) -> str:
        """What shows the mistake, in a line."""
        if self.input is not None:
            return quoted_input(self.input)
        if self.world is None:
            return ""
        line = " / ".join(self.world.split("\n"))
        return line if len(line) <= LONGEST_LINE else f"{line[:LONGEST_LINE]}…"

    def as_json(self) -> dict[str, Any]:
        return asdict(self)


def judgement_from_json(data: object) -> Judgement:
    """What `as_json` gave; ValueError for anything else."""
    judged = record_from_json(Judgement, data)
    if judged.verdict not in MEANS:
        raise ValueError(f"`{judged.verdict}` is no verdict")
    return judged


@dataclass(frozen=True, slots=True)
class Graded:
    """A class that was graded, in the order of its names."""

    expert: Program
    scope: str
    rows: tuple[tuple[Submission, Judgement], ...]

    def count(self, verdict: str, evidence: str = "") -> int:
        return sum(judged.verdict == verdict and evidence in ("", judged.evidence) for _, judged in self.rows)

    @property
    def graded(self) -> int:
        """How many there are; libraries are none."""
        return len(self.rows) - self.count(LIBRARY)

    def summary(self) -> str:
        """`12 of 20 are right: 8 proven, 4 tested`."""
        right, proven = self.count(RIGHT), self.count(RIGHT, PROVEN)
        ways = [f"{proven} proven"] * bool(proven) + [f"{right - proven} tested"] * (right > proven)
        return f"{right} of {self.graded} are right" + (f": {', '.join(ways)}" if ways else "")

    def as_json(self) -> dict[str, Any]:
        rows = [{"name": s.name, "file": s.path, **judged.as_json()} for s, judged in self.rows]
        counts = {"submissions": self.graded, "right": self.count(RIGHT)}
        evidence = {way: self.count(RIGHT, way) for way in (PROVEN, TESTED)}
        return {"expert": self.expert.file, "scope": self.scope, **counts, **evidence, "class": rows}


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
    style = own_markup(page_style() + resource("learners.grading/web/pages.css"))
    page = render(f"learners.grading/web/{template}", style=style, **values)
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
    """A line a submission, for spreadsheets; no cell of it is a formula. It begins with a byte order mark.

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
    return f"{judgement.verdict} on {judgement.shown_on()}; {sides}"


def plain_page(submission: Submission, judgement: Judgement) -> bytes:
    """What is known of a submission that has no agent to draw."""
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
