"""The search in C finds what plain enumeration finds, and the same on any number of cores."""

from __future__ import annotations

from dataclasses import replace
from threading import Event

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gridlang.compiler.simulation.simulate import STUCK
from gridlang.compiler.simulation.simulate import run as simulate
from gridlang.compiler.synthesis import level
from gridlang.compiler.synthesis.asked import RESULT, Asked
from gridlang.compiler.synthesis.deciding import Completion, first_decisions
from gridlang.compiler.synthesis.found_agents import Judged, found_table
from gridlang.compiler.synthesis.level import Answer, Progress, Questions, TaskSearch
from gridlang.compiler.synthesis.limits import step_limit
from gridlang.compiler.synthesis.native_search import ENDS, EXHAUSTED, FOUND, OPEN, Space, Task
from gridlang.program import Program
from gridlang.table import Table
from gridlang.world import string_world
from tests.support import plain_search
from tests.support.searches import searched

SIGNS = "_abc"


def empty_table(symbols: int) -> Table:
    return Table("found", tuple(SIGNS[:symbols]), ("s0",), ((None,) * symbols,))


def space_of(states: int, symbols: int, wanted: list[tuple[str, str]], active: int = 3) -> Space:
    asked = tuple(Asked(text, RESULT, tuple((c, False) for c in result)) for text, result in wanted)
    return Space(empty_table(symbols), states, "LR", asked, active)


def fewest_steps(space: Space) -> int | None:
    """The fewest steps that the search in C finds, one candidate after the other."""
    best = None
    while True:
        task = Task(space)
        state = task.go_on(10**7)
        if state == EXHAUSTED:
            return best
        assert state == FOUND
        best = task.candidate().steps
        space = replace(space, best=best)


def texts(symbols: int, most: int = 3) -> st.SearchStrategy[str]:
    return st.text(SIGNS[1:symbols], min_size=1, max_size=most)


@st.composite
def problems(draw: st.DrawFn) -> tuple[int, int, list[tuple[str, str]]]:
    """Sizes, and inputs with results: those of some agent, or any."""
    states, symbols = draw(st.sampled_from([(1, 2), (1, 3), (2, 2)]))
    inputs = draw(st.lists(texts(symbols), min_size=1, max_size=4, unique=True))
    if draw(st.booleans()):
        results = [draw(texts(symbols)) for _ in inputs]
        return states, symbols, list(zip(inputs, results, strict=True))
    rules = [plain_search.Rule(w, 0, None) for w in range(symbols)]
    rules += [plain_search.Rule(w, m, n) for w in range(symbols) for m in (-1, 1) for n in range(states)]
    table = tuple(draw(st.sampled_from(rules)) for _ in range(states * symbols))
    done = [
        (text, plain_search.run(table, symbols, [SIGNS.index(c) for c in text], step_limit(len(text))))
        for text in inputs
    ]
    left = [(text, "".join(SIGNS[s] for s in end[0])) for text, end in done if end is not None]
    return states, symbols, left or [(inputs[0], "")]


@searched(25)
@given(problem=problems(), active=st.integers(1, 4))
def test_the_search_finds_the_fewest_steps_of_all_tables(
    problem: tuple[int, int, list[tuple[str, str]]], active: int
) -> None:
    states, symbols, wanted = problem
    numbers = [
        (
            tuple(map(SIGNS.index, text)),
            tuple(map(SIGNS.index, result)),
            step_limit(max(len(text), len(result))),
        )
        for text, result in wanted
    ]
    found = fewest_steps(space_of(states, symbols, wanted, active))
    assert found == plain_search.fewest_steps(states, symbols, numbers)


REVERSED_PAIRS = [("a", "a"), ("b", "b"), ("ab", "ba"), ("ba", "ab"), ("aab", "baa"), ("bba", "abb")]


@pytest.mark.parametrize("letters", ["", "ab"])
def test_a_candidate_does_what_is_asked_and_takes_the_steps_it_says(letters: str) -> None:
    wanted = [(text, text[1:] + text[0]) for text in ("a", "b", "ab", "ba", "abb", "bab", "aab")]
    space = replace(space_of(3, 3, wanted), letters=letters, most_cost=14)
    task = Task(space)
    assert task.go_on(10**8) == FOUND
    candidate = task.candidate()
    table = found_table(space.table, candidate, letters)
    runs = [simulate(table, string_world(text), 1000) for text, _ in wanted]
    assert [run.result for run in runs] == [result for _, result in wanted]
    assert sum(run.steps for run in runs) == candidate.steps


TEXTS = ("a", "b", "ab", "aa", "bab", "aba", "baa")
PARITIES = [(text, "a" if text.count("a") % 2 else "b") for text in TEXTS]


