"""Proofs that an agent leaves what its output clause says, by invariants of values."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from functools import partial
from typing import Any

from gridlang.compiler.automata.explore import TooLarge
from gridlang.compiler.proofs.abstractions.strip_labels import StripDetail
from gridlang.compiler.proofs.abstractions.strips import Node
from gridlang.compiler.proofs.limits import LIMITS
from gridlang.compiler.proofs.results.readings import Unsaid
from gridlang.compiler.proofs.values.affine_program import ANY, AffineProgram, ProgramNode, written
from gridlang.compiler.proofs.values.clause_goals import Wanted, wanted_values
from gridlang.compiler.proofs.values.conditions.exclusions import Conditions, Exclusions, Read
from gridlang.compiler.proofs.values.invariants import Goal, Invariants
from gridlang.compiler.proofs.values.output_task import (
    NO_DISTANCES,
    Evidence,
    OutputTask,
    Strip,
    strip_evidence,
)
from gridlang.compiler.proofs.values.polynomials import ONE, Factor, Form, Monomials, Polynomial, add, modular
from gridlang.compiler.proofs.values.sampled_spaces import sampled_spaces
from gridlang.compiler.proofs.values.stretches import Stretches
from gridlang.compiler.proofs.values.weighted_sums import System
from gridlang.table import Table

Classes = tuple[tuple[str, str], ...]
End = tuple[int, int, tuple[int, ...], int, int]  # a node, and the symbol of a halt
Ends = dict[End, list[Form]]  # weights
Found = tuple[dict[str, Any], list[Any]]  # a proof, and ends that are excluded


def value_evidence(task: OutputTask) -> Evidence:
    """Evidence for a certificate, which its checker has accepted; Unsaid if none is found, and why."""
    reason = "where the results stand cannot be told"
    for wanted in wanted_values(task.table, task.rule):
        if task.where is not None and wanted[0].kind != "values":
            continue
        for classes in [()] if wanted[0].exact else _groupings(task.table):
            told = replace(task.table, classes=classes)
            try:
                return task.first_evidence(partial(_with_detail, task, told, wanted))
            except Unsaid as unsaid:
                reason = str(unsaid)
    raise Unsaid(reason)


def _groupings(table: Table) -> list[Classes]:
    """The declared classes; then, where they differ, parts of them that the agent treats alike."""
    families = table.family_numbers()

    def acts(symbol: str) -> tuple[object, ...]:
        entries = [row[table.symbols.index(symbol)] for row in table.rows]
        return tuple(entry and (entry.move, families[entry.next]) for entry in entries)

    alike: dict[tuple[str, tuple[object, ...]], str] = {}
    for name, chars in table.classes:
        for symbol in chars:
            key = name, acts(symbol)
            alike[key] = alike.get(key, "") + symbol
    parts = tuple((f"{name}{n}", chars) for n, ((name, _), chars) in enumerate(alike.items()))
    return [table.classes] if len(parts) == len(table.classes) else [table.classes, parts]


def _with_detail(task: OutputTask, told: Table, wanted: list[Wanted], detail: StripDetail) -> Evidence:
    """Evidence on strips of one detail: one strip for all that is wanted, or of thresholds one for each."""
    kind = wanted[0].kind
    if kind == "sorted":
        return task.accepted(kind, {"thresholds": [_on_strip(task, told, detail, [one]) for one in wanted]})
    return task.accepted(kind, _on_strip(task, told, detail, wanted))


def _on_strip(task: OutputTask, told: Table, detail: StripDetail, wanted: list[Wanted]) -> Evidence:
    first = wanted[0]
    apart = _split(told, first.low or "")
    plain = task.strip(apart, first.distances if first.word else NO_DISTANCES, detail)
    if len(plain[0].nodes) * len(wanted) > LIMITS.most_value_nodes:
        raise TooLarge(len(plain[0].nodes))
    shapes = task.strip(apart, first.distances, detail, plain[0].rows)
    found = [_proof(task, plain, shapes, one) for one in wanted]
    proofs = [each[0] for each in found if each]
    if len(proofs) < len(found):
        raise Unsaid("nothing was found about the numbers on the grid that shows it")
    ends = {"ends": found[0][1]} if task.where is not None and found[0] else {}
    return {**strip_evidence(plain[0], first.row, first.distances), "proofs": proofs, **ends}


def _split(table: Table, low: str) -> Table:
    """A table whose classes are each split in two: symbols that are low, and others."""
    halves = [
        (f"{name}{i}", "".join(x for x in chars if (x in low) == (i == 0)))
        for name, chars in table.classes
        for i in range(2)
    ]
    return replace(table, classes=tuple(half for half in halves if half[1]))


def _proof(task: OutputTask, plain: Strip, shapes: Strip, wanted: Wanted) -> Found | None:
    """Invariants for one thing that is wanted; the parts that columns are of are told apart if need be.

    At last, and of words at once, nodes know the part of the head's column, and lengths are summed up as
    weights.
    """
    table, base, systems = task.table, wanted.systems[0].base, wanted.systems
    ones = System(base, tuple(int(i > 0) for i in range(len(table.symbols))))
    for by_part, apart in [(True, True)] if wanted.word else [(False, False), (True, False), (True, True)]:
        told = [*systems, ones] if apart and ones not in systems else systems
        conditions = Conditions(task, told) if task.where is not None else None
        told = conditions.systems if conditions else told
        program = AffineProgram(table, task.sampled, *plain, told, Monomials(), by_part, apart, wanted.word)
        proof = _search(task, program, shapes, wanted, conditions)
        if proof is not None:
            return proof
    return None


def _search(
    task: OutputTask, program: AffineProgram, shapes: Strip, wanted: Wanted, conditions: Conditions | None
) -> Found | None:
    if not {factor for product in wanted.number for factor in product} <= {*program.ghosts}:
        return None  # A part of one symbol spells what its weights tell, and has no number of its own.
    exclusions = Exclusions(program, conditions) if conditions else None
    sums = _row_sums(program, wanted)
    ends = _ends(program, shapes, wanted, all_told=exclusions is None)
    inner = [
        f for f in program.ghosts if f[0] == "B" and (wanted.word or program.columns.parts > int(f[2]) > 0)
    ]
    for multipliers in wanted.multipliers(inner, program.variables):
        by = [program.monomials.number(product) for product in multipliers]
        inside = [f for product in multipliers for f in product if f in inner and not wanted.word]
        weights = program.monomials.number(inside)
        asked = [
            _goals(program, sums, wanted, ends, times, conditions) for times in dict.fromkeys((ONE, weights))
        ]
        monomials = _monomials(
            program, wanted, by, [goal for goals in asked for some in goals.values() for goal in some]
        )
        if len(monomials) > LIMITS.most_monomials:
            continue
        told = [partial(_goals_at, program, wanted, goals) for goals in asked]
        if exclusions:
            of = list(dict.fromkeys([*monomials, *exclusions.monomials])), by
            proofs = (exclusions.proof(task, of, lambda search: search.halts, goals) for goals in told)
            if proof := next(filter(None, proofs), None):
                return proof
            continue
        known = [program.monomials.number([f]) for f in program.ghosts if f[0] == "v" and wanted.halved]
        spaces = sampled_spaces(program, monomials, wanted.halved)
        search = Invariants(program, monomials, [*by, *known], spaces, wanted.halved)
        for goals in told:
            found = search.found([goal for read in search.halts for goal in goals(read) or ()])
            if found is not None:
                return written(program, found), []
    return None


def _goals_at(
    program: AffineProgram, wanted: Wanted, goals: dict[End, list[Polynomial]], read: Read
) -> list[Goal] | None:
    """The condition where it halts; None if unknown."""
    some = goals.get((*_told(program.node(read[0]), wanted), read[1]))
    return None if some is None else [Goal(*read, goal) for goal in some]


def _goals(
    program: AffineProgram,
    sums: Polynomial,
    wanted: Wanted,
    ends: Ends,
    times: int,
    conditions: Conditions | None,
) -> dict[End, list[Polynomial]]:
    """What must be 0 where it halts, times weights of parts."""

    def goal(weight: Form) -> Polynomial:
        whole = program.monomials.multiplied(_less(program, sums, wanted, weight), times)
        return conditions.with_equalities(whole, program.monomials) if conditions else whole

    return {at: [goal(weight) for weight in weights] for at, weights in ends.items()}


def _told(node: ProgramNode, wanted: Wanted) -> ProgramNode:
    """A node as where results end is told: of words by the part of the head's column too."""
    return node if wanted.word else (*node[:3], ANY)


