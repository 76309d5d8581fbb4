"""The property tests that users are offered: they find what differs, and shrink it."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given

from gridlang.compiler.proofs.prove import prove
from gridlang.compiler.tensors.dfst import dfst_to_bytes, table_to_dfst
from gridlang.compiler.testing.assert_equivalent import assert_equivalent
from gridlang.diagnostics import GridError
from gridlang.table import Table
from tests.programs import EXAMPLES
from tests.support.pairs import changed, pairs, table_of
from tests.support.searches import searched
from tests.support.weights import MODELS

ADD2 = EXAMPLES / "add2.grid"


@pytest.mark.parametrize("scope", ["worlds", "inputs"])
def test_a_learned_model_agrees_with_its_expert(scope: str) -> None:
    assert_equivalent(ADD2, MODELS / "worlds.safetensors", scope=scope, examples=20)


def test_a_planted_difference_is_shrunk_to_a_small_world() -> None:
    wrong = changed(table_of("add2"), "take", "1", move=0)
    with pytest.raises(AssertionError) as caught:
        assert_equivalent(table_of("add2"), wrong)
    text = str(caught.value)
    assert "but the model: write +, U" in text
    drawn = text.split("on this world:\n")[1].split("\n  step")[0]
    assert len(re.findall("[01+]", drawn)) <= 3, drawn


def test_a_planted_difference_is_shrunk_to_a_short_input(tmp_path: Path) -> None:
    path = tmp_path / "wrong.safetensors"
    path.write_bytes(dfst_to_bytes(table_to_dfst(changed(table_of("add10"), "carry(7)", "5", write=1))))
    with pytest.raises(AssertionError, match=re.escape("[7]+5")):
        assert_equivalent(EXAMPLES / "add10.grid", path, scope="inputs", examples=500)


def test_what_cannot_be_compared_is_told() -> None:
    with pytest.raises(GridError, match="G085"):
        assert_equivalent(ADD2, EXAMPLES / "mult2.grid")
    with pytest.raises(ValueError, match="declares no inputs"):
        assert_equivalent(EXAMPLES / "ant.grid", EXAMPLES / "ant.grid", scope="inputs")


@given(pairs())
@searched(12, suppress_health_check=[HealthCheck.nested_given])
def test_what_is_proven_passes(pair: tuple[Table, Table]) -> None:
    for scope in ("worlds", "inputs"):
        if prove(*pair, scope, limit=500).equivalent:
            assert_equivalent(*pair, scope=scope, examples=10)
