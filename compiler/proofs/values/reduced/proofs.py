"""Proofs that an agent leaves what is left of a word in which letters cancel each other."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

from compiler.automata.explore import TooLarge
from compiler.proofs.abstractions.strip_labels import StripDetail
from compiler.proofs.abstractions.strips import StripAnalysis, strip_analysis
from compiler.proofs.certificates import certified_table
from compiler.proofs.joint_step import UNASKED
from compiler.proofs.limits import LIMITS
from compiler.proofs.results.condition_machines import ConditionMachine
from compiler.proofs.results.readings import Unsaid
from compiler.proofs.values.part_columns import Distances, PartColumns, part_columns
from compiler.proofs.values.reduced.goals import ReducedGoal, reduced_goal
from compiler.proofs.values.reduced.search import ReducedSearch
from compiler.proofs.values.reduced.words import Name
from compiler.verifier.tables import Wrong, rules_of
from compiler.verifier.values.values import check_values
from gridlang.clauses.outputs import OutputRule
from gridlang.table import Table


def reduced_evidence(
    table: Table,
    rule: OutputRule,
    row: int,
    progress: Callable[[int], None] = lambda _: None,
    machine: ConditionMachine | None = None,
) -> dict[str, Any]:
    """Evidence for a certificate, which its checker has accepted; Unsaid if none is found, and why."""
    goal = reduced_goal(rule)
    kind = "reduced acceptance" if goal.accepts else "reduced"
    left = rules_of(certified_table(table, machine is not None), "left", None)
    inputs = rule.language, table.symbols, Distances(0, 0)
    columns = part_columns(*inputs, machine.restricted) if machine else part_columns(*inputs)
    farthest, reason = 0, "it would take too many abstract states"
    told = _told_apart(table, goal)
    for detail in _details(table):
        try:
            strip = strip_analysis(told, told.rows, columns.places, detail, UNASKED, progress=progress)
        except TooLarge:
            continue
        if strip is None or strip.descents:
            raise Unsaid("it does not stay within a few rows")
        if not strip.rows[0] <= row <= strip.rows[1]:
            raise Unsaid("its results stand in no row that it visits")
        for search in _searches(table, goal, strip, columns):
            try:
                evidence = _evidence(search, row)
                check_values(left, json.loads(json.dumps(evidence)), kind)
            except (Unsaid, Wrong) as refused:
                if len(search.words) > farthest:
                    farthest, reason = len(search.words), str(refused).replace("LEFT", "it")
            else:
                return {"kind": kind, **evidence}
    raise Unsaid(reason)


def _searches(
    table: Table, goal: ReducedGoal, strip: StripAnalysis, columns: PartColumns
) -> Iterator[ReducedSearch]:
    """What to try on a strip; each search has come to its end before the next is made."""
    for images in _images(table, goal):
        turned: dict[Name, int] | None = {}
        for _ in range(LIMITS.most_words_turned):
            if turned is not None:
                search = ReducedSearch(turned, table, goal, strip, columns, images)
                yield search
                turned = _turned_otherwise(search.turned)


def _details(table: Table) -> list[StripDetail]:
    families, states = table.family_numbers(), tuple(range(len(table.states)))
    return [StripDetail(1, marks, marks, 0, True) for marks in dict.fromkeys((families, states))]


def _told_apart(table: Table, goal: ReducedGoal) -> Table:
    """With classes of symbols that cancel with the same others, or are replaced; not of what is chosen."""
    groups: dict[object, list[str]] = {}
    for name, chars in table.classes:
        for x in (x for x in chars if x not in (goal.verdict or ())):
            image = goal.images.get(x, x)
            role = [at for pair in sorted(goal.pairs) for at, letter in enumerate(pair) if letter == image]
            groups.setdefault((name, image == x, tuple(dict.fromkeys(role))), []).append(x)
    classes = tuple((f"group_{n}", "".join(group)) for n, group in enumerate(groups.values()))
    return replace(table, classes=classes)


def _images(table: Table, goal: ReducedGoal) -> Iterator[list[str]]:
    """Symbols that the clause's word does not have are itself a letter, nothing, or twins of such symbols."""
    letters = set(goal.images.values())
    own = {x: x for x in table.symbols[1:] if x in letters} | goal.images
    yield [own.get(x, "") for x in table.symbols]
    twins = dict[str, str]()
    for _, group in table.classes:
        like = [chars for _, chars in table.classes if len(chars) == len(group) and set(chars) <= set(own)]
        if like and len(group) > 1 and not set(group) & set(own):
            twins |= {x: own[twin] for x, twin in zip(group, like[0], strict=True)}
    if twins:
        yield [{**twins, **own}.get(x, "") for x in table.symbols]


def _turned_otherwise(turned: dict[Name, int]) -> dict[Name, int] | None:
    """The next choice of words that are read from their ends: another one for the last that had two left."""
    names = list(turned)
    while names and turned[names[-1]]:
        names.pop()
    return {name: turned[name] for name in names[:-1]} | {names[-1]: 1} if names else None


def _evidence(search: ReducedSearch, row: int) -> dict[str, Any]:
    words, strip = search.found(), search.strip
    return {
        "rows": strip.rows,
        "row": row,
        "near": 0,
        "far": 0,
        "dim": strip.detail.dimmed,
        "classes": strip.labels.classes,
        "marks": strip.detail.marks,
        "kinds": strip.detail.kinds,
        "images": search.images,
        "invariants": [[*spot, words[spot]] for spot in sorted(words)],
    }
