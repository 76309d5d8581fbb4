"""Clauses as certificates hold them, held against what the language says of short inputs of every shape.

From source to tree is the one step that no checker can check: they read the tree. So before anything is
proven of declared inputs, and before a file is said to match a certificate, the tree is read back as checkers
read it, and must say of each input what the clause says.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from functools import lru_cache
from itertools import islice
from typing import Any

from gridlang.clauses.clause_tree import Node
from gridlang.clauses.clause_values import Evaluator, NoValue, Value
from gridlang.clauses.input_clauses import language_of
from gridlang.clauses.inputs import InputLanguage
from gridlang.clauses.outputs import OutputRule, acceptance_of, output_rule
from gridlang.clauses.position_automaton import members
from gridlang.compiler.proofs.certificates import certified_table
from gridlang.compiler.proofs.clause_data import from_data
from gridlang.compiler.proofs.limits import LIMITS
from gridlang.compiler.verifier.clauses.inputs import InputClause
from gridlang.compiler.verifier.tables import Rules, Wrong
from gridlang.diagnostics import GridError, fail
from gridlang.printable import quoted_input
from gridlang.table import Table


def check_clauses(table: Table) -> None:
    """GridError if checkers would read the clauses of a table otherwise than they are meant."""
    wrong = _misread(table.input, table.output, table.classes, table.symbols)
    if wrong is not None:
        message = f"a certificate would say something else of the input {quoted_input(wrong)}"
        hint = "nothing is proven; please report this bug with the file"
        raise fail("G144", message, hint)


@lru_cache(maxsize=16)
def _misread(
    inputs: str, output: str, classes: tuple[tuple[str, str], ...], symbols: tuple[str, ...]
) -> str | None:
    """The first short input of which the trees say something else than the clauses."""
    table = Table("t", symbols, ("s",), ((None,) * len(symbols),), classes, inputs, output)
    language, data = language_of(table), certified_table(table, conditioned=True)
    if language is None:
        return None
    clause = InputClause(Rules(1, symbols, {}, data["input"]))
    stated = output_rule(table, strokes=False)
    short = islice(language.shortest_texts(), LIMITS.texts_of_a_clause)
    for text in (*short, *texts_of_cells(language)):
        if not clause.declares(text) or any(map(clause.declares, _others(language, text))):
            return text
        if stated is not None and not _says_the_same(clause, data, stated, text):
            return text
    return None


def _others(language: InputLanguage, text: str) -> Iterator[str]:
    """Texts near to one that are not of the form of the clause."""
    near = (text[:-1], text[1:], text + text[-1:], text[::-1])
    return (other for other in near if language.mismatch(other) is not None)


def _says_the_same(clause: InputClause, data: Any, stated: OutputRule, text: str) -> bool:
    language, digits = stated.language, data["output"]["digits"]
    parts = language.pieces(text)
    try:
        if clause.parts(text) != parts:
            return False
    except Wrong:
        pass  # Symbols may be of several parts; checkers say nothing of such a clause by its parts.
    if "where" in data:
        met = _value(from_data(data["where"], clause.members, digits), parts, stated)
        if bool(met) != language.allows(text):
            return False
    tree = from_data(data["output"]["value"], clause.members, digits)
    return _value(tree, parts, stated) == _value(stated.node, parts, stated)


def _value(node: Node, parts: list[str], rule: OutputRule) -> Value | None:
    evaluator = Evaluator(parts, rule.symbols)
    try:
        chosen = evaluator.chosen(node)
        acceptance = acceptance_of(chosen)
        return acceptance.value if acceptance else evaluator.value(chosen)
    except (NoValue, GridError):
        return None


def texts_of_cells(language: InputLanguage) -> Iterator[str]:
    """For each cell of a clause a shortest text that uses it, with the first symbols of its cells, and with
    the last ones; whatever the condition says.
    """
    follow, cells = language.whole.follow, language.cells
    before: list[list[int]] = [[] for _ in cells]
    for position, after in enumerate(follow):
        for later in members(after):
            before[later].append(position)
    onward = _nearest(members(language.whole.last), lambda position: before[position])
    backward = _nearest(members(language.whole.first), lambda position: members(follow[position]))
    for position in list(onward)[:: 1 + len(onward) // LIMITS.texts_of_a_clause]:
        path = [*reversed(_path(backward, position)), position, *_path(onward, position)]
        for turn in (0, -1):
            yield "".join(cells[place][turn] for place in path)


def _nearest(starts: Iterable[int], steps: Callable[[int], Iterable[int]]) -> dict[int, int | None]:
    """For each position that is reached the one before it on a shortest way."""
    nearest: dict[int, int | None] = dict.fromkeys(starts)
    work = list(nearest)
    for position in work:
        for later in steps(position):
            if later not in nearest:
                nearest[later] = position
                work.append(later)
    return nearest


def _path(nearest: dict[int, int | None], position: int) -> list[int]:
    """The positions on the way from one, itself left out."""
    path: list[int] = []
    at = nearest.get(position)
    while at is not None:
        path.append(at)
        at = nearest[at]
    return path
