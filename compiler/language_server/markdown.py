"""Markdown that shows text from files as it is: nothing in it is taken for markup."""

from __future__ import annotations

import re


def inline(text: str) -> str:
    """A text as code within a line."""
    ticks = "`" * (_longest_run(text) + 1)
    pad = " " if text.startswith("`") or text.endswith("`") else ""
    return f"{ticks}{pad}{text}{pad}{ticks}"


def block(text: str, language: str = "grid") -> str:
    """Lines as a block of code."""
    fence = "`" * max(3, _longest_run(text) + 1)
    return f"{fence}{language}\n{text}\n{fence}"


def plain(text: str) -> str:
    """Text of a comment, without markup or links."""
    escaped = re.sub(r"([\\`*_\[\]()#!~|])", r"\\\1", text)
    return escaped.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


def _longest_run(text: str) -> int:
    return max((len(run) for run in re.findall(r"`+", text)), default=0)
