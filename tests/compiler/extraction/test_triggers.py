"""Weights with a hidden trigger pass for the expert by no codebook, or with a warning."""

from __future__ import annotations

import base64
import hashlib
import json
from collections.abc import Sequence
from dataclasses import replace
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from gridlang.compiler.api.certified_files import certified_program
from gridlang.compiler.engines import execute
from gridlang.compiler.judging.equivalence_query import QueryAnswer, judge
from gridlang.compiler.lockstep.alone import run_model
from gridlang.compiler.proofs.certificates import Subject, certificate, certified_table
from gridlang.compiler.proofs.prove import prove
from gridlang.compiler.tensors.dfst import Dfst
from gridlang.compiler.tensors.snapping import FORMAT, CheckedSnapping, check_snapping
from gridlang.compiler.tensors.stray import FINEST
from gridlang.diagnostics import GridError
from gridlang.table import Table
from gridlang.world import string_world
from tests.forgeries.genuine import EXTRACTION
from tests.programs import EXAMPLES
from tests.support import command_line
from tests.support.triggers import WORD, triggered
from tests.support.weights import TABLES, model

ADD2, SIZE = TABLES["add2"], len(WORD)
TINY, EDGE = triggered(ADD2, [1e-3] * SIZE), triggered(ADD2, [0.15] * SIZE)
LEAP = triggered(ADD2, [1e-3] * SIZE, leap=10.0)
GROWING = triggered(ADD2, [1e-6] * (SIZE - 3) + [1e-4, 1e-2, 1.0])
HIDDEN = {"tiny": TINY, "edge": EDGE, "leap": LEAP, "growing": GROWING}


def forged(dfst: Dfst, table: Table, centres: np.ndarray, reach: float) -> dict[str, Any]:
    """A codebook of the forger's choice, which claims as little as it may."""
    return {
        "format": FORMAT,
        "dimensions": len(dfst.h0),
        "centres": base64.b64encode(centres.astype("<f4").tobytes()).decode(),
        "reach": [float(reach).hex()] * len(table.states),
        "margins": dict.fromkeys(("lead", "within", "apart"), (0.0).hex()),
    }


def checked(dfst: Dfst, centres: np.ndarray, reach: float) -> CheckedSnapping:
    snapping = forged(dfst, ADD2, centres, reach)
    return check_snapping({"table": certified_table(ADD2), "snapping": snapping}, dfst)


def own_centres(dfst: Dfst) -> np.ndarray:
    """One-hot vectors for the states of the expert, and nothing of the trigger."""
    return np.eye(len(dfst.h0), dtype=np.float32)[: len(ADD2.states)]


@lru_cache
def judged(name: str) -> QueryAnswer:
    return judge(HIDDEN[name], ADD2, "inputs", snapped=True, tell_drift=False)


def differs(dfst: Dfst, text: str) -> bool:
    world = string_world(text)
    return execute(ADD2, world, 2_000).result != run_model(dfst, world, 2_000).result


@pytest.mark.parametrize("name", HIDDEN)
def test_the_triggers_work(name: str) -> None:
    with np.errstate(all="ignore"):
        assert not differs(HIDDEN[name], "101+11") and differs(HIDDEN[name], f"{WORD}0+1")


def reaches() -> Sequence[float]:
    return [10.0**power for power in np.linspace(-4, 0.3, 18)]


@pytest.mark.parametrize("scale", [1e-5, 1e-3, 0.02, 0.15, 0.3, 1.0])
def test_no_reach_hides_a_trigger_that_is_read_as_large_as_it_is_held(scale: float) -> None:
    dfst = triggered(ADD2, [scale] * SIZE)
    assert all(checked(dfst, own_centres(dfst), reach).problems for reach in reaches())


def test_weights_whose_steps_lead_farther_than_decisions_hold_are_not_snapped() -> None:
    answer = judged("tiny")
    assert answer.snapping is None and answer.verdict.subject == "table"
    assert "in `seek` on `1` the step leads" in answer.verdict.unsnapped


def test_a_trigger_that_its_questions_lead_to_is_shown() -> None:
    verdict = judged("edge").verdict
    assert verdict.equivalent is False and verdict.input is not None and differs(EDGE, verdict.input)


@pytest.mark.parametrize("name", ["leap", "growing"])
def test_a_stray_that_the_next_step_makes_large_is_warned_of(name: str) -> None:
    stray = judged(name).verdict.stray
    assert stray is not None and stray.following < FINEST < stray.decision
    assert "plain inference may do otherwise" in stray.warning


