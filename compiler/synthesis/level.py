"""One space of agents searched on all cores, with an answer that does not depend on how many there are.

The space is split into tasks in a fixed order. The answer is that of the first task that has one, once all
tasks before it have ended; the allowance of rules counts those of the tasks in order.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from threading import Event, Lock

from gridlang.compiler.simulation.native.build import cores
from gridlang.compiler.synthesis.asked import Asked
from gridlang.compiler.synthesis.found_agents import Judged
from gridlang.compiler.synthesis.limits import LIMITS
from gridlang.compiler.synthesis.native_search import CUT, EXHAUSTED, FOUND, Candidate, Path, Space, Task


@dataclass(slots=True)
class Progress:
    """Shared by all searches: the rules tried, and whether to stop."""

    tell: Callable[[int], None] = lambda _: None
    stop: Event = field(default_factory=Event)
    nodes: int = 0
    lock: Lock = field(default_factory=Lock)

    def add(self, nodes: int) -> None:
        with self.lock:
            self.nodes += nodes
            self.tell(self.nodes)


@dataclass(frozen=True, slots=True)
class Questions:
    """The functions that judge a candidate, and that give the result asked of an input."""

    judge: Callable[[Candidate, Space], Judged]
    asked_of: Callable[[str], Asked | None]


@dataclass(frozen=True, slots=True)
class Found:
    """An agent with the steps that it takes on all inputs of its search."""

    judged: Judged
    steps: int


@dataclass(frozen=True, slots=True)
class Answer:
    """How a search has ended: with an agent, or `exhausted`, or neither where its allowance was spent.

    `unproven` are agents that no input refutes, and no proof confirms. `task` is the path of the last one.
    """

    nodes: int = 0
    exhausted: bool = False
    found: Found | None = None
    unproven: tuple[Found, ...] = ()
    learned: tuple[Asked, ...] = ()  # counterexamples
    task: Path = ()


class TaskSearch:
    """A task during its search; `ended` cancels it."""

    def __init__(
        self,
        space: Space,
        path: Path,
        allowance: int,
        questions: Questions,
        progress: Progress,
        ended: Event,
    ) -> None:
        self.space, self.path, self.allowance = space, path, allowance
        self.questions, self.progress, self.ended = questions, progress, ended
        self.nodes = 0
        self.found: Found | None = None
        self.unproven: list[Found] = []
        self.passed_over = False  # a candidate that is right on all inputs
        self.learned: list[Asked] = []
        self.seen: set[tuple[tuple[int, int, int], ...]] = set()

    def run(self) -> Answer:
        task = Task(self.space, self.path)
        while not (self.ended.is_set() or self.progress.stop.is_set()):
            before = task.nodes
            state = task.go_on(min(LIMITS.slice, self.allowance - self.nodes))
            self.nodes += task.nodes - before
            self.progress.add(task.nodes - before)
            if state == EXHAUSTED:
                return self._answer(exhausted=bool(self.space.decides) or not self.passed_over)
            if state == FOUND and self._learns_from(task.candidate()):
                task = Task(self.space, self.path)
            if self.found or self.nodes >= self.allowance or len(self.unproven) >= LIMITS.unproven:
                break
        return self._answer(exhausted=False)

    def _answer(self, exhausted: bool) -> Answer:
        return Answer(self.nodes, exhausted, self.found, tuple(self.unproven), tuple(self.learned))

    def _learns_from(self, candidate: Candidate) -> bool:
        """Whether a candidate was refuted by an input that is new to the search."""
        if candidate.rules in self.seen:
            return False
        self.seen.add(candidate.rules)
        judged = self.questions.judge(candidate, self.space)
        self.nodes += judged.nodes
        wrong = judged.counterexample
        asked = self.questions.asked_of(wrong) if wrong is not None else None
        if asked is not None and asked not in self.space.inputs:
            self.learned.append(asked)
            self.space = with_inputs(self.space, [asked])
            return True
        found = Found(judged, candidate.steps)
        if judged.accepted and not judged.refused:
            self.found = found
        else:
            self.passed_over = True
            self.unproven += [] if judged.refused else [found]
        return False


def with_inputs(space: Space, more: Iterable[Asked]) -> Space:
    """The space with more inputs, which are asked first."""
    new = tuple(asked for asked in dict.fromkeys(more) if asked not in space.inputs)
    active = min(space.active + len(new), LIMITS.most_active)
    return replace(space, inputs=(*new, *space.inputs), active=active)


@dataclass(frozen=True, slots=True)
class Level:
    """A space, and how many rules may be tried in it."""

    space: Space
    allowance: int
    questions: Questions
    progress: Progress

    def search(self, first_task: Path = ()) -> Answer:
        """The answer of the space, from a task on; a small space is one task."""
        if not first_task:
            alone = self._task((), Event(), min(LIMITS.alone, self.allowance))
            is_over = alone.exhausted or alone.found or alone.unproven or alone.nodes >= self.allowance
            if is_over or self.progress.stop.is_set():
                return alone
            rest = replace(self, space=with_inputs(self.space, alone.learned))
            answer = rest._split(first_task)
            return replace(answer, learned=(*alone.learned, *answer.learned))
        return self._split(first_task)

    def _split(self, first_task: Path) -> Answer:
        paths = self._paths()
        if paths is None:
            return self._task((), Event(), self.allowance)
        return self._in_parallel([path for path in paths if path >= first_task[: len(path)]])

    def _task(self, path: Path, ended: Event, allowance: int) -> Answer:
        return TaskSearch(self.space, path, allowance, self.questions, self.progress, ended).run()

    def _paths(self) -> list[Path] | None:
        """The beginnings of tasks, at the least depth that has enough of them; None if there are too few."""
        for depth in range(1, LIMITS.deepest + 1):
            task, paths = Task(self.space, split=depth), list[Path]()
            while task.go_on(self.allowance) == CUT:
                paths.append(task.path())
            if len(paths) >= LIMITS.tasks:
                return paths
        return None

    def _in_parallel(self, paths: list[Path]) -> Answer:
        ended = [Event() for _ in paths]
        pool = ThreadPoolExecutor(cores())
        try:
            futures = [
                pool.submit(self._task, path, event, self.allowance)
                for path, event in zip(paths, ended, strict=True)
            ]
            return self._in_order(dict(zip(paths, futures, strict=True)))
        except BaseException:
            self.progress.stop.set()
            raise
        finally:
            for event in ended:
                event.set()
            pool.shutdown(cancel_futures=True)

    def _in_order(self, futures: dict[Path, Future[Answer]]) -> Answer:
        """The answers of all tasks as one, up to the first agent or to the end of the allowance."""
        whole = Answer(exhausted=True)
        for path, future in futures.items():
            one = future.result()
            nodes = whole.nodes + one.nodes
            if nodes > self.allowance or self.progress.stop.is_set():
                return replace(whole, nodes=min(nodes, self.allowance), exhausted=False)
            whole = Answer(
                nodes,
                whole.exhausted and one.exhausted,
                one.found,
                (*whole.unproven, *one.unproven),
                (*whole.learned, *one.learned),
                path,
            )
            if one.found or len(whole.unproven) >= LIMITS.all_unproven:
                return replace(whole, exhausted=False)
        return whole
