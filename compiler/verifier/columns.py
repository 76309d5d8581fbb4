"""The part of `verify` that checks columns: every declared input is a path through them.

(V7) Columns. Let a graph of columns have, for each column and symbol, the columns that may be next. Every
     input, with blanks after it for ever, must be a path from one of the starts: all inputs are read at
     once, by the set of columns where one may be, together with the states of the clause. If no such set is
     empty, every beginning of every row has a path, and so has the whole row, since there are finitely many
     columns (König).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from gridlang.compiler.verifier.clauses.conditions import declared
from gridlang.compiler.verifier.clauses.inputs import members_of, set_of, union
from gridlang.compiler.verifier.limits import LIMITS
from gridlang.compiler.verifier.tables import Rules, Wrong, are_lists, are_numbers, check

ColumnSteps = Sequence[Sequence[Sequence[int]]]  # for each column and symbol, what the next column may be


def read_columns(left: Rules, scope: str, columns: Any) -> tuple[list[int], list[list[list[int]]]]:
    """The starts, and for each column and symbol what the next column may be."""
    where = "evidence, columns"
    check(scope == "inputs", where, "all worlds have none")
    check(set(columns) == {"starts", "steps"}, where, "something is missing or unknown")
    starts, steps = columns["starts"], columns["steps"]
    listed = are_lists([starts, steps]) and are_lists(steps) and all(map(are_lists, steps))
    check(listed, where, "there must be lists of them")
    everything = [*starts, *(to for row in steps for afters in row for to in afters)]
    check(all(len(row) == len(left.symbols) for row in steps), where, "there must be a list for each symbol")
    check(are_numbers(everything, 0, len(steps)), where, "one of them does not exist")
    return starts, steps


def covers_inputs(left: Rules, starts: Sequence[int], steps: ColumnSteps) -> bool:
    """Whether the row of every input, blanks after it, is a path of columns from one of the starts: (V7)."""
    clause = declared(left)
    nexts = [[set_of(columns) for columns in by_symbol] for by_symbol in steps]
    work = [(set_of(starts), clause.start(), False)]
    seen = set(work)
    for columns, here, ended in work:
        for number, symbol in enumerate(left.symbols):
            there = clause.step(here, symbol)
            over = symbol == "_" and (ended or clause.may_end(here))
            if not over and not there:
                continue
            later = union(nexts[column][number] for column in members_of(columns))
            if not later:
                return False
            if (later, there, over) not in seen:
                seen.add((later, there, over))
                work.append((later, there, over))
        if len(seen) > LIMITS.column_sets:
            message = f"its input clause needs more than {LIMITS.column_sets:,} sets of columns to be read"
            raise Wrong("left", message)
    return True
