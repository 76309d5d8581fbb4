"""Grades a class: each submission in a folder against the agent of an expert.

python examples/class/grade.py examples/increment.grid examples/class

A submission is right if it leaves what the expert leaves on the inputs that the expert declares, in whatever
way. What it says itself in `input`, `output` and `test` lines is not asked.
"""

import sys
from dataclasses import replace
from pathlib import Path

import gridlang as gl

STEPS = 1_000_000  # of a run; those on short inputs take thousands


def under(expert: gl.Table, student: gl.Table) -> gl.Table:
    """The submission with the expert's clauses; it has no rules for symbols that only the expert has."""
    more = tuple(symbol for symbol in expert.symbols if symbol not in student.symbols)
    rows = tuple(row + (None,) * len(more) for row in student.rows)
    student = replace(student, symbols=student.symbols + more, rows=rows)
    return replace(student, classes=expert.classes, input=expert.input, output=expert.output)


def verdict(expert: gl.Program, path: Path) -> tuple[str, str]:
    """How a submission is called, and why."""
    loaded = gl.try_load(path)
    if loaded.program is None:
        first = next(each for each in loaded.diagnostics if each.is_error)
        return "not parsing", f"line {first.span.line}: {first.message}" if first.span else first.message
    student = under(expert.table, loaded.program.table)
    tested = gl.test(student, oracle=expert, steps=STEPS)
    wrong = tested.data["counterexample"]
    if wrong and wrong["outcome"] in ("budget", "looping"):
        return "endless", f'on "{wrong["input"]}": still running after {wrong["steps"]:,} steps'
    if wrong:
        left = wrong["outcome"] if wrong["got"] is None else f'"{wrong["got"]}"'
        wanted = wrong["verdict"] or f'"{wrong["expected"]}"'
        return "wrong", f'on "{wrong["input"]}": {left}, where {wanted} is right'
    if not tested.passed:
        return "unknown", "the expert ends on none of the inputs that were tried"
    if {*student.symbols} == {*expert.table.symbols} and gl.equiv(expert, student, "inputs").equivalent:
        return "right", "proven: it takes the steps of the expert on every input"
    claims = gl.prove(student).claims if student.output else ()
    if claims and all(claim.answer == "proven" for claim in claims):
        return "right", f"proven: it leaves {student.output} on every input"
    for claim in claims:
        if claim.answer == "refuted" and claim.input is not None:
            return "wrong", f'on "{claim.input}": {claim.reason}'
    return "right", f"tested on {tested.data['search']['tried']}"


if __name__ == "__main__":
    if len(sys.argv) != 3 or not Path(sys.argv[2]).is_dir():
        sys.exit("usage: python grade.py EXPERT.grid FOLDER")
    files, right = sorted(Path(sys.argv[2]).glob("*.grid")), 0
    try:
        for path in files:
            sort, why = verdict(gl.load(sys.argv[1]), path)
            right += sort == "right"
            print(f"{path.name:<12} {sort:<12} {why}")
    except gl.GridError as error:  # about the expert
        sys.exit(str(error))
    print(f"{right} of {len(files)} are right")
