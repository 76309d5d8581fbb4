"""The part of `verify` that checks differences: a run on which both sides do not do the same.

(V6) Difference. Both tables are run on the reads of the certificate, and on its world where it has one.
     They do the same up to the last step, LEFT has not halted before it, and at the last step it does
     something that RIGHT does not, or is stuck where the claim does not allow it. For "inputs" the world is
     the row of a declared input, and the head starts on its first cell.
"""

from __future__ import annotations

from typing import Any

from gridlang.compiler.verifier.clauses.inputs import InputClause
from gridlang.compiler.verifier.limits import LIMITS
from gridlang.compiler.verifier.tables import MOVES, Rules, are_lists, are_numbers, check


def check_difference(left: Rules, right: Rules, scope: str, evidence: dict[str, Any], stuck: str) -> None:
    """(V6): both traces, step by step, and the world that they happen on."""
    traces = [evidence["reads"], evidence["left"], evidence["right"]]
    check(are_lists(traces), "evidence", "its traces are no lists")
    steps = list(zip(*traces, strict=True))
    check(steps, "evidence", "there is no step")
    world = _world(evidence["cells"], evidence["start"])
    check(world is not None or scope in ("table", "observed"), "evidence", "the world is missing")
    unknown = set((world or {}).values()) - set(left.symbols)
    check(not unknown, "evidence", "the world holds symbols that the tables do not know")
    if scope == "inputs":
        text = evidence["input"]
        check(isinstance(text, str), "evidence", "the input is missing")
        row = {(x, 0): symbol for x, symbol in enumerate(text) if symbol != "_"}
        check(world == row and evidence["start"] == [0, 0], "evidence", "the world is not that of the input")
        check(InputClause(left).declares(text), "evidence", "the input is not a declared one")
    else:
        check(evidence["input"] is None, "evidence", "only a declared input is one")
    p = q = 0
    head = tuple(evidence["start"] or (0, 0))
    number = {symbol: index for index, symbol in enumerate(left.symbols)}
    for index, (read, mine, theirs) in enumerate(steps):
        where = f"evidence, step {index + 1}"
        check(world is None or world.get(head, "_") == read, where, f"`{read}` is not what stands there")
        entry, other = left.does.get((p, number[read])), right.does.get((q, number[read]))
        seen = [[left.symbols[e[0]], e[1]] if e else None for e in (entry, other)]
        check(seen == [mine, theirs], where, "the tables do something else")
        last = index == len(steps) - 1
        if entry is None:
            asked = stuck == "never" or (stuck == "same" and other is not None)
            check(last and asked, where, "LEFT is stuck here, and the claim allows it")
            return
        check(last or mine == theirs, where, "they differ here, so it must be the last step")
        check(not last or mine != theirs, where, "they do not differ")
        if last:
            check(scope != "observed" or other is not None, where, "RIGHT was not observed here")
            return
        assert other is not None
        check((mine[0], mine[1]) != (read, "S"), where, "LEFT has halted, so nothing is asked of RIGHT")
        if world is not None:
            world[head] = mine[0]
        dx, dy = MOVES[mine[1]]
        head, p, q = (head[0] + dx, head[1] + dy), entry[2], other[2]


def _world(cells: Any, start: Any) -> dict[tuple[int, int], str] | None:
    """The world of a difference, each of its cells once; None where there is none, and then no start."""
    if cells is None:
        check(start is None, "evidence", "there is a start, but no world")
        return None
    check(are_lists(cells), "evidence", "the world is no list of cells")
    world = {(x, y): symbol for x, y, symbol in cells}
    places = [number for x, y, _ in cells for number in (x, y)]
    ok = are_numbers(places, -LIMITS.farthest, LIMITS.farthest) and are_numbers(
        start, -LIMITS.farthest, LIMITS.farthest
    )
    check(ok and len(start) == 2, "evidence", "a cell of the world is nowhere")
    check(len(world) == len(cells), "evidence", "a cell of the world stands twice")
    return world
