"""`gridlang synthesize` on the command line and in Python: what is found, what is claimed, what is refused."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest

import gridlang as gl
from gridlang.compiler.synthesis import synthesize as synthesizing
from tests.programs import EXAMPLES
from tests.support.command_line import answer, invoke

HALF = """# Halves a number.
agent half

alphabet
  bit = 0..1

input a = bit+
output a div 2

test "110" = "011"
"""
SKETCH = """agent plus_one

alphabet
  bit = 0..1

input a = bit+
output a + 1

start seek

state seek
  bit : R
  _   : L -> carry

state carry  # left open
"""


@pytest.fixture
def spec(tmp_path: Path) -> Path:
    path = tmp_path / "half.grid"
    path.write_text(HALF)
    return path


def test_the_smallest_agent_is_found_proven_and_written(spec: Path, tmp_path: Path) -> None:
    out = tmp_path / "found.grid"
    data = answer("synthesize", str(spec), "-o", str(out))
    assert data["found"] and data["proven"] and data["smallest"] and data["fewest_steps"]
    assert (data["states"], data["excluded"], data["output"]) == (2, 1, str(out))
    assert {claim["answer"] for claim in data["claims"]} == {"proven"}
    assert out.read_text() == data["source"]
    assert data["source"].startswith(HALF.split("\n\ntest")[0]), "what was given stays as it was"
    assert gl.prove(out) and gl.test(out, cases=50)


def test_what_is_claimed_names_its_inputs_and_steps(spec: Path) -> None:
    told = invoke("synthesize", str(spec))
    assert told.exit_code == 0
    assert (
        "smallest        proven among agents that move left and right and are right on these" in told.stdout
    )
    assert "each within 4(n + 2)² steps on an input or result of n symbols" in told.stdout
    assert "state s1" in told.stdout


def test_written_rules_are_kept_and_open_states_are_found(tmp_path: Path) -> None:
    path = tmp_path / "sketch.grid"
    path.write_text(SKETCH)
    found = gl.synthesize(path)
    assert found and found.states == 2 and found.smallest
    assert found.program is not None and found.program.table.states[:2] == ("seek", "carry")
    assert found.program.run("1011").result == "1100"


def test_a_family_of_a_larger_agent_may_be_left_open(monkeypatch: pytest.MonkeyPatch) -> None:
    """No written rule leads to the family behind it, and all its members are there."""
    monkeypatch.setattr(synthesizing.Synthesizer, "_find_faster", lambda _: None)
    source = (EXAMPLES / "suite" / "reverse_string.grid").read_text()
    sketch = re.sub(r"(?<=in hand\n)  letter : L\n  _      : R -> push\(x\)\n", "", source)
    assert sketch != source
    found = gl.synthesize(sketch, nodes=1_000_000)
    assert found.program and found.states == 5
    assert {"push(a)", "push(b)"} <= set(found.program.table.states)
    assert gl.equiv(EXAMPLES / "suite" / "reverse_string.grid", found.program, scope="inputs").equivalent


def test_a_text_will_do_and_tells_what_it_found() -> None:
    found = gl.synthesize(HALF, nodes=100_000)
    assert repr(found) == "Synthesis(half: 2 states, proven)"
    assert found.program is not None and found.program.run("1100").result == "0110"


def test_counterexamples_join_the_inputs(monkeypatch: pytest.MonkeyPatch) -> None:
    """Even if a search begins with a single input, its answer is right."""
    all_inputs = synthesizing.asked_inputs
    monkeypatch.setattr(synthesizing, "asked_inputs", lambda *of: all_inputs(*of)[:1])
    found = gl.synthesize(HALF)
    assert found and found.counterexamples and found.inputs == 1 + len(found.counterexamples)


def test_what_is_interrupted_gives_the_agent_so_far(monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(synthesizing.Synthesizer, "_exclude_smaller", interrupted)
    found = gl.synthesize(HALF)
    assert found and found.interrupted and not found.smallest


def test_an_agent_is_not_lost_where_its_proof_is_interrupted(monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(synthesizing, "proven", interrupted)
    found = gl.synthesize(HALF)
    assert found.program is not None and found.interrupted
    assert found.program.run("1100").result == "0110"


def test_where_no_agent_is_found_the_answer_is_no(spec: Path) -> None:
    data = answer("synthesize", str(spec), "--states", "1", code=1)
    assert not data["found"] and data["states"] == 0 and data["source"] == ""
    assert "no agent was found" in invoke("synthesize", str(spec), "--states", "1").stdout


@pytest.mark.parametrize(
    ("old", "new", "told"),
    [
        ("output a div 2\n", "", "does not say what is to be left"),
        ("input a = bit+\noutput a div 2\n", "", "does not say which inputs there are"),
        ("output a div 2", 'output "x"', "must leave 'x', which is not a symbol of the alphabet"),
        ("output a div 2", "output b", "b"),
        ("input a = bit+\n", "", "an `output` needs an `input`"),
        ("output a div 2", "output a div 0", "nothing is asked of any short input"),
    ],
)
def test_a_specification_that_says_too_little_is_refused(spec: Path, old: str, new: str, told: str) -> None:
    spec.write_text(HALF.replace(old, new).replace('test "110" = "011"\n', ""))
    refused = invoke("synthesize", str(spec))
    assert refused.exit_code == 2
    assert told in refused.stderr and "hint" in refused.stderr
    assert ("error[G175]" in refused.stderr) == (new != "output b" and "output" in old)
    assert "`s0`" not in refused.stderr  # a state that nobody wrote


def test_a_search_that_goes_on_says_what_for(monkeypatch: pytest.MonkeyPatch) -> None:
    told: list[str] = []

    def counting(_: object, words: str) -> Callable[[int], None]:
        told.append(words)
        return lambda _: None

    monkeypatch.setattr("gridlang.compiler.arguments.counting", counting)
    found = gl.synthesize(EXAMPLES / "specs" / "times.grid", nodes=2_000_000)
    assert found.smallest and not found.fewest_steps and found.for_faster == 101_900
    assert any("found one of 8, looking for a faster one" in line for line in told)


def test_an_agent_is_not_written_over_its_specification(spec: Path) -> None:
    assert invoke("synthesize", str(spec), "-o", str(spec)).exit_code == 2
    assert spec.read_text() == HALF


def test_check_says_that_states_can_be_found(spec: Path) -> None:
    assert "or let `gridlang synthesize` find them" in invoke("check", str(spec)).stderr


EVEN_CHANGES = """agent even_changes

