"""What the playground draws."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.programs import ROOT
from tests.support.playground import ask as asked

MULT = (ROOT / "examples" / "mult.grid").read_text(encoding="utf-8")
SMALL = """agent small

alphabet
  bit = 0..1

start go(0)

state go(v in bit)
  b in bit : R -> go(b)
  _        : write v, R -> halt

test "01" = "011"
"""


def ask(kind: str, source: str, **more: Any) -> dict[str, Any]:
    reply: dict[str, Any] = asked(kind, source=source, name="a.grid", **more)
    return reply


def test_both_ways_of_drawing_a_family_are_drawn() -> None:
    data = ask("draw", MULT)["page"]
    assert [view["folded"] for view in data["views"]] == [True, False]
    assert [each.count('data-node="') for each in data["graphs"]] == [19, 95]


def test_a_file_that_is_used_is_read_again_once_it_has_changed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    inner = SMALL.replace("agent small", "agent inner")
    Path("inner.grid").write_text(inner, encoding="utf-8")
    source = 'agent outer = inner from "inner.grid"\n'
    assert ask("check", source)["drawn"]
    Path("inner.grid").write_text(inner.replace("R -> go(b)", "L -> go(b)"), encoding="utf-8")
    assert 2 in ask("draw", source)["page"]["table"]["rules"][3::6]
    Path("inner.grid").write_text("nonsense", encoding="utf-8")
    assert not ask("check", source)["drawn"]


def test_what_cannot_be_read_is_not_drawn() -> None:
    broken = SMALL.replace("go(b)", "gone(b)")
    assert not ask("check", broken)["drawn"]
    assert ask("draw", broken)["diagnostics"][0]["code"]
