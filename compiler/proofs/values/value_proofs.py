"""Proofs that an agent leaves what its output clause says, by invariants of values."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import Any

from compiler.automata.explore import TooLarge
from compiler.proofs.abstractions.strip_labels import StripDetail, symbol_classes
from compiler.proofs.abstractions.strips import StripAnalysis, strip_analysis
from compiler.proofs.joint_step import UNASKED
from compiler.proofs.results.readings import Unsaid
from compiler.proofs.values.affine_program import AffineProgram, ProgramNode
from compiler.proofs.values.clause_goals import Product, Wanted, wanted_values
from compiler.proofs.values.invariants import Goal, Invariants
from compiler.proofs.values.part_columns import PartColumns, part_columns
from compiler.proofs.values.polynomials import Factor, Monomials, Polynomial, add, modular, whole_numbers
from compiler.proofs.values.sampled_spaces import sampled_spaces
from gridlang.clauses.outputs import OutputRule
from gridlang.table import Table


def value_evidence(
    table: Table, rule: OutputRule, progress: Callable[[int], None] = lambda _: None
) -> tuple[dict[str, Any], int]:
    """Evidence for the part of a certificate, which its checker has to accept; and abstract states.

    Unsaid if none is found, and why.
    """
    wanted = wanted_values(table, rule)
    families, states = table.family_numbers(), tuple(range(len(table.states)))
    reason = "no invariant of the values in its columns was found that gives it"
    for marks in dict.fromkeys((families, states)):
        detail = StripDetail(1, marks, marks, 0, not wanted[0].exact)
        columns = part_columns(rule.language, table.symbols, wanted[0].distances)
        try:
            strip = strip_analysis(table, table.rows, columns.places, detail, UNASKED, progress=progress)
        except TooLarge:
            continue
        if strip is None or strip.failure or strip.descents:
            reason = "it does not stay within a few rows"
            continue
        proofs = [_proof(table, rule, strip, columns, one) for one in wanted]
        if all(proofs):
            return _evidence(strip, wanted[0], proofs), len(strip.nodes)
    raise Unsaid(reason)


def _evidence(strip: StripAnalysis, wanted: Wanted, proofs: list[Any]) -> dict[str, Any]:
    near, far = wanted.distances
    detail = strip.detail
    return {
        "rows": strip.rows,
        "row": wanted.row,
        "near": near,
        "far": far,
        "dim": detail.dimmed,
        "classes": symbol_classes(strip.left),
        "marks": detail.marks,
        "kinds": detail.kinds,
        "proofs": proofs,
    }


def _proof(
    table: Table, rule: OutputRule, strip: StripAnalysis, columns: PartColumns, wanted: Wanted
) -> dict[str, Any] | None:
    """Invariants for one thing that is wanted."""
    for multipliers in wanted.multipliers:
        program = AffineProgram(table, rule.language, strip, columns, wanted.systems, Monomials())
        number = program.monomials.number
        by = [number(product) for product in multipliers]
        goal = _goal(program, wanted, multipliers)
        monomials = _monomials(program, by, goal)
        search = Invariants(program, monomials, by, sampled_spaces(program, monomials))
        found = search.found([Goal(state, symbol, goal) for state, symbol in search.halts])
        if found is not None:
            return _written(program, multipliers, found)
    return None


def _goal(program: AffineProgram, wanted: Wanted, multipliers: list[Product]) -> Polynomial:
    """The sum of the row of the result less the number that is wanted, times weights of parts."""
    number = program.monomials.number
    weight: dict[Product, Fraction] = {(): Fraction(1)}
    if wanted.stand is not None:
        k, at = wanted.stand
        base = wanted.systems[0].base
        weight = {product: a / base**at for product, a in program.boundaries[0][k].items()}
    goal: Polynomial = {}
    for factor in program.variables:
        kind, system = factor[:2]
        if system == 0 and (
            (kind == "N" and factor[3] == wanted.row)
            or (kind == "F" and wanted.row == 0)
            or (kind == "U" and factor[2] == wanted.row)
        ):
            add(goal, number([factor]), 1)
    for product, a in wanted.number.items():
        for other, b in weight.items():
            add(goal, number((*product, *other)), -modular(a * b))
    for product in multipliers:
        if any(factor[0] == "B" for factor in product):
            goal = program.monomials.multiplied(goal, number(product))
    return goal


def _monomials(program: AffineProgram, by: list[int], goal: Polynomial) -> list[int]:
    monomials = program.monomials
    single: list[tuple[Factor, ...]] = [(), *((f,) for f in (*program.ghosts, *program.variables))]
    base = [*single, *(product for form in program.totals.values() for product in form)]
    products = [monomials.times(q, monomials.number(product)) for q in by for product in base]
    return list(dict.fromkeys([*products, *goal]))


def _written(
    program: AffineProgram, multipliers: list[Product], found: dict[ProgramNode, list[Polynomial]]
) -> dict[str, Any]:
    """Invariants as a certificate has them, in whole numbers."""
    factors: dict[Factor, int] = {}
    monomials: dict[int, int] = {}

    def indices(product: Product) -> list[int]:
        return [factors.setdefault(factor, len(factors)) for factor in product]

    def terms(polynomial: Polynomial) -> list[int]:
        whole = whole_numbers(polynomial)
        return [n for m, a in whole.items() for n in (monomials.setdefault(m, len(monomials)), a)]

    invariants = [
        [p, row, list(cells), *map(terms, polynomials)]
        for (p, row, cells), polynomials in sorted(found.items())
        if polynomials
    ]
    return {
        "systems": [
            {"base": [base.numerator, base.denominator], "values": values} for base, values in program.systems
        ],
        "monomials": [indices(program.monomials.factors[m]) for m in monomials],
        "multipliers": [indices(product) for product in multipliers],
        "factors": [list(factor) for factor in factors],
        "invariants": invariants,
    }
