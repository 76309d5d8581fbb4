"""A class against its expert: each submission in a process of its own, several at a time.

Pages and records are written as soon as a submission is judged, each whole. A class that is graded again into
the same folder keeps what was judged of the same bytes, by the same question.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from hashlib import sha256

import gridlang
from compiler.testing.output_search import search_counterexample
from gridlang.clauses.inputs import language_of
from gridlang.clauses.outputs import output_rule
from gridlang.diagnostics import fail
from gridlang.files import write_whole
from gridlang.printable import quoted_input
from gridlang.program import Program
from learners.grading.judge import Answer, Question, Task, judge
from learners.grading.limits import LIMITS
from learners.grading.submissions import (
    BROKEN,
    FAILED,
    LATE,
    Graded,
    Judgement,
    Submission,
    class_page,
    judgement_from_json,
    plain_page,
)
from learners.runtime.hardware import cores
from learners.runtime.processes import in_processes

RECORDS = ".judgements"  # The folder of records lies beside the pages, out of sight.


def check_expert(expert: Program, question: Question) -> None:
    """GridError where the expert is no answer sheet: no inputs to ask about, or a mistake of its own."""
    rule = output_rule(expert.table)
    if question.scope == "inputs" and language_of(expert.table) is None:
        hint = "declare `input` in it, or compare on all worlds with --scope worlds"
        raise fail("G140", f"`{expert.name}` has no input clause, so there are no inputs to grade on", hint)
    if rule is None or question.scope != "io":
        return
    searched = search_counterexample(expert.table, rule, cases=LIMITS.expert_cases, seed=question.seed)
    if searched.counterexample:
        shown = quoted_input(searched.counterexample.input)
        hint = "`gridlang test` tells more: correct the expert first"
        message = f"the expert does not do what its own `output` says on the input {shown}"
        raise fail("G196", message, hint, expert.file)


def grade(
    expert: Program,
    submissions: Sequence[Submission],
    question: Question,
    folder: str | None,
    progress: Callable[[int], None] = lambda _: None,
) -> Graded:
    """The class, each judged or taken from the folder of an earlier run; pages are written there."""
    stamp = _stamp(expert, question)
    judged: dict[Submission, Judgement] = {}
    tasks = []
    for submission in submissions:
        kept = _kept(submission, stamp, folder) if folder else None
        if kept:
            judged[submission] = kept
        elif submission.problem:
            unread = Answer(Judgement(BROKEN, submission.problem))
            judged[submission] = _written(submission, unread, stamp, folder)
        else:
            tasks.append(Task(submission, question))
    progress(len(judged))
    for submission, answer in _answers(tasks, question):
        judged[submission] = _written(submission, answer, stamp, folder)
        progress(len(judged))
    graded = Graded(expert, question.scope, tuple((each, judged[each]) for each in submissions))
    if folder:
        write_whole(os.path.join(folder, "index.html"), class_page(graded))
    return graded


def _answers(tasks: Sequence[Task], question: Question) -> Iterator[tuple[Submission, Answer]]:
    """What the processes answer; one that died or had to be killed is told of."""
    patience = question.seconds + LIMITS.drawing_seconds * question.pages + LIMITS.grace_seconds
    for done in in_processes(judge, tasks, max(1, cores()), patience, one_core=True):
        submission = done.task.submission
        if done.answer is not None:
            yield submission, done.answer
            continue
        seconds = round(done.seconds, 2)
        late = f"it was not judged within {question.seconds:g} s"
        verdict, says = (LATE, late) if done.late else (FAILED, done.problem)
        yield submission, Answer(Judgement(verdict, says, seconds=seconds))


def _written(submission: Submission, answer: Answer, stamp: str, folder: str | None) -> Judgement:
    """The judgement with the name of its page, which is written, and a record of it."""
    if folder is None:
        return answer.judgement
    judged = replace(answer.judgement, page=submission.page)
    path = os.path.join(folder, submission.page)
    write_whole(path, answer.page or plain_page(submission, judged))
    record = {"stamp": stamp, "digest": submission.digest(), "judgement": judged.as_json()}
    os.makedirs(os.path.join(folder, RECORDS), exist_ok=True)
    write_whole(_record(submission, folder), json.dumps(record))
    return judged


def _record(submission: Submission, folder: str) -> str:
    return os.path.join(folder, RECORDS, f"{submission.page}.json")


def _kept(submission: Submission, stamp: str, folder: str) -> Judgement | None:
    """What an earlier run wrote of the same bytes; one that was late or died is judged again."""
    path = os.path.join(folder, submission.page)
    digest = submission.digest()
    if not digest or not os.path.exists(path):
        return None
    try:
        with open(_record(submission, folder), encoding="utf-8") as file:
            record = json.load(file)
        if (record["stamp"], record["digest"]) != (stamp, digest):
            return None
        judged = judgement_from_json(record["judgement"])
    except (OSError, ValueError, KeyError, TypeError):
        return None
    return judged if judged.verdict not in (LATE, FAILED) and judged.page == submission.page else None


def _stamp(expert: Program, question: Question) -> str:
    """A number for the question: another expert, limit or version asks another one."""
    asked = (gridlang.__version__, *question[1:])
    return sha256(expert.as_read() + repr(asked).encode()).hexdigest()
