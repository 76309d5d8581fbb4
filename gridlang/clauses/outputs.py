"""The `output` clause: the expected result, computed from the parts of the input.

Numbers are compared by value, texts letter by letter.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import NamedTuple, Protocol

from gridlang.clauses.clause_lowering import ClauseLowering, Values, bases_of
from gridlang.clauses.clause_tree import Node, Operation, branches_of, with_strokes_counted
from gridlang.clauses.clause_values import Evaluator, NoValue, from_base, in_base
from gridlang.clauses.functions import ACCEPTANCES, NUMBER, TEXT, TRUTH, Acceptance, check_names_in, counts
from gridlang.clauses.input_clauses import language_of
from gridlang.clauses.inputs import InputLanguage
from gridlang.diagnostics import GridError
from gridlang.outcomes import Outcome
from gridlang.source import Source
from gridlang.syntax import tree as s
from gridlang.syntax.parser import parse_line
from gridlang.table import BLANK, Table


class Ended(Protocol):
    """How a run ended, and what it left."""

    @property
    def outcome(self) -> Outcome: ...
    @property
    def result(self) -> str: ...


class OutputRule(NamedTuple):
    """A checked clause: it says what each input must leave."""

    clause: str
    node: Node
    kind: str
    digits: str  # Numbers are written in these symbols.
    symbols: tuple[str, ...]
    language: InputLanguage

    @property
    def acceptances(self) -> set[Acceptance]:
        return {found for found in map(acceptance_of, branches_of(self.node)) if found}

    def expected(self, text: str) -> str | Acceptance | None:
        """The result that the input must leave on the grid, or how its run must end.

        None where the clause has no value, as in `a div 0`.
        """
        evaluator = Evaluator(self.language.pieces(text), self.symbols)
        try:
            node = evaluator.chosen(self.node)
            acceptance = acceptance_of(node)
            if acceptance:
                return acceptance
            value = evaluator.value(node)
        except NoValue:
            return None
        return in_base(value, self.digits) if isinstance(value, int) else value.strip(BLANK)

    def is_met(self, expected: str | Acceptance, done: Ended) -> bool:
        return has_ended_as(expected, done, self.agrees)

    def agrees(self, expected: str, result: str) -> bool:
        """Whether a result is right; numbers may have leading zeros, but never be empty."""
        if self.kind == TEXT or not result or not set(result) <= set(self.digits):
            return result == expected
        return from_base(result, self.digits) == from_base(expected, self.digits)


def acceptance_of(node: Node) -> Acceptance | None:
    known = isinstance(node, Operation) and node.operator in ACCEPTANCES
    return Acceptance(node.operator) if isinstance(node, Operation) and known else None


def has_ended_as(expected: str | Acceptance, done: Ended, agrees: Callable[[str, str], bool]) -> bool:
    """Whether a run ended as expected, and left what agrees with it."""
    if isinstance(expected, Acceptance):
        return done.outcome == {Acceptance.ACCEPT: Outcome.HALTED, Acceptance.STUCK: Outcome.STUCK}[expected]
    return done.outcome == Outcome.HALTED and agrees(expected, done.result)


def digits_for(table: Table, members: Iterable[str]) -> str:
    """The digits of numbers: the first of these classes, or of all, that counts 0, 1, 2 …."""
    return next(filter(counts, (*members, *(chars for _, chars in table.classes))), "")


def output_rule(table: Table, strokes: bool = True) -> OutputRule | None:
    """The output clause of a table; None when it has none. Its `strokes` may be counted: `make_rule`."""
    language = language_of(table)
    if not table.output or language is None:
        return None
    clause: s.OutputClause = parse_line(
        "output", Source(f"<output of {table.name}>", f"output {table.output}")
    )
    complaints = list(check_names_in(clause.value, [part.name for part in language.parts if part.name]))
    if complaints:
        raise GridError(complaints)
    return make_rule(clause.value, table, language, {}, strokes)


def make_rule(
    node: s.Expr, table: Table, language: InputLanguage, values: Values, strokes: bool = True
) -> OutputRule:
    """Lowers a clause and finds the base of its numbers; GridError where it makes no sense.

    A text of one letter is that letter, repeated, unless its `strokes` are not counted.
    """
    parts = [(part.name, part.members) for part in language.parts]
    bases = bases_of(node, parts)
    digits = digits_for(table, bases)
    lowering = ClauseLowering(parts, values, digits)
    made = lowering.result(node)
    if made.kind == TRUTH:
        hint = 'write a result for each case: "1" if … else "0"'
        lowering.error("the output is a condition, not a result", node, hint)
    if len(bases) > 1 and (made.kind == NUMBER or lowering.written):
        lowering.error("these numbers are in different bases", node, "use parts of one class, or text(…)")
    if not digits and not lowering.diagnostics:
        for written in [node] if made.kind == NUMBER else lowering.written:
            lowering.no_digits(written)
    if lowering.diagnostics:
        raise GridError(lowering.diagnostics)
    symbols = [part.symbols for part in language.parts]
    tree = with_strokes_counted(made.node, symbols) if strokes else made.node
    return OutputRule(table.output, tree, made.kind, digits, table.symbols, language)
