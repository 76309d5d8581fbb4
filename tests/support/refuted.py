"""Certificates of smallest machines that a clique does not show."""

from __future__ import annotations

from functools import lru_cache

from gridlang.compiler.traces.dataset import Traces
from tests.support.reads import drawn_traces


@lru_cache
def refuted(seed: int) -> tuple[Traces, str]:
    """Traces of a random machine, and a certificate; a clique shows less than what is so of these seeds."""
    from gridlang.learners.methods.smallest.smallest import certificate, smallest_machine

    traces = drawn_traces(seed)
    smallest = smallest_machine(traces)
    assert smallest.evidence is not None and smallest.evidence.derivation
    return traces, certificate(traces, smallest.table, smallest.evidence)
