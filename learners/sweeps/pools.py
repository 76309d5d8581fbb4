"""Where the jobs of a sweep run: processes of this machine, or a Ray cluster."""

from __future__ import annotations

import multiprocessing
import os
import signal
import socket
import threading
from abc import ABC, abstractmethod
from collections.abc import Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import replace
from importlib import import_module
from importlib.util import find_spec
from multiprocessing.connection import Connection
from queue import SimpleQueue
from typing import Any, NamedTuple, cast

from gridlang.diagnostics import fail
from learners.runtime.hardware import gpu_count
from learners.sweeps.jobs import JobResult, JobSpec, run_job

AUTO, LOCAL, NONE = "auto", "local", "none"  # what may be said instead of the address of a cluster
PATIENCE = 5.0  # seconds that a cluster may take to answer


class Pool(ABC):
    """Runs jobs, some at once; a thread waits for each."""

    def __init__(self, at_once: int, on_gpu: bool, about: str) -> None:
        self.at_once, self.on_gpu, self.about = at_once, on_gpu, about
        self.lock = threading.Lock()
        self.running: set[Any] = set()
        self.stopping = False
        self.threads = ThreadPoolExecutor(at_once, initializer=_leave_interrupts_to_the_sweep)

    def submit(self, specs: Sequence[JobSpec]) -> list[Future[JobResult]]:
        """Runs each job when there is room for it."""
        return [self.threads.submit(self._run, spec) for spec in specs]

    def _run(self, spec: JobSpec) -> JobResult:
        with self.lock:
            if self.stopping:
                return JobResult(spec.name, problem="it was not started")
            handle = self._start(spec)
            self.running.add(handle)
        try:
            return self._result(spec, handle)
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
    def _start(self, spec: JobSpec) -> Any: ...

    @abstractmethod
    def _result(self, spec: JobSpec, handle: Any) -> JobResult: ...

    @abstractmethod
    def _end(self, handle: Any, at_once: bool) -> None: ...


def open_pool(ray: str | None, device: str, jobs: int | None) -> Pool:
    """The cluster that is asked for; one that is running, where Ray is installed; else this machine."""
    address = ray
    if ray == AUTO or (ray is None and find_spec("ray")):
        address = running_cluster()
    if ray == AUTO and address is None:
        hint = "start one with `ray start --head`, or give its address, or use --ray local"
        raise fail("G132", "no Ray cluster is running here", hint)
    return LocalPool(device, jobs) if address in (None, NONE) else RayPool(str(address), device, jobs)


class Slot(NamedTuple):
    """The share of this machine that one process has."""

    cores: tuple[int, ...]  # empty where processes cannot be kept to some
    gpu: str | None


class Worker(NamedTuple):
    """A running process, where its answer comes from, and its share."""

    process: Any
    answer: Connection
    slot: Slot


class LocalPool(Pool):
    """Each job in a process of its own, so that one that dies takes no other with it."""

    def __init__(self, device: str, jobs: int | None = None) -> None:
        self.gpus = _gpus() if device != "cpu" else []
        if device == "cuda" and not self.gpus:
            raise fail("G122", "there is no CUDA device here", "train on the CPU with --device cpu")
        self.cores = sorted(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else []
        at_once = jobs or len(self.gpus) or len(self.cores) or os.cpu_count() or 1
        super().__init__(at_once, bool(self.gpus), "1 process" if at_once == 1 else f"{at_once} processes")
        self.slots: SimpleQueue[Slot] = SimpleQueue()

    def submit(self, specs: Sequence[JobSpec]) -> list[Future[JobResult]]:
        for slot in shares(min(self.at_once, len(specs)), self.cores, self.gpus):
            self.slots.put(slot)
        return super().submit(specs)

    def _start(self, spec: JobSpec) -> Worker:
        ours, theirs = multiprocessing.Pipe(duplex=False)
        slot = self.slots.get()
        process = multiprocessing.get_context("spawn").Process(
            target=_work, args=(spec, slot, theirs), daemon=True
        )
        try:
            process.start()
        except OSError:
            self.slots.put(slot)
            raise
        finally:
            theirs.close()
        return Worker(process, ours, slot)

    def _result(self, spec: JobSpec, handle: Worker) -> JobResult:
        with handle.answer:
            try:
                return cast(JobResult, handle.answer.recv())
            except (EOFError, OSError):
                handle.process.join()
                return JobResult(spec.name, problem=_death(handle.process.exitcode))
            finally:
                handle.process.join()
                self.slots.put(handle.slot)

    def _end(self, handle: Worker, at_once: bool) -> None:
        (handle.process.kill if at_once else handle.process.terminate)()


def _gpus() -> list[str]:
    """The names by which processes may be given one GPU each."""
    visible = os.environ.get("CUDA_VISIBLE_DEVICES")
    count = gpu_count()
    return [name.strip() for name in visible.split(",")][:count] if visible else list(map(str, range(count)))


def shares(count: int, cores: list[int], gpus: list[str]) -> list[Slot]:
    """Shares of the cores as even as can be; processes beyond the cores or GPUs share them."""
    size = max(1, len(cores) // count)
    return [
        Slot(
            tuple(cores[(i * size + j) % len(cores)] for j in range(size)) if cores else (),
            gpus[i % len(gpus)] if gpus else None,
        )
        for i in range(count)
    ]


def _leave_interrupts_to_the_sweep() -> None:
    """Ctrl-C reaches all processes of a terminal; those that this thread starts shall not hear it."""
    signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})


