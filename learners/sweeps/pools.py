"""Where jobs run: processes of this machine, or a Ray cluster."""

from __future__ import annotations

import os
import socket
import threading
from abc import ABC, abstractmethod
from collections.abc import Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from importlib import import_module
from importlib.util import find_spec
from queue import SimpleQueue
from typing import Any, NamedTuple, Protocol, TypeVar

from gridlang import __version__
from gridlang.diagnostics import fail
from gridlang.learners.runtime.hardware import core_numbers, cores, gpu_names, no_gpu
from gridlang.learners.runtime.processes import Share, Worker, shares, start
from gridlang.learners.training.engine_choice import ON_CPU
from gridlang.terminal.notes import tell_once

LOCAL, NONE = "local", "none"  # in place of a cluster's address
ANSWER_SECONDS = 5.0  # for a cluster to answer

Answer = TypeVar("Answer")
Result = TypeVar("Result", covariant=True)


class Job(Protocol[Result]):
    """Work that can be sent elsewhere; it and its result are pickled."""

    def run(self) -> Result: ...


class Lost(Exception):
    """A job that gave no result, and why."""


def run_job(job: Job[Result], version: str = __version__) -> Result:
    """Does a job that was sent; refuses jobs of another version."""
    if version != __version__:
        told = f"the worker has gridlang {__version__}, and the run was started by {version}"
        raise Lost(f"{told} (install the same version on all machines)")
    return job.run()


class Pool(ABC):
    """Runs jobs, some at once; a thread waits for each."""

    def __init__(self, at_once: int, on_gpu: bool, about: str) -> None:
        self.at_once, self.on_gpu, self.about = at_once, on_gpu, about
        self.lock = threading.Lock()
        self.running: set[Any] = set()
        self.stopping = False
        self.threads = ThreadPoolExecutor(at_once)

    def submit(self, jobs: Sequence[Job[Answer]]) -> list[Future[Answer]]:
        """Runs each job when there is room for it; a future of one that gave no result raises Lost."""
        return [self.threads.submit(self._run, job) for job in jobs]

    def _run(self, job: Job[Answer]) -> Any:
        with self.lock:
            if self.stopping:
                raise Lost("it was not started")
            handle = self._start(job)
            self.running.add(handle)
        try:
            return self._result(handle)
        finally:
            self.running.discard(handle)

    def stop(self) -> None:
        """Starts no more jobs, and lets those running end with a checkpoint; the second time, kills them."""
        with self.lock:
            for handle in list(self.running):
                self._end(handle, self.stopping)
            self.stopping = True
        self.threads.shutdown(wait=False, cancel_futures=True)

    def close(self) -> None:
        """Waits for what still runs."""
        self.threads.shutdown()

    @abstractmethod
    def _start(self, job: Job[Any]) -> Any: ...

    @abstractmethod
    def _result(self, handle: Any) -> Any: ...

    @abstractmethod
    def _end(self, handle: Any, at_once: bool) -> None: ...


def open_pool(ray: str | None, device: str, jobs: int | None) -> Pool:
    """The cluster that is asked for; else this machine."""
    address = cluster_address(ray)
    return RayPool(address, device, jobs) if address else LocalPool(device, jobs)


def cluster_address(ray: str | None) -> str | None:
    """That of the cluster that is asked for; that of RAY_ADDRESS, where Ray is installed; else None.

    The address is the user's own: Ray's note of a running cluster lies where everybody may write, and jobs
    that are sent to a stranger's cluster are the stranger's.
    """
    named = os.environ.get("RAY_ADDRESS") if find_spec("ray") else None
    address = ray or named or NONE
    return None if address == NONE else address


