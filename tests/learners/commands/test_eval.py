"""`gridlang eval`: what it prints, its JSON, its exit statuses."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from gridlang.cli import main
from gridlang.compiler.tensors.dfst import Dfst, dfst_to_bytes, table_to_dfst
from tests.programs import EXAMPLES
from tests.support import command_line
from tests.support.weights import TABLES


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
