"""Proofs that an agent leaves what its output clause says, by invariants of values."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from functools import partial
from typing import Any

from gridlang.compiler.proofs.limits import LIMITS
from gridlang.compiler.proofs.results.readings import Unsaid
from gridlang.compiler.proofs.values.affine_program import AffineProgram, System, written
from gridlang.compiler.proofs.values.clause_goals import Wanted, wanted_values
from gridlang.compiler.proofs.values.conditions.exclusions import Conditions, Exclusions, Read
from gridlang.compiler.proofs.values.invariants import Goal, Invariants
from gridlang.compiler.proofs.values.output_task import Evidence, OutputTask, grain_evidence
from gridlang.compiler.proofs.values.polynomials import ONE, Factor, Polynomial
from gridlang.compiler.proofs.values.sampled_spaces import sampled_spaces
from gridlang.compiler.verifier.strips import Grain
from gridlang.compiler.verifier.tables import TooMuch, Wrong
from gridlang.compiler.verifier.values.facts import Surroundings
from gridlang.compiler.verifier.values.goals import Ends, Equality, Goals, Units, sum_less_value
from gridlang.compiler.verifier.values.proofs import ANY, Term
from gridlang.compiler.verifier.values.strips import Node, ValueStrip
from gridlang.compiler.verifier.values.words import UNIT
from gridlang.table import Table

Classes = tuple[tuple[str, str], ...]
End = tuple[Node, int]  # and the symbol of a halt
Found = tuple[dict[str, Any], list[Any]]  # a proof, and ends that are excluded


def value_evidence(task: OutputTask) -> Evidence:
    """Evidence for a certificate, which its checker has accepted; Unsaid if none is found, and why."""
    reason = "where the results stand cannot be told"
    for wanted in wanted_values(task):
        if task.where is not None and wanted[0].kind != "values":
            continue
        for classes in [()] if wanted[0].exact else _groupings(task.table):
            told = replace(task.table, classes=classes)
            try:
                return task.first_evidence(partial(_with_grain, task, told, wanted))
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


def _with_grain(task: OutputTask, told: Table, wanted: list[Wanted], grain: Grain) -> Evidence:
    """Evidence on strips of one grain: one strip for all that is wanted, or of thresholds one for each."""
    kind = wanted[0].kind
    if kind == "sorted":
        return task.accepted(kind, {"thresholds": [_on_strip(task, told, grain, [one]) for one in wanted]})
    return task.accepted(kind, _on_strip(task, told, grain, wanted))


def _on_strip(task: OutputTask, told: Table, grain: Grain, wanted: list[Wanted]) -> Evidence:
    first = wanted[0]
    apart = _split(told, first.low)
    plain = task.strip(apart, grain, first.distances if first.word else (0, 0), first.word)
    if len(plain.elements) * len(wanted) > LIMITS.most_value_nodes:
        raise TooMuch("evidence", "its strip has too many elements")
    shapes = plain if first.word else task.strip(apart, plain.grain, first.distances)
    found = [_proof(task, plain, shapes, one) for one in wanted]
    proofs = [each[0] for each in found if each]
    if len(proofs) < len(found):
        raise Unsaid("nothing was found about the numbers on the grid that shows it")
    ends = {"ends": found[0][1]} if task.where is not None and found[0] else {}
    return {**grain_evidence(plain.grain, first.distances), "row": first.row, "proofs": proofs, **ends}


def _split(table: Table, low: str) -> Table:
    """A table whose classes are each split in two: symbols that are low, and others."""
    halves = [
        (f"{name}{i}", "".join(x for x in chars if (x in low) == (i == 0)))
        for name, chars in table.classes
        for i in range(2)
    ]
    return replace(table, classes=tuple(half for half in halves if half[1]))


def _proof(task: OutputTask, plain: ValueStrip, shapes: ValueStrip, wanted: Wanted) -> Found | None:
    """Invariants for one thing that is wanted; the parts that columns are of are told apart if need be.

    At last, and of words at once, nodes know the part of the head's column, and lengths are summed up as
    weights.
    """
    table, systems = task.table, wanted.systems
    ones = System(systems[0].base, tuple(int(i > 0) for i in range(len(table.symbols))))
    for by_part, apart in [(True, True)] if wanted.word else [(False, False), (True, False), (True, True)]:
        told = [*systems, ones] if apart and ones not in systems else [*systems]
        conditions = Conditions(task, told) if task.where is not None else None
        program = AffineProgram(table, task.sampled, plain, told, by_part, apart)
        proof = _search(task, program, shapes, wanted, conditions)
        if proof is not None:
            return proof
    return None


def _search(
    task: OutputTask,
    program: AffineProgram,
    shapes: ValueStrip,
    wanted: Wanted,
    conditions: Conditions | None,
) -> Found | None:
    asked = Asked(task, program, shapes, wanted)
    exclusions = Exclusions(program, conditions) if conditions else None
    ends = asked.ends(all_told=exclusions is None)
    inner = [
        f
        for f in program.ghosts
        if f[0] == "B" and (wanted.word or program.strip.places.parts > int(f[2]) > 0)
    ]
    number, divided = program.form(asked.equality.value), asked.equality.over != UNIT
    for multipliers in wanted.multipliers(number, divided, inner, program.variables):
        by = [program.monomials.number(product) for product in multipliers]
        inside = [f for product in multipliers for f in product if f in inner and not wanted.word]
        weights = program.monomials.number(inside)
        tried = [
            {at: [_goal(program, whole, times, exclusions) for whole in some] for at, some in ends.items()}
            for times in dict.fromkeys((ONE, weights))
        ]
        polynomials = [goal for goals in tried for some in goals.values() for goal in some]
        monomials = _monomials(program, wanted, by, polynomials)
        if len(monomials) > LIMITS.most_monomials:
            continue
        told = [partial(_goals_at, program, wanted, goals) for goals in tried]
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


class Asked:
    """What the checker asks for where an agent halts, in the names of a program."""

    def __init__(self, task: OutputTask, program: AffineProgram, shapes: ValueStrip, wanted: Wanted) -> None:
        self.program, self.shapes, self.wanted = program, shapes, wanted
        left = task.left
        goals = Goals(program.strip, [program.checked], wanted.threshold, left)
        if wanted.counted is None:
            self.goal = goals.goal()
            self.equality: Equality = self.goal.equalities[0]
        else:
            self.equality = goals.equality(Fraction(1), *wanted.counted)
            self.goal = goals.sorted(wanted.counted[1][1])

    def ends(self, *, all_told: bool) -> dict[End, list[Polynomial]]:
        """For each node and symbol on which it halts what must be 0 there, for each weight of a result.

        Where that cannot be told of all, Wrong; or those are left out.
        """
        strip, program = self.shapes, self.program
        surroundings = program.surroundings if strip is program.strip else Surroundings(strip)
        ends, found, untold = (
            Ends(surroundings, self.goal, self.wanted.row),
            dict[End, dict[Units, None]](),
            set[End](),
        )
        for element in strip.elements:
            for symbol in strip.reads(element):
                if strip.halts(element[0], symbol):
                    at = told(strip.node(element), self.wanted), symbol
                    units = found.setdefault(at, {})
                    try:
                        units |= dict.fromkeys(ends.units(element, symbol))
                    except Wrong:
                        if all_told:
                            raise
                        untold.add(at)
        wholes: dict[Units, Polynomial] = {}
        for each in (each for some in found.values() for each in some):
            if each not in wholes:
                form = sum_less_value(self.equality, self.wanted.row, self._weight(each))
                wholes[each] = program.polynomial(form)
        return {at: [wholes[each] for each in some] for at, some in found.items() if at not in untold}

    def _weight(self, units: Units) -> Term:
        """By an end of the input, if distances from it are told; else by the part that is beside it."""
        (near, far), parts = self.wanted.distances, self.program.strip.places.parts
        ends = [unit for unit in units if (far and unit[0] == parts) or (near and unit[0] == 0)]
        beside = [unit for unit in units if unit[1] == (self.goal.unit == "last")]
        chosen = next(iter([*ends, *beside, *units]), None)
        return self.program.proof.weight(self.equality.system, *chosen) if chosen else UNIT


def _goal(program: AffineProgram, whole: Polynomial, times: int, exclusions: Exclusions | None) -> Polynomial:
    """What must be 0 where it halts, times weights of parts."""
    goal = program.monomials.multiplied(whole, times)
    return exclusions.with_equalities(goal) if exclusions else goal


def _goals_at(
    program: AffineProgram, wanted: Wanted, goals: dict[End, list[Polynomial]], read: Read
) -> list[Goal] | None:
    """The condition where it halts; None if unknown."""
    some = goals.get((told(program.node(read[0]), wanted), read[1]))
    return None if some is None else [Goal(*read, goal) for goal in some]


def told(node: Node, wanted: Wanted) -> Node:
    """A node as where results end is told: of words by the part of the head's column too."""
    return node if wanted.word else (*node[:3], ANY)


def _monomials(program: AffineProgram, wanted: Wanted, by: list[int], goals: list[Polynomial]) -> list[int]:
    monomials = program.monomials
    single: list[tuple[Factor, ...]] = [(), *((f,) for f in (*program.ghosts, *program.variables))]
    base = [*single, *(product for form in program.totals.values() for product in form)]
    products = (monomials.times(q, monomials.number(product)) for q in by for product in base)
    told = (product for product in products if wanted.tells(monomials.factors[product]))
    return list(dict.fromkeys([*told, *(monomial for goal in goals for monomial in goal)]))
