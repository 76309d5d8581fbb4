"""Every diagnostic code with cause and cure, from codes.toml."""

from __future__ import annotations

import tomllib
from importlib.resources import files
from textwrap import indent
from typing import NamedTuple


class Code(NamedTuple):
    """The explanation of a code."""

    code: str
    title: str
    cause: str
    cure: str
    wrong: str = ""
    right: str = ""


_TEXTS = tomllib.loads((files("gridlang") / "codes.toml").read_text(encoding="utf-8"))
CODES = {code: Code(code, **texts) for code, texts in _TEXTS.items()}


def explanation(entry: Code) -> str:
    parts = [f"{entry.code}: {entry.title}", "", entry.cause, "", f"Cure: {entry.cure}"]
    for title, sample in (("Instead of", entry.wrong), ("write", entry.right)):
        if sample:
            parts += ["", f"{title}:", "", *(f"    {line}" for line in sample.split("\n"))]
    return "\n".join(parts)


def reference() -> str:
    """The page of diagnostics, as Markdown, on the site and in the playground."""
    lines = [
        "# Diagnostics",
        "",
        "Every code with its cause and cure, as `gridlang explain CODE` prints them.",
        "",
    ]
    for entry in CODES.values():
        lines += [f"## {entry.code}: {entry.title}", "", f"{entry.cause} {entry.cure}", ""]
        if entry.wrong:
            lines += ["```diff", indent(entry.wrong, "- "), indent(entry.right, "+ "), "```", ""]
    return "\n".join(lines).rstrip() + "\n"
