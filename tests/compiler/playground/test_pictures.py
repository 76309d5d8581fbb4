"""What the playground draws: nothing while the picture is the same, the page where it is another."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.programs import ROOT
from tests.support.playground import ask

MULT = (ROOT / "examples" / "mult.grid").read_text(encoding="utf-8")
COMMENTED = MULT.replace("start seek", "# one line more\nstart seek")
SMALL = """agent small

alphabet
  bit = 0..1

start go(0)

state go(v in bit)
  b in bit : R -> go(b)
  _        : write v, R -> halt

test "01" = "011"
"""


def asked(kind: str, source: str, **more: Any) -> dict[str, Any]:
    if "shown" in more:
        more["shown"] = {"source": more["shown"], "files": {}}
    reply: dict[str, Any] = ask(kind, source=source, name="a.grid", **more)
    return reply


def data_of(page: str) -> dict[str, Any]:
    data: dict[str, Any] = json.loads(page.split('id="data">')[1].split("</script>")[0])
    return data


def test_a_comment_leaves_the_picture_and_moves_the_lines() -> None:
    before, after = (asked("check", MULT, shown=each)["unchanged"] for each in (MULT, COMMENTED))
    assert before == after  # what is shown does not matter, as long as it looks the same
    moved = asked("check", COMMENTED, shown=MULT)["unchanged"]
    assert moved["table"]["states"] == before["table"]["states"]
    lines = [each["table"]["rules"][5::6] for each in (before, moved)]
    assert [line + 1 for line in lines[0]] == lines[1]


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("write v, R -> halt", "write v, L -> halt"),
        ("R -> go(b)", "R -> go(1 - b)"),
        ("write v, R", "write v + 0, R"),  # the same table, in other words, which a folded graph shows
        ("agent small", "agent tiny"),
    ],
)
def test_what_would_look_otherwise_is_drawn(old: str, new: str) -> None:
    reply = asked("check", SMALL.replace(old, new), shown=SMALL)
    assert reply["drawn"] and reply["unchanged"] is None


def test_a_test_that_is_added_changes_the_world_and_not_the_picture() -> None:
    unchanged = asked("check", SMALL.replace('test "01"', 'test "0"'), shown=SMALL)["unchanged"]
    assert unchanged["start"]["text"] == "0"


def test_families_are_drawn_both_ways_and_begin_as_they_were_left() -> None:
    for fold, folded in ((None, [True, False]), (True, [True, False]), (False, [False, True])):
        views = data_of(asked("draw", MULT, fold=fold)["page"])["views"]
        assert [view["folded"] for view in views] == folded


def test_a_file_that_is_used_is_read_again_once_it_has_changed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    inner = SMALL.replace("agent small", "agent inner")
    Path("inner.grid").write_text(inner, encoding="utf-8")
    source = 'agent outer = inner from "inner.grid"\n'
    assert asked("check", source, shown=source)["unchanged"]
    Path("inner.grid").write_text(inner.replace("R -> go(b)", "L -> go(b)"), encoding="utf-8")
    assert 2 in data_of(asked("draw", source)["page"])["table"]["rules"][3::6]
    Path("inner.grid").write_text("nonsense", encoding="utf-8")
    assert not asked("check", source)["drawn"]


def test_what_cannot_be_read_is_not_drawn() -> None:
    broken = SMALL.replace("go(b)", "gone(b)")
    assert not asked("check", broken, shown=SMALL)["drawn"]
    assert asked("draw", broken)["diagnostics"][0]["code"]