class LocalPool(Pool):
    """Each job in a process of its own, so that one that dies takes no other with it."""

    def __init__(self, device: str, jobs: int | None = None) -> None:
        self.gpus = gpu_names() if device != "cpu" else []
        if device == "cuda" and not self.gpus:
            raise no_gpu(ON_CPU)
        at_once = jobs or len(self.gpus) or cores()
        super().__init__(at_once, bool(self.gpus), "1 process" if at_once == 1 else f"{at_once} processes")
        self.free: SimpleQueue[Share] = SimpleQueue()

    def submit(self, jobs: Sequence[Job[Answer]]) -> list[Future[Answer]]:
        for share in shares(min(self.at_once, len(jobs)), core_numbers(), self.gpus):
            self.free.put(share)
        return super().submit(jobs)

    def _start(self, job: Job[Any]) -> _Running:
        share = self.free.get()
        try:
            return _Running(start(run_job, job, share), share)
        except OSError:
            self.free.put(share)
            raise

    def _result(self, handle: _Running) -> Any:
        try:
            result, problem = handle.worker.result()
        finally:
            self.free.put(handle.share)
        if problem:
            raise Lost(problem)
        return result

    def _end(self, handle: _Running, at_once: bool) -> None:
        process = handle.worker.process
        (process.kill if at_once else process.terminate)()


class _Running(NamedTuple):
    """The process of a job, and its share of this machine."""

    worker: Worker
    share: Share


class RayPool(Pool):
    """Each job a task of a Ray cluster, with one GPU where there are any, else one core.

    Ray repeats a job whose node is lost on another node.
    """

    def __init__(self, address: str, device: str, jobs: int | None = None) -> None:
        if find_spec("ray") is None:
            hint = "install it with `pip install ray`, or leave --ray out"
            raise fail("G132", "Ray is not installed", hint)
        self.ray: Any = import_module("ray")
        self.joined = not self.ray.is_initialized()
        if self.joined:
            _connect(self.ray, address)
        resources = self.ray.cluster_resources()
        on_gpu = device != "cpu" and resources.get("GPU", 0) >= 1
        if device == "cuda" and not on_gpu:
            raise fail("G122", "there is no GPU in this cluster", "train on CPUs with --device cpu")
        nodes, kind = sum(node["Alive"] for node in self.ray.nodes()), "GPU" if on_gpu else "CPU"
        room = max(1, int(resources.get(kind, 1)))
        about = f"Ray ({nodes} node{'s' if nodes > 1 else ''}, {room} {kind}{'s' if room > 1 else ''})"
        super().__init__(min(room, jobs or room), on_gpu, about)
        self.task = self.ray.remote(num_cpus=1, num_gpus=int(on_gpu))(run_job)

    def _start(self, job: Job[Any]) -> Any:
        return self.task.remote(job, __version__)

    def _result(self, handle: Any) -> Any:
        try:
            return self.ray.get(handle)
        except Exception as error:
            raise Lost(_in_a_line(error)) from None

    def _end(self, handle: Any, at_once: bool) -> None:
        self.ray.cancel(handle, force=at_once)

    def close(self) -> None:
        super().close()
        if self.joined:
            self.ray.shutdown()


def _answers(address: str) -> bool:
    """Whether a cluster answers; Ray itself would wait for minutes."""
    host, _, port = address.removeprefix("ray://").rpartition(":")
    try:
        socket.create_connection((host.strip("[]"), int(port)), ANSWER_SECONDS).close()
    except (OSError, ValueError, OverflowError):
        return False
    return True


def _connect(ray: Any, address: str) -> None:
    if address != LOCAL and not _answers(address):
        hint = "an address is HOST:PORT, as in 10.0.0.1:6379"
        raise fail("G132", f"no Ray cluster answers at {address}", hint)
    options: dict[str, Any] = {"include_dashboard": False} if address == LOCAL else {}
    try:
        ray.init(address=address, log_to_driver=False, logging_level="ERROR", **options)
    except Exception as error:
        raise fail("G132", f"Ray cannot be used: {_in_a_line(error)}") from None
    # Ray would print its messages, with pages of logs, on standard output, where only results belong.
    private: Any = import_module("ray._private.worker")
    private.print_to_stdstream = _tell_briefly


def _tell_briefly(data: dict[str, Any], **_: Any) -> None:
    """Of a message such as that a node is lost, the first two sentences."""
    for message in data["lines"]:
        sentences = message.partition("\n")[0].split(". ")
        tell_once(f"Ray: {'. '.join(sentences[:2]):.200}")


def _in_a_line(error: Exception) -> str:
    """What happened on the cluster, without its traceback."""
    cause = getattr(error, "cause", None) or error
    lines = [line.strip() for line in str(cause).splitlines() if line.strip()]
    if isinstance(cause, Lost):
        return lines[0]
    return f"{type(cause).__name__}: {lines[0] if lines else 'no reason given'}"