def test_where_an_agent_decides_inputs_with_other_results_end_at_other_pairs() -> None:
    space = space_of(2, 3, PARITIES)
    task = Task(replace(space, decides=first_decisions(space.inputs)[0]))
    assert task.go_on(10**6) == FOUND
    rules = tuple((write, move, OPEN if to >= ENDS else to) for write, move, to in task.candidate().rules)
    table = found_table(space.table, replace(task.candidate(), rules=rules), "")
    runs = [(simulate(table, string_world(text), 100), result) for text, result in PARITIES]
    ends: dict[tuple[str, str], set[str]] = {}
    for run, result in runs:
        assert run.outcome == STUCK, "the ends are left open"
        ends.setdefault((run.state, run.symbol), set()).add(result)
    assert all(len(results) == 1 for results in ends.values())


def test_of_three_results_one_is_told_from_the_others_first_and_then_all_are_written() -> None:
    wanted = [(text, "abc"[text.count("a") % 3]) for text in (*TEXTS, "aaa", "aab")]
    space = space_of(5, 4, wanted)
    first = first_decisions(space.inputs)
    assert [sorted(map(len, groups)) for groups in first] == [[1, 2]] * 3
    task, found = Task(replace(space, decides=first[0], most_cost=8)), None
    while found is None:
        assert task.go_on(10**7) == FOUND
        found = Completion(space).of(task.candidate(), first[0])
    table = found_table(space.table, found, "")
    runs = [simulate(table, string_world(text), 1000).result for text, _ in wanted]
    assert runs == [result for _, result in wanted]


def test_permuted_letters_have_permuted_rules() -> None:
    wanted = [(text, text[1:] + text[0]) for text in ("a", "ab", "abb", "aab")]
    task = Task(replace(space_of(3, 3, wanted), letters="ab"))
    assert task.go_on(10**7) == FOUND
    table = found_table(empty_table(3), task.candidate(), "ab")
    names = str.maketrans("ab", "ba")
    place = [
        table.states.index(name[:-1] + name[-1].translate(names)) if "_" in name else number
        for number, name in enumerate(table.states)
    ]
    swap = [0, 2, 1]
    for state, symbol, entry in table.entries():
        image = table.rows[place[state]][swap[symbol]]
        assert image is not None
        assert (image.write, image.move, image.next) == (swap[entry.write], entry.move, place[entry.next])


def test_a_search_goes_on_where_it_paused() -> None:
    space = space_of(2, 3, REVERSED_PAIRS)
    whole, parts = Task(space), Task(space)
    assert whole.go_on(10**8) == EXHAUSTED
    while parts.go_on(100) != EXHAUSTED:
        pass
    assert parts.nodes == whole.nodes


def test_tasks_cover_the_space_and_no_more(monkeypatch: pytest.MonkeyPatch) -> None:
    """The answer, and the rules that were tried, are those of one core."""
    wanted = [(text, "".join(sorted(text))) for text in ("a", "b", "ba", "ab", "bba", "bab", "baa", "abab")]
    space = space_of(3, 3, wanted)

    def judge(candidate: object, _: Space) -> Judged:
        return Judged(Program(space.table, "found"), repr(candidate), counterexample=None, failing=False)

    monkeypatch.setattr(Judged, "accepted", True)
    answers = []
    for count in (1, 3):
        monkeypatch.setattr(level, "cores", lambda count=count: count)
        questions, progress = Questions(judge, lambda _: None), Progress()
        bounded = replace(space, most_cost=14)
        answer = level.Level(bounded, 10**7, questions, progress).search()
        assert answer.found is not None
        answers.append((answer.found.judged.source, answer.nodes, answer.task))
    assert answers[0] == answers[1]
    assert answers[0][2], "more than one task"


def test_a_search_for_fewer_steps_goes_on_with_every_task_that_is_left(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A lower bound on steps leaves fewer tasks, so that their numbers say nothing."""
    wanted = [(text, text[::-1]) for text in ("a", "b", "ba", "ab", "bbabaab", "baaabab")]
    space, begun = space_of(3, 3, wanted), list[tuple[int, ...]]()

    def note(_: level.Level, path: tuple[int, ...], *__: object) -> Answer:
        begun.append(path)
        return Answer(exhausted=True)

    monkeypatch.setattr(level.Level, "_task", note)

    def tasks(best: int, first: tuple[int, ...]) -> list[tuple[int, ...]]:
        begun.clear()
        questions = Questions(lambda *_: Judged(Program(space.table, "")), lambda _: None)
        level.Level(replace(space, best=best), 10**7, questions, Progress())._split(first)
        return sorted(begun)

    before, after = tasks(10**6, ()), tasks(10, ())
    assert len(after) < len(before)
    last = before[len(before) // 2]
    assert tasks(10, last) == [path for path in after if path[: len(last)] >= last[: len(path)]]


def test_a_counterexample_joins_the_inputs() -> None:
    space = space_of(1, 2, [("a", "a")])
    told = ["aa", "aaa"]

    def judge(*_: object) -> Judged:
        return Judged(Program(space.table, "found"), counterexample=told.pop() if told else "a")

    questions = Questions(judge, lambda text: Asked(text, RESULT, tuple((c, False) for c in "a")))
    search = TaskSearch(space, (), 10**6, questions, Progress(), Event())
    assert search.run().exhausted
    assert [asked.text for asked in search.space.inputs] == ["aa", "aaa", "a"]
