"""Lines `test`: loops, final states, final heads and names."""

from __future__ import annotations

import pytest

from gridlang.compiler.testing.file_tests import run_tests
from gridlang.compiler.testing.report import report_lines
from gridlang.compiler.testing.report import test_report as report_of
from gridlang.loading import loads
from gridlang.program import Program

AGENT = """
agent t
alphabet
  bit = 0..1
  open = '[' | ']'
start go
state go, first
  0 : R
  1 : R -> turn(R)
  _ : write 1, R -> halt
state turn(d: move except S)
  _ if d == R : L -> turn(L)
  1 if d == L : R -> turn(R)
  0 : R -> D
state D
  bit : halt
"""


def program(*lines: str) -> Program:
    return loads(AGENT + "\n".join(lines) + "\n")


def problems(*lines: str, engine: str = "auto") -> list[str]:
    return [result.problem for result in run_tests(program(*lines), 10_000, engine)]


@pytest.mark.parametrize("engine", ["auto", "reference", "native", "dfst"])
@pytest.mark.parametrize(
    "line",
    [
        'test "1" loops',
        'test "0" halts in state halt',
        'test "0" halts in state halt in 3 steps',
        'test "100" halts in state D within 4 steps',
        'test "100" halts in state "D"',
        'test """ [0] """ = """ 01[_] """',
        'test """ [0] """ = """ _ _ 0 1 [_] _ """',
        'test "0" after 1 steps = """ 0[_] """',
        'test """ [0] """ = """ 0 1 """',
    ],
)
def test_a_right_line_holds_on_every_engine(line: str, engine: str) -> None:
    assert problems(line, engine=engine) == [""]


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ('test "0" loops', "expected it to be looping, but it halted"),
        ('test "1" halts in state turn(R)', "still running"),
        ('test "0" halts in state first', "expected it to halt in state `go`, but it halted"),
        ('test "0" halts in state turn(L)', "expected it to halt in state `turn(L)`"),
        ('test "0" halts in state halt in 4 steps', "expected exactly 4 steps"),
        ('test """ [0] """ = """ 0[1] """', "the head in brackets\n0[1]\ngot\n01[_]"),
        ('test """ [0] """ = """ [0]_ """', "the head in brackets\n[0]\ngot\n01[_]"),
        ('test "0" = "10"', 'expected "10", got "01"'),
        ('test "0" = "01" in 4 steps', "expected exactly 4 steps, took 3"),
        ('test "0" = "01" within 2 steps', "expected at most 2 steps, took 3"),
        ('test "0" stuck', "expected it to be stuck, but it halted after 3 steps in state `halt` at (2, 0)"),
        ('test """ [0]1 """ after 1 step = "1"', 'expected "1", got "01"'),
    ],
)
def test_a_wrong_line_says_what_it_is_instead(line: str, words: str) -> None:
    (problem,) = problems(line)
    assert words in problem


def test_brackets_with_spaces_are_symbols_and_without_them_the_head() -> None:
    assert problems('test """ [0] [ """ after 1 steps = """ 0 [[] """') == [""]
    assert "expected" in problems('test """ [0] 0 """ after 1 steps = """ 0 [ 0 ] """')[0]


def test_where_nothing_is_left_the_head_may_be_anywhere() -> None:
    agent = loads('agent t\nstart a\nstate a\n  _ : R -> halt\ntest """ [_] """ = """ [_] """\n')
    assert [result.problem for result in run_tests(agent, 10)] == [""]


def test_a_name_is_shown_where_its_test_fails_and_in_the_data() -> None:
    agent = program(
        'test corner: "0" loops', 'test "two words": """ [0] """ = """ 0[1] """', 'test "0" halts'
    )
    data = report_of(agent, 10, 1_000, 0, "auto", lambda _: None)
    assert [test["name"] for test in data["tests"]] == ["corner", "two words", None]
    lines = list(report_lines(agent, data))
    assert 'test corner: "0" loops' in lines[0] and 'test "two words": """' in lines[2]
    assert lines[4:7] == ["  0[1]", "  got", "  01[_]"]
