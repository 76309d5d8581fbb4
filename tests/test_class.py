"""The script that grades a class prints what its page shows, and tells what it cannot prove."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

from tests.programs import EXAMPLES, ROOT

EXPERT = (EXAMPLES / "increment.grid").read_text(encoding="utf-8")
ALICE = (EXAMPLES / "class" / "alice.grid").read_text(encoding="utf-8")


def graded(expert: Path, folder: Path) -> str:
    words = [sys.executable, str(EXAMPLES / "class" / "grade.py"), str(expert), str(folder)]
    return subprocess.run(words, cwd=ROOT, capture_output=True, text=True, check=True).stdout


def test_the_class_is_graded_as_its_page_shows() -> None:
    page = (ROOT / "docs" / "guide" / "examples.md").read_text(encoding="utf-8")
    shown = re.search(r"^\$ python examples/class/grade\.py [^\n]*\n(.*?)```", page, re.MULTILINE | re.DOTALL)
    assert shown and graded(EXAMPLES / "increment.grid", EXAMPLES / "class") == shown[1]


def test_what_is_only_tested_or_does_not_fit_is_said(tmp_path: Path) -> None:
    (tmp_path / "expert.grid").write_text(EXPERT.replace("output a + 1\n", ""), encoding="utf-8")
    (tmp_path / "class").mkdir()
    other = (EXAMPLES / "class" / "bob.grid").read_text(encoding="utf-8")
    stuck = ALICE.replace("  1     : write 0, L\n", "")
    unknown = ALICE.replace("0..1", "1").replace("0 | ", "").replace("write 0, ", "")
    for name, text in {"other": other, "stuck": stuck, "unknown": unknown}.items():
        (tmp_path / "class" / f"{name}.grid").write_text(text, encoding="utf-8")
    told = graded(tmp_path / "expert.grid", tmp_path / "class").splitlines()
    assert told[0].startswith("other.grid   right        tested on all ")
    assert told[1] == 'stuck.grid   wrong        on "1": stuck, where "10" is right'
    assert told[2] == 'unknown.grid wrong        on "0": stuck, where "1" is right'
    assert told[3] == "1 of 3 are right"
