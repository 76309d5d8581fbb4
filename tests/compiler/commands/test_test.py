"""`gridlang test` on the command line: what it finds, and how that is replayed."""

from __future__ import annotations

from pathlib import Path

import pytest

from gridlang import load
from gridlang.compiler.testing.report import report_lines
from tests.support.command_line import ADD10, answer, invoke


@pytest.mark.usefixtures("full_list")
def test_what_was_tried_is_told_and_its_length_can_be_set() -> None:
    (data,) = answer("test", ADD10, "--longest", "60", "--cases", "90")["files"]
    search = data["search"]
    assert (
        search["longest"] <= 60 and search["random"] == 90 and search["cases"] == search["checked"] == 6_090
    )
    shown = "\n".join(report_lines(load(ADD10), data))
    assert "add10: output a + b held on 6,090 inputs" in shown
    tried = "all 2,100 inputs of up to 4 symbols, the first 3,900 of 5 symbols, then 90 random ones of up to"
    assert f"tried {tried} {search['longest']} symbols" in shown


WORD = """agent spell
alphabet
  bit = 0..1
input a = bit
output "111"
start s
state s
  bit : write "111", R -> halt
"""


def test_a_folder_is_all_its_sources(tmp_path: Path) -> None:
    (tmp_path / "below").mkdir()
    (tmp_path / ".hidden").mkdir()
    for place in ("spell.grid", "below/again.grid", ".hidden/not.grid"):
        (tmp_path / place).write_text(WORD)
    (tmp_path / "notes.md").write_text("no source")
    files = [data["file"] for data in answer("test", str(tmp_path))["files"]]
    assert files == [str(tmp_path / "spell.grid"), str(tmp_path / "below" / "again.grid")]
    assert answer("check", str(tmp_path))["diagnostics"] == []
    assert answer("fmt", str(tmp_path))["changed"] == files
    (tmp_path / "empty").mkdir()
    for command in ("check", "fmt", "test"):
        assert "no `.grid` file in this folder" in invoke(command, str(tmp_path / "empty")).stderr
