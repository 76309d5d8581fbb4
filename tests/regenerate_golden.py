"""Rewrites the expected diagnostics; read the difference as prose before committing it."""

import os
from pathlib import Path

from gridlang.diagnostics import GridError, render
from gridlang.learners.traces.dataset import read_traces
from gridlang.loading import try_load

FOLDER = Path(__file__).parent / "golden" / "diagnostics"

TRACES = FOLDER.parent / "traces"


def traces_messages(name: str) -> str:
    """What is said about a broken file of traces."""
    before = Path.cwd()
    os.chdir(TRACES)
    try:
        read_traces(name)
    except GridError as error:
        return "\n\n".join(map(render, error.diagnostics)) + "\n"
    finally:
        os.chdir(before)
    return ""


def messages(name: str) -> str:
    """All diagnostics of a broken file, as a user sees them."""
    before = Path.cwd()
    os.chdir(FOLDER)
    try:
        return "\n\n".join(render(d) for d in try_load(name).diagnostics) + "\n"
    finally:
        os.chdir(before)


if __name__ == "__main__":
    for path in sorted(path for path in TRACES.iterdir() if path.suffix != ".err"):
        Path(TRACES, f"{path.name}.err").write_text(traces_messages(path.name), encoding="utf-8")
    for path in sorted(FOLDER.glob("*.grid")):
        path.with_suffix(".err").write_text(messages(path.name), encoding="utf-8")
