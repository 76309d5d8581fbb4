"""Stored evidence of values and words: read, changed, and held against runs of changed tables."""

from __future__ import annotations

import copy
import json
from collections.abc import Iterator
from functools import cache
from typing import Any

from gridlang.clauses.outputs import output_rule
from gridlang.compiler.proofs.values.output_evidence import output_evidence
from gridlang.compiler.proofs.values.output_task import OutputTask
from gridlang.compiler.verifier.tables import MOVES, Rules, Wrong, rules_of
from gridlang.compiler.verifier.values.values import check_values
from gridlang.table import Table
from tests.programs import ROOT

Part = dict[str, Any]


def evidence_of(table: Table) -> Part:
    """Why an agent leaves what its clause says, as invariants tell; Unsaid where none is found."""
    rule = output_rule(table)
    assert rule is not None
    return output_evidence(OutputTask(table, rule))


@cache
def _text(name: str, kind: str) -> str:
    return (ROOT / "tests" / "golden" / kind / f"{name}.json").read_text()


def stored(name: str, kind: str = "values") -> tuple[Part, Part]:
    """A table, and why it leaves what its clause says; both may be changed."""
    data = json.loads(_text(name, kind))
    return data["table"], data["output"]


def is_valid(table: Part, part: Any, kind: str = "values") -> bool:
    try:
        return check_values(rules_of(table, "left", None), part, kind) > 0
    except Wrong:
        return False


def places(part: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """The paths of all that is inside."""
    inner = part.items() if isinstance(part, dict) else enumerate(part) if isinstance(part, list) else ()
    for key, value in inner:
        yield (*path, key)
        yield from places(value, (*path, key))


def put(part: Any, path: tuple[Any, ...], value: Any) -> Any:
    """A copy with another value at a path."""
    changed = copy.deepcopy(part)
    inner = changed
    for key in path[:-1]:
        inner = inner[key]
    inner[path[-1]] = value
    return changed


def left_by(rules: Rules, text: str) -> str | None:
    """The result of a run, rows joined; None if it does not halt soon."""
    cells = {(x, 0): rules.symbols.index(symbol) for x, symbol in enumerate(text)}
    x = y = state = 0
    for _ in range(500):
        symbol = cells.get((x, y), 0)
        if (state, symbol) not in rules.does:
            return None
        write, move, later = rules.does[state, symbol]
        if (write, move) == (symbol, "S"):
            places = sorted((place[1], place[0]) for place, held in cells.items() if held)
            if not places:
                return ""
            columns = [column for _, column in places]
            row = range(min(columns), max(columns) + 1)
            rows = range(places[0][0], places[-1][0] + 1)
            return "/".join("".join(rules.symbols[cells.get((u, v), 0)] for u in row) for v in rows)
        cells[x, y], state = write, later
        x, y = x + MOVES[move][0], y + MOVES[move][1]
    return None


def mutants(table: Part, every: int = 1) -> Iterator[Part]:
    """Tables with one rule that does something else, or one in `every` of them."""
    changes = list(_changes(table))
    return (put(table, ("rules", index), rule) for index, rule in changes[::every])


def _changes(table: Part) -> Iterator[tuple[int, list[str]]]:
    for index, (state, read, write, move, later) in enumerate(table["rules"]):
        others = [(other, move, later) for other in table["symbols"]]
        others += [(write, other, later) for other in MOVES]
        others += [(write, move, other) for other in table["states"]]
        for rule in dict.fromkeys(others):
            idle = rule[:2] == (read, "S") and rule[2] != state
            if rule != (write, move, later) and not idle:
                yield index, [state, read, *rule]
