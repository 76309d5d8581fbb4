"""Work in separate processes: each has its share of the machine, and a crash stays in one."""

from __future__ import annotations

import multiprocessing
import os
import signal
import sys
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
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

    cores: tuple[int, ...] = ()  # empty where the process may use all, by one thread of numpy
    gpu: str | None = None  # as in CUDA_VISIBLE_DEVICES; None is all of them


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


class Done(NamedTuple, Generic[Task, Answer]):
    """A task with its answer, or how its process ended; and the seconds it took.

    A process that was `late` was killed before it could answer.
    """

    task: Task
    answer: Answer | None
    problem: str
    seconds: float
    late: bool = False


class _Running(NamedTuple):
    """A process at work, and the pipe that its answer comes through."""

    task: Any
    share: Share
    process: Any
    pipe: Connection
    begun: float


def in_processes(
    work: Callable[[Task], Answer],
    tasks: Iterable[Task],
    at_once: int,
    patience: float = float("inf"),
    free: Sequence[Share] = (),
) -> Iterator[Done[Task, Answer]]:
    """Does the work on each task in a process of its own, and gives the answers as they come.

    `work` is a function of a module; tasks and answers are pickled. A process has one of the shares that are
    `free`, else the machine. It is killed after `patience` seconds of its core, so that a busy machine
    changes no answer. Ctrl-C, SIGTERM and leaving the iterator ask all to end; a second Ctrl-C kills them.
    """
    running: dict[Connection, _Running] = {}
    waiting, unused = iter(tasks), list(free) or [Share()] * at_once
    with stop_requests() as stopped:
        try:
            while True:
                for task in islice(waiting, at_once - len(running)):
                    process = _start(work, task, unused.pop(0))
                    running[process.pipe] = process
                if not running:
                    return
                ready = wait(list(running), POLL_SECONDS)
                if stopped.is_set():
                    raise KeyboardInterrupt
                for pipe, process in list(running.items()):
                    if pipe in ready or _is_late(process, patience):
                        unused.append(process.share)
                        yield _ended(running.pop(pipe), patience)
        finally:
            _end(list(running.values()))


def _end(running: Sequence[_Running]) -> None:
    """Asks processes to end, which may write a checkpoint first."""
    try:
        for each in running:
            each.process.terminate()
        for each in running:
            each.process.join()
    finally:
        for each in running:
            each.process.kill()
            each.pipe.close()


def _start(work: Callable[[Task], Answer], task: Task, share: Share) -> _Running:
    """A process that is forked from one that has loaded the module of the work, which takes half a second.

    In that one numpy has one thread: more, in as many processes, would mostly wait for each other.
    """
    ours, theirs = multiprocessing.Pipe(duplex=False)
    context: Any = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload([work.__module__])
    process = context.Process(target=_live, args=(work, task, share, theirs), daemon=True)
    begun = time.monotonic()
    try:
        with _interrupts_held(), _without_script(work), _one_thread():
            process.start()
    except OSError:
        ours.close()
        raise
    finally:
        theirs.close()
    return _Running(task, share, process, ours, begun)


@contextmanager
def _interrupts_held() -> Iterator[None]:
    """Ctrl-C reaches all processes of a terminal; those started in the block ignore it."""
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


@contextmanager
def _one_thread() -> Iterator[None]:
    """One thread for numpy in a process that is started now."""
    before = os.environ.get("OMP_NUM_THREADS")
    os.environ["OMP_NUM_THREADS"] = "1"
    try:
        yield
    finally:
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
        os.environ["OMP_NUM_THREADS"] = str(len(share.cores))
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
    """Stops, with a checkpoint if one is kept, when the parent ends."""
    parent = multiprocessing.parent_process()
    if parent:
        parent.join()
        os.kill(os.getpid(), signal.SIGTERM)


def _is_late(process: _Running, patience: float) -> bool:
    """By CPU time, if the system tells it; a process that only waits is late too, later."""
    lasted = time.monotonic() - process.begun
    if lasted <= patience or lasted > WAITING * patience:
        return lasted > patience
    try:
        return time.clock_gettime(~process.process.pid << 3 | 2) > patience  # Linux, of a process
    except OSError:
        return True


def _ended(running: _Running, patience: float) -> Done[Any, Any]:
    """What a process leaves; one that is late is killed."""
    late = not running.pipe.poll()
    if late:
        running.process.kill()
    answered: tuple[Any, str] | None = None
    with running.pipe, suppress(EOFError, OSError):
        answered = None if late else running.pipe.recv()
    running.process.join()
    problem = f"it was given up after {patience:.0f} s" if late else _death(running.process.exitcode)
    answer, problem = answered or (None, problem)
    return Done(running.task, answer, problem, time.monotonic() - running.begun, late)


def _death(status: int) -> str:
    """What the exit status of a process that gave no answer says."""
    if status >= 0:
        return f"its process ended without an answer, status {status}"
    name = signal.Signals(-status).name
    return f"its process was killed by {name}{'; was there too little memory?' if name == 'SIGKILL' else ''}"
