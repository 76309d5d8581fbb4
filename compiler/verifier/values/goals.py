"""The part of `verify` that checks the ends of (V12): where LEFT halts, the result is what the clause says.

At each element in which LEFT halts, on every chain of grams to its left and right, all rows but that of the
results must be blank, and in that row one stretch of symbols stands between blanks; of a number, at least one
symbol. The sum of value times weight over this row is U of it, all its N, and F if it is row 0. Let w be the
weight of the stretch's last column, and x an expression of +, - and * over numbers, over what parts of the
input spell, forwards or backwards, their lengths, and counts of a symbol in them, each the ghost of a system
that counts it. That an equality holds is shown by the polynomials of the node, as in (b), perhaps after it is
multiplied by a weight, which is not 0, and by equalities of the condition of the inputs. Known clauses are

(G1) x: the symbols are digits, the system has their values, and their number as its base; the sum is w * x;
(G2) text(x): the same, and the first column holds no 0, or is the last one too. For reverse(text(x)) the base
     is the inverse, w the weight of the first column, and the last one holds no 0, or is the first one too;
(G3) repeat(c, x): all symbols are c, with the value 1, the base is 1, and the sum is x; c alone is
     repeat(c, 1);
(G4) sorted(part): the symbols are of the part and never go down; for each of them, in a system of base 1 in
     which it counts 1, and other symbols of the part 0, the sum is how often it stands in the part. Evidence
     of the kind `sorted` has a strip for each symbol of the part instead, the *threshold*: no symbol below it
     stands behind another, and in a system of base 1 in which these count 0, and other symbols of the part 1,
     the sum is how many of the others stand in the part. All thresholds together say that the row is sorted:
     if two neighbours went down, the first would be a threshold that the second is below; and the count of
     a symbol is that from it on, less that from the next one on;
(G5) parts and texts, joined and reversed, in evidence of words: the symbols are those that the clause may
     have; in a system that reads words, the sum times what the word's number is over is w times that number
     (`words`), w the weight of the first column if the base is below 1, and 1 where only blanks can stand.
"""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Any, NamedTuple

from gridlang.compiler.verifier.clauses.outputs import Node as Expression
from gridlang.compiler.verifier.clauses.outputs import OutputClause
from gridlang.compiler.verifier.tables import Rules, Wrong, check
from gridlang.compiler.verifier.values.algebra import Polynomial
from gridlang.compiler.verifier.values.expressions import Sum, system_of, value_of
from gridlang.compiler.verifier.values.facts import Surroundings, Weight
from gridlang.compiler.verifier.values.inequalities import Conditions, Exclusions
from gridlang.compiler.verifier.values.proofs import Term, sum_of_terms, whole_form
from gridlang.compiler.verifier.values.results import Column, Result, Results
from gridlang.compiler.verifier.values.steps import ProofCheck
from gridlang.compiler.verifier.values.strips import WHERE, Element, Node, ValueStrip
from gridlang.compiler.verifier.values.words import UNIT, Words

Units = tuple[Weight, ...]
NO_SYSTEMS = "its proofs have no systems for what the output clause says"


class Equality(NamedTuple):
    """The sum in a system of a proof is an expression, times the weight of the column that counts 1."""

    proof: ProofCheck
    system: int
    value: Sum
    over: Term = UNIT  # The sum is multiplied by it.


class Goal(NamedTuple):
    """What must be so where LEFT halts."""

    symbols: set[int]  # that a result may have
    equalities: list[Equality]
    unit: str | None  # the column that counts 1: "first" or "last"; None if all do
    highest: str | None = None  # the column without a 0 in it
    zero: int = 0
    levels: Mapping[int, int] | None = None  # of the symbols, where these never go down
    may_be_empty: bool = False  # a result, where nothing else can stand


def check_goals(
    surroundings: Surroundings,
    proofs: list[ProofCheck],
    row: Any,
    threshold: tuple[int, int] | None,
    exclusions: Exclusions | None,
) -> None:
    """Wrong if LEFT may halt and leave what is not the clause's; a threshold is one of several."""
    strip = surroundings.strip
    check(type(row) is int and row in strip.rows, WHERE, "its row is not of the strip")
    goal = Goals(strip, proofs, threshold, strip.left).goal()
    ends = Ends(surroundings, goal, row)
    seen: dict[tuple[Node, int, Units], None] = {}
    for element in strip.elements:
        for symbol in strip.reads(element):
            if strip.halts(element[0], symbol) and not (exclusions and exclusions.excludes(element, symbol)):
                end = strip.node(element), surroundings.at(element, symbol)
                seen |= {(*end, units): None for units in ends.units(element, symbol)}
    for equality in goal.equalities:
        told = Conditions(equality.proof.proof, strip.left).equalities()
        for node, facts, units in seen:
            _check_sum(equality, row, node, facts, units, told)


