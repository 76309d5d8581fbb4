"""The part of `verify` that checks clauses which ask whether a part reads the same from both ends.

The clause is `x if a == reverse(a) else y`, or the same with `!=`, `not`, or sides exchanged; x and y are
texts or numbers, or one is `accept` and the other `stuck`. Evidence is that of words; its first proof has
four systems: two of base R and 1 / R with the same values, in which the symbols of the part have different
values from 1 to R - 1; and two of these bases in which each symbol counts 1 that has a value there.

Let A be the weight of the part's first column in base 1 / R, and Z that of the column behind it in base R. In
column x, with its weights W in both bases, let fore = A * W and back = R * Z * W. Both are powers of R. From
a column to the next one fore goes down and back goes up, each by a factor R, and fore of a column is back of
its mirror image in the part. D is the sum over the part of value * (fore - back): the number of the word less
that of its mirror image, times a power of R. No digit is 0, so D = 0 if and only if they are the same word.

(V15) Theorem, mirrored words. Let (a) and (b) of (V12) hold with the facts of (V13). At an element that reads
      a symbol, the polynomials of its node and the facts tell that the word
       (c) is its mirror image, if they give D = 0;
       (d) is not, if there are a column c, that of the head or one beside it, and a whole number n, not 0 and
           of size below R, and with X, all columns that have a value in row 0, without the head's if that is
           c, they give: D is the sum over X of value * (fore - back), and n * (fore - back) of c; and R - 1
           times the sum of back over X is back of c less R * fore of c, or this with fore and back exchanged.
      What is told of a word stays so. Take pairs of an element and what was told: at the start nothing, after
      a step what was told before and what is told there; where that is both (c) and (d), there is no such
      run. At each pair in which LEFT halts, let it be told whether the word is its mirror image, there or
      before, and let the result be what the clause says of such words. If the clause has `accept` and
      `stuck`, let LEFT halt or be stuck as it says.
      Then on every declared input, if LEFT halts, it leaves what its output clause says; and if every run of
      an acceptor ends, it ends as its clause says.
      Of (d): let back of c be R ^ q, and fore R ^ p. A sum of powers is not below 0, so q > p, and that of
      back over X is R ^ (p + 1) + ... + R ^ (q - 1). No other powers, each taken once, have this sum: they
      are those of X. So X stands before c, where fore is larger than in c; all of fore and back in X, and
      back of c, are multiples of R ^ (p + 1). So is D less n * R ^ p; and n * R ^ p is not. So D is not 0.
      With fore and back exchanged it is mirrored.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Any, NamedTuple

from compiler.verifier.limits import LIMITS
from compiler.verifier.output_clauses import OutputClause, Word
from compiler.verifier.tables import Rules, Wrong, check
from compiler.verifier.values.algebra import Polynomial
from compiler.verifier.values.facts import Surroundings
from compiler.verifier.values.proofs import Proof, System, Term, sum_of_terms, whole_form
from compiler.verifier.values.results import Results
from compiler.verifier.values.steps import ProofCheck
from compiler.verifier.values.strips import WHERE, Element, Node, ValueStrip

NO_SYSTEMS = "its proofs have no systems for what the output clause says"
NOTHING, SAME, OTHER = range(3)  # what is told; both, one after the other, are not of a run
Form = dict[int, Fraction]


class Mirrored(NamedTuple):
    """A clause: the part that it asks about, and what it says where that is its mirror image, and else."""

    part: int
    says: dict[int, Word | bool]  # by what is told; whether LEFT halts, of `accept` and `stuck`


def mirrored_clause(left: Rules, strip: ValueStrip) -> Mirrored:
    """The clause of a table; Wrong if it asks something else."""
    whole = isinstance(left.output, dict) and set(left.output) == {"digits", "value"}
    tree: Any = left.output["value"] if whole else None
    chooses = isinstance(tree, list) and len(tree) == 4 and tree[0] == "if"
    check(chooses, "left", "its output clause does not choose")

    def clause(value: Any) -> OutputClause:
        return OutputClause(left._replace(output={**left.output, "value": value}), strip.places.clause)

    def said(value: Any) -> Word | bool:
        if value == ["accept"] or value == ["stuck"]:
            return bool(value == ["accept"])
        read = clause(value)
        check(read.node[0] == "constant", "left", "its output clause says what is no text")
        return read.word(read.spelled(read.node[1]))

    condition, same, other = clause(tree[1]).node, said(tree[2]), said(tree[3])
    ends = [isinstance(one, bool) for one in (same, other)]
    check(ends[0] == ends[1], "left", "its output clause has results beside `accept` and `stuck`")
    while condition[0] == "not":
        condition, same, other = condition[1], other, same
    check(condition[0] in ("==", "!="), "left", "its output clause asks something else")
    if condition[0] == "!=":
        same, other = other, same
    one, two = sorted(condition[1:], key=lambda node: str(node[0]))
    check(one[0] == "part" and two == ("reverse", one), "left", "its output clause asks something else")
    return Mirrored(one[1], {SAME: same, OTHER: other})


class _Numbers:
    """The polynomials of (c) and (d) in the variables of a proof."""

    def __init__(self, proof: Proof, part: int) -> None:
        self.proof, self.part = proof, part
        self.fore, self.back, *ones = self._systems()
        self.ones = dict(zip((self.fore, self.back), ones, strict=True))
        self.base = proof.systems[self.fore].base
        self.over = {
            self.fore: proof.weight(self.back, part, 0),
            self.back: proof.weight(self.fore, part + 1, 1),
        }
        totals = {system: self._times(system, proof.total_of(system, part)) for system in self.over}
        self.whole = _sum((1, totals[self.fore]), (-1, totals[self.back]))

    def _systems(self) -> tuple[int, int, int, int]:
        """One that reads words, that of its inverse base, and those in which each symbol counts 1."""
        systems, symbols = self.proof.systems, self.proof.symbols_of[self.part]
        first = next((i for i, system in enumerate(systems) if self._reads(system, symbols)), None)
        if first is None:
            raise Wrong(WHERE, NO_SYSTEMS)
        base, values, *_ = systems[first]
        ones = [int(value != 0) for value in values]
        return first, self._like(1 / base, values), self._like(base, ones), self._like(1 / base, ones)

    def _like(self, base: Fraction, values: list[int]) -> int:
        for i, system in enumerate(self.proof.systems):
            if (system.base, system.values) == (base, values):
                return i
        raise Wrong(WHERE, NO_SYSTEMS)

    def _reads(self, system: System, symbols: set[int]) -> bool:
        values = {system.values[symbol] for symbol in symbols}
        whole = system.base > 1 and system.base.denominator == 1
        return whole and len(values) == len(symbols) and 0 < min(values) <= max(values) < system.base

    def _times(self, system: int, terms: list[Term]) -> Form:
        """Terms times what a column weighs over its weight in a system."""
        return sum_of_terms(self.proof.product([self.over[system], term]) for term in terms)

    def _row(self, system: int, of: int, whole: bool) -> Form:
        """The values of a system in row 0, all or all but the head's, times the weights of another one."""
        variables = (
            variable
            for (kind, *at), variable in self.proof.variables.items()
            if at[0] == system
            and (kind == "F" or (kind == "N" and at[2] == 0) or (kind == "U" and at[1] == 0 and whole))
        )
        return self._times(of, [Term(Fraction(1), variable) for variable in variables])

    def _head(self, system: int, away: int) -> Form:
        """The weight of a column so far away from the head's."""
        weight = Term(self.proof.systems[system].base ** -away, self.proof.head(system))
        return self._times(system, [weight])

    def at(self, away: int) -> tuple[Form, Form, list[Form]]:
        """D less the sum over X; fore(c) - back(c); and what is 0 where X stands before c, or behind it."""
        fore, back = self.fore, self.back
        head = {system: self._head(system, away) for system in (fore, back)}
        sums = {system: self._row(system, system, away != 0) for system in (fore, back)}
        ones = {system: self._row(self.ones[system], system, away != 0) for system in (fore, back)}
        rest = _sum((1, self.whole), (-1, sums[fore]), (1, sums[back]))
        ends = [
            _sum((self.base - 1, ones[one]), (-1, head[one]), (self.base, head[other]))
            for one, other in ((back, fore), (fore, back))
        ]
        return rest, _sum((1, head[fore]), (-1, head[back])), ends


