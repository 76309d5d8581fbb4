"""The part of `verify` that knows input clauses, read from their text by rules of its own.

A clause is parts with commas between them; a part may have a name, `name = `, and alternatives with `|`
between them; each is a cell or a clause in parentheses, perhaps with `+`, `*` or `?` after it; a cell is a
symbol, a class, `any`, a range of symbols `a..b`, or all but some, `any except y`. A number of up to nine
digits is the symbol of its value: `01` is 1. A cell is not empty and has symbols of the alphabet alone, so
some input goes on from every state. A clause is made into a nondeterministic automaton, as by Thompson; sets
of its states, and of columns, are numbers with a bit for each member.

(V7) Columns. Let a graph of columns have, for each column and symbol, the columns that may be next. Every
     input, with blanks after it for ever, must be a path from one of the starts: all inputs are read at
     once, by the set of columns where one may be, together with the states of the clause. If no such set is
     empty, every beginning of every row has a path, and so has the whole row, since there are finitely many
     columns (König).
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence

from compiler.verifier.tables import Rules, Wrong, are_lists, are_numbers, check

ColumnSteps = Sequence[Sequence[Sequence[int]]]  # for each column and symbol, what the next column may be

MOST_TOKENS = 5_000  # The language allows 1,000 cells; a clause of more tokens is hostile.
MOST_SETS = 20_000  # A proof has some 2,000 columns at most, and sees few sets of them beyond.
MOST_UNIONS = 5_000_000  # They take some seconds; a proof of the largest example needs thousands.
DEEPEST = 60  # Parentheses, as in the language; the parser calls itself for each.
WIDEST = 1_000  # Symbols in a range, as in the language.
_TOKEN = re.compile(
    r"(?P<name>[^\W\d]\w*)|(?P<number>[0-9]{1,9}(?![0-9]))|'(?P<symbol>[^'\\\n]|\\[^\n])'"
    r"|(?P<mark>\.\.|[=,|+*?()])|(?P<space>[ \t\f\r\n]+|\#[^\n]*)"
)
_MOVES = frozenset("UDLRS")  # They are words of the language, and name nothing.


def is_input(left: Rules, text: str) -> bool:
    """Whether a text is of LEFT's input clause."""
    clause = Clause(left.clause, left.symbols, left.classes)
    here = clause.start()
    for symbol in text:
        here = clause.step(here, symbol)
    return clause.may_end(here)


def covers_inputs(left: Rules, starts: Sequence[int], steps: ColumnSteps) -> bool:
    """Whether the row of every input, blanks after it, is a path of columns from one of the starts: (V7)."""
    clause = Clause(left.clause, left.symbols, left.classes)
    nexts = [[_set(columns) for columns in by_symbol] for by_symbol in steps]
    work = [(_set(starts), clause.start(), False)]
    seen = set(work)
    for columns, here, ended in work:
        for number, symbol in enumerate(left.symbols):
            there = clause.step(here, symbol)
            over = symbol == "_" and (ended or clause.may_end(here))
            if not over and not there:
                continue
            later = _union(nexts[column][number] for column in _members(columns))
            if not later:
                return False
            if (later, there, over) not in seen:
                seen.add((later, there, over))
                work.append((later, there, over))
        if len(seen) > MOST_SETS:
            raise Wrong("left", f"its input clause needs more than {MOST_SETS:,} sets of columns to be read")
    return True


def check_columns(left: Rules, starts: Sequence[int], steps: ColumnSteps) -> None:
    """Wrong unless these are the columns of (V7): every input is a path through them."""
    where = "evidence, columns"
    listed = are_lists([starts, steps]) and are_lists(steps) and all(map(are_lists, steps))
    check(listed, where, "there must be lists of them")
    everything = [*starts, *(to for row in steps for afters in row for to in afters)]
    check(all(len(row) == len(left.symbols) for row in steps), where, "there must be a list for each symbol")
    check(are_numbers(everything, 0, len(steps)), where, "one of them does not exist")
    check(covers_inputs(left, starts, steps), where, "an input is left out")


def _set(members: Iterable[int]) -> int:
    return _union(1 << member for member in members)


def _union(sets: Iterable[int]) -> int:
    whole = 0
    for some in sets:
        whole |= some
    return whole


def _members(some: int) -> Iterator[int]:
    while some:
        lowest = some & -some
        yield lowest.bit_length() - 1
        some ^= lowest


