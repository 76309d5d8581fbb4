"""Does a submission leave what the expert leaves? That is tested here, on declared inputs or on worlds.

The expert's output clause says what is right where it has a value, so that leading zeros are fine; elsewhere
the expert's own result does.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace

from gridlang.clauses.cases import test_world
from gridlang.clauses.functions import Acceptance
from gridlang.clauses.inputs import ENDLESS as LONGER_THAN_ANY
from gridlang.clauses.inputs import InputLanguage
from gridlang.clauses.outputs import OutputRule, output_rule
from gridlang.compiler.api.viewed import sampled_worlds
from gridlang.compiler.engines import execute
from gridlang.compiler.proofs.prove import quick_proof
from gridlang.compiler.proofs.reach import input_to
from gridlang.compiler.simulation.simulate import BUDGET, HALTED, LOOPING, STUCK, Run
from gridlang.compiler.testing.file_tests import describe
from gridlang.compiler.testing.input_runs import WALKS_OFF, InputRuns
from gridlang.compiler.testing.input_search import Tried, search_inputs
from gridlang.compiler.testing.limits import LIMITS as TESTING
from gridlang.compiler.testing.result_comparison import left_behind
from gridlang.diagnostics import counted
from gridlang.labels import UNLABELLED, Alphabet
from gridlang.learners.grading.limits import LIMITS
from gridlang.learners.grading.submissions import ENDLESS, RIGHT, TESTED, UNKNOWN, WRONG, Judgement
from gridlang.program import Program
from gridlang.syntax import tree as s
from gridlang.table import STAY, Entry, Table
from gridlang.world import World, world_picture

Pair = tuple[int, int]  # state, symbol


class InputTests:
    """The tests of one submission on declared inputs: many of them, and such as come up later."""

    def __init__(self, expert: Program, language: InputLanguage, table: Table, steps: int, seed: int) -> None:
        self.expert, self.language, self.table, self.steps, self.seed = expert, language, table, steps, seed
        self.oracle = _Oracle(expert.table, output_rule(expert.table), steps)
        self.runs = InputRuns(table)
        self.stuck: set[tuple[int, int]] = set()
        self.halted: dict[int, int] = {}  # the longest run that was right, by the length of its input

    def used(self) -> set[tuple[int, int]]:
        """The pairs of state and symbol that some run reached, or got stuck on."""
        return self.runs.used() | self.stuck

    def search(self) -> Judgement:
        """All short inputs, drawn ones, and those of the expert's tests; the smallest mistake of them."""
        longest = LONGER_THAN_ANY
        searched = search_inputs(
            self.language, lambda text: self.judge(text, longest), TESTING.cases, self.seed, lambda _: None
        )
        mistake = searched.smallest
        if mistake and mistake.input is not None:
            listed = len(mistake.input) <= searched.exhaustive + 1 and not searched.random
            return replace(mistake, smallest=listed, cases=searched.cases)
        for text in _tested_inputs(self.expert, self.language):
            tried = self.judge(text, longest)
            if tried.wrong:
                return replace(tried.wrong, cases=searched.cases + 1)
        if not searched.checked:
            return Judgement(UNKNOWN, "nothing is asked on any of the inputs that were tried")
        late = counted(searched.unfinished, "longer input")
        left = f"; {late} took too many steps" if searched.unfinished else ""
        says = f"tested on {counted(searched.checked, 'input')}: {searched.described()}{left}"
        return Judgement(RIGHT, says, TESTED, cases=searched.checked)

    def mistake_on(self, text: str | None) -> Judgement | None:
        """What is wrong on an input that a proof gave, if that is one; what longer ones take says nothing."""
        if text is None or not self.language.declares(text):
            return None
        return self.judge(text, len(text)).wrong

    def judge(self, text: str, longest: int) -> Tried[Judgement]:
        """One run; one that does not end is wrong if none on inputs up to a length took nearly as long."""
        done, cost = self.runs.run(text, self.steps)
        if done.outcome == STUCK:
            self.stuck.add((self.table.states.index(done.state), self.table.symbols.index(done.symbol)))
        right = self.oracle.is_right(text, done)
        if right is None:
            return Tried(cost, None, asked=False)
        if right:
            self.halted[len(text)] = max(done.steps, self.halted.get(len(text), 0))
            return Tried(cost, None)
        unsure = done.outcome == BUDGET and done.reason != WALKS_OFF
        if unsure:
            halted = max((steps for length, steps in self.halted.items() if length <= longest), default=0)
            if done.steps < TESTING.sudden * halted:
                return Tried(cost, None, ended=False)
        mistake = _wrong(self.oracle.expected(text), done, unsure, self.table.alphabet)
        return Tried(cost, replace(mistake, input=text))


