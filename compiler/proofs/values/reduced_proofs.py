"""Proofs that an agent leaves what is left of a word in which letters cancel each other."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from dataclasses import replace
from itertools import chain, combinations, product
from typing import Any

from compiler.automata.explore import TooLarge
from compiler.proofs.abstractions.columns import FRESH, LEFT_SIDE, RIGHT_SIDE
from compiler.proofs.abstractions.strip_labels import StripDetail
from compiler.proofs.abstractions.strips import StripAnalysis, strip_analysis
from compiler.proofs.certificates import certified_table
from compiler.proofs.joint_step import UNASKED
from compiler.proofs.limits import LIMITS
from compiler.proofs.results.condition_machines import ConditionMachine
from compiler.proofs.results.readings import Unsaid
from compiler.proofs.values.part_columns import Distances, part_columns
from compiler.proofs.values.reduced_goals import ReducedGoal, reduced_goal
from compiler.proofs.values.reduced_search import ReducedSearch, Spot
from compiler.proofs.values.reduced_words import Name, Word
from compiler.verifier.tables import Wrong, rules_of
from compiler.verifier.values.values import check_values
from gridlang.clauses.outputs import OutputRule
from gridlang.table import Table

KIND = "reduced"


def reduced_evidence(
    table: Table,
    rule: OutputRule,
    row: int,
    progress: Callable[[int], None] = lambda _: None,
    machine: ConditionMachine | None = None,
) -> dict[str, Any]:
    """Evidence for a certificate, which its checker has accepted; Unsaid if none is found, and why."""
    goal = reduced_goal(rule)
    left = rules_of(certified_table(table, machine is not None), "left", None)
    inputs = rule.language, table.symbols, Distances(0, 0)
    columns = part_columns(*inputs, machine.restricted) if machine else part_columns(*inputs)
    reason = "it would take too many abstract states"
    for told, detail in product(_told_apart(table, goal), _details(table)):
        try:
            strip = strip_analysis(told, told.rows, columns.places, detail, UNASKED, progress=progress)
        except TooLarge:
            continue
        if strip is None or strip.descents:
            raise Unsaid("it does not stay within a few rows")
        if not strip.rows[0] <= row <= strip.rows[1]:
            raise Unsaid("its results stand in no row that it visits")
        for images in _images(table, goal):
            for turned in _turned(strip, images):
                try:
                    words = ReducedSearch(told, goal, strip, columns, images, turned).found()
                    evidence = _evidence(strip, row, images, words)
                    check_values(left, json.loads(json.dumps(evidence)), KIND)
                except Unsaid as unsaid:
                    reason = str(unsaid)
                except Wrong as wrong:
                    reason = f"what was found was refused: {wrong.problem.message}"
                else:
                    return {"kind": KIND, **evidence}
    raise Unsaid(reason)


def _details(table: Table) -> list[StripDetail]:
    families, states = table.family_numbers(), tuple(range(len(table.states)))
    return [StripDetail(1, marks, marks, 0, True) for marks in dict.fromkeys((families, states))]


def _told_apart(table: Table, goal: ReducedGoal) -> Iterator[Table]:
    """By classes of the alphabet, but what the clause chooses between apart; then all symbols apart."""
    chosen = set("".join(goal.verdict or ()))
    yield replace(table, classes=tuple((name, x) for name, x in table.classes if not chosen & set(x)))
    yield replace(table, classes=())


def _images(table: Table, goal: ReducedGoal) -> Iterator[list[str]]:
    """Symbols that the clause's word does not have are itself a letter, nothing, or twins of such symbols."""
    letters = set(goal.images.values())
    own = {x: x for x in table.symbols[1:] if x in letters} | goal.images
    yield [own.get(x, "") for x in table.symbols]
    twins = dict[str, str]()
    for _, group in table.classes:
        like = [chars for _, chars in table.classes if len(chars) == len(group) and set(chars) <= set(own)]
        if like and not set(group) & set(own):
            twins |= {x: own[twin] for x, twin in zip(group, like[0], strict=True)}
    if twins:
        yield [{**twins, **own}.get(x, "") for x in table.symbols]


def _turned(strip: StripAnalysis, images: list[str]) -> Iterator[set[Name]]:
    """Which words beside the head are read from their ends: none, then one, then more."""
    labels, rows = strip.labels, range(strip.rows[0], strip.rows[1] + 1)
    acted = [cells for cells, _, mark in labels.labels if mark != FRESH]
    classes = {
        (y, labels.classes[cell] if cell >= 0 else -1 - cell)
        for cells in acted
        for y, cell in zip(rows, cells, strict=True)
    }
    names = [
        ("N", side, y, c)
        for y, c in sorted(classes)
        for side in (LEFT_SIDE, RIGHT_SIDE)
        if any(images[s] for s in labels.members[c])
    ]
    some = (combinations(names, n) for n in range(len(names) + 1))
    for count, names_turned in enumerate(chain.from_iterable(some)):
        if count == LIMITS.most_words_turned:
            return
        yield set(names_turned)


def _evidence(
    strip: StripAnalysis, row: int, images: list[str], words: dict[Spot, Word | bool]
) -> dict[str, Any]:
    detail = strip.detail
    return {
        "rows": strip.rows,
        "row": row,
        "near": 0,
        "far": 0,
        "dim": detail.dimmed,
        "classes": strip.labels.classes,
        "marks": detail.marks,
        "kinds": detail.kinds,
        "images": images,
        "invariants": [[*spot, says] for spot, says in sorted(words.items(), key=lambda item: item[0])],
    }
