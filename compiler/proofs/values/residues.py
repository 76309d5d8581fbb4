"""Linear algebra over the integers modulo a prime, on numpy arrays."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from gridlang.compiler.proofs.values.polynomials import PRIME

Residues = npt.NDArray[np.int64]
Sparse = list[Residues]  # rows, columns and numbers, in parts that have no column twice


def echelon(rows: Residues) -> tuple[Residues, list[int]]:
    """The reduced echelon form, without rows of zeros, and the columns that rows begin with."""
    matrix = rows % PRIME
    leads: list[int] = []
    for column in range(matrix.shape[1]):
        at = len(leads)
        if at == len(matrix):
            break
        below = matrix[at:, column].nonzero()[0]
        if len(below) == 0:
            continue
        matrix[[at, at + below[0]]] = matrix[[at + below[0], at]]
        rest = matrix[:, column:]  # The row has zeros before.
        rest[at] = rest[at] * pow(int(rest[at, 0]), -1, PRIME) % PRIME
        others = rest[:, 0].nonzero()[0]
        others = others[others != at]
        rest[others] = (rest[others] - rest[others, 0, None] * rest[at]) % PRIME
        leads.append(column)
    return matrix[: len(leads)], leads


def outside(form: Residues, rows: Residues) -> Residues:
    """What is left of rows, less what is in the span of an echelon form; none where all of them are in it."""
    leads = (form != 0).argmax(axis=1)
    rest = (rows - product(rows[:, leads], form)) % PRIME
    return rest[rest.any(axis=1)] if rest.any() else rest[:0]


def annihilators(rows: Residues) -> Residues:
    """A basis of the vectors whose product with every row is 0."""
    form, leads = echelon(rows)
    free = np.delete(np.arange(rows.shape[1]), leads)
    basis = np.zeros((len(free), rows.shape[1]), np.int64)
    basis[np.arange(len(free)), free] = 1
    basis[:, leads] = -form[:, free].T % PRIME
    return basis


def product(left: Residues, right: Residues) -> Residues:
    """The matrix product; halves of the left numbers, so that no sum overflows."""
    return (((left >> 16) @ right % PRIME << 16) + (left & 0xFFFF) @ right) % PRIME


def sparse(entries: Sequence[tuple[int, int, int]]) -> Sparse:
    """A square matrix of these rows, columns and numbers, none twice; those of a column are together."""
    parts: list[list[tuple[int, int, int]]] = []
    last, part = -1, 0
    for entry in entries:
        last, part = entry[1], part + 1 if entry[1] == last else 0
        if part == len(parts):
            parts.append([])
        parts[part].append(entry)
    return [np.array(part).T for part in parts]


def sparse_product(left: Residues, right: Sparse) -> Residues:
    result = np.zeros_like(left)
    for rows, columns, numbers in right:
        result[:, columns] += left[:, rows] * numbers % PRIME
    return result % PRIME


def where_zero(rows: Residues, columns: Residues) -> Residues:
    """A basis of the part of the rows' span on which all the columns are 0."""
    if len(rows) == 0 or columns.shape[1] == 0:
        return rows
    return product(annihilators(product(rows, columns).T), rows)
