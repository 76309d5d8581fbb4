"""How far a model generalises, in words and as data."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from gridlang.world import World
from learners.evaluation.evaluate import Evaluation, FirstError
from learners.evaluation.length_search import ENDED_FOUND, ENDED_LONGEST, ENDED_MEMORY, LengthSearch
from learners.evaluation.limits import LIMITS
from learners.evaluation.lockstep import Action, Case, Margin
from learners.evaluation.suites import WORLDS


def evaluation_data(
    model: str, expert: str, one: Evaluation | None, search: LengthSearch | None, seconds: float
) -> dict[str, Any]:
    """All that was found as JSON; the length asked for comes first, else the largest that was passed."""
    main, tried = _main(one, search), _tried(one, search)
    return {
        "model": model,
        "against": expert,
        "suite": main.suite,
        "digits": one.digits if one is not None else None,
        "plg": one.plg if one is not None else None,
        "rlg": one.rlg if one is not None else None,
        "worlds": one.worlds if one is not None else None,
        "largest": search.largest if search else None,
        "ended": search.ended if search else None,
        "cases": main.cases,
        "cut": main.cut,
        "sampled": main.sampled,
        "first_error": error_data(first_error(one, search)),
        "margin": main.margin.value if main.margin else None,
        "margins": {"write": margin_data(main.write_margin), "move": margin_data(main.move_margin)},
        "steps": sum(each.steps for each in tried),
        "seconds": round(seconds, 3),
        "lengths": [length_data(each) for each in tried],
    }


def _tried(one: Evaluation | None, search: LengthSearch | None) -> tuple[Evaluation, ...]:
    """All lengths that were tried; a search begins with the one that was asked for."""
    if search is not None:
        return search.tried
    return () if one is None else (one,)


def _main(one: Evaluation | None, search: LengthSearch | None) -> Evaluation:
    """The length asked for; else what a search is about: the largest passed, or the first tried."""
    if one is not None:
        return one
    assert search is not None and search.tried
    passed = (each for each in search.tried if each.digits == search.largest and each.passed)
    return next(passed, search.tried[0])


def first_error(one: Evaluation | None, search: LengthSearch | None) -> FirstError | None:
    """The error at the length asked for; for a search, at the shortest length that failed."""
    if one is not None:
        return one.first_error
    failed = [each for each in (search.tried if search else ()) if each.first_error]
    return min(failed, key=lambda each: each.digits).first_error if failed else None


def length_data(one: Evaluation) -> dict[str, Any]:
    """One length of a search."""
    return {
        "digits": one.digits,
        "passed": one.passed,
        "cases": one.cases,
        "steps": one.steps,
        "seconds": round(one.seconds, 3),
        "margin": one.margin.value if one.margin else None,
    }


def margin_data(margin: Margin | None) -> dict[str, Any] | None:
    return {"value": margin.value, "step": margin.step, "cell": margin.cell} if margin else None


def error_data(error: FirstError | None) -> dict[str, Any] | None:
    if error is None:
        return None
    wrong = error.mistake
    return {
        "case": error.number,
        "input": case_text(error.case),
        "step": wrong.step,
        "cell": wrong.cell,
        "state": wrong.state,
        "read": wrong.read,
        "expected": wrong.expected._asdict() if wrong.expected else None,
        "got": wrong.got._asdict() if wrong.got else None,
        "reason": wrong.reason or None,
        "around": wrong.around,
    }


def case_text(case: Case) -> str:
    """A case in a few words: an input, cut in its middle, or the size of a world."""
    if isinstance(case, World):
        return f"a world of {len(case.cells):,} cells, from {case.start}"
    half = LIMITS.input_shown // 2
    return case if len(case) <= 2 * half else f"{case[:half]}…{case[-half:]}"


def evaluation_lines(one: Evaluation | None, search: LengthSearch | None) -> list[str]:
    """A line a length, the answer, and the first error."""
    lines = length_lines(_tried(one, search))
    lines += [answer(one)] if one is not None else []
    lines += [search_answer(search)] if search else []
    lines += [f"  {note}" for note in notes(_main(one, search))]
    error = first_error(one, search)
    return lines + (error_lines(error) if error else [])


def length_lines(tried: Sequence[Evaluation]) -> list[str]:
    """All lengths that were tried, in columns."""
    head = f"{'digits':>9}  {'result':<7}  {'cases':>11}  {'steps':>17}  {'seconds':>8}  {'margin':>8}"
    lines = [f"  {head}"]
    for each in tried:
        result = {True: "passed", False: "failed", None: "unknown"}[each.passed]
        cases, margin = f"{each.cases}/{each.count}", f"{each.margin.value:.6f}" if each.margin else "-"
        row = f"{each.digits:>9,}  {result:<7}  {cases:>11}  {each.steps:>17,}  {each.seconds:>8.2f}"
        lines.append(f"  {row}  {margin:>8}")
    return lines


def answer(one: Evaluation) -> str:
    """What is known at one length; tested, never proven."""
    if one.suite == WORLDS:
        claims = [
            (f"random worlds of {one.digits} x {one.digits} cells (there is no input clause)", one.worlds)
        ]
    else:
        claims = [(f"{name}({one.digits:,})", value) for name, value in (("PLG", one.plg), ("RLG", one.rlg))]
    words = {True: "passed", False: "failed", None: "unknown"}
    asked = [
        f"{name}: {words[value]}" for name, value in claims if value is not None or name.startswith("RLG")
    ]
    return ", ".join(asked)


def search_answer(search: LengthSearch) -> str:
    why = {
        ENDED_FOUND: "",
        ENDED_LONGEST: "; longer inputs are not made",
        ENDED_MEMORY: "; a longer one did not fit in memory",
    }.get(search.ended, "; then the time was up")
    shortest = min((each.digits for each in search.tried if each.passed is False), default=None)
    failed = f", the shortest that failed {shortest:,}" if shortest else ""
    return f"largest length passed: {search.largest:,}{failed}{why}"


def notes(one: Evaluation) -> list[str]:
    """What the numbers alone would hide."""
    lines = []
    if one.cut:
        lines.append(f"{one.cut} of {one.cases} runs were cut at the step limit, without an error so far")
    if one.sampled:
        lines.append(f"too many inputs of repeated symbols: {LIMITS.most_repeated:,} were drawn")
    if one.out_of_memory:
        lines.append("a world did not fit in memory")
    return lines


def error_lines(error: FirstError) -> list[str]:
    """The first error, with the world around it."""
    wrong = error.mistake
    return [
        f"first error: case {error.number}, {case_text(error.case)}",
        f"  step {wrong.step:,} at {wrong.cell}, in state {wrong.state}, reading {wrong.read}",
        f"  expected  {action_text(wrong.expected) if wrong.expected else 'nothing: the expert is stuck'}",
        f"  got       {action_text(wrong.got) if wrong.got else f'nothing: {wrong.reason}'}",
        *(f"    {row}" for row in wrong.around.split("\n")),
    ]


def action_text(action: Action) -> str:
    return f"write {action.write}, move {action.move}"
