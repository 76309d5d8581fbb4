"""The trees of clauses say what the clauses say: of mixed cells, empty parts, parts that overlap, parts of
several bases, and branches that no input takes.
"""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import gridlang as gl
from gridlang.clauses import clause_tree, outputs
from gridlang.clauses.outputs import output_rule
from gridlang.compiler.proofs import held_clauses
from gridlang.compiler.proofs.certificates import certified_table
from gridlang.compiler.proofs.held_clauses import check_clauses, texts_of_cells
from gridlang.diagnostics import GridError
from tests.programs import EXAMPLES
from tests.support.agents import source
from tests.support.command_line import invoke, process

AGENT = """agent t
alphabet
  bit   = 0..1
  digit = 0..3
  x     = 'x'
  p     = 'p'
  sign  = '+'
input {}
output {}
start go
state go
{}
"""
APPENDS = "  any except _ : R\n  _ : write 'x' -> halt"
ONLY_X = "  'p' : write 'x', R\n  any except _ | p : R\n  _ : write 'x' -> halt"
NO_RESULT = "  any except _ : write _, R\n  _ : halt"
SHAPES = [
    ("a = (x*, (p{30})?)", 'join(a, "x")'),
    ("a = (x | p)*, b = x*", "join(reverse(b), a, 'x')"),
    ("a = x*, b = x*", "join(b, 'x')"),
    ("a = x*, b = p*", "repeat('x', length(a) + 2*length(b))"),
    ("a = bit{2}, sign, b = digit*", "'x' if a < b else 'p'"),
    ("a = digit+, sign, b = bit+", "join(a, b) if length(b) < 0 else b"),
    ("a = bit+, b = x* where a > 1 and length(b) < 3", "join(a, b)"),
    ("a = (bit, digit)+", "accept if number(reverse(a)) == 0 else stuck"),
    ("a = bit?", "number(reverse(reverse(a)))"),
    ("a = x?, b = (x, p?)*", "sorted(join(a, b)) if count(a, 'p') > 0 else every(b, 2, 3)"),
]


def table(inputs: str, output: str, rules: str = APPENDS) -> gl.Table:
    return gl.loads(AGENT.format(inputs, output, rules)).table


@pytest.fixture
def mixed_cells_without_letters(monkeypatch: pytest.MonkeyPatch) -> None:
    """The mistake that once proved a wrong agent: a part of several classes had no letters."""
    right = clause_tree.with_strokes_counted

    def wrong(node: clause_tree.Node, symbols: list[set[str]]) -> clause_tree.Node:
        return right(node, [some if len(some) == 1 else set() for some in symbols])

    monkeypatch.setattr(outputs, "with_strokes_counted", wrong)
    monkeypatch.setattr(held_clauses, "_misread", held_clauses._misread.__wrapped__)


@pytest.mark.parametrize(("inputs", "output"), SHAPES)
def test_trees_say_what_the_clause_says(inputs: str, output: str) -> None:
    check_clauses(table(inputs, output))


def test_a_part_of_mixed_cells_has_all_their_letters() -> None:
    assert certified_table(table(*SHAPES[0]))["output"]["value"] == ["join", ["part", 0], "x"]
    strokes = certified_table(table("a = x*, b = x+", 'join(a, "x", b)'))["output"]["value"]
    lengths = [["length", ["part", part]] for part in (0, 1)]
    assert strokes == ["repeat", "x", ["+", ["+", lengths[0], 1], lengths[1]]]


def test_every_cell_of_a_clause_is_tried() -> None:
    rule = output_rule(table(*SHAPES[0]))
    assert rule is not None and set(texts_of_cells(rule.language)) == {"x", "p" * 30}


@pytest.mark.parametrize("rules", [ONLY_X, NO_RESULT])
@pytest.mark.parametrize(("inputs", "output"), SHAPES[:4])
def test_a_wrong_agent_is_refuted_on_an_input_of_that_shape(inputs: str, output: str, rules: str) -> None:
    made = table(inputs, output, rules)
    rule, claim = output_rule(made), gl.prove(gl.loads(AGENT.format(inputs, output, rules))).claims[1]
    right = all(rule.expected(text) == "x" * (len(text) + 1) for text in texts_of_cells(rule.language))  # type: ignore[union-attr]
    assert claim.answer in (("proven", "tested") if right and rules == ONLY_X else ("refuted",))


@pytest.mark.usefixtures("mixed_cells_without_letters")
def test_nothing_is_proven_by_a_tree_that_says_something_else(tmp_path: Path) -> None:
    file, proof = tmp_path / "t.grid", tmp_path / "proof.json"
    file.write_text(AGENT.format(*SHAPES[0], ONLY_X))
    for command in (["prove", file], ["equiv", file, file, "--scope", "inputs"]):
        shown = invoke(*map(str, command), "--certificate", str(proof))
        assert shown.exit_code == 2 and "G144" in shown.output and not proof.exists()
    worlds = tmp_path / "worlds.json"
    assert invoke("equiv", str(file), str(file), "--certificate", str(worlds)).exit_code == 0
    assert "something else of the input" in invoke("verify", str(worlds), str(file), str(file)).output


HASHED = {  # of each kind of search one; those of examples take long
    **{
        f"shape {number}": AGENT.format(*SHAPES[number], APPENDS) for number in (4, 5)
    },  # numbers of several bases
    **{name: source(name) for name in ("parity", "larger", "majority", "monus", "thirds", "strokes")},
}
EXAMPLES_HASHED = ("add2", "brackets", "palindrome", "twice", "suite/bucket_sort", "suite/odds_first")


@pytest.mark.parametrize(
    "name", [*HASHED, *(pytest.param(name, marks=pytest.mark.long) for name in EXAMPLES_HASHED)]
)
def test_no_answer_depends_on_the_order_of_hashes(name: str, tmp_path: Path) -> None:
    file, proof, written = EXAMPLES / f"{name}.grid", tmp_path / "proof.json", set()
    if name in HASHED:
        file = tmp_path / "t.grid"
        file.write_text(HASHED[name])
    for seed in ("0", "1"):
        done = process("-m", "gridlang", "prove", str(file), "--certificate", str(proof), PYTHONHASHSEED=seed)
        assert done.returncode < 2, done.stderr
        written.add((done.returncode, done.stdout, proof.read_bytes()))
    assert len(written) == 1


def test_numbers_of_two_bases_are_written_in_none() -> None:
    digits = certified_table(table("a = digit+, sign, b = bit+", "'x' if a < b else 'p'"))["output"]["digits"]
    assert digits == "0123"
    with pytest.raises(GridError, match="different bases"):
        table("a = digit+, sign, b = bit+", "1 if a < b else 0")


def test_a_condition_in_other_digits_than_the_output_is_not_read_in_those() -> None:
    made = table('a = digit+, sign, b = bit+ where text(b + 1) == "10"', "a")
    where = certified_table(made, conditioned=True)["where"]
    assert json.dumps(where) == '["==", ["text", ["+", ["number", ["part", 2]], 1], "01"], "10"]'
    check_clauses(made)
