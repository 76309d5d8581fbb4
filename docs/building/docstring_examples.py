"""Examples in docstrings become code blocks: to Markdown, `>>>` would be a quotation."""

from __future__ import annotations

import re
from typing import Any

from griffe import Class, Docstring, Extension, Function, Module

EXAMPLE = re.compile(r"(?:^>>> .*\n(?:^(?!>>> |\s*$).*\n)*)+", re.MULTILINE)


class FencedExamples(Extension):
    """Puts a fence around every run of `>>>` lines and what they print."""

    def on_function(self, *, func: Function, **_: Any) -> None:
        _fence(func.docstring)

    def on_class(self, *, cls: Class, **_: Any) -> None:
        _fence(cls.docstring)

    def on_module(self, *, mod: Module, **_: Any) -> None:
        _fence(mod.docstring)


def _fence(docstring: Docstring | None) -> None:
    if docstring and ">>>" in docstring.value and "```" not in docstring.value:
        docstring.value = EXAMPLE.sub(lambda m: f"```pycon\n{m[0]}```\n", docstring.value + "\n")