def _ends(program: AffineProgram, shapes: Strip, wanted: Wanted, *, all_told: bool) -> Ends:
    """For each node and symbol on which it halts, the weights that the lowest column of a result may have.

    Where that cannot be told of all, Unsaid; or those are left out.
    """
    strip, columns = shapes
    symbols = None if all_told else {program.table.symbols.index(symbol) for symbol in wanted.symbols}
    stretches = Stretches(strip, columns, wanted.row, symbols)
    of = program.table, program.language, strip, columns, wanted.systems, program.monomials
    shape = AffineProgram(*of, apart=wanted.word)
    ends: Ends = {}
    untold: set[End] = set()
    for state in strip.nodes:
        for symbol in (symbol for symbol in shape.steps(state) if isinstance(symbol, int)):
            at = *shape.node(state), symbol
            weights = ends.setdefault(at, [])
            try:
                found = _unit_weights(stretches, state, wanted, program.boundaries[0])
            except Unsaid:
                if all_told:
                    raise
                untold.add(at)
                continue
            weights += [weight for weight in found if weight not in weights]
    return {at: weights for at, weights in ends.items() if at not in untold}


def _unit_weights(stretches: Stretches, state: Node, wanted: Wanted, boundaries: list[Form]) -> list[Form]:
    """Of the lowest column of a result where an abstract state halts."""
    base, pairs = wanted.systems[0].base, stretches.ends(state, wanted.last)
    if not pairs and not wanted.word and base != 1:
        raise Unsaid("the agent may halt with nothing left")
    if base == 1 or not pairs:
        return [{(): Fraction(1)}]
    weights = [stretches.weight(pair, wanted.last, base, boundaries) for pair in pairs]
    told = [weight for weight in weights if weight is not None]
    if len(told) < len(weights):
        raise Unsaid("where the results end cannot be told")
    return list({tuple(weight.items()): weight for weight in told}.values())