def _sum(*terms: tuple[Fraction | int, Form]) -> Form:
    return sum_of_terms(Term(number * a, monomial) for number, form in terms for monomial, a in form.items())


class MirrorCheck:
    """(c) and (d) of (V15), and what LEFT leaves."""

    def __init__(self, strip: ValueStrip, surroundings: Surroundings, proof: ProofCheck, row: int) -> None:
        self.strip, self.surroundings, self.proof = strip, surroundings, proof
        self.clause = mirrored_clause(strip.left, strip)
        self.results = Results(strip, row)
        numbers = _Numbers(proof.proof, self.clause.part)
        self.base, self.whole = int(numbers.base), whole_form(numbers.whole)
        self.columns = [self._forms(*numbers.at(away)) for away in (0, 1, -1)]
        self._told: dict[tuple[Node, int], int] = {}

    def _forms(self, rest: Form, letter: Form, ends: list[Form]) -> tuple[list[Polynomial], list[Polynomial]]:
        """What is 0 of a column by (d): one of the first, and one of the second, for some number n."""
        numbers = [sign * n for n in range(1, self.base) for sign in (1, -1)]
        return [*map(whole_form, ends)], [whole_form(_sum((1, rest), (-n, letter))) for n in numbers]

    @property
    def accepts(self) -> bool:
        return isinstance(self.clause.says[SAME], bool)

    def check(self) -> None:
        """Wrong if LEFT may end otherwise than the clause says."""
        work = [(element, NOTHING) for element in self.strip.starts]
        seen, steps = set(work), 0
        for element, before in work:
            for symbol in self.strip.reads(element):
                told = before | self._tells(element, symbol)
                if told == SAME | OTHER:
                    continue
                if not self.strip.steps(element[0], symbol):
                    self._check_end(element, symbol, told)
                    continue
                for later in self.strip.follows(element, symbol):
                    steps += 1
                    check(steps <= LIMITS.value_steps, WHERE, "its strip has too many steps")
                    if (later, told) not in seen:
                        seen.add((later, told))
                        work.append((later, told))

    def _check_end(self, element: Element, symbol: int, told: int) -> None:
        halts = self.strip.halts(element[0], symbol)
        if not halts and not self.accepts:
            return  # That LEFT is never stuck is shown elsewhere.
        check(told != NOTHING, WHERE, "LEFT may end where nothing tells what its output clause asks")
        says = self.clause.says[told]
        right = halts is says if isinstance(says, bool) else self.results.spells(element, symbol, says)
        check(right, WHERE, "LEFT may end otherwise than its output clause says")

    def _tells(self, element: Element, symbol: int) -> int:
        at = self.strip.node(element), self.surroundings.at(element, symbol)
        if at not in self._told:
            same = self.proof.is_zero(*at, self.whole, [])
            self._told[at] = SAME if same else OTHER if self._differs(*at) else NOTHING
        return self._told[at]

    def _differs(self, node: Node, facts: int) -> bool:
        """(d)"""

        def shows(polynomial: Polynomial) -> bool:
            return self.proof.is_zero(node, facts, polynomial, [])

        return any(any(map(shows, ends)) and any(map(shows, rests)) for ends, rests in self.columns)
