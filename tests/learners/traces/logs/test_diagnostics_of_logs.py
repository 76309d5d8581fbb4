"""Every fault of a log is told with its file, line, column and caret; snapshots hold what is said."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.regenerate_golden import LOGS, log_messages

CASES = sorted(path.name for path in LOGS.iterdir() if path.suffix != ".err")


@pytest.mark.parametrize("name", CASES)
def test_faults_are_told_as_before(name: str) -> None:
    """G212, G213, G214, G215 and G216; `python -m tests.regenerate_golden` writes them anew."""
    assert log_messages(name) == Path(LOGS, f"{name}.err").read_text(encoding="utf-8")