def _wrong(expected: str, done: Run, endless: bool, alphabet: Alphabet = UNLABELLED) -> Judgement:
    """A mistake; where the run is endless it was still going, and may halt later."""
    verdict = ENDLESS if endless else WRONG
    actual = ended(done, alphabet)
    return Judgement(verdict, "it does not end as the expert does", expected=expected, actual=actual)


def _tested_inputs(expert: Program, language: InputLanguage) -> Iterator[str]:
    for test in () if expert.overridden else expert.tests:
        if isinstance(test.world, s.Text) and language.declares(test.world.value):
            yield test.world.value


class _Oracle:
    """What is right on an input, by the expert's clause or by the expert itself."""

    def __init__(self, table: Table, rule: OutputRule | None, steps: int) -> None:
        self.rule, self.steps, self.runs, self.alphabet = rule, steps, InputRuns(table), table.alphabet

    def is_right(self, text: str, done: Run) -> bool | None:
        """None if the expert itself does not end: then nothing is asked."""
        expected = self.rule.expected(text) if self.rule else None
        if self.rule is not None and isinstance(expected, str) and _spans_far(done):
            return False
        if self.rule is not None and expected is not None:
            return self.rule.is_met(expected, done)
        return same_ending(self.runs.run(text, self.steps).done, done)

    def expected(self, text: str) -> str:
        """How the expert's run ends, or what the clause says."""
        mine = self.runs.run(text, self.steps).done
        if mine.outcome != BUDGET:
            return ended(mine, self.alphabet)
        value = self.rule.expected(text) if self.rule else None
        return f'it leaves "{value}"' if value and not isinstance(value, Acceptance) else ended(mine)


def same_ending(expert: Run, done: Run) -> bool | None:
    """Whether both end alike and leave the same; None where the expert does not end."""
    if expert.outcome in (BUDGET, LOOPING):
        return None
    if expert.outcome != done.outcome or expert.outcome != HALTED:
        return expert.outcome == done.outcome
    return left_behind(expert) == left_behind(done)


def _spans_far(done: Run) -> bool:
    """Whether the result spans more cells than any clause asks for."""
    box = done.world.box
    return box is not None and box.area > TESTING.most_area


def ended(done: Run, alphabet: Alphabet = UNLABELLED) -> str:
    """How a run ended, and what it left if it halted."""
    if done.outcome != HALTED:
        return (
            f"it {describe(done, alphabet)}" if done.reason != WALKS_OFF else f"it never halts: {WALKS_OFF}"
        )
    result = left_behind(done)
    shown = "\n".join(map(alphabet.line, result[: LIMITS.shown_symbols].split("\n")))
    left = shown if len(result) <= LIMITS.shown_symbols else f"{shown}…"
    return f"it halts with\n{left}" if "\n" in left else f'it halts with "{left}"'


