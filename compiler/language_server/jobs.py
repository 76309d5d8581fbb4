"""Work that may take long, in processes that are ended when nobody waits for it any more."""

from __future__ import annotations

import asyncio
import json
import os
import pickle
import subprocess
import sys
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from compiler.language_server.limits import LIMITS

# The path is passed on: the editor's folder must not come before it, since it may hold any module.
START = (
    "import sys, json; sys.path[:] = json.loads(sys.argv[1]); "
    "from compiler.language_server.jobs import serve; serve()"
)


class Failed(Exception):
    """The work ended without a result."""


class _Worker:
    """A process that takes one job after another."""

    def __init__(self) -> None:
        self.process = subprocess.Popen(
            [sys.executable, "-P", "-c", START, json.dumps(sys.path)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            start_new_session=True,  # Ctrl-C is for the server, which ends the others.
        )

    def ask(self, job: str, arguments: tuple[Any, ...]) -> Any:
        assert self.process.stdin and self.process.stdout
        try:
            pickle.dump((job, arguments), self.process.stdin)
            self.process.stdin.flush()
            done, result = pickle.load(self.process.stdout)
        except (EOFError, OSError, ValueError, pickle.UnpicklingError) as error:
            raise Failed(f"the process has ended: {error}") from None
        if not done:
            raise Failed(result)
        return result

    def end(self) -> None:
        self.process.kill()


class Jobs:
    """Runs jobs by their names; one that is cancelled, or takes too long, is ended with its process."""

    def __init__(self) -> None:
        self._threads = ThreadPoolExecutor(LIMITS.jobs_at_once, "jobs")
        self._turns = asyncio.Semaphore(LIMITS.jobs_at_once)
        self._idle: list[_Worker] = [_Worker()]  # One is ready before the first text comes.
        self._busy: list[_Worker] = []

    async def run(self, job: str, *arguments: Any, seconds: float) -> Any:
        """The result of a job; TimeoutError where it takes too long, Failed where there is none."""
        async with self._turns:
            worker = self._idle.pop() if self._idle else _Worker()
            self._busy.append(worker)
            answer = asyncio.get_running_loop().run_in_executor(self._threads, worker.ask, job, arguments)
            answer.add_done_callback(lambda done: done.cancelled() or done.exception())
            try:
                result = await asyncio.wait_for(asyncio.shield(answer), seconds)
            except BaseException:
                worker.end()
                raise
            finally:
                self._busy.remove(worker)
            self._idle.append(worker)
            return result

    def end(self) -> None:
        for worker in (*self._idle, *self._busy):
            worker.end()
        self._threads.shutdown(wait=False, cancel_futures=True)


def serve() -> None:
    """The loop of a process: a job comes on stdin, its result goes to stdout, until stdin ends."""
    from compiler.language_server import analysis

    jobs: dict[str, Callable[..., Any]] = {
        "summarise": analysis.summarise,
        "formatted": analysis.formatted,
        "graph": analysis.graph,
    }
    results = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # What a job prints must not stand between results.
    while True:
        try:
            job, arguments = pickle.load(sys.stdin.buffer)
        except EOFError:
            return
        try:
            answer = (True, jobs[job](*arguments))
        except Exception as error:  # A mistake in one text must not take the server's work from others.
            answer = (False, f"{type(error).__name__}: {error}")
        try:
            pickle.dump(answer, results)
            results.flush()
        except OSError:
            return
