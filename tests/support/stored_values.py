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
from gridlang.compiler.verifier.tables import Wrong, rules_of
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