class Clause:
    """A clause as a nondeterministic automaton; it starts in 0, and `final` is its one accepting state.

    A method of the parser takes tokens, adds the automaton of what it has read behind `start`, and returns
    the state where that ends. `silent` edges read nothing; a state has at most one that `reads`.
    """

    def __init__(self, text: str, symbols: tuple[str, ...], classes: Mapping[str, str]) -> None:
        self.symbols, self.classes = symbols, classes
        self.silent: list[list[int]] = [[]]
        self.reads: dict[int, tuple[str, int]] = {}
        self.tokens = _scan(text)
        self.at = self.depth = 0
        self.names: list[str] = []  # of the parts, "" for none; no part of a group is among them
        self.ends: list[int] = []  # the number of states when a part was read
        self.final = self._parts(0)
        if self.tokens[self.at]:
            raise Wrong(
                "left", f"its input clause cannot be read: {self.tokens[self.at]!r} cannot stand there"
            )
        self.reached = self._reached_silently()
        self.reading: dict[str, int] = {}  # the states that read each symbol
        for state, (names, _) in self.reads.items():
            for symbol in names:
                self.reading[symbol] = self.reading.get(symbol, 0) | 1 << state
        self.unions = 0

    def start(self) -> int:
        return self.reached[0]

    def step(self, here: int, symbol: str) -> int:
        """The states after a symbol, and after what reads nothing."""
        readers = here & self.reading.get(symbol, 0)
        self.unions += readers.bit_count()
        if self.unions > MOST_UNIONS:
            raise Wrong("left", f"its input clause takes more than {MOST_UNIONS:,} steps to be read")
        return _union(self.reached[self.reads[state][1]] for state in _members(readers))

    def may_end(self, here: int) -> bool:
        return bool(here >> self.final & 1)

    def _reached_silently(self) -> list[int]:
        """For each state those that are reached from it while nothing is read, itself included."""
        reached = [1 << state for state in range(len(self.silent))]
        before: list[int] = []
        while before != reached:
            before = list(reached)
            for state in reversed(range(len(reached))):
                reached[state] |= _union(reached[to] for to in self.silent[state])
        return reached

    def _take(self) -> str:
        self.at += 1
        if not self.tokens[self.at - 1]:
            raise Wrong("left", "its input clause cannot be read: it ends too early")
        return self.tokens[self.at - 1]

    def _fresh(self) -> int:
        self.silent.append([])
        return len(self.silent) - 1

    @property
    def members(self) -> list[str]:
        """The symbols of each part, if all its cells have the same ones in the same order; else ""."""
        texts: list[set[str]] = [set() for _ in self.names]
        for symbols, to in self.reads.values():
            texts[self.part_of(to)].add(symbols)
        return [some.pop() if len(some) == 1 else "" for some in texts]

    def part_of(self, state: int) -> int:
        """The part in which a state was made that something is read before."""
        return next(index for index, end in enumerate(self.ends) if state < end)

    def part_read(self, here: int, symbol: str) -> int | None:
        """The part that a symbol belongs to, whatever follows; None if it can be of several."""
        readers = here & self.reading.get(symbol, 0)
        parts = {self.part_of(self.reads[state][1]) for state in _members(readers)}
        return parts.pop() if len(parts) == 1 else None

    def _parts(self, start: int) -> int:
        end = self._part(start)
        while self.tokens[self.at] == ",":
            self._take()
            end = self._part(end)
        return end

    def _part(self, start: int) -> int:
        name, equals = self.tokens[self.at], self.tokens[self.at + 1 : self.at + 2]
        is_named = equals == ["="] and _is_word(name) and name != "any"
        if is_named:
            self.at += 2
        if self.depth == 0:
            self.names.append(name if is_named else "")
        ends = []
        while True:
            begun = self._fresh()
            self.silent[start].append(begun)
            ends.append(self._piece(begun))
            if self.tokens[self.at] != "|":
                break
            self._take()
        over = self._fresh()
        for end in ends:
            self.silent[end].append(over)
        if self.depth == 0:
            self.ends.append(len(self.silent))
        return over

    def _piece(self, start: int) -> int:
        end = self._atom(start)
        if self.tokens[self.at] not in ("+", "*", "?"):
            return end
        many, over = self._take(), self._fresh()
        self.silent[end].append(over)
        if many != "?":
            self.silent[end].append(start)
        if many != "+":
            self.silent[start].append(over)
        return over

    def _atom(self, start: int) -> int:
        if self.tokens[self.at] == "(":
            self._take()
            self.depth += 1
            if self.depth >= DEEPEST:
                raise Wrong("left", f"its input clause is nested more than {DEEPEST} deep")
            end = self._parts(start)
            if self._take() != ")":
                raise Wrong("left", "its input clause cannot be read: ')' is missing")
            self.depth -= 1
            return end
        first = self._take()
        if self.tokens[self.at] == "..":
            self._take()
            codes = range(ord(_symbol(first)), ord(_symbol(self._take())) + 1)
            symbols = "".join(map(chr, codes[: WIDEST + 1]))
        elif first == "any" and self.tokens[self.at] == "except":
            self._take()
            without = self._symbols(self._take())
            symbols = "".join(symbol for symbol in self.symbols if symbol not in without)
        else:
            symbols = self._symbols(first)
        if not 0 < len(symbols) <= WIDEST or not set(symbols) <= set(self.symbols):
            raise Wrong(
                "left", "its input clause has a cell that is empty, too large, or not of its alphabet"
            )
        end = self._fresh()
        self.reads[start] = (symbols, end)
        return end

    def _symbols(self, token: str) -> str:
        if token == "any":
            return "".join(self.symbols)
        if not _is_word(token):
            if _symbol(token) not in self.symbols:
                raise Wrong("left", f"its input clause has {token!r}, which is not of its alphabet")
            return _symbol(token)
        if token not in self.classes:
            raise Wrong("left", f"its input clause names {token!r}, which does not exist")
        return self.classes[token]


def _is_word(token: str) -> bool:
    """Whether a token can name a part or a class."""
    return token.isidentifier() and token != "_" and token not in _MOVES


def _symbol(token: str) -> str:
    """The one symbol that a token is."""
    if token.startswith("'"):
        return token[1:]
    if token == "_" or (token.isdigit() and int(token) < 10):
        return token if token == "_" else str(int(token))
    raise Wrong("left", f"its input clause cannot be read: {token!r} is no symbol")


def _scan(text: str) -> list[str]:
    """Tokens, and "" for the end; a symbol is told from a word by the quote before it."""
    tokens, at = [], 0
    while at < len(text):
        token = _TOKEN.match(text, at)
        if token is None:
            raise Wrong("left", f"its input clause cannot be read at {text[at:][:20]!r}")
        quoted = token["symbol"]
        if token["space"] is None:
            tokens.append(token[0] if quoted is None else "'" + quoted[-1])
        at = token.end()
    if len(tokens) > MOST_TOKENS:
        raise Wrong("left", f"its input clause has more than {MOST_TOKENS:,} words and marks")
    return [*tokens, ""]
