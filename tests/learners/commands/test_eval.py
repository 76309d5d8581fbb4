"""`gridlang eval`: what it prints, its JSON, its exit statuses."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner, Result

from gridlang.cli import main
from gridlang.compiler.tensors.dfst import Dfst, dfst_to_bytes, table_to_dfst
from tests.programs import EXAMPLES
from tests.support import command_line
from tests.support.weights import TABLES

KEYS = {
    "plg", "rlg", "largest", "cases", "first_error", "margin", "steps", "seconds", "lengths",
}  # fmt: skip


def invoke(*arguments: str) -> Result:
    return command_line.invoke("eval", *arguments)


def answer(*arguments: str, code: int = 0) -> dict[str, Any]:
    return command_line.answer("eval", *arguments, code=code)


def expert(name: str) -> str:
    return str(EXAMPLES / f"{name}.grid")


@pytest.fixture
def model(tmp_path: Path) -> str:
    """Exact weights of add2, with their source."""
    path = str(tmp_path / "add2.safetensors")
    assert CliRunner().invoke(main, ["compile", expert("add2"), "-o", path]).exit_code == 0
    return path


@pytest.fixture
def wrong(tmp_path: Path) -> str:
    """Weights of add2 without source, with one rule that writes another symbol."""
    path = tmp_path / "wrong.safetensors"
    path.write_bytes(dfst_to_bytes(broken()))
    return str(path)


def broken() -> Dfst:
    """The start state writes the wrong symbol at the end of the input."""
    table = TABLES["add2"]
    dfst = table_to_dfst(table)
    B = dfst.B.copy()
    state, symbol = 0, table.symbols.index("_")
    entry = table.rows[state][symbol]
    assert entry is not None
    B[symbol, :, state] = 0
    B[symbol, (entry.write + 1) % len(table.symbols), state] = 1
    return replace(dfst, B=B)


def test_exact_weights_pass_against_their_own_source(model: str) -> None:
    data = answer(model, "--digits", "9")
    assert data.keys() >= KEYS
    assert (data["plg"], data["rlg"], data["largest"], data["cases"]) == (True, True, None, 14)
    assert data["first_error"] is None and data["margin"] == 1.0
    assert data["against"] == f"the source in {model}"
    assert [one["digits"] for one in data["lengths"]] == [9]
    text = invoke(model, "--digits", "9").stdout
    assert "PLG(9): passed, RLG(9): passed" in text and "14/14" in text


def test_only_plg_is_told_when_only_plg_is_asked(model: str) -> None:
    data = answer(model, "--digits", "5", "--suite", "plg", "--against", expert("add2"))
    assert (data["plg"], data["rlg"], data["cases"]) == (True, None, 10)


def test_parameters_of_the_expert_can_be_given(model: str) -> None:
    assert answer(model, "--digits", "4", "--against", expert("add"), "-D", "base=2")["rlg"] is True


def test_an_error_is_explained_and_exits_with_1(wrong: str) -> None:
    table = TABLES["add2"]
    data = answer(wrong, "--digits", "40", "--against", expert("add2"), code=1)
    error = data["first_error"]
    assert data["rlg"] is False and data["plg"] is False
    assert error.keys() >= {"input", "step", "cell", "read", "expected", "got", "state"}
    assert error["read"] == "_" and error["state"] == table.states[0]
    assert error["expected"]["move"] == error["got"]["move"]
    assert error["expected"]["write"] != error["got"]["write"]
    assert len(error["input"]) < 81 and "…" in error["input"]
    result = invoke(wrong, "--digits", "40", "--against", expert("add2"))
    assert result.exit_code == 1
    assert f"step {error['step']:,} at" in result.stdout and "[_]" in result.stdout
    assert f"expected  write {error['expected']['write']}" in result.stdout


def test_a_model_that_is_stuck_has_no_action(tmp_path: Path) -> None:
    dfst = table_to_dfst(TABLES["add2"])
    path = tmp_path / "silent.safetensors"
    path.write_bytes(dfst_to_bytes(replace(dfst, B=np.zeros_like(dfst.B), C=np.zeros_like(dfst.C))))
    data = answer(str(path), "--digits", "2", "--against", expert("add2"), code=1)
    assert data["first_error"]["got"] is None and "zero" in data["first_error"]["reason"]
    assert "got       nothing" in invoke(str(path), "--digits", "2", "--against", expert("add2")).stdout


@pytest.mark.long
def test_the_largest_length_is_searched_within_the_time(model: str, wrong: str) -> None:
    found = answer(model, "--largest", "--seconds", "2", "--suite", "plg")
    lengths = [one["digits"] for one in found["lengths"]]
    # How far it comes depends on the machine; the lengths double, or grow by what the time left allows.
    assert lengths[0] == 4 and all(a < b <= 2 * a for a, b in pairwise(lengths)) and found["ended"] == "time"
    assert found["largest"] == max([one["digits"] for one in found["lengths"] if one["passed"]], default=0)
    assert found["plg"] is None and found["steps"] == sum(one["steps"] for one in found["lengths"])
    none = answer(wrong, "--largest", "--against", expert("add2"), code=1)
    assert none["largest"] == 0 and none["ended"] == "found" and none["first_error"]
    both = answer(model, "--digits", "20", "--largest", "--seconds", "5")
    assert both["rlg"] is True and both["lengths"][0]["digits"] == 20
    assert "largest length passed: 0" in invoke(wrong, "--largest", "--against", expert("add2")).stdout


def test_no_time_at_all_is_an_unknown(model: str) -> None:
    assert answer(model, "--digits", "3000", "--seconds", "0.01", code=1)["rlg"] is None
    assert answer(model, "--largest", "--seconds", "0.000001", code=1)["largest"] == 0
    assert "RLG(3,000): unknown" in invoke(model, "--digits", "3000", "--seconds", "0.01").stdout


def test_an_agent_without_inputs_is_tested_on_worlds_and_says_so(tmp_path: Path) -> None:
    path = str(tmp_path / "ant.safetensors")
    assert CliRunner().invoke(main, ["compile", expert("ant"), "-o", path]).exit_code == 0
    data = answer(path, "--digits", "5", "--steps", "1000")
    assert (data["suite"], data["worlds"], data["plg"], data["rlg"]) == ("worlds", True, None, None)
    assert data["cut"] == 20 and data["steps"] == 20_000
    text = invoke(path, "--digits", "5", "--steps", "1000").stdout
    assert "random worlds of 5 x 5 cells" in text and "20 of 20 runs were cut at the step limit" in text


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--against", expert("add2")], "give --digits N"),
        (["--digits", "3"], "G110"),
        (["--digits", "3", "--against", expert("add10")], "only the expert knows 2 3"),
        (["--digits", "3", "--against", "nowhere.grid"], "G001"),
        (["--digits", "0", "--against", expert("add2")], "--digits"),
        (["--digits", "99999999999", "--against", expert("add2")], "G111"),
        (["--digits", "3", "--suite", "all", "--against", expert("add2")], "--suite"),
        (["--digits", "3", "--against", expert("add2"), "-D", "base=3"], "G026"),
    ],
)
def test_wrong_use_exits_with_2_and_a_message(wrong: str, arguments: list[str], message: str) -> None:
    result = invoke(wrong, *arguments)
    assert result.exit_code == 2 and message in result.stderr
