"""More questions to a model: worlds changed, symbol by symbol, until they lead where nothing was seen.

A world that is made while it is read cannot steer what is read again: a trigger on the way back, or in the
tenth round. So worlds are kept as witnesses: one for each pair of states that expert and raw graph have
reached together. Where a pair has a way on that no witness takes, the cell that its witness reads there is
changed, or a symbol is put in beside it, and what the new world leads to gets it as a witness in turn.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from random import Random
from typing import NamedTuple

from compiler.proofs.differences.joint_runs import JointRuns
from compiler.proofs.joint_step import RIGHT_DIFFERS
from gridlang.clauses.inputs import InputLanguage, language_of
from gridlang.table import BLANK, Table
from gridlang.world import Cell, World
from learners.evaluation.lockstep import Case
from learners.extraction.saturation import INPUTS
from learners.learning.limits import LIMITS
from learners.learning.unseen_pairs import JointGraph, Pair, joint_graph
from learners.traces.random_inputs import lengths_up_to, random_input
from learners.traces.random_worlds import scrambled_world


class _Place(NamedTuple):
    """A world that leads to a pair of states, and the cell that is read there."""

    case: Case
    cell: Cell


def mutated_questions(
    expert: Table, raw: Table, scope: str, random: Random, worlds: Iterable[Case]
) -> list[Case]:
    """Worlds, or inputs, on which the raw graph parts from the expert, bred from random ones and these."""
    language = language_of(expert) if scope == INPUTS else None
    if scope == INPUTS and language is None:
        return []
    drawn: list[Case] = [
        random_input(language, lengths_up_to(LIMITS.witness_length), random)
        if language
        else scrambled_world(expert.symbols, random)
        for _ in range(LIMITS.first_witnesses)
    ]
    return _Breeding(expert, joint_graph(expert, raw), language).questions([*worlds, *drawn])


class _Breeding:
    """Witnesses of one raw graph."""

    def __init__(self, expert: Table, graph: JointGraph, language: InputLanguage | None) -> None:
        self.expert, self.language = expert, language
        self.runs = JointRuns(expert, graph.rows)
        self.places: dict[Pair, _Place] = {}
        self.taken: set[tuple[int, int, int]] = set()  # A witness has gone on from a pair on a symbol.
        self.work: list[Pair] = []
        self.asked: dict[tuple[int, int, int], int] = {}
        self.cases: list[Case] = []
        self.budget = LIMITS.mutation_steps

    def questions(self, cases: Iterable[Case]) -> list[Case]:
        for case in cases:
            self._run(case)
        for pair in self.work:  # It grows as pairs get their witnesses.
            for symbol, entry in enumerate(self.expert.rows[pair[0]]):
                if entry is None:
                    continue
                for case in self._changed(self.places[pair], self.expert.symbols[symbol]):
                    if (*pair, symbol) in self.taken or self.budget <= 0:
                        break
                    self._run(case)
        return self.cases

    def _run(self, case: Case) -> None:
        """Follows expert and raw graph on a world, and keeps it where it is the first to lead."""
        done = self.runs.run(case, LIMITS.steps_a_walk)
        for edge in done.fresh:
            pair = edge.left, edge.right
            if pair not in self.places:
                self.places[pair] = _Place(case, edge.cell)
                self.work.append(pair)
            self.taken.add(edge[:3])
        if done.ending is RIGHT_DIFFERS and done.last:
            last = done.last[:3]
            self.asked[last] = self.asked.get(last, 0) + 1
            if self.asked[last] <= LIMITS.walks_a_pair:
                self.cases.append(case)
        self.budget -= done.steps

    def _changed(self, place: _Place, symbol: str) -> Iterator[Case]:
        """The world with this symbol in a cell, or put in at either side of it."""
        case, (x, y) = place
        if isinstance(case, World):
            yield World({**case.cells, (x, y): symbol}, case.start)
            return
        if self.language is None or y != 0 or not 0 <= x <= len(case):
            return
        texts = (
            case[:x] + symbol + case[x + 1 :] if symbol != BLANK else case[:x],
            case[:x] + symbol + case[x:],
            case[: x + 1] + symbol + case[x + 1 :],
        )
        yield from (text for text in texts if self.language.declares(text))
