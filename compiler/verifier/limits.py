"""Limits of `verify`: a certificate beyond them is refused, so that a hostile one ends soon."""

from __future__ import annotations


class Limits:
    """What the largest proof needs lies far below each."""

    number: int = 2**62  # numbers are smaller, so that every reader of JSON reads and adds them alike
    farthest: int = 1 << 40  # coordinates of cells in a world
    cells: int = 4_096  # of an input clause; the language allows 1,000
    deepest: int = 150  # nesting of an input clause; that of the language is 100
    column_sets: int = 20_000  # to read the condition of inputs
    places: int = 20_000  # columns of inputs that are told apart; a proof has some 2,000
    unions: int = 5_000_000  # to read an input clause: seconds; the largest example needs thousands
    nodes: int = 99  # of an output clause
    literal: int = 10**9  # numbers in an output clause, as in the language
    constant: int = 1_000  # numbers that a reading counts to: as many states
    fold_states: int = 10_000  # of an input clause, as sets; two numbers need four
    fold_columns: int = 2_000_000  # columns of inputs by what may follow; a sum in base ten has a thousand
    fold_grams: int = 500_000  # compare in base ten takes 190,000, a third of a second
    anchor: int = 100  # columns between an end of the input and a text
    first_labels: int = 2_000  # on all worlds: a label for each way to fill a column
    strip_rows: int = 20  # to each side of row 0
    depth: int = 2  # of a strip, and how far its places look ahead
    distance: int = 20  # that places tell
    window_cells: int = 3_000_000  # known in all windows together: a wide radius takes memory, not elements
    elements: int = 400_000  # of a strip; sort in base ten has 28,000, a product 17,000
    grams_of_an_element: int = 5  # of proofs that were found, at most one
    value_steps: int = 4_000_000  # of a strip; a product in base ten has 200,000
    value_terms: int = 50_000_000  # of polynomials, to check them; a product in base ten has 3,000,000
    parts: int = 100  # of an input, where values are checked
    systems: int = 100  # of values in one proof
    factors: int = 10_000  # of its monomials; also variables
    monomials: int = 100_000  # in one proof
    degree: int = 8  # factors in a monomial
    polynomials: int = 200  # in one node
    cases: int = 64  # of a condition; two comparisons that ask for another number have four
    tokens: int = 200  # of a word at one spot; those of the examples have five
    inputs_run: int = 10_000  # one by one
    run_steps: int = 100_000  # of all inputs together, half a second
    descent: int = 2_000  # Two tables on blank cells repeat far sooner, or never.


LIMITS = Limits()
