"""The targets of `gridlang compile`, one small module each, registered here."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from typing import NamedTuple

from gridlang.program import Program


class Target(NamedTuple):
    """How a program becomes the content of a file."""

    extension: str
    module: str
    about: str

    def render(self, program: Program) -> bytes:
        make: Callable[[Program], bytes] = import_module(f"compiler.targets.{self.module}").render
        return make(program)


TARGETS = {
    "dfst": Target("safetensors", "tensors", "exact DFST tensors"),
    "table": Target("json", "table_json", "the transition table as JSON"),
    "c": Target("c", "c_program", "a standalone C program"),
    "dot": Target("dot", "dot", "the state graph for graphviz"),
    "svg": Target("svg", "svg", "the state graph as a picture"),
    "html": Target("html", "html_page", "a page with the state graph and a replay"),
    "grid": Target("flat.grid", "flat_grid", "the table as source, a state at a time"),
}
