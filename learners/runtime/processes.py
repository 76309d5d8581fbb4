"""Work in separate processes: each has its share of the machine, and a crash stays in one."""

from __future__ import annotations

import multiprocessing
import os
import signal
import sys
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from itertools import islice
from multiprocessing.connection import Connection, wait
from types import ModuleType
from typing import Any, Generic, NamedTuple, TypeVar

POLL_SECONDS = 0.2  # until Ctrl-C or a late process is noticed
WAITING = 10  # times its patience, a process may last that hardly computes

Task = TypeVar("Task")
Answer = TypeVar("Answer")


@contextmanager
def stop_requests() -> Iterator[threading.Event]:
    """An event that Ctrl-C and SIGTERM set; a second Ctrl-C raises KeyboardInterrupt at once."""
    stopped = threading.Event()
    if threading.current_thread() is not threading.main_thread():
        yield stopped
        return

    def ask(number: int, _: object) -> None:
        if stopped.is_set() and number == signal.SIGINT:
            raise KeyboardInterrupt
        stopped.set()

    old = {number: signal.signal(number, ask) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield stopped
    finally:
        for number, handler in old.items():
            signal.signal(number, handler)


class Share(NamedTuple):
    """What one process has of this machine."""

    cores: tuple[int, ...] = ()  # empty where the process may use all
    gpu: str | None = None  # as in CUDA_VISIBLE_DEVICES; None is all of them


WHOLE = Share()


def shares(count: int, cores: Sequence[int], gpus: Sequence[str]) -> list[Share]:
    """Even shares of the cores; processes beyond the cores or GPUs share them."""
    size = max(1, len(cores) // count)
    return [
        Share(
            tuple(cores[(i * size + j) % len(cores)] for j in range(size)) if cores else (),
            gpus[i % len(gpus)] if gpus else None,
        )
        for i in range(count)
    ]


class Worker(NamedTuple):
    """A process that does one piece of work, and the pipe that its answer comes through."""

    process: Any
    pipe: Connection

    def result(self) -> tuple[Any, str]:
        """Waits for the end: the answer and no problem, or None and how the process ended."""
        with self.pipe:
            try:
                answered: tuple[Any, str] | None = self.pipe.recv()
            except (EOFError, OSError):
                answered = None
        self.process.join()
        return answered or (None, _death(self.process.exitcode))

    def kill(self) -> None:
        """Ends the process at once; no answer is waited for."""
        self.process.kill()
        self.process.join()
        self.pipe.close()


def start(work: Callable[[Task], Answer], task: Task, share: Share = WHOLE, one_core: bool = False) -> Worker:
    """Begins the work on a task. `work` is a function of a module; tasks and answers are pickled.

    What is for one core is forked from a process that has loaded the module of the work, which takes half a
    second, and in which numpy has one thread: more, in as many processes, would mostly wait for each other.
    """
    ours, theirs = multiprocessing.Pipe(duplex=False)
    context: Any = multiprocessing.get_context("forkserver" if one_core else "spawn")
    if one_core:
        context.set_forkserver_preload([work.__module__])
    process = context.Process(target=_live, args=(work, task, share, theirs), daemon=True)
    try:
        with _interrupts_held(), _without_script(work), _threads(1 if one_core else None):
            process.start()
    except OSError:
        ours.close()
        raise
    finally:
        theirs.close()
    return Worker(process, ours)


@contextmanager
def _interrupts_held() -> Iterator[None]:
    """Ctrl-C reaches all processes of a terminal; those started in the block ignore it."""
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


@contextmanager
def _threads(count: int | None) -> Iterator[None]:
    """Threads for numpy, and cores for all else, in a process that is started now."""
    before = os.environ.get("OMP_NUM_THREADS")
    if count is not None:
        os.environ["OMP_NUM_THREADS"] = str(count)
    try:
        yield
    finally:
        if count is not None:
            os.environ.pop("OMP_NUM_THREADS")
            os.environ.update({} if before is None else {"OMP_NUM_THREADS": before})


@contextmanager
def _without_script(work: Callable[..., object]) -> Iterator[None]:
    """A started process would run the script that runs here once more, unless the work is defined in it."""
    script = sys.modules["__main__"]
    if work.__module__ != "__main__":
        sys.modules["__main__"] = ModuleType("__main__")
    try:
        yield
    finally:
        sys.modules["__main__"] = script


def _live(work: Callable[[Task], Answer], task: Task, share: Share, pipe: Connection) -> None:
    """The life of a process: its share of the machine, the work, and its answer or what went wrong."""
    signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})  # One that is forked later may hear it.
    if share.cores:
        os.sched_setaffinity(0, share.cores)
    if share.gpu is not None:
        os.environ["CUDA_VISIBLE_DEVICES"] = share.gpu
    threading.Thread(target=_end_with_the_parent, daemon=True).start()
    try:
        answered: tuple[Answer | None, str] = (work(task), "")
    except MemoryError:
        answered = (None, "there was too little memory")
    except Exception as error:
        answered = (None, f"{type(error).__name__}: {str(error)[:200]}")
    pipe.send(answered)


