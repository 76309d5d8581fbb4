"""How far a model generalises, in words and as data."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from gridlang.compiler.lockstep.lockstep import Action, Case, Margin
from gridlang.compiler.simulation.simulate import in_words
from gridlang.learners.evaluation.evaluate import (
    ENDED_FOUND,
    ENDED_LONGEST,
    ENDED_MEMORY,
    WORLDS,
    Evaluation,
    FirstError,
    LengthSearch,
)
from gridlang.learners.evaluation.limits import LIMITS
from gridlang.world import World

PASSED = {True: "passed", False: "failed", None: "unknown"}


def evaluation_data(
    model: str, expert: str, one: Evaluation | None, search: LengthSearch | None, seconds: float
) -> dict[str, Any]:
    """The results as JSON; the given length comes first, else the largest that was passed."""
    main, tried, error = _main(one, search), _tried(one, search), _first_error(one, search)
    return {
        "model": model,
        "against": expert,
        "suite": main.suite,
        **{name: getattr(one, name, None) for name in ("digits", "plg", "rlg", "worlds")},
        "largest": search.largest if search else None,
        "ended": search.ended if search else None,
        "cases": main.cases,
        "cut": main.cut,
        "sampled": main.sampled,
        "first_error": _error_data(error) if error else None,
        "margin": main.margin.value if main.margin else None,
        "margins": {"write": _margin_data(main.write_margin), "move": _margin_data(main.move_margin)},
        "steps": sum(each.steps for each in tried),
        "seconds": round(seconds, 3),
        "lengths": [
            {
                **{name: getattr(each, name) for name in ("digits", "passed", "cases", "steps")},
                "seconds": round(each.seconds, 3),
                "margin": each.margin.value if each.margin else None,
            }
            for each in tried
        ],
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


def _first_error(one: Evaluation | None, search: LengthSearch | None) -> FirstError | None:
    """The error at the length asked for; for a search, at the shortest length that failed."""
    asked = _tried(one, search) if one is None else (one,)
    failed = [each for each in asked if each.first_error]
    return min(failed, key=lambda each: each.digits).first_error if failed else None


def _margin_data(margin: Margin | None) -> dict[str, Any] | None:
    return {"value": margin.value, "step": margin.step, "cell": margin.cell} if margin else None


def _error_data(error: FirstError) -> dict[str, Any]:
    wrong = error.mistake
    return {
        "case": error.number,
        "input": case_text(error.case),
        **{name: getattr(wrong, name) for name in ("step", "cell", "state", "read")},
        "expected": wrong.expected._asdict() if wrong.expected else None,
        "got": wrong.got._asdict() if wrong.got else None,
        "reason": in_words(wrong.reason) or None,
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
    lines = _length_lines(_tried(one, search))
    lines += [_answer(one)] if one is not None else []
    lines += [_search_answer(search)] if search else []
    main, error = _main(one, search), _first_error(one, search)
    if main.cut:
        lines.append(f"  {main.cut} of {main.cases} runs were cut at the step limit, without an error so far")
    if main.sampled:
        lines.append(f"  too many inputs of repeated symbols: {LIMITS.most_repeated:,} were drawn")
    if main.out_of_memory:
        lines.append("  a world did not fit in memory")
    return lines + (_error_lines(error) if error else [])


def _length_lines(tried: Sequence[Evaluation]) -> list[str]:
    """All lengths that were tried, in columns."""
    head = f"{'digits':>9}  {'result':<7}  {'cases':>11}  {'steps':>17}  {'seconds':>8}  {'margin':>8}"
    lines = [f"  {head}"]
    for each in tried:
        cases, margin = f"{each.cases}/{each.count}", f"{each.margin.value:.6f}" if each.margin else "-"
        row = f"{each.digits:>9,}  {PASSED[each.passed]:<7}  {cases:>11}  {each.steps:>17,}"
        lines.append(f"  {row}  {each.seconds:>8.2f}  {margin:>8}")
    return lines


def _answer(one: Evaluation) -> str:
    """The result at one length; tested, never proven."""
    if one.suite == WORLDS:
        worlds = f"random worlds of {one.digits} x {one.digits} cells (there is no input clause)"
        return f"{worlds}: {PASSED[one.worlds]}" if one.worlds is not None else ""
    plg = [f"PLG({one.digits:,}): {PASSED[one.plg]}"] if one.plg is not None else []
    return ", ".join([*plg, f"RLG({one.digits:,}): {PASSED[one.rlg]}"])


def _search_answer(search: LengthSearch) -> str:
    why = {
        ENDED_FOUND: "",
        ENDED_LONGEST: "; longer inputs are not made",
        ENDED_MEMORY: "; a longer one did not fit in memory",
    }.get(search.ended, "; then the time was up")
    shortest = min((each.digits for each in search.tried if each.passed is False), default=None)
    failed = f", the shortest that failed {shortest:,}" if shortest else ""
    return f"largest length passed: {search.largest:,}{failed}{why}"


def _error_lines(error: FirstError) -> list[str]:
    """The first error, with the world around it."""
    wrong = error.mistake
    return [
        f"first error: case {error.number}, {case_text(error.case)}",
        f"  step {wrong.step:,} at {wrong.cell}, in state {wrong.state}, reading {wrong.read}",
        f"  expected  {_done(wrong.expected) or 'nothing: the expert is stuck'}",
        f"  got       {_done(wrong.got) or f'nothing: {in_words(wrong.reason)}'}",
        *(f"    {row}" for row in wrong.around.split("\n")),
    ]


def _done(action: Action | None) -> str:
    return f"write {action.write}, move {action.move}" if action else ""
