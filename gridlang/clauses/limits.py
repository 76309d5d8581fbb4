"""Limits of clauses: what is larger is refused, or has no value."""

from __future__ import annotations


class Limits:
    """Real clauses stay far below them."""

    most_cells: int = 1_000  # of an input clause: links between them grow with the square
    most_listed: int = (
        64  # symbols beyond the shortest text of a listed one: some forms have one text a length
    )
    most_rows: int = 4_096  # of an automaton that is kept for inputs to come
    most_rejected: int = 20_000  # texts in a row that a condition excludes: about a second
    longest_text: int = 10_000_000  # symbols that `repeat` and `replace` make: more would fill the memory
    long_number: int = 4_000  # digits; Python's own limit is little more
    number_bits: int = (
        10_000  # of a power, or of a value within an expression: more than any test's grid holds
    )
    most_rounds: int = 100_000  # of all loops of a clause, for one input: some tenths of a second
    folded_text: int = 100_000  # symbols of a text that a fold keeps, as each round may read all of it
    longest_shown: int = 40  # symbols of a part in a message


LIMITS = Limits()