def _row_sums(program: AffineProgram, wanted: Wanted) -> Polynomial:
    sums: Polynomial = {}
    for factor in program.variables:
        kind, system = factor[:2]
        if system == 0 and (
            (kind == "N" and factor[3] == wanted.row)
            or (kind == "F" and wanted.row == 0)
            or (kind == "U" and factor[2] == wanted.row)
        ):
            add(sums, program.monomials.number([factor]), 1)
    return sums


def _less(program: AffineProgram, sums: Polynomial, wanted: Wanted, weight: Form) -> Polynomial:
    """The row of the result less the number that is wanted, at a weight of its lowest column."""
    goal: Polynomial = {}
    for product, a in wanted.over.items():
        for monomial, b in sums.items():
            add(goal, program.monomials.times(program.monomials.number(product), monomial), modular(a) * b)
    for product, a in wanted.number.items():
        for other, ratio in weight.items():
            add(goal, program.monomials.number((*product, *other)), -modular(a * ratio))
    return goal


def _monomials(program: AffineProgram, wanted: Wanted, by: list[int], goals: list[Polynomial]) -> list[int]:
    monomials = program.monomials
    single: list[tuple[Factor, ...]] = [(), *((f,) for f in (*program.ghosts, *program.variables))]
    base = [*single, *(product for form in program.totals.values() for product in form)]
    products = (monomials.times(q, monomials.number(product)) for q in by for product in base)
    told = (product for product in products if wanted.tells(monomials.factors[product]))
    return list(dict.fromkeys([*told, *(monomial for goal in goals for monomial in goal)]))
