"""Proofs by values as a certificate has them."""

from __future__ import annotations

from typing import Any

from compiler.proofs.values.affine_program import AffineProgram, ProgramNode
from compiler.proofs.values.clause_goals import Product
from compiler.proofs.values.polynomials import Factor, Polynomial, whole_numbers


def written(program: AffineProgram, found: dict[ProgramNode, list[Polynomial]]) -> dict[str, Any]:
    """Invariants as a certificate has them, in whole numbers."""
    factors: dict[Factor, int] = {}
    monomials: dict[int, int] = {}

    def indices(product: Product) -> list[int]:
        return [factors.setdefault(factor, len(factors)) for factor in product]

    def terms(polynomial: Polynomial) -> list[int]:
        whole = whole_numbers(polynomial)
        return [n for m, a in whole.items() for n in (monomials.setdefault(m, len(monomials)), a)]

    invariants = [
        [p, row, list(cells), *([part] if program.apart else []), *map(terms, polynomials)]
        for (p, row, cells, part), polynomials in sorted(found.items())
        if polynomials
    ]
    return {
        "systems": [
            {"base": [base.numerator, base.denominator], "values": values} for base, values in program.systems
        ],
        "by_part": program.by_part,
        "monomials": [indices(program.monomials.factors[m]) for m in monomials],
        "factors": [list(factor) for factor in factors],
        "invariants": invariants,
    }
