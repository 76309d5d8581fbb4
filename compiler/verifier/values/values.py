"""The part of `verify` that checks values: why LEFT leaves what its output clause says, for all inputs.

Columns have weights, the powers of a base. A *system* is a base b, above -1 and not 0, and a value for each
symbol, 0 for the blank; column x weighs W(x) = b * W(x + 1). If b > 1 the first column after the input weighs
1, if b < 1 the first column of the input. *Ghosts* do not change in a run: B(k), the weight of the first
column of part k of the input, or of what comes after it if that is empty; and v(j), the number that part j
spells in the system. *Variables* are the weight E of the head's column; U(y), value times weight of its cell
in row y; and on each side of the head sums of value times weight: F(j) over the columns of part j that were
never acted on, and N(y, c) over the cells in row y, of class c, of columns that were. The certificate has,
for each *node* (the state, the head's row, the classes of its column, perhaps its part), polynomials in
these, with at most one variable in each monomial.

(V12) Theorem, values. Take the strip that `strips` computes from LEFT's table and its input clause. Let
       (a) each polynomial of the node of an element at the start be 0, where all sums to the left and all N
           are 0, and F(j) is what part j spells, less U(0) if the head is in that part;
       (b) for each element e, symbol that it may read, and element f that the step leads to, each polynomial
           of f's node, written in what there was before the step, be a linear combination of those of e's
           node, after the facts of e and f are put into all of them (`facts`);
       (c) at each element in which LEFT halts, and which (V16) does not exclude, what stands in the world be
           a result of which the polynomials of its node say that it is what the output clause says (`goals`).
     Then on every declared input, if LEFT halts, it leaves what its output clause says.
     By (V8), after each step some element of the strip stands for what there is; its facts are true. So all
     polynomials of its node are 0: at the start by (a), later by (b), since a combination of what is 0 is 0.
     A step changes variables as follows. The cell that is written has U = value * E. If the head goes to the
     right, the cells of its column go into N to the left, E becomes E / b, and the cells of the next column,
     T(y), come out of F to the right, or of N, and are the new U. To the left it is mirrored.

(V13) Theorem, words. The same with the facts of `stretches`, for the clauses of `words`. What a part sums
      up to, whose symbols all have one value, is there known from its ends; so is the weight that two systems
      of inverse bases have in common. A negative base is for clauses that take every second symbol.
"""

from __future__ import annotations

from typing import Any

from gridlang.compiler.verifier.limits import LIMITS
from gridlang.compiler.verifier.tables import Rules, are_lists, check
from gridlang.compiler.verifier.values.facts import Surroundings
from gridlang.compiler.verifier.values.goals import check_goals
from gridlang.compiler.verifier.values.inequalities import Exclusions
from gridlang.compiler.verifier.values.proofs import Proof
from gridlang.compiler.verifier.values.steps import Ground, ProofCheck, Step
from gridlang.compiler.verifier.values.strips import FRESH, WHERE, Column, ValueStrip

PARTS = {"rows", "row", "near", "far", "dim", "classes", "marks", "kinds", "proofs"}

NO_ROW = "its row is not of the strip"
VALUE_KINDS = ("values", "sorted", "words")  # of evidence


class ValuesCheck:
    """All proofs on one strip."""

    def __init__(self, left: Rules, part: dict[str, Any], kind: str) -> None:
        """Evidence with `ends` excludes what no run comes to, by its only proof."""
        self.strip = ValueStrip(left, part, kind not in ("values", "sorted"))
        self.surroundings = Surroundings(self.strip)
        proofs = part["proofs"]
        check(isinstance(proofs, list) and 0 < len(proofs) <= LIMITS.systems, WHERE, "its proofs are none")
        facts = self.surroundings.facts
        self.proofs = [ProofCheck(Proof(self.strip, proof), facts) for proof in proofs]
        self.exclusions: Exclusions | None = None
        if "ends" in part:
            check(len(self.proofs) == 1, WHERE, "its proofs are not one")
            self.exclusions = Exclusions(self.surroundings, self.proofs[0], part["ends"])

    def check(self) -> None:
        """(a) and (b)"""
        strip = self.strip
        for element in strip.starts:
            place = strip.labels[element[4]].place
            start = strip.node(element), self.surroundings.at(element), strip.places.told[place].part
            for proof in self.proofs:
                proof.check_start(*start)
        for step, around in self._steps().items():
            for proof in self.proofs:
                proof.check_step(step, around)

    def _steps(self) -> dict[Step, set[tuple[int, int]]]:
        """All steps of the strip, each with the facts before and after it."""
        strip, facts = self.strip, self.surroundings
        grounds = [self._ground(column) for column in strip.rough]
        ends = {element: (strip.node(element), facts.at(element)) for element in strip.elements}
        steps: dict[Step, set[tuple[int, int]]] = {}
        many = 0
        for element, (node, _) in ends.items():
            for move in strip.moves(element):
                symbol, side = move.symbol, move.side
                if self.exclusions and self.exclusions.excludes(element, symbol):
                    continue
                before = facts.at(element, symbol)
                cells = facts.facts[before].cells
                write = strip.left.does[element[0], symbol][0]
                for later in strip.follows(element, move):
                    many += 1
                    check(many <= LIMITS.value_steps, WHERE, "its strip has too many steps")
                    left = grounds[move.coarse] if side else None
                    shape = element[2], write, side, left, grounds[strip.coarse[later[4]]] if side else None
                    end, after = ends[later]
                    steps.setdefault((node, cells, shape, end), set()).add((before, after))
        return steps

    def _ground(self, column: Column) -> Ground:
        cells, place, mark = column
        return mark == FRESH, self.strip.places.told[place].part, cells


def check_values(left: Rules, part: dict[str, Any], kind: str = "values") -> int:
    """(V12), or (V13) of words; how many elements there are. Wrong if the part does not show it."""
    if kind != "sorted":
        return _check_strip(left, part, kind)
    listed = isinstance(part, dict) and set(part) == {"thresholds"} and are_lists([part["thresholds"]])
    check(listed and part["thresholds"], WHERE, "something is missing or unknown")
    rows = {str(strip["row"]) for strip in part["thresholds"] if isinstance(strip, dict) and "row" in strip}
    check(len(rows) == 1, WHERE, "its thresholds are of different rows")
    return sum(
        _check_strip(left, strip, kind, (index, len(part["thresholds"])))
        for index, strip in enumerate(part["thresholds"])
    )


def check_inequalities(left: Rules, part: Any) -> None:
    """(V16): that LEFT is never stuck on declared inputs; Wrong if the part does not show it."""
    whole = isinstance(part, dict) and set(part) == {"kind", "ends", *PARTS}
    check(whole, WHERE, "something is missing or unknown")
    values = ValuesCheck(left, part, "values")
    check(type(part["row"]) is int and part["row"] in values.strip.rows, WHERE, NO_ROW)
    values.check()
    if values.exclusions:
        values.exclusions.check_never_stuck()


def _check_strip(left: Rules, part: Any, kind: str, threshold: tuple[int, int] | None = None) -> int:
    """Of one strip; `threshold` is its number and how many there are."""
    excludes = isinstance(part, dict) and kind == "values" and "ends" in part
    whole = isinstance(part, dict) and set(part) == ({*PARTS, "ends"} if excludes else PARTS)
    check(whole, WHERE, "something is missing or unknown")
    values = ValuesCheck(left, part, kind)
    # First, as it takes less than all steps, and most that is wrong fails it.
    check_goals(values.surroundings, values.proofs, part["row"], threshold, values.exclusions)
    values.check()
    return len(values.strip.elements)
