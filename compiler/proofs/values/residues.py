"""Linear algebra over the integers modulo a prime, on sparse rows."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from gridlang.compiler.proofs.values.polynomials import PRIME, Span, add_times

Row = dict[int, int]  # column: number, not 0
Matrix = Mapping[int, Row]  # its rows


def echelon(rows: Iterable[Row]) -> Span:
    """Their span in reduced echelon form: rows begin with their first column."""
    span = Span(min)
    for row in rows:
        span.add(row, {})
    return span


def annihilators(rows: Iterable[Row], columns: Sequence[int]) -> list[Row]:
    """A basis of the vectors, of these columns, whose product with every row is 0; its columns in order."""
    form = echelon(rows).rows
    basis: dict[int, Row] = {column: {} for column in columns if column not in form}
    for lead in sorted(form):
        for column, a in form[lead][0].items():
            if column != lead:
                basis[column][lead] = PRIME - a
    return [{**row, column: 1} for column, row in basis.items()]


def product(row: Row, matrix: Matrix) -> Row:
    result: Row = {}
    for column, a in row.items():
        if column in matrix:
            add_times(result, matrix[column], a)
    return result


def where_zero(rows: Iterable[Row], matrix: Matrix) -> list[Row]:
    """A basis of the part of the rows' span whose products with a matrix are 0."""
    values, zero = Span(), list[Row]()
    for row in rows:
        made = dict(row)
        if not values.add(product(row, matrix), made):
            zero.append(made)
    return zero
