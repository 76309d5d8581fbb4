"""Each command as it is typed, with all that it prints and its exit status: golden/transcripts."""

from pathlib import Path

import pytest

from tests.regenerate_golden import TRANSCRIPTS, replayed


@pytest.mark.parametrize("path", TRANSCRIPTS, ids=lambda path: path.stem)
def test_commands_print_what_the_transcript_shows(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    assert replayed(text) == text
