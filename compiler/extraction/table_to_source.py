"""From a table to source in which a family of states, such as `carry(0)` to `carry(9)`, is one state with a
parameter, and digits that are treated alike up to a little arithmetic share a rule.

What takes too many words is printed state by state, and so is all that does not read back as the same table.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

from gridlang.diagnostics import GridError
from gridlang.loading import load_source
from gridlang.printer import declared_states, head_lines, rule_lines, table_to_source, target_name
from gridlang.source import Source
from gridlang.syntax.formatter import layout
from gridlang.syntax.parser import parse
from gridlang.syntax.unparse import state_name
from gridlang.table import MOVES, Entry, Family, Table
from gridlang.vocabulary import is_name, quote

DIGITS = "0123456789"
WORDS = re.compile(r"\b[uvd]\b")  # Rules written here have these variables.


class At(NamedTuple):
    """The parameters of a state, and the digit that it reads; 0 where there is none."""

    u: int
    v: int
    d: int


Number = Callable[[At], int]


class Numbered(NamedTuple):
    """A family by the numbers (u, v) that are its parameters' values; u is 0 where there is but one."""

    name: str
    words: str  # Its parameters are none, v, or u and v.
    members: dict[tuple[int, int], int]


class Cell(NamedTuple):
    """One entry of a family: parameters, the digit read, and what is done in which state on which symbol."""

    at: At
    state: int
    symbol: int
    entry: Entry | None


def table_to_families(table: Table) -> str:
    """Source of the table, with families where they are easy to read."""
    digit = next((c for c in table.classes if len(c[1]) > 1 and c[1] == DIGITS[: len(c[1])]), None)
    if digit is None:
        return table_to_source(table)
    families = [numbered for family in table.families if (numbered := _numbered(family))]
    while True:
        writer = _Writer(table, digit[0], len(digit[1]), families)
        rules = {family.name: writer.rules(family) for family in families}
        if all(rules.values()):
            break
        families = [family for family in families if rules[family.name]]
    text = _assembled(writer, rules)
    return text if _reads_back(text, table) else table_to_source(table)


def _numbered(family: Family) -> Numbered | None:
    """A family of two states or more that has one parameter or two, all of whose values are numbers."""
    size = len(family.parameters)
    if len(family.members) < 2 or size > 2 or not is_name(family.name):
        return None
    members: dict[tuple[int, int], int] = {}
    for state, values in family.members:
        if not all(value >= 0 if isinstance(value, int) else value in tuple(DIGITS) for value in values):
            return None
        first, second = (0, *map(int, values))[-2:]
        members[first, second] = state
    return Numbered(family.name, "uv"[2 - size :], members)


def _reads_back(text: str, table: Table) -> bool:
    try:
        return load_source(Source("<families>", text), {}).table == table
    except GridError:
        return False


