"""Finds where a model itself, by its float weights, does not do what its expert does.

A pair of a raw state and a symbol that was never seen is neither right nor wrong, so the model is asked what
it does there, on worlds changed symbol by symbol until they lead there. A world is kept as a witness for each
pair of states that expert and raw graph have reached together. Where no witness takes a way on, the cell that
it reads there is changed, or a symbol is put in beside it. That no question is found proves nothing.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from functools import cached_property
from itertools import islice
from random import Random

import numpy as np

from gridlang.clauses.input_clauses import language_of
from gridlang.clauses.inputs import InputLanguage
from gridlang.compiler.extraction.exploration import INPUTS
from gridlang.compiler.extraction.limits import LIMITS as EXTRACTION
from gridlang.compiler.judging.limits import LIMITS
from gridlang.compiler.judging.trials import growing_inputs
from gridlang.compiler.lockstep.cpu import cpu_backend
from gridlang.compiler.lockstep.lockstep import Backend, Case, PlainRun, Until, matched, nobody
from gridlang.compiler.proofs.differences.joint_runs import JointRuns
from gridlang.compiler.proofs.differences.shrink import shrink, shrink_input
from gridlang.compiler.proofs.equivalence import Observation, Verdict, aligned
from gridlang.compiler.proofs.joint_step import RIGHT_DIFFERS
from gridlang.compiler.simulation.random_inputs import (
    input_drawer,
    lengths_up_to,
    longest_input,
    periodic_input,
    random_input,
    repeated_input,
    repeating_inputs,
)
from gridlang.compiler.simulation.random_worlds import random_worlds, scrambled_world
from gridlang.compiler.simulation.simulate import run
from gridlang.compiler.tensors.closed_loop import decide
from gridlang.compiler.tensors.model import Model
from gridlang.compiler.tensors.wrapped import Wrapped
from gridlang.table import BLANK, MOVES, Table
from gridlang.world import Cell, World, string_world

Pair = tuple[int, int]


def questions(expert: Table, raw: Table, scope: str, random: Random) -> list[Case]:
    """Worlds, or inputs, on which the raw graph parts from the expert, bred from random ones."""
    language = language_of(expert) if scope == INPUTS else None
    if scope == INPUTS and language is None:
        return []
    drawn: list[Case] = [
        random_input(language, lengths_up_to(LIMITS.witness_length), random)
        if language
        else scrambled_world(expert.symbols, random)
        for _ in range(LIMITS.first_witnesses)
    ]
    return _Breeding(expert, raw, language).questions(drawn)


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
        """Follows expert and raw graph on a world; keeps it if it is the first to reach a pair."""
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


Steps = tuple[Observation, ...]


class FloatMistakes:
    """The mistakes of one model's float weights at a scope, searched for when first needed.

    Budgets are in steps, so that no answer depends on a clock. At scope `observed` nothing is drawn.
    """

    def __init__(self, dfst: Model, expert: Table, scope: str = "worlds", seed: int = 0) -> None:
        self.dfst, self.expert, self.scope, self.seed = dfst, expert, scope, seed
        self.match = matched(dfst, expert)
        self.language = language_of(expert) if scope != "observed" else None

    def on(self, case: Case, steps: int = LIMITS.followed) -> Steps | None:
        """The steps up to the first at which the model errs, by its equations; None if there is none."""
        following = PlainRun(self.match, case)
        following.go(steps)
        mistake = following.mistake
        if mistake is None:
            return None
        world = string_world(case) if isinstance(case, str) else case
        done = run(self.expert, world, mistake.step - 1, trace=True).trace or ()
        kinds = {a: Observation(a.read, (a.write, a.move), (a.write, a.move)) for a in set(done)}
        same = [kinds[a] for a in done]  # A million steps are of few kinds, and take little memory.
        # Of a strict model the expert may be the one that is stuck.
        wanted, got = (action and (action.write, action.move) for action in (mistake.expected, mistake.got))
        return (*same, Observation(mistake.read, wanted, got))

    def on_reads(self, reads: list[str]) -> Steps | None:
        """As `on`, where the model is handed these symbols one by one, whatever it writes."""
        match, table, state, hidden = self.match, self.expert, 0, self.match.start()
        steps = []
        for read in reads:
            symbol = table.symbols.index(read)
            entry = table.rows[state][symbol]
            if entry is None and not match.strict:
                return None
            with np.errstate(all="ignore"):
                outputs, hidden = match.step(hidden, symbol)
            decision = decide(outputs, len(match.writes), match.strict)
            does = decision and (match.writes[decision.write], match.moves[decision.move])
            wanted = entry and (table.symbols[entry.write], MOVES[entry.move])
            steps.append(Observation(read, wanted, does))
            if does != wanted:
                return tuple(steps)
            if entry is None:
                return None
            state = entry.next
        return None

    @cached_property
    def at_once(self) -> tuple[Verdict, str] | None:
        """A mistake and its count, if most of the shortest inputs or of some worlds show one."""
        shortest = self.language.shortest(LIMITS.longest_first) if self.language else ()
        inputs: list[Case] = list(islice(shortest, LIMITS.first_inputs))
        worlds = list(islice(self._random_worlds(), LIMITS.first_worlds))
        for cases, what in ((inputs, "shortest inputs"), (worlds, "random worlds")):
            wrong = self._wrong(cases, LIMITS.first_steps)
            for case in wrong if LIMITS.mostly * len(wrong) >= len(cases) else ():
                difference = self.smaller(case, LIMITS.first_steps)
                if difference is not None:
                    return difference, f"it errs on {len(wrong)} of the {len(cases)} {what} tried"
        return None

    @cached_property
    def first(self) -> Verdict | None:
        """A mistake on many short worlds and inputs, or on long inputs; None if none was seen."""
        if self.at_once is not None:
            return self.at_once[0]
        mistake = self.short()
        return self.long() if mistake is None else mistake

    def short(self) -> Verdict | None:
        """The first of many random worlds and inputs on which the model fails, made smaller."""
        budget = self._budget(LIMITS.short_steps) // 2
        for cases, steps in (
            (self._random_worlds(), LIMITS.world_steps),
            (self._random_inputs(), LIMITS.followed),
        ):
            failed = self._first_failure(cases, steps, budget)
            if failed is not None:
                return self._smaller(*failed)
        return None

    def long(self) -> Verdict | None:
        """A long input that repeats little, on which the model fails because its vectors drift.

        Errors that grow with each step show soonest where a run goes round in one state.
        """
        share = self._budget(LIMITS.long_steps) // len(LIMITS.long_lengths)
        for length in LIMITS.long_lengths:
            cases = self._repeating_inputs(length)
            failed = self._first_failure(cases, LIMITS.most_long, share, at_once=1)
            if failed is not None:
                return self._difference(*failed)
        return None

    def on_long_runs(self) -> Verdict | None:
        """A world on which it fails after more steps than random worlds get, since many never end."""
        worlds = islice(self._random_worlds(), LIMITS.long_worlds)
        failed = self._first_failure(worlds, LIMITS.followed, self._budget(LIMITS.short_steps))
        return self._difference(*failed) if failed else None

    def followed_length(self) -> int | None:
        """The longest inputs on which the model was seen to do as the expert does; None without inputs.

        Lengths grow until one fails, or the budget allows no run of a length to its end.
        """
        followed = 0
        if self.language is None:
            return None
        random, budget = Random(f"{self.seed} following"), self._budget(LIMITS.followed_steps)
        draw = input_drawer(self.language, random)
        for length in LIMITS.followed_lengths:
            if longest_input(self.language, length) > EXTRACTION.input_symbols:
                return followed
            cases = [draw(lengths_up_to(length)) for _ in range(LIMITS.followed_inputs)]
            cases.append(repeated_input(self.language, length, random))
            for case in reversed(cases):
                (outcome,) = self._backend([case], Until(budget, stop_early=True), nobody)
                budget -= outcome.steps if outcome else budget
                if outcome is None or outcome.mistake or budget <= 0:
                    return followed
            followed = length
        return followed

    def among(self, cases: list[Case], steps: int) -> Verdict | None:
        """A mistake on one of some cases."""
        mistakes = (self.smaller(case, steps) for case in self._wrong(cases, steps))
        return next((mistake for mistake in mistakes if mistake is not None), None)

    def smaller(self, case: Case, steps: int) -> Verdict | None:
        """The mistake within `steps` steps of a case, on a smaller one; None if there is none."""
        mistake = self.on(case, steps)
        return self._smaller(case, mistake) if mistake else None

    def _smaller(self, case: Case, mistake: Steps) -> Verdict:
        """The same mistake on a smaller case, no later than before; as far as the budget allows."""
        left = LIMITS.shrinking_steps // len(mistake)

        def differs(world: World) -> bool:
            nonlocal left
            left -= 1
            return left >= 0 and self.on(world, len(mistake)) is not None

        small = case
        if isinstance(case, World):
            small = shrink(case, differs)
        elif self.language is not None:
            small = shrink_input(case, self.language, differs)
        again = mistake if small == case else self.on(small, len(mistake))
        assert again is not None
        return self._difference(small, again)

    def _difference(self, case: Case, steps: Steps) -> Verdict:
        text = case if isinstance(case, str) else None
        return Verdict(
            False,
            self.scope,
            product_states=0,
            stuck_branches=0,
            subject="model",
            counterexample=steps,
            world=string_world(case) if isinstance(case, str) else case,
            input=text if self.scope == INPUTS else None,
        )

    @cached_property
    def _backend(self) -> Backend:
        return cpu_backend(self.match, 1)

    def _budget(self, steps: int) -> int:
        """The steps for small models; fewer for large or wrapped ones, whose steps take longer."""
        if isinstance(self.dfst, Wrapped):
            return steps // LIMITS.wrapped_slower
        return int(steps * min(1.0, (LIMITS.small / len(self.dfst.h0)) ** 2))

    def _wrong(self, cases: list[Case], steps: int) -> list[Case]:
        """Those on which the model errs within some steps."""
        outcomes = self._backend(cases, Until(steps), nobody)
        return [case for case, outcome in zip(cases, outcomes, strict=True) if outcome and outcome.mistake]

    def _first_failure(
        self, cases: Iterable[Case], steps: int, budget: int, at_once: int = LIMITS.batch
    ) -> tuple[Case, Steps] | None:
        """The first case that fails within `steps` steps, all cases together within the budget.

        It must fail by the equations too, if a little later: rounding in one engine alone does not count.
        """
        left = iter(cases)
        while budget > 0 and (batch := list(islice(left, at_once))):
            outcomes = self._backend(batch, Until(min(steps, budget), stop_early=True), nobody)
            for case, outcome in zip(batch, outcomes, strict=False):
                if outcome is None:
                    continue
                budget -= outcome.steps
                far = outcome.mistake.step + LIMITS.engines_apart if outcome.mistake else 0
                mistake = self.on(case, far) if far else None
                if mistake is not None:
                    return case, mistake
        return None

    def _random_worlds(self) -> Iterator[Case]:
        drawn = random_worlds(self.expert, Random(f"{self.seed} judging"), LIMITS.world_steps)
        return islice(drawn, LIMITS.tried if self.scope in ("worlds", "table") else 0)

    def _random_inputs(self) -> Iterator[Case]:
        """Declared inputs, shorter ones first."""
        random = Random(f"{self.seed} judging inputs")
        if self.language is not None:
            yield from growing_inputs(self.language, LIMITS.tried, LIMITS.longest_judged, random)

    def _repeating_inputs(self, length: int) -> Iterator[Case]:
        """Inputs of a length in which each part repeats one symbol, and some that repeat a short word."""
        if self.language is None or longest_input(self.language, length) > EXTRACTION.input_symbols:
            return
        random = Random(f"{self.seed} repeating {length}")
        same = list(islice(repeating_inputs(self.language, length), LIMITS.most_listed))
        yield from random.sample(same, min(len(same), LIMITS.repeating))
        for number in range(LIMITS.repeating):
            yield periodic_input(self.language, 2 + number % LIMITS.most_period, length, random)