class Ends:
    """Where LEFT halts: the weights that the column which counts 1 may have, each told in several ways."""

    def __init__(self, surroundings: Surroundings, goal: Goal, row: int) -> None:
        self.surroundings, self.goal, self.results = surroundings, goal, Results(surroundings.strip, row)

    def units(self, element: Element, symbol: int) -> list[Units]:
        """Wrong if what stands there needs no sums to be wrong."""
        result = self.results.at(element, symbol)
        _check_text(self.goal, result)
        if self.goal.unit is None or not result.columns:
            return [()]
        units: dict[Units, None] = {}
        for left, column, right in sorted(result.columns):
            if (left if self.goal.unit == "first" else right).is_blank:
                weights = self.surroundings.weights(left.label, column.label, right.label)
                check(weights, WHERE, "LEFT may halt where a result stands anywhere")
                units[weights] = None
        return list(units)


def _check_text(goal: Goal, result: Result) -> None:
    """What needs no sums."""
    known = not result.may_be_empty or (goal.may_be_empty and not result.columns)
    check(goal.unit is None or known, WHERE, "LEFT may halt without a result")
    for left, column, right in result.columns:
        known = goal.symbols.issuperset(column.symbols)
        check(known, WHERE, "LEFT may halt where a result has a symbol that the clause never has")
        alone = left.is_blank and right.is_blank
        outer = {"first": left, "last": right, None: column}[goal.highest]
        leading = outer.is_blank and not alone and goal.zero in column.symbols
        check(not leading, WHERE, "LEFT may halt where a result has a 0 too many")
        pairs = [pair for pair in ((left, column), (column, right)) if not any(c.is_blank for c in pair)]
        rises = goal.levels is None or all(_rises(goal.levels, *pair) for pair in pairs)
        check(rises, WHERE, "LEFT may halt where a result is not sorted")


def _rises(levels: Mapping[int, int], one: Column, other: Column) -> bool:
    known = levels.keys() >= {*one.symbols, *other.symbols}
    return known and max(levels[s] for s in one.symbols) <= min(levels[s] for s in other.symbols)


def _check_sum(
    equality: Equality,
    row: int,
    node: Node,
    facts: int,
    units: tuple[Weight, ...],
    told: list[Polynomial],
) -> None:
    checked, proof = equality.proof, equality.proof.proof
    weights = [proof.weight(equality.system, *unit) for unit in units] or [UNIT]
    form = sum_less_value(equality, row, weights[0])
    same = [_difference(weights[0], weight) for weight in weights[1:]] + told
    goals = [{proof.ring.scaled(ghost, m): n for m, n in form.items()} for ghost in proof.no_zeros()]
    shown = any(checked.is_zero(node, facts, whole_form(goal), same) for goal in goals)
    check(shown, WHERE, "LEFT may halt where a result is not what its output clause says")


