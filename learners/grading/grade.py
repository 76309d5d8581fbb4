"""A class against its expert: each submission in a process of its own, several at a time.

Pages and records are written as soon as a submission is judged, each whole. A class that is graded again into
the same folder keeps what was judged of the same bytes, by the same question.

Judging one submission: read it, test it, prove it if that is possible, and draw its page.

This runs in a process of its own, which may be killed: whatever a submission does, it does to itself alone.
"""

from __future__ import annotations

import json
import os
import signal
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import replace
from hashlib import sha256
from itertools import chain
from typing import NamedTuple

import gridlang
from gridlang.clauses.input_clauses import language_of
from gridlang.clauses.outputs import output_rule
from gridlang.compiler.program_files import load_program
from gridlang.compiler.proofs.equivalence import EVERYWHERE, Verdict
from gridlang.compiler.proofs.joint_step import STRICT, UNASKED
from gridlang.compiler.proofs.prove import prove
from gridlang.compiler.proofs.results.specifications import by_clauses_of, clause_proof, knowing_each_other
from gridlang.compiler.testing.output_search import search_counterexample
from gridlang.diagnostics import GridError, counted, fail, listing
from gridlang.files import write_whole
from gridlang.learners.grading.limits import LIMITS
from gridlang.learners.grading.pages import agent_page, class_page, plain_page
from gridlang.learners.grading.result_tests import InputTests, WorldTests, inputs_to_unused_rules
from gridlang.learners.grading.submissions import (
    BROKEN,
    FAILED,
    LATE,
    LIBRARY,
    PROVEN,
    RIGHT,
    UNKNOWN,
    WRONG,
    Graded,
    Judgement,
    Submission,
    judgement_from_json,
)
from gridlang.learners.runtime.hardware import cores
from gridlang.learners.runtime.processes import in_processes
from gridlang.loading import definitions_for
from gridlang.printable import printable, quoted_input
from gridlang.program import Program
from gridlang.table import Table
from gridlang.world import world_picture

LIBRARY_CODE = "G055"


class Question(NamedTuple):
    """The question to every submission."""

    expert: str
    definitions: Mapping[str, str]
    scope: str
    seconds: float
    steps: int
    seed: int
    pages: bool


class Task(NamedTuple):
    submission: Submission
    question: Question


class Answer(NamedTuple):
    judgement: Judgement
    page: bytes | None = None


class OutOfTime(BaseException):
    """The time limit is reached; not an Exception, so that nothing on the way catches it."""


@contextmanager
def at_most_seconds(seconds: float) -> Iterator[None]:
    """Raises OutOfTime in the main thread after this CPU time; a busy machine changes nothing."""

    def ring(*_: object) -> None:
        raise OutOfTime

    before = signal.signal(signal.SIGPROF, ring)
    signal.setitimer(signal.ITIMER_PROF, max(seconds, 0.001))
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGPROF, before)


def judge(task: Task) -> Answer:
    """The judgement, and the page if there is to be one; for a process of its own, which prints nothing."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    for stream in (1, 2):
        os.dup2(nowhere, stream)
    os.close(nowhere)
    _limit_memory()
    return judged(task)


def _limit_memory() -> None:
    """Bounds the memory that this process may still take; unlimited on systems that do not count it."""
    with suppress(ImportError, OSError, ValueError):
        import resource

        with open("/proc/self/statm", encoding="ascii") as file:
            taken = int(file.read().split()[0]) * os.sysconf("SC_PAGE_SIZE")
        _, most = resource.getrlimit(resource.RLIMIT_AS)
        wanted = taken + LIMITS.memory
        resource.setrlimit(resource.RLIMIT_AS, (wanted if most < 0 else min(wanted, most), most))


def judged(task: Task) -> Answer:
    """The answer of `judge`, in this process."""
    submission, question = task
    begun = time.process_time()
    student: Program | None = None
    same_steps = False
    try:
        with at_most_seconds(question.seconds):
            expert = load_program(question.expert, question.definitions)
            student = _loaded(submission, question, expert)
            judgement, same_steps = _verdict(expert, student, question, begun)
    except GridError as error:
        judgement = _broken(error)
    except OutOfTime:
        judgement = Judgement(LATE, f"it was not judged within {question.seconds:g} s")
    states, seconds = len(student.table.states) if student else None, round(time.process_time() - begun, 2)
    judgement = replace(judgement, states=states, seconds=seconds)
    return Answer(judgement, _page(task, student, judgement, same_steps) if question.pages else None)


def _loaded(submission: Submission, question: Question, expert: Program) -> Program:
    """The submission as a program; one that uses the expert's own file is refused."""
    given = definitions_for((question.expert, submission.path), question.definitions)[1]
    student = load_program(submission.path, given)
    parsed = student.definition
    sources = {rule.span.source.path for rule in student.rules.values()} | (
        {parsed.source.path} if parsed else set()
    )
    own = os.path.realpath(question.expert)
    if any(os.path.realpath(path) == own for path in sources):
        raise fail("G195", "it takes its states from the file of the expert", "", submission.path)
    language = language_of(expert.table)
    inputs = {symbol for cell in language.cells for symbol in cell} if language else set()
    foreign = sorted(inputs - set(student.table.symbols))
    if foreign:
        hint = f"its alphabet is {' '.join(student.table.symbols[:40])}"
        raise fail("G195", f"it does not know {listing(foreign, 'and')} of the inputs", hint, submission.path)
    return student