def _work(spec: JobSpec, slot: Slot, answer: Connection) -> None:
    """The life of a process: its share of the machine, the job, the answer."""
    if slot.cores:
        os.sched_setaffinity(0, slot.cores)
    if slot.gpu is not None:
        os.environ["CUDA_VISIBLE_DEVICES"] = slot.gpu
    threading.Thread(target=_end_with_the_sweep, daemon=True).start()
    answer.send(run_job(spec))


def _end_with_the_sweep() -> None:
    """Nobody waits for the answer of a sweep that was killed: stop, with a checkpoint."""
    parent = multiprocessing.parent_process()
    if parent:
        parent.join()
        os.kill(os.getpid(), signal.SIGTERM)


def _death(status: int) -> str:
    if status >= 0:
        return f"its process ended without an answer, status {status}"
    name = signal.Signals(-status).name
    return f"its process was killed by {name}{'; was there too little memory?' if name == 'SIGKILL' else ''}"


class RayPool(Pool):
    """Each job a task of a Ray cluster, with one GPU where there are any, else one core.

    Traces go there and models come back through Ray. A worker that sees the sweep's folder trains in it; any
    other trains in a cache folder of its own, from which the same job goes on if Ray puts it there again.
    """

    def __init__(self, address: str, device: str, jobs: int | None = None) -> None:
        if find_spec("ray") is None:
            hint = "install it with `pip install gridlang[ray]`, or leave --ray out"
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

    def _start(self, spec: JobSpec) -> Any:
        return self.task.remote(replace(spec, threads=None if self.on_gpu else 1))

    def _result(self, spec: JobSpec, handle: Any) -> JobResult:
        try:
            return cast(JobResult, self.ray.get(handle))
        except Exception as error:
            return JobResult(spec.name, problem=_in_a_line(error))

    def _end(self, handle: Any, at_once: bool) -> None:
        self.ray.cancel(handle, force=at_once)

    def close(self) -> None:
        super().close()
        if self.joined:
            self.ray.shutdown()


def running_cluster() -> str | None:
    """The address that RAY_ADDRESS names, or else that of the cluster that runs on this machine."""
    named = os.environ.get("RAY_ADDRESS")
    if named:
        return named
    note = os.path.join(os.environ.get("RAY_TMPDIR", "/tmp"), "ray", "ray_current_cluster")
    try:
        with open(note, encoding="utf-8") as file:
            address = file.read().strip()
    except (OSError, ValueError):
        return None
    return address if address and _answers(address) else None


def _answers(address: str) -> bool:
    """Whether anybody is there; Ray itself would wait for minutes."""
    host, _, port = address.removeprefix("ray://").rpartition(":")
    try:
        socket.create_connection((host.strip("[]"), int(port)), PATIENCE).close()
    except (OSError, ValueError, OverflowError):
        return False
    return True


def _connect(ray: Any, address: str) -> None:
    if address != LOCAL and not _answers(address):
        raise fail(
            "G132", f"no Ray cluster answers at {address}", "an address is HOST:PORT, as in 10.0.0.1:6379"
        )
    options: dict[str, Any] = {"include_dashboard": False} if address == LOCAL else {}
    try:
        ray.init(address=address, log_to_driver=False, logging_level="ERROR", **options)
    except Exception as error:
        raise fail("G132", f"Ray cannot be used: {_in_a_line(error)}") from None


def _in_a_line(error: Exception) -> str:
    """What happened on the cluster, without its traceback."""
    cause = getattr(error, "cause", None) or error
    lines = [line.strip() for line in str(cause).splitlines() if line.strip()]
    return f"{type(cause).__name__}: {lines[0] if lines else 'no reason given'}"
