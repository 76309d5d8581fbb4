"""What an output clause asks for, as values: systems of weights, and a number that a result is worth."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from itertools import combinations_with_replacement, islice
from typing import NamedTuple

from gridlang.clauses.clause_tree import Constant, Node, Operation, Part, operation, operator_of
from gridlang.clauses.functions import NUMBER
from gridlang.clauses.outputs import OutputRule
from gridlang.compiler.proofs.abstractions.strip_labels import symbol_classes
from gridlang.compiler.proofs.limits import LIMITS
from gridlang.compiler.proofs.results.readings import Unsaid, clause_node, parts_of
from gridlang.compiler.proofs.values.part_columns import Distances
from gridlang.compiler.proofs.values.polynomials import Factor, Form, times
from gridlang.compiler.proofs.values.random_texts import random_texts
from gridlang.compiler.proofs.values.weighted_sums import System
from gridlang.compiler.proofs.values.word_goals import Digits, Piece, pieces, word_number
from gridlang.compiler.simulation.simulate import run
from gridlang.outcomes import Outcome
from gridlang.table import Table
from gridlang.world import string_world

MOST_PLACES = 2  # from an end of the input: of results, and of one that is 0; more stand by a part
Product = tuple[Factor, ...]
Sum = dict[Product, Fraction]


ONCE: Form = {(): Fraction(1)}


class Wanted(NamedTuple):
    """A number that the symbols in the row of the result must be worth together, in the first system.

    Their lowest column is the `last` one of the result, or the first. Where it stands is told apart up to
    some `distances` from the ends of the input. `exact` has the symbols apart, not their classes.
    """

    systems: list[System]
    number: Sum
    row: int
    distances: Distances = Distances(0, 0)
    exact: bool = False
    over: Form = ONCE  # a product of weights that the number is divided by
    word: bool = False
    low: str | None = None  # symbols below a threshold, told apart from others of their class
    symbols: str = ""  # of the result, where only these can be

    @property
    def kind(self) -> str:
        """Of its evidence."""
        if self.low is not None:
            return "sorted"
        return "words" if self.word else "values"

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

    @property
    def last(self) -> bool:
        return self.systems[0].base > 1

    def multipliers(self, weights: list[Factor], variables: list[Factor]) -> Iterator[list[Product]]:
        """By what to multiply polynomials: by nothing, by one factor of a product that is wanted, and by
        weights that stand beside it.
        """
        if self.word:
            if self.halved:
                far = [f for f in variables if f in (("E", 2), ("E", 3)) or f[:2] in (("F", 4), ("F", 5))]
                yield [(), *((f,) for f in (*weights, *far))]
                return
            yield [(), *((f,) for f in weights)]
            if self.over != ONCE:
                yield [(), *((f,) for f in weights), *combinations_with_replacement(weights, 2)]
            if len(self.systems) == 4:  # of both directions
                far = [f for f in variables if f == ("E", 2) or f[:2] == ("F", 3)]
                yield [(), *((f,) for f in (*weights, *far))]
            return
        factors = list(dict.fromkeys(f for product in self.number if len(product) > 1 for f in product))
        for some in dict.fromkeys((tuple(factors[:1]), tuple(factors))):
            yield [(), *((f,) for f in some)]
            if weights:
                yield [(), *((f,) for f in (*some, *weights))]


def wanted_values(table: Table, rule: OutputRule) -> list[list[Wanted]]:
    """What must hold of a result, in several ways, of one of them all; Unsaid for clauses not of values."""
    node = clause_node(rule)
    match node:
        case Operation("sorted", (Part(part),)):
            return [list(_sorted(table, rule, part, exact)) for exact in (True, False)]
        case Constant(str(text)) if len(text) == 1:
            node = operation("repeat", node, Constant(1))
    match node:
        case Operation("repeat", (Constant(str(text)), times)) if len(text) == 1:
            ones = System(Fraction(1), tuple(int(i > 0) for i in range(len(table.symbols))))
            return [[_wanted(table, rule, ones, times)._replace(symbols=text)]]
        case Operation("reverse", (Operation("text", (number,)),)):
            base = Fraction(1, len(rule.digits))
        case Part() | Operation("reverse" | "join" | "every"):
            return [[wanted] for wanted in _words(table, rule, pieces(node))]
        case _:
            number, base = node, Fraction(len(rule.digits))
            if rule.kind != NUMBER:
                raise Unsaid(
                    "of texts made of the input, those are proven that join, reverse, sort or repeat its"
                    " parts"
                )
    system = System(base, _worth(table, rule.digits))
    return [[_wanted(table, rule, system, number)._replace(symbols=rule.digits)]]


def _words(table: Table, rule: OutputRule, word: list[Piece]) -> Iterator[Wanted]:
    """From the first column of the result or from the last, wherever an end of the input is near."""
    digits = Digits(table, rule.language, word)
    row, offsets = _stands(table, rule)
    ways = [(1 / digits.base, offsets.first), (digits.base, offsets.last)]
    for base, (starts, ends) in ways[: 1 if digits.halved else 2]:
        systems = digits.systems(base)
        if any(piece.backwards for piece in word):
            systems += digits.systems(1 / base)
        number, over = word_number(word, digits, systems)
        near, far = _distance(starts), _distance(ends)
        if near or far:
            distances = Distances(near, 0) if near else Distances(0, far)
            yield Wanted(systems, dict(number), row, distances, over=over, word=True)


def _sorted(table: Table, rule: OutputRule, part: int, exact: bool) -> Iterator[Wanted]:
    """The count of each symbol, or of those from each on, as it was; their order is seen in the columns."""
    row, _ = _stands(table, rule)
    symbols = rule.language.parts[part].members
    if not symbols:
        raise Unsaid("`sorted` is proven only of a part whose symbols are of one class")
    number: Sum = {(("v", 0, part),): Fraction(1)}
    for i, symbol in enumerate(symbols):
        low, high = (_with_twins(table, symbols, some) for some in (symbols[:i], symbols[i:]))
        values = tuple(int(x == symbol if exact else x in high) for x in table.symbols)
        yield Wanted([System(Fraction(1), values)], number, row, exact=exact, low=None if exact else low)


def _with_twins(table: Table, symbols: str, some: str) -> str:
    """Some symbols, and what stands at the same places in classes of the same size."""
    twins = [chars for _, chars in table.classes if len(chars) == len(symbols)]
    return "".join(other[symbols.index(x)] for other in (symbols, *twins) for x in some)


def _worth(table: Table, digits: str) -> tuple[int, ...]:
    """Digits are worth what they are; of other classes each symbol its position, and 1 if it is alone."""
    classes = symbol_classes(table)
    worth = []
    for i, symbol in enumerate(table.symbols):
        alike = [j for j, other in enumerate(classes) if other == classes[i]]
        other = alike.index(i) if len(alike) > 1 else int(i > 0)
        worth.append(digits.index(symbol) if symbol in digits else other)
    return tuple(worth)


def _wanted(table: Table, rule: OutputRule, system: System, number: Node) -> Wanted:
    systems = [system]
    total = sum_of(number, rule, table, systems)
    row, offsets = _stands(table, rule)
    if system.base == 1:
        return Wanted(systems, total, row)
    if system.base > 1:
        return Wanted(systems, total, row, Distances(0, _distance(offsets.last[1])))
    return Wanted(systems, total, row, Distances(_distance(offsets.first[0]), 0))


def _distance(places: set[int]) -> int:
    """How far from an end of the input columns must be told apart; 0 if results stand in too many places."""
    far = max(-at if at < 0 else at + 1 for at in places) if 0 < len(places) <= MOST_PLACES else 0
    return far if far <= LIMITS.farthest_end else 0


def sum_of(node: Node, rule: OutputRule, table: Table, systems: list[System]) -> Sum:
    """A number as a sum of products of ghosts; systems are added for quantities of other kinds."""
    match node:
        case Constant(int(number)):
            return {(): Fraction(number)} if number else {}
        case Operation("+" | "-" | "*" as kind, (left, right)):
            one, other = (sum_of(side, rule, table, systems) for side in (left, right))
            if kind == "*":
                return dict(times(one, other))
            sign = 1 if kind == "+" else -1
            products = one | other
            zero = Fraction(0)
            return {p: a for p in products if (a := one.get(p, zero) + sign * other.get(p, zero))}
    quantity = _quantity(node, table)
    if quantity is None:
        made = f"`{operator_of(node)}`" if operator_of(node) else "a text"
        raise Unsaid(f"the clause has {made}; proven are sums of products of numbers, lengths and counts")
    system, part = quantity
    agrees = [i for i, other in enumerate(systems) if _same(system, other, rule, table, part)]
    if not agrees:
        systems.append(system)
    return {(("v", agrees[0] if agrees else len(systems) - 1, part),): Fraction(1)}


def _quantity(node: Node, table: Table) -> tuple[System, int] | None:
    """The system in which a quantity is the number of a part."""
    match node:
        case Operation("number", (Part(part),), chars):
            return System(Fraction(len(chars)), _digit_values(table, chars)), part
        case Operation("number", (Operation("reverse", (Part(part),)),), chars):
            return System(Fraction(1, len(chars)), _digit_values(table, chars)), part
        case Operation("length", (Part(part),)):
            return System(Fraction(1), tuple(int(i > 0) for i in range(len(table.symbols)))), part
        case Operation("count", (Part(part), Constant(str(symbol)))) if len(symbol) == 1:
            return System(Fraction(1), tuple(int(x == symbol) for x in table.symbols)), part
    return None


def _digit_values(table: Table, digits: str) -> tuple[int, ...]:
    return tuple(max(digits.find(x), 0) for x in table.symbols)


def _same(one: System, other: System, rule: OutputRule, table: Table, part: int) -> bool:
    at = parts_of(rule.language)
    symbols = {x for cell, p in zip(rule.language.cells, at, strict=False) if p == part for x in cell}
    numbers = [table.symbols.index(x) for x in symbols]
    return one.base == other.base and all(one.values[i] == other.values[i] for i in numbers)


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
