"""Machines are what their labels say: other labels are another machine, in whatever symbols."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import gridlang as gl
from gridlang.common_symbols import in_symbols_of
from gridlang.compiler.arguments import as_program
from gridlang.compiler.proofs.certificates import digest
from gridlang.compiler.verifier.verify import verify
from gridlang.labels import Alphabet
from tests.support.command_line import answer, invoke

EDGES = (
    ("a", "coin", "ok", "b"),
    ("a", "push", "no", "a"),
    ("b", "coin", "no", "b"),
    ("b", "push", "ok", "a"),
)
LOG = [["coin", "ok"], ["push", "ok"], ["push", "no"]], [["push", "no"], ["coin", "ok"], ["coin", "no"]]
OTHERS = {
    "outputs": {"ok": "open", "no": "nak"},
    "inputs": {"coin": "card", "push": "pull"},
    "swapped": {"ok": "no", "no": "ok"},
    "case": {"coin": "Coin"},
    "space": {"coin": "co in"},
    "quotes": {"coin": "'coin'"},
    "prefixes": {"coin": "c", "push": "p"},
    "accents": {"ok": "öffnen"},
    "blank": {"no": "_"},
}


def dot(path: Path, change: dict[str, str] | None = None, more: str = "") -> str:
    change = change or {}
    lines = [f'{p} -> {q} [label="{change.get(x, x)}/{change.get(y, y)}"];' for p, x, y, q in EDGES]
    path.write_text("digraph m { __start0 -> a;\n" + "\n".join([*lines, more]) + "\n}\n", encoding="utf-8")
    return str(path)


def log(path: Path, change: dict[str, str] | None = None) -> str:
    change = change or {}
    rows = [{"trace": [[change.get(label, label) for label in step] for step in run]} for run in LOG]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return str(path)


@pytest.mark.parametrize("name", OTHERS)
def test_a_machine_with_other_labels_is_another_one(name: str, tmp_path: Path) -> None:
    left, right = dot(tmp_path / "left.dot"), dot(tmp_path / "right.dot", OTHERS[name])
    proof = str(tmp_path / "proof.json")
    for pair in ((left, right), (right, left)):
        assert gl.equiv(*pair).equivalent is False and gl.equiv(*pair, scope="inputs").equivalent is False
    assert gl.equiv(right, dot(tmp_path / "same.dot", OTHERS[name]), certificate=proof).equivalent
    assert gl.verify(proof, right, str(tmp_path / "same.dot")).valid
    (tmp_path / "same.dot").write_text(Path(left).read_text(), encoding="utf-8")
    problem = gl.verify(proof, right, str(tmp_path / "same.dot")).problems[0].message
    assert ("other rules" if name == "swapped" else "other labels") in problem
    seen, unseen = log(tmp_path / "a.jsonl", OTHERS[name]), log(tmp_path / "b.jsonl")
    assert gl.predict(right, seen).consistent and not gl.predict(right, unseen).consistent


@pytest.mark.parametrize("ending", ["grid", "json", "safetensors", "dot"])
def test_no_file_loses_labels(ending: str, tmp_path: Path) -> None:
    left, other = dot(tmp_path / "left.dot"), dot(tmp_path / "other.dot", OTHERS["outputs"])
    kept = tmp_path / f"kept.{ending}"
    target = {"grid": "grid", "json": "table", "safetensors": "dfst", "dot": "mealy-dot"}[ending]
    assert invoke("compile", left, "--to", target, "-o", str(kept)).exit_code == 0
    assert gl.equiv(left, str(kept)).equivalent and gl.equiv(str(kept), other).equivalent is False
    assert invoke("run", str(kept), "coin coin push").stdout == "ok no ok\n"


def test_a_machine_learned_from_a_log_is_compared_by_label(tmp_path: Path) -> None:
    traces = gl.load_traces(log(tmp_path / "seen.jsonl"))
    traces.save(tmp_path / "seen.npz")
    learned = gl.train(gl.load_traces(tmp_path / "seen.npz"), method="merge")[0]
    file = tmp_path / "learned.safetensors"
    learned.save(file)
    assert gl.predict(file, tmp_path / "seen.jsonl").consistent
    assert not gl.predict(file, log(tmp_path / "cards.jsonl", OTHERS["inputs"])).consistent
    assert gl.equiv(str(file), dot(tmp_path / "m.dot")).equivalent is not None
    assert gl.equiv(str(file), dot(tmp_path / "cards.dot", OTHERS["inputs"])).equivalent is False
    with pytest.raises(gl.GridError, match="G101"):
        gl.trace(dot(tmp_path / "m.dot"), add=tmp_path / "cards.jsonl")


def test_what_has_more_labels_does_what_the_other_does_and_not_the_other_way_round(tmp_path: Path) -> None:
    less = dot(tmp_path / "less.dot")
    more = dot(tmp_path / "more.dot", more='a -> a [label="apple/cash"]; b -> a [label="apple/back"];')
    proof = str(tmp_path / "proof.json")
    assert gl.equiv(less, more, certificate=proof).equivalent and gl.verify(proof, less, more).valid
    assert gl.equiv(more, less, scope="inputs").equivalent is False
    assert "apple" in invoke("equiv", more, less, "--scope", "inputs").stdout


def test_a_table_in_the_symbols_of_another_keeps_its_labels(tmp_path: Path) -> None:
    table = as_program(dot(tmp_path / "m.dot")).table
    alphabet = Alphabet(("_", "x", "y", "z", "w"), ("push", "no", "ok", "coin"))
    spelt = in_symbols_of(alphabet, table)
    assert spelt.symbols == ("_", "w", "x", "y", "z") and spelt.alphabet.by_symbol() == alphabet.by_symbol()
    assert gl.equiv(table, spelt).equivalent and gl.equiv(spelt, table, scope="inputs").equivalent


def test_a_certificate_whose_sides_have_other_labels_is_refused(tmp_path: Path) -> None:
    proof = tmp_path / "proof.json"
    file = dot(tmp_path / "m.dot")
    assert gl.equiv(file, file, certificate=proof).equivalent
    data = json.loads(proof.read_text())
    for labels in (["coin", "push", "nak", "open"], ["coin"], ["coin"] * 4, "coin", None):
        side = data["right"]
        side["table"]["labels"] = labels
        side["table_sha256"] = digest(side["table"])
        data["digests"]["right"] = digest(side)
        assert "labels" in verify(json.dumps(data)).problems[0].message


def test_a_machine_without_labels_is_compared_by_symbol_unless_that_is_unclear(tmp_path: Path) -> None:
    file = dot(tmp_path / "m.dot")
    text = gl.compile(file, to="grid")
    plain = gl.loads("".join(line for line in str(text).splitlines(keepends=True) if line[0] != "#"))
    assert gl.equiv(file, plain).equivalent and not plain.table.labels
    with pytest.raises(gl.GridError, match="G085"):
        Alphabet(("_", "a", "b")).letters(Alphabet(("_", "a", "c"), ("b", "d")))


def test_labels_are_given_to_a_run_and_shown_by_it(tmp_path: Path) -> None:
    file = dot(tmp_path / "m.dot", {"coin": "insert coin"})
    assert invoke("run", file, '"insert coin" push').stdout == "ok ok\n"
    assert "insert coin" in answer("run", file, '"insert coin" push')["labels"].values()
    refused = invoke("run", file, '"insert coin" pusch')
    assert refused.exit_code == 2 and "did you mean `push`?" in refused.stderr
