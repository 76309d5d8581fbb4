"""The `output` clause: what must be left on the grid, computed from the parts of the input.

Numbers are compared by value, texts letter by letter; a sequence of parts is compared part by part.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import NamedTuple, Protocol

from gridlang.clauses.clause_values import NoValue, Reader, from_base, in_base
from gridlang.clauses.inputs import InputLanguage, language_of
from gridlang.clauses.output_kinds import NUMBER, ROW, TEXT, TRUTH, Acceptance, Kinds, check_names_in, counts
from gridlang.diagnostics import GridError
from gridlang.source import Source
from gridlang.syntax import tree as s
from gridlang.syntax.parser import parse_line
from gridlang.table import BLANK, Table


class Ended(Protocol):
    """A run that has ended: how, and what it has left."""

    @property
    def outcome(self) -> str: ...
    @property
    def result(self) -> str: ...


class Laid(str):
    """The text that a sequence of parts must leave; each part is a text, and a number or not."""

    parts: tuple[tuple[str, bool], ...]

    @classmethod
    def of(cls, parts: list[tuple[str, bool]]) -> Laid:
        """The parts without the blanks at either end, which no result shows."""
        for end, strip in ((0, str.lstrip), (-1, str.rstrip)):
            while parts and not parts[end][1]:
                text = strip(parts[end][0], BLANK)
                parts[end] = text, False
                if text:
                    break
                del parts[end]
        laid = cls("".join(text for text, _ in parts))
        laid.parts = tuple(parts)
        return laid

    def agrees(self, result: str, zero: str) -> bool:
        """Whether a result is these parts, numbers perhaps with zeros before them."""
        places = {0}
        for text, is_number in self.parts:
            digits = text
            if is_number:
                sign, digits = ("-", text[1:]) if text.startswith("-") else ("", text)
                places = _skipping(
                    zero, result, {at + len(sign) for at in places if result.startswith(sign, at)}
                )
            places = {at + len(digits) for at in places if result.startswith(digits, at)}
        return len(result) in places


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
        reader = Reader(members, self.digits, self.symbols, self.language.split(text))
        try:
            node = reader.branch(self.node)
            acceptance = Kinds(members, {}).acceptance(node)
            if acceptance:
                return acceptance
            if self.kind == ROW:
                return Laid.of(list(reader.row(node)))
            value = reader.number(node) if self.kind == NUMBER else reader.text(node)
        except NoValue:
            return None
        return value.strip(BLANK) if isinstance(value, str) else in_base(value, self.digits)

    def is_met(self, expected: str | Acceptance, done: Ended) -> bool:
        """Whether a run ended as expected, and left what it should."""
        if isinstance(expected, Acceptance):
            return done.outcome == {Acceptance.ACCEPT: "halted", Acceptance.STUCK: "stuck"}[expected]
        return done.outcome == "halted" and self.agrees(expected, done.result)

    def agrees(self, expected: str, result: str) -> bool:
        """Whether a result is right; numbers may have leading zeros, but never be empty."""
        if isinstance(expected, Laid):
            return expected.agrees(result, self.digits[:1])
        if self.kind == TEXT or not result or not set(result) <= set(self.digits):
            return result == expected
        return from_base(result, self.digits) == from_base(expected, self.digits)


def output_rule(table: Table) -> OutputRule | None:
    """The output clause of a table; None when it has none."""
    language = language_of(table)
    if not table.output or language is None:
        return None
    clause: s.OutputClause = parse_line(
        "output_line", Source(f"<output of {table.name}>", f"output {table.output}")
    )
    complaints = list(check_names_in(clause.value, [part.name for part in language.parts if part.name]))
    if complaints:
        raise GridError(complaints)
    return make_rule(clause.value, table, language, {})


def make_rule(node: s.Expr, table: Table, language: InputLanguage, values: Mapping[str, int]) -> OutputRule:
    """Infers kinds and finds the base; GridError where the clause makes no sense."""
    parts = {part.name: part.members for part in language.parts if part.name}
    checker = Kinds(parts, values)
    kind = checker.result(node)
    if kind == TRUTH:
        hint = 'say what is left in each case: "1" if … else "0"'
        checker.error("the output is a condition, not a result", node, hint)
    bases = {parts[name] for name in checker.used if counts(parts[name])}
    if len(bases) > 1:
        checker.error("these numbers are in different bases", node, "use parts of one class, or text(…)")
    spare = [chars for _, chars in table.classes if counts(chars)]
    digits = next(iter(bases), spare[0] if spare else "")
    numbers = kind == NUMBER or (kind == ROW and any(map(checker.is_number, parts_of(node, checker))))
    if numbers and not digits and not checker.diagnostics:
        checker.no_digits(node)
    elif not checker.diagnostics:
        checker.check_digits(digits)
    if checker.diagnostics:
        raise GridError(checker.diagnostics)
    return OutputRule(table.output, node, kind, digits, table.symbols, language)


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
            yield from branch.parts if isinstance(branch, s.Row) else (branch,)
