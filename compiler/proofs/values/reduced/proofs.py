"""Proofs that an agent leaves what is left of a word in which letters cancel each other."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from gridlang.clauses.clause_tree import nodes_in, operator_of
from gridlang.compiler.automata.explore import TooLarge
from gridlang.compiler.proofs.abstractions.strips import StripAnalysis
from gridlang.compiler.proofs.limits import LIMITS
from gridlang.compiler.proofs.results.readings import Unsaid
from gridlang.compiler.proofs.values.output_task import NO_DISTANCES, Evidence, OutputTask, strip_evidence
from gridlang.compiler.proofs.values.part_columns import PartColumns
from gridlang.compiler.proofs.values.reduced.search import ReducedSearch
from gridlang.compiler.proofs.values.reduced.words import Name
from gridlang.compiler.verifier.clauses.inputs import InputClause
from gridlang.compiler.verifier.tables import Wrong
from gridlang.compiler.verifier.values.reduced.clauses import ReducedClause, reduced_clause
from gridlang.table import Table


def is_of_reduced_words(task: OutputTask) -> bool:
    """Whether a clause cancels or replaces anything, or asks whether a word is its own mirror image."""
    if any(operator_of(node) in ("cancel", "replace") for node in nodes_in(task.rule.node)):
        return True
    try:
        return _clause(task).mirror
    except Unsaid:
        return False


def _clause(task: OutputTask) -> ReducedClause:
    """What a clause asks for; Unsaid, and why, if it is of no known form."""
    left = task.left
    try:
        return reduced_clause(left, InputClause(left).symbols_by_part)
    except Wrong as wrong:
        raise Unsaid(str(wrong).replace("its output clause", "the clause")) from None


def reduced_evidence(task: OutputTask) -> Evidence:
    """Evidence for a certificate, which its checker has accepted; Unsaid if none is found, and why."""
    table, goal = task.table, _clause(task)
    kind = "reduced acceptance" if goal.accepts else "reduced"
    farthest, reason = 0, "too much would have to be told apart"
    chosen = "" if goal.verdict is None or goal.accepts else "".join(map(str, goal.verdict))
    dim, exact = (_told_apart(table, goal, texts) for texts in (chosen, ""))
    details = [(dim, detail) for detail in task.details()]
    # A text that is chosen has letters, whose order would be lost in classes of their own.
    if set(chosen) & set(goal.images):
        details += [(exact, detail._replace(dimmed=False)) for _, detail in details]
    for told, detail in details:
        try:
            strip, columns = task.strip(told, NO_DISTANCES, detail)
        except TooLarge:
            continue
        if not strip.rows[0] <= task.row <= strip.rows[1]:
            raise Unsaid("the results stand in a row that the agent never visits")
        for search in _searches(table, goal, strip, columns):
            try:
                return task.accepted(kind, _evidence(search, task.row), "{}")
            except Unsaid as refused:
                if len(search.words) > farthest:
                    farthest, reason = len(search.words), str(refused)
    raise Unsaid(reason)


def _searches(
    table: Table, goal: ReducedClause, strip: StripAnalysis, columns: PartColumns
) -> Iterator[ReducedSearch]:
    """What to try on a strip; each search has come to its end before the next is made."""
    for images in _images(table, goal):
        turned: dict[Name, int] | None = {}
        for _ in range(LIMITS.most_words_turned):
            if turned is not None:
                search = ReducedSearch(turned, table, goal, strip, columns, images)
                yield search
                turned = _turned_otherwise(search.turned)


def _told_apart(table: Table, goal: ReducedClause, alone: str) -> Table:
    """With classes of symbols that cancel with the same others, or are replaced; some symbols in none."""
    groups: dict[object, list[str]] = {}
    for name, chars in table.classes:
        for x in (x for x in chars if x not in alone):
            image = goal.images.get(x, x)
            role = [at for pair in sorted(goal.pairs) for at, letter in enumerate(pair) if letter == image]
            groups.setdefault((name, image == x, tuple(dict.fromkeys(role))), []).append(x)
    classes = tuple((f"group_{n}", "".join(group)) for n, group in enumerate(groups.values()))
    return replace(table, classes=classes)


def _images(table: Table, goal: ReducedClause) -> Iterator[list[str]]:
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


def _evidence(search: ReducedSearch, row: int) -> Evidence:
    words = search.found()
    invariants = [[*spot, words[spot]] for spot in sorted(words)]
    return {**strip_evidence(search.strip, row), "images": search.images, "invariants": invariants}
