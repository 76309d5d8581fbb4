"""What must be true of a file, besides that no command breaks on it; each check tells a defect in words, or nothing."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

from gridlang.compiler.tensors.dfst import dfst_from_bytes, dfst_to_bytes, dfst_to_table, table_to_dfst
from gridlang.compiler.verifier.verify import verify
from gridlang.diagnostics import GridError
from gridlang.files import read_source
from gridlang.loading import load_source, try_load
from gridlang.program import Program
from gridlang.source import Source
from gridlang.syntax.formatter import format_source
from gridlang.table import Table
from gridlang.table_json import table_from_json, table_to_json
from tests.fuzz.truth import lie_in

LARGEST = 60  # States of a table whose tensors are still compared: beyond it they take megabytes a case.


def program_check(path: str) -> str:
    """What passes `check` keeps its meaning in every form that it is written in."""
    program = try_load(path).program
    if program is None:
        return ""
    return _formatted(path, program.table) or _written(program)


def _formatted(path: str, table: Table) -> str:
    if path.endswith(".json"):
        return ""
    try:
        once = format_source(read_source(path))
        if format_source(Source(path, once)) != once:
            return f"fmt is not done after once:\n{once}"
        return "" if load_source(Source(path, once)).table == table else f"fmt changes the table:\n{once}"
    except GridError as error:
        return f"what fmt makes of it is refused: {error}"


def _written(program: Program) -> str:
    table = program.table
    try:
        if table_from_json(table_to_json(table)) != table:
            return "its JSON is another table"
        if load_source(Source("<flat>", flat := program.to_source())).table != table:
            return f"its flattened source is another table:\n{flat}"
        if len(table.states) > LARGEST:
            return ""
        tensors = dfst_from_bytes(dfst_to_bytes(table_to_dfst(table)))
        same = dfst_to_table(tensors).rows == table.rows
    except GridError as error:
        return f"what it is written as is refused: {error}"
    return "" if same else "its tensors are those of another table"


def claim_check(path: str) -> str:
    """A certificate that is called valid tells the truth, as far as brute force can tell."""
    if not Path(path).exists():
        return ""
    text = Path(path).read_text(encoding="utf-8", errors="replace")
    if not verify(text).valid:
        return ""
    lie = lie_in(json.loads(text))
    return lie and f"a false certificate is called valid: {lie}"


CHECKS: dict[str, Callable[..., str]] = {
    "program": program_check,
    "claim": claim_check,
}