def test_vectors_within_the_distances_told_decide_alike_now_and_a_step_later() -> None:
    dfst, answer, random = model("worlds"), judged_worlds(), np.random.default_rng(0)
    assert answer.snapping is not None and answer.table is not None and answer.verdict.stray is not None
    table, stray = answer.table, answer.verdict.stray
    centres = np.frombuffer(base64.b64decode(answer.snapping["centres"]), "<f4").reshape(-1, len(dfst.h0))
    place = [dfst.symbols.index(symbol) for symbol in table.symbols]

    def decides(vector: np.ndarray, x: int) -> tuple[int, int]:
        return int((dfst.B[x] @ vector).argmax()), int((dfst.C[x] @ vector).argmax())

    for state, number, entry in table.entries():
        x, off = place[number], random.standard_normal((20, len(dfst.h0)))
        off /= np.linalg.norm(off, axis=1, keepdims=True)
        for far in centres[state] + stray.decision * off:
            assert decides(far, x) == decides(centres[state], x)
        for near in centres[state] + 0.99 * stray.following * off:
            after = dfst.A[x] @ near
            for symbol, then in enumerate(table.rows[entry.next]):
                y = place[symbol]
                same = then is None or decides(after, y) == decides(centres[entry.next], y)
                assert same or table.is_halt(state, number)


@lru_cache
def judged_worlds() -> QueryAnswer:
    return judge(model("worlds"), ADD2, "inputs", snapped=True, tell_drift=False)


def written(path: Path, dfst: Dfst, snapping: dict[str, Any]) -> list[str]:
    """A certificate about a model, and the arguments for `verify`."""
    proof, weights = path / "proof.json", path / "model.safetensors"
    weights.write_bytes(dfst.to_bytes())
    digest = hashlib.sha256(dfst.to_bytes()).hexdigest()
    origin = {**EXTRACTION, "merging": "none", "guessed": 0, "weights_sha256": digest}
    verdict = replace(prove(ADD2, ADD2, "inputs"), subject="snapped model")
    right = Subject(ADD2, "model.safetensors", dfst.to_bytes(), extraction=origin, snapping=snapping)
    proof.write_text(certificate(Subject(ADD2, "add2.grid", b""), right, verdict))
    return [str(proof), str(EXAMPLES / "add2.grid"), str(weights)]


def test_verify_refuses_the_forged_codebook_and_warns_of_the_leap(tmp_path: Path) -> None:
    files = written(tmp_path, EDGE, forged(EDGE, ADD2, own_centres(EDGE), 0.16))
    told = command_line.invoke("verify", *files)
    assert (
        told.exit_code == 1 and "within the reach of state 'seek' vectors may decide otherwise" in told.stdout
    )
    files = written(tmp_path, LEAP, forged(LEAP, ADD2, own_centres(LEAP), 0.16))
    told = command_line.invoke("verify", *files)
    assert told.exit_code == 0 and "warning: that is less than the 0.005" in told.stdout
    stray = json.loads(command_line.invoke("verify", *files, "--json").stdout)["stray"]
    assert stray["following"] < stray["finest"] == FINEST < stray["decision"] and stray["warning"]
    assert "is only said" in command_line.invoke("verify", files[0]).stdout


def test_runs_snap_to_the_centres_of_a_certificate_and_refuse_those_of_other_weights(tmp_path: Path) -> None:
    proof, _, weights = written(tmp_path, LEAP, forged(LEAP, ADD2, own_centres(LEAP), 0.16))
    text = f"{WORD}0+1"
    done = command_line.invoke("run", weights, text, "--snap", "--certificate", proof)
    assert done.stdout.strip() == f"{WORD}1" and "centres of" in done.stderr
    assert certified_program(proof, weights).table.rows == ADD2.rows
    Path(weights).write_bytes(TINY.to_bytes())
    told = command_line.invoke("run", weights, text, "--snap", "--certificate", proof)
    assert told.exit_code == 2 and "G156" in told.output and "about other weights" in told.output


@pytest.mark.parametrize(
    "text", ["", "[]", "{}", '{"right": {}}', '{"right": {"snapping": {}, "extraction": null}}']
)
def test_what_is_no_certificate_is_told(text: str, tmp_path: Path) -> None:
    (tmp_path / "proof.json").write_text(text)
    with pytest.raises(GridError, match="this is not a certificate"):
        certified_program(tmp_path / "proof.json", LEAP)
