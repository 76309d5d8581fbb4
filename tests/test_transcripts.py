"""Each command as it is typed, with all that it prints and its exit status: golden/transcripts and golden/proofs.txt."""

from pathlib import Path

import pytest

from tests.regenerate_golden import PROOFS, TRANSCRIPTS, blocks, replayed


@pytest.mark.parametrize("path", TRANSCRIPTS, ids=lambda path: path.stem)
def test_commands_print_what_the_transcript_shows(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    assert replayed(text) == text


PROVEN = [
    pytest.param(block, id=block[2:].partition("\n")[0], marks=pytest.mark.long if "# long" in block else ())
    for block in blocks(PROOFS.read_text(encoding="utf-8"))
]


@pytest.mark.parametrize("text", PROVEN)
def test_what_is_proven_of_an_agent_is_what_is_shown(text: str) -> None:
    """And the second checker, where it is built, accepts the certificates that were made for it."""
    assert replayed(text) == text
