"""`gridlang prove MODEL`: what is proven of weights by their expert, and certificates that claim more."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

import gridlang as gl
from gridlang.compiler.proofs import certificates
from gridlang.compiler.tensors.dfst import Dfst
from gridlang.compiler.verifier.tables import Problem
from gridlang.compiler.verifier.verify import Checked
from tests.forgeries.edits import signed
from tests.programs import EXAMPLES
from tests.support.agents import ENDLESS, MONUS
from tests.support.command_line import answer, invoke
from tests.support.weights import TABLES, changed_rule, rotated

INCREMENT = str(EXAMPLES / "increment.grid")
SENTENCE = "proven: with snapped inference these weights halt and leave a + 1 on every input"


def carrying(dfst: Dfst, source: str) -> Dfst:
    return replace(dfst, metadata={**dfst.metadata, "source": source})


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Weights as if learned, `model.safetensors`, and what is proven of them, `proof.json`."""
    folder = tmp_path_factory.mktemp("weights")
    source = gl.load(INCREMENT).to_source()
    carrying(rotated(TABLES["increment"], 1, 1e-4), source).save(str(folder / "model.safetensors"))
    proof = str(folder / "proof.json")
    data = answer("prove", str(folder / "model.safetensors"), "--certificate", proof)
    (folder / "answer.json").write_text(json.dumps(data), encoding="utf-8")
    return folder


def checked(folder: Path, certificate: dict[str, Any], model: str = "model.safetensors") -> gl.Checked:
    """What `verify` says of a certificate that a forger has signed again, against the expert and a model."""
    path = folder / "forged.json"
    path.write_text(json.dumps(signed(certificate)), encoding="utf-8")
    return gl.verify(str(path), INCREMENT, str(folder / model))


def proof_of(folder: Path) -> dict[str, Any]:
    data: dict[str, Any] = json.loads((folder / "proof.json").read_text(encoding="utf-8"))
    return data


def test_weights_are_proven_to_halt_and_leave_what_the_clause_says(folder: Path) -> None:
    data = json.loads((folder / "answer.json").read_text(encoding="utf-8"))
    model = str(folder / "model.safetensors")
    assert data["proven"] is True and data["subject"] == "snapped model"
    assert data["expert"] == f"<source in {model}>" and data["certificate"] == str(folder / "proof.json")
    said = ["does what increment does", "never stuck", "output a + 1", "halts"]
    assert [(each["claim"], each["answer"]) for each in data["claims"]] == [(one, "proven") for one in said]
    shown = invoke("prove", model, "--expert", INCREMENT)
    assert shown.exit_code == 0 and shown.stdout.splitlines()[0] == SENTENCE
    stray = "hidden vectors may stray"  # the size of proofs and the like are for those who ask
    assert "increment from " in shown.stdout and stray not in shown.stdout
    assert stray in invoke("prove", model, "--expert", INCREMENT, "--verbose").stdout


def test_one_certificate_holds_both_parts_and_is_bound_to_weights_and_source(folder: Path) -> None:
    whole = checked(folder, proof_of(folder))
    assert whole.valid and whole.claim is not None and whole.stray is not None
    assert whole.claim["says"].endswith(
        "LEFT is never stuck, and LEFT halts and leaves what its output clause says"
    )
    assert whole.claim["subject"] == "snapped model" and whole.claim["scope"] == "inputs"


def test_python_has_the_same_answer(folder: Path) -> None:
    outcome = gl.prove(gl.load_model(str(folder / "model.safetensors")), expert=INCREMENT)
    assert outcome and outcome.subject == "snapped model" and len(outcome.claims) == 4
    with pytest.raises(TypeError, match="an expert is given for a model"):
        gl.prove(INCREMENT, expert=INCREMENT)


def test_exact_weights_are_proven_without_snapping(tmp_path: Path) -> None:
    model, proof = str(tmp_path / "exact.safetensors"), str(tmp_path / "proof.json")
    gl.compile(INCREMENT).save(model)
    shown = invoke("prove", model, "--certificate", proof)
    assert shown.stdout.startswith("proven: these weights halt and leave a + 1 on every input\n")
    assert gl.verify(proof, INCREMENT, model).valid


def test_of_weights_that_do_otherwise_nothing_is_proven(tmp_path: Path) -> None:
    table, model = TABLES["increment"], str(tmp_path / "wrong.safetensors")
    rotated(changed_rule(table, 1, 1, 1, 2), 1).save(model)
    data = answer("prove", model, "--expert", INCREMENT, "--certificate", str(tmp_path / "no.json"), code=1)
    assert data["proven"] is False and data["certificate"] is None and not (tmp_path / "no.json").exists()
    assert [each["answer"] for each in data["claims"]] == ["refuted"]
    shown = invoke("prove", model, "--expert", INCREMENT)
    assert shown.exit_code == 1 and shown.stdout.startswith("different: ") and "proven" not in shown.stdout