def sum_less_value(equality: Equality, row: int, weight: Term) -> Sum:
    """What is 0 where the column that counts 1 has a weight."""
    checked, system, value, over = equality
    proof, width = checked.proof, checked.proof.ring.width
    form: Sum = {proof.ring.scaled(m // width, weight.monomial): -n * weight.number for m, n in value.items()}
    for key, variable in proof.variables.items():
        kind, *of = key
        if of[0] == system and (
            key == ("U", system, row) or (kind == "N" and of[2] == row) or (kind == "F" and row == 0)
        ):
            form[proof.ring.scaled(over.monomial // width, variable)] = over.number
    return form


def _difference(a: Term, b: Term) -> Polynomial:
    if a.monomial == b.monomial:
        return whole_form({a.monomial: a.number - b.number})
    return whole_form({a.monomial: a.number, b.monomial: -b.number})


class Goals:
    """Reads the output clause: (G1) to (G5)."""

    def __init__(
        self, strip: ValueStrip, proofs: list[ProofCheck], threshold: tuple[int, int] | None, left: Rules
    ) -> None:
        self.threshold, self.clause = threshold, OutputClause(left, strip.places.clause)
        self.proofs, self.names, self.words = proofs, left.symbols, strip.words

    def goal(self) -> Goal:
        kind, *inner = self.clause.node
        if self.words:
            return self._word()
        if self.threshold is not None:
            check(kind == "sorted", "left", "its output clause does not sort")
            return self._from(inner[0], *self.threshold)
        if kind == "sorted":
            return self._all_counts(*inner)
        if kind == "repeat":
            return self._repeat(*inner)
        if kind == "constant" and isinstance(inner[0], str):
            return self._repeat(self.clause.node, ("constant", 1))
        if kind == "reverse":
            of_text = "its output clause reverses what is no part and no `text`"
            check(inner[0][0] == "text", "left", of_text)
            return self._number(inner[0][1], Fraction(1, len(self._digits())), "first", "last")
        if kind == "text":
            return self._number(inner[0], Fraction(len(self._digits())), "last", "first")
        return self._number(self.clause.node, Fraction(len(self._digits())), "last", None)

    def _word(self) -> Goal:
        proof = self.proofs[0].proof
        words = Words(self.clause, proof.symbols_of)
        system = words.system(proof)
        word = None if system is None else words.number(proof, system)
        if system is None or word is None:
            raise Wrong(WHERE, NO_SYSTEMS)
        value = sum_of_terms(word.terms)
        unit = "last" if proof.systems[system].base > 1 else "first"
        equality = Equality(self.proofs[0], system, value, word.over)
        return Goal(words.symbols, [equality], unit, may_be_empty=True)

    def _digits(self) -> dict[int, int]:
        digits = self.clause.digits
        check(digits and "-" not in digits, "left", "its output clause has a number and no digits")
        return {self.names.index(digit): value for value, digit in enumerate(digits)}

    def _number(self, node: Expression, base: Fraction, unit: str, highest: str | None) -> Goal:
        digits = self._digits()
        equality = self.equality(base, digits, node)
        return Goal(set(digits), [equality], unit, highest, next(iter(digits)))

    def _repeat(self, text: Expression, times: Expression) -> Goal:
        one = text[0] == "constant" and text[1] in self.names[1:]
        check(one, "left", "its output clause repeats what is not one symbol")
        values = {self.names.index(text[1]): 1}
        return Goal(set(values), [self.equality(Fraction(1), values, times)], None)

    def _all_counts(self, node: Expression) -> Goal:
        check(node[0] == "part", "left", "its output clause sorts what is no part")
        goal = self.sorted(node[1])
        for symbol in goal.symbols:
            values = {other: int(other == symbol) for other in goal.symbols}
            goal.equalities.append(self.equality(Fraction(1), values, ("count", node[1], self.names[symbol])))
        return goal

    def sorted(self, part: int) -> Goal:
        """The symbols of a part never go down."""
        symbols = self.proofs[0].proof.symbols_of[part]
        return Goal(symbols, [], None, levels={symbol: symbol for symbol in symbols})

    def _from(self, node: Expression, index: int, thresholds: int) -> Goal:
        """Of a threshold: the symbols from it on, after all others."""
        check(node[0] == "part", "left", "its output clause sorts what is no part")
        symbols = [*self.proofs[0].proof.symbols_of[node[1]]]
        symbols.sort()
        check(thresholds == len(symbols), WHERE, "its thresholds are not one for each symbol")
        levels = {symbol: int(symbol >= symbols[index]) for symbol in symbols}
        for proof in self.proofs:
            system = system_of(proof.proof, Fraction(1), levels)
            if system is not None:
                number, monomial = proof.proof.number_of(system, node[1])
                return Goal({*symbols}, [Equality(proof, system, {monomial: number})], None, levels=levels)
        raise Wrong(WHERE, NO_SYSTEMS)

    def equality(self, base: Fraction, values: dict[int, int], node: Expression) -> Equality:
        """In the first proof that has all systems which it needs."""
        for proof in self.proofs:
            system = system_of(proof.proof, base, values)
            value = value_of(proof.proof, self.clause, node)
            if system is not None and value is not None:
                return Equality(proof, system, value)
        raise Wrong(WHERE, NO_SYSTEMS)
