"""The API to grading: a class of submissions against an expert."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from contextlib import nullcontext

from gridlang.compiler.arguments import NONE, Path, Say, as_program, counting, one_of, positive, whole
from gridlang.diagnostics import counted, fail
from gridlang.files import write_whole
from gridlang.learners.grading.grade import Question, check_expert
from gridlang.learners.grading.grade import grade as grade_class
from gridlang.learners.grading.pages import class_csv
from gridlang.learners.grading.submissions import SCOPES, Graded, find_submissions
from gridlang.learners.runtime.folder_lock import held
from gridlang.loading import definitions_for


def grade(
    expert: Path,
    submissions: Path | Iterable[Path],
    *,
    output: Path | None = None,
    csv: Path | None = None,
    scope: str = "io",
    seconds: float = 60.0,
    steps: int = 1_000_000,
    definitions: Mapping[str, str] = NONE,
    seed: int = 0,
    progress: Say | None = None,
) -> Graded:
    """Judges submissions, files or folders of files, against the file of an expert.

    The scope is io (equal results), inputs or worlds (equal steps there). Each submission is judged in a
    process of its own, for at most `seconds`, its runs for at most `steps` steps. The folder `output` gets
    index.html and a page for each; `csv` gets a table. `definitions` give values to the expert's parameters.

    >>> import gridlang as gl
    >>> gl.grade("examples/increment.grid", ["examples/increment.grid", "examples/twice.grid"]).summary()
    '0 of 1 are right'
    """
    one_of("scope", scope, SCOPES)
    positive(seconds=seconds)
    whole(1, steps=steps)
    whole(seed=seed)
    many = [submissions] if isinstance(submissions, str | os.PathLike) else submissions
    sheet, folder = os.fspath(expert), os.fspath(output) if output is not None else None
    table = [os.fspath(csv)] if csv is not None and os.fspath(csv).endswith(".csv") else []
    files = find_submissions(
        [os.fspath(each) for each in many], sheet, [*([folder] if folder else []), *table]
    )
    if not files:
        raise fail("G197", "there are no submissions here", "name files, or a folder with files in it")
    given = dict(definitions_for((sheet,), definitions)[0])
    program = as_program(sheet, given)
    question = Question(os.path.abspath(sheet), given, scope, seconds, steps, seed, folder is not None)
    check_expert(program, question)
    told = counting(progress, f"of {counted(len(files), 'submission')} graded")
    with held(folder, ".grading") if folder is not None else nullcontext():
        graded = grade_class(program, files, question, folder, told)
    if csv is not None:
        write_whole(os.fspath(csv), class_csv(graded))
    return graded
