"""What a FILE on the command line can be: source, a table, or a model with exact weights."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from gridlang.diagnostics import Diagnostic, GridError
from gridlang.loading import Program, load


def is_model(file: str) -> bool:
    return file.endswith(".safetensors")


def load_subject(file: str, definitions: Mapping[str, str]) -> Program:
    """The program in a file of any kind; GridError for learned weights, which are no table."""
    if not is_model(file):
        return load(file, definitions)
    from compiler.dfst import dfst_to_table, read_dfst

    for name in definitions:
        raise GridError([Diagnostic("G026", f"a model has no parameter `{name}`", None, file=file)])
    return Program(dfst_to_table(read_dfst(file), file), file)


def minimized(program: Program) -> tuple[Program, dict[str, Any]]:
    """The program with the fewest states that could be found, and how good that is."""
    from compiler.minimize import minimize_table

    smaller = minimize_table(program.table)
    before, after = len(program.table.states), len(smaller.table.states)
    best = f"the best found; at least {smaller.bound} are needed"
    note = (
        f"minimised from {before} to {after} states: {'no table can have fewer' if smaller.exact else best}"
    )
    numbers = {"from": before, "to": after, "bound": smaller.bound, "exact": smaller.exact, "note": note}
    return program._replace(table=smaller.table, rules={}, definition=None), numbers
