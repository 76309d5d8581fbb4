"""Work that may take long, in processes that are ended when nobody waits for it any more."""

from __future__ import annotations

import asyncio
import os
import signal
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from multiprocessing import get_context
from multiprocessing.connection import Connection
from typing import Any, TypeVar

from compiler.language_server.limits import LIMITS

T = TypeVar("T")
PROCESSES = get_context("spawn")  # a fork would hold the editor's connection


class Failed(Exception):
    """The work ended without a result."""


class _Worker:
    """A process that takes one job after another."""

    def __init__(self) -> None:
        self.connection, other = PROCESSES.Pipe()
        self.process = PROCESSES.Process(target=_work, args=(other,), daemon=True)
        self.process.start()
        other.close()

    def ask(self, job: Callable[..., T], arguments: tuple[Any, ...]) -> T:
        try:
            self.connection.send((job, arguments))
            done, result = self.connection.recv()
        except (EOFError, OSError) as error:
            raise Failed(f"the process has ended: {error}") from None
        if not done:
            raise Failed(result)
        return result  # type: ignore[no-any-return]


class Jobs:
    """Runs functions of modules; one that is cancelled, or takes too long, is ended with its process."""

    def __init__(self) -> None:
        os.environ["PYTHONSAFEPATH"] = "1"  # the editor's folder may hold any module
        self._threads = ThreadPoolExecutor(LIMITS.jobs_at_once, "jobs")
        self._turns = asyncio.Semaphore(LIMITS.jobs_at_once)
        self._idle = [_Worker()]  # one is ready before the first text comes
        self._busy: list[_Worker] = []

    async def run(self, job: Callable[..., T], *arguments: Any, seconds: float) -> T:
        """The result of a job; Failed where there is none in time."""
        async with self._turns:
            worker = self._idle.pop() if self._idle else _Worker()
            self._busy.append(worker)
            answer = asyncio.get_running_loop().run_in_executor(self._threads, worker.ask, job, arguments)
            answer.add_done_callback(lambda done: done.cancelled() or done.exception())
            try:
                result = await asyncio.wait_for(asyncio.shield(answer), seconds)
            except BaseException as error:
                worker.process.kill()
                if isinstance(error, TimeoutError):
                    raise Failed("this takes too long") from None
                raise
            finally:
                self._busy.remove(worker)
            self._idle.append(worker)
            return result

    def end(self) -> None:
        for worker in (*self._idle, *self._busy):
            worker.process.kill()
        self._threads.shutdown(wait=False, cancel_futures=True)


def _work(jobs: Connection) -> None:
    """The loop of a process, until the server ends."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the server
    while True:
        try:
            job, arguments = jobs.recv()
        except EOFError:
            return
        try:
            answer = (True, job(*arguments))
        except Exception as error:  # A mistake in one text must not take the server's work from others.
            answer = (False, f"{type(error).__name__}: {error}")
        try:
            jobs.send(answer)
        except OSError:
            return
