"""The part of `verify` that knows the sum over columns that all have the same value: (V12), of words.

Let all columns of a part of the input, or of what lies before or after it, on one side of the head have the
same value c in a row, whichever chain of grams leads to them. They are a stretch between a first column and a
last; let A be the weight of the first, and Z that of the column behind the last. In base b the sum of value
times weight over it is c * b * (A - Z) / (b - 1), 0 if it is empty. Where the stretch begins or ends beside
the head, in whose column E is the weight, that gives A = E / b, or Z = E; else A and Z are the weights of
first columns of parts. Before the input nothing is first, and after it nothing last.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction
from typing import NamedTuple

from gridlang.compiler.verifier.values.algebra import ONE, Polynomial
from gridlang.compiler.verifier.values.facts import Group
from gridlang.compiler.verifier.values.proofs import Proof, Term, sum_of_terms, whole_form


class Stretch(NamedTuple):
    """The columns of a part on one side, of the same value in a row."""

    system: int
    value: int
    first: int | None  # the part whose first column it begins with; None if it begins beside the head
    after: int | None  # the part whose first column is behind it; None if that is the head's
    sums: tuple[int, ...]  # the variables that it is in, and nothing else

    def form(self, proof: Proof) -> Polynomial:
        """What is 0."""
        base, head = proof.systems[self.system].base, proof.head(self.system)
        first = Term(1 / base, head) if self.first is None else proof.weight(self.system, self.first, 0)
        after = Term(Fraction(1), head) if self.after is None else proof.weight(self.system, self.after, 0)
        sums = [Term(Fraction(-1), variable) for variable in self.sums]
        return whole_form(sum_of_terms([*sums, *proof.stretch(self.system, self.value, first, after)]))


def stretches(proof: Proof, groups: Sequence[frozenset[Group]], here: int) -> Iterator[Stretch]:
    """Those beside a head in a column of a part, where nodes tell parts."""
    if not (proof.strip.words and proof.by_part):
        return
    for side, there in enumerate(groups):
        parts = {part for _, part, _, _ in there}
        for part in (part for part in parts if (part >= here if side else part <= here)):
            first = None if side and part == here else part
            after = None if not side and part == here else part + 1
            endless = first == -1 or after == proof.strip.places.parts + 1
            for y in proof.strip.rows if not endless else ():
                some = [group for group in there if group[1:3] == (part, y)]
                yield from _of_row(proof, side, some, first, after)


def _of_row(
    proof: Proof, side: int, some: list[Group], first: int | None, after: int | None
) -> Iterator[Stretch]:
    members = proof.strip.members
    for i, system in enumerate(proof.systems):
        values = {system.values[symbol] for _, _, _, group in some for symbol in members[group]}
        if len(values) == 1 and 0 not in values and proof.head(i) != ONE:
            names = {proof.sum_of(i, side, *group) for group in some}
            sums = tuple(sorted(proof.variables[name] for name in names))
            yield Stretch(i, values.pop(), first, after, sums)
