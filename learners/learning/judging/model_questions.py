"""Questions to a model: worlds changed, symbol by symbol, until they lead where nothing was seen.

A pair of a raw state and a symbol that was never seen is neither right nor wrong, so the model is asked what
it does there. A world is kept as a witness for each pair of states that expert and raw graph have reached
together. Where a pair has a way on that no witness takes, the cell that its witness reads there is changed,
or a symbol is put in beside it, and what the new world leads to gets it as a witness in turn. That no
question is found proves nothing.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from random import Random

from compiler.proofs.differences.joint_runs import JointRuns
from compiler.proofs.equivalence import aligned
from compiler.proofs.joint_step import RIGHT_DIFFERS
from compiler.simulation.random_worlds import scrambled_world
from gridlang.clauses.inputs import InputLanguage, language_of
from gridlang.table import BLANK, Table
from gridlang.world import Cell, World, string_world
from learners.evaluation.lockstep import Case
from learners.extraction.saturation import INPUTS
from learners.learning.limits import LIMITS
from learners.traces.choosing.random_inputs import lengths_up_to, random_input

Pair = tuple[int, int]


def questions(expert: Table, raw: Table, scope: str, random: Random, worlds: Iterable[Case]) -> list[Case]:
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
    return _Breeding(expert, raw, language).questions([*worlds, *drawn])


class _Breeding:
    """Witnesses of one raw graph."""

    def __init__(self, expert: Table, raw: Table, language: InputLanguage | None) -> None:
        self.expert, self.language = expert, language
        self.runs = JointRuns(expert, aligned(expert, raw))
        self.places: dict[Pair, tuple[Case, Cell]] = {}  # the first world that leads there, what it reads
        self.taken: set[tuple[int, int, int]] = set()  # pair and symbol a witness went on from
        self.work: list[Pair] = []
        self.asked: Counter[tuple[int, int, int]] = Counter()
        self.cases: list[Case] = []
        self.budget = LIMITS.mutation_steps

    def questions(self, cases: Iterable[Case]) -> list[Case]:
        for case in cases:
            self._run(case)
        for pair in self.work:  # It grows as pairs get their witnesses.
            for symbol, entry in enumerate(self.expert.rows[pair[0]]):
                if entry is None:
                    continue
                for case in self._changed(*self.places[pair], self.expert.symbols[symbol]):
                    if (*pair, symbol) in self.taken or self.budget <= 0:
                        break
                    self._run(case)
        return self.cases

    def _run(self, case: Case) -> None:
        """Follows expert and raw graph on a world, and keeps it where it is the first to lead."""
        done = self.runs.run(case, LIMITS.most_witness_steps)
        for edge in done.fresh:
            pair = edge.left, edge.right
            if pair not in self.places:
                self.places[pair] = case, edge.cell
                self.work.append(pair)
            self.taken.add(edge[:3])
        if done.ending is RIGHT_DIFFERS and done.last:
            self.asked[done.last[:3]] += 1
            if self.asked[done.last[:3]] <= LIMITS.questions_a_pair:
                self.cases.append(case)
        self.budget -= done.steps

    def _changed(self, case: Case, cell: Cell, symbol: str) -> Iterator[Case]:
        """The world with this symbol in a cell, or put in at either side of it."""
        x, y = cell
        if isinstance(case, World):
            yield World({**case.cells, cell: symbol}, case.start)
        elif self.language is not None and y == 0 and 0 <= x <= len(case):
            texts = (
                case[:x] + symbol + case[x + 1 :] if symbol != BLANK else case[:x],
                case[:x] + symbol + case[x:],
                case[: x + 1] + symbol + case[x + 1 :],
            )
            yield from filter(self.language.declares, texts)


def variants(expert: Table, case: Case) -> Iterator[Case]:
    """The case with one symbol changed: what one world shows, worlds like it show more of."""
    world = string_world(case) if isinstance(case, str) else case
    language = language_of(expert)
    for place, held in world.cells.items():
        for symbol in expert.symbols:
            changed = {**world.cells, place: symbol}
            if symbol == held:
                continue
            if not isinstance(case, str):
                yield World(changed, world.start)
            elif language is not None and language.declares(text := "".join(changed.values())):
                yield text
