"""Runs of two tables together on short inputs and small worlds: what shows without any proof."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from itertools import count, islice, product, takewhile
from random import Random
from typing import NamedTuple

from compiler.proofs.abstractions.input_automaton import InputRows
from compiler.proofs.differences.joint_runs import Case, JointRuns
from compiler.proofs.differences.shrink import shrink_input
from compiler.proofs.joint_step import RIGHT_DIFFERS, Place, Stuck
from compiler.proofs.limits import LIMITS
from gridlang.clauses.inputs import InputLanguage, RareInputs
from gridlang.table import Row, Table
from gridlang.world import World, string_world

# Few symbols make many more boxes than can be tried; what lies three cells away rarely matters first.
BOXES = ((1, 1), (2, 1), (1, 2), (3, 1), (1, 3), (2, 2))
BLANK_SYMBOL = 0  # the first symbol of every table


class Sample(NamedTuple):
    """A world or an input that shows a difference, the step of it, and where both tables stand then."""

    case: Case
    step: int
    place: Place


def world_of(case: Case) -> World:
    return string_world(case) if isinstance(case, str) else case


class SampleRuns:
    """Runs of two tables together, with a budget of steps over all of them."""

    def __init__(self, left: Table, rows: Sequence[Row], stuck: Stuck) -> None:
        self.runs = JointRuns(left, rows, stuck)
        self.budget = self.tried = 0
        self.pairs: set[tuple[int, int]] = set()  # LEFT's states with the symbols that they were seen to read

    def difference(self, case: Case, steps: int) -> Sample | None:
        """How RIGHT differs on a case, if that comes so soon and the budget is not spent."""
        if self.budget <= 0:
            return None
        self.tried += 1
        done = self.runs.run(case, steps)
        # To draw a long input takes longer than to be stuck on it at once.
        self.budget -= done.steps + (len(case) if isinstance(case, str) else 0)
        self.pairs.update((edge.left, edge.symbol) for edge in done.fresh)
        if done.ending is RIGHT_DIFFERS and done.last:
            return Sample(case, done.steps, Place(*done.last[:3]))
        return None

    def first_difference(self, cases: Iterable[Case], steps: int) -> Sample | None:
        """That of the first case that shows one, as far as the budget allows."""
        left = takewhile(lambda _: self.budget > 0, cases)
        return next(filter(None, (self.difference(case, steps) for case in left)), None)


def smallest_input(runs: SampleRuns, shown: str, language: InputLanguage, steps: int, budget: int) -> str:
    """An input no longer than one that shows a difference, which shows one up to some step.

    It is the first in the order of length and clause where the budget of steps is enough to try them all;
    else symbols are left out and lowered one by one, with the same budget again.
    """
    runs.budget = budget
    shorter = takewhile(lambda text: len(text) <= len(shown) and text != shown, short_inputs(language))
    smallest = runs.first_difference(shorter, steps)
    if smallest:
        return str(smallest.case)
    runs.budget = budget
    return shrink_input(shown, language, lambda world: runs.difference(world, steps))


def short_inputs(language: InputLanguage) -> Iterator[str]:
    """Declared inputs, the shortest first, those of one length in the order of the clause."""
    return language.shortest(LIMITS.longest_short_input)


def random_inputs(inputs: InputRows) -> Iterator[str]:
    """Declared inputs of growing length, drawn symbol by symbol, for ever if none is left out."""
    if inputs.language.condition is None:
        yield from _random_texts(inputs)
        return
    with suppress(RareInputs):
        yield from inputs.language.allowed(islice(_random_texts(inputs), LIMITS.most_asked))


def _random_texts(inputs: InputRows) -> Iterator[str]:
    """Texts of the form of a clause, for ever; those that must end sooner than was drawn do."""
    random, steps, longest = Random(0), inputs.automaton.steps, inputs.language.longest()
    options_of = [[symbol for symbol, after in enumerate(row) if after is not None] for row in steps]
    short = LIMITS.drawn_short
    for number in count():
        state, word = 0, list[int]()
        drawn = random.randint(1, LIMITS.most_drawn * (number + short) // short)
        for _ in range(min(drawn, longest)):
            options = options_of[state]
            if options == [BLANK_SYMBOL] and steps[state][BLANK_SYMBOL] == state:
                break  # Only blanks are left, for ever.
            word.append(random.choice(options))
            state = steps[state][word[-1]] or 0
        yield inputs.complete_beginning(word, state)


def small_worlds(symbols: Sequence[str]) -> Iterator[World]:
    """All contents of small boxes, from each of their cells; then random ones of larger boxes, for ever."""
    for width, height in BOXES:
        cells = list(product(range(width), range(height)))
        contents = islice(product(symbols, repeat=len(cells)), LIMITS.boxes_tried)
        for filling, start in product(contents, cells):
            yield World(dict(zip(cells, filling, strict=True)), start)
    random, side = Random(0), range(LIMITS.random_side)
    square = list(product(side, side))
    while True:
        filled = random.random()
        cells = [cell for cell in square if random.random() < filled]
        yield World({cell: random.choice(symbols) for cell in cells}, (LIMITS.random_side // 2,) * 2)
