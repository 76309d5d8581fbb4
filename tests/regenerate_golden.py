"""Rewrites the expected diagnostics; read the difference as prose before committing it."""

import os
from pathlib import Path

from gridlang.diagnostics import render
from gridlang.loading import try_load

FOLDER = Path(__file__).parent / "golden" / "diagnostics"


def messages(name: str) -> str:
    """All diagnostics of a broken file, as a user sees them."""
    before = Path.cwd()
    os.chdir(FOLDER)
    try:
        return "\n\n".join(render(d) for d in try_load(name).diagnostics) + "\n"
    finally:
        os.chdir(before)


if __name__ == "__main__":
    for path in sorted(FOLDER.glob("*.grid")):
        path.with_suffix(".err").write_text(messages(path.name), encoding="utf-8")
