"""The part of `verify` that knows input clauses, read from their text by rules of its own.

A clause is parts with commas between them; a part may have a name, `name = `, and alternatives with `|`
between them; each is a cell or a clause in parentheses, perhaps with `+`, `*` or `?` after it; a cell is a
symbol, a class, `any`, a range `a..b`, or all but some, `x except y`. It is made into a nondeterministic
automaton, as by Thompson.

(V7) Columns. Let a graph of columns have, for each column and symbol, the columns that may be next. Every
     input, with blanks after it for ever, must be a path from one of the starts: all inputs are read at
     once, by the set of columns where one may be, together with the states of the clause. If no such set is
     empty, every beginning of every row has a path, and so has the whole row, since there are finitely many
     columns (König).
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from compiler.verifier.tables import Rules, Wrong, are_lists, are_numbers, check

Edges = list[tuple[str | None, int]]  # of a state: the symbols of each (None reads nothing), and where to
ColumnSteps = Sequence[Sequence[Sequence[int]]]  # for each column and symbol, what the next column may be

_TOKEN = re.compile(
    r"\s*(?:(?P<name>[^\W\d]\w*)|(?P<digit>\d+)|'(?P<symbol>\\?.)'|(?P<mark>\.\.|[=,|+*?()]))"
)


def is_input(left: Rules, text: str) -> bool:
    """Whether a text is of LEFT's input clause."""
    clause = _Clause(left.clause, left.symbols, left.classes)
    here = clause.start()
    for symbol in text:
        here = clause.step(here, symbol)
    return clause.final in here


def covers_inputs(left: Rules, starts: Sequence[int], steps: ColumnSteps) -> bool:
    """Whether the row of every input, blanks after it, is a path of columns from one of the starts: (V7)."""
    clause = _Clause(left.clause, left.symbols, left.classes)
    work = [(frozenset(starts), clause.start(), False)]
    seen = set(work)
    for columns, here, ended in work:
        for number, symbol in enumerate(left.symbols):
            there = clause.step(here, symbol)
            over = symbol == "_" and (ended or clause.final in here)
            if not over and not clause.can_end(there):
                continue
            later = frozenset(to for column in columns for to in steps[column][number])
            if not later:
                return False
            if (later, there, over) not in seen:
                seen.add((later, there, over))
                work.append((later, there, over))
    return True


def check_columns(left: Rules, starts: Sequence[int], steps: ColumnSteps) -> None:
    """Wrong unless these are the columns of (V7): every input is a path through them."""
    where = "evidence, columns"
    check(are_lists(starts) and are_lists(steps, 3), where, "a list is none")
    everything = [*starts, *(to for row in steps for afters in row for to in afters)]
    check(all(len(row) == len(left.symbols) for row in steps), where, "there must be a list for each symbol")
    check(are_numbers(everything, 0, len(steps)), where, "one of them does not exist")
    check(covers_inputs(left, starts, steps), where, "an input is left out")


class _Clause:
    """A clause as a nondeterministic automaton; it starts in 0, and `final` is its one accepting state.

    A method of the parser takes tokens, adds the automaton of what it has read behind `start`, and returns
    the state where that ends.
    """

    def __init__(self, text: str, symbols: tuple[str, ...], classes: Mapping[str, str]) -> None:
        self.symbols, self.classes = symbols, classes
        self.edges: list[Edges] = [[]]
        self.tokens = _scan(text)
        self.final = self._parts(0)
        self._expect("")
        self._can_end: dict[frozenset[int], bool] = {}

    def start(self) -> frozenset[int]:
        return self._closed({0})

    def step(self, here: frozenset[int], symbol: str) -> frozenset[int]:
        return self._closed({to for s in here for names, to in self.edges[s] if names and symbol in names})

    def can_end(self, here: frozenset[int]) -> bool:
        """Whether some input goes through these states: it ends in them, or later."""
        if here not in self._can_end:
            work = [here]
            seen = {here}
            for states in work:
                new = {self.step(states, symbol) for symbol in self.symbols} - seen
                seen |= new
                work += new
            self._can_end[here] = any(self.final in states for states in seen)
        return self._can_end[here]

    def _closed(self, states: set[int]) -> frozenset[int]:
        """These states, and those that are reached from them while nothing is read."""
        work = list(states)
        for state in work:
            new = [to for names, to in self.edges[state] if names is None and to not in states]
            states.update(new)
            work += new
        return frozenset(states)

    def _expect(self, token: str) -> None:
        if self.tokens.pop(0) != token:
            raise Wrong("left", f"its input clause cannot be read: {token or 'its end'!r} is missing")

    def _fresh(self) -> int:
        self.edges.append([])
        return len(self.edges) - 1

    def _parts(self, start: int) -> int:
        end = self._part(start)
        while self.tokens[0] == ",":
            self.tokens.pop(0)
            end = self._part(end)
        return end

    def _part(self, start: int) -> int:
        if self.tokens[1:2] == ["="]:
            del self.tokens[:2]
        end = self._fresh()
        while True:
            begun = self._fresh()
            self.edges[start].append((None, begun))
            self.edges[self._piece(begun)].append((None, end))
            if self.tokens[0] != "|":
                return end
            self.tokens.pop(0)

    def _piece(self, start: int) -> int:
        end = self._atom(start)
        if self.tokens[0] not in ("+", "*", "?"):
            return end
        many, over = self.tokens.pop(0), self._fresh()
        self.edges[end].append((None, over))
        if many != "?":
            self.edges[end].append((None, start))
        if many != "+":
            self.edges[start].append((None, over))
        return over

    def _atom(self, start: int) -> int:
        if self.tokens[0] == "(":
            self.tokens.pop(0)
            end = self._parts(start)
            self._expect(")")
            return end
        symbols = self._symbols()
        if self.tokens[0] == "..":
            self.tokens.pop(0)
            symbols = "".join(map(chr, range(ord(symbols), ord(self._symbols()) + 1)))
        elif self.tokens[0] == "except":
            self.tokens.pop(0)
            without = self._symbols()
            symbols = "".join(symbol for symbol in symbols if symbol not in without)
        end = self._fresh()
        self.edges[start].append((symbols, end))
        return end

    def _symbols(self) -> str:
        token = self.tokens.pop(0)
        if token.startswith("'"):
            return token[1:]
        if token == "any":
            return "".join(self.symbols)
        if token == "_" or token.isdigit():
            return token
        if token not in self.classes:
            raise Wrong("left", f"its input clause names {token!r}, which does not exist")
        return self.classes[token]


def _scan(text: str) -> list[str]:
    """Tokens, and "" for the end; a symbol is told from a word by the quote before it."""
    tokens, at = [], 0
    while text[at:].strip():
        token = _TOKEN.match(text, at)
        if token is None:
            raise Wrong("left", f"its input clause cannot be read at {text[at:][:20]!r}")
        quoted = token["symbol"]
        tokens.append(token[0].strip() if quoted is None else "'" + quoted[-1])
        at = token.end()
    return [*tokens, ""]
