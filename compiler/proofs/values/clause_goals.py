"""What an output clause asks for, as values: systems of weights in which the checker reads it as a number."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from itertools import combinations_with_replacement, count, islice
from typing import NamedTuple

from gridlang.clauses.outputs import OutputRule
from gridlang.compiler.proofs.abstractions.grains import symbol_classes
from gridlang.compiler.proofs.limits import LIMITS
from gridlang.compiler.proofs.results.readings import Unsaid, clause_node
from gridlang.compiler.proofs.values.affine_program import System
from gridlang.compiler.proofs.values.output_task import OutputTask
from gridlang.compiler.proofs.values.polynomials import Factor, Form
from gridlang.compiler.proofs.values.random_texts import random_texts
from gridlang.compiler.simulation.simulate import run
from gridlang.compiler.verifier.clauses.inputs import InputClause
from gridlang.compiler.verifier.clauses.outputs import Node, OutputClause
from gridlang.compiler.verifier.tables import Wrong
from gridlang.compiler.verifier.values.words import Words
from gridlang.outcomes import Outcome
from gridlang.table import BLANK, Table
from gridlang.world import string_world

MOST_PLACES = 2  # from an end of the input: of results, and of one that is 0; more stand by a part
Product = tuple[Factor, ...]
Distances = tuple[int, int]  # from the first and from the last column of an input


class Wanted(NamedTuple):
    """A number that the symbols in the row of the result must be worth together, in the first system.

    Where their lowest column stands is told apart up to some `distances` from the ends of the input. `exact`
    has the symbols apart, not their classes.
    """

    kind: str  # of its evidence
    systems: list[System]
    row: int
    distances: Distances = (0, 0)
    exact: bool = False
    low: str = ""  # symbols below a threshold, told apart from others of their class
    threshold: tuple[int, int] | None = None  # its number, and how many there are
    counted: tuple[dict[int, int], Node] | None = None  # what is counted, if the clause asks for several

    @property
    def word(self) -> bool:
        return self.kind == "words"

    @property
    def halved(self) -> bool:
        """Whether every second symbol of a part is taken; then columns are weighed in a negative base too."""
        return any(system.base < 0 for system in self.systems)

    def tells(self, product: Product) -> bool:
        """Whether a monomial may be needed.

        Where every second symbol is taken, roots of the base are for the head and columns ahead alone; and
        the checker does not know that weights in several bases are related.
        """
        if not self.halved:
            return True
        whole = [f for f in product if f[0] != "v" and int(f[1]) < 2]
        roots = [f for f in product if f[0] != "v" and int(f[1]) > 1]
        weights = [f for f in product if f[0] == "B"]
        return not (
            any(f[0] == "N" for f in roots)
            or (whole and (len(product) > 1 or whole[0][0] in ("B", "F")))
            or len(weights) > 1
        )

    def multipliers(
        self, number: Form, divided: bool, weights: list[Factor], variables: list[Factor]
    ) -> Iterator[list[Product]]:
        """By what to multiply polynomials: by nothing, by one factor of a product that is wanted, and by
        weights that stand beside it.
        """
        if self.word:
            if self.halved:
                far = [f for f in variables if f in (("E", 2), ("E", 3)) or f[:2] in (("F", 4), ("F", 5))]
                yield [(), *((f,) for f in (*weights, *far))]
                return
            yield [(), *((f,) for f in weights)]
            if divided:
                yield [(), *((f,) for f in weights), *combinations_with_replacement(weights, 2)]
            if len(self.systems) == 4:  # of both directions
                far = [f for f in variables if f == ("E", 2) or f[:2] == ("F", 3)]
                yield [(), *((f,) for f in (*weights, *far))]
            return
        factors = list(dict.fromkeys(f for product in number if len(product) > 1 for f in product))
        for some in dict.fromkeys((tuple(factors[:1]), tuple(factors))):
            yield [(), *((f,) for f in some)]
            if weights:
                yield [(), *((f,) for f in (*some, *weights))]


def wanted_values(task: OutputTask) -> list[list[Wanted]]:
    """What must hold of a result, in several ways, of one of them all; Unsaid for clauses not of values."""
    clause_node(task.rule)
    return Wants(task).values()


class Wants:
    """The clause as its checker reads it; systems are added for its quantities."""

    def __init__(self, task: OutputTask, systems: list[System] | None = None) -> None:
        self.table, self.rule, left = task.table, task.rule, task.left
        self.systems = [] if systems is None else systems
        try:
            inputs = InputClause(left)
            value = left.output["value"] if systems is None else 0
            self.clause = OutputClause(left._replace(output={**left.output, "value": value}), inputs)
        except Wrong as wrong:
            raise Unsaid(str(wrong).replace("its output clause", "the clause")) from None
        self.part_symbols = [sorted(map(left.symbols.index, some)) for some in inputs.symbols_by_part]

    def values(self) -> list[list[Wanted]]:
        node = self.clause.node
        symbols, digits = self.table.symbols, self.clause.digits
        match node:
            case ("sorted", ("part", part)):
                return [list(self._sorted(part, exact)) for exact in (True, False)]
            case ("constant", str(text)) if len(text) == 1:
                node = "repeat", node, ("constant", 1)
        match node:
            case ("repeat", ("constant", str(text)), times) if len(text) == 1:
                ones = System(Fraction(1), tuple(int(i > 0) for i in range(len(symbols))))
                return [[self._wanted(ones, times)]]
            case ("reverse", ("text", number)):
                base = Fraction(1, len(digits or "01"))
            case ("part" | "reverse" | "join" | "every", *_):
                return [[wanted] for wanted in self._words()]
            case ("text", number):
                base = Fraction(len(digits or "01"))
            case ("sorted" | "repeat", *_) | ("constant", str()):
                raise Unsaid(
                    "of texts, those are proven that join, reverse, sort or repeat parts of the input"
                )
            case number:
                base = Fraction(len(digits or "01"))
        return [[self._wanted(System(base, self._worth(digits)), number)]]

    def _words(self) -> Iterator[Wanted]:
        """From the first column of the result or from the last, wherever an end of the input is near."""
        try:
            words = Words(self.clause, [{*some} for some in self.part_symbols])
        except Wrong as wrong:
            raise Unsaid(str(wrong).replace("its output clause", "the clause")) from None
        backwards = any(piece.backwards for piece in words.pieces)
        halved = any(piece.second is not None for piece in words.pieces)
        if halved and backwards:
            raise Unsaid("the clause has both `every` and `reverse`")
        power = 2 if halved else 1
        root = next(Fraction(n) for n in count(2) if n**power > len(words.symbols))
        digits = Digits(self.table, sorted(words.symbols), root, halved)
        row, offsets = _stands(self.table, self.rule)
        ways = [(1 / root**power, offsets.first), (root**power, offsets.last)]
        for base, (starts, ends) in ways[: 1 if halved else 2]:
            systems = digits.systems(base) + (digits.systems(1 / base) if backwards else [])
            near, far = _distance(starts), _distance(ends)
            if near or far:
                yield Wanted("words", systems, row, (near, 0) if near else (0, far))

    def _sorted(self, part: int, exact: bool) -> Iterator[Wanted]:
        """The count of each symbol, or of those from each on, as it was; columns show their order."""
        row, _ = _stands(self.table, self.rule)
        names, symbols = self.table.symbols, self.rule.language.parts[part].members
        if not symbols:
            raise Unsaid("`sorted` is proven only of a part whose symbols are of one class")
        for i, symbol in enumerate(symbols):
            low, high = (_with_twins(self.table, symbols, some) for some in (symbols[:i], symbols[i:]))
            system = System(Fraction(1), tuple(int(x == symbol if exact else x in high) for x in names))
            if exact:
                counted = {names.index(x): int(x == symbol) for x in symbols}, ("count", part, symbol)
                yield Wanted("values", [system], row, exact=True, counted=counted)
            else:
                yield Wanted("sorted", [system], row, low=low, threshold=(i, len(symbols)))

    def _worth(self, digits: str) -> tuple[int, ...]:
        """Digits are worth what they are; of other classes each symbol its position, and 1 if it is alone."""
        classes = symbol_classes(self.table)
        worth = []
        for i, symbol in enumerate(self.table.symbols):
            alike = [j for j, other in enumerate(classes) if other == classes[i]]
            other = alike.index(i) if len(alike) > 1 else int(i > 0)
            worth.append(digits.index(symbol) if symbol in digits else other)
        return tuple(worth)

    def _wanted(self, system: System, number: Node) -> Wanted:
        self.systems.append(system)
        self.add_systems(number)
        row, offsets = _stands(self.table, self.rule)
        distances = (0, _distance(offsets.last[1])) if system.base > 1 else (_distance(offsets.first[0]), 0)
        return Wanted("values", self.systems, row, (0, 0) if system.base == 1 else distances)

    def add_systems(self, node: Node) -> None:
        """Those in which the checker knows all quantities of a number; Unsaid for another kind of number."""
        kind, *inner = node
        if kind in ("+", "-", "*"):
            for side in inner:
                self.add_systems(side)
            return
        if kind == "constant" and not isinstance(inner[0], str):
            return
        names = self.table.symbols
        if kind in ("number", "backwards"):
            digits = self.clause.members[inner[0]]
            base = Fraction(len(digits)) if kind == "number" else Fraction(1, len(digits))
            system = System(base, tuple(max(digits.find(x), 0) for x in names))
        elif kind == "length":
            system = System(Fraction(1), tuple(int(i > 0) for i in range(len(names))))
        elif kind == "count" and len(inner[1]) == 1:
            system = System(Fraction(1), tuple(int(x == inner[1]) for x in names))
        else:
            made = "a text" if kind == "constant" else f"`{kind}`"
            raise Unsaid(f"the clause has {made}; proven are sums of products of numbers, lengths and counts")
        if not any(self._same(system, other, inner[0]) for other in self.systems):
            self.systems.append(system)

    def _same(self, one: System, other: System, part: int) -> bool:
        symbols = self.part_symbols[part]
        return one.base == other.base and all(one.values[x] == other.values[x] for x in symbols)


class Digits(NamedTuple):
    """Words as numbers: the digits are 1 to n in base n + 1, or for every second symbol, in a square.

    Marked twins of symbols have the digits of these.
    """

    table: Table
    symbols: list[int]
    root: Fraction
    halved: bool

    def systems(self, base: Fraction) -> list[System]:
        """Digits and ones: the sum of the ones over a stretch tells where it begins or ends."""
        names, classes = self.table.symbols, symbol_classes(self.table)
        groups = [[x for x, c in zip(names, classes, strict=True) if c == n] for n in sorted({*classes})]
        digit = {names[symbol]: n for n, symbol in enumerate(self.symbols, 1)}
        words = [group for group in groups if set(group) <= digit.keys()]
        own = dict(digit)
        for group in groups:
            twins = next((word for word in words if len(word) == len(group)), None)
            if twins is not None and not digit.keys() & group and BLANK not in group:
                own |= {x: digit[twin] for x, twin in zip(group, twins, strict=True)}
        ones = tuple(int(x != BLANK) for x in names)
        values = tuple(own.get(x, 0) for x in names)
        systems = [System(base, values), System(base, ones)]
        if self.halved:
            systems += [System(sign / self.root, of) for of in (values, ones) for sign in (1, -1)]
        return systems


def _with_twins(table: Table, symbols: str, some: str) -> str:
    """Some symbols, and what stands at the same places in classes of the same size."""
    twins = [chars for _, chars in table.classes if len(chars) == len(symbols)]
    return "".join(other[symbols.index(x)] for other in (symbols, *twins) for x in some)


def _distance(places: set[int]) -> int:
    """How far from an end of the input columns must be told apart; 0 if results stand in too many places."""
    far = max(-at if at < 0 else at + 1 for at in places) if 0 < len(places) <= MOST_PLACES else 0
    return far if far <= LIMITS.farthest_end else 0


class Offsets(NamedTuple):
    """Where the first and the last columns of results stand, from the start of the input and behind it."""

    first: tuple[set[int], set[int]]
    last: tuple[set[int], set[int]]


def _stands(table: Table, rule: OutputRule) -> tuple[int, Offsets]:
    """The row of results, and their columns."""
    rows, offsets = set[int](), Offsets((set(), set()), (set(), set()))
    for text in islice(random_texts(rule.language), LIMITS.samples):
        done = run(table, string_world(text), LIMITS.steps_of_a_result)
        shown, origin = done.result, done.origin
        if done.outcome == Outcome.HALTED and origin is not None:
            rows |= {origin[1], origin[1] + shown.count("\n")}
            for (starts, ends), column in zip(offsets, (origin[0], origin[0] + len(shown) - 1), strict=True):
                starts.add(column)
                ends.add(column - len(text))
    if len(rows) > 1:
        raise Unsaid("the results do not all stand in one row")
    return rows.pop() if rows else 0, offsets
