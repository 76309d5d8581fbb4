"""Rewrites the expected diagnostics; read the difference as prose before committing it."""

import os
from pathlib import Path

from gridlang.diagnostics import GridError, render
from gridlang.learners.traces.logs.reading import read_log
from gridlang.loading import try_load

FOLDER = Path(__file__).parent / "golden" / "diagnostics"

LOGS = FOLDER.parent / "logs"


def log_messages(name: str) -> str:
    """What is said about a broken log: an error, or warnings."""
    before = Path.cwd()
    os.chdir(LOGS)
    try:
        said = read_log(name).warnings
    except GridError as error:
        said = tuple(error.diagnostics)
    finally:
        os.chdir(before)
    return "\n\n".join(map(render, said)) + "\n"


def messages(name: str) -> str:
    """All diagnostics of a broken file, as a user sees them."""
    before = Path.cwd()
    os.chdir(FOLDER)
    try:
        return "\n\n".join(render(d) for d in try_load(name).diagnostics) + "\n"
    finally:
        os.chdir(before)


if __name__ == "__main__":
    for path in sorted(path for path in LOGS.iterdir() if path.suffix != ".err"):
        Path(LOGS, f"{path.name}.err").write_text(log_messages(path.name), encoding="utf-8")
    for path in sorted(FOLDER.glob("*.grid")):
        path.with_suffix(".err").write_text(messages(path.name), encoding="utf-8")
