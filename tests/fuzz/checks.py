"""What must be true of a file, besides that no command breaks on it; each check tells a defect in words, or nothing."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from itertools import islice, product
from pathlib import Path
from random import Random

from gridlang.clauses.input_clauses import language_of
from gridlang.compiler.proofs.certificates import certified_table
from gridlang.compiler.simulation.native.engine import run_native
from gridlang.compiler.simulation.simulate import Run, run
from gridlang.compiler.tensors.closed_loop import run_model
from gridlang.compiler.tensors.dfst import dfst_from_bytes, dfst_to_bytes, dfst_to_table, table_to_dfst
from gridlang.compiler.verifier.clauses.inputs import is_input
from gridlang.compiler.verifier.tables import rules_of
from gridlang.compiler.verifier.verify import verify
from gridlang.diagnostics import GridError
from gridlang.files import read_source
from gridlang.loading import load_source, try_load
from gridlang.program import Program
from gridlang.source import Source
from gridlang.syntax.formatter import format_source
from gridlang.table import Table
from gridlang.table_json import table_from_json, table_to_json
from gridlang.world import World, string_world
from tests.fuzz.truth import lie_in

STEPS = 200  # Of each run on which engines are compared.
TEXTS = 400  # Of each length, on which readings of a clause are compared.
LARGEST = 60  # States of a table whose tensors are still compared: beyond it they take megabytes a case.


def program_check(path: str) -> str:
    """What passes `check` keeps its meaning in every form that it is written in, and on every engine."""
    program = try_load(path).program
    if program is None:
        return ""
    return _formatted(path, program.table) or _written(program) or _engines(program.table)


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


def _engines(table: Table) -> str:
    for world in _worlds(table):
        slow = run(table, world, STEPS, trace=True)
        if len(table.states) <= LARGEST:
            weights = run_model(table_to_dfst(table), world, STEPS, trace=True)
            if _seen(weights) != _seen(slow):
                return f"weights and table differ on {world}:\n{weights}\n{slow}"
    return ""


def native_check(path: str) -> str:
    """The native engine does what the definition does."""
    program = try_load(path).program
    for world in _worlds(program.table) if program else ():
        fast, slow = (engine(program.table, world, STEPS, trace=True) for engine in (run_native, run))
        if _seen(fast) != _seen(slow):
            return f"the native engine differs on {world}:\n{fast}\n{slow}"
    return ""


def _seen(done: Run) -> tuple[object, ...]:
    left = {cell: symbol for cell, symbol in done.world.cells.items() if symbol != "_"}
    return done.outcome, done.steps, done.state, done.cell, done.symbol, left, done.trace


def _worlds(table: Table) -> Iterator[World]:
    """The empty world, some declared inputs, and some random boxes: always the same for a table."""
    yield World({})
    language, random = language_of(table), Random(len(table.states))
    if language:
        for length in range(4):
            yield from map(string_world, islice(language.strings(length), 4))
    for _ in range(4):
        cells = {(x, y): random.choice(table.symbols) for x in range(-2, 3) for y in range(-2, 3)}
        yield World(cells, (random.randint(-2, 2), random.randint(-2, 2)))


def clause_check(path: str) -> str:
    """The checker of certificates reads an input clause as the language does."""
    program = try_load(path).program
    language = language_of(program.table) if program else None
    if program is None or language is None:
        return ""
    table = program.table
    rules = rules_of(certified_table(table), "left", None)
    for length in range(5):
        for word in islice(product(table.symbols, repeat=length), TEXTS):
            text = "".join(word)
            if (language.mismatch(text) is None) != is_input(rules, text):
                return f"the checker reads `{table.input}` otherwise: {text!r}"
    return ""


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
    "native": native_check,
    "clause": clause_check,
    "claim": claim_check,
}
