"""One space of agents searched on all cores, with an answer that does not depend on how many there are.

The space is split into tasks in a fixed order. The answer is that of the first task that has one, once all
tasks before it have ended; the allowance of rules counts those of the tasks in order.
"""

from __future__ import annotations

from collections.abc import Callable, Collection
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, replace
from threading import Event

from compiler.simulation.native.build import cores
from compiler.synthesis.asked import RESULT, Asked, distinct_results
from compiler.synthesis.found_agents import Judged, found_table
from compiler.synthesis.limits import LIMITS
from compiler.synthesis.native_search import CUT, ENDS, OPEN, Candidate, Space, Task
from compiler.synthesis.task_search import Answer, Progress, Questions, TaskSearch, with_inputs
from gridlang.program import Program
from gridlang.table import Table

Path = tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Level:
    """A space, and how many rules may be tried in it."""

    space: Space
    allowance: int
    questions: Questions
    progress: Progress

    def search(self, first_task: int = 0) -> Answer:
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

    def _split(self, first_task: int) -> Answer:
        paths = self._paths()
        if paths is None:
            return self._task((), Event(), self.allowance)
        return self._in_parallel(paths, first_task)

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

    def _in_parallel(self, paths: list[Path], first: int) -> Answer:
        ended = [Event() for _ in paths]
        pool = ThreadPoolExecutor(cores())
        try:
            futures = [
                pool.submit(self._task, path, event, self.allowance)
                for path, event in zip(paths[first:], ended[first:], strict=True)
            ]
            return self._in_order(futures, first)
        except BaseException:
            self.progress.stop.set()
            raise
        finally:
            for event in ended:
                event.set()
            pool.shutdown(cancel_futures=True)

    def _in_order(self, futures: list[Future[Answer]], first: int) -> Answer:
        """The answers of all tasks as one, up to the first agent or to the end of the allowance."""
        whole = Answer(exhausted=True)
        for number, future in enumerate(futures, first):
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
                number,
            )
            if one.found or len(whole.unproven) >= LIMITS.all_unproven:
                return replace(whole, exhausted=False)
        return whole


def is_decision(asked: Collection[Asked]) -> bool:
    """Whether all inputs ask for one of few results.

    Then an agent is sought first that ends at other pairs for other results, whatever it leaves: that takes
    far fewer rules. Its ends are then left open, and rules are sought that go on and leave the result.
    """
    kinds = len(distinct_results(asked))
    return 1 < kinds <= LIMITS.results and kinds < len(asked) and all(one.ending == RESULT for one in asked)


def written(
    program: Program, candidate: Candidate, letters: str, complete: Callable[[Table, int], Answer]
) -> Judged:
    """The agent that goes on from where a candidate has decided; refused where none is found.

    `complete` searches the agents of some states that keep the rules of a table.
    """
    table, nodes = undecided(program.table, candidate, letters), 0
    for more in range(LIMITS.states_to_write + 1):
        answer = complete(table, len(table.states) + more)
        nodes += answer.nodes
        found = answer.found or next(iter(answer.unproven), None)
        if found:
            return found.judged._replace(nodes=nodes)
    return Judged(program, failing=True, nodes=nodes)


def undecided(specified: Table, candidate: Candidate, letters: str) -> Table:
    """The table of a candidate without its ends."""
    rules = tuple((write, move, OPEN if to >= ENDS else to) for write, move, to in candidate.rules)
    return found_table(specified, replace(candidate, rules=rules), letters)
