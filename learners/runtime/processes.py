"""Work in processes of its own: some at once, each given up after a while, none taking another with it."""

from __future__ import annotations

import multiprocessing
import os
import signal
import sys
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from multiprocessing.connection import Connection, wait
from types import ModuleType
from typing import Any, Generic, NamedTuple, TypeVar

from learners.runtime.interrupts import stop_requests

POLL_SECONDS = 0.2

Task = TypeVar("Task")
Answer = TypeVar("Answer")


class Done(NamedTuple, Generic[Task, Answer]):
    """A task with its answer, or with what became of its process; and the seconds it took."""

    task: Task
    answer: Answer | None
    problem: str
    seconds: float


class _Worker(NamedTuple):
    task: Any
    process: Any
    begun: float


def in_processes(
    work: Callable[[Task], Answer], tasks: Iterable[Task], at_once: int, patience: float
) -> Iterator[Done[Task, Answer]]:
    """Does the work on each task in a process of its own, and gives the answers as they come.

    `work` is a function of a module, and answers are pickled. A process is killed after `patience` seconds.
    Ctrl-C and SIGTERM, and leaving the iterator, end all of them.
    """
    running: dict[Connection, _Worker] = {}
    waiting = iter(tasks)
    with stop_requests() as stopped:
        try:
            while True:
                for task in _some(waiting, at_once - len(running)):
                    answer, worker = _started(work, task)
                    running[answer] = worker
                if not running:
                    return
                ready = wait(list(running), POLL_SECONDS)
                if stopped.is_set():
                    raise KeyboardInterrupt
                now = time.monotonic()
                over = [a for a, worker in running.items() if a in ready or now - worker.begun > patience]
                for answer in over:
                    yield _ended(answer, running.pop(answer), patience)
        finally:
            for answer, worker in running.items():
                worker.process.kill()
                worker.process.join()
                answer.close()


def _some(waiting: Iterator[Task], count: int) -> Iterator[Task]:
    for _ in range(count):
        try:
            yield next(waiting)
        except StopIteration:
            return


def _started(work: Callable[[Task], Answer], task: Task) -> tuple[Connection, _Worker]:
    ours, theirs = multiprocessing.Pipe(duplex=False)
    process = multiprocessing.get_context("spawn").Process(
        target=_live, args=(work, task, theirs), daemon=True
    )
    with _interrupts_held(), _without_script():
        process.start()
    theirs.close()
    return ours, _Worker(task, process, time.monotonic())


def _ended(answer: Connection, worker: _Worker, patience: float) -> Done[Any, Any]:
    """What a worker leaves; one that is late is killed."""
    seconds = time.monotonic() - worker.begun
    with answer:
        try:
            if not answer.poll():
                worker.process.kill()
                worker.process.join()
                return Done(worker.task, None, f"it was given up after {patience:.0f} s", seconds)
            found, problem = answer.recv()
        except (EOFError, OSError):
            worker.process.join()
            return Done(worker.task, None, f"its process ended, status {worker.process.exitcode}", seconds)
    worker.process.join()
    return Done(worker.task, found, problem, seconds)


@contextmanager
def _interrupts_held() -> Iterator[None]:
    """Ctrl-C reaches all processes of a terminal; those started now shall not hear it."""
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


@contextmanager
def _without_script() -> Iterator[None]:
    """A started process imports the script that runs here, and would run it again: it is not told of it."""
    script = sys.modules["__main__"]
    sys.modules["__main__"] = ModuleType("__main__")
    try:
        yield
    finally:
        sys.modules["__main__"] = script


def _live(work: Callable[[Task], Answer], task: Task, answer: Connection) -> None:
    """The life of a process: the work, and its answer or what went wrong."""
    threading.Thread(target=_end_with_the_parent, daemon=True).start()
    try:
        found: tuple[Answer | None, str] = (work(task), "")
    except MemoryError:
        found = (None, "there was too little memory")
    except Exception as error:
        found = (None, f"{type(error).__name__}: {str(error)[:200]}")
    answer.send(found)


def _end_with_the_parent() -> None:
    """Nobody waits for the answer of a parent that was killed."""
    parent = multiprocessing.parent_process()
    if parent:
        parent.join()
        os._exit(1)
