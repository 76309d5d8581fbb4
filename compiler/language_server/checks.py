"""Diagnostics while typing: a check waits for a pause, and ends when the text changes."""

from __future__ import annotations

import asyncio
import os
import signal
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from multiprocessing import get_context
from multiprocessing.connection import Connection
from typing import Any, TypeVar

from gridlang.compiler.language_server.analysis import Summary, summarise
from gridlang.compiler.language_server.documents import Documents, Params
from gridlang.compiler.language_server.handlers import diagnostics, unchecked
from gridlang.source import MAX_BYTES

PAUSE = 0.15  # seconds without a change before a text is checked
LONGEST_CHECK = 10.0  # seconds; larger agents are checked on the command line
JOBS_AT_ONCE = 2  # one check and one drawing: more would slow down typing
T = TypeVar("T")
PROCESSES = get_context("spawn")  # a fork would hold the editor's connection


class Checks:
    """The check of each open document: the running one, and the result of the last one."""

    def __init__(self, documents: Documents, publish: Callable[[Params], None]) -> None:
        self.documents, self.publish = documents, publish
        self.jobs = Jobs()
        self.summaries: dict[str, tuple[int | None, Summary]] = {}  # with the version of the text, by path
        self._under_way: dict[str, asyncio.Task[None]] = {}
        self._followed: set[asyncio.Task[None]] = set()  # searches for open documents that depend on one
        self._lock = threading.Lock()
        documents.current = self.current

    async def ask(self, answer: Callable[..., T], *arguments: Any) -> T:
        """A function's answer about the project, in a thread: names of a large file take a second.

        One answer at a time; the server keeps listening meanwhile.
        """

        def alone() -> T:
            with self._lock:
                return answer(*arguments)

        return await asyncio.to_thread(alone)

    def changed(self, path: str, pause: float = PAUSE) -> None:
        """Checks a document again, and the open ones that use it."""
        self._check_soon(path, pause)
        task = asyncio.get_running_loop().create_task(self._check_others(path, pause))
        self._followed.add(task)
        task.add_done_callback(self._followed.discard)

    async def _check_others(self, path: str, pause: float) -> None:
        project = self.documents.project
        for other in list(project.open):
            if other != path and await self.ask(project.depends_on, other, path):
                self._check_soon(other, pause)

    def check_all(self) -> None:
        for path in self.documents.project.open:
            self._check_soon(path, PAUSE)

    def closed(self, path: str, uri: str) -> None:
        """A closed document shows nothing; those that use it now read the disk."""
        self.summaries.pop(path, None)
        self.publish({"uri": uri, "diagnostics": []})
        self.changed(path)

    def current(self, path: str) -> Summary:
        """What is known of the present text; findings of an older one would point elsewhere."""
        version, summary = self.summaries.get(path, (None, Summary()))
        return summary if version == self.documents.version(path) else summary.of_changed_text()

    def _check_soon(self, path: str, pause: float) -> None:
        task = self._under_way.pop(path, None)
        if task:
            task.cancel()
        if path in self.documents.project.open:
            self._under_way[path] = asyncio.get_running_loop().create_task(self._check(path, pause))

    async def _check(self, path: str, pause: float) -> None:
        await asyncio.sleep(pause)
        texts, version = dict(self.documents.project.open), self.documents.version(path)
        try:
            if len(texts[path]) > MAX_BYTES:
                raise Failed(f"no source may be larger than {MAX_BYTES:,} bytes")
            summary = await self.jobs.run(summarise, path, texts, seconds=LONGEST_CHECK)
        except Failed as failure:
            shown = [unchecked(self.documents, path, str(failure))]
        else:
            if self.documents.version(path) != version:
                return
            _, before = self.summaries.get(path, (None, Summary()))
            self.summaries[path] = (version, summary.after(before))
            shown = await self.ask(diagnostics, self.documents, path, summary.findings)
        uri = self.documents.uri(path)
        self.publish({"uri": uri, "diagnostics": shown, "version": version})


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
    """Runs functions of modules; ends the process of one that is cancelled or takes too long."""

    def __init__(self) -> None:
        os.environ["PYTHONSAFEPATH"] = "1"  # the editor's folder may hold any module
        self._threads = ThreadPoolExecutor(JOBS_AT_ONCE, "jobs")
        self._turns = asyncio.Semaphore(JOBS_AT_ONCE)
        self._idle = [_Worker()]  # one is ready before the first text comes
        self._busy: list[_Worker] = []

    async def run(self, job: Callable[..., T], *arguments: Any, seconds: float) -> T:
        """The result of a job; Failed if there is none in time."""
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
        except Exception as error:  # An error in one text must not stop work on others.
            answer = (False, f"{type(error).__name__}: {error}")
        try:
            jobs.send(answer)
        except OSError:
            return