class _Writer:
    """Puts the rules of a table into words."""

    def __init__(self, table: Table, digit: str, size: int, families: Sequence[Numbered]) -> None:
        self.table, self.digit, self.size, self.families = table, digit, size, families
        self.digits = [table.symbols.index(char) for char in DIGITS[:size]]
        self.family = {state: family for family in families for state in family.members.values()}

    def header(self, family: Numbered) -> str:
        """`state times(u in digit, v in 0..max(u-1, 0))`."""
        firsts, seconds = zip(*family.members, strict=True)
        domains = [f"v in {self._range(max(seconds))}"]
        if "u" in family.words:
            highest = {first: max(v for u, v in family.members if u == first) for first in firsts}
            if all(most == max(first - 1, 0) for first, most in highest.items()):
                domains = ["v in 0..max(u - 1, 0)"]
            domains.insert(0, f"u in {self._range(max(firsts))}")
        return f"state {family.name}({', '.join(domains)})"

    def _range(self, most: int) -> str:
        return self.digit if most == self.size - 1 else f"0..{most}"

    def rules(self, family: Numbered) -> list[str] | None:
        """The rules of a family; None where they take too many words."""
        others = [x for x in range(len(self.table.symbols)) if x not in self.digits]
        patterns: dict[str, list[str]] = {}  # patterns come last
        for symbols in (*([x] for x in others), self.digits):
            said = self._said(family, symbols)
            if said is None:
                return None
            for rest in said:
                name = self.digit if symbols is self.digits else quote(self.table.symbols[symbols[0]])
                bound = symbols is self.digits and "d" in WORDS.findall(rest)
                patterns.setdefault(rest, []).append(f"d in {name}" if bound else name)
        return [f"  {' | '.join(names)}{rest}" for rest, names in patterns.items()]

    def _said(self, family: Numbered, symbols: list[int]) -> list[str] | None:
        """What a family does on one symbol, or on all digits, in one rule or in two with guards."""
        cells = [
            Cell(At(u, v, d), state, symbol, self.table.rows[state][symbol])
            for (u, v), state in family.members.items()
            for d, symbol in enumerate(symbols)
        ]
        words = family.words + ("d" if len(symbols) > 1 else "")
        whole = self._action(cells, words)
        if whole is not None:
            return [f" : {whole}"] if whole else []
        for tests, which in self._guards():
            if set(WORDS.findall(tests[0])) <= set(words):
                parts = [[c for c in cells if which(c.at) == i] for i in range(len(tests))]
                said = [self._action(part, words) for part in parts]
                if None not in said:
                    return [f" if {test} : {act}" for test, act in zip(tests, said, strict=True) if act]
        return None

    def _guards(self) -> list[tuple[tuple[str, ...], Number]]:
        """Conditions that exclude each other, and which of them holds."""
        n = self.size
        return [
            ((f"d + v < {n}", f"d + v >= {n}"), lambda at: at.d + at.v >= n),
            (("d < v", "d >= v"), lambda at: at.d >= at.v),
            (("d == 0", "d != 0"), lambda at: at.d != 0),
            ((f"d < {n - 1}", f"d == {n - 1}"), lambda at: at.d == n - 1),
            (("v == 0", "v != 0"), lambda at: at.v != 0),
            ((f"v < {n}", f"v >= {n}"), lambda at: at.v >= n),
            (("d < v", "d == v", "d > v"), lambda at: (at.d >= at.v) + (at.d > at.v)),
        ]

    def _numbers(self) -> list[tuple[str, Number]]:
        n = self.size
        return [
            ("d", lambda at: at.d),
            ("v", lambda at: at.v),
            ("u", lambda at: at.u),
            ("d + v", lambda at: at.d + at.v),
            ("d + 1", lambda at: at.d + 1),
            (f"(d + v) mod {n}", lambda at: (at.d + at.v) % n),
            (f"(d + v) div {n}", lambda at: (at.d + at.v) // n),
            (f"(u*d + v) mod {n}", lambda at: (at.u * at.d + at.v) % n),
            (f"(u*d + v) div {n}", lambda at: (at.u * at.d + at.v) // n),
        ]

    def _action(self, cells: list[Cell], words: str) -> str | None:
        """One action for all cells: empty if none is defined, None if they differ."""
        entries = [(cell, cell.entry) for cell in cells if cell.entry is not None]
        if not entries:
            return ""
        idle = [entry.is_idle(cell.symbol) for cell, entry in entries]
        moves = {entry.move for _, entry in entries}
        if len(entries) < len(cells) or any(idle) != all(idle) or len(moves) > 1:
            return None
        if all(idle):
            return "halt"
        write, target = self._write(entries, words), self._target(entries, words)
        if write is None or target is None:
            return None
        return f"{write}{MOVES[entries[0][1].move]}{target}"

    def _write(self, entries: list[tuple[Cell, Entry]], words: str) -> str | None:
        if all(entry.write == cell.symbol for cell, entry in entries):
            return ""
        written = {entry.write for _, entry in entries}
        if len(written) == 1:
            return f"write {quote(self.table.symbols[written.pop()])}, "
        digits = self.digits
        values = [digits.index(entry.write) if entry.write in digits else -1 for _, entry in entries]
        text = self._number([cell for cell, _ in entries], values, words)
        return f"write {text}, " if text and min(values) >= 0 else None

    def _target(self, entries: list[tuple[Cell, Entry]], words: str) -> str | None:
        if all(entry.next == cell.state for cell, entry in entries):
            return ""
        after = [entry.next for _, entry in entries]
        if len(set(after)) == 1:
            return f" -> {self.name(after[0])}"
        families = {self.family[state].name: self.family[state] for state in after if state in self.family}
        if len(families) != 1 or not all(state in self.family for state in after):
            return None
        family = families.popitem()[1]
        values = {state: at for at, state in family.members.items()}
        arguments = []
        for which in range(2 - len(family.words), 2):
            numbers = [values[state][which] for state in after]
            arguments.append(self._number([cell for cell, _ in entries], numbers, words))
        return f" -> {family.name}({', '.join(arguments)})" if all(arguments) else None

    def _number(self, cells: list[Cell], values: list[int], words: str) -> str:
        """An expression with these values; empty if there is none."""
        if len(set(values)) == 1:
            return str(values[0])
        for text, number in self._numbers():
            fits = set(WORDS.findall(text)) <= set(words)
            if fits and all(number(cell.at) == value for cell, value in zip(cells, values, strict=True)):
                return text
        return ""

    def name(self, state: int) -> str:
        """A state as a target."""
        return self.table.states[state] if state in self.family else target_name(self.table, state)


def _assembled(writer: _Writer, rules: Mapping[str, list[str] | None]) -> str:
    """Families in place of their members, and shorter rules for other states where there are some."""
    table = writer.table
    parts = ["\n".join(head_lines(table, writer.name(0)))]
    written: set[str] = set()
    for state in declared_states(table):
        family = writer.family.get(state)
        if family is None:
            lines = list(rule_lines(table, state, writer.name))
            short = writer.rules(Numbered("", "", {(0, 0): state}))
            if short and len("".join(short)) < len("".join(lines)):
                lines = short
            parts.append("\n".join([f"state {state_name(table.states[state])}", *lines]))
        elif family.name not in written:
            written.add(family.name)
            parts.append("\n".join([writer.header(family), *(rules[family.name] or ())]))
    return layout(parse(Source("<families>", "\n\n".join(parts) + "\n")).lines)
