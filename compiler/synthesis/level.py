"""One space of agents searched on all cores, with an answer that does not depend on how many there are.

The space is split into tasks in a fixed order. The answer is that of the first task that has one, once all
tasks before it have ended; the allowance of rules counts those of the tasks in order.
"""

from __future__ import annotations

from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, replace
from threading import Event

from compiler.simulation.native.build import cores
from compiler.synthesis.limits import LIMITS
from compiler.synthesis.native_search import CUT, Path, Space, Task
from compiler.synthesis.task_search import Answer, Progress, Questions, TaskSearch, with_inputs


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
