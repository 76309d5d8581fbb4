"""The `output` clause: what must be left on the grid, computed from the parts of the input.

Numbers are compared by value, texts letter by letter; a sequence of parts is compared part by part.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import NamedTuple, Protocol

from gridlang.clauses.clause_values import NoValue, Reader, from_base
from gridlang.clauses.functions import NUMBER, ROW, TEXT, TRUTH, Acceptance, check_names_in, counts, is_based
from gridlang.clauses.input_clauses import language_of
from gridlang.clauses.inputs import InputLanguage
from gridlang.clauses.output_kinds import Kinds
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


Part = tuple[str, str]  # a text, and the digits of a number, or nothing


class Laid(str):
    """The text that rows of parts must leave."""

    rows: tuple[tuple[Part, ...], ...]

    @classmethod
    def of(cls, rows: Iterable[Iterable[Part]]) -> Laid:
        """The rows without the blanks at either end, and without empty rows above and below."""
        laid_out = [_without_blanks(list(row)) for row in rows]
        for end in (0, -1):
            while laid_out and not laid_out[end]:
                del laid_out[end]
        laid = cls("\n".join("".join(text for text, _ in row) for row in laid_out))
        laid.rows = tuple(map(tuple, laid_out))
        return laid

    def agrees(self, result: str) -> bool:
        """Whether a result has these rows, numbers perhaps with zeros before them."""
        lines, rows = result.split("\n"), self.rows or ((),)
        if len(lines) > 1:
            lines = [line.strip(BLANK) for line in lines]
        return len(lines) == len(rows) and all(map(_is_row, rows, lines))


def _without_blanks(parts: list[Part]) -> list[Part]:
    """The parts without the blanks at either end, which no result shows."""
    for end, strip in ((0, str.lstrip), (-1, str.rstrip)):
        while parts and not parts[end][1]:
            text = strip(parts[end][0], BLANK)
            parts[end] = text, ""
            if text:
                break
            del parts[end]
    return parts


def _is_row(parts: tuple[Part, ...], line: str) -> bool:
    """Whether a line is these parts."""
    places = {0}
    for text, digits in parts:
        rest = text
        if digits:
            sign, rest = ("-", text[1:]) if text.startswith("-") else ("", text)
            signed = {at + len(sign) for at in places if line.startswith(sign, at)}
            places = _skipping(digits[0], line, signed)
        places = {at + len(rest) for at in places if line.startswith(rest, at)}
    return len(line) in places


def _skipping(zero: str, result: str, places: set[int]) -> set[int]:
    """The places, and those that zeros lead to from there."""
    reached = set(places)
    for at in range(min(places, default=0), len(result)):
        if at in reached and result[at] == zero:
            reached.add(at + 1)
    return reached


class OutputRule(NamedTuple):
    """A checked clause, ready to be asked."""

    clause: str
    node: s.Expr
    kind: str
    digits: str  # Numbers are written in these symbols.
    symbols: tuple[str, ...]
    language: InputLanguage
    classes: Mapping[str, str]

    @property
    def acceptances(self) -> set[Acceptance]:
        """The verdicts that some branch of the clause asks for."""
        kinds = Kinds({part.name: part.members for part in self.language.parts}, {})
        return {asked for asked in map(kinds.acceptance, branches_of(self.node)) if asked}

    def expected(self, text: str) -> str | Acceptance | None:
        """What the input must leave on the grid, or how its run must end.

        None where the clause has no value, as in `a div 0`.
        """
        members = {part.name: part.members for part in self.language.parts}
        reader = Reader(members, self.digits, self.symbols, self.language.split(text), self.classes)
        try:
            node = reader.branch(self.node)
            acceptance = Kinds(members, {}).acceptance(node)
            if acceptance:
                return acceptance
            if self.kind == ROW:
                return Laid.of(reader.rows(node))
            if self.kind == TEXT:
                return reader.text(node).strip(BLANK)
            value, digits = reader.written(node)
        except NoValue:
            return None
        return value if digits == self.digits else Laid.of([[(value, digits)]])

    def is_met(self, expected: str | Acceptance, done: Ended) -> bool:
        """Whether a run ended as expected, and left what it should."""
        return has_ended_as(expected, done, self.agrees)

    def agrees(self, expected: str, result: str) -> bool:
        """Whether a result is right; numbers may have leading zeros, but never be empty."""
        if isinstance(expected, Laid):
            return expected.agrees(result)
        if self.kind == TEXT or not result or not set(result) <= set(self.digits):
            return result == expected
        return from_base(result, self.digits) == from_base(expected, self.digits)


def has_ended_as(expected: str | Acceptance, done: Ended, agrees: Callable[[str, str], bool]) -> bool:
    """Whether a run ended as expected, and left what agrees with it."""
    if isinstance(expected, Acceptance):
        return done.outcome == {Acceptance.ACCEPT: Outcome.HALTED, Acceptance.STUCK: Outcome.STUCK}[expected]
    return done.outcome == Outcome.HALTED and agrees(expected, done.result)


def digits_for(table: Table, members: Iterable[str]) -> str:
    """What numbers are written in: the first of these classes, or of all, that counts 0, 1, 2 …."""
    return next(filter(counts, (*members, *(chars for _, chars in table.classes))), "")


def output_rule(table: Table) -> OutputRule | None:
    """The output clause of a table; None when it has none."""
    language = language_of(table)
    if not table.output or language is None:
        return None
    clause: s.OutputClause = parse_line(
        "output_line", Source(f"<output of {table.name}>", f"output {table.output}")
    )
    names = [part.name for part in language.parts if part.name]
    complaints = list(check_names_in(clause.value, names, [name for name, _ in table.classes]))
    if complaints:
        raise GridError(complaints)
    return make_rule(clause.value, table, language, {})


def make_rule(node: s.Expr, table: Table, language: InputLanguage, values: Mapping[str, int]) -> OutputRule:
    """Infers kinds and finds the base; GridError where the clause makes no sense."""
    parts = {part.name: part.members for part in language.parts if part.name}
    classes = dict(table.classes)
    checker = Kinds(parts, values, classes, table.symbols)
    kind = checker.result(node)
    if kind == TRUTH:
        hint = 'write a result for each case: "1" if … else "0"'
        checker.error("the output is a condition, not a result", node, hint)
    bases = {parts[name] for name in checker.used if counts(parts[name])}
    results = (
        [part for part in parts_of(node, checker) if checker.is_number(part)] if kind in (NUMBER, ROW) else []
    )
    plain = [part for part in results if not is_based(part)]
    if len(bases) > 1 and (plain or checker.written):
        checker.error("these numbers are in different bases", node, "use parts of one class, or text(…)")
    digits = digits_for(table, bases)
    if plain and not digits and not checker.diagnostics:
        checker.no_digits(node)
    elif not checker.diagnostics:
        checker.check_digits(digits)
    if checker.diagnostics:
        raise GridError(checker.diagnostics)
    return OutputRule(table.output, node, kind, digits, table.symbols, language, classes)


def branches_of(node: s.Expr) -> Iterator[s.Expr]:
    """The expressions that a clause chooses between."""
    if isinstance(node, s.Conditional):
        yield from branches_of(node.then)
        yield from branches_of(node.otherwise)
    else:
        yield node


def parts_of(node: s.Expr, kinds: Kinds) -> Iterator[s.Expr]:
    """The expressions that may stand in the row of a clause."""
    for branch in branches_of(node):
        if not kinds.acceptance(branch):
            for row in branch.rows if isinstance(branch, s.Rows) else (branch,):
                yield from row.parts if isinstance(row, s.Row) else (row,)
