"""`gridlang test --oracle FILE.py:NAME`: a Python function says what is right."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.command_line import ADD10, answer, invoke

SPEC = """\
import os
from helper import total

print("printed")
NUMBER = 7

def add(b, a):
    return total(a, b)

def carries(a, b):
    return a + b + (a > 5 and b > 5)

def texts(a: str, b: str):
    return None if a[0] == "0" or b[0] == "0" else str(int(a) + int(b))

def accepts(a, b):
    return True

def gets_stuck(a, b):
    return "stuck"

def fails(a, b):
    return deeper(a) + b

def deeper(a):
    if a == 3:
        raise ValueError
    return a

def halves(a, b):
    return (a + b) / 2

def one(a):
    return a
"""


@pytest.fixture
def spec(tmp_path: Path) -> str:
    (tmp_path / "helper.py").write_text("def total(*numbers):\n    return sum(numbers)\n")
    path = tmp_path / "spec.py"
    path.write_text(SPEC)
    return str(path)


@pytest.mark.parametrize("name", ["add", "texts", "accepts"])
def test_an_agent_that_does_what_the_function_says_passes(spec: str, name: str) -> None:
    done = invoke("test", ADD10, "--oracle", f"{spec}:{name}", "--cases", "20")
    assert done.exit_code == 0 and f"add10: the oracle {name} held on " in done.stdout
    assert "printed" in done.stderr and "printed" not in done.stdout


def test_the_shortest_input_with_another_result_is_shown(spec: str) -> None:
    data = answer("test", ADD10, "--oracle", f"{spec}:carries", code=1)
    assert (data["passed"], data["failed"]) == (2, 1)
    wrong = data["counterexample"]
    assert (wrong["input"], wrong["expected"], wrong["got"]) == ("6+6", "13", "12")
    verdict = answer("test", ADD10, "--oracle", f"{spec}:gets_stuck", code=1)["counterexample"]
    assert (verdict["verdict"], verdict["outcome"]) == ("stuck", "halted")


@pytest.mark.parametrize(
    ("name", "line", "said"),
    [
        ("fails", "        raise ValueError", "the oracle fails: ValueError"),
        (
            "halves",
            "def halves(a, b):",
            "the oracle answers oracle(0, 0) with 0.0 of type float; it returns an int",
        ),
        ("one", "def one(a):", "the oracle takes 1 argument, and is given 2: a, b"),
        ("NUMBER", None, "`NUMBER` is not a function"),
        ("ad", None, "there is no `ad` in this file"),
    ],
)
def test_what_a_function_does_wrong_is_told_with_its_line(
    spec: str, name: str, line: str | None, said: str
) -> None:
    (told,) = answer("test", ADD10, "--oracle", f"{spec}:{name}", code=2)["diagnostics"]
    assert (told["code"], told["file"]) == ("G145", spec) and said in told["message"]
    assert told["line"] == (line and SPEC.splitlines().index(line) + 1)
    shown = invoke("test", ADD10, "--oracle", f"{spec}:{name}").output
    assert "Traceback" not in shown and ('the input "3+0": oracle(3, 0)' in shown) == (name == "fails")


@pytest.mark.parametrize("text", ["def f(a, b)\n", "import there_is_none\n", "raise SystemExit\n"])
def test_a_file_that_cannot_be_run_is_told_with_its_line(tmp_path: Path, text: str) -> None:
    path = tmp_path / "broken.py"
    path.write_text(f"\n{text}")
    (told,) = answer("test", ADD10, "--oracle", f"{path}:f", code=2)["diagnostics"]
    assert (told["code"], told["file"], told["line"]) == ("G145", str(path), 2)


@pytest.mark.parametrize("named", ["spec.py", "spec:f", "spec.py:", "spec.py:a b"])
def test_a_name_of_another_form_is_refused(named: str) -> None:
    (told,) = answer("test", ADD10, "--oracle", named, code=2)["diagnostics"]
    assert told["code"] == "G145" and "--oracle spec.py:f" in told["hint"]
