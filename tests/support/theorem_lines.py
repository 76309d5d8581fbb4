"""Links from the page of theorems to the lines of the proofs; `python -m tests.support.theorem_lines` writes them anew."""

from __future__ import annotations

import re

from tests.programs import ROOT

PAGE = ROOT / "docs" / "reference" / "theorems.md"
LINK = re.compile(r"\[`(\w+)`\]\((\S+\.v)#L(\d+)\)")


def line_of(name: str, link: str) -> int:
    """Where a theorem stands in its file."""
    lines = (PAGE.parent / link).read_text().splitlines()
    stated = re.compile(rf" *(Theorem|Lemma) {name}\b")
    return next(number for number, line in enumerate(lines, 1) if stated.match(line))


if __name__ == "__main__":
    mended = LINK.sub(
        lambda m: f"[`{m[1]}`]({m[2]}#L{line_of(m[1], m[2])})", PAGE.read_text(encoding="utf-8")
    )
    PAGE.write_text(mended, encoding="utf-8")
