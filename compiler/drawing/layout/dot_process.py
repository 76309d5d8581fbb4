"""The program `dot`, run by the graphviz package in a process that ends in time."""

from __future__ import annotations

import shutil


def has_dot() -> bool:
    return shutil.which("dot") is not None


def run_dot(text: str, engine: str, kind: str, seconds: float) -> bytes:
    """What `dot` makes of a graph, in some format.

    TimeoutExpired where it takes too long, CalledProcessError where it fails.
    """
    from graphviz.backend.dot_command import command
    from graphviz.backend.execute import run_check

    # `graphviz.pipe` is these two calls without a time limit, and over a large graph `dot` may sit for ever.
    process = run_check(
        command(engine, kind),
        input=text.encode(),
        capture_output=True,
        quiet=True,
        timeout=seconds,
    )
    output: bytes = process.stdout
    return output