CHANGED = {  # a text of the expert, another, and what is then not proven of it
    "output a + 1": ("output a + 2", "output a + 2"),
    "  digit : R\n": ("  1 : R\n", "never stuck, output a + 1, halts"),
}


@pytest.mark.parametrize("text", CHANGED)
def test_an_expert_that_misses_its_clause_proves_its_weights_in_part(
    folder: Path, tmp_path: Path, text: str
) -> None:
    model, (changed, missing) = str(folder / "model.safetensors"), CHANGED[text]
    expert, proof = tmp_path / "expert.grid", tmp_path / "proof.json"
    expert.write_text(gl.load(INCREMENT).to_source().replace(text, changed), encoding="utf-8")
    shown = invoke("prove", model, "--expert", str(expert), "--certificate", str(proof))
    does = "proven in part: with snapped inference these weights do what increment does on every input"
    assert shown.exit_code == 1
    assert shown.stdout.splitlines()[0] == f"{does}; not proven of increment: {missing}"
    told = gl.verify(str(proof), str(expert), model)
    assert told.valid and told.claim is not None and told.claim["halts"] and not told.claim["output"]
    assert ("LEFT halts" in told.claim["says"]) == ("halts" not in missing)


def test_a_model_without_a_source_needs_an_expert(tmp_path: Path) -> None:
    model = str(tmp_path / "bare.safetensors")
    rotated(TABLES["increment"], 1).save(model)
    shown = invoke("prove", model)
    assert (
        shown.exit_code == 2
        and "does not carry its source" in shown.output
        and "--expert FILE" in shown.output
    )
    assert invoke("prove", INCREMENT, "--expert", INCREMENT).exit_code == 2


def test_a_model_of_another_alphabet_is_told_apart(folder: Path) -> None:
    shown = invoke("prove", str(folder / "model.safetensors"), "--expert", str(EXAMPLES / "add2.grid"))
    assert shown.exit_code == 2 and "the alphabets differ" in shown.output


def test_without_its_codebook_a_certificate_is_about_the_table_alone(folder: Path) -> None:
    data = proof_of(folder)
    data["right"]["snapping"] = None
    assert not checked(folder, data).valid
    data["claim"]["subject"] = "table"
    told = checked(folder, data)
    assert told.claim is not None and told.claim["subject"] == "table" and told.stray is None


@pytest.mark.usefixtures("judged_here")
def test_learning_says_what_is_proven_of_the_best_weights(tmp_path: Path) -> None:
    model = str(tmp_path / "model.safetensors")
    told = answer("learn", INCREMENT, "-o", model)["weights"]
    assert told["proven"] is True and told["says"] == SENTENCE.replace("with snapped inference ", "")
    assert gl.verify(told["certificate"], INCREMENT, model).valid


@pytest.mark.parametrize("source", [MONUS, ENDLESS], ids=["stuck elsewhere", "endless elsewhere"])
def test_a_certificate_of_weights_says_all_that_inequalities_show_of_the_expert(
    source: str, tmp_path: Path
) -> None:
    expert, model, proof = (
        str(tmp_path / name) for name in ("strokes.grid", "exact.safetensors", "proof.json")
    )
    Path(expert).write_text(source, encoding="utf-8")
    invoke("compile", expert, "--to", "dfst", "-o", model)
    answer("prove", model, "--expert", expert, "--certificate", proof)
    verified = gl.verify(proof, expert, model)
    assert verified and verified.claim
    assert verified.claim["says"].endswith("LEFT halts and leaves what its output clause says")


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


def test_what_is_proven_of_an_expert_alone_holds_of_weights_that_do_the_same(tmp_path: Path) -> None:
    """No window tells that it is never stuck where a >= b: the fold of its result does."""
    expert = gl.load(str(EXAMPLES / "subtract.grid"), base=2)
    model, proof = str(tmp_path / "exact.safetensors"), tmp_path / "proof.json"
    gl.compile(expert).save(model)
    data = answer("prove", model, "--certificate", str(proof))
    assert [claim["answer"] for claim in data["claims"]] == ["proven"] * 4
    assert data["verdict"]["stuck_branches"] > 0 and gl.verify(str(proof)).valid
    whole = json.loads(proof.read_text(encoding="utf-8"))
    claim, total = whole["claim"], whole["total"]
    without = claim["says"].removesuffix(" and leaves what its output clause says")
    unshown = {
        **whole,
        "claim": {**claim, "says": without, "output": False},
        "total": {**total, "output": None},
    }
    total["output"]["rows"].pop()
    for forged in (whole, unshown):
        proof.write_text(json.dumps(signed(forged)), encoding="utf-8")
        assert not gl.verify(str(proof)).valid
