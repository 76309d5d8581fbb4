"""One task of a search. A counterexample to a candidate joins the inputs, and the task begins again."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace
from threading import Event, Lock

from compiler.synthesis.asked import Asked
from compiler.synthesis.found_agents import Judged
from compiler.synthesis.limits import LIMITS
from compiler.synthesis.native_search import EXHAUSTED, FOUND, Candidate, Path, Space, Task


@dataclass(slots=True)
class Progress:
    """What all searches share: how many rules were tried, and whether to stop."""

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
    """Who judges candidates, and who says what is asked of an input."""

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
    """A task while it is searched; `ended` says that nobody waits for it any more."""

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
