"""`gridlang prove MODEL`: what is proven of weights by their expert, and certificates that claim more."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import gridlang as gl
from gridlang.compiler.proofs import certificates
from gridlang.compiler.verifier.tables import Problem
from gridlang.compiler.verifier.verify import Checked
from tests.forgeries.edits import signed
from tests.programs import EXAMPLES
from tests.support.command_line import invoke
from tests.support.weights import TABLES, rotated

INCREMENT = str(EXAMPLES / "increment.grid")


def test_without_its_codebook_a_certificate_is_about_the_table_alone(tmp_path: Path) -> None:
    weights, proof = rotated(TABLES["increment"], 1, 1e-4), tmp_path / "proof.json"
    assert gl.prove(weights, expert=INCREMENT, certificate=proof)
    data = json.loads(proof.read_text(encoding="utf-8"))
    data["right"]["snapping"] = None
    for subject, valid in (("snapped model", False), ("table", True)):
        data["claim"]["subject"] = subject
        proof.write_text(json.dumps(signed(data)), encoding="utf-8")
        assert gl.verify(proof).valid is valid
    with pytest.raises(TypeError, match="an expert is given for a model"):
        gl.prove(INCREMENT, expert=INCREMENT)


def refused(monkeypatch: pytest.MonkeyPatch, words: str) -> None:
    """Certificates whose claim has these words are refused from now on."""
    problem = Problem("evidence", "it is another")

    def verify(text: str) -> Checked:
        wrong = words in json.loads(text)["claim"]["says"]
        return Checked(not wrong, None, (problem,) if wrong else ())

    monkeypatch.setattr(certificates, "verify", verify)


def test_what_the_checker_refuses_is_not_proven_and_that_is_said(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    agent, written = EXAMPLES / "increment.grid", tmp_path / "proof.json"
    model = gl.compile(agent)
    why = "refused by the checker of certificates: evidence: it is another"
    refused(monkeypatch, ", and LEFT halts")
    claims = gl.prove(agent).claims
    assert [claim.answer for claim in claims] == ["proven", "proven", "unknown"] and why in claims[2].reason
    done = invoke("prove", str(agent), "--certificate", str(written))
    assert done.exit_code == 1 and why in done.output and ", and LEFT halts" not in written.read_text()
    follows, *alone = gl.prove(model).claims
    assert follows.answer == "unknown" and why in follows.reason and alone == list(claims)
    refused(monkeypatch, "RIGHT does")
    assert [claim.answer for claim in gl.prove(agent).claims] == ["unknown", "tested", "unknown"]
    for verdict in (gl.equiv(agent, agent), gl.equiv(agent, model, scope="table")):
        assert verdict.equivalent is None and why in verdict.reason
    written.unlink()
    done = invoke("equiv", str(agent), str(agent), "--certificate", str(written))
    assert done.exit_code == 1 and why in done.output and not written.exists()
    assert "proven" not in invoke("equiv", "--io", str(agent), str(agent)).output


def test_what_is_proven_of_an_expert_alone_is_needed_where_weights_do_the_same(tmp_path: Path) -> None:
    """No window tells that it is never stuck where a >= b: the fold of its result does."""
    proof = tmp_path / "proof.json"
    gl.prove(gl.compile(gl.load(str(EXAMPLES / "subtract.grid"), base=2)), certificate=proof)
    whole = json.loads(proof.read_text(encoding="utf-8"))
    claim, claims = whole["claim"], whole["claims"]
    without = claim["says"].removesuffix(" and leaves what its output clause says")
    unshown = {
        **whole,
        "claim": {**claim, "says": without, "output": False},
        "claims": [each for each in claims if "wrong" not in each["ends"]],
    }
    unseen = json.loads(json.dumps(claims))
    next(each for each in unseen if "wrong" in each["ends"])["evidence"]["rows"].pop()
    for forged in ({**whole, "claims": unseen}, unshown):
        proof.write_text(json.dumps(signed(forged)), encoding="utf-8")
        assert not gl.verify(proof).valid
