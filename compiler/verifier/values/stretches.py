"""The part of `verify` that knows the sum over columns that all have the same value: (V12), of words.

The head's column is in a part of the input, or before or after it. Let all columns of that part on one side
of the head have the same value c in a row, whichever chain of grams leads to them. They are a stretch; let A
be the weight of its first column, and Z that of the column behind its last. In base b the sum of value times
weight over it is c * b * (A - Z) / (b - 1), 0 if it is empty. E is the weight of the head's column. To the
left A is the weight of the part's first column, and Z is E; to the right A is E / b, and Z the weight of the
first column of the next part. Before the input nothing is first, and after it nothing last.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction
from typing import NamedTuple

from gridlang.compiler.verifier.values.algebra import ONE, Polynomial
from gridlang.compiler.verifier.values.facts import Group
from gridlang.compiler.verifier.values.proofs import Proof, Term, sum_of_terms, whole_form


class Stretch(NamedTuple):
    """The columns of the head's part on one side, of the same value in a row."""

    system: int
    value: int
    side: int  # 0 to the left, 1 to the right
    end: int  # the part whose first column is their first, or the one behind their last
    sums: tuple[int, ...]  # the variables that it is in, and nothing else

    def form(self, proof: Proof) -> Polynomial:
        """What is 0."""
        head, end = proof.head(self.system), proof.weight(self.system, self.end, 0)
        beside = Term(1 / proof.systems[self.system].base if self.side else Fraction(1), head)
        ends = (beside, end) if self.side else (end, beside)
        sums = [Term(Fraction(-1), variable) for variable in self.sums]
        return whole_form(sum_of_terms([*sums, *proof.stretch(self.system, self.value, *ends)]))


def stretches(proof: Proof, groups: Sequence[frozenset[Group]], here: int) -> Iterator[Stretch]:
    """Those beside a head in a column of a part, where nodes tell parts."""
    if not (proof.strip.words and proof.by_part):
        return
    for side, there in enumerate(groups):
        end, members = here + side, proof.strip.members
        for y in proof.strip.rows if 0 <= end <= proof.strip.places.parts else ():
            some = [group for group in there if group[1:3] == (here, y)]
            for i, system in enumerate(proof.systems):
                values = {system.values[symbol] for _, _, _, group in some for symbol in members[group]}
                if len(values) == 1 and 0 not in values and proof.head(i) != ONE:
                    names = {proof.sum_of(i, side, *group) for group in some}
                    sums = tuple(sorted(proof.variables[name] for name in names))
                    yield Stretch(i, values.pop(), side, end, sums)
