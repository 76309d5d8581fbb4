"""Broken files beside their exact messages, and a cure for every code."""

import re
from pathlib import Path

import pytest

from gridlang.codes import CODES, explanation, reference
from tests.programs import ROOT
from tests.regenerate_golden import FOLDER, messages

CASES = sorted(FOLDER.glob("*.grid"))


@pytest.mark.parametrize("path", CASES, ids=lambda p: p.stem)
def test_a_broken_file_gets_exactly_this_message(path: Path) -> None:
    assert messages(path.name) == path.with_suffix(".err").read_text(encoding="utf-8")


def test_there_are_at_least_forty_cases() -> None:
    assert len(CASES) >= 40


def test_every_code_in_the_source_is_documented_and_none_is_left_over() -> None:
    used: set[str] = set()
    for package in ("gridlang", "compiler", "learners"):
        for path in (ROOT / package).rglob("*.py"):
            if path.name != "codes.py":
                used |= set(re.findall(r'"(G\d{3})"', path.read_text(encoding="utf-8")))
    assert used == set(CODES)


def test_the_reference_of_errors_is_up_to_date() -> None:
    assert (ROOT / "docs" / "errors.md").read_text(encoding="utf-8") == reference()


def test_most_codes_have_a_golden_case() -> None:
    shown = {
        code for path in CASES for code in re.findall(r"\[(G\d{3})\]", path.with_suffix(".err").read_text())
    }
    elsewhere = {
        "G001",
        "G009",
        "G026",
        "G063",
        "G071",
        "G080",
        "G081",
        "G082",
        "G085",
        "G086",
    }  # they need a command line or a file
    assert set(CODES) - elsewhere <= shown


@pytest.mark.parametrize("code", CODES)
def test_explanations_say_a_cause_and_a_cure(code: str) -> None:
    text = explanation(CODES[code])
    assert code in text and "Cure: " in text
