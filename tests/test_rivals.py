"""Networks that nobody here designed, trained by a plain loop, are proven through `gl.wrap`."""

from __future__ import annotations

import pytest

import gridlang as gl
from tests.programs import EXAMPLES

pytest.importorskip("torch")

from benchmarks.rivals import trained, wrapped


@pytest.mark.long
@pytest.mark.parametrize("name", ["gru", "gated"])
def test_a_rival_is_trained_and_its_table_is_proven_equal_to_the_expert(name: str) -> None:
    agent = gl.load(str(EXAMPLES / "increment.grid"))
    traces = gl.trace(agent, "inputs:60")
    model = wrapped(trained(name, traces, iterations=200), traces, agent)
    found = gl.extract(model, agent, scope="inputs")
    assert found.table is not None
    assert gl.equiv(agent, found.table, scope="inputs").equivalent is True