class WorldTests:
    """The tests of one submission on worlds, of an expert that declares no inputs."""

    def __init__(self, expert: Program, table: Table, steps: int, seed: int) -> None:
        self.expert, self.table, self.steps, self.seed = expert, table, steps, seed

    def search(self) -> Judgement:
        """The worlds of the expert's tests and sampled ones, small ones first."""
        asked = 0
        for world, is_test in sorted(_worlds(self.expert, self.seed), key=lambda each: _size(each[0])):
            steps = self.steps if is_test else min(self.steps, LIMITS.sample_steps)
            mine = execute(self.expert.table, world, steps)
            if mine.outcome != HALTED and not (is_test and mine.outcome == STUCK):
                continue
            asked += 1
            wrong = self._compared(mine, world)
            if wrong:
                return replace(wrong, cases=asked)
        if not asked:
            return Judgement(UNKNOWN, "the expert halts on none of the worlds that were tried")
        says = f"tested on {counted(asked, 'world')}: those of the expert's tests, and random ones"
        return Judgement(RIGHT, says, TESTED, cases=asked)

    def mistake_on(self, world: World | None) -> Judgement | None:
        """What is wrong on a world that a proof gave, if the expert halts there."""
        mine = execute(self.expert.table, world, self.steps) if world is not None else None
        return self._compared(mine, world) if world and mine and mine.outcome == HALTED else None

    def _compared(self, mine: Run, world: World) -> Judgement | None:
        done = execute(self.table, world, self.steps)
        if same_ending(mine, done):
            return None
        wrong = _wrong(ended(mine), done, done.outcome == BUDGET)
        return replace(wrong, world=world_picture(world))


def _worlds(expert: Program, seed: int) -> Iterable[tuple[World, bool]]:
    """Each, and whether it is of a test: being stuck is wanted only there."""
    for test in () if expert.overridden else expert.tests:
        yield test_world(test, expert.table.symbols), True
    for world in sampled_worlds(expert.table, seed):
        yield world, False


def _size(world: World) -> tuple[int, int, str]:
    return world.frame.area, len(world.cells), world_picture(world) or ""


def inputs_to_unused_rules(table: Table, used: Callable[[], set[Pair]]) -> Iterator[str]:
    """Inputs that lead to pairs which are not `used` so far, until none is left or found.

    The caller runs each input before it takes the next.

    A mistake that shows on one long input alone sits behind a rule that no other input uses. So a submission
    is compared with what the tests have seen of it: a difference is an input that leads to something new.
    """
    tried: set[Pair] = set()
    while True:
        seen = used()
        new = [pair for pair in _unused(table, seen) if pair not in tried]
        if not new or len(tried) >= LIMITS.suspected_pairs:
            return
        if quick_proof(_halting_where_stuck(table, seen), _seen_of(table, seen), "inputs") is not None:
            return
        for pair in new[: LIMITS.suspected_pairs - len(tried)]:
            tried.add(pair)
            text = input_to(table, *pair) if pair not in used() else None
            if text is not None:
                yield text


def _unused(table: Table, seen: set[Pair]) -> list[Pair]:
    """Unused rules, those far from the start first, which show most on their way; then pairs without a rule.

    Only pairs in states that runs reached: elsewhere a rule is missing as well.
    """
    # States stand in the order in which the start leads to them.
    acting = [state for state in reversed(range(len(table.states))) if not table.halts_everywhere(state)]
    pairs = [(state, symbol) for state in acting for symbol in range(len(table.symbols))]
    unused = [pair for pair in pairs if pair not in seen]
    rules = [(state, symbol) for state, symbol in unused if table.rows[state][symbol]]
    known = {state for state, _ in seen}
    return rules + [(state, x) for state, x in unused if state in known and not table.rows[state][x]]


def _halting_where_stuck(table: Table, seen: set[Pair]) -> Table:
    """The agent with a halt where no run was stuck before, so that to be stuck there is a difference."""

    def entry(state: int, symbol: int, rule: Entry | None) -> Entry | None:
        return rule or (None if (state, symbol) in seen else Entry(symbol, STAY, state))

    return _with_rules(table, entry)


def _seen_of(table: Table, seen: set[Pair]) -> Table:
    """The agent with the rules that were used; in a state that halts on everything, one tells of all."""
    halts = {state for state in range(len(table.states)) if table.halts_everywhere(state)}

    def entry(state: int, symbol: int, rule: Entry | None) -> Entry | None:
        return rule if state in halts or (state, symbol) in seen else None

    return _with_rules(table, entry)


def _with_rules(table: Table, entry: Callable[[int, int, Entry | None], Entry | None]) -> Table:
    rows = tuple(
        tuple(entry(state, symbol, rule) for symbol, rule in enumerate(row))
        for state, row in enumerate(table.rows)
    )
    return replace(table, rows=rows)