def _end_with_the_parent() -> None:
    """Stops, with a checkpoint where one is kept, once nobody waits for the answer."""
    parent = multiprocessing.parent_process()
    if parent:
        parent.join()
        os.kill(os.getpid(), signal.SIGTERM)


def _death(status: int) -> str:
    """What the exit status of a process that gave no answer says."""
    if status >= 0:
        return f"its process ended without an answer, status {status}"
    name = signal.Signals(-status).name
    return f"its process was killed by {name}{'; was there too little memory?' if name == 'SIGKILL' else ''}"


class Done(NamedTuple, Generic[Task, Answer]):
    """A task with its answer, or with what became of its process; and the seconds it took.

    A process that was `late` was killed before it could answer.
    """

    task: Task
    answer: Answer | None
    problem: str
    seconds: float
    late: bool = False


class _Running(NamedTuple):
    task: Any
    worker: Worker
    begun: float


def in_processes(
    work: Callable[[Task], Answer],
    tasks: Iterable[Task],
    at_once: int,
    patience: float,
    one_core: bool = False,
) -> Iterator[Done[Task, Answer]]:
    """Does the work on each task in a process of its own, and gives the answers as they come.

    A process is killed after `patience` seconds: of its core if it has `one_core`, so that a busy machine
    changes no answer. Ctrl-C and SIGTERM, and leaving the iterator, end all.
    """
    running: dict[Connection, _Running] = {}
    waiting = iter(tasks)
    with stop_requests() as stopped:
        try:
            while True:
                for task in islice(waiting, at_once - len(running)):
                    worker = start(work, task, one_core=one_core)
                    running[worker.pipe] = _Running(task, worker, time.monotonic())
                if not running:
                    return
                ready = wait(list(running), POLL_SECONDS)
                if stopped.is_set():
                    raise KeyboardInterrupt
                for pipe, process in list(running.items()):
                    if pipe in ready or _is_late(process, patience, one_core):
                        yield _ended(running.pop(pipe), patience)
        finally:
            for process in running.values():
                process.worker.kill()


def _is_late(process: _Running, patience: float, one_core: bool) -> bool:
    """By the clock of its core, where the system tells it; one that only waits is late as well, later."""
    lasted = time.monotonic() - process.begun
    if not one_core or lasted <= patience or lasted > WAITING * patience:
        return lasted > patience
    try:
        return time.clock_gettime(~process.worker.process.pid << 3 | 2) > patience  # Linux, of a process
    except OSError:
        return True


def _ended(process: _Running, patience: float) -> Done[Any, Any]:
    """What a worker leaves; one that is late is killed."""
    seconds = time.monotonic() - process.begun
    if process.worker.pipe.poll():
        return Done(process.task, *process.worker.result(), seconds)
    process.worker.kill()
    return Done(process.task, None, f"it was given up after {patience:.0f} s", seconds, late=True)
