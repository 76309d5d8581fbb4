"""Whether a certificate tells the truth: both tables are run on many worlds, inputs or reads, by the definition alone."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from itertools import islice, product
from random import Random
from typing import Any

from gridlang.clauses.input_clauses import language_of
from gridlang.diagnostics import GridError
from gridlang.table import Entry, Table
from gridlang.table_json import FORMAT, table_from_json
from gridlang.world import World, string_world
from tests.support.pairs import first_difference, small_worlds

STEPS = 60  # Of each run: what tells two small tables apart shows early.
WORLDS = 150  # Random worlds, besides all of the smallest.
WORDS = 60  # Inputs of each length.


def lie_in(certificate: dict[str, Any]) -> str:
    """What is false in a certificate that was called valid; the empty string where nothing is known to be.

    Tables and clauses that the language does not read cannot be run, and so nothing is known of them.
    """
    claim = certificate["claim"]
    try:
        left, right = (_table(certificate[side]["table"], claim["scope"]) for side in ("left", "right"))
        language_of(left)
    except GridError:
        return ""
    stuck = claim.get("stuck", "unasked")
    if not claim["equivalent"]:
        return _no_difference(left, right, claim["scope"], certificate["evidence"], stuck)
    if claim["scope"] in ("table", "observed"):
        walks = _walks(left, right, stuck, observed=claim["scope"] == "observed")
        return next(filter(None, walks), "")
    for world in _worlds(left) if claim["scope"] == "worlds" else _inputs(left):
        step = first_difference(left, right, world, STEPS, stuck)
        if step is not None:
            return f"they differ at step {step} on {world}"
    return ""


def _table(data: dict[str, Any], scope: str) -> Table:
    """A table of a certificate; what it declares of its inputs counts only where the claim is about them."""
    declared = ", ".join(map(_spoken, data["input"])) if scope == "inputs" else None
    said = {"format": FORMAT, "classes": [], "input": declared, "output": None}
    return table_from_json(json.dumps({**data, **said}))


def _spoken(piece: Any) -> str:
    """A piece of an input clause in the words of the language."""
    if isinstance(piece, str):
        symbols = (re.sub(r"(['\\\\])", r"\\\1", symbol) for symbol in piece)
        return "(" + " | ".join(f"'{symbol}'" for symbol in symbols) + ")"
    kind, *inner = piece
    between = f" {kind} " if kind in (",", "|") else ""
    return "(" + between.join(map(_spoken, inner)) + ")" + (kind if not between else "")


def _renumbered(entry: Entry | None, numbers: Sequence[int]) -> Entry | None:
    return entry and entry._replace(write=numbers[entry.write])


def _judged(mine: Entry | None, theirs: Entry | None, read: int, stuck: str) -> bool | None:
    """Whether the claim fails at a step; None where it goes on."""
    if mine is None:
        return stuck == "never" or (stuck == "same" and theirs is not None)
    if theirs is None or (theirs.write, theirs.move) != (mine.write, mine.move):
        return True
    return False if mine.is_idle(read) else None


def _worlds(table: Table) -> Iterator[World]:
    yield from islice(small_worlds(table), 600)
    random = Random(1)
    for _ in range(WORLDS):
        box = product(range(-3, 4), range(-2, 3))
        yield World({cell: random.choice(table.symbols) for cell in box}, (0, 0))
    for text in ("".join(random.choices(table.symbols, k=random.randint(1, 12))) for _ in range(WORLDS)):
        yield string_world(text)


def _inputs(table: Table) -> Iterator[World]:
    language = language_of(table)
    assert language is not None
    for length in range(9):
        yield from map(string_world, islice(language.strings(length), WORDS))


def _walks(left: Table, right: Table, stuck: str, observed: bool) -> Iterator[str]:
    """Reads as they come, whatever was written; in `observed` ones RIGHT has an entry for each."""
    random, numbers = Random(2), [left.symbols.index(symbol) for symbol in right.symbols]
    for _ in range(WORLDS):
        p = q = 0
        for step in range(1, STEPS + 1):
            read = random.randrange(len(left.symbols))
            mine, theirs = left.rows[p][read], right.rows[q][numbers.index(read)]
            if observed and theirs is None:
                break
            verdict = _judged(mine, _renumbered(theirs, numbers), read, stuck)
            if verdict is not None:
                yield f"they differ at step {step} of some reads" if verdict else ""
                break
            assert mine and theirs
            p, q = mine.next, theirs.next


def _no_difference(left: Table, right: Table, scope: str, evidence: dict[str, Any], stuck: str) -> str:
    """Whether a run that should show a difference shows none."""
    if scope in ("table", "observed"):
        return ""
    world = World({(x, y): symbol for x, y, symbol in evidence["cells"]}, tuple(evidence["start"]))
    if scope == "inputs":
        language = language_of(left)
        if language is None or language.mismatch(evidence["input"]):
            return f"{evidence['input']!r} is no declared input"
        world = string_world(evidence["input"])
    differs = first_difference(left, right, world, STEPS, stuck) is not None
    return "" if differs or len(evidence["reads"]) > STEPS else f"they do not differ on {world}"
