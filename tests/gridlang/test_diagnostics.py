"""Broken files beside their exact messages, and a cure for every code."""

import re
from pathlib import Path

import pytest

from gridlang.codes import CODES, explanation, reference
from tests.programs import ROOT
from tests.regenerate_golden import FOLDER, TRANSCRIPTS, messages

CASES = sorted(FOLDER.glob("*.grid"))


@pytest.mark.parametrize("path", CASES, ids=lambda p: p.stem)
def test_a_broken_file_gets_exactly_this_message(path: Path) -> None:
    assert messages(path.name) == path.with_suffix(".err").read_text(encoding="utf-8")


def test_every_code_in_the_source_is_documented_and_none_is_left_over() -> None:
    used: set[str] = set()
    for package in ("gridlang", "compiler", "learners"):
        for path in (ROOT / package).rglob("*.py"):
            if path.name != "codes.py":
                used |= set(re.findall(r'"(G\d{3})"', path.read_text(encoding="utf-8")))
    assert used == set(CODES)


def test_the_page_of_diagnostics_has_a_heading_for_every_code() -> None:
    assert re.findall(r"^## (G\d{3}): ", reference(), re.M) == list(CODES)


def test_every_code_is_shown_by_a_golden_case_or_raised_in_another_test() -> None:
    shown = {
        code
        for path in (*FOLDER.glob("*.err"), *TRANSCRIPTS)
        for code in re.findall(r"\[(G\d{3})\]", path.read_text(encoding="utf-8"))
    }
    # Codes of commands, models, traces and runs need more than one broken source file.
    others = [path for path in (ROOT / "tests").rglob("test_*.py") if path != Path(__file__)]
    elsewhere = {code for path in others for code in re.findall(r"\bG\d{3}\b", path.read_text("utf-8"))}
    assert set(CODES) - {"G086"} <= shown | elsewhere  # G086 is a mistake in gridlang


@pytest.mark.parametrize("code", CODES)
def test_explanations_say_a_cause_and_a_cure(code: str) -> None:
    text = explanation(CODES[code])
    assert code in text and "Cure: " in text
