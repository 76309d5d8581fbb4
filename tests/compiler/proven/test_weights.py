"""The proven check of snapped weights: it says what the first one says, of any weights and codebook."""

from __future__ import annotations

import base64
import copy
import json
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gridlang.compiler.extraction.float_bounds.snapped_inference import (
    StateCodebook,
    nearest_centre,
)
from gridlang.compiler.proven.gridcheck import is_proven, program
from gridlang.compiler.proven.kernel import packed, theorem
from gridlang.compiler.tensors.dfst import Dfst
from gridlang.compiler.tensors.snapping import check_snapping
from gridlang.compiler.verifier.verify import verify
from tests.support.proven_certificates import SHIPPED, of_weights, shipped
from tests.support.searches import searched
from tests.support.snapping_forgeries import FORGERIES, Side
from tests.support.weights import TABLES, model

pytestmark = pytest.mark.skipif(program() is None, reason="gridcheck is not built: make -C compiler/proven")
# What the first checker asks beyond the claim: margins that are told, centres of length one, modest reaches.
BEYOND = ("the margin ", "vectors may decide otherwise", "a centre is no unit vector")


def first_and_proven(data: dict[str, Any], dfst: Dfst) -> tuple[list[str], bool | None]:
    problems = check_snapping(data["right"], dfst).problems
    return problems, is_proven(json.dumps(data, ensure_ascii=False).encode(), dfst.to_bytes())


def is_beyond(problems: list[str]) -> bool:
    return all(any(words in problem for words in BEYOND) for problem in problems)


@pytest.mark.parametrize(
    "name",
    ["worlds", "inputs", "add2", "mult2", pytest.param("add10", marks=pytest.mark.long)],
)
def test_every_engine_that_runs_a_learned_model_does_what_its_table_does(name: str) -> None:
    dfst = shipped(name) if name in SHIPPED else model(name)
    assert verify(of_weights(name)).valid
    assert first_and_proven(json.loads(of_weights(name)), dfst) == ([], True)


@searched(24)
@given(st.data())
def test_both_checkers_say_the_same_of_perturbed_weights(draw: st.DataObject) -> None:
    dfst, data = model("worlds"), json.loads(of_weights("worlds"))
    name = draw.draw(st.sampled_from(("A", "B", "C", "h0")))
    noise = 10.0 ** draw.draw(st.integers(-4, 1))
    random = np.random.default_rng(draw.draw(st.integers(0, 1000)))
    tensor = getattr(dfst, name)
    changed = (tensor + noise * random.standard_normal(tensor.shape)).astype(np.float32)
    problems, proven = first_and_proven(data, replace(dfst, **{name: changed}))
    assert proven is (not problems) or (proven and is_beyond(problems))


@pytest.mark.parametrize(("forge", "said"), FORGERIES)
def test_no_forged_codebook_is_valid_but_for_what_no_claim_rests_on(
    forge: Callable[[Side], object], said: str
) -> None:
    data = copy.deepcopy(json.loads(of_weights("worlds")))
    forge(data["right"])
    problems, proven = first_and_proven(data, model("worlds"))
    assert problems and (not proven or is_beyond(problems))


def test_weights_in_another_order_of_symbols_and_moves_are_the_same_model() -> None:
    dfst, data = model("worlds"), json.loads(of_weights("worlds"))
    symbols, moves = np.roll(np.arange(len(dfst.symbols)), 1), np.roll(np.arange(5), 2)
    names = [dfst.symbols[i] for i in symbols], [dfst.moves[i] for i in moves]
    metadata = {**dfst.metadata, "symbols": json.dumps(names[0]), "moves": json.dumps(names[1])}
    tensors = {"A": dfst.A[symbols], "B": dfst.B[symbols][:, symbols], "C": dfst.C[symbols][:, moves]}
    other = replace(dfst, **tensors, symbols=tuple(names[0]), moves=tuple(names[1]), metadata=metadata)
    assert first_and_proven(data, other) == ([], True)
    wrong = replace(dfst, **tensors)
    assert first_and_proven(data, wrong)[1] is False


def test_a_model_of_another_size_or_cut_short_is_never_valid() -> None:
    text = of_weights("worlds").encode()
    assert not is_proven(text, model("worlds").to_bytes()[:-4])
    assert not is_proven(text, shipped("mult2").to_bytes())
    assert not is_proven(text, b"")


def test_inference_that_ships_stays_within_what_the_proofs_allow() -> None:
    """Products and distances of numpy in float32, against `product` and `measures` of Engines.v."""
    dfst, data = model("inputs"), json.loads(of_weights("inputs"))["right"]["snapping"]
    d = len(dfst.h0)
    centres = np.frombuffer(base64.b64decode(data["centres"]), "<f4").reshape(-1, d)
    largest = max(float(np.abs(tensor).max()) for tensor in (dfst.A, dfst.B, dfst.C, centres))
    rounding, underflow = d / (2**24 - d), 4 * d * (1 + largest) * 2.0**-126
    for tensor in (dfst.A, dfst.B, dfst.C):
        rows = tensor.reshape(-1, d)
        exact = rows.astype(np.float64) @ centres.T.astype(np.float64)
        allowed = rounding * (np.abs(rows).astype(np.float64) @ np.abs(centres.T)) + underflow
        for summed in (rows @ centres.T, np.stack([rows @ centre for centre in centres], 1)):
            assert (np.abs(summed - exact) <= allowed).all()
    book = StateCodebook(TABLES["add2"], centres, np.full(len(centres), 0.5))
    for vector in (dfst.A @ centres.T).transpose(0, 2, 1).reshape(-1, d):
        nearest, near = nearest_centre(book, vector)
        wide = vector.astype(np.float64)
        distances = np.linalg.norm(centres - wide / np.linalg.norm(wide), axis=1)
        assert abs(near - distances[nearest]) <= (d + 16) * 2.0**-23


def test_a_theorem_about_weights_holds_the_bytes_of_the_model() -> None:
    text, weights = of_weights("worlds"), model("worlds").to_bytes()
    written = theorem(text.encode(), "a-b.json", "out.v", weights, "m.safetensors").decode("latin-1")
    assert "Theorem a_b_engines : forall T, engine a_b_weights T ->" in written
    assert f"model : string := unpacked (\n{packed(weights)})%packed" in written
    observed = json.loads(text)
    observed["claim"]["stuck"] = "same"
    written = theorem(json.dumps(observed).encode(), "a.json", "out.v", weights).decode("latin-1")
    assert "forall T, careful_engine a_weights T ->" in written and "a_total" not in written
    observed["claim"] |= {"stuck": "never", "halts": True, "output": True}
    written = theorem(json.dumps(observed).encode(), "a.json", "out.v", weights).decode("latin-1")
    assert "Theorem a_total : forall T, engine a_weights T ->" in written