alphabet
  letter = 'a' | 'b'
  'y' | 'n'

input w = letter+
output 'y' if (count(w, "ab") + count(w, "ba")) mod 2 == 0 else 'n'
"""
COMPARED = """agent compared

alphabet
  one = 1
  '?' | '<' | '=' | '>'

input a = one+, '?', b = one+
output '<' if length(a) < length(b) else '=' if length(a) == length(b) else '>'
"""


@pytest.fixture
def first_found(monkeypatch: pytest.MonkeyPatch) -> None:
    """A search ends with the first agent."""
    for part in ("_find_smaller", "_exclude_smaller", "_find_faster"):
        monkeypatch.setattr(synthesizing.Synthesizer, part, lambda _: None)


@pytest.mark.usefixtures("first_found")
def test_an_agent_with_few_results_decides_before_it_writes(monkeypatch: pytest.MonkeyPatch) -> None:
    found = gl.synthesize(EVEN_CHANGES, nodes=400_000)
    assert found.program is not None
    assert {claim.answer for claim in found.claims} <= {"proven", "tested"}
    assert [found.program.run(text).result for text in ("ab", "aba", "bbbabb")] == ["n", "y", "y"]
    monkeypatch.setattr(synthesizing, "first_decisions", lambda _: ())
    assert gl.synthesize(EVEN_CHANGES, nodes=400_000).program is None


@pytest.mark.long
@pytest.mark.usefixtures("first_found")
def test_three_results_are_told_apart_one_after_the_other() -> None:
    found = gl.synthesize(COMPARED, nodes=8_000_000)
    assert found and found.program is not None
    assert [found.program.run(text).result for text in ("111?11", "11?11", "1?11111")] == [">", "=", "<"]


@pytest.mark.usefixtures("first_found")
def test_multiplication_is_found_and_proven_from_a_sketch() -> None:
    found = gl.synthesize(EXAMPLES / "specs" / "times.grid", nodes=100_000)
    assert found and found.program is not None and found.states == 8
    assert found.program.run("|||*||").result == "||||||"


def test_an_agent_without_open_pairs_is_proven_at_once(tmp_path: Path) -> None:
    right, wrong = tmp_path / "right.grid", tmp_path / "wrong.grid"
    right.write_text(f"{SKETCH.rstrip()}\n  0 | _ : write 1, R -> halt\n  1 : write 0, L\n")
    found = answer("synthesize", str(right))
    assert found["proven"] and found["smallest"] and found["fewest_steps"] and found["nodes"] == 0
    wrong.write_text(right.read_text().replace("write 0, L", "write 1, L"))
    done = invoke("synthesize", str(wrong))
    assert done.exit_code == 1 and "every rule is written" in done.stdout


@pytest.mark.parametrize("place", ["no/such/folder.grid", "."])
def test_a_place_that_cannot_be_written_is_refused_before_the_search(place: str, tmp_path: Path) -> None:
    spec = tmp_path / "half.grid"
    spec.write_text(HALF)
    refused = answer("synthesize", str(spec), "-o", str(tmp_path / place), code=2)
    assert refused["diagnostics"][0]["code"] == "G009"
