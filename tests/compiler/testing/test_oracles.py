"""`gl.test(agent, oracle=…)` and `test --oracle`: results are held against an agent or a function."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

import gridlang as gl
from gridlang.diagnostics import GridError

INCREMENT = """\
agent {name}{params}

alphabet
  bit = 0..1

input a = bit+
output {output}

start seek

state seek
  bit : R
  _   : L -> carry

state carry
  1 : write {low}, L
  0 : write 1, R -> halt
  _ : write 1, R -> halt
"""


def written(folder: Path, name: str, output: str, low: str = "0", params: str = "") -> str:
    file = folder / f"{name}.grid"
    file.write_text(INCREMENT.format(name=name, output=output, low=low, params=params), encoding="utf-8")
    return str(file)


@pytest.fixture
def spec(tmp_path: Path) -> str:
    return written(tmp_path, "spec", "a + 1")


def test_an_agent_must_leave_what_the_other_agent_leaves(spec: str, tmp_path: Path) -> None:
    assert gl.test(written(tmp_path, "fast", "a + 2"), cases=20, oracle=spec)
    tested = gl.test(written(tmp_path, "slow", "a", low="1"), cases=20, oracle=spec)
    assert not tested and tested.counterexample == "1"
    assert tested.data["counterexample"]["expected"] == "10"
    assert tested.data["output"] == f"what {spec} leaves"


def test_numbers_are_compared_by_value_where_the_clause_of_the_other_agent_gives_one(tmp_path: Path) -> None:
    keeps = "agent keeps\nalphabet\n  bit = 0..1\ninput a = bit+\n{output}start s\nstate s\n  any : halt\n"
    strips = keeps.format(output="").replace(
        "  any : halt", "  0 : write _, R\n  1 : halt\n  _ : write 0 -> halt"
    )
    for output, holds in (("output a\n", True), ("", False)):
        assert (
            bool(gl.test(gl.loads(strips), cases=20, oracle=gl.loads(keeps.format(output=output)))) is holds
        )


def test_nothing_is_asked_where_the_other_agent_declares_no_such_input_or_does_not_end(spec: str) -> None:
    text = Path(spec).read_text().replace("input a = bit+", "input a = bit, bit")
    assert gl.test(spec, cases=0, oracle=gl.loads(text)).data["search"]["checked"] == 4
    endless = text.replace("bit : R", "bit : write 0, R").replace("_   : L -> carry", "_ : R")
    assert gl.test(spec, cases=0, oracle=gl.loads(endless)).data["search"]["checked"] == 0


def as_text(a: str) -> str:
    return format(int(a, 2) + 1, f"0{len(a)}b")


def odd_alone(a: str) -> str | None:
    return f"__\n_{as_text(a)}_" if a.endswith("1") else None


def as_a_verdict(*, a: int) -> str:
    return "accept" if a >= 0 else "stuck"


def test_a_function_gets_the_parts_and_says_what_is_left(spec: str) -> None:
    assert gl.test(spec, cases=20, oracle=lambda a: a + 1)
    assert gl.test(spec, cases=20, oracle=as_text)
    assert gl.test(spec, cases=20, oracle=odd_alone)
    assert gl.test(spec, cases=20, oracle=lambda a: a >= 0) and not gl.test(
        spec, cases=20, oracle=lambda a: a < 0
    )
    assert gl.test(spec, cases=20, oracle=as_a_verdict)
    assert gl.test(spec, cases=20, oracle=lambda a: a + 2).counterexample == "0"
    assert gl.test("examples/add10.grid", cases=20, oracle=lambda a, b: a + b)
    assert gl.test("examples/subtract.grid", cases=20, oracle=lambda b, a: a - b)
    assert gl.test(spec, cases=20, oracle=spec)


def test_an_oracle_needs_inputs_and_digits(spec: str) -> None:
    fails: Callable[..., int] = lambda a: a // 0  # noqa: E731
    with pytest.raises(ZeroDivisionError) as raised:
        gl.test(spec, oracle=fails)
    assert raised.value.__notes__ == ['the oracle was asked about the input "0": oracle(0)']
    with pytest.raises(GridError, match="no input clause"):
        gl.test("examples/beaver.grid", oracle=lambda: 1)
    letters = gl.loads("agent t\nalphabet\n  l = 'a'..'c'\ninput a = l+\nstart s\nstate s\n  any : halt\n")
    with pytest.raises(GridError, match="no digits to write"):
        gl.test(letters, oracle=len)


def test_the_words_of_verdicts_are_texts_for_an_agent_that_has_their_letters() -> None:
    words = gl.loads(
        "agent t\nalphabet\n  l = 'a'..'z'\ninput a = ('s', 't', 'u', 'c', 'k')\nstart s\nstate s\n  any : halt\n"
    )
    assert gl.test(words, oracle=lambda _: "stuck") and not gl.test(words, oracle=lambda _: False)
