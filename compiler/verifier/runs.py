"""The part of `verify` that checks runs: of finitely many declared inputs each, to its end.

(V19) Theorem, runs. Let LEFT declare finitely many inputs: the texts of its input clause that meet its
      condition. Let it be run on each, until it halts or is stuck, and let RIGHT do what LEFT does until
      then. Then RIGHT does what LEFT does on every declared input, and every run of LEFT on one ends. If
      each ends as the output clause says (`evaluation`), every run does.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from typing import Any

from gridlang.compiler.verifier.clauses.evaluation import Cells, Evaluation
from gridlang.compiler.verifier.clauses.inputs import InputClause
from gridlang.compiler.verifier.limits import LIMITS
from gridlang.compiler.verifier.tables import MOVES, Rules, are_numbers, check, joint_step

RUNS_PARTS = ("inputs", "steps")


def check_runs(left: Rules, right: Rules, runs: dict[str, Any], stuck: str) -> tuple[int, int]:
    """(V19): counts all steps, and the inputs on which LEFT is stuck."""
    ends = list(_runs(left, right, runs, stuck))
    return runs["steps"], sum(not halted for _, halted, _ in ends)


def check_ends(left: Rules, runs: dict[str, Any], ends: Collection[str]) -> None:
    """(V19): that no run comes to these ends."""
    clause = Evaluation(left, InputClause(left)) if "wrong" in ends else None
    for text, halted, cells in _runs(left, left, runs, "never" if "stuck" in ends else "unasked"):
        right = clause is None or clause.is_met(text, halted, cells)
        check(right, "evidence", f"on the input `{text}` LEFT does not end as its output clause says")


def _runs(left: Rules, right: Rules, runs: dict[str, Any], stuck: str) -> Iterator[tuple[str, bool, Cells]]:
    """The end of each run: its input, whether it halted, and what it left."""
    whole = set(runs) == {"kind", *RUNS_PARTS} and are_numbers([runs[part] for part in RUNS_PARTS], 0)
    check(whole, "evidence", "it does not count inputs and steps")
    inputs = steps = 0
    number = {symbol: index for index, symbol in enumerate(left.symbols)}
    for text in _declared(left):
        inputs += 1
        cells: Cells = {(x, 0): symbol for x, symbol in enumerate(text)}
        x = y = p = q = 0
        while True:
            symbol = number[cells.get((x, y), "_")]
            step = joint_step(left, right, p, q, symbol, stuck, f"evidence, the input `{text}`")
            if step is None:
                break
            steps += 1
            check(steps <= LIMITS.run_steps, "evidence", f"runs take more than {LIMITS.run_steps:,} steps")
            write, move, p, q = step
            cells[x, y] = left.symbols[write]
            x, y = x + MOVES[move][0], y + MOVES[move][1]
        halted = (p, symbol) in left.does
        steps += halted
        yield text, halted, cells
    check(
        [inputs, steps] == [runs[part] for part in RUNS_PARTS], "evidence", "there are other inputs or steps"
    )


def _declared(left: Rules) -> Iterator[str]:
    """All declared inputs; Wrong where there are too many."""
    clause = InputClause(left)
    condition = None if left.where is None else Evaluation(left, clause)
    found, level = 0, [("", clause.start())]
    for _ in range(len(clause.reads) + 1):  # No cell is used twice if there are finitely many.
        ended = [text for text, here in level if clause.may_end(here)]
        yield from (text for text in ended if condition is None or condition.is_input(text))
        level = [
            (text + symbol, there)
            for text, here in level
            for symbol in left.symbols
            if (there := clause.step(here, symbol))
        ]
        found += len(ended)
        check(found + len(level) <= LIMITS.inputs_run, "left", "it declares too many inputs to run them all")
    check(not level, "left", "it declares inputs without end")