def _broken(error: GridError) -> Judgement:
    errors = [d for d in error.diagnostics if d.is_error] or list(error.diagnostics)
    first = errors[0]
    if first.code == LIBRARY_CODE:
        return Judgement(LIBRARY, "it is a library, which holds states and no agent")
    more = f", and {counted(len(errors) - 1, 'more error')}" if len(errors) > 1 else ""
    line = first.span.line if first.span else None
    return Judgement(BROKEN, f"{first.code}: {first.message}{more}", line=line, details=str(error))


def _verdict(expert: Program, student: Program, question: Question, begun: float) -> tuple[Judgement, bool]:
    """The judgement, and whether the submission was proven to take the expert's steps."""
    left, right = by_clauses_of(expert.table, student.table)
    if question.scope != "io":
        verdict = prove(left, right, question.scope, stuck=UNASKED)
        return _by_steps(verdict), verdict.equivalent is True
    language = language_of(expert.table)
    tests: InputTests | WorldTests = WorldTests(expert, right, question.steps, question.seed)
    if language is not None:
        tests = InputTests(expert, language, right, question.steps, question.seed)
    judgement = tests.search()
    if judgement.verdict != RIGHT:
        return judgement, False
    try:
        with at_most_seconds(question.seconds - (time.process_time() - begun)):
            if isinstance(tests, InputTests):
                return _proof_on_inputs(left, right, tests, judgement)
            return _proof_on_worlds(left, right, tests, judgement)
    except OutOfTime:
        unfinished = f"no proof was finished within {question.seconds:g} s"
        return replace(judgement, says=f"{judgement.says}; {unfinished}"), False
    except GridError:
        return judgement, False


def _proof_on_inputs(
    left: Table, right: Table, tests: InputTests, tested: Judgement
) -> tuple[Judgement, bool]:
    """The judgement of a submission that passed its tests; an input from a proof is run, and decides."""
    verdict = prove(left, right, "inputs", stuck=STRICT)
    if verdict.equivalent:
        return _proven(tested, f"it takes the same steps as the expert, {EVERYWHERE['inputs']}"), True
    for text in chain([verdict.input], inputs_to_unused_rules(right, tests.used)):
        if mistake := tests.mistake_on(text):
            return mistake, False
    return _by_specification(right, tests, tested), False


def _by_specification(table: Table, tests: InputTests, tested: Judgement) -> Judgement:
    """The claims proven by the expert's clauses; unless all are, a right submission is only tested."""
    few = sum(rule is not None for row in table.rows for rule in row) <= LIMITS.rules_by_values
    shown = clause_proof(table, by_values=few)
    for text in shown.suspects:
        if mistake := tests.mistake_on(text):
            return mistake
    says = shown.described(table.output)
    if shown.total:
        return _proven(tested, says)
    return replace(tested, says=f"{tested.says}; proven: {says}") if says else tested


def _proof_on_worlds(
    left: Table, right: Table, tests: WorldTests, tested: Judgement
) -> tuple[Judgement, bool]:
    """The same where no inputs are declared."""
    verdict = prove(left, right, "worlds", stuck=UNASKED)
    if verdict.equivalent:
        return _proven(tested, f"it takes the same steps as the expert, {EVERYWHERE['worlds']}"), True
    return tests.mistake_on(verdict.world) or tested, False


def _proven(tested: Judgement, says: str) -> Judgement:
    return replace(tested, evidence=PROVEN, says=f"proven: {says}")


def _by_steps(verdict: Verdict) -> Judgement:
    """The answer of `equiv`, which asks for the same steps."""
    if verdict.equivalent:
        return Judgement(RIGHT, f"proven: the same steps {EVERYWHERE[verdict.scope]}", PROVEN)
    if verdict.equivalent is None:
        return Judgement(UNKNOWN, verdict.reason)
    step = len(verdict.counterexample or ())
    last = (verdict.counterexample or ())[-1]
    expected, actual = (
        f"it writes {act[0]} and moves {act[1]}" if act else "it is stuck" for act in (last.left, last.right)
    )
    picture = world_picture(verdict.world) if verdict.world and verdict.input is None else None
    says = f"it does otherwise at step {step}, where it reads {last.read}"
    return Judgement(WRONG, says, "", verdict.input, picture, verdict.shortest, expected, actual)


def _page(task: Task, student: Program | None, judgement: Judgement, same_steps: bool) -> bytes:
    """The replay where there is an agent and it can be drawn, else what is wrong with the file."""
    submission, question = task
    # a failed drawing does not change the verdict
    with suppress(Exception, OutOfTime), at_most_seconds(LIMITS.drawing_seconds):
        if student is not None:
            expert = load_program(question.expert, question.definitions)
            left, right = knowing_each_other(expert.table, student.table)
            both = expert._replace(table=left), student._replace(table=right)
            return agent_page(*both, printable(submission.name), judgement, same_steps)
    return plain_page(submission, judgement)


RECORDS = ".judgements"  # hidden folder of records beside the pages


def check_expert(expert: Program, question: Question) -> None:
    """GridError if the expert cannot judge: it declares no inputs, or errs itself."""
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
    """The answers of the processes; also of those that died or were killed."""
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
    """An earlier judgement of the same bytes; a late or dead one is repeated."""
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
    """A digest of the question: expert, limits and version."""
    asked = (gridlang.__version__, *question[1:])
    return sha256(expert.as_read() + repr(asked).encode()).hexdigest()
